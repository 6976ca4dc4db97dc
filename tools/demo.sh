#!/usr/bin/env bash
# The main job on simulated data, shown step by step: simulate, fit, look at the model, predict,
# report.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
gibbsite=$root/build/gibbsite
out=$root/build/demo
mkdir -p "$out"
cd "$out"

say() { printf '\n# %s\n' "$*"; }
show() {
    printf '$ gibbsite %s\n' "$*"
    "$gibbsite" "$@"
}

say '1. Rows of known truth: ten features, one label in ten flipped. No classifier has a true '\
'risk below 10 %.'
show simulate classify --rows 2000 --cols 10 --noise 0.1 -o train.csv
show simulate classify --rows 20000 --cols 10 --noise 0.1 --skip 2000 -o test.csv

say '2. Fit and certify: two thirds of the rows choose, train and calibrate a predictor, the '\
'others test its labels.'
show fit train.csv -o model.json --test test.csv

say '3. What was learned.'
show inspect model.json

say '4. Predict: a label; the calibrated probability of the label 1; the score; the share of '\
'classifiers that vote for 1.'
printf '$ gibbsite predict model.json test.csv | head -n 4\n'
"$gibbsite" predict model.json test.csv -o predictions.csv
head -n 4 predictions.csv

say '5. A report: the same fit, one under the paper'"'"'s prior over a grid of lambdas, and how '\
'they compare, as a page for any browser.'
run() {
    printf '$ gibbsite %s > %s\n' "${*:2}" "$1"
    "$gibbsite" "${@:2}" >"$1"
}
run default.run.json fit train.csv --test test.csv --json
run zero.run.json fit train.csv --prior zero --scale unit-row --lambda-grid 10:2000:8 --test \
    test.csv --json
show report default.run.json zero.run.json -o report.html

printf '\nModel, data and predictions are in %s; the report is %s.\n' build/demo/ \
    build/demo/report.html
