#!/usr/bin/env bash
# No program or library that is built here looks for its libraries in the current directory, or in
# any other place that depends on where it is started: every element of a RUNPATH (or RPATH) is an
# absolute folder or begins with $ORIGIN. An empty element is the current directory, where a
# stranger's libjansson.so.4 may lie.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
need_program readelf || exit 0

# elements FILE: one line per element, in angle brackets.
elements() {
    readelf -d "$1" 2>/dev/null | sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]$/\2/p' |
        awk -F: '{ if ($0 == "") print "<>"; for (i = 1; i <= NF; i++) print "<" $i ">" }'
}

is_elf() { [[ $(head -c 4 "$1" 2>/dev/null | od -An -tx1) == ' 7f 45 4c 46' ]]; }

# judged NAME FOLDER...: every program and shared library below the folders. CMakeFiles holds
# objects and CMake's own trials.
judged() {
    local name=$1 file bad=() count=0
    shift
    while IFS= read -r -d '' file; do
        is_elf "$file" || continue
        ((count += 1))
        if elements "$file" | grep -qvE '^<(/|[$]ORIGIN|[$][{]ORIGIN[}])'; then
            bad+=("$file: $(elements "$file" | tr '\n' ' ')")
        fi
    done < <(find "$@" -name CMakeFiles -prune -o -type f \( -name '*.so*' -o -perm -u+x \) -print0)
    echo "# $name: $count files"
    if ((count == 0)); then
        not_ok "$name" 'found no program there'
    elif ((${#bad[@]})); then
        not_ok "$name" "${bad[@]}"
    else
        ok "$name"
    fi
}

judged 'no relative element in the program' "$GIBBSITE"
judged 'no relative element in what is built' "$GIBBSITE_BUILD"
if [[ -x $GIBBSITE_ROOT/build/asan-ubsan/gibbsite ]]; then
    judged 'no relative element in the sanitized build' "$GIBBSITE_ROOT/build/asan-ubsan"
fi
if need_program cmake; then
    if check 'installs' cmake --install "$GIBBSITE_BUILD" --prefix "$tmp/prefix"; then
        judged 'no relative element in what is installed' "$tmp/prefix"
        check 'the installed program runs' "$tmp/prefix/bin/gibbsite" --version
    fi
fi

# The same as it happens: impostors of the libraries that the program names lie in the folder that
# it is started in.
if need_program cc; then
    mkdir data
    "$GIBBSITE" simulate classify --rows 30 --cols 2 -o data/t.csv -q
    cat >impostor.c <<'C'
#include <stdio.h>
static void __attribute__((constructor)) come(void) { puts("loaded"); }
C
    as 'makes an impostor'
    expect_exit 0 cc -shared -fPIC -o impostor.so impostor.c
    readelf -d "$GIBBSITE" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]$/\1/p' | while read -r library; do
        [[ $library == libc.so* || $library == ld-* ]] || cp impostor.so "data/$library"
    done
    (cd data && "$GIBBSITE" fit t.csv -q) >"$stdout" 2>&1
    rc=$?
    what='a library that lies in the current directory is not loaded'
    if ((rc == 0)) && ! grep -q '^loaded' "$stdout"; then
        ok "$what"
    else
        not_ok "$what" "exit status $rc" "$(head -n 5 "$stdout")"
    fi
fi
