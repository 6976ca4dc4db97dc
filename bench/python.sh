#!/usr/bin/env bash
# bench/python.sh: a fit and predictions of 100,000 x 50 rows through Python, over those by the C
# call: processor seconds, the least of three runs of each, taken in turn. Wanted: at most 1.03.
# Beside them the peak of the memory: what Python holds before the fit, and the rows once, not
# twice. Then how soon Ctrl-C is heard; wanted: within 100 ms.
set -euo pipefail
cd "$(dirname "$0")/.."

python=build/python/venv/bin/python3
program=build/release/bench/binding
if [[ ! -x $python || ! -x $program ]]; then
    echo 'left out: make python, and tools/build.sh release bench'
    exit 0
fi
for _ in 1 2 3; do
    echo "C $("$program")"
    echo "Python $("$python" bench/binding.py)"
done | awk '
    { print "  " $0
      if (!($1 in fit) || $3 < fit[$1]) fit[$1] = $3
      if (!($1 in predict) || $5 < predict[$1]) predict[$1] = $5
      peak[$1] = $7; told[$1] = $9; before = $11 }
    END { printf "fit %.3f, predict %.3f of the C call; same certificate: %s; memory that a fit adds: C %.0f MB with the rows, Python %.0f MB without them\n",
          fit["Python"] / fit["C"], predict["Python"] / predict["C"], told["C"] == told["Python"] ? "yes" : "NO", peak["C"], peak["Python"] - before }'
"$python" bench/interrupt.py
