#!/usr/bin/env bash
# bench/ranks_memory.sh: memory of each rank, at its most: its own (anonymous), pages of files,
# which ranks of a machine have in common, and memory that they share; and processor time. ROWS x
# COLS cells, in memory and in files that the ranks share (--cache). FORMAT: csv, npy or svm,
# DENSITY the share of cells that are not zero; RANKS: how many. FORMAT=ratings: `complete` of ROWS
# x COLS cells, a share DENSITY of them rated. TASK=rank: pairs of rows.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${GIBBSITE:-$PWD/build/gibbsite}
rows=${ROWS:-200000} cols=${COLS:-50}
folder=$(mktemp -d "${TMPDIR:-/tmp}/gibbsite-bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
file=rows.${FORMAT:-csv}
what=fit kind=classify ways=(memory files)
options=(--loss hinge --prior zero --task "${TASK:-classify}") in_files=(--cache . --no-cache)
if [[ $file == *.ratings ]]; then
    what=complete kind=ratings in_files=(--cache .)
    options=(--max-iter 2 --rank 8)
fi
"$program" simulate $kind --rows "$rows" --cols "$cols" ${DENSITY:+--density "$DENSITY"} -q -o \
    "$file"
unset "${!OMPI_@}" "${!PMIX_@}"
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
if ((EUID == 0)); then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi

# watch JOB: looks at the processes in this folder ten times a second, until the job ends. A rank is
# a process and the one that watches over it, which is small.
watch() {
    declare -A own pages shared
    local pid key value
    while kill -0 "$1" 2>/dev/null; do
        for pid in $(pgrep -x gibbsite); do
            [[ $(readlink "/proc/$pid/cwd" 2>/dev/null) == "$folder" ]] || continue
            while read -r key value _; do
                case $key in
                RssAnon:) ((value <= ${own[$pid]:-0})) || own[$pid]=$value ;;
                RssFile:) ((value <= ${pages[$pid]:-0})) || pages[$pid]=$value ;;
                RssShmem:) ((value <= ${shared[$pid]:-0})) || shared[$pid]=$value ;;
                esac
            done < <(cat "/proc/$pid/status" 2>/dev/null)
        done
        sleep 0.1
    done
    for pid in "${!own[@]}"; do
        ((own[$pid] < 4000)) || printf ' %d+%d+%d' $((own[$pid] / 1024)) \
            $((${pages[$pid]:-0} / 1024)) $((${shared[$pid]:-0} / 1024))
    done
}
printf '%-28s %10s %10s   %s\n' "${rows} x ${cols} cells" 'processor' 'wall' \
    'MiB of each rank, its own + of files + shared'
for way in "${ways[@]}"; do
    for size in ${RANKS:-1 2 4}; do
        more=(--threads 1 -q -o model.json)
        [[ $way == memory ]] || more+=("${in_files[@]}")
        TIMEFORMAT='%U %S %R'
        { time mpirun --oversubscribe -q -np "$size" "$program" "$what" "$file" \
            "${options[@]}" "${more[@]}"; } \
            2>seconds &
        job=$!
        watch $job >most
        wait $job || (($? == 4)) # its sweeps ended
        read -r user system wall < <(tail -n 1 seconds)
        printf '%-28s %10.1f %10.1f   %s\n' "$way, $size ranks" "$(bc <<<"$user + $system")" \
            "$wall" "$(cat most)"
    done
done
