#!/usr/bin/env python3
"""Random objects against Kubernetes' own decoding, defaulting and validation.

    tests/peer/random_objects.py --oracle DIR/decode-oracle --dray build/dray --count 20000 --seed 7

Full objects of every kind are changed at random places (values, lists, keys, gates, what was stored
before), and both programs answer the same lines of `debug decode`. The first differences are shown,
with the line that reproduces each; the exit status tells whether there were any. --kinds limits the
kinds, --seeds FILE adds the inputs of recorded cases, --cel also changes CEL expressions.
"""
import argparse
import copy
import json
import random
import subprocess
import sys

META = {"name": "n1", "labels": {"app": "x"}, "annotations": {"a.b/c": "d"}}
SELECTOR = {"cel": {"expression": "device.driver == 'gpu.example.com'"}}
TOLERATION = {"key": "example.com/t", "operator": "Exists", "effect": "NoExecute",
              "tolerationSeconds": 5}
OPAQUE = {"driver": "gpu.example.com", "parameters": {"kind": "Config", "a": 1}}
NODE_SELECTOR = {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
     "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}]}
EXACTLY = {"deviceClassName": "gpu.example.com", "selectors": [SELECTOR],
           "allocationMode": "ExactCount", "count": 2, "adminAccess": False,
           "tolerations": [TOLERATION, {"operator": "Equal", "key": "k", "value": "v"}],
           "capacity": {"requests": {"memory": "10Gi"}},
           "derivedAttributes": [{"name": "gpu.example.com/bus", "expression": "'x'"}]}
SUB = {"name": "big", "deviceClassName": "gpu.example.com", "selectors": [SELECTOR],
       "allocationMode": "ExactCount", "count": 1, "tolerations": [TOLERATION],
       "capacity": {"requests": {"memory": "1Gi"}}}
CONSTRAINTS = [{"requests": ["gpu", "alt/big"], "matchAttribute": "gpu.example.com/bus"},
               {"requests": ["gpu"], "distinctAttribute": "gpu.example.com/slot"}]
CLAIM_SPEC = {"devices": {
    "requests": [{"name": "gpu", "exactly": EXACTLY},
                 {"name": "alt", "firstAvailable": [SUB, dict(SUB, name="small")]}],
    "constraints": CONSTRAINTS,
    "config": [{"requests": ["gpu", "alt/small"], "opaque": OPAQUE}]}}
CLAIM_SPEC_BETA = {"devices": {
    "requests": [dict(EXACTLY, name="gpu"),
                 {"name": "alt", "firstAvailable": [SUB, dict(SUB, name="small")]}],
    "constraints": CONSTRAINTS,
    "config": [{"requests": ["gpu", "alt/small"], "opaque": OPAQUE}]}}
SHARE = "6a7f5c1e-8b5c-4a4e-9d2b-0d8a4cbb6f01"
CONDITION = {"type": "Ready", "status": "True", "reason": "Fine", "message": "m",
             "observedGeneration": 1, "lastTransitionTime": "2025-06-01T10:00:00Z"}
RESULT = {"request": "gpu", "driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0",
          "adminAccess": False, "tolerations": [TOLERATION],
          "bindingConditions": ["a.b/ready"], "bindingFailureConditions": ["a.b/failed"],
          "shareID": SHARE, "consumedCapacity": {"memory": "1Gi"},
          "skipNodeOperations": ["NodeUnprepareResources"]}
CLAIM_STATUS = {
    "allocation": {
        "devices": {"results": [RESULT, dict(RESULT, device="gpu-1", request="alt/big")],
                    "config": [{"source": "FromClass", "requests": ["gpu"], "opaque": OPAQUE},
                               {"source": "FromClaim", "opaque": OPAQUE}]},
        "nodeSelector": NODE_SELECTOR, "allocationTimestamp": "2025-06-01T10:00:00Z"},
    "reservedFor": [{"resource": "pods", "name": "p", "uid": "u1"},
                    {"apiGroup": "apps", "resource": "x", "name": "q", "uid": "u2"}],
    "devices": [{"driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0",
                 "shareID": SHARE, "conditions": [CONDITION], "data": {"a": 1},
                 "networkData": {"interfaceName": "eth0", "ips": ["10.9.8.7/24", "2001:db8::1/64"],
                                 "hardwareAddress": "00:11"}}]}
RANGE = {"value": "10", "requestPolicy": {
    "default": "2", "validRange": {"min": "2", "max": "8", "step": "2"}}}
VALUES = {"value": "10Gi", "requestPolicy": {"default": "1Gi", "validValues": ["1Gi", "2Gi"]}}
DEVICE = {
    "attributes": {"model": {"string": "a100"}, "gpu.example.com/n": {"int": 3},
                   "ok": {"bool": True}, "fw": {"version": "1.2.3-rc.1+b"},
                   "list": {"strings": ["a", "b"]}, "vers": {"versions": ["1.0.0"]},
                   "ints": {"ints": [1, 2]}, "bools": {"bools": [True]}},
    "capacity": {"memory": VALUES, "gpu.example.com/slots": RANGE, "plain": {"value": "5"}},
    "consumesCounters": [{"counterSet": "card", "counters": {"mem": {"value": "1Gi"}},
                          "compatibilityGroups": ["g1"]}],
    "nodeName": "node-1",
    "taints": [{"key": "example.com/t", "value": "v", "effect": "NoSchedule",
                "timeAdded": "2025-06-01T10:00:00Z"}],
    "bindsToNode": True, "bindingConditions": ["a.b/ready"],
    "bindingFailureConditions": ["a.b/failed"], "allowMultipleAllocations": True,
    "nodeAllocatableResources": {
        "cpu": {"mapping": {"capacityKey": "plain", "capacityMultiplier": "2"}},
        "memory": {"mapping": {"deviceMultiplier": "1Gi"},
                   "overhead": {"perPod": "1Mi", "perContainer": "1Mi"}}}}
SMALL_DEVICE = {"attributes": {"model": {"string": "b"}}, "capacity": {"memory": {"value": "1Gi"}},
                "allNodes": True}


def slice_spec(devices, **more):
    spec = {"driver": "gpu.example.com",
            "pool": {"name": "pool/a", "generation": 1, "resourceSliceCount": 1},
            "perDeviceNodeSelection": True, "devices": devices,
            "partitionTypeAttribute": "gpu.example.com/model",
            "skipNodeOperations": ["NodePrepareResources", "*"]}
    spec.update(more)
    return spec


DEVICES = [dict(DEVICE, name="d0"), dict(SMALL_DEVICE, name="d1")]
DEVICES_BETA = [{"name": "d0", "basic": DEVICE}, {"name": "d1", "basic": SMALL_DEVICE}]
COUNTERS = [{"name": "card", "counters": {"mem": {"value": "40Gi"}, "slices": {"value": "7"}}},
            {"name": "other", "counters": {"c": {"value": "1"}}}]
CLASS_SPEC = {"selectors": [SELECTOR, SELECTOR], "config": [{"opaque": OPAQUE}],
              "extendedResourceName": "example.com/gpu"}
RULE = {"spec": {"deviceSelector": {"driver": "gpu.example.com", "pool": "p/a", "device": "d0"},
                 "taint": {"key": "example.com/t", "value": "v", "effect": "NoExecute",
                           "timeAdded": "2025-06-01T10:00:00Z"}},
        "status": {"conditions": [CONDITION]}}
POOL_STATUS = {
    "poolCount": 1, "conditions": [CONDITION],
    "pools": [{"driver": "gpu.example.com", "poolName": "p", "generation": 2,
               "resourceSliceCount": 1, "totalDevices": 3, "allocatedDevices": 1,
               "availableDevices": 2, "unavailableDevices": 0, "nodeName": "node-1",
               "validationError": "x",
               "partitionSummary": [{"attribute": "a.b/c", "type": "t", "total": 1,
                                     "allocatable": 1}],
               "shareableSummary": {"fullyAvailableDevices": 1, "partiallyAvailableDevices": 1,
                                    "capacity": [{"name": "m", "total": "1", "consumed": "0",
                                                  "available": "1"}]}}]}
CONTAINER = {
    "name": "c", "image": "i", "command": ["a"], "env": [{"name": "A", "value": "b"}],
    "resources": {"requests": {"cpu": "100m", "memory": "1Gi"}, "limits": {"memory": "2Gi"},
                  "claims": [{"name": "gpu", "request": "gpu"}]},
    "ports": [{"containerPort": 80, "name": "http", "protocol": "TCP"}],
    "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
POD_SPEC = {
    "containers": [CONTAINER], "restartPolicy": "Always",
    "resourceClaims": [{"name": "gpu", "resourceClaimName": "c"},
                       {"name": "t", "resourceClaimTemplateName": "t"}],
    "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}],
    "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoSchedule"}],
    "nodeSelector": {"zone": "a"}, "priorityClassName": "high",
    "affinity": {"nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": NODE_SELECTOR}},
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone",
                                   "whenUnsatisfiable": "DoNotSchedule",
                                   "labelSelector": {"matchLabels": {"app": "x"}}}],
    "schedulingGates": [{"name": "a.b/c"}]}
