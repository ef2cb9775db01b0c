#!/bin/bash
# `dray plan` with nodes that come and go, as a user calls it: how many are needed, which can go, what
# is in the way; packing; progress on a terminal. Usage: nodes.sh DRAY.
set -u
dray=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/want.bash"
node() { # name, devices, more labels
    cat <<YAML
---
apiVersion: v1
kind: Node
metadata: {name: $1, labels: {kubernetes.io/hostname: $1$3}}
status: {allocatable: {cpu: "8", memory: 16Gi, pods: "10"}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: $1-gpu}
spec:
  driver: gpu.example.com
  nodeName: $1
  pool: {name: $1, generation: 1, resourceSliceCount: 1}
  devices: [$(for i in $(seq "$2"); do printf '{name: gpu-%d}, ' $((i - 1)); done)]
YAML
}
template() { # name, count
    printf -- '---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: %s}\n' "$1"
    printf 'spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: %s}}]}}}\n' "$2"
}
pod() { # name, template
    cat <<YAML
---
apiVersion: v1
kind: Pod
metadata: {name: $1, namespace: default}
spec:
  containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: $2}]
YAML
}
running() { # name, node, owner's kind ("" for none), more metadata
    local owner=""
    [ -z "$3" ] || owner=", ownerReferences: [{apiVersion: apps/v1, kind: $3, name: o, uid: o, controller: true}]"
    cat <<YAML
---
apiVersion: v1
kind: Pod
metadata: {name: $1, namespace: default, uid: $1-uid, labels: {app: $1}$owner$4}
spec: {nodeName: $2, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
status: {phase: Running}
YAML
}
budget() { # name, what it says, whom it guards
    printf -- '---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: %s, namespace: default}\n' "$1"
    printf 'spec: {%s, selector: {matchLabels: {app: %s}}}\n' "$2" "$3"
}
class='apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: "device.driver == '"'gpu.example.com'"'"}}]}'
{ echo "$class"; template one 1; template two 2; node n1 2 ""; } >"$dir/one.yaml"
node big 2 "" >"$dir/big.yaml"
node small 1 "" >"$dir/small.yaml"
for i in 1 2 3 4 5; do pod "p$i" one; done >"$dir/five.yaml"
base=(-f "$dir/one.yaml" -f "$dir/five.yaml")

# --- how many ---
want "so many nodes are needed as the rest of the Pods fill" 0 "needed: 2 more like big" "$dray" plan "${base[@]}" --add-nodes "auto=$dir/big.yaml"
want "the Pods are placed on them" 0 "default/p5   big-2" "$dray" plan "${base[@]}" --add-nodes "auto=$dir/big.yaml"
want "whom one node less would leave pending is told" 0 "with one node less Pod default/p5 stays pending" "$dray" plan "${base[@]}" --add-nodes "auto=$dir/big.yaml"
want "smaller ones are more" 0 "needed: 3 more like small" "$dray" plan "${base[@]}" --add-nodes "auto=$dir/small.yaml"
want "a node of the input may be the pattern" 0 "needed: 2 more like n1" "$dray" plan "${base[@]}" --add-nodes auto=node/n1
want "one that isn't there may not" 2 "there is no such Node in the input" "$dray" plan "${base[@]}" --add-nodes auto=node/n7
want "copies of a node of the input" 3 "1 of 5 Pods stay pending" "$dray" plan "${base[@]}" --add-nodes 1=node/n1
pod wide two >"$dir/wide.yaml"
want "of several kinds as few as do beside each other" 0 "needed: 1 more like small, 2 more like big" "$dray" plan "${base[@]}" -f "$dir/wide.yaml" --add-nodes "auto=$dir/small.yaml" --add-nodes "auto=$dir/big.yaml" --packing=frag
want "what small ones can't do big ones do" 0 "needed: 0 more like small, 1 more like big" "$dray" plan -f <(echo "$class"; template two 2) -f "$dir/wide.yaml" --add-nodes "auto=$dir/small.yaml" --add-nodes "auto=$dir/big.yaml"
sed 's/name: wide/name: never/; s/cpu: "1"/cpu: "100"/' "$dir/wide.yaml" >"$dir/never.yaml"
want "nodes that help nobody aren't needed" 3 "needed: 0 more like big; no number of them helps a Pod that is pending" "$dray" plan -f "$dir/one.yaml" -f "$dir/never.yaml" --add-nodes "auto=$dir/big.yaml"
want "whom none helps doesn't count for the others" 3 "needed: 2 more like big" "$dray" plan "${base[@]}" -f "$dir/never.yaml" --add-nodes "auto=$dir/big.yaml"
want "nothing pending needs nothing" 0 "needed: 0 more like big; nothing is pending" "$dray" plan -f "$dir/one.yaml" --add-nodes "auto=$dir/big.yaml"
want "other forms tell it on standard error" 0 "needed: 2 more like big" sh -c "'$dray' plan -f '$dir/one.yaml' -f '$dir/five.yaml' --add-nodes 'auto=$dir/big.yaml' -o json 2>&1 >/dev/null"
want "tight packing needs fewer" 0 "needed: 1 more like big" "$dray" plan -f "$dir/one.yaml" -f "$dir/wide.yaml" -f <(pod a one; pod b one) --add-nodes "auto=$dir/big.yaml" --packing=frag

# --- which can go ---
{ echo "$class"; for i in 1 2 3; do node "n$i" 2 ""; done; node cp 0 ", node-role.kubernetes.io/control-plane: ''"; } >"$dir/three.yaml"
{ running web n2 ReplicaSet ""; running log n2 DaemonSet ""; } >"$dir/web.yaml"
three=(-f "$dir/three.yaml" -f "$dir/web.yaml")
want "what nobody needs can go, the emptiest first" 0 "can go: 3 of 4 nodes" "$dray" plan "${three[@]}" --remove-nodes auto
want "with what runs there, if it finds another node" 0 "default/web   cp" "$dray" plan "${three[@]}" --remove-nodes auto
want "a DaemonSet's Pod is nobody that moves" 0 "n2   goes   1 Pod moves" "$dray" plan "${three[@]}" --remove-nodes auto
want "the control plane stays" 0 "it is of the control plane" "$dray" plan "${three[@]}" --remove-nodes auto -o wide
want "a Pod without a controller keeps its node" 0 "Pod default/bare would be lost: no controller makes it anew" "$dray" plan "${three[@]}" -f <(running bare n1 "" "") --remove-nodes auto -o wide
want "so does one that says that it isn't safe to evict" 0 "Pod default/web is not safe to evict" "$dray" plan -f "$dir/three.yaml" -f <(running web n2 ReplicaSet ", annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: 'false'}") --remove-nodes auto -o wide
want "and a budget that allows nothing" 0 "PodDisruptionBudget default/b allows no disruption of Pod web" "$dray" plan "${three[@]}" -f <(budget b "minAvailable: 1" web) --remove-nodes auto -o wide
want "or nothing in per cent" 0 "PodDisruptionBudget default/b allows no disruption of Pod web" "$dray" plan "${three[@]}" -f <(budget b "maxUnavailable: 0%" web) --remove-nodes auto -o wide
want "one that allows a Pod does not" 0 "can go: 3 of 4 nodes" "$dray" plan "${three[@]}" -f <(budget b "maxUnavailable: 1" web) --remove-nodes auto
want "two budgets for a Pod do" 0 "more than one PodDisruptionBudget" "$dray" plan "${three[@]}" -f <(budget b "maxUnavailable: 1" web; budget c "maxUnavailable: 1" web) --remove-nodes auto -o wide
want "what the controller wrote counts more than what is said" 0 "allows no disruption" "$dray" plan "${three[@]}" -f <(budget b "maxUnavailable: 1" web; echo "status: {observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1}") --remove-nodes auto -o wide
want "devices that pending Pods need keep nodes too" 0 "can go: 1 of 4 nodes" "$dray" plan -f "$dir/three.yaml" -f <(template two 2; pod a two; pod b two) --remove-nodes auto
want "with who needs them" 0 "Pod default/b would stay pending" "$dray" plan -f "$dir/three.yaml" -f <(template two 2; pod a two; pod b two) --remove-nodes auto -o wide
want "who is pending anyway keeps nothing" 3 "can go: 3 of 4 nodes" "$dray" plan "${three[@]}" -f "$dir/never.yaml" -f <(template two 2) --remove-nodes auto
want "a node that is named says what draining would wait for" 0 "node n2 couldn't be drained: PodDisruptionBudget default/b" "$dray" plan "${three[@]}" -f <(budget b "minAvailable: 1" web) --remove-nodes n2
want "nodes come and go in one plan" 0 "can go: 1 of 1 nodes" "$dray" plan -f "$dir/one.yaml" --remove-nodes auto --add-nodes "1=$dir/big.yaml"

# --- figures and progress ---
want "fragments are told with -o wide" 3 "fragments: 1.00 of 1.00 free devices (100.0 %)" "$dray" plan -f <(echo "$class"; template two 2; cat "$dir/small.yaml") -f "$dir/wide.yaml" -o wide
want "devices that all nodes reach count once" 3 "fragments: 1.00 of 1.00 free devices" "$dray" plan -f <(echo "$class"; template two 2; node n1 1 "" | sed 's/nodeName: n1/allNodes: true/'; node n2 0 "" | sed '/^apiVersion: resource/,$d') -f "$dir/wide.yaml" -o wide
want "nothing is told on what is no terminal" 0 "" sh -c "'$dray' plan -f '$dir/one.yaml' --progress -o name"
terminal() { # runs the command with a terminal for standard error
    python3 - "$@" <<'PY'
import os, pty, sys
status = pty.spawn(sys.argv[1:])
sys.exit(os.waitstatus_to_exitcode(status))
PY
}
want "on a terminal the Pods are counted" 3 "of 5 Pods tried" terminal "$dray" plan "${base[@]}" --progress
want "and the trials" 0 "trial 2" terminal "$dray" plan "${base[@]}" --add-nodes "auto=$dir/big.yaml" --progress
echo "1..$n"
