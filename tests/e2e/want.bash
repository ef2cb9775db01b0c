# Sourced by the tests that call dray as a user does: one numbered line of TAP for each `want`.
# shellcheck shell=bash
n=0
# label, wanted exit status, text that the output must hold (a fixed string; "" for none), command…
want() {
    n=$((n + 1))
    local label=$1 status=$2 text=$3
    shift 3
    out=$("$@" 2>&1)
    got=$?
    if [ $got = "$status" ] && { [ -z "$text" ] || grep -qF -- "$text" <<<"$out"; }; then
        echo "ok $n - $label"
    else
        echo "not ok $n - $label"
        echo "# exit status $got, wanted $status and: $text"
        sed 's/^/# /' <<<"$out" | cut -c1-200 | tail -n 12
    fi
}
