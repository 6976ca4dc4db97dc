#!/usr/bin/env bash
# bench/python.sh: a fit and predictions of 100,000 x 50 rows through Python, over those by the C
# call: processor seconds, the median of seven runs of each, taken in turn (single runs differ by
# some per cent). Wanted: at most 1.03.
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
for _ in 1 2 3 4 5 6 7; do
    echo "C $("$program")"
    echo "Python $("$python" bench/binding.py)"
done | awk '
    # The middle one of an odd number of values in the order they came.
    function median(x, n,    i, j, below, equal) {
        for (i = 1; i <= n; i++) {
            below = equal = 0
            for (j = 1; j <= n; j++) { below += x[j] < x[i]; equal += x[j] == x[i] }
            if (below <= (n - 1) / 2 && below + equal > (n - 1) / 2) return x[i]
        }
    }
    { print "  " $0
      n = ++count[$1]
      if ($1 == "C") { fit_c[n] = $3; predict_c[n] = $5 } else { fit[n] = $3; predict[n] = $5 }
      peak[$1] = $7; told[$1] = $9; before = $11 }
    END { printf "fit %.3f, predict %.3f of the C call; same certificate: %s; ",
              median(fit, n) / median(fit_c, n), median(predict, n) / median(predict_c, n),
              told["C"] == told["Python"] ? "yes" : "NO"
          printf "memory that a fit adds: C %.0f MB with the rows, Python %.0f MB without them\n",
              peak["C"], peak["Python"] - before }'
"$python" bench/interrupt.py
