#!/usr/bin/env bash
# Input that cannot be used: the message says where and what, the exit code says which kind, and
# nothing is written.
#
# Every output goes to the folder out/, which has to stay empty. The same script runs against the
# sanitized program.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
mkdir out

sanitized=false
if ldd "$GIBBSITE" | grep -q libasan; then sanitized=true; fi

# refuses CODE REGEX ARGUMENT...: leaves with CODE, says REGEX in its first line on stderr, nothing
# on stdout, nothing in out/.
refuses() {
    local code=$1 regex=$2 rc why=()
    shift 2
    timeout -k 5 120 "$GIBBSITE" "$@" >"$stdout" 2>"$stderr"
    rc=$?
    ((rc == code)) || why+=("exit status $rc, not $code")
    head -n 1 "$stderr" | grep -qE -- "^gibbsite: .*$regex" || why+=("stderr does not say /$regex/")
    [[ ! -s $stdout ]] || why+=('something on stdout')
    [[ ! $(ls -A out) ]] || why+=("left in out/: $(ls -A out)")
    rm -rf out/* out/.[!.]*
    if ((${#why[@]})); then
        not_ok "refused, $code: $*" "${why[@]}" 'stderr:' "$(head -n 40 "$stderr")"
    else
        ok "refused, $code: $*"
    fi
}
# fit_refuses CODE REGEX ARGUMENT...
fit_refuses() {
    local code=$1 regex=$2
    shift 2
    refuses "$code" "$regex" fit "$@" -o out/m.json
}
works() { expect_exit 0 "$GIBBSITE" "$@"; }

# ---------------------------------------------------------------- the material
"$GIBBSITE" simulate classify --rows 60 --cols 3 -o good.csv -q
"$GIBBSITE" simulate classify --rows 60 --cols 3 -o good.svm -q
"$GIBBSITE" simulate classify --rows 60 --cols 3 -o good.npy -q
as 'a model to ask'
works fit good.csv -o model.json -q || exit
as 'a model from svmlight'
works fit good.svm -o sparse.json -q || exit

# ---------------------------------------------------------------- files
fit_refuses 5 'absent\.csv: No such file' absent.csv
mkdir folder
fit_refuses 5 'folder: Is a directory' folder
refuses 5 'absent\.json: No such file' predict absent.json good.csv
refuses 5 'folder: Is a directory' inspect folder
for file in empty.csv empty.svm empty; do
    : >$file
    fit_refuses 3 "$file: the file is empty" $file
done
: >empty.npy
fit_refuses 3 'empty\.npy: the npy header ends early' empty.npy
printf '\n\n\n' >blank.csv
fit_refuses 3 'blank\.csv: the file is empty' blank.csv
as 'refused: nothing on standard input'
fit_refuses 3 'standard input: the file is empty' -

# ---------------------------------------------------------------- csv
echo 'a,b,y' >header.csv
fit_refuses 3 'header\.csv: the file has a header but no rows' header.csv
printf 'a,y\n1,1\n2,1\n3,1\n' >one.csv
fit_refuses 3 "one\.csv: column 'y': only one class, '1'; expected two" one.csv
printf 'a,y\n1,red\n2,green\n3,blue\n4,red\n5,green\n' >three.csv
fit_refuses 3 'three\.csv: 5 rows of 3 classes are too few .* two classes need two rows or more' \
    three.csv
fit_refuses 3 "three\.csv: --positive: column 'y' has no label 'pink'; there are red, green, blue" \
    three.csv --positive pink
works fit three.csv --positive red -o three.json -q
works inspect three.json --json
expect_json "$stdout" positive red
expect_json "$stdout" negative null
works predict three.json three.csv
expect_stdout '^(red|not red),'
printf 'a,y\n1,red\n2,violet\n' >fourth.csv
as 'one against the rest knows every other label'
works evaluate three.json fourth.csv

printf 'a,b,y\n1,2,0\n1,2\n3,4,1\n' >ragged.csv
fit_refuses 3 'ragged\.csv:3: 2 cells, but the header has 3' ragged.csv
printf 'a,b,y\n1,2,0\n3,4,1\n1,2,3,4\n' >long.csv
fit_refuses 3 'long\.csv:4: 4 cells, but the header has 3' long.csv
printf '1,2,0\n3,4,1\n1,2,0,4\n' >long_bare.csv
fit_refuses 3 'long_bare\.csv:3: 4 cells, but line 1 has 3' long_bare.csv
awk 'BEGIN { print "age,income,y";
    for (i = 2; i <= 12000; i++) print i % 90 "," (i == 10000 ? "unknown" : i % 1000) "," i % 2 }' \
        >text.csv
fit_refuses 3 \
    "text\.csv:10000: column 'income' \(column 2\): expected a number, found 'unknown' \(lines 2 \
to 9999 hold numbers" text.csv
for cell in nan NaN NA ''; do
    printf 'a,b,y\n1,2,0\n1,%s,1\n2,3,0\n' "$cell" >missing.csv
    as "refused: the cell '$cell'"
    fit_refuses 3 \
        "missing\.csv:3: column 'b' \(column 2\): the value is missing \('$cell'\); --missing \
drop" missing.csv
done
for cell in inf -Infinity INF; do
    printf 'a,b,y\n1,2,0\n1,%s,1\n' "$cell" >infinite.csv
    as "refused: the cell '$cell'"
    fit_refuses 3 "infinite\.csv:3: column 'b' \(column 2\): '$cell' is not a finite number" \
        infinite.csv
done
printf 'a,b,y\n1,2,0\n1,1e400,1\n' >huge.csv
fit_refuses 3 "huge\.csv:3: column 'b' \(column 2\): '1e400' is too large for a double" huge.csv
printf 'a,b,y\n1e300,2,0\n-1e300,1,1\n' >large.csv
fit_refuses 3 "large\.csv:2: column 'a': 1e300 is too large to be used as it is" large.csv \
    --scale none --prior zero
# Cells that the design copies, behind a blank line, and in the second of two files.
awk 'BEGIN { print "a,b,c,y\n";
    for (i = 3; i <= 60; i++) print i % 7 ",u" i % 3 "," (i == 40 ? "-1e300" : i % 5) "," i % 2 }' \
    >texts.csv
fit_refuses 3 "texts\.csv:40: column 'c': -1e300 is too large" texts.csv --scale none \
    --prior zero
sed 's/-1e300/0/' texts.csv >before.csv
fit_refuses 3 "before\.csv: texts\.csv:40: column 'c': -1e300 is too large" before.csv texts.csv \
    --scale none --prior zero
awk 'BEGIN { print "a,b,y";
    for (i = 0; i < 40; i++) print i % 7 "," (i % 2 ? "-" : "") "1.7e308," i % 2 }' >span.csv
fit_refuses 3 "span\.csv: column 'b': its values are too large or too small" span.csv
printf 'a;b;y\n1,5;2;0\n2,5;1;1\n' >comma.csv
fit_refuses 3 "comma\.csv:2: column 'a' \(column 1\): '1,5' has a decimal comma \(--decimal ,\)" \
    comma.csv
fit_refuses 3 "good\.csv: --target: no column is called 'z'; there are x1, x2, x3, y" good.csv \
    --target z
fit_refuses 3 "good\.csv: --target: there is no column '5', by name or by number" good.csv \
    --target 5
fit_refuses 3 "good\.csv: --drop: no column is called 'z'; there are x1, x2, x3, y" good.csv \
    --drop x1,z
fit_refuses 3 "good\.csv: --drop leaves out the target 'y'" good.csv --drop y
fit_refuses 3 "good\.csv: no column is left beside the target 'y'" good.csv --drop x1,x2,x3
fit_refuses 3 'good\.csv: --text z: the file has no such column' good.csv --text z
printf 'a,b,y\n1,2,0\n1,"2,1\n2,3,0\n' >quote.csv
fit_refuses 3 'quote\.csv:3: the quote opened here is never closed' quote.csv
printf 'a,b,y\n1,"2"3,0\n1,2,1\n' >after.csv
fit_refuses 3 "after\.csv:2: column 2: text follows the closing quote of '2'" after.csv
printf 'x,y\n1,%s\n2,b\n' "$(head -c 300 /dev/zero | tr '\0' a)" >label.csv
fit_refuses 3 "label\.csv: column 'y': a label is longer than 255 bytes" label.csv
printf '\377\376a\0,\0y\0\n\0' >utf16.csv
fit_refuses 3 'utf16\.csv: the file is UTF-16 text; expected UTF-8, which .iconv -f UTF-16' \
    utf16.csv
printf 'a,y\n1,caf\351\n2,b\n' >latin.csv
fit_refuses 3 "latin\.csv:2: column 'y' \(column 2\): 'caf\\\\xe9' is not UTF-8 text" latin.csv

# Binary: a fixed sequence (bits of a linear recurrence), and a program.
awk 'BEGIN { s = 1; for (i = 0; i < 4000; i++) { s = (s * 69069 + 1) % 4294967296;
    printf "\\%03o", int(s / 16777216) } }' >junk.txt
# shellcheck disable=SC2059
printf "$(cat junk.txt)" >junk.bin
fit_refuses 3 'junk\.bin: not a text file: NUL byte at line [0-9]+' junk.bin
fit_refuses 3 'junk\.bin: not a text file|junk\.bin:1: ' junk.bin --format svmlight
fit_refuses 3 'junk\.bin: not an npy file' junk.bin --format npy
as 'refused: a program as data'
fit_refuses 3 'not a text file: NUL byte' "$GIBBSITE" --format csv

# A line of 100 MB: refused after the first few bytes too many, in little memory.
zeros() { head -c "${2:-100000000}" /dev/zero | tr '\0' "$1"; }
hundred_megabytes() {
    as "refused: 100 MB in one cell$1"
    fit_refuses 3 'standard input:1: a cell is longer than 1 MiB' - < <(zeros a 2>/dev/null)
    as "refused: 100 MB of separators in one line$1"
    fit_refuses 3 'standard input:1: more than 1000000 columns' - < <(zeros , 2>/dev/null)
    as "refused: 100 MB behind one quote$1"
    fit_refuses 3 'standard input:2: the quote opened here is not closed within 1 MiB' - < <(
        printf 'a,y\n"'
        zeros '\n' 2>/dev/null
    )
    as "refused: a row of 20 million cells$1"
    fit_refuses 3 'standard input:2: 20000001 cells, but the header has 2' - < <(
        printf 'a,y\n1'
        yes ,1 2>/dev/null | tr -d '\n' 2>/dev/null | head -c 40000000
    )
    as "refused: a row of 100 MB$1"
    fit_refuses 3 'standard input:2: the record is longer than 64 MiB' - < <(
        printf 'a,y\n1'
        yes ,1 2>/dev/null | tr -d '\n' 2>/dev/null | head -c 100000000 2>/dev/null
    )
    as "refused: 100 MB in one svmlight word$1"
    fit_refuses 3 'standard input:1: a word is longer than 1 MiB' - --format svmlight < <(
        printf '1 1:'
        zeros 1 2>/dev/null
    )
}
if $sanitized; then
    hundred_megabytes ''
    skip '100 MB in one line needs less than 100 MB of memory' \
        'the sanitizer takes more than that for itself'
else
    ulimit -S -v 100000
    hundred_megabytes ', in 100 MB of address space'
    ulimit -S -v unlimited
fi

# ---------------------------------------------------------------- svmlight
svm() { # svm REGEX LINE: LINE as the second of three
    printf '1 1:1\n%s\n-1 2:1\n' "$2" >bad.svm
    as "refused: the svmlight line '$2'"
    fit_refuses 3 "bad\.svm:2: $1" bad.svm
}
svm "'0:1': indices count from 1" '1 0:1'
svm "'1:1': indices must increase, but this one follows 2" '1 2:1 1:1'
svm "'2:5': index 2 stands twice in the row" '1 2:1 2:5'
svm "'99999999999:1': the index is larger than 2147483647" '1 99999999999:1'
svm "'18446744073709551617:1': the index is larger" '1 18446744073709551617:1'
svm "'4294967297:1': the index is larger" '-1 4294967297:1'
svm "expected a whole number before the colon, found '-1:1'" '1 -1:1'
svm "expected a whole number before the colon, found 'x:1'" '1 x:1'
svm "expected a number for the value, found 'x'" '1 1:x'
svm "the value is missing \(''\)" '1 1:'
svm "the value is missing \('nan'\)" '1 1:nan'
svm "the value 'inf' is not a finite number" '1 1:inf'
svm "the value '1e400' is too large for a double" '1 1:1e400'
svm "expected a number for the label, found 'a'" 'a 1:1'
svm "expected index:value, found '7'" '1 7'
svm "'qid:3': ranking groups \(qid\) are not supported" '1 qid:3 1:1'
printf '1\n-1\n' >labels.svm
fit_refuses 3 'labels\.svm: the rows hold labels only' labels.svm
printf '1 2147483647:1\n-1 1:1\n' >widest.svm
fit_refuses 3 'widest\.svm: the first part of the split \(1 of 2 rows\) has no row of class' \
    widest.svm -q --bound progressive
fit_refuses 3 'good\.svm: --target: the label of an svmlight file is the first number' good.svm \
    --target 1

# ---------------------------------------------------------------- npy
npy() { # npy HEADER: the first bytes of an array
    local size=$((${#1} + 1))
    printf '\x93NUMPY\x01\x00'
    # shellcheck disable=SC2059
    printf "\\x$(printf %02x $((size % 256)))\\x$(printf %02x $((size / 256)))"
    printf '%s\n' "$1"
}
lying() { # lying SHAPE REGEX [TYPE [ORDER]]
    npy "{'descr': '${3:-<f8}', 'fortran_order': ${4:-False}, 'shape': $1, }" >lying.npy
    head -c 64 good.npy | tail -c 32 >>lying.npy
    as "refused: an npy file of shape $1${3:+, type $3}${4:+, Fortran order $4}"
    fit_refuses 3 "lying\.npy: $2" lying.npy
}
head -c 700 good.npy >cut.npy
fit_refuses 3 'cut\.npy: the data ends early: 60 x 4 elements are announced, 71 are there' cut.npy
head -c 50 good.npy >stub.npy
fit_refuses 3 'stub\.npy: the npy header ends early' stub.npy
{ cat good.npy; echo more; } >more.npy
fit_refuses 3 'more\.npy: bytes follow the 60 x 4 elements' more.npy
lying '(1000000000000, 4)' \
    'the data ends early: 1000000000000 x 4 elements are announced, 4 are there'
lying '(1000000000000, 4)' 'the data ends early' '<f8' True
lying '(4611686018427387904, 4)' 'the header claims more elements .* than memory can address'
lying '(4611686018427387905, 4)' 'the header claims more elements .* than memory can address' '<f4'
lying '(4, 4611686018427387904)' '4611686018427387904 columns; at most 1000000 are read'
lying '(99999999999999999999999, 99999999999999999999999)' '[0-9]+ columns; at most'
lying '(0, 4)' 'the array of 0 rows and 4 columns is empty'
lying '(4, 0)' 'the array of 4 rows and 0 columns is empty'
lying '(16,)' 'an array of 1 dimension; expected 2'
lying '(2, 2, 4)' 'an array of 3 dimensions; expected 2'
lying '(-1, 4)' "malformed npy header: expected a whole number at '-1, 4"
lying '(1, 4)' "elements of type '<c16'; expected real numbers" '<c16'
lying '(1, 4)' "elements of type '.O'; expected real numbers" '|O'
npy "{'descr': '<f8', 'fortran_order': False, }" >shapeless.npy
fit_refuses 3 'shapeless\.npy: malformed npy header: shape is not there' shapeless.npy
fit_refuses 3 'good\.csv: not an npy file' good.csv --format npy
{ npy "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }"; printf \
    '\0\0\0\0\0\0\xf8\x7f\0\0\0\0\0\0\xf0\x3f'; } >nan.npy
fit_refuses 3 'nan\.npy: row 1, column 1: the value is missing \(NaN\); --missing drop' nan.npy
{ npy "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }"; printf \
    '\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xf0\xff'; } >inf.npy
fit_refuses 3 'inf\.npy: row 1, column 2: -inf is not a finite number' inf.npy

# ---------------------------------------------------------------- gzip
gzip -nc good.csv >good.csv.gz
size=$(wc -c <good.csv.gz)
for cut in 2 10 15 $((size / 2)) $((size - 9)) $((size - 1)); do
    head -c "$cut" good.csv.gz >cut.csv.gz
    as "refused: the first $cut bytes of a gzip file"
    fit_refuses 3 'cut\.csv\.gz: the gzip data ends early' cut.csv.gz
done
{ head -c $((size / 2)) good.csv.gz; printf 'XXXXXXXX'; tail -c +$((size / 2 + 9)) good.csv.gz; } \
    >corrupt.csv.gz
fit_refuses 3 'corrupt\.csv\.gz: corrupt gzip data' corrupt.csv.gz
{ head -c $((size - 8)) good.csv.gz; printf '\1\2\3\4'; tail -c 4 good.csv.gz; } >sum.csv.gz
fit_refuses 3 'sum\.csv\.gz: corrupt gzip data' sum.csv.gz
{ cat good.csv.gz; echo junk; } >tail.csv.gz
fit_refuses 3 'tail\.csv\.gz: junk after the end of the gzip data' tail.csv.gz

# ---------------------------------------------------------------- model files
sed 's/"format":3,/"format":5,/' model.json >newer.json
refuses 3 'newer\.json: a model of format 5; this version reads formats 1 to 4' predict newer.json \
    good.csv -o out/p.csv
echo 'hello, world' >hello.json
refuses 3 'hello\.json: expected a gibbsite model, found no whole JSON text: line 1' predict \
    hello.json good.csv -o out/p.csv
refuses 3 'good\.csv: expected a gibbsite model, found no whole JSON text' evaluate good.csv \
    good.csv
: >empty.json
refuses 3 'empty\.json: expected a gibbsite model, found no whole JSON text' inspect empty.json
echo '{"a": [1, 2]}' >other.json
refuses 3 'other\.json: not a gibbsite model file' inspect other.json
echo '[]' >list.json
refuses 3 'list\.json: not a gibbsite model file' inspect list.json
as 'refused: gzip where a model is expected'
refuses 3 'good\.csv\.gz: expected a gibbsite model, found no whole JSON text' inspect good.csv.gz

damaged() { # damaged REGEX SED: a model after one edit
    sed -E "$2" model.json >damaged.json
    as "refused: a model after $2"
    if cmp -s model.json damaged.json; then not_ok "the edit $2 changes something"; fi
    refuses 3 "damaged\.json: $1" predict damaged.json good.csv -o out/p.csv
}
damaged 'not a gibbsite model file' 's/"kind":"model"/"kind":"report"/'
damaged "the model is damaged: 'loss'" 's/"loss":"zero-one"/"loss":"square"/'
damaged "the model is damaged: 'family'" 's/"family":"full"/"family":7/'
damaged 'the model is damaged: d does not match' 's/"d":4/"d":5/'
damaged "the model is damaged: 'features'" 's/"features":3,"d"/"features":-3,"d"/'
damaged "the model is damaged: 'mean' should be a list of 4 numbers" 's/"mean":\[[^,]*,/"mean":[/'
damaged "the model is damaged: 'mean' has something that is not a number" \
    's/"mean":\[[^,]*,/"mean":[null,/'
damaged "the model is damaged: 'factor' should be a triangle with a positive diagonal" \
    's/"factor":\[/"factor":[-/'
damaged 'the model is damaged: a scale is not positive' 's/"scale":\[/"scale":[-/'
damaged 'expected a gibbsite model, found no whole JSON text' 's/"mean":\[[^,]*,/"mean":[1e999,/'
damaged 'expected a gibbsite model, found no whole JSON text: .*duplicate' 's/"d":4/"d":4,"d":4/'
damaged "the model's recipe of columns is damaged" 's/"columns":4/"columns":2/'
damaged "the model's recipe of columns is damaged" 's/"target":"y",//'
damaged "the model's recipe of columns is damaged" 's/"position":0/"position":9/'
damaged "the model has no recipe of columns" 's/"recipe":/"rezept":/'

# Cut anywhere, a model is refused by name; only the newline at its very end may go.
printf 'x,y\n1,1\n2,-1\n3,1\n' >tiny.csv
as 'a small model'
works fit tiny.csv -o small.json -q --prior zero --family isotropic --loss hinge --no-intercept \
    --scale none
size=$(wc -c <small.json)
stride=5 # every byte: test_model_text.c
$sanitized && stride=35
broken=()
whole=$(<small.json)
# Thousands of runs: no other program than the one under test.
for ((cut = 0; cut < size - 1; cut += stride)); do
    printf %s "${whole:0:cut}" >cut.json
    "$GIBBSITE" inspect cut.json >"$stdout" 2>"$stderr"
    rc=$?
    said=''
    IFS= read -r said <"$stderr"
    if ((rc != 3)) || [[ -s $stdout || $said != 'gibbsite: cut.json: '* ]]; then
        broken+=("$cut bytes: exit status $rc: $said")
    fi
done
if ((${#broken[@]} == 0)); then
    ok "a model of $size bytes, cut at every ${stride/#1/}${stride/#[!1]*/th }byte, is refused"
