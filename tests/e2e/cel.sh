#!/bin/bash
# `dray cel` and `dray lint` as a user calls them: values, advice, dumps, findings, exit statuses.
# Usage: cel.sh DRAY.
set -u
dray=$(realpath "$1")
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. tests/e2e/want.bash
# The same for what the output must not hold.
lacks() {
    n=$((n + 1))
    local label=$1 text=$2
    shift 2
    if "$@" 2>&1 | grep -qF -- "$text"; then echo "not ok $n - $label"; else echo "ok $n - $label"; fi
}
slice=examples/cluster/a100.yaml
model='device.attributes["gpu.example.com"].model == "A100"'
cat >"$dir/device.yaml" <<'EOT'
driver: nic.example.org
name: eth1
attributes: {speed: {int: 100}}
EOT
cat >"$dir/old.yaml" <<'EOT'
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: old}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-9, basic: {attributes: {model: {string: A100}}}}]
EOT

want "a selector on one device" 0 "gpu-0    5      true" "$dray" cel "$model" --device "$slice#gpu-0"
want "a table of several devices" 0 "gpu-3    5      true" "$dray" cel "$model" -d "$slice"
want "devices of all slices below a directory" 0 "h100-1/gpu-7" "$dray" cel "$model" -f examples/cluster
want "a bare device" 0 "eth1     5      true" "$dray" cel 'device.attributes["nic.example.org"].speed > 10' -d "$dir/device.yaml"
want "a slice of an old version" 0 "gpu-9    5      true" "$dray" cel "$model" -d "$dir/old.yaml"
want "no device of that name" 1 'there is no device "gpu-77"' "$dray" cel "$model" -d "$slice#gpu-77"
want "no such file" 1 "does not exist" "$dray" cel "$model" -d "$dir/none.yaml"
want "no expression" 2 "usage" "$dray" cel
want "an unknown dump" 2 "is not one of" "$dray" cel "$model" --dump colours
want "what needs no device has a value" 3 "value     3" "$dray" cel '1 + 2'
want "a bool without a device" 0 "value     true" "$dray" cel '1 < 2'
want "no bool is no selector" 3 "must evaluate to bool or the unknown type, not int" "$dray" cel '1 + 2'
want "a compile error with its caret" 3 " | .....................................^" "$dray" cel "device.attributes['memory'].compareTo(quantity('40Gi')) >= 0"
want "a corrected expression" 3 "try:  device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0" "$dray" cel "device.attributes['memory'].compareTo(quantity('40Gi')) >= 0"
want "a run-time error" 3 "error: no such key: profile" "$dray" cel 'device.attributes["gpu.example.com"].profile == "x"' -d "$slice#gpu-0"
want "a guard for what some devices lack" 3 "try:  has(device.attributes[\"gpu.example.com\"].profile)" "$dray" cel 'device.attributes["gpu.example.com"].profile == "3g.40gb"' -f examples/cluster
want "too costly" 3 "too complex" "$dray" cel 'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a + b != c + d))))'
want "a new function in an old release" 3 "undeclared reference to 'includes'" "$dray" cel '[1].includes(1)' --kubernetes-version 1.35
want "stored expressions may hold more" 0 "value     true" "$dray" cel '[1].includes(1)' --env stored
want "tokens" 0 '1:8     identifier   driver' "$dray" cel 'device.driver == "x"' --dump tokens
want "the tree" 0 '  select .driver' "$dray" cel 'device.driver == "x"' --dump ast
want "types" 0 'string                   device.driver' "$dray" cel 'device.driver == "x"' --dump types
want "costs" 0 '2            device.driver' "$dray" cel 'device.driver == "x"' --dump cost
want "an expression that begins with a dash goes behind --" 0 "true" "$dray" cel -- '-1 < 2'
want "and is told to" 2 "goes behind --" "$dray" cel '-1 < 2'
want "a trace has the cost of each turn of a loop" 0 "+2     true" "$dray" cel "[1, 2].all(x, x > 0)" --dump trace
want "a trace knows what was not evaluated" 0 'not evaluated' "$dray" cel "device.driver == 'x' && $model" -d "$slice" --dump trace
want "tokens of what does not compile" 3 '1:15    string       "x"' "$dray" cel 'device.driver "x"' --dump tokens,ast

cat >"$dir/claim.yaml" <<'EOT'
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        selectors:
        - cel: {expression: "device.attributes['gpu.example.com'].modell == 'A100'"}
EOT
sed 's/modell/index/' "$dir/claim.yaml" >"$dir/type.yaml"
sed "s/modell == 'A100'/model == 'B200'/" "$dir/claim.yaml" >"$dir/none.yaml"
sed 's/modell/model/' "$dir/claim.yaml" >"$dir/good.yaml"
echo 'a: [' >"$dir/broken.yaml"
want "right manifests have no findings" 0 "0 errors, 0 warnings" "$dray" lint -f examples/cluster -f "$dir/good.yaml"
cat >"$dir/derived.yaml" <<'EOT'
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: derived, namespace: default}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: gpu.example.com
        derivedAttributes:
        - {name: a.example.com/b, expression: "device.driverr"}
EOT
want "derived attributes are looked at too" 3 "derivedAttributes[0].expression: compilation failed" "$dray" lint -f "$dir/derived.yaml"
want "a misspelt attribute" 3 "try:  device.attributes['gpu.example.com'].model == 'A100'" "$dray" lint -f examples/cluster -f "$dir/claim.yaml"
want "a finding names file, line and column" 3 "$dir/claim.yaml:11:29: warning:" "$dray" lint -f examples/cluster -f "$dir/claim.yaml"
want "a comparison that is never true" 3 "[cel-no-device]" "$dray" lint -f examples/cluster -f "$dir/none.yaml"
want "without devices nothing is said of them" 0 "" "$dray" lint -f "$dir/none.yaml"
want "a compile error" 3 "[cel-compile]" "$dray" lint -f examples/mistakes/memory-is-a-capacity.yaml
lacks "a compile error is told once" "[manifest-error]" "$dray" lint -f examples/mistakes/memory-is-a-capacity.yaml
want "schema errors are findings" 3 "[manifest-error]" "$dray" lint -f examples/mistakes/flat-request.yaml
want "an unreadable document" 1 "[manifest-error]" "$dray" lint -f "$dir/broken.yaml"
want "JSON" 3 '"check": "cel-runtime"' "$dray" lint -f examples/cluster -f "$dir/claim.yaml" -o json
want "JSON is JSON" 0 "" bash -c "'$dray' lint -f examples/mistakes -o json | python3 -m json.tool"
want "SARIF is JSON" 0 '"ruleId": "cel-compile"' bash -c "'$dray' lint -f examples/mistakes -o sarif | python3 -m json.tool"
want "commands for GitHub" 3 "::error file=examples/mistakes/memory-is-a-capacity.yaml,line=9,col=19,title=cel-compile::" "$dray" lint -f examples/mistakes/memory-is-a-capacity.yaml -o github
want "no input" 2 "-f FILE is missing" "$dray" lint
echo "1..$n"
