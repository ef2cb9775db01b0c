#!/usr/bin/env python3
"""Recorded cases, changed at random places, against the peer of their kind.

    tests/peer/mutate.py alloc --cases DIR --oracle DIR/alloc-oracle --dray build/dray --count 20000 --seed 7

DIR holds recorded cases (KIND*.jsonl with `in`). A line takes one to five changes: a member goes, comes twice, gets
the value that the same member has elsewhere, or a value near its own; the release and the gates change as well.
"""
import copy
import glob
import json
import os
import re
import sys

import both
import random_cel
import random_clusters
import random_plans

GATES = ["DRAAdminAccess", "DRAPrioritizedList", "DRAPartitionableDevices", "DRADeviceTaints", "DRAConsumableCapacity",
         "DRADeviceBindingConditions", "DRAExtendedResource", "DRADeviceTaintRules", "DRAListTypeAttributes",
         "DRANodeAllocatableResources", "DRAResourceClaimDeviceStatus", "DRADerivedAttributes",
         "DRADeviceCompatibilityGroups", "DRAFractionalCapacityRange", "DRAOptionalNodeOperations"]
KEPT = {"id", "apiVersion", "kind", "version", "gates", "repeat"}  # what no change goes into
LONGEST = 20000  # bytes of a case that is taken


def cases(folder, kind):
    out = []
    for path in sorted(glob.glob(os.path.join(folder, kind + "*.jsonl"))):
        if kind == "plan" and "plan-run" in path:
            continue
        for text in open(path, encoding="utf-8"):
            case = json.loads(text)
            if kind == "cel" and case["in"].get("version", "1.37") != "1.37":
                continue
            if case["in"].get("env") == "cel":
                continue  # the specification's answers, which cel-go doesn't always give
            if len(text) <= LONGEST and "upstream-timeout" not in case.get("tags", []):
                out.append(case["in"])
    return out


def places(node, path=()):
    """(holder, key, path of names) of everything below node that may be changed."""
    if isinstance(node, dict):
        for key in node:
            if key in KEPT or path[-1:] == ("metadata",) and key in ("name", "namespace", "uid"):
                continue
            if path and key != "metadata":
                yield node, key, path + (key,)
            yield from places(node[key], path + (key,))
    elif isinstance(node, list):
        for i in range(len(node)):
            yield node, i, path + ("[]",)
            yield from places(node[i], path + ("[]",))


def name_of(path):
    return path[-2:] if path[-1] == "[]" else path[-1]


class Mutator:
    releases = ["1.34", "1.35", "1.36", "1.37"]

    def __init__(self, rng, pool):
        self.rng, self.pool = rng, pool
        self.values = {}
        for line in rng.sample(pool, min(len(pool), 400)):
            for holder, key, path in places(line):
                self.values.setdefault(name_of(path), []).append(holder[key])

    def near(self, value):
        rng = self.rng
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return max(0, value + rng.choice([-1, 1, 1, 2]))
        if isinstance(value, str):
            number = re.fullmatch(r"(\d+)(.*)", value)
            if number:
                return str(max(0, int(number[1]) + rng.choice([-1, 1, 2]))) + number[2]
            return rng.choice([value + "x", value[:-1] or "x"])
        if isinstance(value, list) and len(value) > 1:
            value = list(value)
            rng.shuffle(value)
        return value

    def change(self, line):
        rng = self.rng
        spots = list(places(line))
        if not spots:
            return
        holder, key, path = rng.choice(spots)
        what = rng.random()
        if what < .15:
            del holder[key]
        elif what < .25 and isinstance(holder, list):
            holder.insert(rng.randint(0, len(holder)), copy.deepcopy(holder[key]))
        elif what < .7:
            holder[key] = copy.deepcopy(rng.choice(self.values.get(name_of(path), [holder[key]])))
        elif what < .8 and isinstance(holder, dict) and len(path) > 1:
            others = [p for p in self.values if isinstance(p, str)]
            name = rng.choice(others)
            if name not in holder:
                holder[name] = copy.deepcopy(rng.choice(self.values[name]))
        else:
            holder[key] = self.near(holder[key])

    def line(self, number):
        rng = self.rng
        line = copy.deepcopy(rng.choice(self.pool))
        for _ in range(rng.choice([1, 1, 2, 3, 5])):
            self.change(line)
        if rng.random() < .1:
            line["version"] = rng.choice(self.releases)
        if rng.random() < .1:
            line.setdefault("gates", {})[rng.choice(GATES)] = rng.random() < .5
        line.setdefault("gates", {})
        line.setdefault("version", "1.37")
        line["id"] = number
        return line


TOKEN = re.compile(r"""\s+|[A-Za-z_]\w*|\d+(?:\.\d+)?|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|&&|\|\||[=!<>]=|.""", re.S)


class PlanMutator(Mutator):
    """Objects keep their names and namespaces apart; the peer knows one release."""
    releases = ["1.37"]

    def change(self, line):
        before = copy.deepcopy(line["objects"])
        super().change(line)
        keys = [(o.get("kind"), o.get("metadata", {}).get("namespace"), o.get("metadata", {}).get("name"))
                if isinstance(o, dict) and isinstance(o.get("metadata", {}), dict) else None for o in line["objects"]]
        if None in keys or len(set(keys)) != len(keys) or ("Pod", None) in [k[:2] for k in keys]:
            line["objects"] = before


