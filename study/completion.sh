#!/usr/bin/env bash
# The page docs/completion-table.md: builds the program that makes its tables, runs it (about eight
# minutes of one core), prints the page.
#
#   study/completion.sh [-o FILE]
set -eu
cd "$(dirname "$0")/.."
out=/dev/stdout
if [ $# -eq 2 ] && [ "$1" = -o ]; then
    out=$2
elif [ $# -gt 0 ]; then
    echo 'usage: study/completion.sh [-o FILE]' >&2
    exit 2
fi
tools/build.sh release >&2
tools/build.sh release study_completion >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build/release/study/completion methods >"$work/methods.md"
build/release/study/completion starts >"$work/starts.md"
# RMSE and coverage of four methods, a line a set
awk -F ' *[|] *' '
    BEGIN {
        print "| set | RMSE: VB | Gibbs | gamma fixed | ALS-MAP " \
            "| 95 % intervals cover: VB | Gibbs | ALS-MAP |"
        print "|---|---|---|---|---|---|---|---|"
    }
    /^\*\*/ { set = $0; gsub(/\*/, "", set); sub(/ observed \([0-9]* ratings\)/, "", set) }
    /^\| VB, automatic/ { rmse["vb"] = $3; cover["vb"] = $6 }
    /^\| VB, gamma/ { rmse["fixed"] = $3 }
    /^\| ALS-MAP \(/ { rmse["als"] = $3; cover["als"] = $6 }
    /^\| Gibbs, from/ {
        printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", set,
            rmse["vb"], $3, rmse["fixed"], rmse["als"], cover["vb"], $6, cover["als"]
    }' "$work/methods.md" >"$work/summary.md"
page() {
    sed -e "/^SUMMARY\$/{r $work/summary.md
d}" -e "/^METHODS\$/{r $work/methods.md
d}" -e "/^STARTS\$/{r $work/starts.md
d}" study/completion-page.md
}
page >"$work/page.md"
cat "$work/page.md" >"$out"
