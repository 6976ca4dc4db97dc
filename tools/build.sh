#!/usr/bin/env bash
# tools/build.sh PRESET [TARGET...]: configures when needed and builds build/PRESET. Silent but for
# warnings, errors and one closing line; the whole story is in build/PRESET.log.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:?usage: tools/build.sh PRESET [TARGET...]}
shift
dir=build/$preset
log=build/$preset.log

if ! command -v cmake >/dev/null; then
    echo "build: cmake is missing; \`make setup\` installs it on Debian" >&2
    exit 1
fi
mkdir -p build
start=$SECONDS

if [[ ! -f $dir/Makefile || CMakePresets.json -nt $dir/CMakeCache.txt ]]; then
    if ! cmake --preset "$preset" >"$log" 2>&1; then
        cat "$log" >&2
        echo "build: cmake --preset $preset failed" >&2
        exit 1
    fi
fi

# Progress lines and make's own closing words say nothing that the errors do not.
noise='^\[ *[0-9]+%\]|^(g?make)(\[[0-9]+\])?: \*\*\* \[(CMakeFiles|Makefile)|: \*\*\* Waiting for'
noise+='|^-- |^Consolidate|^Scanning'
target=("$@")
if ! cmake --build "$dir" --parallel "$(nproc)" ${target:+--target "${target[@]}"} >"$log" 2>&1
then
    grep -Ev "$noise" "$log" >&2 || tail -n 40 "$log" >&2
    echo "build: $dir failed (all of it: $log)" >&2
    exit 1
fi
if grep -qE 'warning:|Warning' "$log"; then
    grep -Ev "$noise" "$log" >&2 || true
fi
what=${target[*]-}
((${#target[@]} <= 3)) || what="${#target[@]} targets"
echo "built $dir${what:+ ($what)} in $((SECONDS - start)) s"