else
    not_ok "a model of $size bytes, cut anywhere, is refused" "${broken[@]:0:20}"
fi

# ---------------------------------------------------------------- outputs
refuses 5 'absent/m\.json: No such file' fit good.csv -o absent/m.json
refuses 5 'folder: Is a directory' fit good.csv -o folder
refuses 5 'good\.csv/m\.json: Not a directory' fit good.csv -o good.csv/m.json
refuses 5 'absent/p\.csv: No such file' predict model.json good.csv -o absent/p.csv
refuses 5 'absent/s\.csv: No such file' simulate classify --rows 5 -o absent/s.csv
refuses 5 '/dev/full: No space left' fit good.csv -o /dev/full
refuses 5 '/dev/full: No space left' predict model.json good.csv -o /dev/full
if [[ -z $(find . -name '*.tmp*' -o -name 'm.json') ]]; then ok 'no temporary file is left'; else \
    not_ok 'no temporary file is left' "$(ls -A)"; fi
for command in 'fit good.csv' 'fit good.csv --json' 'fit good.csv -o -' \
    'predict model.json good.csv' 'evaluate model.json good.csv' \
    'inspect model.json' 'simulate classify --rows 20' 'help' 'help fit' 'help --man' \
    'help --man fit' 'help --completion bash' 'help --completion zsh' '--version'; do
    # shellcheck disable=SC2086
    "$GIBBSITE" $command >/dev/full 2>"$stderr"
    rc=$?
    if ((rc == 5)) && grep -q '^gibbsite: standard output: No space left' "$stderr"; then
        ok "a full standard output: $command"
    else
        not_ok "a full standard output: $command" "exit status $rc" "$(cat "$stderr")"
    fi
