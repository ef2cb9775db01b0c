#!/usr/bin/env python3
"""Hard allocation problems, as lines of `dray debug alloc`; the same name gives the same bytes.

    tests/peer/hard_clusters.py --list                       families
    tests/peer/hard_clusters.py hall-16-no-1 ...             these problems
    tests/peer/hard_clusters.py --all [--seeds N]            every family, its sizes, both answers
    tests/peer/hard_clusters.py --small COUNT --seed S       small ones at random, for comparing with a peer
    tests/peer/hard_clusters.py --small COUNT --oracle PATH --dray PATH    and compares them

A name is FAMILY-SIZE-yes|no-SEED[-DISGUISE][-DISGUISE…]. "yes" has a solution planted where the family can, "no" is
usually one unit short of it. Disguises: own (each device has an attribute of its own), seen (and the class looks at
it), last (devices in reverse), shuffled, more (devices that nobody wants between them), first (a claim for three
easy devices before all). FAMILY may be A+B: both problems on one node, B's claims after A's, each with its own
driver; A*B: B's claims between A's.
"""
import argparse
import json
import random
import sys

EFFECT = {"key": "k", "effect": "NoSchedule"}


def value(v):
    kind = {bool: "bool", int: "int", str: "string"}
    if isinstance(v, list):
        return {kind[type(v[0])] + "s": v}
    return {kind[type(v)]: v}


class Problem:
    def __init__(self, driver="d.example.com"):
        self.driver, self.devices, self.sets, self.claims, self.allocated, self.gates = driver, [], [], [], [], {}
        self.pools = {}  # name of a pool → where it is; devices name theirs
        self.seen = False

    def dev(self, attributes=None, capacity=None, uses=None, pool="p", **more):
        d = dict({"name": "d%04d" % len(self.devices)}, **more)
        if attributes:
            d["attributes"] = {k: value(v) for k, v in attributes.items()}
            if any(isinstance(v, list) for v in attributes.values()):
                self.gates["DRAListTypeAttributes"] = True
        if capacity:
            d["capacity"] = {k: v if isinstance(v, dict) else {"value": str(v)} for k, v in capacity.items()}
        if uses:
            d["consumesCounters"] = [dict({"counterSet": s, "counters": {k: {"value": str(v)} for k, v in c.items()}},
                                          **({"compatibilityGroups": g} if g else {}))
                                     for s, c, g in ((u + (None,))[:3] for u in uses)]
            if any(len(u) > 2 for u in uses):
                self.gates["DRADeviceCompatibilityGroups"] = True
        self.devices.append((pool, d))
        return d["name"]

    def counters(self, name, values, pool="p"):
        self.sets.append((pool, {"name": name, "counters": {k: {"value": str(v)} for k, v in values.items()}}))

    def attr(self, name):
        return 'device.attributes["%s"].%s' % (self.driver, name)

    def any_of(self, name, values):
        if len(values) == 1:
            return ["%s == %s" % (self.attr(name), json.dumps(values[0]))]
        return ["%s in %s" % (self.attr(name), json.dumps(values))]

    def claim(self, requests, *constraints):
        """Requests are what ex() gives, or lists of it. Constraints: (match|distinct, attribute[, request numbers])."""
        made = []
        for i, r in enumerate(requests):
            if isinstance(r, list):
                made.append({"name": "r%d" % i, "firstAvailable": [dict(s, name="s%d" % k) for k, s in enumerate(r)]})
            else:
                made.append({"name": "r%d" % i, "exactly": r})
        body = {"requests": made}
        if constraints:
            body["constraints"] = [dict({c[0] + "Attribute": self.driver + "/" + c[1]},
                                        **({"requests": ["r%d" % k for k in c[2]]} if len(c) > 2 else {})) for c in constraints]
        self.claims.append(body)

    def hold(self, device, pool="p", **more):
        self.allocated.append(dict({"request": "r", "driver": self.driver, "pool": pool, "device": device}, **more))

    def ex(self, count=1, sel=None, capacity=None, mode="ExactCount", **more):
        e = dict({"deviceClassName": self.driver, "allocationMode": mode}, **more)
        if mode == "ExactCount":
            e["count"] = count
        if sel:
            e["selectors"] = [{"cel": {"expression": s}} for s in sel]
        if capacity:
            e["capacity"] = {"requests": {k: str(v) for k, v in capacity.items()}}
        return e

    def slices(self):
        out = []
        for pool in sorted({p for p, _ in self.devices}):
            devices = [d for p, d in self.devices if p == pool]
            narrow = any(k in d for d in devices for k in ("consumesCounters", "taints")) or self.gates.get("DRAListTypeAttributes")
            size = 64 if narrow else 128
            parts = [("devices", devices[i:i + size]) for i in range(0, len(devices), size)]
            sets = [s for p, s in self.sets if p == pool]
            parts = [("sharedCounters", sets[i:i + 8]) for i in range(0, len(sets), 8)] + parts
            for i, (kind, part) in enumerate(parts):
                spec = dict({"driver": self.driver, "pool": {"name": pool, "generation": 1, "resourceSliceCount": len(parts)}},
                            **self.pools.get(pool, {"nodeName": "n"}))
                spec[kind] = part
                out.append({"metadata": {"name": "%s-%s-%03d" % (self.driver, pool, i)}, "spec": spec})
        return out

    def klass(self):
        text = 'device.driver == "%s"' % self.driver
        if self.seen:
            text += " && %s >= 0" % self.attr("serial")
        return {"metadata": {"name": self.driver}, "spec": {"selectors": [{"cel": {"expression": text}}]}}

    def disguise(self, how, rng):
        if how in ("own", "seen"):
            for i, (_, d) in enumerate(self.devices):
                d.setdefault("attributes", {})["serial"] = {"int": i}
            self.seen |= how == "seen"
        elif how == "last":
            self.devices.reverse()
        elif how == "shuffled":
            rng.shuffle(self.devices)
        elif how == "more":
            mixed = []
            for i, d in enumerate(self.devices):
                mixed += [d, (d[0], {"name": "x%04d" % i, "attributes": {"kind": value("other"), "serial": value(i)}})]
            self.devices = mixed
            for c in self.claims:
                for r in c["requests"]:
                    for e in r.get("firstAvailable", [r.get("exactly")]):
                        e.setdefault("selectors", []).insert(0, {"cel": {"expression": '!(device.attributes["%s"].?kind.orValue("") == "other")' % self.driver}})
        elif how == "first":
            for i in range(3):
                self.devices.insert(0, ("p", {"name": "e%d" % i, "attributes": {"easy": value(True), "serial": value(i)}}))
            self.claims.insert(0, {"requests": [{"name": "r0", "exactly": self.ex(3)}]})


