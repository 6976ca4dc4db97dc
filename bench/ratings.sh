#!/usr/bin/env bash
# A million ratings of 6,000 rows and 4,000 columns, from the file to the model: sweeps to the stop,
# processor seconds of all threads, choices of positions and rank included. One sweep beside its
# floor is in bench/levels.c. Then other ratings, where a file of them is given.
#
#   bench/ratings.sh PROGRAM [RATINGS]
set -eu
gibbsite=$(realpath "$1")
given=${2:+$(realpath "$2")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$gibbsite" simulate ratings --rows 6000 --cols 4000 --rank 16 --density 0.0416667 -o ratings.csv -q
TIMEFORMAT='%U %S'

# complete FILE NAME RANK
complete() {
    { time "$gibbsite" complete "$1" --rank "$3" -o model.json --json -q >out.json; } 2>spent
    awk -v name="$2" -v rank="$3" -v spent="$(awk '{ print $1 + $2 }' spent)" '
        /"(n|sweeps|effective_rank)": [0-9]/ { gsub(/[",]/, ""); sub(/:/, ""); value[$1] = $2 }
        END { printf "%s ratings, rank %d: %d sweeps to the stop, ", name == "" ? value["n"] : name,
            rank, value["sweeps"]
            printf "%d components; file to model in %.1f s of processor time\n",
                value["effective_rank"], spent }
    ' out.json
}

complete ratings.csv 10^6 16
complete ratings.csv 10^6 32
[[ ! $given ]] || complete "$given" '' 16
