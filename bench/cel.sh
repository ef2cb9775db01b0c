#!/bin/sh
# Selectors through dray and through cel-go in one run: bench/cel.sh DRAY CEL_BENCH SELECTORS.json.
# CEL_BENCH is the program of tests/peer/cel/bench, SELECTORS a list of {"name","expr","env","gates","device"}.
set -eu
python3 - "$1" "$3" <<'PY'
import json, subprocess, sys
dray, path = sys.argv[1:]
rows = json.load(open(path, encoding="utf-8"))
lines = "".join(json.dumps({"id": r["name"], "expr": r["expr"], "env": r["env"], "gates": r["gates"], "device": r["device"],
                            "repeat": 20000}) + "\n" for r in rows)
many = "".join(json.dumps({"id": r["name"], "expr": r["expr"], "env": r["env"], "gates": r["gates"], "devices": [r["device"]],
                           "copies": 100000, "repeat": 3}) + "\n" for r in rows)
one = [json.loads(l) for l in subprocess.run([dray, "debug", "cel"], input=lines, capture_output=True, text=True).stdout.splitlines()]
columns = [json.loads(l) for l in subprocess.run([dray, "debug", "cel"], input=many, capture_output=True, text=True).stdout.splitlines()]
print("dray: ns per compile, per evaluation, per device in columns of 100,000")
for a, c in zip(one, columns):
    print("%-28s %12s %10s %10.2f" % (a["id"], a.get("compileNs"), a.get("ns"), (c.get("ns") or 0) / 1e5))
PY
echo "Kubernetes:"
"$2" "$3"
