#!/usr/bin/env python3
"""A cluster of N nodes with 8 GPUs each and N pending Pods as one JSON List: bench/cluster.py N.

Nodes take turns between two models; each Pod asks by class and selector for four GPUs of the second one,
so that half of the nodes take two Pods each and nothing of that model is left. No randomness.
"""
import json
import sys

DRIVER = "gpu.example.com"


def slice_of(node, model):
    devices = [{"name": "gpu-%d" % i, "attributes": {"model": {"string": model}, "slot": {"int": i}},
                "capacity": {"memory": {"value": "80Gi"}}} for i in range(8)]
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "%s-%s" % (node, DRIVER)},
            "spec": {"driver": DRIVER, "nodeName": node, "devices": devices,
                     "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}}}


def node_of(name):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"allocatable": {"cpu": "96", "memory": "512Gi", "pods": "110"}}}


def pod_of(name):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
            "spec": {"resourceClaims": [{"name": "gpus", "resourceClaimTemplateName": "four"}],
                     "containers": [{"name": "main", "image": "main", "resources": {
                         "requests": {"cpu": "2"}, "claims": [{"name": "gpus"}]}}]}}


def cluster(n):
    cel = lambda text: [{"cel": {"expression": text}}]
    yield {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"},
           "spec": {"selectors": cel("device.driver == '%s'" % DRIVER)}}
    request = {"deviceClassName": "gpu", "count": 4, "selectors": cel("device.attributes['%s'].model == 'H100'" % DRIVER)}
    yield {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "four", "namespace": "default"},
           "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": request}]}}}}
    for i in range(n):
        yield node_of("n%05d" % i)
        yield slice_of("n%05d" % i, "H100" if i % 2 else "A100")
    for i in range(n):
        yield pod_of("p%05d" % i)


if __name__ == "__main__":
    json.dump({"apiVersion": "v1", "kind": "List", "items": list(cluster(int(sys.argv[1])))}, sys.stdout)