TEMPLATE = {"metadata": {"labels": {"app": "x"}}, "spec": POD_SPEC}
JOB_SPEC = {"parallelism": 2, "completions": 2, "backoffLimit": 3,
            "template": {"metadata": {"labels": {"app": "x"}},
                         "spec": dict(POD_SPEC, restartPolicy="Never")}}
DEPLOYMENT_SPEC = {"replicas": 2, "selector": {"matchLabels": {"app": "x"}}, "template": TEMPLATE,
                   "strategy": {"type": "RollingUpdate",
                                "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}}}


def whole(version, kind, **more):
    return dict({"apiVersion": version, "kind": kind, "metadata": META}, **more)


def bases():
    """(kind, has a status, object)"""
    group = "resource.k8s.io/"
    for version in ("v1", "v1beta2", "v1beta1"):
        beta = version == "v1beta1"
        spec = CLAIM_SPEC_BETA if beta else CLAIM_SPEC
        devices = DEVICES_BETA if beta else DEVICES
        yield whole(group + version, "ResourceClaim", spec=spec, status=CLAIM_STATUS)
        yield whole(group + version, "ResourceClaimTemplate",
                    spec={"metadata": {"labels": {"a": "b"}}, "spec": spec})
        yield whole(group + version, "DeviceClass", spec=CLASS_SPEC)
        yield whole(group + version, "ResourceSlice", spec=slice_spec(devices))
        counters = slice_spec(None, sharedCounters=COUNTERS, perDeviceNodeSelection=None,
                              partitionTypeAttribute=None, nodeSelector=NODE_SELECTOR)
        yield whole(group + version, "ResourceSlice",
                    spec={k: v for k, v in counters.items() if v is not None})
    for version in ("v1", "v1beta2", "v1alpha3"):
        yield whole(group + version, "DeviceTaintRule", **RULE)
    yield whole(group + "v1alpha3", "ResourcePoolStatusRequest",
                spec={"driver": "gpu.example.com", "poolName": "p", "limit": 10,
                      "defaultPartitionTypeAttribute": "a.b/c"}, status=POOL_STATUS)
    yield whole("v1", "Pod", spec=POD_SPEC)
    yield whole("apps/v1", "Deployment", spec=DEPLOYMENT_SPEC)
    yield whole("batch/v1", "Job", spec=JOB_SPEC)


STATUS_KINDS = ("ResourceClaim", "DeviceTaintRule", "ResourcePoolStatusRequest")
GATES = ["DRAAdminAccess", "DRAConsumableCapacity", "DRADerivedAttributes",
         "DRADeviceBindingConditions", "DRADeviceCompatibilityGroups", "DRADeviceTaintRules",
         "DRADeviceTaints", "DRAFractionalCapacityRange", "DRAListTypeAttributes",
         "DRANodeAllocatableResources", "DRAOptionalNodeOperations", "DRAPartitionableDevices",
         "DRAPartitionableDevicesType", "DRAResourcePoolStatus", "DeclarativeValidationBeta"]
LOCKED = ("DRAAdminAccess",)
NEEDS = {"DRAPartitionableDevicesType": ["DRAResourcePoolStatus", "DRAPartitionableDevices"],
         "DRADeviceCompatibilityGroups": ["DRAPartitionableDevices"],
         "DRAFractionalCapacityRange": ["DRAConsumableCapacity"],
         "DRADeviceTaintRules": ["DRADeviceTaints"],
         "DRAOptionalNodeOperations": ["NodeDeclaredFeatures"]}

LONG = ["a" * n for n in (15, 16, 32, 33, 63, 64, 65, 96, 97, 253, 254, 256, 257)]
STRINGS = ["", "a", "0", "A", "a-b", "a_b", "-a", "a-", "a.b", "a.b.c", "a/b", "a/b/c", "/a", "a/",
           "/", "a..b", "example.com", "Example.COM", "gpu.example.com", "gpu.example.com/model",
           "gpu.example.com/bus", "kubernetes.io/x", "requests.a/b", "a.b/c", "gpu", "alt",
           "alt/big", "alt/small", "big", "alt/nope", "card", "mem", "model", "memory", "plain",
           "node-1", "pool/a", "d0", "d1", "All", "ExactCount", "Exists", "Equal", "NoSchedule",
           "NoExecute", "None", "FromClaim", "FromClass", "In", "NotIn", "Gt", "DoesNotExist",
           "NodePrepareResources", "NodeUnprepareResources", "*", "1.2.3", "1.2", "01.2.3",
           "1.2.3-a.01", "1.2.3+x", SHARE, SHARE.upper(), "{" + SHARE + "}", "1", "-1", "1.5",
           "100m", "1Gi", "10", "1e3", "0.5", "9223372036854775807", "18446744073709551616", "8",
           "4", "6", "3", "2", "1n", "1u", "10.9.8.7/24", "010.9.8.7/24", "10.9.8.7",
           "2001:DB8::1/64", "::ffff:1.2.3.4/120", "::/0", "true", "False", "é", "日本", "\u2028",
           "a b", "a\tb", "<a&b>", "\"q\"", "2025-06-01T10:00:00Z", "2025-06-01T10:00:00.5+02:00",
           "gpu.\u212aelvin.com", "\u017f.example.com/x",
           "x.y/z-" + "a" * 63, "a" * 64 + "/b", "a.b/" + "c" * 33] + LONG
NUMBERS = [0, 1, -1, 2, 3, 8, 32, 33, 100, 1000, 1001, 2147483647, 2147483648,
           9223372036854775807, 9223372036854775808, 1.5]
QUANTITY_KEYS = {"value", "default", "min", "max", "step", "validValues", "memory", "perPod",
                 "perContainer", "capacityMultiplier", "deviceMultiplier", "cpu", "total",
                 "consumed", "available", "sizeLimit", "consumedCapacity", "requests"}
QUANTITIES = ["0", "1", "2", "3", "4", "5", "8", "10", "-1", "-2", "1500m", "500m", "0.5", "1.5",
              "1Gi", "2Gi", "10Gi", "1Ki", "1024", "1e3", "1k", "1n", "100u", "9223372036854775807",
              "9223372036854775808", "18446744073709551616", "18446744073709551617", "1.0", "2.0",
              "1000m", "100000000000000000000", "", "x", 1, 2.5]
RAW = [None, 1, "a", [], {}, {"a": None}, {"a": "x" * 10232}, {"a": "x" * 10233}, {"<&>": "\u2028"},
       {"n": 1.50}, {"deep": [[[[{"a": []}]]]]}, {"big": 10**400}, False]
EXPRESSIONS = ["true", "device.driver == 'gpu.example.com'", "false"]
BROKEN = ["", " ", "1", "'a'", "device", "device.foo", "foo", "device.attributes['a'].b == 1",
          "device.attributes['a'].b.c", "[1].all(x, x > 0)", "x" * 10241]


class Mutator:
    def __init__(self, rng, cel):
        self.rng, self.cel = rng, cel

    def places(self, node, path=()):
        """Every (container, key, path) below node."""
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in list(items):
            if path == () and key in ("apiVersion", "kind"):
                continue
            yield node, key, path + (key,)
            if isinstance(value, (dict, list)):
                yield from self.places(value, path + (key,))

    def value(self, key, old):
        rng = self.rng
        if key == "expression":
            return rng.choice(EXPRESSIONS + (BROKEN if self.cel else []))
        if key in ("parameters", "data"):
            return copy.deepcopy(rng.choice(RAW))
        if key in QUANTITY_KEYS and rng.random() < 0.8 and not isinstance(old, (dict, list)):
            return rng.choice(QUANTITIES)
        if isinstance(old, bool):
            return rng.choice([True, False, False, None, "true"])
        if isinstance(old, (int, float)):
            return rng.choice(NUMBERS if rng.random() < 0.9 else STRINGS)
        if isinstance(old, str):
            return rng.choice(STRINGS if rng.random() < 0.97 else [None, 1, True, [], {}])
        if isinstance(old, list):
            return rng.choice([[], None, [], old[:1], old + old, old[::-1]])
        if isinstance(old, dict):
            return rng.choice([{}, None, {}])
        return rng.choice(STRINGS)

    def grow(self, items):
        """A list near one of the limits, mostly of different names."""
        n = self.rng.choice([2, 3, 5, 8, 9, 10, 11, 16, 17, 32, 33, 64, 65, 128, 129, 256, 257])
        first = items[0]
        out = [copy.deepcopy(self.rng.choice(items)) for _ in range(n)]
        if self.rng.random() < 0.8:
            for i, item in enumerate(out):
                if isinstance(item, dict):
                    for key in ("name", "uid", "type", "counterSet", "device"):
                        if key in item:
                            item[key] = "%s%d" % (key[0], i)
                elif isinstance(first, str):
                    out[i] = "v%d" % i
        items[:] = out

    def once(self, obj):
        rng = self.rng
        places = list(self.places(obj))
        if not places:
            return
        container, key, path = rng.choice(places)
        if "expression" in path and not self.cel:
            container[key] = self.value("expression", "")
            return
        value, roll = container[key], rng.random()
        if roll < 0.12 and isinstance(container, dict):
            del container[key]
        elif roll < 0.2 and isinstance(value, list) and value:
            self.grow(value)
        elif roll < 0.26 and isinstance(container, list):
            container.insert(rng.randrange(len(container) + 1), copy.deepcopy(value))
        elif roll < 0.34 and isinstance(container, dict):
            container[rng.choice(STRINGS)] = copy.deepcopy(value)
            if rng.random() < 0.7:
                del container[key]
        elif roll < 0.44:
            same = [(c, k) for c, k, _ in places if k == key]
            other, other_key = rng.choice(same or [(container, key)])
            container[key] = copy.deepcopy(other[other_key])
        elif roll < 0.48 and isinstance(value, dict) and value:
            for i in range(rng.choice([8, 31, 32, 33, 48])):
                value["k%d" % i] = copy.deepcopy(rng.choice(list(value.values())))
        elif isinstance(container, dict) or not isinstance(value, (dict, list)):
            container[key] = self.value(key, value)
        elif container:
            container.pop(key)


def add_metadata(rng, obj):
    meta = obj.setdefault("metadata", {})
    if not isinstance(meta, dict):
        return
    extra = rng.choice([
        {"generateName": "g-"}, {"finalizers": ["a.b/c", "x"]}, {"generation": 5},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u",
                              "controller": True}]},
        {"namespace": "ns"}, {"resourceVersion": "7"}, {"selfLink": "x"},
        {"deletionTimestamp": "2025-06-01T10:00:00Z", "deletionGracePeriodSeconds": 1}])
    meta.update(copy.deepcopy(extra))


