#!/usr/bin/env bash
# What a part of the library may not name, beyond what it may include (check-includes.sh): a second
# back end is one folder of src/pass; a family, a task, a map are each one file of src/family,
# src/task and src/map; solvers and samplers do not know what a risk is a mean over. The program
# asks for facts and words of a task and does not compare tasks either. Comments may name anything.
set -euo pipefail
cd "$(dirname "$0")/.."

code=$(mktemp -d)
trap 'rm -rf "$code"' EXIT
broken=0

# The sources without their comments, each line with its number.
find src cli -type d -printf "$code/%p\\0" | xargs -0 mkdir -p
find src cli -name '*.[ch]' -print0 | xargs -0 awk -v code="$code" -v quote="'" '
    BEGIN { token = "\"([^\"\\\\]|\\\\.)*\"|" quote "([^" quote "\\\\]|\\\\.)*" quote "|/[*]|//" }
    FNR == 1 { if (to != "") close(to); to = code "/" FILENAME; inside = 0 }
    {
        line = $0
        left = ""
        while (line != "") {
            if (inside) {
                at = index(line, "*/")
                line = at ? substr(line, at + 2) : ""
                inside = !at
            } else if (match(line, token)) {
                found = substr(line, RSTART, RLENGTH)
                inside = found == "/*"
                left = left substr(line, 1, RSTART - 1) (inside || found == "//" ? " " : found)
                line = found == "//" ? "" : substr(line, RSTART + RLENGTH)
            } else {
                left = left line
                line = ""
            }
        }
        print FNR ":" left >to
    }'

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
# compared PREFIX: the pattern of a comparison with an enumerator other than ..._AUTO
compared() {
    echo "([!=]= *|\\<case +)$1[B-Z]|\\<$1[B-Z][A-Z_]* *[!=]="
}
mapfile -t no_blas < <(but kernel pass)
mapfile -t no_sums < <(but kernel map pass)
mapfile -t no_families < <(but family options)
mapfile -t no_maps < <(but map)
mapfile -t no_losses < <(but risk options)
mapfile -t no_features < \
    <(but map options fit && find src/fit -name '*.[ch]' ! -name 'choose_map.*')
mapfile -t no_tasks < <(but task)
mapfile -t all < <(but)

forbid 'BLAS is called in src/kernel and src/pass' \
    '\<cblas_|<cblas\.h>|<lapack|\<d[a-z]{4,5}_ ?\(' "${no_blas[@]}"
forbid 'rows are summed in src/pass' '\<gbs_strip_(norms|scores|pull|gram|factor)[a-z_]* ?\(' \
    "${no_sums[@]}"
forbid 'a solver or a sampler asks the risk' \
    '(->|\.)y\>|(\<|_)pairs?(\>|_)|(->|\.)task\>|\<GBS_TASK_' src/vb src/smc
forbid 'families are named in src/family and src/options' '\<GBS_FAMILY_' "${no_families[@]}"
forbid 'tasks are told apart in src/task' '\<GBS_TASK_|\<ranks ?\(|"task", *"(rank|classify)"' \
    "${no_tasks[@]}" cli
forbid 'the number of coefficients comes from src/map' \
    'intercept *(!= *0 *)?\? *1 *:|(features|data->d) *\+ *1\>|(->|\.)intercept *\+' \
    "${no_maps[@]}"
forbid 'maps are named in src/map' \
    '\<gbs_map_(seen|standard|tails|fourier|nystrom|intercept|length)\>' "${no_maps[@]}"
# What an option asks for (..._AUTO) may be compared anywhere, and a loss named where one is taken
# or certified. The program tells what it says of some losses and maps; src/fit/choose_map.c is the
# choice between maps.
forbid 'losses are told apart in src/risk' "$(compared GBS_LOSS_)" "${no_losses[@]}"
forbid 'what columns become is told apart in src/map' "$(compared GBS_FEATURES_)" \
    "${no_features[@]}"
forbid 'a loss or a family is what its table says' '[!=]= *&gbs_|&gbs_[a-z_]+ *[!=]=' "${all[@]}"

# Files outside of src/task that hand a task on (or have ranks, of several processes, in a name).
mapfile -t handing < <(cd "$code" &&
    grep -lrE 'GBS_TASK_|->task\>|\.task\>|ranks\(' --include='*.c' \
    src cli | grep -v '^src/task/' | LC_ALL=C sort)
if ((${#handing[@]} > 8)); then
    printf '%s   (more than 8 files outside of src/task name a task)\n' "${handing[@]}"
    broken=1
fi

exit "$broken"
