#!/usr/bin/env bash
# Cross-validation: the table, its reproducibility, and fit --select cv.
. "$(dirname "$0")/../lib.sh"

"$GIBBSITE" simulate classify --rows 300 --cols 4 --noise 0.1 --quiet -o train.csv || exit 1

as 'cv prints a row for every combination'
expect_exit 0 "$GIBBSITE" cv train.csv --loss zero-one,hinge --family diagonal,full --lambda-grid \
    30:300:2 --prior-grid 0.1:1:2
rows=$(grep -cE '^[ *] (zero-one|hinge) ' "$stdout")
check '2 losses x 2 families x 2 lambdas x 2 prior sds = 16 rows, one of them starred' test \
    "$rows" = 16 -a "$(grep -c '^\* [zh]' "$stdout")" = 1

as 'cv --json'
expect_exit 0 "$GIBBSITE" cv train.csv --loss hinge --lambda-grid 30:300:3 --json
cp "$stdout" one.json
check 'the JSON has three rows' test "$(json one.json table.#)" = 3
check 'errors lie between the Bayes risk less five standard errors and one half' awk -v \
    e="$(json one.json table[0].error)" 'BEGIN { exit !(e > 0.1 - 5 * 0.0173 && e < 0.5) }'

for threads in 1 7; do
    "$GIBBSITE" cv train.csv --loss hinge --lambda-grid 30:300:3 --json --threads "$threads" \
        >"t$threads.json"
done
check 'the table does not depend on the number of threads' cmp t1.json t7.json
"$GIBBSITE" cv train.csv --loss hinge --lambda-grid 30:300:3 --json --seed 2 >seed2.json
refuse 'another seed deals other folds' cmp -s t1.json seed2.json

as 'fit --select cv'
expect_exit 0 "$GIBBSITE" fit train.csv --loss hinge --lambda-grid 30:300:3 --select cv --json -o \
    m.json
cp "$stdout" fit.json
best=$(for k in 0 1 2; do
    if [ "$(json one.json table[$k].best)" = true ]; then json one.json table[$k].lambda; fi
done)
check 'fits the lambda that the table stars' test "$(json fit.json lambda)" = "$best"
check 'and says how it was chosen' test "$(json fit.json selection.by)" = cv -a \
    "$(json fit.json selection.candidates)" = 3

as 'cv by itself judges the default fit'
expect_exit 0 "$GIBBSITE" cv train.csv --json
cp "$stdout" default.json
expect_json default.json deployed true
expect_json default.json table.# 1
expect_json default.json 'table[0].loss' auto
for key in error auc brier log_loss; do
    check "$key has a standard error" awk -v x="$(json default.json "table[0].$key")" -v \
        se="$(json default.json "table[0].${key}_se")" \
        'BEGIN { exit !(x > 0 && x < 1 && se > 0 && se < 0.2) }'
done
for threads in 1 7; do "$GIBBSITE" cv train.csv --json --threads "$threads" >"d$threads.json"; done
check 'whatever the number of threads' cmp d1.json d7.json
expect_exit 0 "$GIBBSITE" cv train.csv
expect_stdout '^error +[0-9.]+ % \+- [0-9.]+ +of the labels of a default fit$'
expect_stdout '^AUC +0\.[0-9]+ \+- 0\.[0-9]+ of its score$'
check 'eight lines at most, and no word of a choice' awk \
    'NR > 8 || length($0) > 80 || /chosen|smallest/ { exit 1 }' "$stdout"
expect_exit 0 "$GIBBSITE" cv train.csv --loss hinge
refuse 'one row is not chosen' grep -qE 'chosen|^\*' "$stdout"
expect_exit 0 "$GIBBSITE" report default.json -o default.html -q
check 'the report shows it' grep -q 'What the default fit does on rows left out' default.html
refuse 'without a choice' grep -q 'flatters' default.html

as 'three classes'
awk 'BEGIN { print "a,b,y";
    for (i = 0; i < 120; i++)
        print i % 3 + (i * 7 % 11) / 8 "," (i % 3 == 1) + (i * 5 % 13) / 9 "," \
            substr("xyz", i % 3 + 1, 1) }' >three.csv
