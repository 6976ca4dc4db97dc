#!/usr/bin/env bash
# tools/console.sh [--update] [PAGE...]: types the examples of README.md and docs/*.md (or of the
# pages named) and compares. Each page has an empty folder of its own; in it
#
#   - every `$ command` of a ```console block, with the `> ` lines that go on with it, is run by sh,
#     in order, and what it prints must be what the page shows: word for word, and number for
#     number to a millionth, since the last digits of a fit depend on the processor; times are
#     masked;
#   - a ```c block that begins with its name, /* first.c */, is written to that file first.
#
# With --update the pages are rewritten with what was printed: lines that say the same, but for
# such digits, stay as they are. $GIBBSITE is the program (build/gibbsite), $GIBBSITE_BUILD the
# build that is installed for pages that use pkg-config (build/release).
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

# same OLD NEW: NEW, but where a line of OLD says the same, that line; what differs goes to standard
# error, and the status is then 1. Lines are matched by what is left of them without numbers.
same() {
    diff --old-line-format='-%L' --new-line-format='+%L' --unchanged-line-format=' %L' \
        <(shape <"$1") <(shape <"$2") |
        awk -v old="$1" -v new="$2" '
        function numbers(line, into,    n) {
            n = 0
            while (match(line, /-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/)) {
                into[++n] = substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
            }
            return n
        }
        function near(a, b,    most) { # a millionth of either; what rounding leaves of 0
            if (a == b) return 1
            most = a < 0 ? -a : a + 0
            if ((b < 0 ? -b : b + 0) > most) most = b < 0 ? -b : b + 0
            a -= b
            return (a < 0 ? -a : a) <= 1e-6 * most + 1e-9
        }
        function alike(a, b,    x, y, n, k) {
            n = numbers(a, x)
            if (numbers(b, y) != n) return 0
            for (k = 1; k <= n; k++)
                if (!near(x[k], y[k])) return 0
            return 1
        }
        { way = substr($0, 1, 1) }
        way != "+" { getline was < old }
        way != "-" { getline is < new }
        way == " " && alike(was, is) { print was; next }
        { failed = 1 }
        way != "+" { print "< " was > "/dev/stderr" }
        way != "-" { print "> " is > "/dev/stderr"; print is }
        END { exit failed }'
}
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
    if same "$page" "$tmp/new.md" >"$tmp/same.md"; then
        continue
    elif [[ $update ]]; then
        cp "$tmp/same.md" "$page"
    else
        echo "$page does not show what the program prints; tools/console.sh --update $page mends \
it" >&2
        failed=1
    fi
done
exit "$failed"
