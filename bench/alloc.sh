#!/bin/sh
# Allocator shapes through dray and through upstream's allocator in one run:
# bench/alloc.sh DRAY ALLOC_BENCH < LINES, where a line is one of `dray debug alloc`. Both take medians
# of as many allocations as a second allows, dray of 100,000 at most.
set -eu
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
cat >"$lines"
python3 - "$1" "$lines" <<'PY'
import json, subprocess, sys
dray, path = sys.argv[1:]
rows = [dict(json.loads(l), repeat=100000) for l in open(path, encoding="utf-8")]
out = subprocess.run([dray, "debug", "alloc"], input="".join(json.dumps(r) + "\n" for r in rows), capture_output=True, text=True).stdout
print("dray: shape, ns per allocation, ns to prepare, steps, outcome")
for line in out.splitlines():
    a = json.loads(line)
    print("%-22s %12s %12s %8s %s" % (a["id"], a.get("ns"), a.get("prepareNs"), a.get("steps"), a.get("error") or a.get("fits")))
PY
echo "Kubernetes:"
"$2" <"$lines"