expect_exit 0 "$GIBBSITE" cv three.csv --folds 3 --json
cp "$stdout" three.json
# a fit of three quarters of them, tested on the others, has such numbers too: the probabilities are
# calibrated
awk 'NR == 1 || NR % 4 != 0' three.csv >some.csv
awk 'NR == 1 || NR % 4 == 0' three.csv >others.csv
expect_exit 0 "$GIBBSITE" fit some.csv --test others.csv --json -q
check 'the log loss is that of calibrated probabilities' awk -v \
    a="$(json three.json 'table[0].log_loss')" -v b="$(json "$stdout" test.log_loss)" \
    'BEGIN { exit !(a < 2.5 * b && b < 2.5 * a) }'
expect_exit 0 "$GIBBSITE" cv three.csv --folds 3
refuse 'no AUC of three classes' grep -q AUC "$stdout"

as 'one class too small for the folds'
{ head -n 1 train.csv && grep -- ',-1$' train.csv | head -n 20 && grep ',1$' train.csv \
    | head -n 3; } >few.csv
expect_exit 3 "$GIBBSITE" cv few.csv
expect_stderr 'few.csv: 5 folds need at least as many rows of each class; one class has 3'
expect_exit 2 "$GIBBSITE" cv train.csv --folds 1
expect_stderr '\-\-folds: expected a whole number from 2 to 1000'
expect_exit 2 "$GIBBSITE" cv train.csv --loss hinge,square
expect_stderr 'expected one of zero-one\|hinge\|exponential'
expect_exit 2 "$GIBBSITE" cv train.csv --lambda 3 --lambda-grid 1:2:2
expect_exit 0 "$GIBBSITE" fit train.csv --select cv --scale unit-row --json
expect_json "$stdout" selection.candidates 5
expect_json "$stdout" certificate.status valid
expect_exit 2 "$GIBBSITE" fit train.csv --select cv --lambda 10 --prior-sd 1
expect_stderr '--select cv has nothing to choose: --lambda and --prior-sd are given'
expect_exit 2 "$GIBBSITE" fit train.csv --prior-grid 0.1:1:2 --select last
expect_stderr '--prior-grid needs --select bound or cv'
expect_exit 2 "$GIBBSITE" fit train.csv --loss zero-one,hinge

as 'cv RATINGS'
"$GIBBSITE" simulate ratings --rows 60 --cols 40 --rank 2 --density 0.4 -o ratings.csv -q
expect_exit 0 "$GIBBSITE" cv ratings.csv --rank 4 --folds 3
expect_stdout '960 ratings of 60 rows and 40 columns'
check 'four ranks, and the paper, one of them starred' test \
    "$(grep -cE '^[ *] (hierarchical|paper) ' "$stdout")" = 5 -a "$(grep -c '^\* [hp]' "$stdout")" \
    = 1
expect_exit 0 "$GIBBSITE" cv ratings.csv --rank 4 --folds 3 --json
cp "$stdout" ratings.json
expect_json ratings.json task complete
expect_json ratings.json folds 3
check 'ranks are told' test \
    "$(for k in 0 1 2 3 4; do json ratings.json "table[$k].rank"; done | xargs)" = '1 2 4 8 8'
"$GIBBSITE" complete ratings.csv --rank 4 --folds 3 --select cv --json >chosen.json
for k in 0 1 2 3 4; do
    if [ "$(json ratings.json "table[$k].best")" = true ]; then
        check 'complete --select cv takes the best' test "$(json ratings.json "table[$k].model")" \
            = "$(json chosen.json model)"
    fi
done
expect_exit 0 "$GIBBSITE" cv ratings.csv --folds 2
expect_stderr 'completions are cross-validated'
as 'a pipe is not looked into, and nothing of it is lost'
expect_exit 0 bash -c '"$1" cv <(cat train.csv) --loss hinge --lambda-grid 30:300:3 --json' bash \
    "$GIBBSITE"
for key in n 'table[0].error' 'table[2].log_loss'; do expect_json "$stdout" "$key" \
    "$(json one.json "$key")"; done
mkfifo fifo
cat ratings.csv >fifo &
expect_exit 0 "$GIBBSITE" cv fifo --rank 4 --folds 3 --json
expect_json "$stdout" 'table[2].rmse' "$(json ratings.json 'table[2].rmse')"
wait
expect_exit 0 "$GIBBSITE" cv ratings.csv --model paper --rank 4 --folds 3
check 'variances of the noise' test "$(grep -cE '^[ *] paper ' "$stdout")" = 5
expect_exit 2 "$GIBBSITE" cv ratings.csv --rank 4 --loss hinge
expect_stderr '--loss is for tables of rows'
