#!/usr/bin/env python3
"""Does an evaluation ever cost more than the estimate allows? Random expressions through dray alone.

    CEL_SOUND=1000000 tests/peer/sound_cel.py --dray build/dray --seed 7

The expressions are those of random_cel.py. Both numbers are equal to cel-go's, so an expression that costs more than
its estimate is cel-go's own unsoundness; each shape that is known stands in docs/decisions/0002 and is counted, any
other is printed and is a failure.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys

import random_cel

BATCH = 2000
LIMIT = 1000000
# Where cel-go's estimate is too low (docs/decisions/0002): lists made of lists, the comparisons of distinct() and
# sort() of texts, an index into a literal, has() of a literal or in a loop, a device compared, and functions that count octets where the estimate counts characters.
KNOWN = re.compile(r"flatten|distinct|sort|has\(|\bdevice ==|[\]})]\[|[^\x00-\x7f].*(ndexOf|min|max|sum|includes|isSorted)", re.S)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--dray", required=True)
    args.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    args = args.parse_args()
    count, done, known, bad = int(os.environ.get("CEL_SOUND", "20000")), 0, 0, 0
    print("# seed", args.seed, flush=True)
    while done < count:
        rng = random.Random("%d/%d" % (args.seed, done))
        lines = {i: random_cel.make(rng, i) for i in range(min(BATCH, count - done))}
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines.values())
        answers = subprocess.run([args.dray, "debug", "cel"], input=text.encode(), capture_output=True).stdout
        for raw in answers.splitlines():
            a = json.loads(raw)
            if a.get("cost") is None or a.get("maxCost") is None or a["cost"] <= a["maxCost"]:
                continue
            expr = lines[a["id"]]["expr"]
            # An error costs as much as a value of size one.
            if a.get("evalError") or KNOWN.search(expr):
                known += 1
                continue
            bad += 1
            if bad <= 20:
                print(json.dumps({"expr": expr, "maxCost": a["maxCost"], "cost": a["cost"], "evalError": a.get("evalError")},
                                 ensure_ascii=False), flush=True)
        done += len(lines)
    print("# sound: %d asked, %d of a known kind above the estimate, %d others" % (done, known, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
