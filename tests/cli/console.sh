#!/usr/bin/env bash
# The examples of the README and of every page in docs/, typed as written.
. "$(dirname "$0")/../lib.sh"
need_plain_build 'the pages show what the program prints' || exit 0
need_program cc cmake pkg-config || exit 0

cd "$GIBBSITE_ROOT" || exit 1
for page in README.md docs/*.md; do
    if grep -q '^```console$' "$page"; then check "$page shows what the program prints" \
        tools/console.sh "$page"; fi
done
# The README is the way in, not the manual.
check 'the README has at most 150 lines' test "$(wc -l <README.md)" -le 150
# Commands that are not typed cannot be right for long: in docs/ they stand in console blocks, but
# for those of compare.md, which compare.sh types.
loose=$(awk 'FILENAME == "docs/compare.md" { next } FNR == 1 { block = "" }
    /^```/ { block = block == "" ? $0 : "" } block != "" && block != "```console" &&
    /^\$? ?gibbsite / { print FILENAME ":" FNR ": " $0 }' docs/*.md)
if [[ ! $loose ]]; then ok 'every command in docs/ is in a console block'; else not_ok \
    'every command in docs/ is in a console block' "$loose"; fi

# The check itself: a page that shows something else is refused.
cd "$tmp" || exit 1
page=$tmp/page.md
refused() { (cd "$GIBBSITE_ROOT" && tools/console.sh "$(realpath --relative-to=. "$page")"); }
printf '```console\n$ gibbsite simulate classify --rows 3 -q | wc -l\n4\n```\n' >"$page"
check 'a page that tells the truth passes' refused
sed -i 's/^4$/four/' "$page"
refuse 'a page that does not is refused' refused

# Numbers are compared by value, to a millionth.
printf '```console\n$ echo area 3.14159265358979 of 2 rows, 1e-13 off "(0.2" "s)"\n%s\n```\n' \
    'area 3.14159265358 of 2 rows, 3e-13 off (… s)' >"$page"
cp "$page" kept.md
check 'last digits and times may differ' refused
for wrong in 's/^area 3.14159/area 3.14160/' 's/^area \(.*\) 2 rows/area \1 3 rows/'; do
    sed "$wrong" kept.md >"$page"
    refuse "a number that does not belong there is refused ($wrong)" refused
done
mended() {
    (cd "$GIBBSITE_ROOT" && tools/console.sh --update "$(realpath --relative-to=. "$page")")
}
{ cat "$page" && printf '```console\n$ echo 5.00000001\n5\n```\n'; } >twice.md && cp twice.md "$page"
check '--update mends a page' mended
check 'so that it passes' refused
check 'and leaves a number that was near enough' grep -qx 5 "$page"
