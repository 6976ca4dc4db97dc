#!/usr/bin/env bash
# evaluate: precision, recall, F1 and cost of each label, at the model's threshold and at another,
# against a count of what predict prints.
. "$(dirname "$0")/../lib.sh"

"$GIBBSITE" simulate classify --rows 300 --cols 4 --noise 0.1 -q \
    | sed 's/,-1$/,no/; s/,1$/,yes/' >train.csv
"$GIBBSITE" simulate classify --rows 400 --cols 4 --noise 0.1 --skip 300 -q \
    | sed 's/,-1$/,no/; s/,1$/,yes/' >test.csv
"$GIBBSITE" fit train.csv -q -o model.json || exit 1
"$GIBBSITE" fit train.csv --cost 5:1 -q -o cost.json || exit 1
"$GIBBSITE" fit train.csv --prior zero -q -o votes.json || exit 1

# count MODEL T: tp fp fn tn, of the labels from probability T on
count() {
    "$GIBBSITE" predict "$1" test.csv | cut -d, -f2 | paste -d, - test.csv |
        awk -F, -v t="$2" 'NR > 1 { says = $1 >= t; is = $NF == "yes"; n[says, is]++ }
            END { print n[1, 1] + 0, n[1, 0] + 0, n[0, 1] + 0, n[0, 0] + 0 }'
}
# judge MODEL T FN FP [OPTION...]: evaluate says what the count does
judge() {
    local model=$1 t=$2 cost_missed=$3 cost_false=$4 tp fp fn tn
    shift 4
    expect_exit 0 "$GIBBSITE" evaluate "$model" test.csv --json "$@"
    cp "$stdout" e.json
    read -r tp fp fn tn < <(count "$model" "$t")
    expect_json e.json confusion.true_positive "$tp"
    expect_json e.json confusion.false_positive "$fp"
    expect_json e.json confusion.false_negative "$fn"
    expect_json e.json confusion.true_negative "$tn"
    near() { expect_near "$1, $model, $t" "$(json e.json "$2")" \
        "$(awk "BEGIN { printf \"%.15g\", $3 }")" 1e-12; }
    near 'the threshold' threshold "$t"
    near 'the error' error "($fp + $fn) / 400"
    near 'recall of yes' recall.yes "$tp / ($tp + $fn)"
    near 'recall of no' recall.no "$tn / ($tn + $fp)"
    near 'precision of yes' precision.yes "$tp / ($tp + $fp)"
    near 'precision of no' precision.no "$tn / ($tn + $fn)"
    near 'F1 of yes' f1.yes "2 * $tp / (2 * $tp + $fp + $fn)"
    near 'F1 of no' f1.no "2 * $tn / (2 * $tn + $fp + $fn)"
    near 'the mean cost' cost "($cost_missed * $fn + $cost_false * $fp) / 400"
    for rate in recall precision f1; do
        for label in yes no; do
            holds "$rate of $label is bounded from below" \
                "$(json e.json "${rate}_lower.$label") < $(json e.json "$rate.$label")"
        done
    done
    holds 'the cost from above' "$(json e.json cost_upper) > $(json e.json cost)"
}
judge model.json 0.5 1 1
judge model.json 0.2 1 1 --threshold 0.2
judge model.json 0.8 1 1 --threshold 0.8 --confidence 0.8
judge cost.json 0.16666666666666666 5 1
judge cost.json 0.5 5 1 --threshold 0.5
judge votes.json 0.3 1 1 --threshold 0.3

as 'in words'
expect_exit 0 "$GIBBSITE" evaluate model.json test.csv --threshold 0.2
expect_stdout '^rows +400 of test\.csv, positive from prob 0\.2 on$'
expect_stdout '^label +precision \(at least\) +recall \(at least\) +F1 \(at least\)$'
expect_stdout '^yes +[0-9.]+ % \([0-9.]+ %\) +[0-9.]+ % \([0-9.]+ %\) +[0-9.]+ % \([0-9.]+ %\)$'
as 'one label alone'
{ head -n 1 test.csv && grep ',yes$' test.csv; } >one.csv
expect_exit 0 "$GIBBSITE" evaluate model.json one.csv --threshold 0.0001 --json
expect_json "$stdout" recall.no null
expect_json "$stdout" recall_lower.no 0
expect_json "$stdout" recall.yes 1
expect_exit 0 "$GIBBSITE" evaluate model.json one.csv --threshold 0.0001
expect_stdout '^no +- +- +-$'

as 'a threshold needs labels'
"$GIBBSITE" fit train.csv --task rank -q -o ranker.json
expect_exit 2 "$GIBBSITE" evaluate ranker.json test.csv --threshold 0.5
expect_stderr 'evaluate: --threshold is for models that give labels'
for t in 0 1 -1 2 half; do
    expect_exit 2 "$GIBBSITE" evaluate model.json test.csv --threshold $t
    expect_stderr 'expected a number between 0 and 1'
done
"$GIBBSITE" simulate ratings --rows 20 --cols 10 --density 0.4 -q -o ratings.csv
"$GIBBSITE" complete ratings.csv -q -o completion.json
expect_exit 2 "$GIBBSITE" evaluate completion.json ratings.csv --threshold 0.5
expect_stderr '\-\-threshold is not for ratings'

# ---------------------------------------------------------------- rows that are not fresh
"$GIBBSITE" simulate classify --rows 60 --cols 2 --seed 4 -o seen.csv -q
turned seen.csv >turned.csv
head -n 60 turned.csv >fewer.csv
"$GIBBSITE" fit seen.csv -o seen.json -q
as 'the rows of the fit, in another order'
expect_exit 0 "$GIBBSITE" evaluate seen.json turned.csv
expect_stderr 'the 60 rows that the model was fitted to: they cannot test it'
as 'with a column of texts and missing cells, in another order of rows and columns'
awk -F, -v OFS=, 'NR == 1 { print "kind", $0; next } NR == 9 { $1 = "" } { print "k" NR % 3, $0 }' \
    seen.csv >texts.csv
turned texts.csv | awk -F, -v OFS=, '{ print $2, $1, $3, $4 }' >moved.csv
"$GIBBSITE" fit texts.csv --missing impute -o texts.json -q
expect_exit 0 "$GIBBSITE" evaluate texts.json moved.csv
expect_stderr 'the 60 rows that the model was fitted to'
sed '7s/^[^,]*/9/' moved.csv >one.csv
expect_exit 0 "$GIBBSITE" evaluate texts.json one.csv
refuse 'one cell that differs makes them others' grep -q 'that the model was fitted' "$stderr"
as 'as a test of the fit, too'
expect_exit 0 "$GIBBSITE" fit seen.csv --test turned.csv
expect_stderr 'the 60 rows that the model was fitted to'
expect_exit 0 "$GIBBSITE" evaluate seen.json fewer.csv
as 'of 59 of them nothing is known'
check 'no word on them' test ! -s "$stderr"
