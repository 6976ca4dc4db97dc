#!/usr/bin/env bash
# 10^7 ratings of 100,000 rows and 20,000 columns at 16 components through the program: CSV in,
# model out, and back in. The peak of its memory: at most 2 GB. Reading over `wc -l`, both by the
# clock.
#
#   bench/complete.sh PROGRAM [ROWS]     ROWS 500000: 10^8 ratings (3 GB of CSV; wants 16 GB of
#                                        memory, and is left out where fewer are free)
set -eu
gibbsite=$(realpath "$1")
rows=${2:-100000}
density=0.005
if ((rows >= 500000)); then
    density=0.01
    if (($(awk '/^MemAvailable/ { print $2 }' /proc/meminfo) < 16000000)); then
        echo "10^8 ratings: left out, fewer than 16 GB of memory are free"
        exit 0
    fi
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$gibbsite" simulate ratings --rows "$rows" --cols 20000 --rank 16 --density $density -o \
    ratings.csv -q
TIMEFORMAT='%R'
{ time wc -l ratings.csv >lines; } 2>counted
"$gibbsite" complete ratings.csv --rank 16 --max-iter 2 -o model.json --json >out.json 2>/dev/null &
pid=$!
peak=0
while now=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [[ $now ]]; do
    peak=$now
    sleep 0.1
done
wait "$pid" || (($? == 4)) # two sweeps are not all of a fit
awk -v peak="$peak" -v wc="$(cat counted)" -v file="$(stat -c %s ratings.csv)" \
    -v model="$(stat -c %s model.json)" -v rows="$rows" '
    /"(read|fit|total)": [0-9]/ { gsub(/[",]/, ""); sub(/:/, ""); seconds[$1] = $2 }
    END {
        printf "%d x 20,000, %.0f MB of CSV, 16 components, two sweeps, model of %.0f MB: ", rows,
            file / 1e6, model / 1e6
        printf "peak memory %.2f GB (target at most %d)\n", peak * 1024 / 1e9,
            rows < 500000 ? 2 : 16
        printf "read in %.1f s (%.1f times wc -l), fitted in %.1f s, all in %.1f s\n",
            seconds["read"], seconds["read"] / wc, seconds["fit"], seconds["total"]
    }' out.json
printf 'row,col\n1,2\n' >pair.csv
TIMEFORMAT='%U %S'
{ time "$gibbsite" predict model.json pair.csv >/dev/null; } 2>spent
awk '{ printf "the model is read, and one cell predicted, in %.2f s of processor time\n",
    $1 + $2 }' spent
