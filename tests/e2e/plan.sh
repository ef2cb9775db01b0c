#!/bin/bash
# `dray plan`, `explain`, `convert`, `version` as a user calls them: answers, exit statuses, messages.
# Usage: plan.sh DRAY.
set -u
dray=$(realpath "$1")
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. tests/e2e/want.bash
cat >"$dir/cluster.yaml" <<'EOF'
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status: {allocatable: {cpu: "8", memory: 16Gi, pods: "10"}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec:
  selectors: [{cel: {expression: "device.driver == 'gpu.example.com'"}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-gpu}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}, {name: gpu-1}]
EOF
cat >"$dir/template.yaml" <<'EOF'
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}
EOF
deployment() { # replicas
    cat <<EOF
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: $1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
      resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
EOF
}
deployment 2 >"$dir/two.yaml"
deployment 3 >"$dir/three.yaml"
base=(-f "$dir/cluster.yaml" -f "$dir/template.yaml")

want "a Deployment's Pods find their devices" 0 "gpu=gpu-1" "$dray" plan "${base[@]}" -f "$dir/two.yaml"
want "what is left is told per class" 0 "gpu     0      2" "$dray" plan "${base[@]}" -f "$dir/two.yaml"
want "one Pod too many is the answer no" 3 "cannot allocate all claims" "$dray" plan "${base[@]}" -f "$dir/three.yaml"
want "standard input is read" 0 "gpu=gpu-0" sh -c "cat '$dir/cluster.yaml' '$dir/sep' '$dir/template.yaml' '$dir/sep' '$dir/two.yaml' 2>/dev/null | sed 's/^apiVersion/---\n&/' | '$dray' plan -f -"
want "a directory is read" 3 "default/web-2" sh -c "mkdir '$dir/d' && cp '$dir'/cluster.yaml '$dir'/template.yaml '$dir'/three.yaml '$dir/d' && '$dray' plan -f '$dir/d'"
want "directories below only with -R" 1 "" sh -c "mkdir -p '$dir/e/f' && echo x > '$dir/e/f/x.yaml' && '$dray' plan -f '$dir/e' -R"
want "claims are printed with their allocation" 0 "device: gpu-0" "$dray" plan "${base[@]}" -f "$dir/two.yaml" -o yaml
want "and protected from deletion" 0 "resource.kubernetes.io/delete-protection" "$dray" plan "${base[@]}" -f "$dir/two.yaml" -o json
want "names alone" 0 "pod/web-1" "$dray" plan "${base[@]}" -f "$dir/two.yaml" -o name
"$dray" plan "${base[@]}" -f "$dir/two.yaml" -o yaml >"$dir/placed.yaml" 2>/dev/null
want "the answer is input again: nothing is pending then" 0 "no pending Pod" "$dray" plan "${base[@]}" -f "$dir/placed.yaml"
want "a placed Pod is explained by its devices" 0 "gpu.example.com" "$dray" explain pod/web-0 "${base[@]}" -f "$dir/placed.yaml"
cat >"$dir/late.yaml" <<'EOF'
apiVersion: v1
kind: Pod
metadata: {name: late}
spec:
  containers: [{name: c, image: i}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
EOF
want "who holds the device is named" 3 "by default/web-0" "$dray" explain pod/late "${base[@]}" -f "$dir/placed.yaml" -f "$dir/late.yaml"
want "and how to free it is written out" 3 "kubectl delete pod web-0 -n default" "$dray" explain pod/late "${base[@]}" -f "$dir/placed.yaml" -f "$dir/late.yaml"
want "a field that changes is told with both values" 3 'resourceClaimTemplateName: "onee" → "one"' sh -c \
    "sed 's/Name: one/Name: onee/' '$dir/late.yaml' | '$dray' explain pod/late ${base[*]} -f -"
want "a Deployment whose Pods are there makes no more" 0 "no pending Pod" "$dray" plan "${base[@]}" -f "$dir/placed.yaml" -f "$dir/two.yaml"
want "a Pod that isn't there is an error" 1 "there is no Pod" "$dray" explain pod/none "${base[@]}"
want "nonsense instead of pod/NAME is a usage error" 2 "pod/NAME" "$dray" explain nonsense "${base[@]}"
want "an unknown flag is a usage error" 2 "unknown flag" "$dray" plan --nonsense
want "-f is needed" 2 "-f FILE is missing" "$dray" plan
want "help is no error" 0 "usage: dray plan" "$dray" plan --help
want "an unknown gate is told" 2 "Nonsense" "$dray" plan "${base[@]}" --feature-gates Nonsense=true
want "an unknown release is told" 2 "1.99" "$dray" plan "${base[@]}" --kubernetes-version 1.99
want "the version names the releases" 0 "1.37" "$dray" version

want "a missing file is named" 1 "$dir/gone.yaml: error: does not exist" "$dray" plan -f "$dir/gone.yaml"
printf 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: "x\n' >"$dir/cut.yaml"
want "a file that is cut off is named with its line" 1 "cut.yaml:" "$dray" plan "${base[@]}" -f "$dir/two.yaml" -f "$dir/cut.yaml"
want "the good documents beside it are used" 1 "gpu=gpu-1" "$dray" plan "${base[@]}" -f "$dir/two.yaml" -f "$dir/cut.yaml"
want "and the answer says so" 1 "left out because of errors" "$dray" plan "${base[@]}" -f "$dir/two.yaml" -f "$dir/cut.yaml"
printf 'apiVersion: v1\nkind: Pod\0\n' >"$dir/nul.yaml"
want "a NUL byte has its place" 1 "nul.yaml:2:10: error: a NUL byte" "$dray" plan -f "$dir/nul.yaml"
printf 'kind: "\xff"\n' >"$dir/utf8.yaml"
want "bytes that are no UTF-8 have their place" 1 "utf8.yaml:1:8: error: byte 0xff" "$dray" plan -f "$dir/utf8.yaml"
head -c 100000 /dev/zero | tr '\0' '[' >"$dir/deep.yaml"
want "depth is bounded" 1 "deep.yaml:1:" "$dray" plan -f "$dir/deep.yaml"
truncate -s 1100M "$dir/huge.yaml"
want "size is bounded" 1 "larger than 1 GiB" "$dray" plan -f "$dir/huge.yaml"
cat >"$dir/bomb.yaml" <<'EOF'
a: &a [x, x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]
f: [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]
EOF
want "an alias bomb doesn't go off" 1 "bomb.yaml:" "$dray" plan -f "$dir/bomb.yaml"
printf 'apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: x}\n' >"$dir/foo.yaml"
printf '{"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"bare"},"spec":{"containers":[{"name":"c","image":"i"}]}}]}' >"$dir/list.json"
want "a typed list's items need not name their kind" 0 "default/bare" "$dray" plan "${base[@]}" -f "$dir/list.json"
mkfifo "$dir/pipe"
want "a pipe is read" 0 "default/bare" sh -c "cat '$dir/list.json' >'$dir/pipe' & '$dray' plan -f '$dir/cluster.yaml' -f '$dir/pipe'"
want "a kind that isn't served is a warning" 0 'no matches for kind "Foo"' "$dray" plan "${base[@]}" -f "$dir/two.yaml" -f "$dir/foo.yaml"
cat >"$dir/flat.yaml" <<'EOF'
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: flat}
spec:
  devices:
    requests:
    - name: gpu
      deviceClassName: gpu