def make_line(rng, mutator, base, number):
    obj = copy.deepcopy(base)
    line = {"id": number, "version": "1.37"}
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 5])):
        mutator.once(obj)
    if rng.random() < 0.1:
        add_metadata(rng, obj)
    line["object"] = obj
    if rng.random() < 0.4:
        line["old"] = old = copy.deepcopy(base if rng.random() < 0.5 else obj)
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            mutator.once(old)
        if isinstance(old.get("metadata"), dict):
            old["metadata"].setdefault("resourceVersion", "7")
            if isinstance(obj.get("metadata"), dict):
                obj["metadata"].setdefault("resourceVersion", "7")
        if base["kind"] in STATUS_KINDS and rng.random() < 0.6:
            line["subresource"] = "status"
            if rng.random() < 0.5:
                old.pop("status", None)
    if rng.random() < 0.5:
        line["gates"] = gates = {}
        on = rng.random() < 0.7
        for gate in GATES:
            if gate not in LOCKED and rng.random() < 0.5:
                gates[gate] = on or rng.random() < 0.5
        for gate, needs in NEEDS.items():
            if gates.get(gate):
                gates.update((n, True) for n in needs)
    if rng.random() < 0.3:
        line["namespaceLabels"] = {"resource.kubernetes.io/admin-access": rng.choice(["true", ""])}
    return line


