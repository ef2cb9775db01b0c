#!/bin/sh
# Packing on the openb traces: bench/openb.sh [TRACE|all [PACKING|all [SEEDS]]]
# OPENB is the folder of the CSV files, BUILD the build folder.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
ninja -C "$build" openb >/dev/null
exec "$build/openb" "${OPENB:-../shared/data/openb}" "$@"
