#!/usr/bin/env bash
# Passes on a GPU beside the products of cuBLAS that bound them, clocks before and after:
# bench/device.c has the figures and targets.
#
#   bench/device.sh PROGRAM [pairs|particles|fit|rows|ratings]...
set -eu
bench=$(dirname "$(realpath "$1")")
[[ -x $bench/bench/device ]] && bench=$bench/bench/device || bench=$bench/release/bench/device
shift
(($#)) || set -- pairs particles fit rows ratings
clocks() {
    command -v nvidia-smi >/dev/null || return 0
    nvidia-smi \
        --query-gpu="name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,\
temperature.gpu,power.draw" \
        --format=csv,noheader
}
clocks
for part; do
    "$bench" "$part"
    clocks
done