EOF
want "a flat request in v1 is refused at its line" 1 "flat.yaml:7:" "$dray" plan "${base[@]}" -f "$dir/flat.yaml"
want "with what to write instead" 1 "below \`exactly:\`" "$dray" plan "${base[@]}" -f "$dir/flat.yaml"
sed 's|/v1$|/v1beta1|' "$dir/flat.yaml" >"$dir/beta.yaml"
want "the same is right in v1beta1 and converts" 0 "exactly:" "$dray" convert -f "$dir/beta.yaml" --to v1
want "and back" 0 "- allocationMode: ExactCount" sh -c "'$dray' convert -f '$dir/beta.yaml' --to v1 | '$dray' convert -f - --to v1beta1"
want "where to is needed" 2 "--to is missing" "$dray" convert -f "$dir/beta.yaml"
printf 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: adm\n  labels: {resource.k8s.io/admin-access: "true"}\n' >"$dir/ns.yaml"
want "the old admin label is pointed out" 0 "resource.kubernetes.io/admin-access" "$dray" plan "${base[@]}" -f "$dir/two.yaml" -f "$dir/ns.yaml"
# --- what is left of shared devices ---
cat >"$dir/shared.yaml" <<'EOF'
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "8", memory: 16Gi, pods: "10"}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: part}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d
  nodeName: n1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: a, allowMultipleAllocations: true, capacity: {memory: {value: 80Gi}, cores: {value: "10"}}}
  - {name: b, allowMultipleAllocations: true, capacity: {memory: {value: 80Gi}, cores: {value: "10"}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: part, capacity: {requests: {memory: 20Gi, cores: "1"}}}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: i}]
  resourceClaims: [{name: x, resourceClaimName: c}]
