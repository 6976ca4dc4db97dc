#!/usr/bin/env bash
# What a column says of the rows, and how they are split: weights.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
mkdir out

"$GIBBSITE" simulate classify --rows 200 --cols 3 --noise 0.1 -q -o train.csv || exit 1

# ---------------------------------------------------------------- weights
awk -F, -v OFS=, 'NR == 1 { print $0, "w"; next } { print $0, 1 + NR % 3 }' train.csv >weights.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "w"; next } { print $0, 7 }' train.csv >alike.csv
{ cat weights.csv && sed -n '2,40s/[0-9]*$/0/p' weights.csv; } >zeros.csv
awk -F, -v OFS=, 'NR == 1 { print "kind", $0; next } { print (NR % 2 ? "a" : "b"), $0 }' zeros.csv >text_zeros.csv
awk -F, -v OFS=, 'NR == 1 { print "kind", $0; next } { print (NR % 2 ? "a" : "b"), $0 }' weights.csv >text.csv
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
check 'the certificate says that it is about rows as they come' grep -q 'the certificate is about rows as they come' weights.json
check 'weights that are all alike are none' test "$(json alike.json free_energy)" = "$(json train.json free_energy)"
refuse 'others change the posterior' test "$(json weights.json free_energy)" = "$(json train.json free_energy)"
for pair in weights:zeros text:text_zeros; do
    check "rows of weight 0 are not there ($pair)" test "$(json "${pair#*:}.json" free_energy)" = "$(json "${pair%:*}.json" free_energy)" \
        -a "$(json "${pair#*:}.json" certificate.value)" = "$(json "${pair%:*}.json" certificate.value)"
done
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
