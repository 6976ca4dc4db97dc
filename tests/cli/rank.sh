#!/usr/bin/env bash
# fit --task rank, and what the other commands make of its models.
. "$(dirname "$0")/../lib.sh"

as 'data of known AUC'
expect_exit 0 "$GIBBSITE" simulate rank --rows 600 --cols 4 --noise 0.1 -o train.csv
expect_stderr 'AUC of the best score 0.9 exactly'
"$GIBBSITE" simulate rank --rows 4000 --cols 4 --noise 0.1 --skip 600 -o test.csv -q
expect_exit 2 "$GIBBSITE" simulate rank --density 0.5
expect_exit 2 "$GIBBSITE" simulate rank --noise 0
expect_exit 2 "$GIBBSITE" simulate rating

as 'fit --task rank'
expect_exit 0 "$GIBBSITE" fit train.csv --task rank --test test.csv -o m.json --json
cp "$stdout" fit.json
expect_json fit.json task rank
expect_json fit.json d 4
expect_json fit.json certificate.target auc
expect_json fit.json certificate.risk 1-auc
expect_json fit.json certificate.method betting
expect_json fit.json card.learned 400
expect_json fit.json card.tested 200
expect_json fit.json loss hinge
expect_json fit.json certificate.status valid
expect_json fit.json test.error null
# standard error of the AUC of 4000 rows: some 0.005
holds 'the AUC is near the best, 0.9' \
    "$(json fit.json test.auc) > 0.88 && $(json fit.json test.auc) < 0.92"
holds 'its standard error is some 0.005' \
    "$(json fit.json test.auc_se) > 0.003 && $(json fit.json test.auc_se) < 0.008"
holds 'the certificate lies above the true risk, by less than 0.1' \
    "$(json fit.json certificate.value) > 0.1 && $(json fit.json certificate.value) < 0.2"
holds 'the bound of the test rows is nearer' \
    "$(json fit.json test.holdout_bound) > 1 - $(json fit.json test.auc) && \
        $(json fit.json test.holdout_bound) < $(json fit.json certificate.value)"

expect_exit 0 "$GIBBSITE" fit train.csv --task rank -v
expect_words \
    'ranking, loss hinge, family full, 4 coefficients, 400 rows to learn from, 200 to test on'
expect_words 'the score that predict prints has a true AUC of at least'
expect_words 'the labels are taken as given'

for threads in 1 7; do
    "$GIBBSITE" fit train.csv --task rank -o "m$threads.json" --threads "$threads" -q
    sed -i 's/"seconds":[^,}]*//' "m$threads.json"
done
check 'the model does not depend on the number of threads' cmp m1.json m7.json

as 'predict and evaluate'
expect_exit 0 "$GIBBSITE" predict m.json test.csv
expect_stdout '^label,prob,score$'
check 'no label, a probability between 0 and 1' awk -F, \
    'NR > 1 && ($1 != "" || $2 < 0 || $2 > 1) { exit 1 }' "$stdout"
sed 1d "$stdout" | sort -t, -k3,3g | cut -d, -f2 >places
check 'the probability rises with the score' sort -c -g places
expect_exit 0 "$GIBBSITE" evaluate m.json test.csv --json
expect_json "$stdout" auc "$(json fit.json test.auc)"
expect_exit 0 "$GIBBSITE" evaluate m.json test.csv
expect_stdout 'AUC +0\.[0-9]+ +of the score, standard error 0\.00'
expect_exit 0 "$GIBBSITE" inspect m.json
expect_stdout 'ranking, loss hinge'
expect_words 'the score that predict prints has a true AUC of at least'
{ head -n 1 test.csv && grep ',1$' test.csv | head -n 5; } >positives.csv
expect_exit 0 "$GIBBSITE" evaluate m.json positives.csv --json
expect_json "$stdout" auc null
expect_exit 0 "$GIBBSITE" gap train.csv m.json

