#!/usr/bin/env bash
# Every kernel is named by a unit test: loops that vectorise have plain twins beside them there.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
need_program nm || exit 0
objects=()
while read -r object; do # not those of sources that are gone
    source=$(basename "$object" .o)
    [[ ! -e $GIBBSITE_ROOT/src/kernel/$source ]] || objects+=("$object")
done < <(find "$GIBBSITE_BUILD" -path '*src/kernel/*' -name '*.o')
check 'the objects of the kernels are there' test "${#objects[@]}" -gt 5 || exit 0
# i: a function with several versions, of which the loader takes one
mapfile -t kernels < \
    <(nm -g --defined-only "${objects[@]}" | awk '$2 == "T" || $2 == "i" { print $3 }' | sort -u)
untested=()
for name in "${kernels[@]}"; do
    grep -qw -- "$name" "$GIBBSITE_ROOT"/tests/unit/*.[ch] || untested+=("$name")
done
if ((${#untested[@]} == 0)); then
    ok "each of ${#kernels[@]} kernels is called by a test"
else
    not_ok "each of ${#kernels[@]} kernels is called by a test" "${untested[@]}"
fi
