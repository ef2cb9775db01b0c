#!/bin/bash
# Mistakes that articles teach: each gets an answer that names file, line and field and says what to write instead.
# Usage: mistakes.sh DRAY.
set -u
dray=$(realpath "$1") n=0
cd "$(dirname "$0")/../.." || exit 1
# file, line, text of the finding, text of the advice, exit status
want() {
    n=$((n + 1))
    out=$("$dray" plan -f examples/cluster -f "examples/mistakes/$1" 2>&1 >/dev/null)
    status=$?
    line=$(grep -n "examples/mistakes/$1:$2:" <<<"$out" | grep -F -- "$3" | head -n 1)
    if [ $status = "$5" ] && [ -n "$line" ] && grep -qF -- "$4" <<<"$out"; then
        echo "ok $n - $1: $3"
    else
        echo "not ok $n - $1: $3"
        echo "# exit status $status, wanted $5, line $2, advice: $4"
        sed 's/^/# /' <<<"$out" | head -n 20
    fi
}
want request-in-pod.yaml 17 'unknown field "spec.resourceClaims[0].source"' 'ResourceClaimTemplate' 1
want request-in-pod.yaml 16 'spec.resourceClaims[0].resourceClaimTemplateName: Invalid value' 'no template' 1
want flat-request.yaml 12 'unknown field "spec.spec.devices.requests[0].deviceClassName"' 'exactly:' 1
want flat-request.yaml 11 'exactly one of `exactly` or `firstAvailable` is required' 'below `exactly:`' 1
want nameless-alternative.yaml 12 'spec.devices.requests[0].firstAvailable[0].name' 'a name of its own' 1
want cut-off.yaml 9 'unexpected end of stream' 'never closed' 1
want old-admin-label.yaml 7 'resource.k8s.io/admin-access' 'resource.kubernetes.io/admin-access' 1
want old-admin-label.yaml 17 'spec.devices.requests[0].adminAccess' 'resource.kubernetes.io/admin-access' 1
want memory-is-a-capacity.yaml 9 'spec.selectors[0].cel.expression' 'device.capacity[' 1
want old-device-shape.yaml 12 'unknown field "spec.devices[0].basic"' 'v1beta1' 1
want old-device-shape.yaml 17 'stringValue' '`string:`' 1
want withdrawn-version.yaml 2 'no matches for kind "ResourceClass"' 'DeviceClass' 0
echo "1..$n"