def ask(program, lines):
    text = "".join(json.dumps(l, separators=(",", ":"), ensure_ascii=False) + "\n" for l in lines)
    done = subprocess.run([program, "debug", "decode"], input=text.encode(), capture_output=True)
    answers = {}
    for raw in done.stdout.decode(errors="replace").split("\n"):
        if raw.strip():
            answer = json.loads(raw)
            answers[answer.get("id")] = answer
    return answers, done.returncode


def same(a, b):
    """Equality in which an absent member is null."""
    if isinstance(a, dict) and isinstance(b, dict):
        return all(same(a.get(k), b.get(k)) for k in a.keys() | b.keys())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a == b and type(a) is type(b)


def without_cel(answer):
    """The answer without errors of expressions; of one that had no others nothing is left."""
    errors = answer.get("errors") or []
    if not any(e["field"].endswith(".expression") for e in errors):
        return answer
    kept = [e for e in errors if not e["field"].endswith(".expression")]
    return {"errors": kept, "strict": answer.get("strict")}


def plain_error(text):
    """A decoder's error without the Go type that it names."""
    if text and "Precondition failed: UID" in text:
        return "uid precondition"  # the oracle's word for it
    return text and text.split(" of type ")[0]


def differs(want, got, cel):
    keys = ["object", "warnings", "strict", "errors", "messages"]
    if got is None:
        return ["no answer"]
    out = ["error"] if plain_error(want.get("error")) != plain_error(got.get("error")) else []
    if not cel and without_cel(want) is not want:
        want, got = without_cel(want), without_cel(got)
        keys = ["strict", "errors"] if want["errors"] else ["strict"]
    if got.get("messages") is None:
        keys = [k for k in keys if k != "messages"]
    return out + [k for k in keys if not same(want.get(k), got.get(k))]