done
echo 'old words' >keep.json
as 'a refused fit keeps the old output'
expect_exit 3 "$GIBBSITE" fit one.csv -o keep.json
expect_stderr 'only one class'
if [[ $(cat keep.json) == 'old words' ]]; then ok 'the old file is untouched'; else not_ok \
    'the old file is untouched' "$(head -c 200 keep.json)"; fi
cp good.csv own.csv
refuses 2 'the output \./own\.csv would overwrite the input own\.csv' fit own.csv -o ./own.csv
refuses 2 'the output own\.csv would overwrite the input own\.csv' fit good.csv --test own.csv \
    --path own.csv
refuses 2 'the output own\.csv would overwrite the input own\.csv' predict model.json own.csv -o \
    own.csv
check 'the input is untouched' cmp good.csv own.csv

# A disk that fills up, in a mount namespace of its own: nothing to clean up, whatever happens.
"$GIBBSITE" simulate classify --rows 150 --cols 80 -o broad.csv -q
mkdir small_disk
# shellcheck disable=SC2016
full='mount -t tmpfs -o size=32k tmpfs small_disk 2>/dev/null || exit 77
    echo old >small_disk/old.json
    timeout -k 5 120 "$1" fit broad.csv -q -o small_disk/new.json --tol 1e-3; echo "exit $?"
    timeout -k 5 120 "$1" fit broad.csv -q -o small_disk/old.json --tol 1e-3; echo "exit $?"
    ls -A small_disk; cat small_disk/old.json'
