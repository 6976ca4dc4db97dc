#!/usr/bin/env bash
# bench/deployed.sh: the default fit against scikit-learn's LogisticRegressionCV, through Python
# (bench/deployed.py says how).
set -euo pipefail
cd "$(dirname "$0")/.."

python=build/python/venv/bin/python3
if [[ ! -x $python ]]; then
    echo 'left out: make python'
    exit 0
fi
exec "$python" bench/deployed.py "${GIBBSITE_DATA:-../shared/data}/adult/adult.csv.gz"
