#!/usr/bin/env bash
# gibbsite report with what is no run, or a damaged one: one clear message, nothing written, no
# crash.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

g() { "$GIBBSITE" "$@" -q || exit 1; }
g simulate classify --rows 80 --cols 2 -o train.csv
g simulate ratings --rows 12 --cols 10 --rank 1 --density 0.8 --range 1:5 -o ratings.csv
turned train.csv >turned.csv
g fit train.csv -o model.json --test turned.csv --json >fit.json
g fit train.csv --prior zero --scale unit-row --lambda-grid 2:80:3 --prior-grid 0.5:1:2 --json \
    >zero.json
g fit train.csv --task rank --test turned.csv --json >rank.json
g complete ratings.csv --rank 2 --range 1:5 --test ratings.csv -o completion.json --json \
    >complete.json
g evaluate model.json train.csv --json >evaluate.json
g cv train.csv --lambda-grid 5:80:2 --json >cv.json
g fit train.csv --prior zero --lambda 20 -o zero.model
g gap train.csv zero.model --particles 16 --json >gap.json
g theory --n 100 --d 3 --json >theory.json
g sample train.csv --lambda 5 --particles 16 -o sample.model --json >sample.json
g predict model.json train.csv --json >predict.json
g fit train.csv --importance --json >importance.json
awk 'BEGIN { print "a,b,y";
    for (i = 0; i < 60; i++)
        print i % 3 + (i * 7 % 11) / 8 "," (i % 3 == 1) + (i * 5 % 13) / 9 "," \
            substr("xyz", i % 3 + 1, 1) }' >three.csv
g fit three.csv --loss hinge -o three.model
g gap three.csv three.model --particles 16 --json >three_gap.json
g sample three.csv --particles 16 --against three.model --json >three_sample.json

# wrong CODE REGEX FILE...: report of the files fails so, and writes nothing
wrong() {
    local code=$1 regex=$2
    shift 2
    rm -f out.html
    expect_exit "$code" "$GIBBSITE" report "$@" -o out.html
    expect_stderr "$regex"
    expect_no_file out.html
    check 'one line of message' test "$(wc -l <"$stderr")" = 1
}

printf '{"gibbsite": "0.1.0",\n "command": fit}\n' >syntax.json
wrong 3 \
    '^gibbsite: syntax.json: line 2, column 13: not a value of JSON; expected the JSON of a run$' \
    syntax.json
wrong 3 '^gibbsite: syntax.json: line 2' fit.json syntax.json
head -c 700 fit.json >cut.json
wrong 3 '^gibbsite: cut.json: line [0-9]+, column [0-9]+: .*; expected the JSON of a run$' cut.json
: >empty.json
wrong 3 '^gibbsite: empty.json: line 1, column 1: the text ends too early; ' empty.json
wrong 3 '^gibbsite: train.csv: line 1, column 1: not a value of JSON; ' train.csv
echo '[1, 2]' >array.json
wrong 3 '^gibbsite: array.json: not a run of gibbsite; expected what fit, evaluate,' array.json
echo '{"command": "fit"}' >other.json
wrong 3 '^gibbsite: other.json: not a run of gibbsite' other.json
wrong 3 "^gibbsite: model.json: a file of kind 'model', not a run; .*inspect MODEL --json" \
    model.json
wrong 3 "^gibbsite: completion.json: a file of kind 'completion', not a run" completion.json
wrong 3 "^gibbsite: sample.model: a file of kind 'sample', not a run" sample.model
wrong 3 "^gibbsite: predict.json: a run of 'predict', which has nothing to report" predict.json
printf '{"gibbsite": "0.1.0", "command": "fit", "task": "\xff"}' >bytes.json
wrong 3 '^gibbsite: bytes.json: line 1, column [0-9]*: a byte that a text cannot have; ' bytes.json
wrong 5 '^gibbsite: none.json: No such file' none.json
wrong 5 '^gibbsite: .: Is a directory' .
expect_exit 2 "$GIBBSITE" report
expect_stderr 'expected at least one run'
expect_exit 2 "$GIBBSITE" report - - -o out.html
expect_stderr 'only one of the runs can be standard input'
expect_exit 2 "$GIBBSITE" report fit.json -o fit.json
expect_stderr 'would overwrite the input'
expect_exit 2 "$GIBBSITE" report fit.json --json
expect_stderr 'both want standard output'
expect_exit 5 "$GIBBSITE" report fit.json -o nowhere/out.html
expect_exit 2 "$GIBBSITE" report fit.json --lambda 3
mkdir closed
chmod a-w closed
if [[ -w closed ]]; then
    skip 'a folder that cannot be written to' 'this user may write anywhere'
