#!/usr/bin/env bash
# tools/python.sh: builds the Python package around build/release/libgibbsite.a, a wheel in
# build/python/dist, and installs it into build/python/venv, which sees Debian's NumPy and
# scikit-learn. Nothing is done again that is newer than its sources.
set -euo pipefail
cd "$(dirname "$0")/.."

python=/usr/bin/python3
out=build/python
library=$PWD/build/release/libgibbsite.a
stamp=$out/installed
log=$out/build.log

if [[ ! -e $library ]]; then
    echo "python: $library is missing; \`make build\` makes it" >&2
    exit 1
fi
if [[ -e $stamp && $stamp -nt $library && $stamp -nt tools/python.sh ]] &&
    [[ ! $(find bindings/python -newer "$stamp" -type f \
        ! -path '*/__pycache__/*' -print -quit) ]]; then
    exit 0
fi
mkdir -p "$out"
start=$SECONDS

# A copy, so that nothing is left in the checkout.
rm -rf "$out/source" "$out/dist" "$stamp"
mkdir -p "$out/source/bindings"
cp -r bindings/python "$out/source/bindings/"
for name in include src cmake CMakeLists.txt LICENSE; do ln -s "$PWD/$name" "$out/source/$name"; \
    done

run() {
    if ! "$@" >>"$log" 2>&1; then
        tail -n 40 "$log" >&2
        echo "python: $* failed (all of it: $log)" >&2
        exit 1
    fi
}
: >"$log"
GIBBSITE_LIBRARY=$library run "$python" -m build --no-isolation --wheel --outdir "$out/dist" \
    "$out/source/bindings/python"
[[ -x $out/venv/bin/python3 ]] || run "$python" -m venv --system-site-packages "$out/venv"
run "$out/venv/bin/python3" -m pip install --no-index --no-deps --force-reinstall "$out"/dist/*.whl
touch "$stamp"
echo "built $(echo "$out"/dist/*.whl) in $((SECONDS - start)) s"
