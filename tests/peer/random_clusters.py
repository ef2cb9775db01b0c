#!/usr/bin/env python3
"""Random small clusters against Kubernetes' structured allocator.

    tests/peer/random_clusters.py --oracle DIR/alloc-oracle --dray build/dray --count 20000 --seed 7

Every case draws a few of the features below, so that every pair of them comes together often, and asks which
devices up to three claims get on one node. Devices, shares, configuration, node selectors and error texts must be
equal; of errors that quote the compiler of CEL only the beginning. Where the peer runs out of time there is nothing
to compare. The release is one of 1.34 to 1.37 (a default of gates).
"""
import json
import re
import sys

import both

DRIVERS = ["gpu.example.com", "nic.example.com"]
NAMES = ["numa", "kind", "x", "l", "v"]
GATES = ["DRAAdminAccess", "DRAConsumableCapacity", "DRADerivedAttributes", "DRADeviceBindingConditions",
         "DRADeviceCompatibilityGroups", "DRADeviceTaintRules", "DRADeviceTaints", "DRAFractionalCapacityRange",
         "DRAListTypeAttributes", "DRAOptionalNodeOperations", "DRAPartitionableDevices", "DRAPrioritizedList"]
FEATURES = {"multi": .3, "counters": .35, "two_sets": .15, "groups": .12, "taints": .25, "rules": .15, "missing": .15,
            "lists": .2, "admin": .2, "all": .2, "first": .35, "capacity": .4, "policy": .35, "held": .4, "two": .3,
            "drivers": .2, "generations": .1, "incomplete": .04, "invalid": .03, "binding": .2, "per_device": .15,
            "node_selector": .15, "config": .2, "skip": .12, "derived": .15, "gates": .2, "release": .12,
            "fractions": .1, "several_classes": .25, "wide": .05, "binds_node": .1,
            "shuffled": .3, "easy": .6}
# The allocator that Kubernetes takes while consumable capacity is off asks pools in any order (docs/decisions/0001).
UNORDERED = {"two", "drivers", "shuffled"}
NODE = {"metadata": {"name": "n1", "labels": {"zone": "a", "rank": "3"}}}


