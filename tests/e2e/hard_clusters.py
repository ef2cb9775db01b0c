#!/usr/bin/env python3
"""Hard allocation problems: the right answer, the same devices, in few steps.

    tests/e2e/hard_clusters.py DRAY
    tests/e2e/hard_clusters.py DRAY --write NAME...    rows for these problems, with the answers that DRAY gives

A row of tests/data/hard_clusters.txt is the name of a problem of tests/peer/hard_clusters.py and its outcome: `none`, `error`, or
the first characters of a hash of the devices, claim by claim. Prints TAP.
"""
import hashlib
import json
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "peer"))
import hard_clusters  # noqa: E402

STEPS = 50000
BUDGET_MS = 20000  # far more than any of them takes: machines differ


def outcome(answer):
    if answer.get("error"):
        return "error"
    if not answer.get("fits"):
        return "none"
    devices = [[[r["request"], r["driver"], r["pool"], r["device"]] for r in a["devices"]["results"]]
               for a in answer["allocations"]]
    return hashlib.sha256(json.dumps(devices).encode()).hexdigest()[:12]


def ask(dray, names):
    lines = [dict(hard_clusters.build(name), id=i, deadlineMs=BUDGET_MS) for i, name in enumerate(names)]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    done = subprocess.run([dray, "debug", "alloc"], input=text, capture_output=True, text=True, timeout=280)
    answers = {}
    for raw in done.stdout.splitlines():
        answer = json.loads(raw)
        answers[answer["id"]] = answer
    return [answers.get(i, {"error": "no answer"}) for i in range(len(names))]


def main():
    dray, rest = sys.argv[1], sys.argv[2:]
    if rest[:1] == ["--write"]:
        for name, answer in zip(rest[1:], ask(dray, rest[1:])):
            print(name, outcome(answer))
        return 0
    rows = [line.split() for line in (TESTS / "data" / "hard_clusters.txt").read_text().splitlines()
            if line and not line.startswith("#")]
    failed = 0
    for (name, want), answer in zip(rows, ask(dray, [name for name, _ in rows])):
        got, steps = outcome(answer), answer.get("steps", 0)
        ok = got == want and steps < STEPS
        failed += not ok
        print("%sok - %s" % ("" if ok else "not ", name))
        if not ok:
            print("# wanted %s, got %s after %d steps" % (want, got, steps))
    print("1..%d" % len(rows))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
