#!/usr/bin/env bash
# The page docs/completion-table.md: builds the program that makes its tables, runs it (about five minutes of one core), prints the page.
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
page() {
    sed -e "/^METHODS\$/{r $work/methods.md
d}" -e "/^STARTS\$/{r $work/starts.md
d}" study/completion-page.md
}
page >"$work/page.md"
cat "$work/page.md" >"$out"
