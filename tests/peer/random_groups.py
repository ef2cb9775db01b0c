#!/usr/bin/env python3
"""Random Pod groups on crowded nodes against kube-scheduler's own cycles.

    tests/peer/random_groups.py --oracle DIR/plan-oracle --dray build/dray --count 20000 --seed 7 --jobs 12

Each case has running Pods, some of them in groups, and a group (or one Pod) that waits, tried once. Compared are,
group by group, how many Pods found a node, and the texts of the others; and who is preempted. --count is the number
of waiting Pods.
"""
import json
import random
import sys

import both
import random_plans

GATES = ("GenericWorkload", "DRAWorkloadResourceClaims", "TopologyAwareWorkloadScheduling", "CompositePodGroup",
         "PodGroupPreemptionPolicy", "DRANodeAllocatableResources")
DRIVER = random_plans.DRIVER


class Groups(random_plans.World):
    def __init__(self, rng, gates):
        super().__init__(rng, gates["DRANodeAllocatableResources"])
        self.nodes = rng.randint(1, 5)
        self.gates = gates
        self.composites = []

    def meta(self, name):
        return {"name": name, "namespace": "default", "uid": "uid-" + name}

    def device(self, i):
        device = {"name": "d%d" % i}
        if self.gates["DRANodeAllocatableResources"] and self.chance(.6):
            device["nodeAllocatableResources"] = {"cpu": {"mapping": {"deviceMultiplier": self.pick("1", "2")}}
                                                  if self.chance(.7) else {"overhead": {"perPod": "500m"}}}
        return device

    def node(self, k):
        labels = {"kubernetes.io/hostname": "n%d" % k}
        if self.chance(.85):
            labels["rack"] = self.pick("r1", "r2")
        if self.chance(.85):
            labels["zone"] = self.pick("z1", "z2")
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n%d" % k, "labels": labels}, "spec": {},
                "status": {"allocatable": {"cpu": self.pick("2", "4"), "memory": "8Gi", "pods": self.pick("3", "10")}}}
        if self.chance(.1):
            node["spec"]["taints"] = [{"key": "k", "value": "v", "effect": "NoSchedule"}]
        return node

    def policy(self, gang, mode=None):
        spec = {"schedulingPolicy": {"gang": gang} if gang else {"basic": {}}, "priority": self.priority}
        if mode:
            spec["disruptionMode"] = {mode: {}}
        if self.gates["PodGroupPreemptionPolicy"] and self.chance(.3):
            spec["preemptionPolicy"] = self.pick("Never", "PreemptLowerPriority")
        if self.gates["TopologyAwareWorkloadScheduling"] and self.chance(.5):
            spec["schedulingConstraints"] = {"topology": [{"key": self.pick("rack", "zone")}]}
        return spec

    def group(self, name, members, parent=None):
        gang = {"minCount": max(1, members - self.pick(0, 0, 0, 1, -1))} if self.chance(.8) else None
        spec = self.policy(gang, self.pick(None, None, "all", "single"))
        if parent:
            spec["parentCompositePodGroupName"] = parent
            spec.pop("schedulingConstraints", None) if self.chance(.6) else None
        return {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": self.meta(name), "spec": spec}

    def member(self, name, group, cpu, priority):
        spec = {"schedulerName": "default-scheduler", "priority": priority,
                "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}
        if group:
            spec["schedulingGroup"] = {"podGroupName": group}
        return {"apiVersion": "v1", "kind": "Pod", "spec": spec, "metadata": dict(
            self.meta(name), labels={"app": self.pick("a", "b")})}

    def running(self):
        self.priority = self.pick(0, 1, 5, 9)
        name, members = "old%d" % self.serial, self.rng.randint(1, 3)
        self.serial += 1
        grouped = self.chance(.5)
        own = None if grouped and self.chance(.7) else self.pick(0, 1, 5, 9)
        if grouped:
            yield self.group(name, members)
        for i in range(members):
            pod = self.member("%s-%d" % (name, i), name if grouped else None, self.pick("1", "1", "2", "500m"),
                              self.priority if own is None else own)
            pod["spec"]["nodeName"] = "n%d" % self.rng.randint(0, self.nodes - 1)
            if self.chance(.6):
                pod["status"] = {"startTime": "2026-01-0%dT00:00:00Z" % self.rng.randint(1, 9)}
            if self.chance(.05):
                pod["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z", deletionGracePeriodSeconds=30)
                if self.chance(.6):
                    pod.setdefault("status", {})["conditions"] = [
                        {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]
            yield pod

    def one_claim(self, name, group=None):
        requests = [{"name": "r", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount",
                                              "count": self.pick(1, 1, 2)}}]
        claim = self.resource("ResourceClaim", name, "default", spec={"devices": {"requests": requests}})
        if self.chance(.15):
            node = "n%d" % self.rng.randint(0, self.nodes)
            claim["status"] = {"allocation": {
                "devices": {"results": [{"request": "r", "driver": DRIVER, "pool": node, "device": "d0"}]},
                "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
                    {"key": "metadata.name", "operator": "In", "values": [node]}]}]}}}
            if self.chance(.5):
                claim["status"]["reservedFor"] = [
                    {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": group, "uid": "uid-" + group}
                    if group and self.chance(.7) else {"resource": "pods", "name": "x", "uid": "u"}]
        return claim

    def members(self, group, cpu):
        """The Pods of a group that waits; its claims."""
        policy = "Never" if self.chance(.1) else None
        shared = self.chance(.2) and self.gates["DRAWorkloadResourceClaims"]
        # Kubernetes gives devices twice where such a group is tried in several places (docs/decisions/0001).
        if shared and self.gates["TopologyAwareWorkloadScheduling"]:
            shared = not self.gates["CompositePodGroup"]
        plain = shared and self.gates["TopologyAwareWorkloadScheduling"]
        own, extended, spread = self.chance(.25), self.chance(.1), self.chance(.1)
        near = self.pick("podAffinity", "podAntiAffinity") if self.chance(.15) else None
        topology = self.pick("rack", "zone", "kubernetes.io/hostname")
        if shared:
            group["spec"]["resourceClaims"] = [{"name": "x", "resourceClaimName": group["metadata"]["name"] + "-c"}]
            yield self.one_claim(group["metadata"]["name"] + "-c", group["metadata"]["name"])
        for i in range(self.count):
            name = "%s-%d" % (group["metadata"]["name"], i)
            pod = self.member(name, group["metadata"]["name"], cpu,
                              self.priority if self.chance(.97) else 3)
            if policy:
                pod["spec"]["preemptionPolicy"] = policy
            if shared:
                pod["spec"]["resourceClaims"] = [{"name": "x", "resourceClaimName": group["metadata"]["name"] + "-c"}]
            if own and not plain:
                pod["spec"].setdefault("resourceClaims", []).append({"name": "o", "resourceClaimName": name + "-o"})
                yield self.one_claim(name + "-o")
            if self.chance(.05):
                pod["spec"]["nodeSelector"] = {"zone": "z1"}
            if extended and not plain:
                limits = {"example.com/gpu": self.pick("1", "1", "2")}
                pod["spec"]["containers"][0]["resources"]["requests"].update(limits)
                pod["spec"]["containers"][0]["resources"]["limits"] = limits
            if near:
                pod["spec"]["affinity"] = {near: {"requiredDuringSchedulingIgnoredDuringExecution": [
                    {"topologyKey": topology, "labelSelector": {"matchLabels": {"app": "a"}}}]}}
            if spread:
                pod["spec"]["topologySpreadConstraints"] = [
                    {"maxSkew": 1, "topologyKey": topology, "whenUnsatisfiable": "DoNotSchedule",
                     "labelSelector": {"matchLabels": {"app": "a"}}}]
            if self.chance(.04):
                pod["status"] = {"nominatedNodeName": "n%d" % self.rng.randint(0, self.nodes - 1)}
            if self.chance(.1):
                pod["spec"]["tolerations"] = [{"operator": "Exists"}]
            yield pod

    def composite(self, name, parent=None):
        spec = self.policy({"minGroupCount": self.pick(1, 2)} if self.chance(.7) else None,
                           self.pick(None, None, "all", "single"))
        if parent:
            spec["parentCompositePodGroupName"] = parent
        return {"apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "CompositePodGroup", "metadata": self.meta(name),
                "spec": spec}

    def waiting(self):
        self.priority = 6
        if self.chance(.15):
            yield self.member("new0-0", None, self.pick("1", "2", "4"), self.priority)
            return
        parent = None
        tree = 1
        if self.gates["CompositePodGroup"] and self.chance(.5):
            parent = "top"
            yield self.composite(parent)
            tree = self.pick(1, 2, 2, 3)
        for t in range(tree):
            self.count = self.rng.randint(1, 3)
            group = self.group("new%d" % t, self.count, parent)
            cpu = self.pick("1", "2", "500m", "4")
            pods = list(self.members(group, cpu))
            yield group
            yield from pods

    def objects(self):
        self.serial = 0
        out = [self.node(k) for k in range(self.nodes)]
        out += [self.resource("DeviceClass", "gpu", spec={"extendedResourceName": "example.com/gpu"})]
        for k in range(self.nodes):
            if self.chance(.7):
                devices = [self.device(i) for i in range(self.rng.randint(1, 3))]
                out.append(self.resource("ResourceSlice", "s%d" % k, spec={
                    "driver": DRIVER, "nodeName": "n%d" % k, "devices": devices,
                    "pool": {"name": "n%d" % k, "generation": 1, "resourceSliceCount": 1}}))
        for _ in range(self.rng.randint(0, 5)):
            out += list(self.running())
        if self.chance(.3):
            out.append({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {
                "name": "pdb", "namespace": "default"}, "spec": {"selector": {"matchLabels": {"app": "a"}}},
                        "status": {"disruptionsAllowed": self.rng.randint(0, 2)}})
        out += list(self.waiting())
        return out


def make(rng, number):
    on = rng.random()
    gates = {g: False for g in GATES}
    gates["GenericWorkload"] = True
    gates["DRAWorkloadResourceClaims"] = rng.random() < .6
    gates["TopologyAwareWorkloadScheduling"] = on < .6
    gates["CompositePodGroup"] = on < .3
    gates["DRANodeAllocatableResources"] = rng.random() < .25
    gates["PodGroupPreemptionPolicy"] = rng.random() < .3
    return {"id": number, "version": "1.37", "gates": gates, "once": True, "objects": Groups(rng, gates).objects()}


def by_group(pods):
    """How many of each group are placed, and the texts of the others, in no order."""
    groups = {}
    for p in pods:
        placed, texts = groups.setdefault(p["name"].rsplit("-", 1)[0], [0, []])
        if p.get("node"):
            groups[p["name"].rsplit("-", 1)[0]][0] = placed + 1
        else:
            texts.append(p.get("message") or "")
    return {k: [n, sorted(texts)] for k, (n, texts) in groups.items()}


def differs(line, want, got):
    if "error" in want or "error" in got:
        return [] if ("error" in want) == ("error" in got) else ["error"]
    gated = {p["name"].rsplit("-", 1)[0] for p in want["run"]["pods"] if not p.get("node") and not p.get("message")}
    a, b = ({k: v for k, v in by_group(pods).items() if k not in gated} for pods in (want["run"]["pods"], got["pods"]))
    out = ["%s: %s" % (k, what) for k in sorted(a.keys() | b.keys())
           for what, x, y in zip(("placed", "texts"), a.get(k, [0, []]), b.get(k, [0, []])) if x != y]
    going = {"default/" + o["metadata"]["name"] for o in line["objects"] if "deletionTimestamp" in o["metadata"]}
    victims = [[v for v in answer.get("victims", []) if v not in going] for answer in (want["run"], got)]
    return out + (["victims"] if victims[0] != victims[1] else [])


def renamed(line):
    """The same with the nodes' names exchanged: of equal nodes Kubernetes takes the first that comes along."""
    names = ["n%d" % k for k in range(6)]
    text = json.dumps(line)
    for name, other in zip(names, random.sample(names, len(names))):
        text = text.replace('"%s"' % name, '"=%s"' % other)
    return json.loads(text.replace('"=', '"'))


def main():
    args = both.arguments(20000)
    both.compare(args, "plan-run", ["-run"], make, differs, lambda want: len(want.get("run", {}).get("pods", [])),
                 renamed)


if __name__ == "__main__":
    sys.exit(main())
