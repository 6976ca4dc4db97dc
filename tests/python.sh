#!/usr/bin/env bash
# tests/python.sh FILE: one file of the package's tests, in the environment that `make python`
# makes; a test that is skipped where there is none.
root=$(cd "$(dirname "$0")/.." && pwd)
python=$root/build/python/venv/bin/python3
# found, not imported: that is half of what the tests take, and theirs to do
if [[ ! -x $python ]] || ! "$python" -c 'from importlib.util import find_spec
raise SystemExit(not (find_spec("gibbsite") and find_spec("pytest")))' 2>/dev/null; then
    echo "1..0 # SKIP no Python package: make python"
    exit 0
fi
cd "${TMPDIR:-/tmp}" || exit 1
export GIBBSITE_ROOT=$root OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
# Plugins that lie about on the system are not to be loaded here.
export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
exec "$python" -m pytest -q -p no:cacheprovider --rootdir "$root/bindings/python" "$1"
