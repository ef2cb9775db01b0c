#!/usr/bin/env python3
"""Packing of what openb hasn't: partitions, shares of two capacities, devices that must lie together.

    bench/packing.py DRAY [SEEDS [NODES]]     mean share given away by each --packing, seeds 1 to SEEDS (10)
    bench/packing.py --print SHAPE SEED NODES one cluster as a JSON List: mig, shares or pairs

A cluster is NODES nodes (32) of 8 GPUs, on some of which, drawn by the seed, something small runs already, and
Pods drawn by fixed weights until all that is free is asked for; the figure is how much of it they got.
"""
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

DRIVER = "gpu.example.com"
GPUS = 8
DEVICES_MAX = 64  # of a slice with counters


def selector(text):
    return [{"cel": {"expression": text}}]


def attribute(name, value):
    return "device.attributes['%s'].%s == '%s'" % (DRIVER, name, value)


def request(name, **more):
    return {"name": name, "exactly": dict(deviceClassName="gpu", **more)}


# --- mig: an A100's profiles, with the places where they may lie ---

PROFILES = {"1g.5gb": (14, 1, range(7)), "2g.10gb": (28, 2, (0, 2, 4)), "3g.20gb": (42, 4, (0, 4)),
            "4g.20gb": (56, 4, (0,)), "7g.40gb": (98, 8, (0,))}


def mig_devices():
    for gpu in range(GPUS):
        for profile, (cores, slices, places) in PROFILES.items():
            for place in places:
                counters = {"cores": {"value": str(cores)}}
                counters.update({"slice-%d" % i: {"value": "1"} for i in range(place, place + slices)})
                yield {"name": "gpu-%d-%s-%d" % (gpu, profile.replace(".", "-"), place),
                       "attributes": {"profile": {"string": profile}},
                       "consumesCounters": [{"counterSet": "gpu-%d" % gpu, "counters": counters}]}


def mig_sets():
    counters = {"cores": {"value": "98"}}
    counters.update({"slice-%d" % i: {"value": "1"} for i in range(8)})
    return [{"name": "gpu-%d" % gpu, "counters": counters} for gpu in range(GPUS)]


# Weight, GPUs' worth, requests, constraints.
MIG = [(weight, PROFILES[p][0] / 98, [request("gpu", selectors=selector(attribute("profile", p)))], [])
       for weight, p in ((40, "1g.5gb"), (20, "2g.10gb"), (20, "3g.20gb"), (5, "4g.20gb"), (15, "7g.40gb"))]

# --- shares: memory and cores of a GPU, in shares that want one more than the other ---


def shares_devices():
    for gpu in range(GPUS):
        yield {"name": "gpu-%d" % gpu, "allowMultipleAllocations": True,
               "capacity": {"memory": {"value": "80Gi"}, "cores": {"value": "100"}}}


SHARES = [(weight, (memory / 80 + cores / 100) / 2,
           [request("gpu", capacity={"requests": {"memory": "%dGi" % memory, "cores": str(cores)}})], [])
          for weight, memory, cores in ((30, 10, 10), (20, 30, 10), (15, 10, 40), (15, 50, 20), (10, 20, 70), (10, 80, 100))]

# --- pairs: 8 GPUs and 4 NICs below 4 PCIe roots and 2 NUMA nodes ---


