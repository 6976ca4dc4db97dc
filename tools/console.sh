#!/usr/bin/env bash
# tools/console.sh [--update] [PAGE...]: types the examples of README.md and docs/*.md (or of the
# pages named) and compares. Each page has an empty folder of its own; in it
#
#   - every `$ command` of a ```console block, with the `> ` lines that go on with it, is run by sh,
#     in order, and what it prints must be what the page shows: word for word, but numbers in shape
#     and not in value, since the last digits of a fit depend on the processor, and times masked;
#   - a ```c block that begins with its name, /* first.c */, is written to that file first.
#
# With --update the pages are rewritten with what was printed. $GIBBSITE is the program
# (build/gibbsite), $GIBBSITE_BUILD the build that is installed for pages that use pkg-config
# (build/release).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
update=''
if [[ ${1:-} == --update ]]; then
    update=1
    shift
fi
pages=("$@")
cd "$root"
((${#pages[@]})) || pages=(README.md docs/*.md)

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"
ln -s "${GIBBSITE:-$root/build/gibbsite}" "$tmp/bin/gibbsite"
export PATH="$tmp/bin:$PATH" LC_ALL=C
unset GIBBSITE_THREADS

if grep -ql 'pkg-config' "${pages[@]}"; then
    cmake --install "${GIBBSITE_BUILD:-$root/build/release}" --prefix "$tmp/prefix" \
        >"$tmp/install.log" || { cat "$tmp/install.log" >&2; exit 1; }
    libdir=$(dirname "$(find "$tmp/prefix" -name libgibbsite.so)")
    export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
fi

mask() { sed -E \
    's|\([0-9.]+ s\)|(… s)|; s/\([0-9.]+ s: [0-9.]+ reading, [0-9.]+ fitting\)/(… s)/
    s/^( *"[a-z_]*seconds[a-z_]*": )[0-9.e-]+/\1…/; s/^(  time +)[0-9.]+ s: .*/\1…/'; }
shape() { sed -E 's|^[*] | |; s/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/N/g; s/ +/ /g'; }

# typed PAGE: the page with the output of its commands put in anew.
typed() {
    awk -v script="$tmp/.command" -v log_file="$tmp/.out" '
        function run_typed() { # what was typed, if anything
            if (typed == "") return
            print typed > script
            close(script)
            system("sh " script " > " log_file " 2>&1 < /dev/null")
            while ((getline line < log_file) > 0) print line
            close(log_file)
            typed = ""
        }
        /^```console$/ { inside = 1; print; next }
        /^```c$/ { source = 1; file = ""; print; next }
        /^```$/ { run_typed(); if (file != "") close(file); inside = skipping = source = 0;
        file = ""; print; next }
        source == 1 && /^\/\* [A-Za-z0-9_]+\.c.*\*\/$/ { file = $2; sub(/:$/, "", file) }
        source { source = 2; if (file != "") print > file }
        inside && /^\$ / { run_typed(); print; typed = substr($0, 3); skipping = 1; next }
        inside && /^> / && typed != "" { print; typed = typed "\n" substr($0, 3); next }
        inside && skipping { next }
        { print }' "$1" | mask
}

failed=0
for page in "${pages[@]}"; do
    mkdir "$tmp/work"
    (cd "$tmp/work" && typed "$root/$page") >"$tmp/new.md"
    rm -rf "$tmp/work"
    if [[ $update ]]; then
        cp "$tmp/new.md" "$page"
    elif ! diff <(shape <"$page") <(shape <"$tmp/new.md"); then
        echo "$page does not show what the program prints; tools/console.sh --update $page mends \
it" >&2
        failed=1
    fi
done
exit "$failed"
