#!/usr/bin/env bash
# Answers are short: eight lines of eighty columns at most, whatever was asked for; --verbose says
# the rest in a hundred columns; warnings go to standard error.
. "$(dirname "$0")/../lib.sh"

"$GIBBSITE" simulate classify --rows 200 --cols 4 --noise 0.1 -q -o train.csv || exit 1
"$GIBBSITE" simulate classify --rows 150 --cols 4 --noise 0.1 --skip 200 -q -o test.csv || exit 1
"$GIBBSITE" simulate classify --rows 150 --cols 60 --density 0.1 -q -o sparse.svm || exit 1
"$GIBBSITE" simulate ratings --rows 30 --cols 20 --density 0.4 --range 1:5 -q -o ratings.csv \
    || exit 1
"$GIBBSITE" simulate ratings --rows 30 --cols 20 --density 0.4 --range 1:5 --skip 240 -q -o \
    fresh.csv || exit 1
head -n 5 train.csv >tiny.csv
long=$(printf 'folder%.0s' {1..12}) # 72 letters
mkdir "$long"
# labels and columns that are longer than a line, and one with an umlaut
awk -F, -v OFS=, 'NR == 1 { $5 = "a_label_with_a_name_that_does_not_end_before_the_line_does_" $5;
    print $0, "kind"; next }
    { $5 = $5 > 0 ? "customers who will surely come back before the end of the year as we hope" : \
        "die übrigen von denen wir nie wieder etwas hören werden so leid es uns allen tut"
      print $0, NR % 3 ? "often" : "never" }' train.csv >"$long/train.csv"
target=$(head -n 1 "$long/train.csv" | cut -d, -f 5)

# widest FILE: columns of its longest line, as people count them
widest() { LC_ALL=C.UTF-8 awk \
    '{ if (length($0) > most) most = length($0) } END { print most + 0 }' "$1"; }
# short ARGUMENT...: the answer is short, and the long one not too wide
short() {
    local code=0 lines columns
    "$GIBBSITE" "$@" >"$stdout" 2>"$stderr" || code=$?
    lines=$(wc -l <"$stdout") columns=$(widest "$stdout")
    if ((code == 0 && lines > 1 && lines <= 8 && columns <= 80)); then
        ok "short: $*"
    else
        not_ok "short: $*" "exit status $code, $lines lines, $columns columns" \
            "$(cat "$stdout" "$stderr")"
    fi
    "$GIBBSITE" "$@" --verbose >long.txt 2>"$stderr" || code=$?
    columns=$(grep -v "^$long\|written to $long\|^[^ ]* on " long.txt >shown.txt; widest shown.txt)
    if ((code == 0 && columns <= 100)); then
        ok "verbose: $*"
    else
        not_ok "verbose: $*" "exit status $code, $columns columns" "$(cat long.txt "$stderr")"
    fi
}

short fit "$long/train.csv" --target "$target" --cost 2:1 --importance -o "$long/i.json"
short fit train.csv -o model.json
for line in 'data +200 rows of train\.csv, 4 columns; label y: 1 \(positive\) or -1' \
    'baseline +always saying -?1 is wrong in' \
    'model +written to model\.json'; do
    expect_stdout "^$line"
done
check 'the certificate is one sentence' grep -qE \
    'certificate +the labels that predict prints are wrong in at most [0-9.]+ % of all cases, '\
'with confidence 0\.95: valid \([0-9]+ of [0-9]+ fresh rows were\)' \
    <(tr -s ' \n' ' ' <"$stdout")
short fit train.csv --test test.csv
expect_stdout '^test +error [0-9.]+ %, AUC 0\.[0-9]+, on 150 rows of test\.csv$'
expect_stdout '^model +not written'
short fit train.csv --task rank -o ranker.json --test test.csv
expect_stdout '^test +AUC 0\.[0-9]+, on 150 rows of test\.csv$'
short fit train.csv --prior zero
check 'a condition that is not met is said on standard error' grep -q \
    '^gibbsite: the certificate is CONDITIONAL: NOT MET: ' "$stderr"
short fit train.csv --prior zero --scale unit-row --lambda-grid 10:100:3 --path path.csv -o \
    model.json
short fit train.csv --paper
short fit train.csv --bound progressive --test test.csv -o staged.json
short fit train.csv --bound kl
short fit train.csv --cost 5:1 --joint --test test.csv
short fit train.csv --loss hinge --lambda-grid 50:200:2 --select cv --test test.csv
awk -F, -v OFS=, '{ print NR == 1 ? "patient" : "p" int(NR / 3), $0 }' train.csv >groups.csv
short fit groups.csv --group patient --joint
short fit train.csv --refit all --cost 5:1 --test test.csv -o refit.json
short fit train.csv --order time
tac sparse.svm >turned.svm
short fit sparse.svm -o sparse.json --test turned.svm
short fit tiny.csv
turned "$long/train.csv" >"$long/turned.csv"
short fit "$long/train.csv" --target "$target" -o "$long/model.json" --test "$long/turned.csv"
short fit "$long/train.csv" --target "$target" --task rank --test "$long/turned.csv"
short fit "$long/train.csv" --target "$target" --prior zero --scale none --path "$long/path.csv" \
    -o "$long/model.json" --test "$long/turned.csv"
