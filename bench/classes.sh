#!/usr/bin/env bash
# bench/classes.sh [gibbsite]: ten classes against scikit-learn (bench/classes.py says how).
set -euo pipefail
if ! /usr/bin/python3 -c 'import numpy, sklearn' 2>/dev/null; then
    echo 'left out: scikit-learn is not installed'
    exit 0
fi
exec /usr/bin/python3 "$(dirname "$0")/classes.py" "$(readlink -f "${1:-build/gibbsite}")"