if ! command -v unshare >/dev/null || ! unshare -m true 2>/dev/null; then
    skip 'a disk that fills up' 'mount namespaces are not permitted here'
else
    unshare -m bash -c "$full" disk "$GIBBSITE" >"$stdout" 2>"$stderr"
    if (($? == 77)); then
        skip 'a disk that fills up' 'mounting a tmpfs is not permitted here'
    elif [[ $(cat "$stdout") == $'exit 5\nexit 5\nold.json\nold' ]] \
        && (($(grep -c 'small_disk/[a-z]*\.json: No space left' "$stderr") == 2)); then
        ok 'a disk that fills up: exit 5, nothing half written, the old file stays'
    else
        not_ok 'a disk that fills up: exit 5, nothing half written, the old file stays' \
            "$(cat "$stdout" "$stderr")"
    fi
fi

# ---------------------------------------------------------------- the command line
option() { # option REGEX OPTION...
    local regex=$1
    shift
    fit_refuses 2 "$regex" good.csv "$@"
}
for value in 0 -1 nan NaN inf 1e999 0x10 '' ten '1 '; do
    option "fit: --lambda: expected a positive number, found '$value'" --lambda "$value"
done
for value in NaN 0 -2 inf; do option "fit: --prior-sd: expected a positive number, found '$value'" \
    --prior-sd "$value"; done
