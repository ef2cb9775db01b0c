#!/usr/bin/env python3
"""Random Pods that one thing, or two, keep pending: is it named, and does what is offered help?

    tests/peer/random_explain.py --oracle DIR/plan-oracle --dray build/dray --count 1000 --seed 7 [--only BREAK] [--two]

A Pod that fits is drawn and something is broken (explain_breaks.py), so that the cause and its subject are known. Right
are: that cause first; a fix where the table of causes has one; that each offered change lets the Pod go, as the peer
says; the largest count or capacity that fits; an answer in less than 100 ms; that the cause is gone after the first
change. The rules are those of explain_check.py beside the recorded answers; without it nothing is asked.
"""
import argparse
import collections
import copy
import json
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../shared/conformance"))
try:
    import explain_check as rules
except ImportError:
    print("# explain: the rules of the recorded answers are not here, nothing asked")
    sys.exit(0)

import explain_breaks
import explain_world

FIXES = {row.split(":")[0]: row.split(":")[1].split() for row in """
other-scheduler:change-scheduler
bypassed-scheduler:unset-node-name
gated:remove-scheduling-gate
template-missing:correct-template-name create-template
quota:raise-quota lower-count end-pod
admin-access-namespace:label-namespace
claim-missing:correct-claim-name create-claim recreate-claim
claim-deleting:recreate-claim own-claim
claim-owned-by-other:recreate-claim
claim-full:own-claim end-consumer
claim-on-other-node:reallocate-claim own-claim relax-node-selector add-node
class-missing:correct-class-name create-class
extended-resource-unknown:map-extended-resource correct-resource-name create-class
gate-off:enable-gate drop-constraint
attribute-misspelt:correct-selector relax-selector
attribute-other-domain:correct-selector relax-selector
capacity-not-attribute:correct-selector relax-selector
attribute-not-capacity:correct-selector relax-selector
attribute-absent:correct-selector relax-selector
attribute-partial:correct-selector correct-slice
attribute-other-type:correct-selector relax-selector
version-compared-as-string:correct-selector relax-selector
quantity-compared-wrongly:correct-selector relax-selector
selector-error:correct-selector relax-selector
selector-false:relax-selector correct-selector correct-class-name add-device
no-slices-for-driver:correct-selector correct-class-name add-device
devices-reach-no-node:add-node label-node correct-slice add-device
pool-incomplete:complete-pool correct-slice
pool-invalid:correct-slice
in-use:relax-selector lower-count free-device
in-use-leaked:free-device
device-taint:untaint-device tolerate-device-taint lower-count
constraint-attribute-absent:drop-constraint correct-constraint
constraint-unsatisfied:lower-count drop-constraint add-device
counters-exhausted:free-device relax-selector correct-selector
capacity-too-large:lower-capacity add-device
capacity-exhausted:lower-capacity free-device
policy-rejects:lower-capacity
too-few-devices:lower-count add-device
limit-exceeded:lower-count correct-selector relax-selector
node-unschedulable:uncordon-node
node-taint:tolerate-node-taint untaint-node
node-selector:relax-node-selector label-node add-node
node-affinity:relax-node-affinity label-node add-node
node-resources:lower-requests end-pod add-device
node-ports:change-port end-pod
pod-affinity:relax-pod-affinity
pod-anti-affinity:relax-pod-affinity end-pod free-device add-node
topology-spread:relax-spread label-node
""".split("\n") if row}

# What holds a Pod back on all nodes, in the order in which an attempt meets it: of two the earlier is named first.
WIDE = ["other-scheduler", "bypassed-scheduler", "gated", "template-missing", "quota", "admin-access-namespace", "claim-missing",
        "claim-owned-by-other", "claim-deleting", "claim-full", "class-missing", "extended-resource-unknown"]


def least_of(planner, scene, member):
    """The largest count (or Gi of memory) below what is asked for with which the Pod goes; None: none does."""
    best = None
    for claim in scene.claims:
        for r in claim["spec"]["devices"]["requests"]:
            e = r.get("exactly")
            if e is None:
                continue
            kept = copy.deepcopy(e)
            if member == "count":
                top = 33 if e.get("allocationMode") == "All" else e.get("count", 1)
                values = range(top - 1, 0, -1)
            else:
                values = range(scale(e["capacity"]["requests"]["memory"]) - 1, 0, -1) if "capacity" in e else []
            for v in values:
                if member == "count":
                    e["allocationMode"], e["count"] = "ExactCount", v
                else:
                    e["capacity"]["requests"]["memory"] = "%dGi" % v
                q = scene.question()
                if rules.goes(planner, q, q["pod"])[0]:
                    best = max(best or 0, v)
                    break
            e.clear()
            e.update(kept)
    return best