def first_difference(a, b, path=""):
    """(path, in a, in b) of the first place where two objects differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            if not same(a.get(key), b.get(key)):
                return first_difference(a.get(key), b.get(key), path + "." + key)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            if not same(x, y):
                return first_difference(x, y, "%s[%d]" % (path, i))
    return path, a, b


def show(line, want, got, keys):
    print("---", line["object"].get("apiVersion"), line["object"].get("kind"), ", ".join(keys))
    for key in keys:
        a, b = want.get(key), (got or {}).get(key)
        if key == "object" and a and b:
            path, a, b = first_difference(a, b)
            print("  at", path)
        elif isinstance(a, list) and isinstance(b, list):
            a, b = [x for x in a if x not in b], [x for x in b if x not in a]
        print("  oracle:", json.dumps(a, ensure_ascii=False)[:1200])
        print("  dray:  ", json.dumps(b, ensure_ascii=False)[:1200])
    print("  line:  ", json.dumps(line, separators=(",", ":"), ensure_ascii=False))


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--oracle", required=True)
    args.add_argument("--dray", required=True)
    args.add_argument("--count", type=int, default=2000)
    args.add_argument("--seed", type=int)
    args.add_argument("--show", type=int, default=5)
    args.add_argument("--kinds", help="comma-separated")
    args.add_argument("--seeds", help="a file of recorded cases whose inputs are changed, too")
    args.add_argument("--cel", action="store_true")
    args = args.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 32)
    print("seed", seed, flush=True)
    rng = random.Random(seed)
    pool = list(bases())
    if args.seeds:
        for text in open(args.seeds):
            obj = json.loads(text)["in"].get("object")
            if isinstance(obj, dict) and len(text) < 20000 and isinstance(obj.get("kind"), str):
                if any(b["kind"] == obj["kind"] for b in bases()):
                    pool.append(obj)
    if args.kinds:
        pool = [b for b in pool if b["kind"] in args.kinds.split(",")]
    mutator = Mutator(rng, args.cel)
    bad = shown = done = 0
    while done < args.count:
        batch = [make_line(rng, mutator, rng.choice(pool), done + i)
                 for i in range(min(500, args.count - done))]
        wants, _ = ask(args.oracle, batch)
        gots, status = ask(args.dray, batch)
        for line in batch:
            want = wants.get(line["id"])
            if want is None or want.get("error", "").startswith("old: "):
                continue  # the oracle gave up, or what was stored can't have been
            keys = differs(want, gots.get(line["id"]), args.cel)
            if keys:
                bad += 1
                if shown < args.show:
                    shown += 1
                    show(line, want, gots.get(line["id"]), keys)
        done += len(batch)
        if status != 0:
            print("dray ended with status", status)
            bad += 1
    print(done, "lines,", bad, "differences")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
