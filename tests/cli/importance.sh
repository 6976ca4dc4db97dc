#!/usr/bin/env bash
# --importance of fit and evaluate, in words, JSON, files and reports; coefficients per unit.
. "$(dirname "$0")/../lib.sh"

"$GIBBSITE" simulate classify --rows 600 --cols 4 --signal 2 -q -o line.csv
"$GIBBSITE" simulate classify --rows 400 --cols 4 --signal 2 --skip 600 -q -o fresh.csv
awk -F, 'NR == 1 { print "colour," $0; next } {
    print (NR % 3 == 0 ? "red" : NR % 3 == 1 ? "green" : "blue") "," $0 }' line.csv >text.csv

as 'nobody asked'
expect_exit 0 "$GIBBSITE" fit line.csv --json
refuse 'no importance then' grep -q '"importance"' "$stdout"
expect_exit 0 "$GIBBSITE" fit line.csv --importance -o model.json
expect_stdout '^importance +Brier score rises without x[0-9] by '
expect_exit 0 "$GIBBSITE" fit line.csv --importance -v
expect_stdout '^  importance +what becomes worse'
expect_exit 0 "$GIBBSITE" inspect model.json
expect_stdout '^  importance +what becomes worse'
expect_stdout '^ +per unit +odds factor +scaled mean +scaled sd$'
refuse 'nothing looks like a z value' grep -q 'mean/sd' "$stdout"
expect_exit 0 "$GIBBSITE" fit line.csv --importance --json
cp "$stdout" fit.json
expect_json fit.json importance.fresh true
expect_json fit.json importance.rows "$(json fit.json card.tested)"
expect_json fit.json 'importance.columns.#' 4
expect_json fit.json 'importance.curves.#' 4
holds 'columns that matter stand first' \
    "$(json fit.json 'importance.columns[0].brier') > 5 * \
        $(json fit.json 'importance.columns[3].brier_se')"
for k in 0 1 2; do
    holds 'in the order of the Brier score' \
        "$(json fit.json "importance.columns[$k].brier") >= \
        $(json fit.json "importance.columns[$((k + 1))].brier")"
done
holds 'others come out at zero' \
    "$(json fit.json 'importance.columns[3].error') < 5 * \
        $(json fit.json 'importance.columns[3].error_se')"
expect_exit 0 "$GIBBSITE" inspect model.json --json
expect_json "$stdout" 'importance.columns[0].name' "$(json fit.json 'importance.columns[0].name')"
expect_near 'the file keeps it' "$(json "$stdout" 'importance.columns[0].error')" \
    "$(json fit.json 'importance.columns[0].error')" 1e-15

# the score from raw cells
expect_exit 0 "$GIBBSITE" inspect model.json --json
cp "$stdout" inspect.json
expect_exit 0 "$GIBBSITE" predict model.json fresh.csv
said=$(sed -n 2p "$stdout" | cut -d, -f3)
by_hand=$(json inspect.json 'coefficients[4].per_unit')
for k in 0 1 2 3; do
    by_hand=$(awk -v s="$by_hand" -v b="$(json inspect.json "coefficients[$k].per_unit")" \
        -v x="$(sed -n 2p fresh.csv | cut -d, -f$((k + 1)))" 'BEGIN { printf "%.17g", s + b * x }')
done
expect_near 'coefficients per unit make the score' "$by_hand" "$said" 1e-12
expect_near 'odds by the calibrated probability' \
    "$(json inspect.json 'coefficients[0].odds_ratio')" \
    "$(awk -v s="$(json inspect.json card.slope)" \
    -v b="$(json inspect.json 'coefficients[0].per_unit')" \
    'BEGIN { printf "%.17g", exp(s * b) }')" 1e-12

expect_exit 0 "$GIBBSITE" evaluate model.json fresh.csv --importance
expect_stdout '^importance +Brier score rises'
expect_exit 0 "$GIBBSITE" evaluate model.json fresh.csv --importance --json
cp "$stdout" evaluate.json
expect_json evaluate.json importance.fresh false
expect_json evaluate.json importance.rows 400
expect_near 'as they are' "$(json evaluate.json importance.error)" "$(json evaluate.json error)" \
    1e-12
expect_exit 0 "$GIBBSITE" fit line.csv --task rank --importance
expect_stdout '^importance +AUC falls'

as 'levels of a text are one column'
expect_exit 0 "$GIBBSITE" fit text.csv --importance --json
cp "$stdout" text.json
expect_json text.json 'importance.columns.#' 5
check 'under its name' grep -q '"name": "colour"' text.json

as 'refused'
expect_exit 2 "$GIBBSITE" fit line.csv --importance --bound kl
expect_stderr 'importance'
expect_exit 2 "$GIBBSITE" fit line.csv --importance --refit all
expect_stderr 'importance'
"$GIBBSITE" sample line.csv --lambda 20 --particles 200 -q -o sample.json
expect_exit 2 "$GIBBSITE" evaluate sample.json fresh.csv --importance
expect_stderr 'not for samples'

for run in fit evaluate text inspect; do
    expect_exit 0 "$GIBBSITE" report $run.json -o $run.html
    check "$run: the report draws importances" grep -q 'Importance of the columns' $run.html
    check "$run: and what a column does" grep -q 'What [a-z0-9]* does' $run.html
done
check 'with words for those who do not see it' grep -q \
    'aria-label="Points with intervals: Importance of the columns. Most important: ' fit.html
check 'and a table' grep -q 'Rise of Brier score and error without each column' fit.html
check 'coefficients per unit' grep -q 'Coefficients per unit of the column as it came' fit.html
expect_exit 0 "$GIBBSITE" fit line.csv --json
cp "$stdout" plain.json
expect_exit 0 "$GIBBSITE" report plain.json -o plain.html
check 'a report without them says how to get them' grep -q \
    'measured when asked for: fit --importance' plain.html