def scale(text):
    return -(-int(rules.number(text)) // 2**30)


def nearest(planner, question, subjects):
    """Those Pods whose end alone lets the Pod go; all where there is none."""
    alone = []
    for s in subjects:
        ns, name = s.split("/")
        fix = {"delete": [{"kind": "Pod", "namespace": ns, "name": name},
                          {"kind": "ResourceClaim", "namespace": ns, "name": name + "-dev-x7k2p"}]}
        after = rules.lay_over(question, fix)
        if rules.goes(planner, after, question["pod"])[0]:
            alone.append(s)
    return alone or subjects


# Two are broken of different rows: they don't undo each other.
ROWS = [["other_scheduler", "gated"],
        ["template_missing", "claim_missing", "claim_deleting", "claim_owned", "claim_full", "claim_elsewhere", "quota", "admin_access"],
        ["class_missing"],
        ["misspelt", "other_domain", "wrong_map", "absent", "partial", "other_type", "version_string", "quantity_unit", "selector_error",
         "selector_false"],
        ["no_node", "pool_incomplete", "pool_invalid"],
        ["in_use", "device_taint", "counters", "too_large", "exhausted", "policy", "too_few", "constraint_no", "constraint_absent"],
        ["cordoned", "node_taint", "node_selector", "node_affinity", "node_resources", "node_ports", "pod_affinity", "pod_anti_affinity",
         "spread"]]


def names_of_two(rng, only):
    rows = [r for r in ROWS if only in r] or rng.sample(ROWS, 1)
    other = rng.choice([r for r in ROWS if r is not rows[0]])
    return [only or rng.choice(rows[0]), rng.choice(other)]


def draw(rng, planner, only, two):
    """A scene with its wants; None where it can't be broken so."""
    scene = explain_world.Scene(rng)
    explain_world.disguise(scene)
    fits, why = rules.goes(planner, scene.question(), "%s/app" % scene.ns)
    if not fits:
        print("# a scene in which the Pod doesn't fit: " + why)
        return None
    if not only and not two and rng.random() < .04:
        return scene, [], scene.question()
    names = names_of_two(rng, only) if two else [only or rng.choice(sorted(explain_breaks.BREAKS))]
    wants = []
    for name in names:
        try:
            got = explain_breaks.BREAKS[name](scene)
        except (KeyError, IndexError, StopIteration, RuntimeError, AttributeError):
            got = None  # the first one took away what the second one breaks
        if got is None or (wants and got["cause"] == wants[0]["cause"]):
            return None
        wants.append(dict(got, name=name))
        question = scene.question()
        if rules.goes(planner, question, question["pod"])[0]:
            return None
    return scene, wants, question


def judge(peer, planner, explainer, scene, wants, question):
    ms = 100
    for _ in range(3):  # the machine may be busy
        began = time.monotonic()
        answer = explainer.ask(question)
        ms = min(ms, (time.monotonic() - began) * 1000)
        if ms < 100:
            break
    if not wants:  # nothing is wrong
        want = {"pending": False}
        return rules.judge({"want": want, "in": question}, answer, peer), answer, want
    want = {"pending": True, "firstCause": {"cause": wants[0]["cause"], "subjectAny": wants[0]["subjects"]},
            "fixAny": FIXES[wants[0]["cause"]]}
    if len(wants) == 1:
        first = (answer.get("fixes") or [{}])[0].get("fix")
        member = wants[0].get("least")
        if member and first == "lower-" + member:
            least = least_of(planner, scene, member)
            if least is not None:
                want["least"] = {first: least if member == "count" else "%dGi" % least}
        if wants[0].get("nearest"):
            want["firstCause"]["subjectAny"] = nearest(planner, question, wants[0]["subjects"])
    else:
        causes = sorted(wants, key=lambda w: WIDE.index(w["cause"]) if w["cause"] in WIDE else 99)
        got = (answer.get("causes") or [{}])[0].get("cause")
        right = causes[0] if causes[0]["cause"] in WIDE else next((w for w in wants if w["cause"] == got), wants[0])
        want["firstCause"] = {"cause": right["cause"], "subjectAny": right["subjects"]}
        want["fixAny"] = FIXES[right["cause"]]
    wrong = rules.judge({"want": want, "in": question}, answer, peer)
    fixes = answer.get("fixes") or []
    if not wrong and fixes:
        after = rules.lay_over(question, fixes[0])
        then = explainer.ask(after)
        if then.get("pending") is not False:
            wrong.append("still pending after the first change: %s" % json.dumps(then)[:200])
    if ms >= 100:
        wrong.append("took %d ms" % ms)
    return wrong, answer, want


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--dray", required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--only", help="one way of breaking: a function of explain_breaks.py")
    parser.add_argument("--two", action="store_true", help="break two things")
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("--keep", help="append failing cases to this file, as explain_check.py reads them")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 32)
    print("# seed", seed, flush=True)
    peer, explainer = rules.Program([args.oracle]), rules.Program([args.dray, "debug", "explain"])
    planner = rules.Program([args.dray, "debug", "plan"])  # for what only prepares a question: it is quicker
    passed, failed, kinds, bad, i = collections.Counter(), collections.Counter(), collections.Counter(), 0, 0
    done = 0
    while done < args.count and i < 40 * args.count:
        i += 1
        drawn = draw(random.Random("%d/%d" % (seed, i)), planner, args.only, args.two)
        if drawn is None:
            continue
        done += 1
        scene, wants, question = drawn
        wrong, answer, want = judge(peer, planner, explainer, scene, wants, question)
        name = "+".join(w["name"] for w in wants) or "nothing"
        if not args.two:
            (failed if wrong else passed)[wants[0]["cause"] if wants else "(nothing)"] += 1
        if wrong:
            bad += 1
            kinds[name + ": " + wrong[0].split(";")[0][:60]] += 1
            if bad <= args.show:
                print("FAIL %d %s (%s, %s): %s" % (i, name, scene.kind, scene.version, "; ".join(wrong)))
            if args.keep:
                with open(args.keep, "a", encoding="utf-8") as f:
                    f.write(json.dumps({"id": "random-%d-%d-%s" % (seed, i, name), "note": "; ".join(wrong), "in": question,
                                        "want": want, "got": answer}) + "\n")
    for program in (explainer, planner, peer):
        program.stop()
    for cause in sorted(set(passed) | set(failed)):
        print("# %-32s %d of %d" % (cause, passed[cause], passed[cause] + failed[cause]))
    for what, n in kinds.most_common(60):
        print("# %4d %s" % (n, what))
    print("# explain: %d asked, %d differences" % (done, bad), flush=True)
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