for value in 0 -1 nan; do option "fit: --tol: expected a positive number, found '$value'" --tol \
    "$value"; done
for value in 0 -1 1.5 x 99999999999999999999; do
    option "fit: --max-iter: expected a whole number from 1 to [0-9]+, found '$value'" --max-iter \
        "$value"
done
for value in 3 1:2 5:1:3 0:1:3 -1:1:3 1:2:1 1:2:x 1:nan:3 1:2:3:4 1:2:99999; do
    option "fit: --lambda-grid: expected LO:HI:K .*, found '$value'" --lambda-grid "$value"
done
option "fit: --loss: expected one of zero-one\|hinge\|exponential\|probit\|auto, found 'logistic'" \
    --loss \
    logistic
option "fit: --family: expected one of .*, found 'Full'" --family Full
option "fit: --seed: expected a whole number from 0 to 18446744073709551615, found '-1'" --seed -1
option "fit: --threads: expected .*, found '0'" --threads 0
option 'threads: expected a whole number from 1 to 1024' --threads 100000
option 'fit: --lambda and --lambda-grid exclude each other' --lambda 5 --lambda-grid 1:5:3
option 'fit: --restarts and --lambda-grid exclude each other' --restarts 3 --lambda-grid 1:5:3
option 'fit: --restarts and --solver sgd exclude each other' --restarts 3 --solver sgd
option 'fit: --batch needs --solver sgd' --batch 16
option 'fit: --epochs needs --solver sgd' --epochs 16 --solver lbfgs
option 'fit: --schedule needs --solver sgd' --schedule paper --solver natural
for family in fixed isotropic diagonal; do option 'fit: --form is for --family full' --form dual \
    --family $family; done
