"""Clusters in which one Pod fits: what random_explain.py breaks.

A Scene is drawn at random: nodes with devices of some driver, others without, Pods that run and hold devices, a Pod
"app" with a claim. Its parts stay open for changes until objects() puts them together.
"""
import copy

API = "resource.k8s.io/v1"
GPU, NIC, QAT, TPU = "gpu.nvidia.com", "dra.net", "qat.intel.com", "tpu.google.com"
HOST = "kubernetes.io/hostname"
ADMIN = "resource.kubernetes.io/admin-access"
PRODUCTS = [("NVIDIA A100-SXM4-80GB", "Ampere", "8.0.0", "80Gi"), ("NVIDIA H100 80GB HBM3", "Hopper", "9.0.0", "80Gi"),
            ("NVIDIA L4", "Ada Lovelace", "8.9.0", "24Gi"), ("Tesla T4", "Turing", "7.5.0", "16Gi")]


def meta(name, ns=None, **more):
    m = dict({"name": name}, **more)
    if ns:
        m["namespace"] = ns
    return m


class Scene:
    def __init__(self, rng):
        self.rng = rng
        self.version = self.pick("1.37", "1.37", "1.37", "1.36", "1.36", "1.35", "1.34")
        self.gates = {}
        self.ns = self.pick("default", "ml", "team-a")
        self.kind = self.pick("gpu", "gpu", "gpu", "nic", "mig", "shared", "both", "tpu")
        self.recent = self.version in ("1.36", "1.37")
        if self.kind in ("mig", "shared") and not self.recent:
            self.kind = "gpu"
        self.nodes, self.slices, self.classes, self.others, self.claims = [], [], {}, [], []
        self.namespaces = {self.ns: {}}
        self.serial = 0
        self.pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta("app", self.ns, uid="pod-%s-app" % self.ns),
                    "spec": {"containers": [{"name": "main", "image": "registry.example/app:1",
                                             "resources": {"requests": {"cpu": "2", "memory": "4Gi"}}}]},
                    "status": {"phase": "Pending"}}
        self.good = []
        getattr(self, "make_" + self.kind)()
        self.surround()

    def pick(self, *items):
        return self.rng.choice(items)

    def chance(self, p):
        return self.rng.random() < p

    def number(self):
        self.serial += 1
        return self.serial

    # --- nodes and devices ---

    def node(self, name, cpu="32", memory="256Gi", **labels):
        have = {"cpu": cpu, "memory": memory, "pods": "110", "ephemeral-storage": "200Gi"}
        n = {"apiVersion": "v1", "kind": "Node", "metadata": meta(name, labels=dict({HOST: name}, **labels)), "spec": {},
             "status": {"capacity": dict(have), "allocatable": have, "conditions": [{"type": "Ready", "status": "True"}]}}
        self.nodes.append(n)
        return n

    def slice(self, node, driver, devices, pool=None, suffix="1", count=1, **where):
        s = {"apiVersion": API, "kind": "ResourceSlice", "metadata": meta("%s-%s-%s" % (node or "net", driver, suffix)),
             "spec": dict({"driver": driver, "pool": {"name": pool or node or "net", "generation": 1,
                                                      "resourceSliceCount": count}}, **where)}
        if devices:
            s["spec"]["devices"] = devices
        if not where:
            s["spec"]["nodeName"] = node
        self.slices.append(s)
        return s

    def gpu(self, node, i, product, root=None):
        name, arch, cc, memory = product
        return {"name": "gpu-%d" % i,
                "attributes": {"type": {"string": "gpu"}, "uuid": {"string": "GPU-%s-%d" % (node, i)}, "index": {"int": i},
                               "productName": {"string": name}, "brand": {"string": "Nvidia"},
                               "architecture": {"string": arch}, "cudaComputeCapability": {"version": cc},
                               "driverVersion": {"version": "570.86.15"}, "cudaDriverVersion": {"version": "12.8.0"},
                               "resource.kubernetes.io/pcieRoot": {"string": root or "pci0000:%d0" % (1 + i // 2)}},
                "capacity": {"memory": {"value": memory}}}

    def nic(self, i, numa=None, root=None):
        return {"name": "eth%d" % i,
                "attributes": {"ifName": {"string": "eth%d" % i}, "mtu": {"int": 9000}, "rdma": {"bool": True},
                               "numaNode": {"int": i % 2 if numa is None else numa},
                               "firmware": {"string": "22.41.1000"}, "linkSpeed": {"int": 100000},
                               "resource.kubernetes.io/pcieRoot": {"string": root or "pci0000:%d0" % (1 + i)}}}

    def klass(self, name, *expressions, **spec):
        self.classes[name] = {"apiVersion": API, "kind": "DeviceClass", "metadata": meta(name),
                              "spec": dict({"selectors": [{"cel": {"expression": e}} for e in expressions]}, **spec)}

    def gpu_class(self):
        q = self.pick('"', "'")
        driver, kind = "device.driver == %s%s%s" % (q, GPU, q), "device.attributes['%s'].type == 'gpu'" % GPU
        if self.chance(.6):
            self.klass(GPU, driver + " && " + kind)
        else:
            self.klass(GPU, *self.pick([driver], [driver, driver + " && " + kind]))

    def fill_gpus(self, least=1):
        self.product = self.pick(*PRODUCTS)
        for k in range(self.pick(1, 1, 2, 3)):
            name = "gpu-" + "abcd"[k]
            self.node(name, **self.pick({}, {"accelerator": "nvidia"}))
            devices = [self.gpu(name, i, self.product) for i in range(self.rng.randint(least, 4))]
            parts = [devices] if len(devices) < 2 or self.chance(.7) else [devices[:1], devices[1:]]
            for p, part in enumerate(parts):
                self.slice(name, GPU, part, suffix=str(p + 1), count=len(parts))
            self.good.append(name)

    def make_gpu(self):
        self.fill_gpus()
        self.gpu_class()
        self.claim("gpu", [self.request("gpu", GPU, count=self.rng.randint(1, self.most()), selectors=self.gpu_selectors())])

    def make_tpu(self):
        for k in range(self.pick(1, 2)):
            name = "tpu-%d" % k
            self.node(name)
            self.slice(name, TPU, [{"name": "chip%d" % i, "attributes": {"generation": {"string": "v5e"}, "cores": {"int": 2},
                                                                        "firmware": {"version": "1.4.2"}, "ici": {"bool": True}},
                                    "capacity": {"hbm": {"value": "16Gi"}}} for i in range(4)])
            self.good.append(name)
        self.klass("tpu", "device.driver == '%s'" % TPU)
        self.claim("acc", [self.request("tpu", "tpu", count=self.rng.randint(1, 4), selectors=self.pick(
            [], ["device.attributes['%s'].generation == 'v5e'" % TPU], ["device.attributes['%s'].cores >= 2" % TPU]))])

    def make_nic(self):
        for k in range(self.pick(1, 2)):
            name = "net-%d" % k
            self.node(name)
            self.slice(name, NIC, [self.nic(i) for i in range(self.rng.randint(1, 4))])
            self.good.append(name)
        self.klass("rdma-nic", "device.driver == '%s'" % NIC, *self.pick([], ["device.attributes['%s'].rdma" % NIC]))
        self.claim("net", [self.request("nic", "rdma-nic", count=self.rng.randint(1, self.most()), selectors=self.pick(
            [], ["device.attributes['%s'].mtu >= 9000" % NIC], ["device.attributes['%s'].rdma == true" % NIC]))])

    def make_both(self):
        self.fill_gpus()
        for name in self.good:
            self.slice(name, NIC, [self.nic(i) for i in range(self.rng.randint(1, 2))])
        self.gpu_class()
        self.klass("rdma-nic", "device.driver == '%s'" % NIC)
        both = [self.request("gpu", GPU, selectors=self.gpu_selectors()), self.request("nic", "rdma-nic")]
        if self.chance(.5):
            self.claim("gpu", both)
            if self.chance(.5):
                self.claims[0]["spec"]["devices"]["constraints"] = [
                    dict({"matchAttribute": "resource.kubernetes.io/pcieRoot"}, **self.pick({}, {"requests": ["gpu", "nic"]}))]
        else:
            self.claim("gpu", both[:1])
            self.claim("net", both[1:])

    def make_mig(self):
        name = "mig-a"
        self.node(name)
        self.good.append(name)
        cards = self.pick(1, 2)
        sets, devices = [], []
        for c in range(cards):
            sets.append({"name": "gpu-%d-counters" % c, "counters": {"memory": {"value": "80Gi"}, "multiprocessors": {"value": "98"}}})
            for profile, memory, mp, n in [("1g.10gb", 10, 14, 7), ("3g.40gb", 40, 42, 2), ("4g.40gb", 40, 56, 1), ("7g.80gb", 80, 98, 1)]:
                for i in range(n):
                    devices.append({"name": "gpu-%d-%s-%d" % (c, profile.replace(".", "-"), i),
                                    "attributes": {"type": {"string": "mig"}, "profile": {"string": profile},
                                                   "parentUUID": {"string": "GPU-%s-%d" % (name, c)},
                                                   "productName": {"string": PRODUCTS[0][0]}},
                                    "capacity": {"memory": {"value": "%dGi" % memory}},
                                    "consumesCounters": [{"counterSet": "gpu-%d-counters" % c, "counters": {
                                        "memory": {"value": "%dGi" % memory}, "multiprocessors": {"value": str(mp)}}}]})
        self.slice(name, GPU, None, suffix="counters", count=2)["spec"]["sharedCounters"] = sets
        self.slice(name, GPU, devices, suffix="devices", count=2)
        self.cards = cards
        self.klass("mig.nvidia.com", "device.driver == '%s' && device.attributes['%s'].type == 'mig'" % (GPU, GPU))
        self.profile = self.pick("1g.10gb", "3g.40gb", "4g.40gb", "7g.80gb")
        self.claim("gpu", [self.request("mig", "mig.nvidia.com", selectors=[
            "device.attributes['%s'].profile == '%s'" % (GPU, self.profile)])])

    def make_shared(self):
        self.policy = self.pick("step", "values", "none")
        policy = {"step": {"default": "1Gi", "validRange": {"min": "1Gi", "step": "1Gi"}},
                  "values": {"default": "10Gi", "validValues": ["10Gi", "20Gi", "40Gi"]}}.get(self.policy)
        self.product = PRODUCTS[0]
        for k in range(self.pick(1, 2)):
            name = "gpu-" + "ab"[k]
            self.node(name)
            devices = []
            for i in range(self.pick(1, 1, 2)):
                d = dict(self.gpu(name, i, self.product), allowMultipleAllocations=True)
                if policy:
                    d["capacity"]["memory"]["requestPolicy"] = copy.deepcopy(policy)
                devices.append(d)
            self.slice(name, GPU, devices)
            self.good.append(name)
        self.gpu_class()
        self.claim("gpu", [dict(self.request("gpu", GPU), )])
        self.claims[0]["spec"]["devices"]["requests"][0]["exactly"]["capacity"] = {"requests": {"memory": self.pick("10Gi", "20Gi", "40Gi")}}

    def most(self):
        """Devices of a good node that has most."""
        return max(len(self.devices(node=n)) for n in self.good)

    def gpu_selectors(self):
        a = "device.attributes[%s]" % self.pick("'%s'" % GPU, '"%s"' % GPU)
        name, arch, _, _ = self.product
        conditions = [a + ".architecture == '%s'" % arch, a + ".productName == '%s'" % name, a + ".index >= 0",
                      a + ".brand == 'Nvidia'", a + ".driverVersion.compareTo(semver('535.0.0')) >= 0",
                      a + ".productName.startsWith('%s')" % name.split()[0], a + "['brand'] in ['Nvidia', 'AMD']",
                      "device.capacity['%s'].memory.compareTo(quantity('10Gi')) >= 0" % GPU,
                      "device.capacity['%s'].memory.isGreaterThan(quantity('8Gi'))" % GPU]
        chosen = self.rng.sample(conditions, self.pick(0, 1, 1, 2, 3))
        if len(chosen) > 1 and self.chance(.5):
            return [" && ".join(chosen)]
        return chosen

    # --- claims ---

    def request(self, name, klass, count=1, selectors=(), **more):
        e = dict({"deviceClassName": klass}, **more)
        if count > 1 or self.chance(.3):
            e["allocationMode"], e["count"] = "ExactCount", count
        if selectors:
            e["selectors"] = [{"cel": {"expression": s}} for s in selectors]
        return {"name": name, "exactly": e}

    def claim(self, entry, requests):
        self.claims.append({"entry": entry, "form": self.pick("generated", "generated", "template", "named"),
                            "spec": {"devices": {"requests": requests}}, "name": "%s-claim" % entry,
                            "template": "%s-template" % self.pick(entry, "single-" + entry), "made": "app-%s-q8w4z" % entry})

    def exact(self, claim=0, request=0):
        return self.claims[claim]["spec"]["devices"]["requests"][request]["exactly"]

    # --- others ---

    def surround(self):
        for k in range(self.pick(0, 1, 2)):
            n = self.node("cpu-" + "ab"[k])
            if self.chance(.2):
                n["spec"]["taints"] = [{"key": "team", "value": "x", "effect": "NoSchedule"}]
            if self.chance(.1):
                n["spec"]["unschedulable"] = True
        if self.chance(.4):
            self.node("cp-0", cpu="8", memory="16Gi", **{"node-role.kubernetes.io/control-plane": ""})["spec"]["taints"] = [
                {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]
        if self.chance(.4):
            self.node("crypto-0")
            self.slice("crypto-0", QAT, [{"name": "vf-%d" % i, "attributes": {"services": {"string": "sym"}}} for i in range(4)])
            self.klass(QAT, "device.driver == '%s'" % QAT)
        if self.chance(.3):
            self.namespaces["web"] = {"kubernetes.io/metadata.name": "web"}
            self.run_pod("frontend", "web", self.nodes[-1]["metadata"]["name"], cpu="100m")
        if self.chance(.2):
            self.others.append({"apiVersion": "v1", "kind": "Pod", "metadata": meta("waits-too", "kube-system", uid="u-waits"),
                                "spec": {"containers": [{"name": "c", "image": "i"}],
                                         "resourceClaims": [{"name": "x", "resourceClaimTemplateName": "not-there"}]},
                                "status": {"phase": "Pending"}})
        for name in self.good:
            if self.chance(.2):
                self.run_pod("job-" + name, self.ns, name, cpu="4")

    def run_pod(self, name, ns, node, cpu="1", **spec):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name, ns, uid="pod-%s-%s" % (ns, name)),
               "spec": dict({"nodeName": node, "containers": [{"name": "main", "image": "registry.example/app:1",
                                                              "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}]}, **spec),
               "status": {"phase": "Running"}}
        self.others.append(pod)
        return pod

    def hold(self, name, node, devices, ns=None, leaked=False, consumed=None, klass=GPU, users=1):
        """A Pod whose claim has the devices [(driver, pool, device)]; leaked: only the claim is left."""
        ns = ns or self.ns
        made = "%s-dev-x7k2p" % name
        results = [dict({"request": "dev", "driver": d, "pool": p, "device": x},
                        **({"shareID": "11111111-1111-4111-8111-%012d" % self.number(), "consumedCapacity": consumed} if consumed else {}))
                   for d, p, x in devices]
        exactly = {"deviceClassName": klass, "allocationMode": "ExactCount", "count": len(devices)}
        if consumed:
            exactly["capacity"] = {"requests": consumed}
        uid = "pod-%s-%s" % (ns, name)
        claim = {"apiVersion": API, "kind": "ResourceClaim",
                 "metadata": meta(made, ns, uid="claim-%s-%s" % (ns, made), finalizers=["resource.kubernetes.io/delete-protection"],
                                  annotations={"resource.kubernetes.io/pod-claim-name": "dev"},
                                  ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid, "controller": True,
                                                    "blockOwnerDeletion": True}]),
                 "spec": {"devices": {"requests": [{"name": "dev", "exactly": exactly}]}},
                 "status": {"allocation": {"devices": {"results": results}, "nodeSelector": self.at(node)},
                            "reservedFor": [{"resource": "pods", "name": name, "uid": uid}]}}
        self.others.append(claim)
        if not leaked:
            pod = self.run_pod(name, ns, node, resourceClaims=[{"name": "dev", "resourceClaimTemplateName": "tmpl"}])
            pod["spec"]["containers"][0]["resources"]["claims"] = [{"name": "dev"}]
            pod["status"]["resourceClaimStatuses"] = [{"name": "dev", "resourceClaimName": made}]
        return claim

    @staticmethod
    def at(node):
        return {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]}

    def devices(self, driver=None, node=None):
        """(driver, pool, device) of the slices, those of a node alone."""
        return [(s["spec"]["driver"], s["spec"]["pool"]["name"], d["name"]) for s in self.slices
                for d in s["spec"].get("devices", [])
                if (driver is None or s["spec"]["driver"] == driver) and (node is None or s["spec"]["pool"]["name"] == node)]

    def of_driver(self, driver):
        return [d for s in self.slices if s["spec"]["driver"] == driver for d in s["spec"].get("devices", [])]

    def node_named(self, name):
        return next(n for n in self.nodes if n["metadata"]["name"] == name)

    # --- all of it ---

    def objects(self):
        objects, pod = [], copy.deepcopy(self.pod)
        for c in self.claims:
            objects += self.claim_objects(c, pod)
        objects += [pod] + self.nodes + self.slices + list(self.classes.values()) + self.others
        objects += [{"apiVersion": "v1", "kind": "Namespace", "metadata": meta(n, labels=labels)} for n, labels in self.namespaces.items()]
        order = sorted(range(len(objects)), key=lambda i: hash((self.serial, i * 2654435761 % 1000003)))
        return [copy.deepcopy(objects[i]) for i in order]

    def claim_objects(self, c, pod):
        spec = pod["spec"]
        entry = {"name": c["entry"]}
        spec.setdefault("resourceClaims", []).append(entry)
        spec["containers"][0]["resources"].setdefault("claims", []).append({"name": c["entry"]})
        claim = {"apiVersion": API, "kind": "ResourceClaim", "spec": copy.deepcopy(c["spec"])}
        if c["form"] == "named":
            entry["resourceClaimName"] = c.get("asked", c["name"])
            claim["metadata"] = meta(c["name"], c.get("ns", self.ns), uid="claim-" + c["name"], **c.get("meta", {}))
            if c.get("status"):
                claim["status"] = c["status"]
            return [] if c.get("gone") else [claim]
        entry["resourceClaimTemplateName"] = c.get("asked", c["template"])
        out = []
        if not c.get("gone"):
            out.append({"apiVersion": API, "kind": "ResourceClaimTemplate", "metadata": meta(c["template"], c.get("ns", self.ns)),
                        "spec": {"spec": copy.deepcopy(c["spec"])}})
        if c["form"] == "generated":
            pod["status"].setdefault("resourceClaimStatuses", []).append({"name": c["entry"], "resourceClaimName": c["made"]})
            claim["metadata"] = meta(c["made"], self.ns, uid="claim-" + c["made"],
                                     annotations={"resource.kubernetes.io/pod-claim-name": c["entry"]},
                                     ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": "app",
                                                       "uid": c.get("owner", pod["metadata"]["uid"]), "controller": True,
                                                       "blockOwnerDeletion": True}], **c.get("meta", {}))
            if not c.get("lost"):
                out.append(claim)
        return out

    def question(self, i=1):
        return {"id": i, "version": self.version, "gates": self.gates, "objects": self.objects(), "pod": "%s/app" % self.ns}


# --- disguises: more of everything, the Pod still fits ---

def crowd(s):
    """Nodes with the same devices, each kept out by two things."""
    things = ["cordon", "taint", "held", "cpu", "label", "incomplete", "devtaint"]
    if s.kind in ("mig", "shared"):
        return
    model = s.pick(*s.good)
    for k in range(s.pick(1, 2, 3)):
        name = "old-%d" % k
        n = copy.deepcopy(s.node_named(model))
        n["metadata"].update(name=name, labels=dict(n["metadata"]["labels"], **{HOST: name}))
        s.nodes.append(n)
        mine = []
        for x in [x for x in s.slices if x["spec"].get("nodeName") == model]:
            y = copy.deepcopy(x)
            y["metadata"]["name"] = x["metadata"]["name"].replace(model, name)
            y["spec"]["nodeName"] = y["spec"]["pool"]["name"] = name
            s.slices.append(y)
            mine.append(y)
        for thing in s.rng.sample(things, 2):
            if thing == "cordon":
                n["spec"]["unschedulable"] = True
            elif thing == "taint":
                n["spec"].setdefault("taints", []).append({"key": "example.com/burn-in", "effect": "NoSchedule"})
            elif thing == "held":
                for d in s.devices(node=name):
                    s.hold("holder-%d" % s.number(), name, [d], klass=s.pick(*s.classes))
            elif thing == "cpu":
                n["status"]["allocatable"]["cpu"] = "1"
            elif thing == "incomplete":
                for y in mine:
                    y["spec"]["pool"]["resourceSliceCount"] += 1
            elif thing == "devtaint" and s.recent:
                for y in mine:
                    for d in y["spec"].get("devices", []):
                        d["taints"] = [{"key": "example.com/broken", "effect": "NoSchedule"}]
            elif thing == "devtaint" or thing == "label":
                n["spec"].setdefault("taints", []).append({"key": "example.com/other", "effect": "NoExecute"})


def choices(s):
    """A request becomes a list whose other alternative no device serves."""
    c = s.pick(*s.claims)
    r = s.pick(*c["spec"]["devices"]["requests"])
    e = r.pop("exactly")
    s.klass("future", "device.driver == '%s' && device.attributes['%s'].?productName.orValue('') == 'from next year'" % (GPU, GPU))
    option, other = dict(e, name="now"), {"name": "later", "deviceClassName": s.pick("future", "future", e["deviceClassName"])}
    if other["deviceClassName"] != "future":
        other["allocationMode"], other["count"] = "ExactCount", 30
    r["firstAvailable"] = s.pick([option, other], [other, option])


def extended(s):
    """The first request comes by an extended resource."""
    if not s.recent or s.kind not in ("gpu", "nic", "tpu") or len(s.claims) != 1 or "future" in s.classes:
        return
    if s.version == "1.36":
        s.gates["DRAExtendedResource"] = True
    e = s.exact()
    if e.get("selectors"):
        return
    s.claims, s.by_resource = [], True
    s.classes[e["deviceClassName"]]["spec"]["extendedResourceName"] = "example.com/dev"
    r = s.pod["spec"]["containers"][0]["resources"]
    r["requests"]["example.com/dev"] = str(e.get("count", 1))
    r.setdefault("limits", {})["example.com/dev"] = str(e.get("count", 1))


def network(s):
    """Devices of the good nodes reach them by a label instead of a name."""
    if s.kind in ("mig", "both"):
        return
    for n in s.good:
        s.node_named(n)["metadata"]["labels"]["example.com/fabric"] = n
        for x in s.slices:
            if x["spec"].get("nodeName") == n:
                del x["spec"]["nodeName"]
                x["spec"]["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": [
                    {"key": "example.com/fabric", "operator": "In", "values": [n]}]}]}


