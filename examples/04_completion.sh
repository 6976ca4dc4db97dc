#!/bin/sh
# Matrix completion: predict missing cells, recommend, certify.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Ratings from 1 to 5, a fifth of the cells of a 150 x 100 table, and as many others to test on.
gibbsite simulate ratings --rows 150 --cols 100 --density 0.2 --range 1:5 -o ratings.csv
gibbsite simulate ratings --rows 150 --cols 100 --density 0.2 --range 1:5 --skip 3000 -o fresh.csv \
    -q

# The range was known in advance, so the error of the printed values can be certified.
gibbsite complete ratings.csv --range 1:5 -o model.json --test fresh.csv

# One cell, and the best three columns for row 12 among those it has not rated.
printf 'row,col\n12,7\n' >cell.csv
gibbsite predict model.json cell.csv
gibbsite predict model.json --row 12 --top 3
