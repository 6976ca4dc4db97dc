#!/usr/bin/env bash
# Pages of gibbsite report in a headless browser (tests/browser/check.mjs): drawn, quiet, reachable
# by keyboard, printable. Skipped, visibly, where Chromium, node or playwright-core cannot be had.
# GIBBSITE_PICTURES names a folder that keeps the screenshots.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

name='pages of report in a browser'
for program in chromium node npm; do
    if ! command -v "$program" >/dev/null; then
        skip "$name" "needs $program (tools/setup.sh test)"
        exit 0
    fi
done

# playwright-core, at the version of the lock file, once for all builds
browser=$GIBBSITE_ROOT/build/browser
mkdir -p "$browser"
if ! cmp -s "$GIBBSITE_ROOT/tests/browser/package-lock.json" "$browser/installed.json"; then
    cp "$GIBBSITE_ROOT"/tests/browser/package.json \
        "$GIBBSITE_ROOT"/tests/browser/package-lock.json "$browser"
    if ! (cd "$browser" && npm ci --no-audit --no-fund --ignore-scripts) >npm.log 2>&1; then
        tail -n 5 npm.log | comment
        skip "$name" 'npm could not fetch playwright-core'
        exit 0
    fi
    cp "$browser/package-lock.json" "$browser/installed.json"
fi
cp "$GIBBSITE_ROOT/tests/browser/check.mjs" "$browser"

g() { "$GIBBSITE" "$@" -q; }
pictures=${GIBBSITE_PICTURES:-$tmp/pictures}
mkdir -p "$pictures"
g simulate classify --rows 600 --cols 5 --noise 0.1 -o train.csv
g simulate classify --rows 2000 --cols 5 --noise 0.1 --skip 600 -o test.csv
g simulate rank --rows 500 --cols 4 --noise 0.1 -o pairs.csv
g simulate ratings --rows 80 --cols 60 --rank 3 --density 0.4 --range 1:5 -o ratings.csv
g simulate ratings --rows 80 --cols 60 --rank 3 --density 0.4 --range 1:5 --skip 1920 -o fresh.csv
# a wide file whose columns have long names, some of them markup
awk -F, -v OFS=, \
    'NR == 1 {
        for (k = 1; k < NF; k++)
            $k = "\"a rather long name of column " k \
                " </script><script>window.injected=1</script>\"" }
        { print }' train.csv >'<b>wide.csv'
g fit train.csv -o model.json --test test.csv --json >informed.json
g fit train.csv --prior zero --scale unit-row --lambda-grid 2:600:8 --prior-grid 0.5:2:2 --test \
    test.csv --json >zero.json
turned '<b>wide.csv' >'<b>turned.csv'
turned pairs.csv >pairs_turned.csv
g fit '<b>wide.csv' --prior zero --loss hinge --test '<b>turned.csv' --json >names.json
g fit pairs.csv --task rank --test pairs_turned.csv --json >rank.json
g complete ratings.csv --rank 8 --range 1:5 --prior informed --test fresh.csv --json >complete.json
g cv train.csv --loss zero-one,hinge --lambda-grid 20:600:4 --json >cv.json
g fit train.csv --prior zero --lambda 200 -o full.model
g fit train.csv --prior zero --lambda 200 --family diagonal -o diagonal.model
g gap train.csv diagonal.model full.model --particles 400 --json >gap.json
g sample train.csv --lambda 200 --particles 400 --json >sample.json
g theory --n 1000 --d 5 --json >theory.json
g evaluate model.json test.csv --json >evaluate.json
pages=()
for run in informed zero names rank complete cv gap sample theory; do
    g report $run.json -o $run.html && pages+=("$tmp/$run.html")
done
g report informed.json zero.json names.json rank.json complete.json evaluate.json -o several.html \
    && pages+=("$tmp/several.html")
check 'ten pages to look at' test ${#pages[@]} = 10

# check.mjs speaks TAP without a plan; a line of its own for each
node "$browser/check.mjs" "$(command -v chromium)" "$pictures" "${pages[@]}" >tap 2>err
rc=$?
while IFS= read -r line; do
    case $line in
    'ok - '*) ok "${line#ok - }" ;;
    'not ok - '*) not_ok "${line#not ok - }" ;;
    *) echo "$line" ;;
    esac
done <tap
if ((rc > 1)) || ! grep -q '^ok' tap; then not_ok 'the browser works' "exit status $rc" \
    "$(head -n 20 err)"; fi
check 'a picture of each page, light and dark, wide and narrow' test \
    "$(find "$pictures" -name '*.png' | wc -l)" -ge 40
