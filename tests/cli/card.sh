#!/usr/bin/env bash
# inspect --card: what is said of a model to whoever is handed it, and what the file keeps for that.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

{
    echo 'size,the|colour,y'
    awk 'BEGIN { for (i = 0; i < 300; i++) {
        x = (i * 7919) % 1000 / 1000; c = i % 3 == 0 ? "red" : i % 3 == 1 ? "blue" : ""
        print x "," c "," (x > 0.4 ? "yes" : "no") } }'
} >rows.csv
{ head -n 1 rows.csv; tail -n +2 rows.csv | tac; } >turned.csv
sed '5s/^[^,]*/7/' rows.csv >other.csv

get() { "$GIBBSITE_BUILD/tests/jget" "$2" "$1"; }
check 'a model' "$GIBBSITE" fit rows.csv -q -o m.json --missing drop --seed 12345678901234567890
as 'the card'
expect_exit 0 "$GIBBSITE" inspect m.json --card
cp "$stdout" card.md
for heading in '# Model card: m.json' '## Data' '## Choices' '## Certificate' '## Limits' \
    '## Where it comes from'; do
    check "it has: $heading" grep -qxF "$heading" card.md
done
check 'rows are told' grep -q '^- rows: 200, .* to learn from' card.md
check 'and those left out' grep -qx -- '- left out before: 100 rows with a missing value' card.md
check 'a name is made plain' grep -q -- '^- texts: the\\|colour (2 levels)' card.md
check 'the seed in full' grep -qx -- '- seed: 12345678901234567890' card.md
check 'complete rows are a limit' grep -q '^- rows with a missing value were left out' card.md
check 'what is assumed' grep -qx -- '- rows are independent draws from one distribution' card.md
check 'no terminal is moved' bash -c '! grep -q $'"'\\033'"' card.md'

as 'the card as JSON'
expect_exit 0 "$GIBBSITE" inspect m.json --card --json
cp "$stdout" card.json
hash=$(get origin.hash card.json)
check 'its kind' test "$(get kind card.json)" = model-card
check 'a hash of 32 digits' grep -qxE '[0-9a-f]{32}' <<<"$hash"
check 'the same in markdown' grep -qF "\`$hash\`" card.md
check 'the seed as a text' test "$(get origin.seed card.json)" = 12345678901234567890
check 'rows left out' test "$(get origin.left_out card.json)" = 100
check 'the version' test "$(get origin.version card.json)" = "$(get gibbsite card.json)"

hash_of() {
    "$GIBBSITE" fit "$1" -q -o h.json --missing drop --seed "$2" &&
        "$GIBBSITE" inspect h.json --json >h.out && get origin.hash h.out
}
check 'the order of the rows does not count' test "$(hash_of turned.csv 1)" = "$hash"
check 'one cell does' test "$(hash_of other.csv 1)" != "$hash"

# An older file has a version and no more.
old=$GIBBSITE_ROOT/tests/models/0.1.0/data
for model in full progressive rank completion; do
    as "0.1.0: the card of $model"
    expect_exit 0 "$GIBBSITE" inspect "$old/$model.json" --card
    check "0.1.0: no seed of $model" grep -qx -- '- seed: not recorded' "$stdout"
    check "0.1.0: its version, $model" grep -q '^- fitted by gibbsite 0.1.0' "$stdout"
done
as '0.1.0: JSON says so too'
expect_exit 0 "$GIBBSITE" inspect "$old/full.json" --card --json
cp "$stdout" old.json
check 'not recorded' test "$(get origin.recorded old.json)" = false

check 'ratings' "$GIBBSITE" simulate ratings --rows 60 --cols 40 --range 1:5 -q -o r.csv
check 'a completion' "$GIBBSITE" complete r.csv --range 1:5 -q -o c.json
as 'the card of a completion'
expect_exit 0 "$GIBBSITE" inspect c.json --card
check 'its ratings' grep -q -- '^- hash of the 240 ratings' "$stdout"
as 'the same as JSON'
expect_exit 0 "$GIBBSITE" inspect c.json --card --json
check 'with its certificate' test "$(get certificate.target "$stdout")" = rmse

check 'a sample' "$GIBBSITE" sample rows.csv --missing drop --particles 64 -q -o s.json
as 'a sample has none'
expect_exit 2 "$GIBBSITE" inspect s.json --card
check 'which is said' grep -q 's.json is a sample' "$stderr"

# A damaged origin is not believed.
sed 's/"seed": *"12345678901234567890"/"seed": 3/' m.json >damaged.json
if cmp -s m.json damaged.json; then
    sed 's/"seed":"12345678901234567890"/"seed":3/' m.json >damaged.json
fi
check 'the file was damaged' bash -c '! cmp -s m.json damaged.json'
as 'a damaged origin'
expect_exit 3 "$GIBBSITE" inspect damaged.json --card
check 'is told' grep -q "'origin' should have a seed" "$stderr"

# Without a test row of one class nothing is seen of the AUC.
printf 'a,y\n1,0\n2,1\n3,0\n5,1\n2,1\n' >tiny.csv
as 'one row that tests'
expect_exit 0 "$GIBBSITE" fit tiny.csv --json -o tiny.json
cp "$stdout" out.json
expect_json out.json 'certificates[4].target' auc
expect_json out.json 'certificates[4].rows' 0
expect_json out.json 'certificates[4].empirical' null
expect_json out.json 'certificates[4].value' 1
expect_exit 0 "$GIBBSITE" inspect tiny.json
as 'one row, in the singular'
expect_exit 0 "$GIBBSITE" fit tiny.csv -v
expect_stdout '\(1 of 1 fresh row was\)'
expect_stdout '1 iteration, converged'
expect_exit 2 "$GIBBSITE" predict tiny.json
expect_stderr 'found 1 argument;'

as 'a cost of two labels that is no pair'
expect_exit 2 "$GIBBSITE" fit tiny.csv --cost 5
expect_stderr "--cost: expected FN:FP, found '5'; a file of costs is for three classes or more"

# More coefficients than are listed are counted.
awk 'BEGIN { for (j = 0; j < 50; j++) printf "x%d,", j; print "y"; for (i = 0; i < 60; i++) {
    for (j = 0; j < 50; j++) printf "%d,", (i * (j + 3)) % 17; print i % 2 } }' >wide.csv
expect_exit 0 "$GIBBSITE" fit wide.csv --json -o tiny.json
cp "$stdout" out.json
expect_json out.json 'coefficients.#' 40
expect_json out.json coefficients_given 51