class CelMutator(Mutator):
    """Expressions are changed by their tokens, the rest as anywhere."""
    releases = ["1.37"]

    def __init__(self, rng, pool):
        super().__init__(rng, pool)
        self.tokens = []
        for line in rng.sample(pool, min(len(pool), 400)):
            self.tokens.extend(TOKEN.findall(line.get("expr", "")))
        self.groups = [g for line in pool for g in re.findall(r"\([^()]*\)|\[[^\[\]]*\]", line.get("expr", ""))]

    def change(self, line):
        rng, expr = self.rng, line.get("expr", "")
        if rng.random() < .3 or not expr:
            return super().change(line)
        found = TOKEN.findall(expr)
        i = rng.randrange(len(found))
        what = rng.random()
        if what < .2:
            del found[i]
        elif what < .5:
            found[i] = rng.choice(self.tokens)
        elif what < .6:
            found.insert(i, rng.choice(self.tokens))
        elif what < .7:
            found[i:i + 1] = [found[i], found[i]]
        else:
            spots = [m.span() for m in re.finditer(r"\([^()]*\)|\[[^\[\]]*\]", expr)]
            if spots:
                a, b = rng.choice(spots)
                line["expr"] = expr[:a] + rng.choice(self.groups) + expr[b:]
                return
        line["expr"] = "".join(found)


KIND_OF = {"slices": "ResourceSlice", "claims": "ResourceClaim", "allocated": "ResourceClaim", "classes": "DeviceClass",
           "rules": "DeviceTaintRule"}


def objects_of(line):
    """The objects of a line, with their kinds."""
    for name, kind in KIND_OF.items():
        for obj in line.get(name) or []:
            version = "v1beta2" if kind == "DeviceTaintRule" else "v1"
            yield dict(obj, apiVersion="resource.k8s.io/" + version, kind=kind) if isinstance(obj, dict) else obj
    yield from line.get("objects") or []


def valid(lines, dray):
    """Those whose objects an API server would take: the peers ask that of nobody, and may crash."""
    asked = [{"id": "%d" % line["id"], "object": obj, "operation": "create", "version": line.get("version", "1.37"),
              "gates": line.get("gates") or {}} for line in lines for obj in objects_of(line)]
    for i, ask in enumerate(asked):
        ask["id"] += "/%d" % i
    answers, _ = both.ask([dray, "debug", "decode"], asked)
    bad = set()
    for ask in asked:
        answer = answers.get(ask["id"], {"error": "none"})
        if answer.get("error") or answer.get("errors") or answer.get("strict"):
            bad.add(int(ask["id"].split("/")[0]))
    return [line for line in lines if line["id"] not in bad]


NEWER = ("DRAConsumableCapacity", "DRAPartitionableDevices", "DRADeviceTaints", "DRADeviceBindingConditions")


def by_decision(line):
    """What docs/decisions/0001 answers otherwise, or leaves to chance."""
    slices = [s for s in line.get("slices") or [] if isinstance(s, dict)]
    generations, devices = {}, set()
    for spec in (s.get("spec") or {} for s in slices):
        pool = spec.get("pool") or {}
        generations.setdefault((spec.get("driver"), pool.get("name")), set()).add(pool.get("generation"))
        devices.update((spec.get("driver"), pool.get("name"), d.get("name")) for d in spec.get("devices") or [])
    names = {s.get("metadata", {}).get("name") for s in slices}
    held = [r for c in line.get("allocated") or []
            for r in (((c.get("status") or {}).get("allocation") or {}).get("devices") or {}).get("results") or []]
    vanished = any((r.get("driver"), r.get("pool"), r.get("device")) not in devices for r in held)
    shared = any("shareID" in r for r in held)
    oldest = line["version"] in ("1.34", "1.35") or all(line["gates"].get(g) is False for g in NEWER)
    return (vanished or shared or oldest or len(names) != len(slices) or any(len(g) > 1 for g in generations.values())
            or random_clusters.overlooked(line))


def alloc_differs(line, want, got):
    error = want.get("error") or ""
    names = random_clusters.differs(line, want, got)
    return None if error.startswith(("cannot read", "oracle:")) or (names and by_decision(line)) else names


def plan_differs(line, want, got):
    error = want.get("error") or ""
    if "locked to" in error or "panic" in error or "cannot set feature gate" in error:
        return None
    return random_plans.differs(line, want, got)


KINDS = {"alloc": (Mutator, [], alloc_differs, lambda want: 1),
         "plan": (PlanMutator, [], plan_differs, lambda want: len(want.get("pods", []))),
         "cel": (CelMutator, ["cel"], random_cel.differs, lambda want: 1)}


def main():
    kind = sys.argv.pop(1)
    folder = sys.argv.pop(sys.argv.index("--cases") + 1)
    sys.argv.remove("--cases")
    make_mutator, oracle_args, differs, count = KINDS[kind]
    args = both.arguments(20000)
    pool = cases(folder, kind)
    held = {}

    def make(rng, number):
        if held.get("rng") is not rng:
            held.update(rng=rng, mutator=make_mutator(rng, pool))
        return held["mutator"].line(number)

    def differs_if_valid(line, want, got):
        names = differs(line, want, got)
        return names if not names or kind == "cel" or valid([line], args.dray) else None

    both.compare(args, kind, oracle_args, make, differs_if_valid, count)


if __name__ == "__main__":
    sys.exit(main())
