"""Asks a peer and dray the same lines and compares the answers; what the generators of this folder share."""
import argparse
import concurrent.futures
import json
import random
import subprocess
import sys

BATCH = 500
AGAIN, WAVES = 16, 4  # so many times, as often, a line is asked again before a difference counts


def arguments(count):
    args = argparse.ArgumentParser()
    args.add_argument("--oracle", required=True)
    args.add_argument("--dray", required=True)
    args.add_argument("--count", type=int, default=count)
    args.add_argument("--seed", type=int)
    args.add_argument("--show", type=int, default=5, help="differences to print")
    args.add_argument("--jobs", type=int, default=1, help="peers at a time: one that mostly waits takes many")
    args = args.parse_args()
    if args.seed is None:
        args.seed = random.SystemRandom().randrange(1 << 32)
    print("# seed", args.seed, flush=True)
    return args


def ask(command, lines):
    """Answers by id, and the exit status. A line that ended the program has no answer; the program is
    started again behind it."""
    answers, status = {}, 0
    while lines:
        text = "".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines)
        done = subprocess.run(command, input=text.encode("utf-8", "surrogatepass"), capture_output=True)
        count = 0
        for raw in done.stdout.split(b"\n"):
            if raw.strip():
                answer = json.loads(raw.decode(errors="replace"))
                answers[answer.pop("id", None)] = answer
                count += 1
        status = status or done.returncode
        lines = lines[count + 1:] if done.returncode else []
    return answers, status


def ask_many(command, lines, jobs):
    """Answers by id, of as many programs at a time as there are jobs, each with a share of the lines."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        shares = pool.map(lambda k: ask(command, lines[k::jobs])[0], range(jobs))
        return {number: answer for share in shares for number, answer in share.items()}


def by_chance(oracle, line, got, differs, jobs, vary):
    """Whether the peer itself gives this answer at times: maps of Go have no order. vary(line) is the same question
    in other words."""
    for _ in range(WAVES if got is not None else 0):
        answers = ask_many(oracle, [dict(vary(line), id=i) for i in range(AGAIN)], jobs)
        if any(not differs(line, a, got) for a in answers.values()):
            return True
    return False


def compare(args, kind, oracle_args, make, differs, count=lambda want: 1, vary=lambda line: line):
    """Runs args.count cases. make(rng, id) is a line, differs(line, want, got) the names of the members that
    are not as wanted, or None where the peer has no answer to compare with. Each difference is printed as a line
    of a golden file. Every batch has a generator of its own, so that a batch can be repeated by its seed."""
    bad = shown = done = skipped = counted = 0
    while counted < args.count:
        rng = random.Random("%d/%d" % (args.seed, done))
        lines = [make(rng, done + i) for i in range(min(BATCH, args.count))]
        wants = ask_many([args.oracle] + oracle_args, lines, args.jobs)
        gots, status = ask([args.dray, "debug", kind], lines)
        if status != 0:
            sys.exit("dray ended with status %d, asked by seed %d, batch %d" % (status, args.seed, done))
        for line in lines:
            want, got = wants.get(line["id"]), gots.get(line["id"])
            names = None if want is None else differs(line, want, got) if got else ["no answer"]
            skipped += names is None
            counted += count(want) if want else 1
            if names and not by_chance([args.oracle] + oracle_args, line, got, differs, args.jobs, vary):
                bad += 1
                if shown < args.show:
                    shown += 1
                    print(json.dumps({"id": "random-%d-%d" % (args.seed, line["id"]), "differs": names,
                                      "in": {k: v for k, v in line.items() if k != "id"},
                                      "want": want, "got": got}, ensure_ascii=False), flush=True)
        done += len(lines)
    print("# %s: %d asked, %d without an answer to compare with, %d differences"
          % (kind, counted, skipped, bad), flush=True)
    sys.exit(bad != 0)
