#!/usr/bin/env bash
# Kernels of OpenBLAS: on a processor that it does not know, those that the processor can run.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
need_plain_build 'kernels of OpenBLAS' || exit 0
young=$GIBBSITE_BUILD/tests/young.so
unset OPENBLAS_CORETYPE
kernels() { env "$@" "$GIBBSITE" version --json | sed -n 's/.*"kernels": *"\([^"]*\)".*/\1/p'; }
if [[ -z $(kernels) ]]; then
    skip 'kernels of OpenBLAS' 'another BLAS'
    exit 0
fi
if [[ $(uname -m) != x86_64 ]] || ! grep -qsw avx2 /proc/cpuinfo || ! grep -qsw fma /proc/cpuinfo
then
    skip 'kernels of OpenBLAS' 'a processor without AVX2 and FMA'
    exit 0
fi
fit=SkylakeX
for word in avx512{f,cd,bw,dq,vl}; do
    grep -qsw "$word" /proc/cpuinfo || fit=Haswell
done
check 'a processor that OpenBLAS knows' test "$(kernels)" != Prescott
check 'the caller has the last word' test "$(kernels OPENBLAS_CORETYPE=Prescott)" = Prescott
check "an unknown one gets the kernels for $fit" test "$(kernels LD_PRELOAD="$young")" = $fit
expect_exit 0 "$GIBBSITE" version
expect_stdout '^gibbsite .*OpenBLAS.* for [A-Z][A-Za-z]*\)$'

# The numbers are those of these kernels.
"$GIBBSITE" simulate classify --rows 500 --cols 30 -q -o rows.csv
timeless() { sed -E 's/"(seconds|read|fit|total)": ?[-+0-9.e]+//g' "$1"; }
OPENBLAS_CORETYPE=$fit "$GIBBSITE" fit rows.csv -q -o said.json
LD_PRELOAD=$young "$GIBBSITE" fit rows.csv -q -o found.json
check 'a fit is that of these kernels, to the bit' cmp <(timeless said.json) <(timeless found.json)