EOF
want "what is left of a shared device is told by its scarcest capacity" 0 "part    1 + 0.75 of 1 shared   2" "$dray" plan -f "$dir/shared.yaml"
# --- evicting ---
cat >"$dir/evict.yaml" <<'EOF'
apiVersion: v1
kind: Pod
metadata: {name: owned, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}
spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "4"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: urgent}
spec: {priority: 9, containers: [{name: c, image: i, resources: {requests: {cpu: "8"}}}]}
EOF
want "an evicted Pod that has a controller is pending again" 3 "default/owned    <none>" "$dray" plan "${base[@]}" -f "$dir/evict.yaml" --preemption
want "one without is named" 3 "preempts default/bare on n1: no controller makes it anew" "$dray" plan "${base[@]}" -f "$dir/evict.yaml" --preemption
want "nobody goes unasked" 3 "default/urgent   <none>" "$dray" plan "${base[@]}" -f "$dir/evict.yaml"
# --- nodes that come and go ---
cat >"$dir/node.yaml" <<'EOF'
apiVersion: v1
kind: Node
metadata: {name: big, labels: {kubernetes.io/hostname: big}}
status: {allocatable: {cpu: "8", memory: 16Gi, pods: "10"}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: big-gpu}
spec:
  driver: gpu.example.com
  nodeName: big
  pool: {name: big, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
EOF
deployment 4 >"$dir/four.yaml"
want "four Pods find two devices" 3 "2 of 4 Pods stay pending" "$dray" plan "${base[@]}" -f "$dir/four.yaml"
want "copies of a node bring their devices" 0 "gpu.example.com/big-2/gpu-0" "$dray" plan "${base[@]}" -f "$dir/four.yaml" --add-nodes "2=$dir/node.yaml" -o wide
want "a copy wants a number" 2 "wants NUMBER=FILE" "$dray" plan "${base[@]}" --add-nodes "x=$dir/node.yaml"
want "a file of copies holds one node" 2 "has no Node" "$dray" plan "${base[@]}" --add-nodes "1=$dir/four.yaml"
want "a node that is not there can't go" 2 'there is no Node "n9"' "$dray" plan "${base[@]}" --remove-nodes n9
cat >"$dir/running.yaml" <<'EOF'
apiVersion: v1
kind: Pod
metadata: {name: made, namespace: default, uid: u1, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: r, controller: true}]}
spec:
  nodeName: n1
  containers: [{name: c, image: i}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
status: {phase: Running, resourceClaimStatuses: [{name: gpu, resourceClaimName: made-gpu}]}
---
apiVersion: v1
kind: Pod
metadata: {name: bare, namespace: default, uid: u2}
spec: {nodeName: n1, containers: [{name: c, image: i}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: made-gpu, namespace: default, ownerReferences: [{apiVersion: v1, kind: Pod, name: made, uid: u1, controller: true}]}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
status:
  reservedFor: [{resource: pods, name: made, uid: u1}]
  allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: n1, device: gpu-0}]}}
EOF
moved=("${base[@]}" -f "$dir/running.yaml" --remove-nodes n1 --add-nodes "1=$dir/node.yaml")
want "what ran on a node that goes finds another" 0 "big-1" "$dray" plan "${moved[@]}"
want "with devices there" 0 "gpu=gpu-0" "$dray" plan "${moved[@]}"
want "a bare Pod is lost with its node" 0 "Pod default/bare is lost with node n1" "$dray" plan "${moved[@]}"
want "no progress where nobody looks" 0 "default/made" "$dray" plan "${moved[@]}" --progress
# --- groups: all or none ---
gang() { # minCount, Pods, priority of the group
    cat <<EOF
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: ring, namespace: default}
spec:
  schedulingPolicy: {gang: {minCount: $1}}
  priority: $3
EOF
    for i in $(seq "$2"); do
        cat <<EOF
---
apiVersion: v1
kind: Pod
metadata: {name: ring-$i, namespace: default}
spec:
  schedulingGroup: {podGroupName: ring}
  containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
