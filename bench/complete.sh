#!/usr/bin/env bash
# 10^7 ratings at 16 components through the program: CSV in, model out. The peak of its memory: at most 2 GB. Reading over `wc -l`.
#
#   bench/complete.sh PROGRAM
set -eu
gibbsite=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$gibbsite" simulate ratings --rows 60000 --cols 40000 --rank 16 --density 0.00416667 -o ratings.csv -q
start=$EPOCHREALTIME
wc -l ratings.csv >lines
counted=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
"$gibbsite" complete ratings.csv --rank 16 --max-iter 2 -o model.json --json >out.json 2>/dev/null &
pid=$!
peak=0
while now=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [[ $now ]]; do
    peak=$now
    sleep 0.1
done
wait "$pid" || (($? == 4)) # two sweeps are not all of a fit
awk -v peak="$peak" -v wc="$counted" -v file="$(stat -c %s ratings.csv)" -v model="$(stat -c %s model.json)" '
    /"(read|fit|total)": [0-9]/ { gsub(/[",]/, ""); sub(/:/, ""); seconds[$1] = $2 }
    END {
        printf "10^7 ratings (%.0f MB of CSV), 16 components, two sweeps, model of %.0f MB: peak memory %.2f GB (target at most 2)\n", file / 1e6, model / 1e6, peak * 1024 / 1e9
        printf "read in %.1f s (%.1f times wc -l), fitted in %.1f s, all in %.1f s\n", seconds["read"], seconds["read"] / wc, seconds["fit"], seconds["total"]
    }' out.json
