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
check 'builds' cc -std=c17 -Wall -Wextra -Wconversion -Werror score.c -o score \
    $(pkg-config --cflags --libs gibbsite) || exit
# A ranking has no labels: its program asks for scores.
was='gbs_model_classify(ctx, model, data, label, probability, score, vote)'
now='gbs_model_predict(ctx, model, data, score, NULL, probability)'
sed -e "s/$was/$now/" \
    -e 's/double label\[500\],/double label[500] = {0},/' -e 's/vote\[500\];/vote[500] = {0};/' \
    score.c >order.c
check 'the program that ranks asks for scores' grep -q gbs_model_predict order.c
# shellcheck disable=SC2046
check 'builds too' cc -std=c17 -Wall -Wextra -Wconversion -Werror order.c -o order \
    $(pkg-config --cflags --libs gibbsite) || exit

# shops ROWS: texts in quotes, a level of its own in the last row, and a row as score.c has it
shops() {
    "$GIBBSITE" simulate classify --rows "$1" --cols 2 --seed 3 -q |
        awk -F, -v OFS=, -v last=$(($1 + 1)) \
            '{ $1 = (NR == 1 ? "shop" : NR == last ? "west" : NR % 3 ? "north" : \
                "\"south, \"\"old\"\"\"") OFS $1 } 1'
}
digits() { awk -F, '{ printf "%s", $1; for (k = 2; k <= NF; k++) printf ",%.17g", $k; print "" }'; }

for options in '' '--prior zero --loss hinge' '--task rank' '--text x1' '--bound kl --seed 5'; do
    program=./score
    if [[ $options == *rank* ]]; then program=./order; fi
    shops 240 >train.csv
    shops 120 >new.csv
    echo north,0.05,0.02,1 >>new.csv
    rm -f model.json
    as "fits ${options:-by default}"
    # shellcheck disable=SC2086
    expect_exit 0 "$GIBBSITE" fit train.csv -o model.json -q $options || continue
    # texts that look like numbers: the program's row has numbers there
    if [[ $options == *x1* ]]; then
        as 'numbers for texts are refused'
        expect_exit 1 $program model.json new.csv
        expect_stderr "column 3: expected text, as in column 'x1'"
        $program model.json new.csv 2>/dev/null >ours
    else
        expect_exit 0 $program model.json new.csv
        head -n -1 "$stdout" >ours
        check 'the row in memory is the one in the file' \
            cmp <(tail -n 1 "$stdout") <(tail -n 1 ours)
    fi
    expect_exit 0 "$GIBBSITE" predict model.json new.csv -q
    if [[ $options == *rank* ]]; then sed -i -E 's/^[^,]*,/,/; s/,[^,]*$//' ours; fi
    check "${options:-by default}: the same bits as predict" cmp ours \
        <(tail -n +2 "$stdout" | digits)
done

# ---------------------------------------------------------------- a host with a decimal comma
# A program that calls setlocale, as hosts of bindings may, reads and writes the same numbers.
cat >host.c <<'END'
#include <gibbsite.h>
#include <locale.h>
#include <stdio.h>

int main(int argc, char **argv) {
    gbs_context *ctx;
    gbs_options *options;
    gbs_table *table;
    gbs_data *data;
    gbs_model *model;
    if (argc != 3 || setlocale(LC_ALL, "") == NULL || gbs_context_create(NULL, &ctx) != GBS_OK)
        return 2;
    printf("%.1f\n", 0.5);
    if (gbs_options_create(ctx, "fit", &options) != GBS_OK ||
        gbs_options_set(options, "confidence", "0.9") != GBS_OK ||
        gbs_options_set(options, "positive", "1.50") != GBS_OK ||
        gbs_table_read(ctx, argv[1], options, &table) != GBS_OK ||
        gbs_table_train(ctx, table, options, &data) != GBS_OK ||
        gbs_fit(ctx, data, options, &model) != GBS_OK ||
        gbs_model_save(ctx, model, argv[2]) != GBS_OK) {
        fprintf(stderr, "%s\n", gbs_error_message(ctx));
        return 1;
    }
    gbs_model_free(model);
    gbs_data_free(data);
    gbs_table_free(table);
    gbs_options_free(options);
    gbs_context_free(ctx);
    return 0;
}
END
# shellcheck disable=SC2046
check 'the host builds' cc -std=c17 -Wall -Wextra -Werror host.c -o host \
    $(pkg-config --cflags --libs gibbsite) || exit
# labels 0.5 and 1.5; numbers of more digits than a double holds, halfway between two of them too
"$GIBBSITE" simulate classify --rows 200 --cols 2 -q |
    awk -F, -v OFS=, \
        'NR > 1 { $3 = $3 > 0 ? 1.5 : 0.5; $1 = $1 "00000000000000000000000001";
            if (NR % 7 == 0) $2 = "9007199254740993e-16" } 1' >digits.csv
without_times() { sed -E 's/"seconds":[0-9.e-]+//g' "$1"; }
as 'a host with a decimal point'
expect_exit 0 env LC_ALL=C ./host digits.csv point.json
expect_stdout '^0\.5$'
if ! command -v localedef >/dev/null || ! mkdir locale \
    || ! localedef -i de_DE -f UTF-8 locale/de_DE.UTF-8 2>/dev/null; then
    skip 'a host with a decimal comma' 'localedef makes no German locale here'
    exit 0
fi
as 'a host with a decimal comma'
expect_exit 0 env LOCPATH="$PWD/locale" LC_ALL=de_DE.UTF-8 ./host digits.csv comma.json
expect_stdout '^0,5$'
check 'writes the same model' cmp <(without_times point.json) <(without_times comma.json)
check 'which is one' test -s comma.json
