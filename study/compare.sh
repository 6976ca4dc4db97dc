#!/usr/bin/env bash
# study/compare.sh [DATA.csv[.gz]...]: the same work in gibbsite, scikit-learn and glmnet, counted
# in keystrokes and in seconds: train and test, probabilities, a threshold by costs of 5 to 1,
# importance of columns, something to send. Prints the table of docs/compare.md. The scripts that
# are typed stand in study/compare/; what is not installed is skipped, and said.
#
# A file is split by its own order: every third row tests. Keystrokes are the characters of a script
# without blanks at the ends of its lines; seconds are the processor's, of all threads.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
scripts=$root/study/compare
: "${GIBBSITE:=$root/build/gibbsite}"
: "${GIBBSITE_DATA:=$root/../shared/data}"
files=("$@")
((${#files[@]})) || files=("$GIBBSITE_DATA/german/german.csv" "$GIBBSITE_DATA/adult/adult.csv.gz")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"
ln -s "$(readlink -f "$GIBBSITE")" "$tmp/bin/gibbsite"
export PATH=$tmp/bin:$PATH

keys() { sed 's/[[:space:]]*$//' "$1" | wc -c; }
lines() { grep -c . "$1"; }

# measure COMMAND...: seconds of the processor, or nothing when it failed
measure() {
    local TIMEFORMAT='%U %S' took
    took=$({ time "$@" >"$tmp/out" 2>"$tmp/err"; } 2>&1) || { tail -n 3 "$tmp/err" >&2; return 1; }
    awk '{ printf("%.1f", $1 + $2) }' <<<"$took"
}

version() {
    case $1 in
    gibbsite) gibbsite --version | awk 'NR == 1 { print $2 }' ;;
    scikit-learn) /usr/bin/python3 -c \
        'import sklearn, pandas, matplotlib; print(sklearn.__version__)' 2>/dev/null ;;
    glmnet) Rscript -e 'library(glmnet); cat(as.character(packageVersion("glmnet")))' 2>/dev/null \
        | tail -n 1 ;;
    esac
}

# cost FILE: mean cost of labels at 5 to 1 against the last column of test.csv; labels 1, TRUE, True
# are positive
cost() {
    awk -F, 'FNR == NR { if (FNR > 1) truth[FNR] = $NF == 1; next }
        FNR > 1 { said = $1 ~ /^"?(1|TRUE|True)"?$/; t = truth[FNR];
        sum += t && !said ? 5 : !t && said ? 1 : 0; n++ }
        END { printf("%.4f", sum / n) }' "$1/test.csv" "$1/predictions.csv"
}

echo '| data | program | lines | keystrokes | processor, s | cost on test rows | certified |'
echo '|---|---|---:|---:|---:|---:|---:|'
for file in "${files[@]}"; do
    name=$(basename "${file%.gz}" .csv) read="cat"
    [[ $file == *.gz ]] && read="zcat"
    for program in gibbsite scikit-learn glmnet; do
        script=("$scripts/$program".*)
        v=$(version "$program" || true)
        length="$(lines "${script[0]}") | $(keys "${script[0]}")"
        if [[ ! $v ]]; then
            echo "| $name | $program | $length | not installed: skipped | | |"
            continue
        fi
        folder=$tmp/$name-$program
        mkdir -p "$folder"
        "$read" "$file" | awk -v train="$folder/train.csv" \
            -v test="$folder/test.csv" 'NR == 1 { print >train; print >test; next }
            { print >(NR % 3 == 0 ? test : train) }'
        cd "$folder"
        case $program in
        gibbsite) run=(sh "${script[0]}") ;;
        scikit-learn) run=(/usr/bin/python3 "${script[0]}") ;;
        glmnet) run=(Rscript "${script[0]}") ;;
        esac
        certified='–'
        if took=$(measure "${run[@]}"); then
            [[ $program == gibbsite ]] && certified=$(/usr/bin/python3 -c '
import json
print("%.4f" % next(c["value"] for c in json.load(open("run.json"))["certificates"]
                    if c["target"] == "cost"))')
            echo "| $name | $program $v | $length | $took | $(cost "$folder") | $certified |"
        else
            echo "| $name | $program $v | $length | failed | | |"
        fi
        cd "$root"
    done
done
