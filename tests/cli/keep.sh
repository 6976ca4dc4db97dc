#!/usr/bin/env bash
# predict --keep: columns of the input stand before the predictions, as they were written.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

awk 'BEGIN { print "x,c,y"; for (i = 0; i < 200; i++)
    print (i * 37) % 101 / 10 "," (i % 2 ? "a" : "b") "," ((i * 37) % 101 > 50 ? "yes" : "no") }' \
        >train.csv
check 'a model' "$GIBBSITE" fit train.csv -q -o m.json
cat >new.csv <<'EOF'
id,x,"a ""name"", quoted",c,y
007,1.50,"Doe, Jane",a,yes

0x1F,9,"say ""hi""",b,?
,2e0,plain,a,no
 lead,NA," two
lines",b,yes
EOF
"$GIBBSITE" predict m.json new.csv --missing drop -q >without.csv

as 'keeps columns'
expect_exit 0 "$GIBBSITE" predict m.json new.csv --missing drop --keep 'id,"a ""name"", quoted",x' \
    -q
cp "$stdout" kept.csv
/usr/bin/python3 - <<'EOF' >answer.txt 2>&1
import csv
rows = list(csv.reader(open("kept.csv", newline="")))
plain = list(csv.reader(open("without.csv", newline="")))
given = list(csv.reader(open("new.csv", newline="")))
given = [r for r in given if r]
assert rows[0][:3] == ["id", 'a "name", quoted', "x"], rows[0]
assert [r[3:] for r in rows] == plain, "the predictions are others"
for row, was in zip(rows[1:], given[1:]):
    assert row[0].strip() == was[0].strip() and row[1:3] == [was[2], was[1]], (row, was)
assert len(rows) == 5 and rows[4][3:] == ["", "", "", ""], rows[4]
EOF
check 'as they were written, in the order asked for, rows left out too' test ! -s answer.txt \
    || comment <answer.txt
check 'by number' bash -c \
    '"$1" predict m.json new.csv --missing drop --keep 1 -q | head -n 2 | tail -n 1 |
        grep -q "^007,"' \
    bash "$GIBBSITE"

as 'in JSON'
expect_exit 0 "$GIBBSITE" predict m.json new.csv --missing drop --keep id --json -q
cp "$stdout" kept.json
check 'beside each prediction' test "$(json kept.json predictions.0.kept.id)" = 007
check 'and where the file has a blank line' test "$(json kept.json predictions.1.kept.id)" = 0x1F

as 'from a pipe, label and an input that the model needs'
expect_exit 0 bash -c \
    '"$1" predict m.json - --missing drop --keep y,c -q <new.csv | cut -d, -f1,2 | tr "\n" " "' \
    bash "$GIBBSITE"
expect_stdout '^y,c yes,a \?,b no,a yes,b $'

as 'a column that is not there'
expect_exit 3 "$GIBBSITE" predict m.json new.csv --missing drop --keep id,nobody
expect_stderr 'new.csv: --keep nobody: the file has no such column'
as 'a column twice'
expect_exit 3 "$GIBBSITE" predict m.json new.csv --missing drop --keep id,1
expect_stderr '--keep names column 1 twice'

check 'three classes' bash -c \
    'awk -F, -v OFS=, "NR > 1 && NR % 3 == 0 { \$3 = \"maybe\" } { print }" train.csv >three.csv &&
    "$1" fit three.csv -q -o three.json &&
    "$1" predict three.json new.csv --missing drop --keep id -q |
    head -n 1 | grep -qx "id,label,prob:maybe,prob:no,prob:yes"' bash "$GIBBSITE"

check 'numbers' "$GIBBSITE" simulate classify --rows 60 --cols 3 -q -o n.svm
check 'their model' "$GIBBSITE" fit n.svm -q -o n.json
as 'svmlight has no texts to keep'
expect_exit 2 "$GIBBSITE" predict n.json n.svm --keep 1
expect_stderr '--keep is for csv files'
check 'ratings' "$GIBBSITE" simulate ratings --rows 30 --cols 20 -q -o r.csv
check 'a completion' "$GIBBSITE" complete r.csv -q -o c.json
as 'nor has a completion'
expect_exit 2 "$GIBBSITE" predict c.json r.csv --keep 1
expect_stderr '--keep is for models of rows'
printf 'id,x,c\n\xe9,1,a\n' >latin.csv
as 'what is kept is UTF-8'
expect_exit 3 "$GIBBSITE" predict m.json latin.csv --keep id
expect_stderr 'iconv -f latin1'

as 'a name that the predictions have already'
sed '1s/id,/label,/; 1s/,y$/,score/' new.csv >taken.csv
for name in label score; do
    expect_exit 2 "$GIBBSITE" predict m.json taken.csv --missing drop --keep $name
    expect_stderr \
        "^gibbsite: predict: --keep $name: the predictions have a column of that name; --json has \
the kept ones under .kept.\$"
    expect_silence stdout
done
expect_exit 0 "$GIBBSITE" predict m.json taken.csv --missing drop --keep label --json -q
expect_json "$stdout" predictions.0.kept.label 007