option 'fit: --path and -o name the same file' --path out/m.json
option 'fit: --path - and --json both want standard output' --path - --json
refuses 2 'fit: -o - and --json both want standard output' fit good.csv -o - --json
refuses 2 'fit: TRAIN and --test cannot both be standard input' fit - --test -
refuses 2 'fit: TRAIN and --cost cannot both be standard input' fit - --cost -
refuses 2 'fit: --test and --cost cannot both be standard input' fit good.csv --test - --cost -
refuses 2 'fit: --cost is given twice' fit good.csv --cost costs.csv --cost 5:1
refuses 2 'complete: --test and --row-features cannot both be standard input' complete good.csv \
    --test - --row-features -
refuses 2 'sample: TRAIN and --against cannot both be standard input' sample - --against -
refuses 2 'gap: TRAIN and MODEL cannot both be standard input' gap - -
refuses 2 'gap: MODEL and MODEL cannot both be standard input' gap good.csv - -
refuses 2 'predict: MODEL and DATA cannot both be standard input' predict - -
refuses 2 'evaluate: MODEL and DATA cannot both be standard input' evaluate - -
refuses 2 'simulate: --json describes the data on standard output; the rows need -o FILE' simulate \
    classify --json
option "fit: unknown option '--lamda'; did you mean --lambda\?" --lamda 3
option "fit: unknown option '--famly=full'; did you mean --family\?" --famly=full
option "fit: unknown option '--zebra'" --zebra
option "fit: unknown option '-x'" -x
option 'fit: --json takes no value' --json=yes
option 'fit: --lambda is given twice' --lambda 1 --lambda 2
option 'fit: --output is given twice' -o out/other.json
option "fit: --output: expected FILE, found ''" --output=
refuses 2 'fit: --lambda needs a value: --lambda L' fit good.csv --lambda
refuses 2 "predict: unknown option '--loss'" predict model.json good.csv --loss hinge -o out/p.csv
refuses 2 "unknown command 'fitt'; did you mean fit\?" fitt good.csv
refuses 2 "unknown command 'learn'; 'gibbsite help' lists the commands" learn good.csv
refuses 2 "help: there is no command 'fitt'" help fitt
refuses 2 'fit: expected a training file, found none' fit
refuses 2 'fit: good.csv is given twice' fit good.csv good.csv -o out/m.json
refuses 2 'predict: expected a model and a data file, found 1 argument' predict model.json
refuses 2 'evaluate: expected a model and a data file, found 0 argument' evaluate
refuses 2 'inspect: expected one model file, found 2 argument' inspect model.json model.json
refuses 2 'simulate: expected the kind of data' simulate -o out/s.csv
refuses 2 'simulate: --signal 9 is more than --cols 4' simulate classify --cols 4 --signal 9 -o \
    out/s.csv