short evaluate model.json test.csv
short evaluate "$long/model.json" "$long/train.csv"
short evaluate ranker.json test.csv
short sample train.csv --particles 200 --lambda 20 -o sample.json
short evaluate sample.json test.csv
short sample train.csv --particles 200 --against staged.json
short complete ratings.csv -o completion.json --test fresh.csv
short complete ratings.csv --range 1:5 --test fresh.csv
short complete ratings.csv --range 1:5 --model paper --prior informed -o completion.json
short evaluate completion.json fresh.csv

# ---------------------------------------------------------------- warnings
awk -F, -v OFS=, 'NR > 1 { $5 = NR % 20 == 0 ? 1 : -1 } { print }' train.csv >rare.csv
as 'one label for all rows'
expect_exit 0 "$GIBBSITE" fit rare.csv
expect_stderr "^gibbsite: the model says '-1' of all [0-9]+ rows that it was tested on\$"
expect_stderr \
    "^gibbsite: the certificate says nothing: [0-9.]+ % is no better than always saying '-1', \
which is wrong in [0-9.]+ %\$"
as 'the same with --json'
expect_exit 0 "$GIBBSITE" fit rare.csv --json
expect_stderr "^gibbsite: the model says '-1' of all"
expect_json "$stdout" baseline.label -1
as 'with costs it is the mean cost that is compared'
expect_exit 0 "$GIBBSITE" fit rare.csv --cost 30:1 -o costly.json --json
cp "$stdout" costly.run
expect_json costly.run 'certificates[3].target' cost
negatives=$(($(json costly.run card.confusion.true_negative) +
    $(json costly.run card.confusion.false_positive)))
guess=$(awk -v n="$negatives" -v all="$(json costly.run card.tested)" \
    'BEGIN { g = n < 30 * (all - n) ? n : 30 * (all - n); printf "%.4g", g / all }')
expect_stderr \
    "^gibbsite: the certificate says nothing: a mean cost of [0-9.]+ is no better than that of \
always saying '1', $guess\$"
refuse 'no word of errors' grep -q 'which is wrong in' "$stderr"
expect_exit 0 "$GIBBSITE" inspect costly.json --card
expect_stdout '^- the certified mean cost is no better than that of always saying one label$'
"$GIBBSITE" simulate classify --rows 2000 --cols 4 --noise 0.2 -q \
    | awk -F, 'NR == 1 || $5 < 0 || NR % 5 == 0' >uneven.csv
as 'more errors than guessing, at less cost'
expect_exit 0 "$GIBBSITE" fit uneven.csv --cost 5:1 --json
holds 'more errors' "$(json "$stdout" certificate.value) > $(json "$stdout" baseline.error)"
expect_silence stderr
as 'the same with --quiet'
expect_exit 0 "$GIBBSITE" fit rare.csv -q -o rare.json
expect_silence stderr
expect_silence stdout
as '-v is --verbose'
expect_exit 0 "$GIBBSITE" fit train.csv -v
expect_stdout '^  free energy '
expect_exit 0 "$GIBBSITE" fit train.csv --prior zero --json
expect_near 'the baseline of all rows where none were kept' "$(json "$stdout" baseline.error)" \
    "$(awk -F, 'NR > 1 { n++; yes += $5 > 0 } END {
        printf "%.15g", (yes < n - yes ? yes : n - yes) / n }' train.csv)" 1e-12

as 'control characters of two bytes'
csi=$(printf '\302\233') # U+009B begins what a terminal obeys, as ESC [ does
awk -F, -v OFS=, -v csi="$csi" 'NR > 1 { $5 = $5 > 0 ? "yes" csi "31m" : "né" } { print }' \
    train.csv >csi.csv
expect_exit 0 "$GIBBSITE" fit csi.csv -o csi.json
expect_stdout 'yes[?]31m \(positive\) or né'
check 'fit shows none' test "$(grep -c "$csi" "$stdout")" = 0
expect_exit 3 "$GIBBSITE" fit csi.csv --positive "no${csi}2J"
expect_stderr 'no\\xc2\\x9b2J'
check 'nor does a message' test "$(grep -c "$csi" "$stderr")" = 0

# ---------------------------------------------------------------- advice can be typed
# A value that is more than a word stands in the quotes of a shell.
{ echo "#id,a b,it's,y" && awk 'BEGIN { for (i = 0; i < 40; i++)
    printf "%d,u%d,w%d,%d\n", 7 * i, i, 3 * i, i % 2 }'; } >odd.csv
as 'names of columns that a shell would take apart'
expect_exit 0 "$GIBBSITE" fit odd.csv
for name in "'#id'" "'a b'" "'it'\\''s'"; do
    check "--drop $name" grep -qF -- "; --drop $name leaves it out" "$stderr"
    eval "set -- $name"
    "$GIBBSITE" fit odd.csv --drop "$1" >dropped.txt 2>&1
    refuse "as typed it leaves $1 out" grep -qF "column '$1'" dropped.txt
done
{ echo a,y && awk 'BEGIN { print "<0.2,1"; for (i = 0; i < 40; i++) print i / 7 "," i % 2 }'; } >lt.csv
as 'a value that a shell would take for a redirection'
expect_exit 3 "$GIBBSITE" fit lt.csv
check 'is quoted' grep -qF -- "--na-values '<0.2'" "$stderr"
