#!/bin/sh
# A first certified fit: simulate, fit, predict, and see whether the promise held.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# 1,000 rows of five features; one label in ten is flipped, so the best possible error is 10 %.
gibbsite simulate classify --rows 1000 --cols 5 --noise 0.1 -o train.csv
gibbsite simulate classify --rows 5000 --cols 5 --noise 0.1 --skip 1000 -o fresh.csv

# Fit and certify. The promise is about the labels that predict prints.
gibbsite fit train.csv -o model.json

# Predict rows that the fit has not seen.
gibbsite predict model.json fresh.csv -o predictions.csv
head -n 3 predictions.csv

# Their labels are known here: was the certificate right?
certified=$(gibbsite inspect model.json --json | sed -n 's/^    "value": \([0-9.]*\),*/\1/p' |
    head -n 1)
seen=$(gibbsite evaluate model.json fresh.csv --json | sed -n 's/^  "error": \([0-9.]*\),*/\1/p')
echo "certified: at most $certified; on 5000 fresh rows: $seen"
awk "BEGIN { exit !($seen <= $certified) }" && echo "the certificate held"