refuses 2 "simulate: --noise: expected a number from 0 to below 0.5, found '0.5'" simulate \
    classify --noise 0.5 -o out/s.csv
refuses 2 "simulate: --rows: expected a whole number" simulate classify --rows 0 -o out/s.csv
as 'without a command: the help, and exit 2'
expect_exit 2 "$GIBBSITE"
expect_stdout '^usage: gibbsite COMMAND'

# ---------------------------------------------------------------- later files
predicts_same() { # predicts_same NAME FILE: the same rows of predictions as from good.csv
    as "$1"
    expect_exit 0 "$GIBBSITE" predict model.json "$2" -q \
        && check "$1: the same predictions" cmp expected.csv "$stdout"
}
"$GIBBSITE" predict model.json good.csv -o expected.csv
cut -d, -f2- good.csv >fewer.csv
refuses 3 "fewer\.csv: no column is called 'x1', which the model was trained on" predict \
    model.json fewer.csv -o out/p.csv
refuses 3 "fewer\.csv: no column is called 'x1'" evaluate model.json fewer.csv
awk -F, 'NR == 1 { print "note," $0 ",when" } NR > 1 { print "\"a, b\"," $0 "," }' good.csv \
    >wider.csv
predicts_same 'predict with columns it has no use for' wider.csv
cut -d, -f1-3 good.csv >bare.csv
predicts_same 'predict without labels' bare.csv
refuses 3 "bare\.csv: no column 'y' with the labels" evaluate model.json bare.csv
awk -F, -v OFS=, 'NR > 1 { $4 = NR % 2 ? "" : "soon" } { print }' good.csv >later.csv
predicts_same 'predict does not read the labels, whatever they are' later.csv
awk -F, -v OFS=, 'NR == 5 { $2 = "tall" } { print }' good.csv >tall.csv
refuses 3 "tall\.csv:5: column 'x2' \(column 2\): expected a number, found 'tall'" predict \
    model.json tall.csv -o out/p.csv
awk -F, -v OFS=, 'NR == 2 { $2 = "tall" } { print }' good.csv >tall.csv
refuses 3 "tall\.csv:2: column 'x2' \(column 2\): expected a number, as in training, found 'tall'" \
    predict model.json tall.csv -o out/p.csv
