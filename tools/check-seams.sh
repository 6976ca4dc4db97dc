#!/usr/bin/env bash
# What a part of the library may not name, beyond what it may include (check-includes.sh): a second
# back end is one folder of src/pass, a family one file of src/family, a task one file of src/task,
# and solvers and samplers do not know what a risk is a mean over. Comments may name anything. The
# program asks for facts and words of a task and does not compare tasks either.
set -euo pipefail
cd "$(dirname "$0")/.."

code=$(mktemp -d)
trap 'rm -rf "$code"' EXIT
broken=0

# The sources without their comments, each line with its number.
while read -r file; do
    mkdir -p "$code/$(dirname "$file")"
    cpp -w -fpreprocessed -dD "$file" 2>/dev/null |
        awk '/^# [0-9]+ "/ { line = $2 - 1; next } { print ++line ":" $0 }' >"$code/$file"
done < <(find src cli -name '*.[ch]')

# forbid WHY PATTERN FOLDER...: no line of code in these folders matches
forbid() {
    local why=$1 pattern=$2 found
    shift 2
    found=$(cd "$code" && grep -rE "^[0-9]+:.*($pattern)" "$@" | LC_ALL=C sort || true)
    [[ -z $found ]] && return
    sed "s|\$|   ($why)|" <<<"$found"
    broken=1
}

# but FOLDER...: every folder of src/ except these
but() {
    local path folder
    for path in src/*/; do
        folder=$(basename "$path")
        [[ " $* " == *" $folder "* ]] || echo "src/$folder"
    done
}
mapfile -t no_blas < <(but kernel pass)
mapfile -t no_sums < <(but kernel data pass)
mapfile -t no_families < <(but family options)
mapfile -t no_tasks < <(but task)
mapfile -t all < <(but)

forbid 'BLAS is called in src/kernel and src/pass' \
    '\<cblas_|<cblas\.h>|<lapack|\<d[a-z]{4,5}_ ?\(' "${no_blas[@]}"
forbid 'rows are summed in src/pass' '\<gbs_strip_(norms|scores|pull|gram|factor)[a-z_]* ?\(' \
    "${no_sums[@]}"
forbid 'a solver or a sampler asks the risk' \
    '(->|\.)y\>|(\<|_)pairs?(\>|_)|(->|\.)task\>|\<GBS_TASK_' src/vb src/smc
forbid 'families are named in src/family and src/options' '\<GBS_FAMILY_' "${no_families[@]}"
forbid 'tasks are told apart in src/task' '\<GBS_TASK_|ranks ?\(|"task", *"(rank|classify)"' \
    "${no_tasks[@]}" cli
forbid 'a loss or a family is what its table says' '[!=]= *&gbs_|&gbs_[a-z_]+ *[!=]=' "${all[@]}"

exit "$broken"
