#!/bin/sh
# Ranking: a score that puts the positive rows on top, and a certificate of its AUC.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# The best score of this truth has an AUC of 0.9 exactly.
gibbsite simulate rank --rows 2000 --cols 5 --noise 0.1 -o train.csv
gibbsite simulate rank --rows 2000 --cols 5 --noise 0.1 --skip 2000 -o fresh.csv

gibbsite fit train.csv --task rank -o ranker.json
gibbsite evaluate ranker.json fresh.csv

# The five rows to look at first: the score is the third column of predict, here beside the row's
# number.
echo 'rows on top:'
gibbsite predict ranker.json fresh.csv | awk -F, 'NR > 1 { print $3 "," NR - 1 }' \
    | sort -t, -k1,1 -g -r | head -n 5
