#!/usr/bin/env bash
# A program that links the library scores raw rows, from a file and from memory, to the last bit as
# `gibbsite predict` does. The program is the one that docs/c-library.md shows.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
need_program cc cmake pkg-config || exit 0
need_plain_build 'raw rows, scored by a program of its own' || exit 0
check 'installs' cmake --install "$GIBBSITE_BUILD" --prefix "$tmp/prefix" || exit
libdir=$(dirname "$(find "$tmp/prefix" -name libgibbsite.so)")
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
sed -n '/^\/\* score\.c/,/^```$/p' "$GIBBSITE_ROOT/docs/c-library.md" | sed '$d' >score.c
# shellcheck disable=SC2046
check 'builds' cc -std=c17 -Wall -Wextra -Wconversion -Werror score.c -o score $(pkg-config --cflags --libs gibbsite) || exit

shops() { # shops ROWS: texts in quotes, a level of its own in the last row, and a row as score.c has it
    "$GIBBSITE" simulate classify --rows "$1" --cols 2 --seed 3 -q |
        awk -F, -v OFS=, -v last=$(($1 + 1)) \
            '{ $1 = (NR == 1 ? "shop" : NR == last ? "west" : NR % 3 ? "north" : "\"south, \"\"old\"\"\"") OFS $1 } 1'
}
digits() { awk -F, '{ printf "%s,%.17g,%.17g\n", $1, $2, $3 }'; }

for options in '' '--prior zero --loss hinge' '--task rank' '--text x1' '--bound kl --seed 5'; do
    shops 240 >train.csv
    shops 120 >new.csv
    echo north,0.05,0.02,1 >>new.csv
    rm -f model.json
    as "fits ${options:-by default}"
    # shellcheck disable=SC2086
    expect_exit 0 "$GIBBSITE" fit train.csv -o model.json -q $options || continue
    if [[ $options == *x1* ]]; then # texts that look like numbers: the program's row has numbers there
        as 'numbers for texts are refused'
        expect_exit 1 ./score model.json new.csv
        expect_stderr "column 3: expected text, as in column 'x1'"
        ./score model.json new.csv 2>/dev/null >ours
    else
        expect_exit 0 ./score model.json new.csv
        head -n -1 "$stdout" >ours
        check 'the row in memory is the one in the file' \
            cmp <(tail -n 1 "$stdout") <(tail -n 1 ours)
    fi
    expect_exit 0 "$GIBBSITE" predict model.json new.csv -q
    if [[ $options == *rank* ]]; then sed -i 's/^[^,]*,/,/' ours; fi # a ranking has no labels
    check "${options:-by default}: the same bits as predict" cmp ours <(tail -n +2 "$stdout" | digits)
done
