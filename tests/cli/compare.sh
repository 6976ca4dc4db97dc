#!/usr/bin/env bash
# docs/compare.md: the three lines that are typed do the work, and the page counts them as they are.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
page=$GIBBSITE_ROOT/docs/compare.md scripts=$GIBBSITE_ROOT/study/compare

mkdir bin
ln -s "$GIBBSITE" bin/gibbsite
check 'rows to learn from' "$GIBBSITE" simulate classify --rows 400 --cols 4 -q -o train.csv
check 'rows to test on' "$GIBBSITE" simulate classify --rows 200 --cols 4 --skip 400 -q -o test.csv
as 'the three lines'
expect_exit 0 env "PATH=$tmp/bin:$PATH" sh -e "$scripts/gibbsite.sh"
check 'predict every row' test "$(wc -l <predictions.csv)" = 201
check 'certify the cost' grep -q '"target": "cost"' run.json
check 'and leave a page' grep -q 'Precision and recall' report.html
check 'they are those of the page' diff <(sed -n '/^```sh$/,/^```$/p' "$page" | grep -v '^```') \
    "$scripts/gibbsite.sh"
for script in "$scripts"/*; do
    name=$(basename "${script%.*}")
    keys=$(sed 's/[[:space:]]*$//' "$script" | wc -c)
    check "the page has the keystrokes of $name" bash -c 'awk -F"|" -v name="$1" -v keys="$2" \
        "\$3 ~ \" \" name && \$5 + 0 == keys { n++ } END { exit !n }" "$3"' bash "$name" "$keys" \
        "$page"
done