as 'other ways to fit'
expect_exit 0 "$GIBBSITE" fit train.csv --task rank --bound catoni -o draw.json --json
expect_json "$stdout" certificate.target gibbs
expect_json "$stdout" certificate.method catoni
expect_json "$stdout" loss zero-one
cp "$stdout" draw.fit.json
expect_exit 0 "$GIBBSITE" gap train.csv draw.json
expect_exit 0 "$GIBBSITE" fit train.csv --task rank --bound vote --loss zero-one --json
expect_json "$stdout" certificate.target auc
expect_json "$stdout" loss zero-one
expect_exit 0 "$GIBBSITE" fit train.csv --task rank --prior zero --loss hinge --family diagonal \
    --json
expect_json "$stdout" certificate.status conditional
expect_json "$stdout" certificate.method kl
holds 'the gap is proven' "$(json "$stdout" optimality_gap) < 1e-5"
hinge=$(json "$stdout" free_energy)
expect_exit 0 "$GIBBSITE" fit train.csv --task rank --prior zero --loss hinge --family diagonal \
    --solver sgd --json
expect_near 'the stochastic solver comes within one part in a hundred' \
    "$(json "$stdout" free_energy)" "$hinge" 0.01
expect_exit 0 "$GIBBSITE" fit train.csv --task rank --paper --json
expect_json "$stdout" certificate.risk pairs
expect_json "$stdout" certificate.method paper
expect_json "$stdout" certificate.blocks 300
expect_exit 0 "$GIBBSITE" fit train.csv --task rank --prior zero --scale unit-row --lambda-grid \
    10:300:3 --path path.csv --json
expect_json "$stdout" certificate.status valid
check 'the path has three rungs' test "$(wc -l <path.csv)" = 4
expect_exit 4 "$GIBBSITE" fit train.csv --task rank --prior zero --lambda 100 --solver sgd \
    --schedule paper --batch 10 --epochs 2 --path steps.csv
check 'the path of the paper has every step, and the end' test "$(wc -l <steps.csv)" = 122
check 'each with its bound' awk -F, 'NR > 1 && !($9 > 0 && $9 <= 1) { exit 1 }' steps.csv

expect_exit 0 "$GIBBSITE" fit train.csv --task rank --prior zero --lambda-grid 30:300:2 --select \
    cv --json
expect_json "$stdout" selection.by cv
expect_exit 0 "$GIBBSITE" cv train.csv --task rank --loss zero-one,hinge --json
holds 'the cross-validated 1 - AUC is near 0.1 (standard error some 0.013)' \
    "$(json "$stdout" table[0].error) > 0.04 && $(json "$stdout" table[1].error) < 0.17"
expect_json "$stdout" d 4
expect_exit 0 "$GIBBSITE" cv train.csv --task rank --lambda-grid 100:300:2
expect_stdout 'smallest 1 - AUC of the score over 5 folds'

as 'what a ranking does not have'
expect_exit 2 "$GIBBSITE" fit train.csv --task rank --cost 5:1
expect_stderr 'rank has no costs of labels: --cost is for --task classify'

as 'certificates from sampled pairs'
expect_exit 0 "$GIBBSITE" fit train.csv --task rank --pairs 20000 -o s.json --json
expect_json "$stdout" certificate.sampled.pairs 20000
expect_json "$stdout" certificate.status valid
holds 'a tenth of the error probability pays for it' \
    "$(json "$stdout" certificate.sampled.delta) > 0.00499 && \
    $(json "$stdout" certificate.sampled.delta) < 0.00501"
holds 'the bound lies above that from all pairs, by little' \
    "$(json "$stdout" certificate.value) > $(json draw.fit.json certificate.value) && \
        $(json "$stdout" certificate.value) < $(json draw.fit.json certificate.value) + 0.03"
