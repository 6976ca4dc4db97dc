#!/usr/bin/env bash
# tools/fuzz.sh [NAME...]: builds the fuzzers and runs each (or those named) for FUZZ_SECONDS (60),
# from a fresh corpus that starts with fuzz/seeds/NAME/ where that exists (CSV files: with those of
# tests/messy), and fuzz/NAME.dict. Exit 1 on a finding; what caused it is kept in
# build/fuzz/findings/.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

seconds=${FUZZ_SECONDS:-60}
tools/build.sh fuzz fuzzers || exit 1

shopt -s nullglob
names=("$@")
((${#names[@]})) || for source in fuzz/*.c; do names+=("$(basename "$source" .c)"); done
if ((${#names[@]} == 0)); then
    echo 'fuzz: there is no fuzz/*.c' >&2
    exit 1
fi

export ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
mkdir -p build/fuzz/findings

# messy NAME: a folder of seeds made of tests/messy, for the fuzzers of CSV files: each file behind
# the byte that chooses the options, twice.
messy() {
    local folder=build/fuzz/messy file at=0
    case $1 in fuzz_csv | fuzz_evaluate) ;; *) return 0 ;; esac
    mkdir -p "$folder"
    for file in tests/messy/*/*.csv; do
        { printf '\x1f' && cat "$file"; } >"$folder/$((at++))"
        { printf '\x5f' && cat "$file"; } >"$folder/$((at++))"
    done
    echo "$folder"
}

failed=0
for name in "${names[@]}"; do
    target=build/fuzz/fuzz/$name
    if [[ ! -x $target ]]; then
        echo "FAIL $name: no such fuzzer"
        failed=1
        continue
    fi
    corpus=build/fuzz/corpus/$name
    log=build/fuzz/$name.log
    rm -rf "$corpus"
    mkdir -p "$corpus"
    extra=()
    [[ -f fuzz/$name.dict ]] && extra+=("-dict=fuzz/$name.dict")
    seeds=()
    [[ -d fuzz/seeds/$name ]] && seeds+=("fuzz/seeds/$name")
    extra_seeds=$(messy "$name")
    [[ $extra_seeds ]] && seeds+=("$extra_seeds")
    if "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/findings/$name-" "${extra[@]}" "$corpus" "${seeds[@]}" \
        >"$log" 2>&1 </dev/null; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        cover=$(grep -oE 'cov: [0-9]+' "$log" | tail -n 1)
        echo "ok   $name: ${runs:-?} runs in $seconds s, ${cover:-cov: ?}"
    else
        echo "FAIL $name: see $log"
        grep -vE '^#[0-9]+|^(INFO|stat::)' "$log" | tail -n 60 | sed 's/^/     /'
        failed=1
    fi
done
exit "$failed"
