#!/usr/bin/env bash
# tests/python.sh FILE: one file of the package's tests, in the environment that `make python`
# makes; a test that is skipped where there is none.
root=$(cd "$(dirname "$0")/.." && pwd)
python=$root/build/python/venv/bin/python3
if [[ ! -x $python ]] || ! "$python" -c 'import gibbsite, pytest' 2>/dev/null; then
    echo "1..0 # SKIP no Python package: make python"
    exit 0
fi
cd "${TMPDIR:-/tmp}" || exit 1
export GIBBSITE_ROOT=$root OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
exec "$python" -m pytest -q -p no:cacheprovider --rootdir "$root/bindings/python" "$1"
