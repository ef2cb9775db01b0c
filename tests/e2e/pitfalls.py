#!/usr/bin/env python3
"""Public reports of what went wrong with devices, and what the generators of tests/peer found, as small cases with
the outcome that is right.

    tests/e2e/pitfalls.py DRAY

A row of tests/data/{pitfalls,found}.jsonl has a label, the kind and the input of a `dray debug` line, and what is wanted:
fits; devices (claim/request=device, in order); feasible nodes by Pod; scheduled Pods; stepsBelow; has (texts in the
answer's JSON); errorIsLocal, whether an error concerns this node alone. The lines in `before` are asked first. Of kind
`cli` the input is `args` of dray and the `objects` on its standard input, and what is wanted its exit status and `has`.
tests/data/README.md tells which report is tested where. Prints TAP.
"""
import json
import pathlib
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
FILES = [DATA / "pitfalls.jsonl", DATA / "found.jsonl"]


def devices(row, answer):
    return ["%s/%s=%s" % (claim["metadata"]["name"], result["request"], result["device"])
            for claim, allocation in zip(row["in"]["claims"], answer.get("allocations") or [])
            for result in allocation["devices"]["results"]]


def wrong(row, answer):
    """What is not as wanted, as (member, wanted, found)."""
    want, text = row["want"], json.dumps(answer, sort_keys=True, ensure_ascii=False)
    found = {"fits": answer.get("fits"), "errorIsLocal": answer.get("nodeLocal"), "devices": None,
             "status": answer.get("status"),
             "feasible": {p["name"]: p["feasible"] for p in answer.get("pods", []) if "feasible" in p},
             "scheduled": [p["name"] for p in answer.get("pods", []) if p.get("node")]}
    if "status" in want or row["kind"] == "cli":
        text = answer["output"]
    if "claims" in row["in"]:
        found["devices"] = devices(row, answer)
    for key, value in want.items():
        if key == "has":
            yield from ((key, part, text) for part in value if part not in text)
        elif key == "stepsBelow":
            if answer.get("steps", 0) >= value:
                yield key, value, answer["steps"]
        elif found[key] != value:
            yield key, value, text


def ask_debug(dray, row, number):
    """The answer to the row's line; empty when dray ended otherwise than it should."""
    lines = "".join(json.dumps(dict(line, id=number)) + "\n" for line in row.get("before", []) + [row["in"]])
    done = subprocess.run([dray, "debug", row["kind"]], input=lines, capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 and done.stdout else {}


def ask_program(dray, row):
    items = {"apiVersion": "v1", "kind": "List", "items": row["in"]["objects"]}
    done = subprocess.run([dray] + row["in"]["args"], input=json.dumps(items), capture_output=True, text=True,
                          timeout=60)
    return {"status": done.returncode, "output": done.stdout + done.stderr}


def main():
    rows = [json.loads(line) for file in FILES for line in file.read_text().splitlines()]
    print("1..%d" % len(rows))
    failed = 0
    for number, row in enumerate(rows, 1):
        answer = ask_program(sys.argv[1], row) if row["kind"] == "cli" else ask_debug(sys.argv[1], row, number)
        differences = list(wrong(row, answer)) if answer else [("an answer", "one", "none")]
        failed += bool(differences)
        print("%s %d - %s" % ("not ok" if differences else "ok", number, row["label"]))
        for key, wanted, got in differences:
            print("# %s: wanted %s, got %s" % (key, wanted, str(got)[:1000]))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