else
    expect_exit 5 "$GIBBSITE" report fit.json -o closed/out.html
fi

# page JSON: a run that is valid JSON and holds little else makes a page.
page() {
    printf '%s\n' "$1" >little.json
    as "report of $1"
    expect_exit 0 "$GIBBSITE" report little.json -o little.html -q
}
page '{"gibbsite":"1","command":"fit",
    "importance":{"columns":[{"name":"a"}],"curves":[{"name":"x"}]}}'
refuse 'a curve without points is not drawn' grep -q 'What x does' little.html
page '{"gibbsite":"1","command":"fit","certificate":{"value":0,"empirical":0}}'
page '{"gibbsite":"1","command":"gap","problems":[{"gap":1}]}'
check 'a problem without a class is called a model' grep -q '<th scope="row">model</th>' little.html
page '{"gibbsite":"1","command":"fit","options":{"given":{"loss":"hinge"}}}'
check 'the command that was typed' grep -q 'gibbsite fit --loss hinge</code>' little.html

# Every value of a key becomes something it should not be, and every key is gone once. The page is
# made all the same.
deep=$(printf '[%.0s' $(seq 1 3000))
printf '{"gibbsite": "0.1.0", "command": "fit", "path": %s' "$deep" >deep.json
wrong 3 'deep.json: line 1, column [0-9]*: too many levels; ' deep.json
spoiled=0 every=1
# Under a sanitizer a third of them: every key, and every value with some of the keys.
if ldd "$GIBBSITE" | grep -q libasan; then every=3; fi

# damage RUN: writes spoiled/KEY.NUMBER.json, one for each key and damage that changes the run. A
# list or an object can only go.
damage() {
    rm -rf spoiled && mkdir spoiled
    awk -v every=$every '
        { line[NR] = $0 }
        match($0, /^ *"[a-z_A-Z]+": /) {
            at[NR] = RLENGTH
            key[NR] = substr($0, 1, RLENGTH - 3)
            sub(/^ *"/, "", key[NR])
            keys[key[NR]] = 1
            plain[NR] = substr($0, RLENGTH + 1) !~ /[[{]/
            scalar[key[NR]] = scalar[key[NR]] || plain[NR]
        }
        END {
            count = split("\"<b>\"|-1e308|{\"x\": [[]]}|[null, 3, \"x\", {}]|gone", value, "|")
            delete keys["gibbsite"]
            delete keys["command"]
            for (k in keys)
                for (v = 1; v <= count; v++)
                    if (tried++ % every == 0)
                        spoil(k, v)
        }
        function spoil(k, v,    i, name, text, gone) {
            gone = value[v] == "gone"
            if (!gone && !scalar[k])
                return
            name = "spoiled/" k "." v ".json"
            for (i = 1; i <= NR; i++) {
                text = line[i]
                if (key[i] == k && gone)
                    sub(/"[a-z_A-Z]+": /, "\"no_such_key\": ", text)
                else if (key[i] == k && plain[i])
                    text = substr(text, 1, at[i]) value[v] (text ~ /,$/ ? "," : "")
                print text >name
            }
            close(name)
        }' "$1.json"
}
for run in fit zero complete cv gap theory importance three_gap three_sample evaluate sample \
    rank; do
    damage $run
    damaged=(spoiled/*.json)
    ((spoiled += ${#damaged[@]}))
    "$GIBBSITE" report "${damaged[@]}" -q >spoiled.html 2>said
    rc=$?
    if ((rc != 0)); then
        not_ok "$run with damage" "exit $rc" "$(head -n 20 said)"
        for file in "${damaged[@]}"; do # which of them?
            "$GIBBSITE" report "$file" -q >alone.html 2>said ||
                not_ok "$run with damage: $file" "$(head -n 20 said)"
        done
    fi
    if grep -q '<b>"\|<td[^>]*><b>' spoiled.html; then not_ok "$run: markup from the data"; fi
done
check "$spoiled damaged runs make pages" test "$spoiled" -gt $((1000 / every))
