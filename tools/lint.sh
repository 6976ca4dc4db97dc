#!/usr/bin/env bash
# Every static check, one line each, the details of those that fail beneath. Exit 1 when any failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

jobs=$(nproc)
log=$(mktemp)
trap 'rm -f "$log" "$log".*' EXIT
failed=0

# Tracked and new files that git does not ignore; all of them where there is no git.
list() {
    local file
    { git ls-files -co --exclude-standard -- "$@" 2>/dev/null ||
        find . -path ./build -prune -o -type f \( -name "${1}" -o -name "${2:-$1}" \) -print; } \
            | LC_ALL=C sort -u |
        while read -r file; do [[ -f $file ]] && echo "${file#./}"; done
}
mapfile -t sources < <(list '*.c' '*.h')
mapfile -t pythons < <(list '*.py')
mapfile -t scripts < <(list '*.sh' && printf '%s\n' .ci/run tests/run)

step() { # step NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    if ! command -v "$1" >/dev/null && [[ $(type -t "$1") != function ]]; then
        echo "FAIL $name: $1 is missing (tools/setup.sh lint)"
        failed=1
    elif "$@" >"$log" 2>&1; then
        printf 'ok   %s (%d s)\n' "$name" $((SECONDS - start))
    else
        printf 'FAIL %s (%d s)\n' "$name" $((SECONDS - start))
        sed 's/^/     /' "$log" | head -n 200
        failed=1
    fi
}

format() {
    clang-format --dry-run -Werror "${sources[@]}" 2>"$log.format" && return
    sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: error:.*/\1/p' "$log.format" | sort | uniq -c \
        | awk '{ print $2 ": " $1 " places" }'
    echo 'clang-format -i FILE mends it'
    return 1
}

# warnings COMPILER: everything, optimised (some warnings come with the optimiser) and with warnings
# as errors.
warnings() {
    cmake -S . -B "build/lint-$1" -G 'Unix Makefiles' -DCMAKE_C_COMPILER="$1" \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DGIBBSITE_WERROR=ON -DGIBBSITE_MAN=OFF >"build/lint-$1.log" 2>&1 \
        || { cat "build/lint-$1.log"; return 1; }
    if ! cmake --build "build/lint-$1" --parallel "$jobs" --target all tests bench -- -k \
        >"build/lint-$1.log" 2>&1; then
        grep -vE '^\[ *[0-9]+%\]|^g?make' "build/lint-$1.log"
        return 1
    fi
}

check_c() {
    mapfile -t list < <(printf '%s\n' "${sources[@]}" | grep '\.c$')
    # readdir is safe on a stream of one's own, and readdir_r is gone from new systems
    cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability \
        --inline-suppr --error-exitcode=1 \
        --suppress=readdirCalled --suppress=missingIncludeSystem --suppress=unknownMacro \
        --library=posix -D_GNU_SOURCE -D__GNUC__=12 -D__x86_64__ \
        -j "$jobs" -I include -I src -I cli "${list[@]}"
}

# Only what the clang build compiled has its flags on record: the fuzzers, for one, are not among
# them.
tidy() {
    local database=build/lint-clang/compile_commands.json
    [[ -f $database ]] || { echo 'the clang build left no compile_commands.json'; return 1; }
    command -v clang-tidy || { echo 'clang-tidy is missing (tools/setup.sh lint)'; return 1; }
    for file in "${sources[@]}"; do
        if [[ $file == *.c ]] && grep -qF "\"$PWD/$file\"" "$database"; then echo "$file"; fi
    done >"$log.files"
    xargs -P "$jobs" -n 4 clang-tidy --quiet -p build/lint-clang <"$log.files" >"$log.tidy" 2>&1
    local status=$?
    # what is wrong, without the ways that lead there: clang-tidy -p build/lint-clang FILE tells
    # them
    if grep ' error: ' "$log.tidy"; then return 1; fi
    ((status == 0)) || tail -n 20 "$log.tidy"
    return "$status"
}

mkdir -p build
step 'clang-format' format
step '100 columns' tools/check-columns.py
step 'include rules' tools/check-includes.sh
step 'citations' tools/check_citations.py
step 'references' tools/references.py
step 'seams' tools/check-seams.sh
step 'growth of the interface' tools/check-abi.py
step 'gcc -Werror' warnings gcc
step 'call graph' tools/call-graph.py build/lint-gcc --check
step 'clang -Werror' warnings clang
step 'fuzzers' tools/build.sh fuzz fuzzers # a signature that they call may have changed
step 'cppcheck' check_c
step 'clang-tidy' tidy
step 'pyflakes' pyflakes3 "${pythons[@]}"
step 'shellcheck' shellcheck --severity=warning --exclude=SC2154 --shell=bash "${scripts[@]}"
exit "$failed"
