#!/usr/bin/env bash
# bench/mpi.sh [gibbsite]: ranks of one thread against threads of one process, for rows, pairs and
# ratings, and what travels. RANKS (2) of them; RUNS (3) of each, by turns, the fastest counts. On a busy machine
# FRONT='chrt -f 10', as root, lets them go first.
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

seconds() { grep -oE '"fit": [0-9.e+-]+' "$1" | tail -n 1 | cut -d' ' -f2; }
least() { if [[ ! $1 ]] || awk "BEGIN { exit !($2 < $1) }"; then echo "$2"; else echo "$1"; fi; }
printf '%-44s %12s %12s %7s %14s %12s\n' what "$size threads" "$size ranks" ratio 'bytes a pass' passes
# race WHAT COMMAND...
race() {
    local what=$1 threads='' both='' k words exchanges bytes
    shift
    for ((k = 0; k < runs; k++)); do
        "${front[@]}" "$gibbsite" "$@" --threads "$size" --json >threads.json 2>/dev/null </dev/null || true
        GIBBSITE_MPI=traffic "${ranks[@]}" "$gibbsite" "$@" --threads 1 --json >ranks.json 2>words </dev/null || true
        threads=$(least "$threads" "$(seconds threads.json)")
        both=$(least "$both" "$(seconds ranks.json)")
    done
    words=$(grep '^ranks:' words)
    exchanges=$(cut -d' ' -f2 <<<"$words") bytes=$(cut -d' ' -f4 <<<"$words")
    awk -v what="$what" -v t="$threads" -v r="$both" -v e="$exchanges" -v b="$bytes" 'BEGIN {
        printf "%-44s %10.2f s %10.2f s %7.2f %14.0f %12d\n", what, t, r, r / t, b / e, e }'
}
race 'rows: 100,000 x 50, hinge, full' fit rows.npy --loss hinge --prior zero
race 'rows: the same, zero-one' fit rows.npy --loss zero-one --prior zero
race 'pairs: 6,000 x 50, hinge, full' fit pairs.npy --task rank --loss hinge --prior zero
race 'ratings: 300,000, rank 16, 10 sweeps' complete ratings.csv --rank 16 --max-iter 10