def more_claims(s):
    """One more claim of another driver."""
    if QAT in s.classes or s.version == "1.34":
        return
    for n in s.good:
        s.slice(n, QAT, [{"name": "vf-%d" % i, "attributes": {"services": {"string": "sym"}}} for i in range(2)])
    s.klass(QAT, "device.driver == '%s'" % QAT)
    s.claim("crypto", [s.request("vf", QAT)])


def shared_claim(s):
    """One more claim that is allocated and shared."""
    n = sum(r["exactly"].get("count", 1) for c in s.claims for r in c["spec"]["devices"]["requests"] if "exactly" in r)
    node = max(s.good, key=lambda g: len(s.devices(node=g)))
    if len(s.devices(node=node)) < n:
        return
    s.slice(node, "fpga.example.com", [{"name": "f0"}])
    s.klass("fpga", "device.driver == 'fpga.example.com'")
    s.claim("fpga", [s.request("f", "fpga")])
    c = s.claims[-1]
    c["form"] = "named"
    c["status"] = {"allocation": {"devices": {"results": [{"request": "f", "driver": "fpga.example.com", "pool": node, "device": "f0"}]},
                                  "nodeSelector": s.at(node)},
                   "reservedFor": [{"resource": "pods", "name": "mate", "uid": "pod-%s-mate" % s.ns}]}
    s.run_pod("mate", s.ns, node, resourceClaims=[{"name": "x", "resourceClaimName": c["name"]}])
    s.good = [node]


DISGUISES = [crowd, choices, extended, network, more_claims, shared_claim]


def disguise(s):
    for d in s.rng.sample(DISGUISES, s.pick(0, 1, 1, 2)):
        if s.claims:
            d(s)
