#!/usr/bin/env bash
# Types the README's console examples and compares: every `$ gibbsite ...` line in a console block is run in an empty folder, and what it prints must be
# what the README shows, number for number in shape but not in value: the last digits of a fit depend on the processor. With --update the README is
# rewritten with what was printed (times masked).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
export PATH="$root/build:$PATH"
update=${1:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

mask() { sed -E 's/\([0-9.]+ s: [0-9.]+ reading, [0-9.]+ fitting\)/(… s)/'; }

shape() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/N/g; s/ +/ /g'; }

awk '
    /^```console$/ { inside = 1; print; next }
    /^```$/ && inside { inside = 0; skipping = 0; print; next }
    inside && /^\$ / { command = substr($0, 3); print; system("cd " ENVIRON["PWD"] " && ( " command " ) > .out 2>&1 < /dev/null");
        while ((getline line < ".out") > 0) print line; close(".out"); skipping = 1; next }
    inside && skipping { next }
    { print }
' "$root/README.md" >new.md
mask <new.md >new.masked
if [ "$update" = --update ]; then
    cp new.masked "$root/README.md"
elif ! diff <(shape <"$root/README.md") <(shape <new.masked); then
    echo 'README.md does not show what the program prints; tools/readme.sh --update mends it' >&2
    exit 1
fi
