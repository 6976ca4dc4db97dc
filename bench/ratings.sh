#!/usr/bin/env bash
# A million ratings of 6,000 rows and 4,000 columns, from the file to the model: sweeps to the stop,
# processor seconds of all threads, choices of positions and rank included. One sweep beside its
# floor is in bench/levels.c.
#
#   bench/ratings.sh PROGRAM
set -eu
gibbsite=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$gibbsite" simulate ratings --rows 6000 --cols 4000 --rank 16 --density 0.0416667 -o ratings.csv -q
TIMEFORMAT='%U %S'
for rank in 16 32; do
    { time "$gibbsite" complete ratings.csv --rank $rank -o model.json --json -q >out.json; } \
        2>spent
    awk -v rank=$rank -v spent="$(awk '{ print $1 + $2 }' spent)" '
        /"(sweeps|effective_rank)": [0-9]/ { gsub(/[",]/, ""); sub(/:/, ""); value[$1] = $2 }
        END { printf "10^6 ratings, rank %d: %d sweeps to the stop, %d components; file to model in %.1f s of processor time\n", rank, value["sweeps"], value["effective_rank"], spent }
    ' out.json
done
