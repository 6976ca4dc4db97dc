#!/usr/bin/env bash
# gibbsite theory: the table, the JSON, the verdicts, and what it refuses.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

# row FILE GROUP NAME FIELD: that field of the row.
row() {
    local k count
    count=$(json "$1" 'rows.#')
    for ((k = 0; k < count; k++)); do
        if [[ $(json "$1" "rows[$k].group") == "$2" && $(json "$1" "rows[$k].name") == "$3" ]]; then
            json "$1" "rows[$k].$4"
            return
        fi
    done
    echo absent
}
# expect_row GROUP NAME FIELD VALUE
expect_row() {
    local value
    value=$(row out.json "$1" "$2" "$3")
    if [[ $value == "$4" ]]; then ok "$1: $3 of $2 is $4"; else not_ok "$1: $3 of $2 is $4" \
        "it is $value"; fi
}
refuses() { # refuses REGEX ARGUMENT...
    local regex=$1
    shift
    expect_exit 2 "$GIBBSITE" theory "$@"
    expect_stderr "^gibbsite: theory: $regex"
    expect_silence stdout
}

# ---------------------------------------------------------------- table
expect_exit 0 "$GIBBSITE" theory --n 1000 --d 5
expect_silence stderr
expect_stdout '^n = 1000 rows, d = 5 coefficients, c = 1, C = 1, confidence 0\.95$'
expect_stdout '^ranking  .*value .*paper .*verdict'
expect_stdout '^  excess_risk +0\.914548 +0\.79314 +not valid +Theorem 4\.2'
expect_stdout '^  hoeffding_f +0\.625 +2\.5 +loose'

# ---------------------------------------------------------------- JSON
expect_exit 0 "$GIBBSITE" theory --n 1000 --d 5 --json
cp "$stdout" out.json
expect_json out.json command theory
expect_json out.json n 1000
expect_json out.json C 1
expect_row ranking excess_risk verdict 'not valid'
expect_row classification excess_risk verdict loose
expect_row hinge excess_risk verdict 'not valid'
expect_row 'classification, margin' lambda verdict null
expect_row 'ranking, margin' lambda value 166.5
holds 'ranking value' \
    "$(row out.json ranking excess_risk value) > 0.9145 && \
        $(row out.json ranking excess_risk value) < 0.9146"
holds 'ranking print' \
    "$(row out.json ranking excess_risk paper) > 0.7931 && \
        $(row out.json ranking excess_risk paper) < 0.7932"
expect_row 'matrix completion' rate value absent

expect_exit 0 "$GIBBSITE" theory --n 100000 --d 7 --c 0.5 --C 2 --confidence 0.75 --lambda 100 \
    --prior-sd 0.25 --cx 3 --norm 2 \
    --wanted-error 0.1 --rows 943 --cols 1682 --rank 10 --json
cp "$stdout" out.json
expect_json out.json confidence 0.75
expect_row classification lambda value 100
expect_row ranking prior_sd value 0.25
expect_row classification excess_risk paper null
expect_row 'matrix completion' rate verdict 'up to a constant'
# a thousand billion rows and a million coefficients
expect_exit 0 "$GIBBSITE" theory --n 1000000000000 --d 1000000 --json
expect_exit 0 "$GIBBSITE" theory --n 2 --d 1
expect_exit 0 "$GIBBSITE" theory

# ---------------------------------------------------------------- refused
refuses '--n: expected a whole number from 2' --n 0 --d 5
refuses "--n: expected a whole number from 2 to 1000000000000, found '1'" --n 1 --d 5
refuses '--d: expected a whole number' --n 10 --d 0
refuses '--n: expected a whole number' --n 1e3 --d 5
refuses '--confidence: expected' --n 10 --d 5 --confidence 0
refuses '--confidence: expected' --n 10 --d 5 --confidence 1
refuses '--c: expected a positive number' --n 10 --d 5 --c 0
refuses '--C: the margin constant is at least 1' --n 10 --d 5 --C 0.5
refuses '--lambda: expected below 141\.421, found 500; .* 1000 for .* 199\.8 for .* 141\.421 for '\
'hinge' --n 1000 --d 5 --lambda 500
refuses '--lambda: expected below 28\.2843' --n 1000 --d 5 --lambda 30 --cx 5
refuses '--lambda: expected a positive number' --n 1000 --d 5 --lambda -3
refuses '--rows, --cols and --rank come together' --n 10 --d 5 --rank 2
refuses "expected no file, found 'train.csv'" train.csv --n 10 --d 5
refuses "unknown option '--loss'" --loss hinge

as 'small constants keep to their column'
expect_exit 0 "$GIBBSITE" theory --n 500 --d 5 --rows 100 --cols 50 --rank 3
expect_stdout '^  b +0\.0000010[0-9]* +of the inverse gamma prior'
check 'the words begin in one column' awk \
    '/^  (K|b) / { at[match($0, /components|of the inverse/)] = 1 }
    END { for (k in at) n++; exit n != 1 }' "$stdout"