awk -F, -v OFS=, 'NR == 9 { $4 = 7 } { print }' good.csv >seven.csv
refuses 3 "seven\.csv:9: the label '7' is neither '-1' nor '1', which the model was trained on" \
    evaluate model.json seven.csv
refuses 3 "seven\.csv:9: the label '7' is neither '-1' nor '1'" fit good.csv --test seven.csv -o \
    out/m.json
printf '1 1:1\n-1 2:1 4:2\n' >four.svm
refuses 3 'four\.svm:2: index 4, but the model has 3 features' predict sparse.json four.svm -o \
    out/p.csv
printf '1 1:1\n3 2:1\n' >three.svm
refuses 3 "three\.svm:2: the label '3' is neither '-1' nor '1'" evaluate sparse.json three.svm
head -c 64 good.npy | sed 's/(60, 4)/(1, 9) /' >nine.npy
refuses 3 'nine\.npy: ' predict model.json nine.npy -o out/p.csv

printf 'shop,size,y\nnorth,1,no\nsouth,2,yes\nnorth,3,yes\nsouth,1,no\neast,2,yes\neast,1,no\n' \
    >shops.csv
as 'a model of text'
works fit shops.csv -o shops.json -q
printf 'size,shop\n1,north\n2,west\n3,\342\202\254\n1,west\n' >new_shops.csv
works predict shops.json new_shops.csv
expect_stderr \
    "new_shops\.csv: 3 cells of column 'shop' hold a level that was not in the training data"
if (($(wc -l <"$stdout") == 5)); then ok 'unseen levels are predicted'; else not_ok \
    'unseen levels are predicted' "$(cat "$stdout")"; fi
works predict shops.json new_shops.csv --quiet
expect_silence stderr
printf 'size\n1\n' >no_shop.csv
refuses 3 "no_shop\.csv: no column is called 'shop', which the model was trained on" predict \
    shops.json no_shop.csv -o out/p.csv
refuses 3 'good\.svm: the model was trained on a CSV file with text columns' predict shops.json \
    good.svm -o out/p.csv
printf '5,1\n500000000,2\n' >codes.csv
refuses 3 \
    "codes\.csv: column 1: expected text, as in column 'shop' of the training file, found numbers" \
    predict shops.json codes.csv -o out/p.csv
printf 'north,1\nwest,2\n' >no_header.csv
as 'a file without a header is matched by position'
works predict shops.json no_header.csv
printf 'shop,size,y\nnorth,1,no\nsouth,2,maybe\n' >maybe.csv
refuses 3 "maybe\.csv:3: the label 'maybe' is neither 'no' nor 'yes'" evaluate shops.json maybe.csv

# ---------------------------------------------------------------- missing cells
awk -F, -v OFS=, 'NR == 3 { $1 = "" } NR == 7 { $3 = "NA" } { print }' good.csv >holes.csv
fit_refuses 3 \
    "holes\.csv:3: column 'x1' \(column 1\): the value is missing \(''\); --missing drop" holes.csv
fit_refuses 3 "holes\.csv:3: column 'x1'" holes.csv --missing error
fit_refuses 2 "fit: --missing: expected one of error\|drop\|impute, found 'ignore'" holes.csv \
    --missing ignore
refuses 3 "holes\.csv:3: column 'x1'" predict model.json holes.csv -o out/p.csv
refuses 3 "holes\.csv:3: column 'x1'" evaluate model.json holes.csv
works fit holes.csv --missing drop --json
expect_json "$stdout" n 58
expect_stderr \
    "holes\.csv: 2 of 60 rows have a missing value \(value in column 'x1', value in column 'x3'\) \
and"
sed -e 3d -e 7d good.csv >whole.csv
as 'dropping rows is fitting without them'
works fit holes.csv --missing drop -o dropped.json -q
"$GIBBSITE" fit whole.csv -o whole.json -q
expect_near 'the same free energy' "$(json dropped.json fit.free_energy)" \
    "$(json whole.json fit.free_energy)" 0
works evaluate model.json holes.csv --missing drop --json
expect_json "$stdout" n 58
works predict model.json holes.csv --missing drop
if diff <(awk 'NR == 3 || NR == 7 { print ",,,"; next } { print }' expected.csv) "$stdout" \
    >"$tmp/.diff"; then
    ok 'predict --missing drop: one line per row, empty where a cell is missing'
else
    not_ok 'predict --missing drop: one line per row, empty where a cell is missing' \
        "$(head "$tmp/.diff")"
fi
printf 'x1,x2,x3\n,,\nNA,1,2\n' >all_missing.csv
refuses 3 'all_missing\.csv: every row has a missing value' predict model.json all_missing.csv \
    --missing drop -o out/p.csv