expect_exit 0 "$GIBBSITE" inspect s.json
expect_stdout '20000 pairs drawn at random'
expect_exit 0 "$GIBBSITE" fit train.csv --task rank --pairs 20000 --solver sgd --json
holds 'the number of pairs seen is told' "$(json "$stdout" pair_evaluations) > 0"
expect_exit 2 "$GIBBSITE" fit train.csv --pairs 10
expect_stderr '\-\-pairs needs --task rank'
expect_exit 2 "$GIBBSITE" fit train.csv --task rank --solver sgd --pairs 10 --path p.csv

as 'a gap wants a free energy over all pairs'
"$GIBBSITE" simulate rank --rows 6000 --cols 4 --noise 0.1 -o drawn.csv -q
expect_exit 0 "$GIBBSITE" fit drawn.csv --task rank --prior zero --solver sgd --pairs 2000 -o \
    drawn.json
expect_exit 3 "$GIBBSITE" gap drawn.csv drawn.json
expect_stderr 'or was fitted to sampled pairs'

as 'what ranking does not have'
for options in '--loss exponential' '--form dual' '--bound progressive' --stratify '--blocks 2' \
    '--pairs 10 --lambda-grid 1:2:2' '--pairs 0'; do
    # shellcheck disable=SC2086
    expect_exit 2 "$GIBBSITE" fit train.csv --task rank $options
done

as 'data that cannot be ranked, or hardly'
{ head -n 1 train.csv && grep ',1$' train.csv; } >one.csv
expect_exit 3 "$GIBBSITE" fit one.csv --task rank
{ cat one.csv && grep -- ',-1$' train.csv | head -n 1; } >single.csv
expect_exit 3 "$GIBBSITE" fit single.csv --task rank --bound catoni
expect_stderr 'single.csv: the .* part of the split'
expect_exit 3 "$GIBBSITE" fit single.csv --task rank --bound vote
expect_stderr 'fewer than two rows of a class'
expect_exit 0 "$GIBBSITE" fit single.csv --task rank --json
expect_stderr 'too few to learn from some and test on others'
expect_json "$stdout" certificate.target gibbs
expect_exit 0 "$GIBBSITE" fit single.csv --task rank --prior zero --json
expect_json "$stdout" certificate.blocks 1
{ echo x,y && for _ in {1..20}; do printf '2,1\n2,-1\n'; done; } >equal.csv
expect_exit 0 "$GIBBSITE" fit equal.csv --task rank --json
expect_json "$stdout" gibbs_error 0.5
awk 'BEGIN { print "a,b,y";
    for (i = 0; i < 100000; i++) print i % 5 "," i % 3 "," (i % 7 < 3 ? 1 : -1) }' >many.csv
expect_exit 0 "$GIBBSITE" fit many.csv --task rank --prior zero --scale none --json
holds '10^5 rows of fifteen kinds are a moment' "$(json "$stdout" gibbs_error) > 0.4"
holds 'for the pairs of the kinds are all there is' "$(json "$stdout" pair_evaluations) < 1e5"
dense=$(json "$stdout" free_energy)
awk 'BEGIN { for (i = 0; i < 100000; i++)
    print (i % 7 < 3 ? 1 : -1) (i % 5 ? " 1:" i % 5 : "") (i % 3 ? " 2:" i % 3 : "") }' >many.svm
expect_exit 0 "$GIBBSITE" fit many.svm --task rank --prior zero --scale none --json
expect_near 'sparse rows too' "$(json "$stdout" free_energy)" "$dense" 1e-6
holds 'and as fast' "$(json "$stdout" pair_evaluations) < 1e5"
{ echo x,z,y
  for i in {1..40}; do echo "1,$((i % 4)),$((i * 37 % 101 % 2))"; done; } >constant.csv
expect_exit 0 "$GIBBSITE" fit constant.csv --task rank --drop z --json
expect_json "$stdout" train_error 0.5
check 'a constant score certifies no more than it knows' test \
    "$(json "$stdout" certificate.status)" = valid
holds 'which is one half or worse' "$(json "$stdout" certificate.value) >= 0.5"