# Families: f(problem, n, fits, rng).

def hall(p, n, fits, rng):
    """n requests over n devices, each for a few kinds; no: some of them have one device too few together."""
    few = max(2, n // 3)
    for i in range(n):
        p.dev({"kind": i % few if i < 2 * few else few + i % few})
    kinds = [i % few if i < 2 * few else few + i % few for i in range(n)]
    need = list(kinds)
    if not fits:
        need[need.index(few + n % few) if few + n % few in need else -1] = kinds[0]
    rng.shuffle(need)
    p.claim([p.ex(1, p.any_of("kind", sorted({k, (k + 1) % few} if k < few else {k, rng.randrange(few)}))) for k in need])


def hall_subsets(p, n, fits, rng):
    """Each device its own; every request takes one of a random set of which the planted one is part."""
    for i in range(n):
        p.dev({"id": i})
    own = list(range(n))
    rng.shuffle(own)
    sets = [sorted({own[i]} | {rng.randrange(n) for _ in range(3)}) for i in range(n)]
    if not fits:
        low = sorted(own[:n // 2])[:max(2, n // 2 - 1)]
        sets = [sorted(rng.sample(low, min(len(low), 3))) if i <= len(low) else s for i, s in enumerate(sets)]
    rng.shuffle(sets)
    p.claim([p.ex(1, p.any_of("id", s)) for s in sets])


def several(p, n, fits, rng):
    """Equal requests of different counts, and one device short of their sum."""
    counts = []
    while sum(counts) < n:
        counts.append(min(rng.randint(1, 5), n - sum(counts)))
    for i in range(n if fits else n - 1):
        p.dev({"kind": i % 2})
    p.claim([p.ex(c) for c in counts])


def first_counts(p, n, fits, rng):
    """Alternatives of 8, 7, … 1 devices; only the last of each fits."""
    for i in range(n if fits else n - 1):
        p.dev({"kind": i % 3})
    p.claim([[p.ex(c) for c in range(8, 0, -1)] for _ in range(n)])


def first_kinds(p, n, fits, rng):
    """Alternative j wants kind j; the last claim wants all devices of all kinds but the last."""
    kinds = [k for k in range(8) for _ in range(n if k == 7 else 2)]
    if not fits:
        kinds.remove(7)
    rng.shuffle(kinds)
    for k in kinds:
        p.dev({"kind": k})
    p.claim([[p.ex(1, p.any_of("kind", [k])) for k in range(8)] for _ in range(n)])
    p.claim([p.ex(2, p.any_of("kind", [k])) for k in range(7)])


def first_capacity(p, n, fits, rng):
    """Alternatives of less and less of what two devices share."""
    total = n * 3
    for i in range(2):
        p.dev({"kind": i}, {"mem": total // 2 + (0 if fits or i else -1)}, allowMultipleAllocations=True)
    p.claim([[p.ex(1, None, {"mem": c}) for c in (17, 13, 11, 9, 7, 5, 4, 3)] for _ in range(n)])


def first_counters(p, n, fits, rng):
    """Own devices for each alternative, all but the last draw; a last request wants what is drawn."""
    p.counters("s", {"u": n, "v": n})
    for i in range(n):
        for k in range(8):
            p.dev({"id": 10 * i + k}, None, [("s", {"u": 1} if k % 2 else {"v": 1})] if k < 7 or (not fits and i == n - 1) else None)
    p.dev({"id": 9999}, None, [("s", {"u": n, "v": n})])
    p.claim([[p.ex(1, p.any_of("id", [10 * i + k])) for k in range(8)] for i in range(n)] + [p.ex(1, p.any_of("id", [9999]))])


def first_match(p, n, fits, rng):
    """Each alternative has devices on other nodes; only the last ones are together."""
    for i in range(n):
        for k in range(8):
            p.dev({"id": 10 * i + k, "numa": 99 if k == 7 and (fits or i < n - 1) else (i + k) % 7 if i else k})
    p.claim([[p.ex(1, p.any_of("id", [10 * i + k])) for k in range(8)] for i in range(n)], ("match", "numa"))


def first_limit(p, n, fits, rng):
    """Alternatives of 9, 5, 4, 3, 2 devices: no more than 32 together."""
    for i in range(64):
        p.dev({"kind": i % 2})
    last = 32 - 2 * n + (0 if fits else 1)
    p.claim([[p.ex(c) for c in (9, 8, 7, 6, 5, 4, 3, 2)] for _ in range(n)] + [[p.ex(last), p.ex(last + 1)]])


def match_groups(p, n, fits, rng):
    """One request for n devices of one value; all groups are one short but the last."""
    for v in range(12):
        for i in range(n if fits and v == 11 else n - 1):
            p.dev({"numa": v})
    p.claim([p.ex(n)], ("match", "numa"))


def match_windows(p, n, fits, rng):
    """n requests, constraints over overlapping windows of them, two attributes."""
    for i in range(5 * n):
        p.dev({"a": rng.randrange(n), "b": rng.randrange(n), "c": rng.randrange(4)})
    third = max(2, n // 2)
    windows = [("match", "a", list(range(third))), ("match", "b", list(range(n - third, n)))]
    if n > 4:
        windows.append(("match", "c", list(range(n // 4, n - n // 4))))
    for i in range(n if fits else n - 1):
        p.dev({"a": 77, "b": 78, "c": 79})
    p.claim([p.ex(1, p.any_of("c", [0, 1, 2, 3, 79])) for _ in range(n)], *windows)


def match_lists(p, n, fits, rng):
    """Lists: every pair has a value in common, all together none (no)."""
    values = ["v%d" % i for i in range(n)]
    for i in range(n):
        p.dev({"l": [v for k, v in enumerate(values) if k != i] + (["all"] if fits else []), "m": rng.randrange(3)})
    p.claim([p.ex(1) for _ in range(n)], ("match", "l"))


def match_lists_two(p, n, fits, rng):
    """Random lists of two attributes; n devices that agree in both."""
    for i in range(4 * n):
        p.dev({"l": ["a%d" % k for k in rng.sample(range(10), 4)], "m": ["b%d" % k for k in rng.sample(range(10), 4)]})
    for i in range(n if fits else n - 1):
        p.dev({"l": ["z"] + ["a%d" % k for k in rng.sample(range(10), 3)], "m": ["z"] + ["b%d" % k for k in rng.sample(range(10), 3)]})
    p.claim([p.ex(1) for _ in range(n)], ("match", "l"), ("match", "m"))


def match_claims(p, n, fits, rng):
    """Bins: claims for several devices of one value each; the groups hold exactly their sum (yes) or no deal fits (no)."""
    bins, items, room = max(2, n // 3), [], 12
    for b in range(bins):
        left = room
        while left > 0:
            c = min(left, rng.choice([3, 4, 5]))
            c = left if left - c < 3 else c
            items.append(c)
            left -= c
    if not fits:
        items[items.index(max(items))] += 1
    rng.shuffle(items)
    for b in range(bins):
        for i in range(room):
            p.dev({"numa": b})
    if not fits:
        p.dev({"numa": 99})
    for c in items:
        p.claim([p.ex(c)], ("match", "numa"))


def match_pairs(p, n, fits, rng):
    """The same in one claim: a constraint for every request; groups of odd size waste one device each."""
    groups = n
    for v in range(groups):
        for i in range(3 if fits and v == groups - 1 else 1 if v % 3 == 2 else 3):
            p.dev({"numa": v})
    useful = sum(1 for v in range(groups) if v % 3 != 2 or (fits and v == groups - 1))
    k = min(16, useful if fits else useful + 1)
    p.claim([p.ex(2) for _ in range(k)], *[("match", "numa", [i]) for i in range(k)])


def match_triangle(p, n, fits, rng):
    """Requests i and i+1 agree in attribute i mod 3, around a ring."""
    for i in range(6 * n):
        p.dev({"a": rng.randrange(3 * n), "b": rng.randrange(3 * n), "c": rng.randrange(3 * n)})
    if fits:
        for i in range(n):
            p.dev({"a": 900 + (i // 3 if i % 3 < 2 else 50 + i), "b": 900, "c": 900})
    p.claim([p.ex(1) for _ in range(n)], *[("match", "abc"[i % 3], [i, (i + 1) % n]) for i in range(n)])


def distinct_values(p, n, fits, rng):
    """n different values wanted; there are n or one fewer, each on several devices."""
    for i in range(3 * n):
        p.dev({"v": i % (n if fits else n - 1), "w": i})
    p.claim([p.ex(1) for _ in range(n)], ("distinct", "v"))


def distinct_lists(p, n, fits, rng):
    """Set packing: each device has three values, n devices without a common one."""
    values = list(range(3 * n))
    rng.shuffle(values)
    for i in range(n if fits else n - 1):
        p.dev({"v": ["x%d" % k for k in sorted(values[3 * i:3 * i + 3])]})
    for i in range(2 * n):
        p.dev({"v": ["x%d" % k for k in sorted(rng.sample(values, 3))]})
    rng.shuffle(p.devices)
    p.claim([p.ex(n)], ("distinct", "v"))


def distinct_match(p, n, fits, rng):
    """n different slots of one group; each group lacks a slot but the last."""
    for g in range(8):
        for s in range(2 * n):
            p.dev({"numa": g, "slot": s % (n if fits and g == 7 else n - 1)})
    p.claim([p.ex(1) for _ in range(n)], ("match", "numa"), ("distinct", "slot"))


def queens(p, n, fits, rng):
    """Squares of a board: all rows, columns and diagonals different; no: the middle column is gone."""
    for i in range(n):
        for k in range(n):
            if fits or k != n // 2:
                p.dev({"row": i, "col": k, "up": i + k, "down": i - k})
    p.claim([p.ex(n)], ("distinct", "row"), ("distinct", "col"), ("distinct", "up"), ("distinct", "down"))


def cover(p, n, fits, rng):
    """Exact cover: 2n counters of one, devices that draw two or three of them, all of it wanted."""
    k = min(32, 2 * n)
    p.counters("s", {"c%02d" % i: 1 for i in range(k)})
    spots = list(range(k))
    rng.shuffle(spots)
    planted = [spots[i:i + 2] for i in range(0, k, 2)]
    if not fits:
        planted = planted[1:]
    sets = planted + [rng.sample(range(k), 2) for _ in range(n)] + [rng.sample(range(k), 3) for _ in range(n)]
    rng.shuffle(sets)
    for s in sets:
        p.dev({"size": len(s)}, None, [("s", {"c%02d" % c: 1 for c in s})])
    p.claim([p.ex(k // 2)])


def cover3(p, n, fits, rng):
    """Three-dimensional matching: n of devices that draw one of each of three rows of counters."""
    n = min(n, 10)
    p.counters("s", {"%s%02d" % (r, i): 1 for r in "abc" for i in range(n)})
    b, c = rng.sample(range(n), n), rng.sample(range(n), n)
    sets = [(i, b[i], c[i]) for i in range(n if fits else n - 1)]
    sets += [tuple(rng.randrange(n) for _ in range(3)) for _ in range(2 * n)]
    rng.shuffle(sets)
    for s in sets:
        p.dev(None, None, [("s", {"%s%02d" % (r, v): 1 for r, v in zip("abc", s)})])
    p.claim([p.ex(n)])


def two_sets(p, n, fits, rng):
    """Devices draw from two sets, a ring of them: no two neighbours together."""
    for i in range(n):
        p.counters("s%02d" % i, {"u": 1})
    for i in range(n):
        p.dev(None, None, [("s%02d" % i, {"u": 1}), ("s%02d" % ((i + 1) % n), {"u": 1})])
    for i in range(0, n - 1, 3):
        p.dev(None, None, [("s%02d" % i, {"u": 1}), ("s%02d" % ((i + 2) % n), {"u": 1})])
    p.claim([p.ex(n // 2 + (0 if fits else 1))])


def matching(p, n, fits, rng):
    """Perfect matching of a graph whose vertices are counters; no: two odd halves with no edge between."""
    n -= n % 2
    half = n // 2 if (n // 2) % 2 else n // 2 + 1
    p.counters("s", {"v%02d" % i: 1 for i in range(n)})
    edges = [(2 * i, 2 * i + 1) for i in range(n // 2)] if fits else []
    while len(edges) < 3 * n:
        a, b = rng.sample(range(n), 2)
        if fits or (a < half) == (b < half):
            edges.append((a, b))
    rng.shuffle(edges)
    for a, b in edges[:120]:
        p.dev(None, None, [("s", {"v%02d" % a: 1, "v%02d" % b: 1})])
    p.claim([p.ex(n // 2)])


def windows(p, n, fits, rng):
    """Partitions at any place of a strip of memory; the lengths wanted fill the strips, or are one too long."""
    length = 8
    lengths = []
    for c in range(n):
        p.counters("card%02d" % c, {"m%d" % i: 1 for i in range(length)})
        for size in (1, 2, 3, 4, 5):
            for at in range(length - size + 1):
                p.dev({"size": size}, None, [("card%02d" % c, {"m%d" % i: 1 for i in range(at, at + size)})])
        lengths += rng.choice([[3, 5], [4, 3, 1], [2, 3, 3], [5, 2, 1], [4, 4]])
    if not fits:
        lengths[rng.randrange(len(lengths))] += 1
        lengths = [s if s <= 5 else 5 for s in lengths]
    rng.shuffle(lengths)
    p.claim([p.ex(1, p.any_of("size", [s])) for s in lengths[:32]])


MIG = (("1g", 1, range(7), 1), ("2g", 2, (0, 2, 4), 2), ("3g", 4, (0, 4), 3), ("4g", 4, (0,), 4), ("7g", 8, (0,), 7))


def cards(p, n):
    for c in range(n):
        p.counters("card%02d" % c, dict({"m%d" % k: 1 for k in range(8)}, slices=7))
        for prof, size, places, sl in MIG:
            for at in places:
                p.dev({"profile": prof, "card": c}, None, [("card%02d" % c, dict({"m%d" % k: 1 for k in range(at, at + size)}, slices=sl))])


def mig(p, n, fits, rng):
    """Cards with the profiles of a real one; a mix that fills them, or a small profile more."""
    cards(p, n)
    mixes = [["3g", "3g"], ["4g", "3g"], ["4g", "2g", "1g"], ["2g", "2g", "2g", "1g"], ["3g", "2g", "1g"], ["7g"]]
    wanted = [x for _ in range(n) for x in rng.choice(mixes)]
    if not fits:
        wanted += ["3g", "3g"]
    counts = {}
    for x in wanted:
        counts[x] = counts.get(x, 0) + 1
    order = sorted(counts, key=lambda x: rng.random())
    p.claim([p.ex(counts[x], p.any_of("profile", [x])) for x in order if counts[x]][:32])


def mig_mixed(p, n, fits, rng):
    """Profiles asked for one by one, small ones first, in claims of four."""
    cards(p, n)
    wanted = ["1g"] * n + ["2g"] * n + ["4g"] * (n if fits else n + 1)
    for i in range(0, len(wanted), 4):
        p.claim([p.ex(1, p.any_of("profile", [x])) for x in wanted[i:i + 4]])


def vectors(p, n, fits, rng):
    """Counters of three dimensions on each card; partitions of four shapes in any number."""
    shapes = {"a": (4, 1, 0), "b": (1, 4, 1), "c": (2, 2, 2), "d": (3, 0, 3)}
    room = (8, 8, 5)
    for c in range(n):
        p.counters("card%02d" % c, dict(zip("xyz", room)))
        for name in shapes:
            for _ in range(3):
                p.dev({"shape": name}, None, [("card%02d" % c, {k: v for k, v in zip("xyz", shapes[name]) if v})])
    wanted = []
    for c in range(n):
        left = list(room)
        for name in rng.sample("abcdabcd", 8):
            if all(l >= s for l, s in zip(left, shapes[name])):
                left = [l - s for l, s in zip(left, shapes[name])]
                wanted.append(name)
    if not fits:
        wanted.append("c")
    rng.shuffle(wanted)
    p.claim([p.ex(1, p.any_of("shape", [x])) for x in wanted[:32]])


def triplets(p, n, fits, rng):
    """Bin packing of amounts between a quarter and a half: three fill a device exactly."""
    items = []
    for b in range(n):
        a, c = rng.randint(26, 40), rng.randint(26, 34)
        items += [a, c, 100 - a - c]
        p.dev({"kind": b % 2}, {"mem": 100}, allowMultipleAllocations=True)
    if not fits:
        items[0] += 1
    rng.shuffle(items)
    p.claim([p.ex(1, None, {"mem": x}) for x in items[:32]])


def halves(p, n, fits, rng):
    """Two amounts a device, all different; the small ones are asked for first."""
    items = []
    for b in range(n):
        a = 51 + b % 20
        items += [a, 100 - a]
        p.dev(None, {"mem": 100}, allowMultipleAllocations=True)
    if not fits:
        items[-1] += 1
    p.claim([p.ex(1, None, {"mem": x}) for x in sorted(items)[:32]])


def halves_two(p, n, fits, rng):
    """Amounts of two capacities."""
    items = []
    for b in range(n):
        a, c = rng.randint(30, 70), rng.randint(30, 70)
        items += [(a, c), (100 - a, 100 - c)]
        p.dev(None, {"mem": 100, "cores": 100}, allowMultipleAllocations=True)
    if not fits:
        items[0] = (items[0][0], items[0][1] + 1)
    rng.shuffle(items)
    p.claim([p.ex(1, None, {"mem": x, "cores": y}) for x, y in items[:32]])


def steps(p, n, fits, rng):
    """Amounts rounded up by a policy: what is asked for would fit, what is consumed doesn't (no)."""
    policy = {"value": "32", "requestPolicy": {"default": "4", "validRange": {"min": "4", "step": "4"}}}
    for b in range(n):
        p.dev(None, {"mem": policy}, allowMultipleAllocations=True)
    items = [13, 7, 10] * n if fits else [13, 9, 9] * n
    p.claim([p.ex(1, None, {"mem": x}) for x in items[:32]])


def sizes(p, n, fits, rng):
    """Devices of different capacity, some of it in use already; the largest amounts come last."""
    items = []
    for b in range(n):
        whole = 40 + 7 * (b % 5)
        name = p.dev(None, {"mem": whole, "bw": 10}, allowMultipleAllocations=True)
        used = 3 * (b % 3)
        if used:
            p.hold(name, shareID="00000000-0000-4000-8000-%012d" % b, consumedCapacity={"mem": str(used)})
        left = whole - used
        a = rng.randint(left // 3, left // 2)
        items += [a, left - a]
    if not fits:
        items[0] += 1
    p.claim([p.ex(1, None, {"mem": x, "bw": 5}) for x in sorted(items)[:32]])


def many_counts(p, n, fits, rng):
    """Requests for several devices each with a share: as bins with different devices."""
    for b in range(n):
        p.dev({"kind": b % 3}, {"mem": 10}, allowMultipleAllocations=True)
    p.claim([p.ex(max(1, n // 2), None, {"mem": 3}) for _ in range(6)] + [p.ex(max(1, n - 1), None, {"mem": 1 if fits else 2})])


def shared_match(p, n, fits, rng):
    """Shares of devices of one value: groups hold exactly what the claims want."""
    items = []
    for b in range(n):
        for _ in range(2):
            p.dev({"numa": b}, {"mem": 10}, allowMultipleAllocations=True)
        items += rng.choice([[(2, 6), (2, 4)], [(2, 3), (2, 7)], [(2, 5), (2, 5)]])
    if not fits:
        items[0] = (2, items[0][1] + 1)
    rng.shuffle(items)
    for c, m in items:
        p.claim([p.ex(c, None, {"mem": m})], ("match", "numa"))


def all_fights(p, n, fits, rng):
    """Mode All over the big ones, counts over all, in several claims."""
    for i in range(n):
        p.dev({"big": i % 2 == 0, "numa": i % 3})
    odd = n // 2
    counts = [1] * (odd if fits else odd + 1)
    p.claim([p.ex(1) for _ in counts[:16]])
    if len(counts) > 16:
        p.claim([p.ex(1) for _ in counts[16:32]])
    p.claim([p.ex(sel=[p.attr("big")], mode="All")])


def wrong_first(p, n, fits, rng):
    """Each claim has a constraint that makes the free choice of the claims before it wrong."""
    for v in range(n):
        for i in range(4):
            p.dev({"numa": v, "x": i})
    for v in range(n - 1):
        p.claim([p.ex(1)])
    for v in range(n - 1 if fits else n):
        p.claim([p.ex(2), p.ex(1 if v % 2 else 2)], ("match", "numa"))


def admin(p, n, fits, rng):
    """Admin access between requests that fight over the same devices."""
    for i in range(n):
        p.dev({"kind": i % 4})
    reqs = []
    for i in range(min(15, n if fits else n + 1)):
        reqs += [p.ex(1, p.any_of("kind", [0, 1, 2, 3])), p.ex(1, adminAccess=True)]
    if n > 15:
        p.claim([p.ex(n - 15 if fits else n - 14)])
    p.claim(reqs)


def taints(p, n, fits, rng):
    """Half of the devices are tainted, few requests tolerate it."""
    for i in range(n):
        p.dev({"kind": i % 3}, **({"taints": [dict(EFFECT, value=str(i % 2))]} if i % 2 else {}))
    free, bad = (n + 1) // 2, n // 2
    tolerate = {"tolerations": [{"key": "k", "operator": "Exists"}]}
    p.claim([p.ex(1, **tolerate) for _ in range(bad)][:32])
    p.claim([p.ex(1) for _ in range(free if fits else free + 1)][:32])


def binding(p, n, fits, rng):
    """A pool with binding conditions comes last; only it has a whole group."""
    for v in range(6):
        for i in range(n - 1):
            p.dev({"numa": v})
    for i in range(n if fits else n - 1):
        p.dev({"numa": 7}, pool="a", bindingConditions=["x.example.com/ready"], bindingFailureConditions=["x.example.com/failed"])
    p.claim([p.ex(1) for _ in range(n)], ("match", "numa"))


def groups(p, n, fits, rng):
    """Compatibility groups: what shares a card has a group in common; pairs do, all of them don't."""
    names = ["g%d" % i for i in range(4)]
    for c in range(3):
        p.counters("card%d" % c, {"u": n})
        for i in range(n):
            mine = [names[k] for k in range(4) if (i + k + c) % 4] if not (fits and c == 2) else [names[0]]
            p.dev({"card": c}, None, [("card%d" % c, {"u": 1}, mine[:2])])
    p.claim([p.ex(n)], ("match", "card"))


def groups_pairs(p, n, fits, rng):
    """Pairs of one group on cards of two."""
    for c in range(n):
        p.counters("card%02d" % c, {"u": 2})
        for i in range(4):
            p.dev({"kind": i % 2}, None, [("card%02d" % c, {"u": 1}, ["g%d" % (i if fits or c else i // 2 * 2 + c)])])
            p.dev({"kind": i % 2}, None, [("card%02d" % c, {"u": 1}, ["g%d" % i, "h"])] if fits or i else [("card%02d" % c, {"u": 2}, ["k"])])
    p.claim([p.ex(n, p.any_of("kind", [0])), p.ex(n if fits else n + 1, p.any_of("kind", [1]))])


def limits(p, n, fits, rng):
    """A claim of 32 devices, by requests with alternatives of different counts that share devices."""
    for i in range(40):
        p.dev({"kind": i % 4})
    reqs = [[p.ex(c, p.any_of("kind", [i % 4, (i + 1) % 4])) for c in (12, 7, 5, 3, 2)] for i in range(n)]
    p.claim(reqs + [p.ex(32 - 2 * n + (0 if fits else 1))] if n < 16 else reqs[:15] + [p.ex(2 if fits else 3)])


def network(p, n, fits, rng):
    """Devices of the node, of a selector and of all nodes in three pools; a switch must be the same."""
    p.pools = {"b": {"allNodes": True}, "c": {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "z", "operator": "In", "values": ["a"]}]}]}}}
    for pool in "pbc":
        for i in range(3 * n):
            p.dev({"switch": i % (3 * n if pool == "c" else n), "kind": pool}, pool=pool)
    if fits:
        for pool in "pbc":
            p.dev({"switch": 500, "kind": pool}, pool=pool)
            p.dev({"switch": 500, "kind": pool}, pool=pool)
    p.claim([p.ex(2, p.any_of("kind", [k])) for k in "pbc"], ("match", "switch"))
    for i in range(n):
        p.claim([p.ex(1, p.any_of("kind", ["p"])), p.ex(1, p.any_of("kind", ["b"]))], ("match", "switch"))


def big(p, n, fits, rng):
    """64 slices of 128 devices; n of one value, every value is one short but the last."""
    for i in range(128 * 64):
        p.dev({"numa": i // (n - 1) if i < 128 * 64 - n or not fits else 99999})
    p.claim([p.ex(n // 2), p.ex(n - n // 2)], ("match", "numa"))


def big_distinct(p, n, fits, rng):
    """8 slices of 128 devices with few values: n different ones."""
    for i in range(128 * 8):
        p.dev({"v": i % (n - 1) if i < 128 * 8 - 1 or not fits else 7777, "w": i % 50})
    p.claim([p.ex(n)], ("distinct", "v"))


def cross(p, n, fits, rng):
    """Pairs of a card and a port of the same switch, ports of the wrong kind first."""
    for s in range(n):
        p.dev({"type": "gpu", "switch": s})
        p.dev({"type": "gpu", "switch": s})
        p.dev({"type": "nic", "switch": s if fits or s else n - 1})
    for s in range(n):
        p.claim([p.ex(1, p.any_of("type", ["gpu"])), p.ex(1, p.any_of("type", ["nic"]))], ("match", "switch"))


def colours(p, n, fits, rng):
    """Each request takes one of three own devices; conflicting requests' devices draw a common counter."""
    n = min(n, 20)
    colour = [rng.randrange(3) for _ in range(n)]
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n) if colour[a] != colour[b]]
    edges = set(rng.sample(pairs, min(len(pairs), int(2.3 * n))))
    if not fits:
        edges |= {(a, b) for a in range(4) for b in range(a + 1, 4)}
    edges = sorted(edges)
    edges = edges[:32] if fits else (edges[:26] + [(a, b) for a in range(4) for b in range(a + 1, 4)])
    for c in range(3):
        p.counters("s%d" % c, {"e%d" % i: 1 for i in range(len(edges))})
    for v in range(n):
        for c in range(3):
            mine = {"e%d" % i: 1 for i, e in enumerate(edges) if v in e}
            p.dev({"id": v}, None, [("s%d" % c, mine)] if mine else None)
    p.claim([p.ex(1, p.any_of("id", [v])) for v in range(n)])


def partial(p, n, fits, rng):
    """Groups that are alike but for one selector's attribute; counts that only one deal meets."""
    for v in range(n):
        for i in range(3):
            p.dev({"numa": v, "fast": i == 0 or (fits and v == n - 1), "tag": v * 3 + i})
    p.claim([p.ex(1, ["%s == true" % p.attr("fast")]) for _ in range(n)])
    p.claim([p.ex(2), p.ex(1, ["%s == true" % p.attr("fast")] if fits else ["%s == true" % p.attr("fast"), "%s > 0" % p.attr("tag")])], ("match", "numa"))


FAMILIES = {f.__name__: (f, s) for f, s in (
    (hall, (8, 16, 32)), (hall_subsets, (8, 16, 32)), (several, (16, 31)), (first_counts, (8, 16, 32)), (first_kinds, (6, 8, 16)),
    (first_capacity, (8, 16, 32)), (first_counters, (6, 8, 15)), (first_match, (6, 8, 15)), (first_limit, (6, 9, 15)),
    (match_groups, (6, 16, 32)), (match_windows, (6, 10, 16)), (match_lists, (8, 16, 32)), (match_lists_two, (6, 10, 20)),
    (match_claims, (6, 9, 12, 24)), (match_pairs, (9, 16, 24)), (match_triangle, (6, 9, 15)), (distinct_values, (8, 16, 32)),
    (distinct_lists, (6, 10, 15)), (distinct_match, (6, 10, 20)), (queens, (6, 8, 11)), (cover, (6, 10, 16)), (cover3, (5, 8, 10)),
    (two_sets, (8, 16, 32)), (matching, (8, 16, 32)), (windows, (2, 4, 8)), (mig, (2, 4, 8)), (mig_mixed, (4, 8)),
    (vectors, (2, 4, 8)), (triplets, (4, 7, 10)), (halves, (6, 10, 16)), (halves_two, (5, 10, 16)), (steps, (3, 6, 10)),
    (sizes, (5, 10, 16)), (many_counts, (6, 12, 24)), (shared_match, (3, 6, 10)), (all_fights, (12, 24, 48)),
    (wrong_first, (4, 8, 16)), (admin, (8, 15, 20)), (taints, (12, 24, 60)), (binding, (6, 16, 32)), (groups, (6, 12, 20)),
    (groups_pairs, (3, 6, 12)), (limits, (4, 8, 12)), (network, (2, 4, 8)), (big, (8, 32)), (big_distinct, (8, 32)),
    (cross, (6, 12, 24)), (colours, (8, 14, 20)), (partial, (4, 8, 16)))}
SMALL = {"hall": (3, 6), "hall_subsets": (3, 6), "several": (3, 7), "first_counts": (2, 3), "first_kinds": (1, 2), "first_capacity": (2, 4),
         "first_counters": (2, 3), "first_match": (2, 3), "first_limit": (1, 2), "match_groups": (2, 4), "match_windows": (2, 4),
         "match_lists": (2, 4), "match_lists_two": (2, 3), "match_claims": (3, 6), "match_pairs": (3, 7), "match_triangle": (3, 4),
         "distinct_values": (2, 4), "distinct_lists": (2, 4), "distinct_match": (2, 3), "queens": (4, 5), "cover": (2, 5), "cover3": (2, 5),
         "two_sets": (4, 8), "matching": (4, 8), "windows": (1, 2), "mig": (1, 2), "mig_mixed": (1, 2), "vectors": (1, 2), "triplets": (1, 3),
         "halves": (2, 4), "halves_two": (2, 4), "steps": (1, 2), "sizes": (2, 4), "many_counts": (2, 4), "shared_match": (1, 3),
         "all_fights": (3, 8), "wrong_first": (2, 3), "admin": (3, 5), "taints": (4, 8), "binding": (2, 3), "groups": (2, 4),
         "groups_pairs": (1, 2), "limits": (1, 2), "network": (1, 2), "cross": (2, 4), "colours": (4, 7), "partial": (2, 3)}
DISGUISES = ["own", "seen", "last", "shuffled", "more", "first"]


def build(name):
    parts = name.split("-")
    family, n, fits, seed, how = parts[0], int(parts[1]), parts[2] == "yes", parts[3], parts[4:]
    mix = "*" if "*" in family else "+"
    problems = []
    for i, one in enumerate(family.split(mix)):
        p = Problem("d.example.com" if i == 0 else "e%d.example.com" % i)
        rng = random.Random("%s/%s/%s" % (one, n, seed))
        last = i == len(family.split(mix)) - 1
        FAMILIES[one][0](p, n, fits or not last, rng)
        for h in how:
            p.disguise(h, rng)
        problems.append(p)
    claims = [c for p in problems for c in p.claims]
    if mix == "*":
        claims = []
        longest = max(len(p.claims) for p in problems)
        for i in range(longest):
            claims += [p.claims[i] for p in problems if i < len(p.claims)]
    line = {"id": name, "version": "1.37", "node": {"metadata": {"name": "n", "labels": {"z": "a"}}},
            "classes": [p.klass() for p in problems], "slices": [s for p in problems for s in p.slices()],
            "claims": [{"metadata": {"name": "c%02d" % i, "namespace": "t"}, "spec": {"devices": c}} for i, c in enumerate(claims)]}
    gates = {k: v for p in problems for k, v in p.gates.items()}
    held = [r for p in problems for r in p.allocated]
    if gates:
        line["gates"] = gates
    if held:
        line["allocated"] = [{"metadata": {"name": "h%d" % i, "namespace": "t"}, "spec": {"devices": {}},
                              "status": {"allocation": {"devices": {"results": [r]}}}} for i, r in enumerate(held)]
    return line


def everything(seeds):
    for family, (_, at) in FAMILIES.items():
        for n in at:
            for seed in range(1, seeds + 1):
                for fits in ("yes", "no"):
                    yield "%s-%d-%s-%d" % (family, n, fits, seed)
                    if n == at[-1] or len(at) > 1 and n == at[1]:
                        how = DISGUISES[(seed + len(family) + (fits == "no")) % len(DISGUISES)]
                        if family not in ("big", "big_distinct"):
                            yield "%s-%d-%s-%d-%s" % (family, n, fits, seed, how)


PRODUCT = ["hall_subsets", "first_kinds", "match_claims", "match_windows", "distinct_lists", "mig", "vectors", "halves", "triplets", "wrong_first", "cross", "cover"]


def products():
    for i, a in enumerate(PRODUCT):
        for k, b in enumerate(PRODUCT):
            if a != b:
                yield "%s%s%s-6-%s-1" % (a, "+*"[(i + k) % 2], b, ("yes", "no")[(i // 2 + k) % 2])


def small(rng):
    family = rng.choice(sorted(SMALL))
    n = rng.randint(*SMALL[family])
    if rng.random() < .3:
        other = rng.choice(sorted(SMALL))
        n = min(n, rng.randint(*SMALL[other]), 3)
        n = max(n, SMALL[family][0], SMALL[other][0])
        if n <= min(SMALL[family][1], SMALL[other][1]):
            family += rng.choice("+*") + other
    name = "%s-%d-%s-%d" % (family, n, rng.choice(["yes", "no"]), rng.randrange(1 << 30))
    return name + "".join("-" + h for h in rng.sample(DISGUISES, rng.choice([0, 0, 1, 2])))


def compare(a):
    import both
    rng, done, bad, skipped = random.Random(a.seed), 0, 0, 0
    while done < a.small:
        lines = [dict(build(small(rng)), deadlineMs=1000) for _ in range(min(200, a.small - done))]
        for i, line in enumerate(lines):
            line["name"], line["id"] = line["id"], i
        wants, _ = both.ask([a.oracle], lines)
        gots, _ = both.ask([a.dray, "debug", "alloc"], lines)
        for line in lines:
            want, got = wants.get(line["id"], {}), gots.get(line["id"], {})
            if "aborted" in (want.get("error") or "") or not want:
                skipped += 1
            elif any(want.get(k) != got.get(k) for k in ("fits", "allocations", "error")):
                bad += 1
                print("differs:", line["name"], json.dumps(want)[:300], json.dumps(got)[:300], flush=True)
        done += len(lines)
    print("# %d problems, %d without an answer of the peer in time, %d differ" % (done, skipped, bad))
    return bad > 0


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("names", nargs="*")
    a.add_argument("--list", action="store_true")
    a.add_argument("--all", action="store_true")
    a.add_argument("--products", action="store_true")
    a.add_argument("--seeds", type=int, default=1)
    a.add_argument("--small", type=int, default=0)
    a.add_argument("--seed", default="1")
    a.add_argument("--oracle")
    a.add_argument("--dray")
    a = a.parse_args()
    if a.list:
        for name, (f, sizes_of) in FAMILIES.items():
            print("%-16s %-14s %s" % (name, ",".join(map(str, sizes_of)), " ".join(f.__doc__.split())))
        return 0
    if a.oracle:
        return compare(a)
    names = list(a.names) + (list(everything(a.seeds)) if a.all else []) + (list(products()) if a.products else [])
    rng = random.Random(a.seed)
    names += [small(rng) for _ in range(a.small)]
    for name in names:
        print(json.dumps(build(name), separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
