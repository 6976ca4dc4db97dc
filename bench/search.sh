#!/usr/bin/env bash
# The default fit, with everything it chooses, over a single fit at one lambda and one prior sd, on
# a set of Adult's shape: at most 40.
#
#   bench/search.sh PROGRAM
set -eu
gibbsite=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$gibbsite" simulate classify --rows 32561 --cols 107 --noise 0.15 -o rows.csv -q

seconds() { # OPTIONS: seconds of the fit alone, the least of two runs
    for _ in 1 2; do "$gibbsite" fit rows.csv "$@" --json -q \
        | awk -F'[:,]' '/"fit": [0-9]/ { print $2 }'; done | sort -g | head -n 1
}
single=$(seconds --prior zero)
hinge=$(seconds --prior zero --loss hinge)
search=$(seconds)
awk -v a="$search" -v b="$single" -v c="$hinge" 'BEGIN {
    printf "default fit %.2f s, one zero-one fit %.2f s, one hinge fit %.2f s\n", a, b, c
    printf "search over a single fit: %.2f (target at most 40); over a hinge fit: %.1f\n", a / b,
    a / c }'
