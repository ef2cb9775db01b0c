#!/bin/bash
# Manifests that users of two real drivers apply: every Pod in them finds its place on a cluster of matching
# slices. Usage: drivers.sh DRAY. Skipped where ../shared/examples is absent.
set -u
dray=$(realpath "$1") examples=../shared/examples n=0
cd "$(dirname "$0")/../.." || exit 1
if [ ! -d $examples ]; then
    echo "1..0 # SKIP no manifests here"
    exit 0
fi
# Claims or Pods of an API that was withdrawn before 1.34 (`source`, v1alpha2), a partner of such a file, and a
# Pod that wants a device that nobody has.
withdrawn=" nvidia/selectors nvidia/mig+mps "
# A rule that taints every device stands beside Pods that must not run under it: they are placed without it.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unit() { # label, cluster, files…
    n=$((n + 1))
    label=$1 cluster=$2
    shift 2
    args=()
    for f in "$@"; do args+=(-f "$f"); done
    out=$("$dray" plan -f "tests/data/drivers/$cluster.yaml" "${args[@]}" 2>&1)
    status=$?
    if [ $status = 0 ]; then
        echo "ok $n - $label: every Pod finds its place"
    else
        echo "not ok $n - $label: every Pod finds its place"
        echo "$out" | sed "s/^/# exit $status: /" | tail -n 12
    fi
}
for file in $examples/dra-example-driver/*/*.yaml; do
    unit "${file#"$examples/"}" example "$file"
done
for dir in $examples/dra-example-driver/device-taints-tolerations/*; do
    template=$(ls "$dir"/*basic-resourceclaimtemplate.yaml)
    for file in "$dir"/*.yaml; do
        case $file in
        *device-taint-rule.yaml | "$template") ;;
        *) unit "${file#"$examples/"}" example "$template" "$file" ;;
        esac
    done
    unit "${template#"$examples/"}" example "$template"
done
while read -r file; do
    name=${file#"$examples/"}
    case $withdrawn in *" $(dirname "$name") "*) continue ;; esac
    case $name in
    nvidia/gpu-cel-nomatch.yaml)
        n=$((n + 1))
        "$dray" plan -f tests/data/drivers/nvidia.yaml -f "$file" >/dev/null 2>&1
        [ $? = 3 ] && echo "ok $n - a Pod that wants what nobody has stays pending" ||
            echo "not ok $n - a Pod that wants what nobody has stays pending"
        ;;
    nvidia/pods-shared-gpu.yaml) # a template: its user puts a number in
        sed 's/__INDEX__/1/' "$file" >"$tmp/pods.yaml"
        unit "$name" nvidia "$tmp/pods.yaml" "$examples/nvidia/rc-shared-gpu.yaml"
        ;;
    *) unit "$name" nvidia "$file" ;;
    esac
done < <(find $examples/nvidia -name '*.yaml' | sort)
echo "1..$n"
