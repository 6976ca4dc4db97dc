#!/usr/bin/env bash
# simulate --density: each cell is kept with that probability, independently of all others, as far
# as four sums can tell; what is kept is N(0, 1). 5 standard deviations each (a false alarm in 1.7
# million).
. "$(dirname "$0")/../lib.sh"

# law ROWS COLS DENSITY: prints how far each sum is from its mean, in standard deviations: all
# cells; the chi-squared of the columns and that of the rows; pairs of neighbours; and squares of
# values.
law() {
    "$GIBBSITE" simulate classify --rows "$1" --cols "$2" --density "$3" --seed 5 -q \
        --format svmlight |
        awk -v n="$1" -v d="$2" -v p="$3" '{
            last = -1; row = NF - 1; cells += row; rows += (row - d * p)^2
            for (k = 2; k <= NF; k++) {
                split($k, pair, ":"); column[pair[1]]++; square += pair[2]^2
                both += pair[1] == last + 1; last = pair[1]
            } }
        END {
            v = p * (1 - p)
            for (k = 1; k <= d; k++) columns += (column[k] - n * p)^2
            m = d - 1
            spread = n * (m * (p^2 - p^4) + 2 * (m - 1) * (p^3 - p^4))
            print (cells - n * d * p) / sqrt(n * d * v)
            print (columns / (n * v) - d) / sqrt(2 * d + d * (1 - 6 * v) / (n * v))
            print (rows / (d * v) - n) / sqrt(2 * n + n * (1 - 6 * v) / (d * v))
            if (m > 0) print (both - n * m * p^2) / sqrt(spread)
            print (square - cells) / sqrt(2 * cells)
        }'
}
for shape in '2000 300 0.1' '20000 300 0.01' '500 300 0.8' '3000 1 0.3'; do
    # shellcheck disable=SC2086
    worst=$(law $shape | awk '{ x = $1 < 0 ? -$1 : $1; worst = x > worst ? x : worst; n++ }
        END { print (n >= 4 ? worst : 99) }')
    holds "rows, columns, density $shape: sums as they should be" "$worst < 5"
done
as 'no cell at all'
expect_exit 0 "$GIBBSITE" simulate classify --rows 3 --cols 4 --density 0 --format svmlight -q
expect_stdout '^-?1$'
# a row hangs on its number alone, not on those before it
"$GIBBSITE" simulate classify --rows 30 --cols 50 --density 0.2 -q -o all.svm
"$GIBBSITE" simulate classify --rows 10 --cols 50 --density 0.2 --skip 20 -q -o last.svm
check 'rows that are skipped' cmp <(tail -n 10 all.svm) last.svm
# the same cells whatever the format
"$GIBBSITE" simulate classify --rows 30 --cols 50 --density 0.2 -q -o all.csv
check 'as CSV' cmp <(tail -n +2 all.csv | awk -F, '{ printf "%s", $NF
    for (k = 1; k < NF; k++) if ($k != 0) printf " %d:%s", k, $k; print "" }') all.svm