def pairs_devices():
    for gpu in range(GPUS):
        yield {"name": "gpu-%d" % gpu, "attributes": {
            "kind": {"string": "gpu"}, "root": {"string": "pci%d" % (gpu // 2)}, "numa": {"int": gpu // 4}}}
    for nic in range(4):
        yield {"name": "nic-%d" % nic, "attributes": {
            "kind": {"string": "nic"}, "root": {"string": "pci%d" % nic}, "numa": {"int": nic // 2}}}


def gpus(n, **more):
    return request("gpu", count=n, selectors=selector(attribute("kind", "gpu")), **more)


NIC = request("nic", selectors=selector(attribute("kind", "nic")))


def match(name):
    return [{"matchAttribute": "%s/%s" % (DRIVER, name)}]


PAIRS = [(25, 1, [gpus(1)], []), (35, 1, [gpus(1), NIC], match("root")), (15, 2, [gpus(2), NIC], match("root")),
         (20, 4, [gpus(4)], match("numa")), (5, 8, [gpus(8)], [])]

SHAPES = {"mig": (mig_devices, MIG), "shares": (shares_devices, SHARES), "pairs": (pairs_devices, PAIRS)}

# --- what runs already, on so many of the GPUs ---

BUSY = {"mig": 0.5, "shares": 0.5, "pairs": 0.1}


def held_of(shape, gpu, draw):
    if shape == "mig":
        profile = draw.choice(("1g.5gb", "1g.5gb", "2g.10gb"))
        place = draw.choice(PROFILES[profile][2])
        return {"device": "gpu-%d-%s-%d" % (gpu, profile.replace(".", "-"), place)}, PROFILES[profile][0] / 98
    if shape == "shares":
        memory, cores = draw.choice(((10, 10), (10, 40), (30, 10)))
        return {"device": "gpu-%d" % gpu, "shareID": "%08x-0000-4000-8000-000000000000" % draw.getrandbits(32),
                "consumedCapacity": {"memory": "%dGi" % memory, "cores": str(cores)}}, (memory / 80 + cores / 100) / 2
    return {"device": "gpu-%d" % gpu}, 1


def held_claims(node, shape, draw):
    for gpu in range(GPUS):
        if draw.random() >= BUSY[shape]:
            continue
        held, worth = held_of(shape, gpu, draw)
        result = dict(request="gpu", driver=DRIVER, pool=node, **held)
        yield worth, {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                      "metadata": {"name": "held-%s-%d" % (node, gpu), "namespace": "default"},
                      "spec": {"devices": {"requests": [request("gpu")]}},
                      "status": {"allocation": {"devices": {"results": [result]}}}}


def slices_of(node, shape):
    devices = list(SHAPES[shape][0]())
    parts = [{"devices": devices[i:i + DEVICES_MAX]} for i in range(0, len(devices), DEVICES_MAX)]
    if shape == "mig":
        parts.append({"sharedCounters": mig_sets()})
    pool = {"name": node, "generation": 1, "resourceSliceCount": len(parts)}
    for number, part in enumerate(parts):
        yield {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "%s-%d" % (node, number)},
               "spec": dict(driver=DRIVER, nodeName=node, pool=pool, **part)}


def template_of(number, requests, constraints):
    devices = {"requests": requests}
    if constraints:
        devices["constraints"] = constraints
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
            "metadata": {"name": "t%d" % number, "namespace": "default"}, "spec": {"spec": {"devices": devices}}}


def pod_of(number, kind):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p%05d-%d" % (number, kind), "namespace": "default"},
            "spec": {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t%d" % kind}],
                     "containers": [{"name": "main", "image": "main", "resources": {"requests": {"cpu": "1"}}}]}}


def cluster(shape, seed, nodes):
    kinds = SHAPES[shape][1]
    draw = random.Random(seed)
    yield {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}
    for number, (_, _, requests, constraints) in enumerate(kinds):
        yield template_of(number, requests, constraints)
    free = GPUS * nodes
    for i in range(nodes):
        name = "n%04d" % i
        yield {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
               "status": {"allocatable": {"cpu": "96", "memory": "512Gi", "pods": "250"}}}
        yield from slices_of(name, shape)
        for worth, claim in held_claims(name, shape, draw):
            free -= worth
            yield claim
    number = 0
    while free > 0:
        kind = draw.choices(range(len(kinds)), [k[0] for k in kinds])[0]
        yield pod_of(number, kind)
        free -= kinds[kind][1]
        number += 1


def worth_of(shape, name):
    return SHAPES[shape][1][int(name.rsplit("-", 1)[1])][1]


def given(dray, path, shape, packing, free):
    """Per cent of what was free, and the seconds of processor that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([dray, "plan", "-f", path, "-o", "name", "--packing", packing], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):
        sys.exit("%s: exit status %d" % (dray, done.returncode))
    worth = sum(worth_of(shape, line) for line in done.stdout.split())
    return worth / free * 100, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    if sys.argv[1] == "--print":
        shape, seed, nodes = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
        json.dump({"apiVersion": "v1", "kind": "List", "items": list(cluster(shape, seed, nodes))}, sys.stdout)
        return
    dray, seeds, nodes = sys.argv[1], int((sys.argv[2:] + ["10"])[0]), int((sys.argv[3:] + ["32"])[0])
    print("%-8s" % "shape" + "".join("%8s %8s" % (p, "longest") for p in ("first", "spread", "pack", "frag")))
    for shape in SHAPES:
        sums, longest = {}, {}
        for seed in range(1, seeds + 1):
            handle, path = tempfile.mkstemp(suffix=".json")
            items = list(cluster(shape, seed, nodes))
            free = sum(worth_of(shape, o["metadata"]["name"]) for o in items if o["kind"] == "Pod")
            with os.fdopen(handle, "w") as file:
                json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)
            for packing in ("first", "spread", "pack", "frag"):
                share, took = given(dray, path, shape, packing, free)
                sums[packing] = sums.get(packing, 0) + share
                longest[packing] = max(longest.get(packing, 0), took)
            os.unlink(path)
        print("%-8s" % shape + "".join("%8.2f %6.2f s" % (sums[p] / seeds, longest[p]) for p in sums), flush=True)


if __name__ == "__main__":
    main()
