#!/bin/sh
# Time and memory of `dray plan` on clusters of 5,000 and 10,000 nodes and Pods: bench/plan.sh DRAY.
set -eu
dir=$(dirname "$0")
for n in 5000 10000; do
    file=$(mktemp)
    python3 "$dir/cluster.py" "$n" >"$file"
    python3 - "$1" "$file" "$n" <<'PY'
import json, resource, subprocess, sys, time
dray, path, n = sys.argv[1:]
start = time.monotonic()
out = subprocess.run([dray, "plan", "-f", path, "-o", "json"], stdout=subprocess.PIPE, check=True).stdout
took = time.monotonic() - start
rss = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
pods = [o for o in json.loads(out)["items"] if o["kind"] == "Pod"]
placed = sum(1 for p in pods if p["spec"].get("nodeName"))
print("plan %6s nodes and Pods: %6d placed, %6.2f s, %5.0f MB" % (n, placed, took, rss))
PY
    rm -f "$file"
done
