#!/usr/bin/env bash
# bench/simulate.sh [gibbsite]: how fast `simulate` writes, by processor time (user and system),
# into the page cache; the fastest of RUNS (3). What is promised is 100 MB/s. The last column says
# how many nanoseconds a cell takes that is written.
set -euo pipefail
gibbsite=$(readlink -f "${1:-build/gibbsite}")
runs=${RUNS:-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
TIMEFORMAT='%U %S'
printf '%-46s %8s %8s %8s\n' what MB MB/s 'ns a cell'
# write WHAT CELLS NAME OPTIONS...
write() {
    local what=$1 cells=$2 name=$3 best='' k spent
    shift 3
    for ((k = 0; k < runs; k++)); do
        spent=$({ time "$gibbsite" simulate "$@" -q -o "$name"; } 2>&1 | awk '{ print $1 + $2 }')
        if [[ ! $best ]] || awk "BEGIN { exit !($spent < $best) }"; then best=$spent; fi
    done
    awk -v what="$what" -v n="$cells" -v b="$(stat -c %s "$name")" -v s="$best" 'BEGIN {
        printf "%-46s %8.0f %8.0f %8.1f\n", what, b / 1e6, b / 1e6 / s, 1e9 * s / n }'
    rm -f "$name"
}
write 'CSV, 500,000 x 20' 10000000 rows.csv classify --rows 500000 --cols 20
write 'svmlight, 500,000 x 20' 10000000 rows.svm classify --rows 500000 --cols 20
write 'svmlight, 5,000 x 20,000, one cell in ten' 10000000 wide.svm \
    classify --rows 5000 --cols 20000 --density 0.1
write 'svmlight, 50,000 x 20,000, one in a hundred' 10000000 wide.svm \
    classify --rows 50000 --cols 20000 --density 0.01
write 'svmlight, 100,000 x 20,000, one in a thousand' 2000000 wide.svm \
    classify --rows 100000 --cols 20000 --density 0.001
write 'npy, 1,000,000 x 20' 20000000 rows.npy classify --rows 1000000 --cols 20
write 'pairs as CSV, 500,000 x 20' 10000000 pairs.csv rank --rows 500000 --cols 20
write 'ratings, 6,000 x 4,000, one in five' 4800000 ratings.csv \
    ratings --rows 6000 --cols 4000 --density 0.2
write 'ratings, 138,000 x 27,000, skewed' 4992840 skewed.csv \
    ratings --rows 138000 --cols 27000 --density 0.00134 --skew 1
