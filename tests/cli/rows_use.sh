#!/usr/bin/env bash
# What a column says of the rows, and how they are split: weights, groups, time; and a second fit
# to all of them.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
mkdir out

"$GIBBSITE" simulate classify --rows 200 --cols 3 --noise 0.1 -q -o train.csv || exit 1

# ---------------------------------------------------------------- columns that say nothing
# Of many rows some choose, in which a rare level may not come: that is nobody's concern.
"$GIBBSITE" simulate classify --rows 12000 --cols 1 --noise 0.1 -q -o plain.csv || exit 1
awk -F, -v OFS=, 'NR == 1 { print "k", "level", $0; next } { print 3, "z" NR % 900, $0 }' \
    plain.csv >levels.csv
as 'rare levels'
expect_exit 0 "$GIBBSITE" fit levels.csv -o levels.model
check 'what is constant in rows that only choose is not told' \
    test "$(grep -c "columns is constant in the rows to learn from.*: 'k'$" "$stderr")" = 1
check 'and the constant column once' test "$(grep -c 'constant in the rows' "$stderr")" = 1
for bound in progressive kl; do
    as "a constant column, --bound $bound"
    expect_exit 0 "$GIBBSITE" fit levels.csv --drop level --bound "$bound" -o levels.model
    check 'told once' test "$(grep -c "is constant in the rows to learn.*: 'k'$" "$stderr")" = 1
done
awk -F, -v OFS=, 'NR > 301 { exit } NR == 1 { print "k", "x", "y"; next }
    { print 3, $1 + 3 * (NR % 3), "c" NR % 3 }' plain.csv >three.csv
as 'a constant column, three classes'
expect_exit 0 "$GIBBSITE" fit three.csv -o levels.model
check 'told once' test "$(grep -c "1 of 2 columns is constant.*: 'k'$" "$stderr")" = 1

# ---------------------------------------------------------------- weights
awk -F, -v OFS=, 'NR == 1 { print $0, "w"; next } { print $0, 1 + NR % 3 }' train.csv >weights.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "w"; next } { print $0, 7 }' train.csv >alike.csv
{ cat weights.csv && sed -n '2,40s/[0-9]*$/0/p' weights.csv; } >zeros.csv
awk -F, -v OFS=, 'NR == 1 { print "kind", $0; next } { print (NR % 2 ? "a" : "b"), $0 }' zeros.csv \
    >text_zeros.csv
awk -F, -v OFS=, 'NR == 1 { print "kind", $0; next } { print (NR % 2 ? "a" : "b"), $0 }' \
    weights.csv >text.csv
for file in weights alike zeros text text_zeros; do
    as "fit $file.csv --weights w"
    expect_exit 0 "$GIBBSITE" fit "$file.csv" --weights w --json -o "$file.model"
    cp "$stdout" "$file.json"
done
"$GIBBSITE" fit train.csv --json -o train.model >train.json
expect_json weights.json weighted true
expect_json weights.json data.columns 3
expect_json weights.json data.target y
expect_json weights.json certificate.status valid
check 'the certificate says that it is about rows as they come' grep -q \
    'the certificate is about rows as they come' weights.json
check 'weights that are all alike are none' test "$(json alike.json free_energy)" = \
    "$(json train.json free_energy)"
refuse 'others change the posterior' test "$(json weights.json free_energy)" = \
    "$(json train.json free_energy)"
