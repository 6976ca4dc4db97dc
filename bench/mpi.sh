#!/usr/bin/env bash
# bench/mpi.sh [gibbsite]: ranks of one thread against as many threads of one process, and one
# thread, for rows, pairs and ratings, and what travels. RANKS (2) of them; RUNS (3) of each, by
# turns, the fastest counts. On a busy machine FRONT='chrt -f 10', as root, lets them go first.
# Below, the bytes that rank 0 gives in one pass or sweep (those of more of them less those of
# fewer) beside what it would be to send rows, strips of negative rows, or the posteriors of rated
# rows; BYTES=only prints that alone.
set -euo pipefail
gibbsite=$(readlink -f "${1:-build/gibbsite}")
size=${RANKS:-2} runs=${RUNS:-3}
if ! command -v mpirun >/dev/null || ! "$gibbsite" version | grep -q '^mpi: Open MPI'; then
    echo 'mpi: Open MPI is not installed, or the program was built without it'
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
read -ra front <<<"${FRONT:-}"
ranks=("${front[@]}" mpirun -q -np "$size")
((EUID != 0)) || ranks+=(--allow-run-as-root)
(($(nproc) >= size)) || ranks+=(--oversubscribe)

"$gibbsite" simulate classify --rows 100000 --cols 50 -q -o rows.npy
"$gibbsite" simulate rank --rows 6000 --cols 50 -q -o pairs.npy
"$gibbsite" simulate ratings --rows 4000 --cols 1500 --density 0.05 -q -o ratings.csv
"$gibbsite" simulate ratings --rows 20000 --cols 500 --density 0.03 -q -o tall.csv

seconds() { grep -oE '"fit": [0-9.e+-]+' "$1" | tail -n 1 | cut -d' ' -f2; }
least() { if [[ ! $1 ]] || awk "BEGIN { exit !($2 < $1) }"; then echo "$2"; else echo "$1"; fi; }
# run COMMAND...: quietly; 4 says that it did not converge, which some of the lines ask for.
run() { "$@" 2>words </dev/null || (($? == 4)) || { cat words >&2 && return 1; }; }
[[ ${BYTES:-} == only ]] || printf '%-38s %11s %11s %11s %6s %9s %9s\n' what 'one thread' \
    "$size threads" "$size ranks" ratio \
    bytes \
    exchanges
# race WHAT COMMAND...
race() {
    local what=$1 one='' threads='' both='' k words exchanges bytes
    shift
    for ((k = 0; k < runs; k++)); do
        run "${front[@]}" "$gibbsite" "$@" --threads 1 --json >one.json
        run "${front[@]}" "$gibbsite" "$@" --threads "$size" --json >threads.json
        GIBBSITE_MPI=traffic run "${ranks[@]}" "$gibbsite" "$@" --threads 1 --json >ranks.json
        one=$(least "$one" "$(seconds one.json)")
        threads=$(least "$threads" "$(seconds threads.json)")
        both=$(least "$both" "$(seconds ranks.json)")
    done
    words=$(grep '^ranks:' words)
    exchanges=$(cut -d' ' -f2 <<<"$words") bytes=$(cut -d' ' -f4 <<<"$words")
    awk -v what="$what" -v o="$one" -v t="$threads" -v r="$both" -v e="$exchanges" \
        -v b="$bytes" 'BEGIN {
        printf "%-38s %9.2f s %9.2f s %9.2f s %6.2f %9.0f %9d\n", what, o, t, r, r / t, b / e, e }'
}
if [[ ${BYTES:-} != only ]]; then
    race 'rows: 100,000 x 50, hinge, full' fit rows.npy --loss hinge --prior zero
    race 'rows: the same, zero-one' fit rows.npy --loss zero-one --prior zero
    race 'pairs: 6,000 x 50, hinge, full' fit pairs.npy --task rank --loss hinge --prior zero
    race 'ratings: 300,000, rank 16, 10 sweeps' complete ratings.csv --rank 16 --max-iter 10
    race 'ratings: 300,000 (20,000 x 500)' complete tall.csv --rank 16 --max-iter 10
fi

printf '\n%-46s %14s %14s\n' 'one pass or sweep, bytes from rank 0' sent otherwise
# traffic COMMAND...: bytes that rank 0 gave.
traffic() {
    GIBBSITE_MPI=traffic run "${ranks[@]}" "$gibbsite" "$@" --threads 1 --json >/dev/null
    grep '^ranks:' words | cut -d' ' -f4
}
# step WHAT OTHERWISE FITS FEW MORE COMMAND...: of a command that does so many fits.
step() {
    local what=$1 otherwise=$2 fits=$3 few=$4 more=$5 a b
    shift 5
    a=$(traffic "$@" --max-iter "$few") b=$(traffic "$@" --max-iter "$more")
    printf '%-46s %14d %14d\n' "$what" $(((b - a) / (more - few) / fits)) "$otherwise"
}
step 'rows: 100,000 x 50; all rows' $((100000 * 50 * 8)) 1 2 4 fit rows.npy --loss hinge \
    --prior zero \
    --tol 1e-15
step 'pairs: 6,000 x 50; the negative rows' $((3000 * 50 * 8)) 1 2 4 fit pairs.npy --task rank \
    --loss hinge --prior zero --tol 1e-15
step 'ratings: 4,000 x 1,500; posteriors of rows' $((4000 * 170 * 8 / size)) 2 4 10 \
    complete ratings.csv --rank 16 --tol 1e-12
step 'ratings: 20,000 x 500; posteriors of rows' $((20000 * 170 * 8 / size)) 2 4 10 \
    complete tall.csv --rank 16 --tol 1e-12