class Cluster:
    def __init__(self, rng, number):
        self.rng, self.number = rng, number
        self.on = {name for name, p in FEATURES.items() if rng.random() < p}
        self.version = rng.choice(["1.34", "1.35", "1.36"]) if "release" in self.on else "1.37"
        self.gates = self.draw_gates() if self.version == "1.37" else {}
        if self.version in ("1.34", "1.35") or self.gates.get("DRAConsumableCapacity") is False:
            self.on -= UNORDERED
            self.on -= {"derived"} if rng.random() < .8 else set()
        if "generations" in self.on:
            self.on -= {"per_device"}
        self.drivers = DRIVERS if "drivers" in self.on else DRIVERS[:1]
        self.pools = [(d, "p%d" % i) for d in self.drivers for i in range(2 if "two" in self.on else 1)]
        self.sets = rng.randint(1, 3)
        self.devices = []

    def has(self, feature, p=1.0):
        return feature in self.on and self.rng.random() < p

    def pick(self, *items):
        return self.rng.choice(items)

    def attributes(self):
        rng = self.rng
        out = {"numa": {"int": rng.randint(0, 2)}, "kind": {"string": rng.choice("ab")},
               "x": {"int": rng.randint(0, 3)}, "v": {"version": rng.choice(["1.0.0", "1.2.0", "2.0.0-rc.1"])}}
        out["l"] = ({"strings": rng.sample("pqrs", rng.randint(1, 3))} if self.has("lists", .8)
                    else {"string": rng.choice("pqrs")})
        if self.has("missing"):
            for name in NAMES:
                if rng.random() < .25:
                    del out[name]
        if rng.random() < .1:
            out["other.example.com/x"] = {"int": rng.randint(0, 1)}
        return out

    def policy(self):
        rng = self.rng
        if self.has("fractions", .5):
            return {"default": "100m", "validRange": {"min": "100m", "step": rng.choice(["50m", "100m", "300m"])}}
        if rng.random() < .4:
            return {"default": "1", "validValues": rng.sample(["1", "2", "4"], rng.randint(1, 3))}
        out = {"default": rng.choice(["1", "2"]), "validRange": {"min": "1"}}
        if rng.random() < .6:
            out["validRange"]["step"] = rng.choice(["1", "2"])
        if rng.random() < .5:
            out["validRange"]["max"] = rng.choice(["3", "5"])
        return out

    def device(self, name):
        rng = self.rng
        d = {"name": name, "attributes": self.attributes()}
        if self.has("multi", .6):
            d["allowMultipleAllocations"] = True
        if self.has("multi", .7) or self.has("capacity", .4):
            d["capacity"] = {"mem": {"value": rng.choice(["2", "4", "6", "8", "3500m"])}}
            if self.has("policy", .6):
                d["capacity"]["mem"]["requestPolicy"] = self.policy()
            if rng.random() < .3:
                d["capacity"]["bw"] = {"value": "10"}
        if self.has("counters", .8):
            d["consumesCounters"] = []
            for s in rng.sample(range(self.sets), 2 if self.sets > 1 and self.has("two_sets", .5) else 1):
                use = {"counterSet": "s%d" % s, "counters": {c: {"value": str(rng.randint(1, 3))}
                                                            for c in rng.sample("uv", rng.randint(1, 2))}}
                if self.has("groups", .7):
                    use["compatibilityGroups"] = rng.sample("ghi", rng.randint(1, 2))
                d["consumesCounters"].append(use)
        if self.has("taints", .4):
            d["taints"] = [{"key": rng.choice("kt"), "value": rng.choice(["", "v"]),
                            "effect": rng.choice(["NoSchedule", "NoExecute", "None"])}]
        if self.has("binding", .4):
            d["bindingConditions"] = ["b.example.com/ready"]
            d["bindingFailureConditions"] = ["b.example.com/failed"]
        if self.has("binds_node", .4):
            d["bindsToNode"] = True
        return d

    def placed(self):
        """Where a slice or a device is: mostly on the node, and always where there are several generations:
        Kubernetes overlooks a newer one that is elsewhere (docs/decisions/0001)."""
        if "generations" in self.on:
            return {"nodeName": "n1"}
        if not self.has("node_selector", .6):
            return {"nodeName": "n1"} if self.rng.random() < .96 else {"nodeName": "n2"}
        if self.rng.random() < .3:
            return {"allNodes": True}
        need = self.pick({"key": "zone", "operator": "In", "values": ["a"]},
                         {"key": "zone", "operator": "NotIn", "values": ["b"]},
                         {"key": "rank", "operator": "Gt", "values": ["2"]},
                         {"key": "zone", "operator": "In", "values": ["b"]},
                         {"key": "disk", "operator": "DoesNotExist"})
        return {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [need]}]}}

    def slices(self):
        rng, out, number = self.rng, [], 0
        size = rng.randint(2, 6) if "wide" not in self.on else rng.randint(6, 12)
        for driver, pool in self.pools:
            devices = []
            for _ in range(rng.randint(1, size)):
                devices.append(self.device("d%02d" % number))
                self.devices.append((driver, pool, devices[-1]))
                number += 1
            cut = rng.randint(0, len(devices))
            parts = [p for p in (devices[:cut], devices[cut:]) if p]
            counters = "counters" in self.on
            total = len(parts) + counters + (1 if self.has("incomplete", .5) else 0)
            spec = {"driver": driver, "pool": {"name": pool, "generation": 2, "resourceSliceCount": total}}
            for i, part in enumerate(parts):
                s = dict(spec, devices=part)
                if self.has("per_device", .7):
                    s["perDeviceNodeSelection"] = True
                    for d in part:
                        d.update(self.placed())
                else:
                    s.update(self.placed())
                if self.has("skip", .7):
                    s["skipNodeOperations"] = self.pick(["NodePrepareResources", "NodeUnprepareResources"],
                                                        ["NodePrepareResources"], ["NodeUnprepareResources"])
                out.append({"metadata": {"name": "%s-%s-%d" % (driver[:3], pool, i)}, "spec": s})
            if counters:
                sets = [{"name": "s%d" % i, "counters": {c: {"value": str(rng.randint(2, 6))} for c in "uv"}}
                        for i in range(self.sets)]
                out.append({"metadata": {"name": "%s-%s-c" % (driver[:3], pool)},
                            "spec": dict(spec, nodeName="n1", sharedCounters=sets)})
            if self.has("generations", .6):
                old = dict(spec, pool=dict(spec["pool"], generation=rng.choice([1, 3])), nodeName="n1",
                           devices=[dict(self.device("d%02d" % number))])
                out.append({"metadata": {"name": "%s-%s-o" % (driver[:3], pool)}, "spec": old})
            if self.has("invalid", .7) and out[-1]["spec"].get("devices"):
                out[-1]["spec"]["devices"] = out[-1]["spec"]["devices"] * 2
        if "shuffled" in self.on:
            rng.shuffle(out)
        return out

    def selectors(self):
        rng, d = self.rng, self.rng.choice(self.drivers)
        a = 'device.attributes["%s"]' % d
        if rng.random() < (.75 if "easy" in self.on else .4):
            return []
        text = rng.choice([
            "%s.numa == %d" % (a, rng.randint(0, 2)), '%s.kind == "%s"' % (a, rng.choice("ab")),
            "%s.x < %d" % (a, rng.randint(1, 3)), "%s.?x.orValue(0) > 0" % a, "has(%s.numa)" % a,
            '%s.v.isGreaterThan(semver("1.1.0"))' % a, 'device.driver == "%s"' % d,
            'device.capacity["%s"].mem.compareTo(quantity("%d")) >= 0' % (d, rng.choice([3, 4, 6])),
            "device.allowMultipleAllocations == %s" % rng.choice(["true", "false"]),
            '%s.l.includes("p")' % a if "lists" in self.on else '%s.l == "p"' % a])
        return [{"cel": {"expression": text}}]

    def request(self, sub=False):
        rng = self.rng
        r = {"deviceClassName": rng.choice(["c", "c", "k"]) if "several_classes" in self.on else "c",
             "allocationMode": "ExactCount", "count": rng.choice([1, 1, 1, 1, 1, 2] if "easy" in self.on else [1, 1, 2, 2, 3])}
        selectors = self.selectors()
        if selectors:
            r["selectors"] = selectors
        if self.has("all", .3):
            r["allocationMode"] = "All"
            del r["count"]
        if not sub and self.has("admin", .35):
            r["adminAccess"] = True
        if ("taints" in self.on or "rules" in self.on) and rng.random() < .4:
            r["tolerations"] = [self.pick({"key": rng.choice("kt"), "operator": "Exists"}, {"operator": "Exists"},
                                          {"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"})]
        if ("multi" in self.on or "capacity" in self.on) and rng.random() < .4:
            wants = {"mem": rng.choice(["1", "2", "3", "4", "250m"] if "fractions" in self.on else list("1234"))}
            if rng.random() < .1:
                wants["bw"] = "3"
            r["capacity"] = {"requests": wants}
        if self.has("derived", .4):
            d = rng.choice(self.drivers)
            r["derivedAttributes"] = [{"name": DRIVERS[0] + "/d", "expression": self.pick(
                'device.attributes["%s"].numa %% 2' % d, 'device.attributes["%s"].kind + "z"' % d,
                'string(device.attributes["%s"].?x.orValue(9))' % d)}]
        return r

    def claim(self, number):
        rng, requests, names = self.rng, [], []
        for i in range(rng.choice([1, 1, 2] if "easy" in self.on else [1, 2, 3])):
            name = "r%d" % i
            if self.has("first", .5):
                subs = [dict(self.request(True), name="s%d" % k) for k in range(rng.randint(1, 3))]
                requests.append({"name": name, "firstAvailable": subs})
                names += [name] + [name + "/" + s["name"] for s in subs]
            else:
                requests.append({"name": name, "exactly": self.request()})
                names.append(name)
        devices = {"requests": requests}
        constraints = []
        for _ in range(rng.choice([0, 0, 0, 1] if "easy" in self.on else [0, 0, 1, 1, 2])):
            name = DRIVERS[0] + "/" + ("d" if self.has("derived", .5) else rng.choice(NAMES))
            c = {rng.choice(["matchAttribute", "matchAttribute", "distinctAttribute"]): name}
            if rng.random() < .4:
                c["requests"] = rng.sample(names, rng.randint(1, min(3, len(names))))
            constraints.append(c)
        if constraints:
            devices["constraints"] = constraints
        if self.has("config", .7):
            config = {"opaque": {"driver": rng.choice(self.drivers), "parameters": {"a": number}}}
            if rng.random() < .5:
                config["requests"] = rng.sample(names, 1)
            devices["config"] = [config]
        return {"metadata": {"name": "c%d" % number, "namespace": "ns"}, "spec": {"devices": devices}}

    def held(self):
        out = []
        for i, (driver, pool, d) in enumerate(self.rng.sample(self.devices, min(len(self.devices), self.rng.randint(1, 3)))):
            result = {"request": "r", "driver": driver, "pool": pool, "device": d["name"]}
            if d.get("allowMultipleAllocations"):
                result["shareID"] = "00000000-0000-4000-8000-%012d" % i
                if d.get("capacity") and self.rng.random() < .9:
                    result["consumedCapacity"] = {"mem": str(self.rng.randint(1, 3))}
            if self.rng.random() < .1:
                result["adminAccess"] = True
            out.append({"metadata": {"name": "h%d" % i, "namespace": "ns"}, "spec": {"devices": {}},
                        "status": {"allocation": {"devices": {"results": [result]}}}})
        return out

    def draw_gates(self):
        gates = {}
        if "lists" in self.on:
            gates["DRAListTypeAttributes"] = True
        if "groups" in self.on:
            gates["DRADeviceCompatibilityGroups"] = True
        if "skip" in self.on:
            gates["DRAOptionalNodeOperations"] = True
        if "derived" in self.on:
            gates["DRADerivedAttributes"] = True
        if "rules" in self.on:
            gates["DRADeviceTaintRules"] = True
        if "gates" in self.on:
            for name in GATES:
                if self.rng.random() < .2 and name not in ("DRAAdminAccess", "DRAPrioritizedList"):
                    gates[name] = self.rng.random() < .3
        return gates

    def line(self):
        rng = self.rng
        slices, node = self.slices(), dict(NODE)
        if self.has("skip", .7):
            node["status"] = {"declaredFeatures": ["DRAOptionalNodeOperations"]}
        classes = [{"metadata": {"name": "c"}, "spec": {"selectors": [
            {"cel": {"expression": 'device.driver.endsWith("example.com")'}}]}},
            {"metadata": {"name": "k"}, "spec": {"selectors": self.selectors()}}]
        if "config" in self.on:
            classes[0]["spec"]["config"] = [{"opaque": {"driver": rng.choice(self.drivers), "parameters": {"c": 1}}}]
        line = {"id": self.number, "version": self.version, "gates": self.gates, "node": node,
                "classes": classes, "slices": slices,
                "claims": [self.claim(i) for i in range(rng.choice([1, 1, 2] if "easy" in self.on else [1, 2, 3]))],
                "allocated": self.held() if "held" in self.on else [], "deadlineMs": 1500}
        if "rules" in self.on:
            where = self.pick({"driver": self.drivers[0]}, {"device": "d00"}, {"pool": "p0", "driver": self.drivers[0]})
            line["rules"] = [{"metadata": {"name": "r"}, "spec": {"deviceSelector": where, "taint": {
                "key": rng.choice("kt"), "effect": rng.choice(["NoSchedule", "NoExecute", "None"])}}}]
        return line


# Behind these words the compiler's or the library's own text follows.
QUOTES = re.compile(r"(CEL compile error|CEL runtime error|derived attribute \S+ (?:on device \S+ )?failed|"
                    r"parse node selector|invalid feature gates).*", re.S)


def plain(error):
    return error and QUOTES.sub(r"\1", error)


def overlooked(line):
    """Mode All beside devices whose gate is off: Kubernetes counts them and then can't take them
    (docs/decisions/0001)."""
    off = line["version"] in ("1.34", "1.35") or line["gates"].get("DRAPartitionableDevices") is False
    text = json.dumps(line)
    return off and '"All"' in text and "consumesCounters" in text


def differs(line, want, got):
    if "aborted" in (want.get("error") or "") or overlooked(line):
        return None
    out = ["error"] if plain(want.get("error")) != plain(got.get("error")) else []
    return out + [k for k in ("fits", "allocations") if json.dumps(want.get(k), sort_keys=True)
                  != json.dumps(got.get(k), sort_keys=True)]


def main():
    args = both.arguments(20000)
    both.compare(args, "alloc", [], lambda rng, number: Cluster(rng, number).line(), differs)


if __name__ == "__main__":
    sys.exit(main())