for pair in weights:zeros text:text_zeros; do
    check "rows of weight 0 are not there ($pair)" test "$(json "${pair#*:}.json" free_energy)" = \
        "$(json "${pair%:*}.json" free_energy)" \
        -a "$(json "${pair#*:}.json" certificate.value)" = \
        "$(json "${pair%:*}.json" certificate.value)"
done
as 'a largest weight certifies the weighted share of wrong labels'
expect_exit 0 "$GIBBSITE" fit weights.csv --weights w --max-weight 3 --json
check 'it has a line of its own' grep -q '"target": "weighted"' "$stdout"
check 'which counts rows by their weight' grep -q 'a row counts by its weight' "$stdout"
expect_exit 0 "$GIBBSITE" fit weights.csv --weights w --max-weight 3
expect_stdout '^by weight +labels are wrong in at most [0-9.]+ %, with confidence 0.95'
expect_exit 3 "$GIBBSITE" fit weights.csv --weights w --max-weight 2.5
expect_stderr 'a row has the weight 3, above --max-weight 2.5'
expect_exit 2 "$GIBBSITE" fit train.csv --max-weight 3
expect_stderr '--max-weight needs weights of rows'
expect_exit 2 "$GIBBSITE" fit weights.csv --weights w --max-weight 3 --bound kl
expect_stderr '--max-weight needs --bound vote'
as 'predict needs no weights'
expect_exit 0 "$GIBBSITE" predict weights.model train.csv
as 'a model with weights has no gap to rows without'
expect_exit 3 "$GIBBSITE" gap train.csv weights.model
expect_stderr 'fitted to rows with weights'
as 'cv takes them'
expect_exit 0 "$GIBBSITE" cv weights.csv --weights w --loss hinge --json
sed '5s/[0-9]*$/-2/' weights.csv >negative.csv
expect_exit 3 "$GIBBSITE" fit negative.csv --weights w
expect_stderr "negative.csv:5: column 'w' \(column 5\): the weight is -2"
expect_exit 3 "$GIBBSITE" fit text.csv --weights kind
expect_stderr "column 'kind' holds texts"
expect_exit 3 "$GIBBSITE" fit train.csv --weights nothing
expect_stderr "\`?-?-?weights\`?: no column is called 'nothing'"
expect_exit 3 "$GIBBSITE" fit train.csv --weights y --target y
expect_stderr 'is the target'
expect_exit 2 "$GIBBSITE" fit weights.csv --weights w --task rank
expect_stderr 'has no weights of rows'
awk -F, -v OFS=, 'NR == 1 { print; next } { $NF = 0; print }' weights.csv >none.csv
expect_exit 3 "$GIBBSITE" fit none.csv --weights w
expect_stderr 'every weight is 0'

# ---------------------------------------------------------------- groups
awk -F, -v OFS=, 'NR == 1 { print "patient", $0; next } { print "p" int((NR - 2) / 4), $0 }' \
    train.csv >groups.csv
awk -F, -v OFS=, 'NR == 1 { print "patient", $0; next } { print int((NR - 2) / 4), $0 }' train.csv \
    >numbers.csv
awk -F, -v OFS=, 'NR == 1 { print "kind", $0; next } { print (NR % 3 ? "a" : "b"), $0 }' \
    groups.csv >text_groups.csv
for file in groups numbers text_groups; do
    as "fit $file.csv --group patient"
    expect_exit 0 "$GIBBSITE" fit "$file.csv" --group patient --cost 3:1 --json -o "$file.model"
    cp "$stdout" "$file.json"
    expect_json "$file.json" certificate.status valid
    expect_json "$file.json" certificate.unit group
    expect_json "$file.json" certificate.method betting
    expect_json "$file.json" 'certificates.#' 6
    check "$file: the card's rows are whole groups of four" test \
        $(($(json "$file.json" card.tested) % 4)) = 0
done
as 'evaluate gives no bounds of rows in groups: they are for independent rows'
expect_exit 0 "$GIBBSITE" evaluate groups.model groups.csv --json
expect_stderr 'no bounds of these rows: the model was fitted to rows in groups'
cp "$stdout" bounds.json
for key in holdout_bound cost_upper recall_lower.1 precision_lower.1 f1_lower.1; do
    expect_json bounds.json "$key" null
done
expect_json bounds.json n "$(($(wc -l <groups.csv) - 1))"
refuse 'the error is there' test "$(json bounds.json error)" = null
expect_exit 0 "$GIBBSITE" evaluate groups.model groups.csv -v
refuse 'no bound in words' grep -qE 'at (most|least)' "$stdout"
expect_exit 0 "$GIBBSITE" report bounds.json -o bounds.html
check 'the page says so' grep -q 'rows in groups' bounds.html
head -n 41 groups.csv >fresh_groups.csv
expect_exit 0 "$GIBBSITE" fit groups.csv --group patient --test fresh_groups.csv --json
expect_json "$stdout" test.holdout_bound null
expect_stderr 'no bounds of these rows'
as 'what a column of groups or of weights is for'
for file in groups numbers; do expect_json $file.json 'data.look[0].role' group; done
expect_json text_groups.json 'data.look[0].role' feature
expect_json text_groups.json 'data.look[1].role' group
expect_json numbers.json 'data.look[0].guard' null
expect_exit 0 "$GIBBSITE" fit weights.csv --weights 5 --json
expect_json "$stdout" 'data.look[4].role' weight
as 'a long name ends with a whole character'
name=$(printf 'a%.0s' {1..98})ä
sed "1s/^[^,]*/$name/" train.csv >long_name.csv
expect_exit 0 "$GIBBSITE" fit long_name.csv --json
expect_json "$stdout" 'data.look[0].name' "${name%ä}"
check 'names or numbers, it is the same fit' test "$(json groups.json free_energy)" = \
    "$(json numbers.json free_energy)"
check 'the assumption is named' grep -q 'groups of rows are independent draws' groups.json
expect_json groups.json data.columns 3
as 'its text says groups'
expect_exit 0 "$GIBBSITE" fit groups.csv --group patient
expect_stdout 'in the mean over groups'
as 'cv takes groups'
expect_exit 0 "$GIBBSITE" cv groups.csv --group patient --loss hinge --json
awk -F, -v OFS=, 'NR > 1 { $1 = NR % 2 } { print }' groups.csv >two.csv
expect_exit 3 "$GIBBSITE" cv two.csv --group patient --loss hinge
expect_stderr '5 folds need as many groups'
expect_exit 3 "$GIBBSITE" fit two.csv --group patient
expect_stderr 'fewer than two groups'
expect_exit 2 "$GIBBSITE" fit groups.csv --group patient --bound kl
expect_stderr '\-\-group needs \-\-bound vote'
expect_exit 2 "$GIBBSITE" fit groups.csv --group patient --stratify
as 'groups and weights at once'
awk -F, -v OFS=, 'NR == 1 { print "patient", $0; next } { print "p" int((NR - 2) / 4), $0 }' \
    text_zeros.csv >both.csv
expect_exit 0 "$GIBBSITE" fit both.csv --group patient --weights w --target y --json -o both.model
expect_json "$stdout" weighted true
expect_json "$stdout" certificate.status valid
as 'the report page of a certificate of groups'
expect_exit 0 "$GIBBSITE" report groups.json -o groups.html
check "it says groups" grep -q "in the mean over groups" groups.html
expect_exit 3 "$GIBBSITE" gap groups.csv groups.model
expect_stderr 'fitted to rows with groups'

# ---------------------------------------------------------------- time
as 'fit --order time'
expect_exit 0 "$GIBBSITE" fit train.csv --order time --json
cp "$stdout" time.json
"$GIBBSITE" fit train.csv --order time --json --seed 9 >time9.json
check 'no seed counts' test "$(json time.json free_energy)" = "$(json time9.json free_energy)"
expect_json time.json card.learned 133
expect_json time.json certificate.status valid
check 'its assumption is named' grep -q 'the latest, which tested it' time.json
{ head -n 134 train.csv && tail -n 67 train.csv | tac; } >late.csv
check 'the order of the last rows says nothing' test \
    "$("$GIBBSITE" fit late.csv --order time --json |
        "$GIBBSITE_BUILD/tests/jget" /dev/stdin free_energy)" = "$(json time.json free_energy)"
as 'levels come from the earlier rows'
expect_exit 0 "$GIBBSITE" fit text.csv --weights w --order time --json
expect_json "$stdout" certificate.status valid
expect_exit 2 "$GIBBSITE" fit train.csv --order time --bound progressive
expect_exit 2 "$GIBBSITE" fit train.csv --order never

# ---------------------------------------------------------------- refit
as 'fit --refit all'
expect_exit 0 "$GIBBSITE" fit train.csv --refit all --json -o refit.model
cp "$stdout" refit.json
expect_stderr 'CONDITIONAL: NOT MET: the predictor that is deployed was fitted again to all rows'
expect_json refit.json refit.certified false
expect_json refit.json refit.rows 200
expect_json refit.json certificate.status conditional
expect_json refit.json certificate.value "$(json train.json certificate.value)"
"$GIBBSITE" predict refit.model train.csv >refit.csv
"$GIBBSITE" predict train.model train.csv >tested.csv
refuse 'predict uses the second posterior' cmp -s refit.csv tested.csv
as 'the text says that it is not certified'
expect_exit 0 "$GIBBSITE" fit train.csv --refit all
expect_stdout 'NOT$|CERTIFIED'
expect_exit 2 "$GIBBSITE" fit train.csv --refit all --bound kl
check 'without it, nothing is said of a refit' test -z "$(grep -o refit train.json | head -n 1)"

# ---------------------------------------------------------------- the training file is no test
cp train.csv copy.csv
for file in train.csv copy.csv ./train.csv; do
    expect_exit 2 "$GIBBSITE" fit train.csv --test "$file"
    expect_stderr 'has the same bytes as the training file'
done
turned train.csv >turned.csv
as 'other bytes are another file'
expect_exit 0 "$GIBBSITE" fit train.csv --test turned.csv

# ---------------------------------------------------------------- copies
{ head -n 1 train.csv && for _ in 1 2 3 4; do sed -n '2,41p' train.csv; done; } >copies.csv
as 'copies in continuous columns are named'
expect_exit 0 "$GIBBSITE" fit copies.csv --json
cp "$stdout" copies.json
expect_stderr '120 of 160 rows are exact copies'
expect_json copies.json data.copies 120
expect_json train.json data.copies 0
awk -F, -v OFS=, 'NR > 1 { for (k = 1; k < NF; k++) $k = int($k) } { print }' train.csv \
    >discrete.csv
as 'copies among few values are not'
expect_exit 0 "$GIBBSITE" fit discrete.csv --json
expect_json "$stdout" data.copies 0
refuse 'nor warned of' grep -q copies "$stderr"
awk -F, -v OFS=, 'NR == 1 { print "id", $0; next } { print (NR - 2) % 40, $0 }' copies.csv \
    >named.csv
as 'nor where they are in groups'
expect_exit 0 "$GIBBSITE" fit named.csv --group id --json
expect_json "$stdout" data.copies 0