EOF
    done
}
gang 3 3 0 >"$dir/gang3.yaml"
gang 2 3 0 >"$dir/gang2.yaml"
gang 4 3 0 >"$dir/gang4.yaml"
gang 2 2 7 >"$dir/gang7.yaml"
gates=(--feature-gates GenericWorkload=true)
want "a group that doesn't fit whole gets nothing" 3 "3 of 3 Pods stay pending" "$dray" plan "${base[@]}" -f "$dir/gang3.yaml" "${gates[@]}"
want "its Pods say how many found a node" 3 "pod group is unschedulable, minCount (3) cannot be satisfied: 2 scheduled, 0 remaining, pod group preemption: No preemption victims found for incoming preemptor" "$dray" plan "${base[@]}" -f "$dir/gang3.yaml" "${gates[@]}"
want "one that fits by minCount is placed" 3 "1 of 3 Pods stay pending" "$dray" plan "${base[@]}" -f "$dir/gang2.yaml" "${gates[@]}"
want "a group waits for its Pods" 3 "waiting for minCount pods from a gang to appear in scheduling queue" "$dray" plan "${base[@]}" -f "$dir/gang4.yaml" "${gates[@]}"
want "a group's priority is that of its Pods" 3 "the pod group's priority, got 0 and 7" "$dray" plan "${base[@]}" -f "$dir/gang7.yaml" "${gates[@]}"
sed -n '/kind: Pod$/,/^---/p' "$dir/gang2.yaml" | sed '/^---/,$d; s/ring-1/lone/; /schedulingGroup/d; 1i apiVersion: v1' >"$dir/lone.yaml"
want "what a group gave back others get" 3 "default/lone     n1       gpu=gpu-0" "$dray" plan "${base[@]}" -f "$dir/gang3.yaml" -f "$dir/lone.yaml" "${gates[@]}"
want "without the gate there are no groups" 3 "1 of 3 Pods stay pending" "$dray" plan "${base[@]}" -f "$dir/gang3.yaml"
sed 's/^  priority: 0/  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]/' "$dir/gang3.yaml" >"$dir/shared.yaml"
shared=("${base[@]}" -f "$dir/shared.yaml" --feature-gates GenericWorkload=true,DRAWorkloadResourceClaims=true)
want "Pods of a group share its claim" 0 "ring-3   n1     gpu=gpu-0" "$dray" plan "${shared[@]}"
want "which is reserved for the group" 0 "resource: podgroups" "$dray" plan "${shared[@]}" -o yaml
# --- preemption ---
running() { # name, cpu, claim
    cat <<EOF
---
apiVersion: v1
kind: Pod
metadata: {name: $1, namespace: default, uid: $1-uid}
spec:
  nodeName: n1
  priority: $4
  containers: [{name: c, image: i, resources: {requests: {cpu: "$2"}}}]
  resourceClaims: [{name: gpu, resourceClaimName: $3}]
status: {phase: Running}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: $3, namespace: default}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
status:
  reservedFor: [{resource: pods, name: $1, uid: $1-uid}]
  allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: n1, device: $5}]}}
EOF
}
{ running low 3 held-0 5 gpu-0; running lower 3 held-1 1 gpu-1; } >"$dir/held.yaml"
urgent() { # cpu, claims?
    printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: urgent, namespace: default}\nspec:\n  priority: 9\n'
    printf '  containers: [{name: c, image: i, resources: {requests: {cpu: "%s"}}}]\n' "$1"
    [ -z "$2" ] || printf '  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]\n'
}
urgent 5 "" >"$dir/cpu.yaml"
urgent 1 claims >"$dir/device.yaml"
held=("${base[@]}" -f "$dir/held.yaml")
want "nobody is preempted unasked" 3 "preempting 1 victims" "$dray" plan "${held[@]}" -f "$dir/cpu.yaml"
want "the victim is the Pod of the lowest priority that does" 0 "default/urgent preempts default/lower on n1" "$dray" plan "${held[@]}" -f "$dir/cpu.yaml" --preemption
want "devices are no reason to preempt" 3 "Preemption is not helpful for scheduling" "$dray" plan "${held[@]}" -f "$dir/device.yaml" --preemption
want "unless that is asked for" 0 "gpu=gpu-1" "$dray" plan "${held[@]}" -f "$dir/device.yaml" --preempt-devices
want "one victim is enough" 0 "default/urgent preempts default/lower on n1" "$dray" plan "${held[@]}" -f "$dir/device.yaml" --preempt-devices
echo "1..$n"
