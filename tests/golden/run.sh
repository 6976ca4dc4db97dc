#!/usr/bin/env bash
# tests/golden/run.sh PROGRAM [FOLDER] > FILE: what PROGRAM makes of the commands of
# FOLDER/commands.txt (default: the golden list, beside this script), as one text: exit codes and
# every number, by command and key (values.py says which), for compare.py.
#
# The commands run in a folder of their own that holds a copy of FOLDER/data. The environment
# is the caller's: GIBBSITE_THREADS and OPENBLAS_CORETYPE do what they always do.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if (($# < 1 || $# > 2)) || [[ $1 == -* ]]; then
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
fi
program=$(realpath -e "$1") folder=$(realpath -e "${2:-$here}")

work=$(mktemp -d "${TMPDIR:-/tmp}/gibbsite-golden.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/out"
cp -r "$folder/data" "$work/in"
chmod -R u+w "$work/in"
cd "$work/in"
export LC_ALL=C

number=0
while read name line; do # a \ at the end of a line joins the next
    [[ $name && $name != \#* ]] || continue
    read -ra arguments <<<"$line"
    out=$work/out/$((++number))
    rc=0
    : >"$out"
    if [[ ${arguments[0]} == '=' ]]; then
        cp "${arguments[1]}" "$out" 2>/dev/null || rc=1
    else
        [[ ${arguments[0]} == predict ]] || arguments+=(--json)
        "$program" "${arguments[@]}" >"$out" 2>"$work/err" </dev/null || rc=$?
        if ((rc != 0)) && [[ $name != refused/* && ${GOLDEN_VERBOSE-} ]]; then
            sed "s|^|$name: |" "$work/err" >&2
        fi
    fi
    printf '%s %s\n' "$name" "$rc" >>"$work/index"
done <"$folder/commands.txt"

/usr/bin/python3 "$here/values.py" "$work/index" "$work/out"
