#!/usr/bin/env bash
# Every kernel is called by a unit test: loops that vectorise have plain twins beside them there.
# Comments are no calls.
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
# without_comments FILE...: the code alone
without_comments() {
    cat "$@" | cc -fpreprocessed -E -P -x c - 2>/dev/null
}
without_comments "$GIBBSITE_ROOT"/tests/unit/*.[ch] >calls.c
untested=()
for name in "${kernels[@]}"; do
    grep -qw -- "$name" calls.c || untested+=("$name")
done
if ((${#untested[@]} == 0)); then
    ok "each of ${#kernels[@]} kernels is called by a test"
else
    not_ok "each of ${#kernels[@]} kernels is called by a test" "${untested[@]}"
fi

# and a kernel that only a comment names would be found
printf '/* gbs_one */\nint main(void) { gbs_two(); }\n' >little.c
without_comments little.c >little.txt
check 'a comment is no call' grep -qw gbs_two little.txt
refuse 'nor a name in one' grep -qw gbs_one little.txt
