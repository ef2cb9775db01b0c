#!/usr/bin/env python3
"""Random clusters and pending Pods against kube-scheduler's framework.

    tests/peer/random_plans.py --oracle DIR/plan-oracle --dray build/dray --count 20000 --seed 7 --jobs 12

Every case asks for all its pending Pods where each could go: feasible nodes, the reasons of the others, what
preemption cannot help, scores, the best nodes and the FailedScheduling text. --count is the number of Pods. Where an
attempt ends with an error, the peer may name several nodes' errors; any of them is right.
"""
import sys

import both

DRIVER = "gpu.example.com"
ZONE = {"key": "zone", "operator": "In", "values": ["z1"]}


class World:
    def __init__(self, rng, takes=False):
        self.rng = rng
        self.nodes = rng.randint(1, 6)
        self.claims = []
        self.takes = takes
        self.calm = takes and self.chance(.5)  # nothing but devices is in the way

    def pick(self, *items):
        return self.rng.choice(items)

    def chance(self, p):
        return self.rng.random() < p

    def label_selector(self):
        return self.pick({}, {"matchLabels": {"app": self.pick("a", "b")}},
                         {"matchExpressions": [{"key": "app", "operator": self.pick("In", "NotIn"),
                                                "values": [self.pick("a", "b", "c")]}]},
                         {"matchExpressions": [{"key": self.pick("app", "tier"),
                                                "operator": self.pick("Exists", "DoesNotExist")}]})

    def pod_term(self):
        term = {"topologyKey": self.pick("zone", "kubernetes.io/hostname", "rack"),
                "labelSelector": self.label_selector()}
        if self.chance(.2):
            term["namespaces"] = ["default"]
        if self.chance(.15):
            term["namespaceSelector"] = self.pick({}, {"matchLabels": {"team": "x"}})
        return term

    def node(self, k):
        n = {"apiVersion": "v1", "kind": "Node", "spec": {},
             "metadata": {"name": "n%d" % k, "labels": {"kubernetes.io/hostname": "n%d" % k,
                                                        "num": str(self.rng.randint(0, 6))}},
             "status": {"allocatable": {"cpu": self.pick("2", "4", "8"), "memory": self.pick("4Gi", "8Gi"),
                                        "pods": self.pick("3", "10"), "ephemeral-storage": "10Gi"}}}
        labels, spec, have = n["metadata"]["labels"], n["spec"], n["status"]["allocatable"]
        if self.calm:
            have.update({"cpu": self.pick("8", "64"), "memory": self.pick("8Gi", "256Gi"), "hugepages-2Mi": "2Gi",
                         "ephemeral-storage": "2Ti"})
            return n
        if self.chance(.9):
            labels["zone"] = "z%d" % self.rng.randint(1, 3)
        if self.chance(.5):
            labels["rack"] = self.pick("r1", "r2")
        if self.chance(.5):
            labels["disk"] = "ssd"
        if self.chance(.15):
            spec["unschedulable"] = True
        if self.chance(.35):
            spec["taints"] = [{"key": "k", "value": self.pick("v", "w"),
                               "effect": self.pick("NoSchedule", "PreferNoSchedule", "NoExecute")}
                              for _ in range(self.pick(1, 1, 2))]
        if self.chance(.1):
            spec["taints"] = [{"key": "num", "value": str(self.rng.randint(0, 9)), "effect": "NoSchedule"}]
        if self.takes and self.chance(.7):
            have["hugepages-2Mi"] = self.pick("4Mi", "64Mi", "2Gi")
        if self.chance(.3):
            have["example.com/foo"] = str(self.rng.randint(0, 4))
        if self.chance(.2):
            have["example.com/gpu"] = str(self.rng.randint(0, 3))
        if self.chance(.3):
            n["status"]["images"] = [{"names": [self.pick("i:latest", "i:1", "big/i:latest")],
                                      "sizeBytes": self.rng.randint(10**7, 2 * 10**9)}]
        return n

    def device(self, j):
        d = {"name": "d%d" % j, "attributes": {"model": {"string": self.pick("a", "b")}, "idx": {"int": j}},
             "capacity": {"memory": {"value": self.pick("16Gi", "40Gi", "80Gi")}}}
        if self.chance(.1):
            d["taints"] = [{"key": "x", "effect": self.pick("NoSchedule", "NoExecute")}]
        if self.chance(.12):
            d["allowMultipleAllocations"] = True
        if self.takes and self.chance(.6):
            d["nodeAllocatableResources"] = {name: self.taken() for name in self.rng.sample(
                ["cpu", "memory", "hugepages-2Mi", "ephemeral-storage"], self.pick(1, 1, 2))}
        if self.chance(.06):
            d["bindingConditions"], d["bindingFailureConditions"] = ["b.c/ready"], ["b.c/failed"]
        return d

    def taken(self):
        """What a device takes of its node's own."""
        out = {}
        if self.chance(.75):
            out["mapping"] = ({"capacityKey": "memory", "capacityMultiplier": self.pick("1", "2", "500m")}
                              if self.chance(.3) else {"deviceMultiplier": self.pick("1", "2", "500m", "1Gi")})
        if self.chance(.4) or not out:
            out["overhead"] = {k: self.pick("1", "100m", "64Mi") for k in self.rng.sample(
                ["perPod", "perContainer"], self.pick(1, 2))}
        return out

    def slices(self):
        spec = {"driver": DRIVER}
        for k in range(self.nodes):
            if not self.chance(.7):
                continue
            s = dict(spec, nodeName="n%d" % k,
                     pool={"name": "n%d" % k, "generation": 1, "resourceSliceCount": 1 if self.chance(.95) else 2},
                     devices=[self.device(j) for j in range(self.rng.randint(1, 4))])
            if self.chance(.2):
                use = [{"counterSet": "c", "counters": {"m": {"value": str(self.rng.randint(1, 2))}}}]
                s["devices"] = [dict(d, consumesCounters=use) for d in s["devices"]]
                s["pool"]["resourceSliceCount"] += 1
                counters = {k: v for k, v in s.items() if k != "devices"}
                counters["sharedCounters"] = [{"name": "c", "counters": {"m": {"value": str(self.rng.randint(1, 4))}}}]
                yield self.resource("ResourceSlice", "t-n%d" % k, spec=counters)
            yield self.resource("ResourceSlice", "s-n%d" % k, spec=s)
        if self.chance(.15):
            where = self.pick({"allNodes": True},
                              {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [ZONE]}]}})
            yield self.resource("ResourceSlice", "net", spec=dict(
                spec, pool={"name": "net", "generation": 1, "resourceSliceCount": 1}, devices=[self.device(0)], **where))

    @staticmethod
    def resource(kind, name, namespace=None, **more):
        meta = {"name": name}
        if namespace:
            meta["namespace"] = namespace
        return dict({"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": meta}, **more)

    def exactly(self):
        e = {"deviceClassName": "missing" if self.chance(.02) else self.pick("gpu-a", "gpu-b"),
             "allocationMode": "ExactCount", "count": self.rng.randint(1, 3)}
        if self.chance(.15):
            e["allocationMode"] = "All"
            del e["count"]
        if self.chance(.4):
            e["selectors"] = [{"cel": {"expression": self.pick(
                "device.attributes['%s'].model == 'a'" % DRIVER, "device.attributes['%s'].idx < 2" % DRIVER,
                "device.capacity['%s'].memory.compareTo(quantity('40Gi')) >= 0" % DRIVER,
                "has(device.attributes['%s'].zzz)" % DRIVER,
                "device.attributes['%s'].zzz == 1" % DRIVER if self.chance(.2) else "true")}}]
        if self.chance(.2):
            e["tolerations"] = [{"operator": "Exists"}]
        if self.chance(.1):
            e["capacity"] = {"requests": {"memory": self.pick("1Gi", "40Gi")}}
        return e

    def claim_spec(self):
        requests = []
        for i in range(self.rng.randint(1, 2)):
            if self.chance(.3):
                requests.append({"name": "r%d" % i, "firstAvailable": [
                    dict(self.exactly(), name="s%d" % k) for k in range(self.rng.randint(1, 3))]})
            else:
                requests.append({"name": "r%d" % i, "exactly": self.exactly()})
        devices = {"requests": requests}
        if self.chance(.2):
            devices["constraints"] = [{self.pick("matchAttribute", "distinctAttribute"): DRIVER + "/model"}]
        return {"devices": devices}

    def claim(self, k):
        c = self.resource("ResourceClaim", "c%d" % k, "default", spec=self.claim_spec())
        if self.chance(.25):
            first = c["spec"]["devices"]["requests"][0]
            name, node = first["name"], "n%d" % self.rng.randint(0, self.nodes)
            if "firstAvailable" in first:
                name += "/" + first["firstAvailable"][0]["name"]
            result = {"request": name, "driver": DRIVER, "pool": node, "device": "d0"}
            fields = [{"key": "metadata.name", "operator": "In", "values": [node]}]
            c["status"] = {"allocation": {"devices": {"results": [result]},
                                          "nodeSelector": {"nodeSelectorTerms": [{"matchFields": fields}]}}}
            if self.chance(.5):
                c["status"]["reservedFor"] = [{"resource": "pods", "name": "x", "uid": "u"}]
        if self.chance(.04):
            c["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z", finalizers=["a/b"])
        self.claims.append("c%d" % k)
        return c

    def container(self, name):
        want = {}
        c = {"name": name, "image": self.pick("i", "i:1", "big/i"), "resources": {"requests": want}}
        for p, key, values in ((.8, "cpu", ("100m", "500m", "1", "2", "3")), (.7, "memory", ("64Mi", "1Gi", "2Gi", "3Gi")),
                               (.1, "ephemeral-storage", ("1Gi", "20Gi")), (.1, "example.com/foo", tuple("0123"))):
            if self.chance(p):
                want[key] = self.pick(*values)
        if self.chance(.12):
            want[self.pick("example.com/gpu", "deviceclass.resource.kubernetes.io/gpu-a",
                           "deviceclass.resource.kubernetes.io/none")] = self.pick("1", "2")
        if self.takes and self.chance(.3):
            want["hugepages-2Mi"] = self.pick("2Mi", "4Mi", "32Mi")
        c["resources"]["limits"] = {k: v for k, v in want.items() if "/" in k or "huge" in k}
        if self.chance(.3):
            c["resources"] = {"limits": dict(want)}
        if self.chance(.1):
            c["ports"] = [{"containerPort": 80, "hostPort": self.pick(80, 81)}]
            if self.chance(.5):
                c["ports"][0]["protocol"] = self.pick("TCP", "UDP")
            if self.chance(.5):
                c["ports"][0]["hostIP"] = self.pick("10.0.0.1", "0.0.0.0")
        return c

    def init_container(self, name):
        want = {"cpu": self.pick("1", "2", "4")}
        if self.chance(.3):
            want["example.com/gpu"] = self.pick("1", "2", "3")
        c = {"name": name, "image": "i", "resources": {"requests": want,
                                                       "limits": {k: v for k, v in want.items() if "/" in k}}}
        if self.chance(.5):
            c["restartPolicy"] = "Always"
        return c

    def node_affinity(self):
        out = {}
        if self.chance(.6):
            out["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": self.pick("In", "NotIn"),
                                  "values": ["n%d" % self.rng.randint(0, 5)]}]} if self.chance(.3) else
                {"matchExpressions": [self.pick(
                    {"key": "zone", "operator": self.pick("In", "NotIn"), "values": ["z1"]},
                    {"key": "num", "operator": self.pick("Gt", "Lt"), "values": [str(self.rng.randint(0, 5))]},
                    {"key": "disk", "operator": self.pick("Exists", "DoesNotExist")})]}
                for _ in range(self.rng.randint(1, 2))]}
        if self.chance(.6):
            out["preferredDuringSchedulingIgnoredDuringExecution"] = [
                {"weight": self.rng.randint(1, 100), "preference": {"matchExpressions": [
                    {"key": "zone", "operator": "In", "values": [self.pick("z1", "z2", "z3")]}]}}
                for _ in range(self.rng.randint(1, 2))]
        return out

    def affinity(self):
        out = {}
        if self.chance(.25):
            out["nodeAffinity"] = self.node_affinity()
        for key in ("podAffinity", "podAntiAffinity"):
            part = {}
            if self.chance(.1):
                part["requiredDuringSchedulingIgnoredDuringExecution"] = [
                    self.pod_term() for _ in range(self.rng.randint(1, 2))]
            if self.chance(.1):
                part["preferredDuringSchedulingIgnoredDuringExecution"] = [
                    {"weight": self.rng.randint(1, 100), "podAffinityTerm": self.pod_term()}]
            if part:
                out[key] = part
        return {k: v for k, v in out.items() if v}

    def spread(self):
        out = []
        for key in self.rng.sample(["zone", "kubernetes.io/hostname", "rack"], self.rng.randint(1, 2)):
            c = {"maxSkew": self.rng.randint(1, 2), "topologyKey": key, "labelSelector": self.label_selector(),
                 "whenUnsatisfiable": self.pick("DoNotSchedule", "ScheduleAnyway")}
            if self.chance(.3):
                c["nodeTaintsPolicy"] = "Honor"
            if self.chance(.3):
                c["nodeAffinityPolicy"] = "Ignore"
            if self.chance(.3):
                c["matchLabelKeys"] = ["tier"]
            if c["whenUnsatisfiable"] == "DoNotSchedule" and self.chance(.3):
                c["minDomains"] = self.rng.randint(1, 4)
            out.append(c)
        return out

    def toleration(self):
        return self.pick({"key": "k", "operator": "Exists"}, {"operator": "Exists"},
                         {"key": "k", "operator": "Equal", "value": self.pick("v", "w"),
                          "effect": self.pick("NoSchedule", "PreferNoSchedule", "NoExecute")},
                         {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"},
                         {"key": "num", "operator": self.pick("Lt", "Gt"), "value": str(self.rng.randint(0, 9)),
                          "effect": "NoSchedule"})

    def pod_spec(self):
        s = {"schedulerName": "default-scheduler",
             "containers": [self.container("c%d" % i) for i in range(self.pick(1, 1, 2))]}
        optional = ((.2, "initContainers", lambda: [self.init_container("i%d" % i) for i in range(self.pick(1, 2))]),
                    (.15, "nodeSelector", lambda: {self.pick("zone", "disk"): self.pick("z1", "z2", "ssd")}),
                    (1, "affinity", self.affinity),
                    (.3, "tolerations", lambda: [self.toleration() for _ in range(self.pick(1, 2))]),
                    (.25, "topologySpreadConstraints", self.spread),
                    (.4, "priority", lambda: self.pick(0, 5, 10, 100)), (.05, "preemptionPolicy", lambda: "Never"),
                    (.1, "resources", lambda: {"requests": {"cpu": self.pick("1", "4"), "memory": self.pick("1Gi", "4Gi")}}),
                    (.05, "schedulingGates", lambda: [{"name": "a"}]), (.05, "overhead", lambda: {"cpu": "250m"}))
        if self.calm:
            optional = ((.3, "initContainers", lambda: [self.init_container("i%d" % i) for i in range(self.pick(1, 2))]),
                        (.6, "resources", self.whole))
        for p, key, make in optional:
            if self.chance(p):
                s[key] = make()
        return s

    def whole(self):
        """Of the Pod as a whole."""
        out = {}
        for key in self.rng.sample(["requests", "limits"], self.pick(1, 2)):
            out[key] = {name: value for name, value in (("cpu", self.pick("4", "8")), ("memory", self.pick("8Gi", "16Gi")))
                        if self.chance(.7)}
        if self.chance(.5):
            for part in out.values():
                part["hugepages-2Mi"] = self.pick("8Mi", "64Mi", "1Gi")
        return out

    def pod(self, k):
        p = {"apiVersion": "v1", "kind": "Pod", "spec": self.pod_spec(), "metadata": {
            "name": "p%d" % k, "namespace": self.pick("default", "default", "default", "other"),
            "labels": {"app": self.pick("a", "b")}}}
        meta, spec = p["metadata"], p["spec"]
        if self.chance(.4):
            meta["labels"]["tier"] = self.pick("1", "2")
        if self.chance(.4):
            spec["nodeName"] = "n%d" % self.rng.randint(0, self.nodes - 1)
            if self.chance(.1):
                meta.update(deletionTimestamp="2026-01-01T00:00:00Z", deletionGracePeriodSeconds=30)
            if self.chance(.5):
                # Of Pods that started at once either may go.
                p["status"] = {"startTime": "2026-01-0%dT%02d:%02d:00Z" % (
                    self.rng.randint(1, 9), self.rng.randint(0, 23), k)}
            return p
        if self.claims and self.chance(.9 if self.calm else .5):
            meta["namespace"] = "default"
            spec["resourceClaims"] = [{"name": "x%d" % j, "resourceClaimName": c} for j, c in enumerate(
                self.rng.sample(self.claims, self.rng.randint(1, len(self.claims))))]
        for c in spec["containers"] if self.takes else ():
            named = [{"name": r["name"]} for r in spec.get("resourceClaims", ()) if self.chance(.6)]
            if named:
                c["resources"]["claims"] = named
        if self.takes and not self.calm and "resources" in spec and self.chance(.5):
            amount = self.pick("4Mi", "64Mi")
            spec["resources"]["requests"]["hugepages-2Mi"] = amount
            spec["resources"]["limits"] = {"hugepages-2Mi": amount}
        if self.chance(.06):
            p["status"] = {"nominatedNodeName": "n%d" % self.rng.randint(0, self.nodes - 1)}
        if self.chance(.3):
            meta["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "rsu",
                                        "controller": True}]
        return p

    def objects(self):
        rng = self.rng
        out = [self.node(k) for k in range(self.nodes)] + list(self.slices())
        cel = {"expression": "device.driver == '%s'" % DRIVER}
        a = {"selectors": [{"cel": cel}]}
        if self.chance(.6):
            a["extendedResourceName"] = "example.com/gpu"
        b = {"selectors": [{"cel": {"expression": "device.attributes['%s'].model == 'a'" % DRIVER}}]}
        out += [self.resource("DeviceClass", "gpu-a", spec=a), self.resource("DeviceClass", "gpu-b", spec=b),
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default", "labels": {
                    "team": self.pick("x", "y")}}}]
        out += [self.claim(k) for k in range(rng.randint(0, 3))]
        if self.chance(.1):
            out.append(self.resource("DeviceTaintRule", "rule", spec={
                "deviceSelector": {"driver": DRIVER, "device": "d0"},
                "taint": {"key": "x", "effect": self.pick("NoSchedule", "NoExecute"),
                          "timeAdded": "2026-01-01T00:00:00Z"}}))
        if self.chance(.3):
            out.append({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "svc", "namespace": "default"},
                        "spec": {"selector": {"app": self.pick("a", "b")}, "ports": [{"port": 80, "protocol": "TCP"}]}})
        if self.chance(.2):
            out.append({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                        "metadata": {"name": "pdb", "namespace": "default"},
                        "spec": {"selector": {"matchLabels": {"app": self.pick("a", "b")}}},
                        "status": {"disruptionsAllowed": rng.randint(0, 1)}})
        out += [self.pod(k) for k in range(rng.randint(1, 7))]
        rng.shuffle(out)
        return out


def make(rng, number):
    gates = {name: rng.random() < .5 for name in ("TaintTolerationComparisonOperators", "DRADeviceTaintRules")}
    gates["DRANodeAllocatableResources"] = rng.random() < .35
    objects = World(rng, gates["DRANodeAllocatableResources"]).objects()
    return {"id": number, "version": "1.37", "scores": True, "messages": True, "objects": objects, "gates": gates}


def pod_differs(want, got):
    if "error" in want and "error" in got:
        return [] if got["error"] in want["error"].split("\n") else ["error"]
    return [k for k in sorted(want.keys() | got.keys()) if want.get(k) != got.get(k) and k != "weighted"]


def differs(line, want, got):
    if "error" in want or "error" in got:
        return [] if ("error" in want) == ("error" in got) else ["error"]
    if len(want["pods"]) != len(got["pods"]):
        return ["pods"]
    out = []
    for a, b in zip(want["pods"], got["pods"]):
        out += ["%s %s" % (a["name"], k) for k in pod_differs(a, b)]
    return out


def main():
    args = both.arguments(20000)
    both.compare(args, "plan", [], make, differs, lambda want: len(want.get("pods", [])))


if __name__ == "__main__":
    sys.exit(main())
