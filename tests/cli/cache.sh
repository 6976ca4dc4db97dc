#!/usr/bin/env bash
# fit on rows in files (--cache DIR, --no-cache, or because memory is short): the model is the one
# that rows in memory give, to the bit; a cache that is damaged or of another file is refused;
# nothing stays that was not asked for.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

# Above a megabyte, so that rows, their order and the design lie in files.
check 'rows of numbers' "$GIBBSITE" simulate classify --rows 7000 --cols 20 -o numbers.csv -q
awk 'BEGIN { srand(3); print "a,b,c,w,g,x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14,x15,x16,y"
    for (i = 0; i < 7000; i++) {
        yes = rand() < 0.5
        printf "%.6g,%s,%s,%d,g%d", rand() + 0.3 * yes,
            rand() < 0.03 ? "" : rand() < 0.4 ? "red" : "level" int(i / 1800),
            rand() < 0.05 ? "?" : rand(), 3 * rand(), i / 3
        for (k = 0; k < 16; k++) printf ",%.5g", rand() + 0.1 * yes
        print "," (yes ? "yes" : "no")
        if (i == 777) print ""
    } }' >mixed.csv
mkdir kept

# same NAME FILE OPTION...: in memory, in files, and from the cache that they left: one model, the
# same messages.
same() {
    local name=$1 way codes='' n want=${want:-0}
    shift
    for way in memory new again; do
        rm -f $way.json
        # shellcheck disable=SC2046
        "$GIBBSITE" fit "$@" -o model.json $([[ $way == memory ]] || echo --cache kept) >$way.out \
            2>$way.err
        codes+="$? "
        [[ -f model.json ]] && sed -E 's/"seconds":[^,}]*//g' model.json >$way.json
        rm -f model.json
        sed -i -E 's/[0-9.]+ s\b//g' $way.out
    done
    for n in new again; do
        if ! cmp -s memory.err $n.err || ! cmp -s memory.out $n.out || { [[ -f memory.json ]] \
            && ! cmp -s memory.json $n.json; }; then
            not_ok "$name" "exit codes $codes" "$(diff memory.out $n.out) $(diff memory.err $n.err)"
            return
        fi
    done
    if [[ $codes == "$want $want $want " ]]; then ok "$name"; else not_ok "$name" \
        "exit codes $codes"; fi
}
same 'numbers' numbers.csv
same 'numbers, diagonal, with importances' numbers.csv --family diagonal --importance --loss hinge
same 'numbers, one thread, fitted again to all rows' numbers.csv --threads 1 --refit all --loss \
    hinge
same 'numbers, the zero prior, unit rows' numbers.csv --prior zero --scale unit-row --loss hinge
same 'numbers, a kernel' numbers.csv --features fourier:30
same 'numbers, ranked' numbers.csv --task rank --loss hinge --prior-sd 1
same 'all of them ranked, so that pairs lie in a file too' numbers.csv --task rank --loss hinge \
    --prior-sd 1 --prior zero
awk 'BEGIN { srand(5); for (i = 0; i < 6000; i++) { yes = rand() < 0.05; printf "%d", yes ? 1 : -1
    for (k = 1; k <= 1000; k++) if (rand() < (k < 40 && yes ? 0.1 : 0.05)) printf " %d:1", k
    print "" } }' >rare.svm
want=4 same 'sparse rows ranked, pairs in files' rare.svm --task rank --loss hinge --family \
    diagonal --prior zero --prior-sd 1 --columns equal --max-iter 2
want=3 same 'a missing value' mixed.csv
same 'texts, rows dropped' mixed.csv --missing drop --drop w,g --loss hinge
same 'texts, cells filled in' mixed.csv --missing impute --drop w,g
same 'weights' mixed.csv --missing impute --weights w --drop g --loss hinge
same 'groups' mixed.csv --missing impute --group g --drop w --loss hinge
same 'three classes and more' mixed.csv --missing impute --drop w,g --target b --prior-sd 1 \
    --columns equal
same 'block by block' mixed.csv --missing drop --drop w,g --bound progressive --loss hinge
same 'in time' mixed.csv --missing drop --drop w,g --order time --loss hinge
awk 'BEGIN { srand(4); print "a,b,x,y"; for (i = 0; i < 60000; i++) { yes = rand() < 0.5
    print "l" int(90 * rand() + 10 * yes) ",m" int(70 * rand()) "," \
        rand() + 0.2 * yes "," (yes ? "yes" : "no") } }' \
    >levels.csv
same 'many levels, which make sparse rows' levels.csv --loss hinge --family diagonal --prior-sd 1 \
    --columns equal
rm kept/levels.csv-*
gzip -c numbers.csv >numbers.csv.gz
same 'gzip' numbers.csv.gz --loss hinge --family diagonal


# Arrays of NumPy, of which a column after the other goes through a file of its own, and singles.
check 'an array' "$GIBBSITE" simulate classify --rows 7000 --cols 20 -o rows.npy -q
# reshaped ORDER TYPE: an array of 7,000 x 21 in another order, of another type, without NumPy
reshaped() {
    /usr/bin/python3 - "$1" "$2" <<'END'
import array, sys
order, kind = sys.argv[1:]
data = open("rows.npy", "rb").read()
n, d = 7000, 21
x = array.array("d", data[len(data) - 8 * n * d:])
if order == "True":
    x = array.array("d", (x[i * d + j] for j in range(d) for i in range(n)))
head = "{'descr': '<%s', 'fortran_order': %s, 'shape': (%d, %d), }" % (kind, order, n, d)
head += " " * (117 - len(head)) + "\n"
body = array.array("f" if kind == "f4" else "d", x).tobytes()
open("other.npy", "wb").write(b"\x93NUMPY\x01\x00" + bytes([118, 0]) + head.encode() + body)
END
}
same 'an array' rows.npy --loss hinge
cp memory.json array.json
reshaped True f8
same 'an array, column after column' other.npy --loss hinge
check 'the model of the array row after row' cmp memory.json array.json
reshaped False f4
same 'an array of singles' other.npy --loss hinge --family diagonal --prior zero
rm kept/rows.npy-* kept/other.npy-*

# Sparse rows, some columns of which only the last rows set: those are left out.
check 'sparse rows' "$GIBBSITE" simulate classify --rows 4000 --cols 300 --density 0.1 -o rows.svm \
    -q
awk 'NR > 3990 { $0 = $0 " 400:1" } { print } NR == 50 { print "# a comment" }' rows.svm >odd.svm
same 'sparse rows' rows.svm --loss hinge --family diagonal
same 'sparse rows, columns left out' odd.svm --loss hinge --family isotropic --prior-sd 1 \
    --columns equal
gzip -c odd.svm >odd.svm.gz
same 'sparse rows, gzip' odd.svm.gz --loss hinge --family diagonal --prior zero
rm kept/*.svm*

# Ratings, of which the first go to the file before all are read. Nothing of them stays.
"$GIBBSITE" simulate ratings --rows 1000 --cols 100 --density 0.8 --range 1:5 -q -o cells.csv
{
    echo '%%MatrixMarket matrix coordinate real general'
    echo "1000 100 $(($(wc -l <cells.csv) - 1))"
    tail -n +2 cells.csv | tr , ' '
} >cells.mtx
filled() { "$GIBBSITE" complete "$@" --rank 2 --max-iter 2 -q && false || (($? == 4)); }
# ratings NAME FILE OPTION...: the completion from memory and from files.
ratings() {
    local name=$1
    shift
    if filled "$@" -o one.json && filled "$@" --cache kept -o two.json &&
        cmp -s <(sed 's/"seconds":[^,}]*//' one.json) <(sed 's/"seconds":[^,}]*//' two.json); then
        ok "$name"
    else
        not_ok "$name"
    fi
}
before=$(ls -A kept)
ratings 'ratings, certified' cells.csv --range 1:5
ratings 'ratings, certified by a prior that looks at none' cells.mtx --range 1:5 --prior zero
check 'nothing of the ratings stays' test "$(ls -A kept)" = "$before"
as 'ratings, and a folder that is not there'
expect_exit 5 "$GIBBSITE" complete cells.csv --cache nowhere
expect_stderr '^gibbsite: nowhere: No such file or directory: '

# ---------------------------------------------------------------- what stays
names() { (cd "$1" && ls -A) | sed -E 's/[0-9a-f]{32}/HASH/' | sort | tr '\n' ' '; }
# lines of rows follow the cells where they are not successive: the file grows, and the cells move
awk 'BEGIN { srand(1); print "x,y"; for (i = 0; i < 250000; i++) { x = rand();
    print int(1000 * x) / 1000 "," (x + rand() > 1); if (i == 5) print "" } }' >long.csv
same 'lines that do not fit behind the cells' long.csv --loss hinge --family diagonal --prior zero
rm kept/long.csv-*

# three readings of mixed.csv: what is missing an error or not, columns left out
check 'one cache for each file and way to read it' test "$(names kept)" = \
    'mixed.csv-HASH.gbscache mixed.csv-HASH.gbscache mixed.csv-HASH.gbscache '\
'numbers.csv-HASH.gbscache numbers.csv.gz-HASH.gbscache '
quick() { "$GIBBSITE" fit "$@" --loss hinge --family diagonal --prior zero >/dev/null; }
check 'no cache: from a nameless file' quick numbers.csv --cache kept --no-cache -o none.json
check 'no cache: what there was is gone, of this file alone' test "$(names kept)" = \
    'mixed.csv-HASH.gbscache mixed.csv-HASH.gbscache mixed.csv-HASH.gbscache '\
'numbers.csv.gz-HASH.gbscache '
mkdir beside
cp numbers.csv beside/rows.csv
check 'a file that fits is read to memory, and nothing is written' quick beside/rows.csv -o \
    small.json
check 'nothing but the rows' test "$(names beside)" = 'rows.csv '
check 'the same model' cmp <(sed 's/"seconds":[^,}]*//' small.json) \
    <(sed 's/"seconds":[^,}]*//' none.json)
check 'standard input, which has no name' bash -c \
    '"$1" fit - -q -o piped.json --cache kept --loss hinge --family diagonal --prior zero '\
'<numbers.csv' \
    bash "$GIBBSITE"
check 'the same model' cmp <(sed 's/"seconds":[^,}]*//' small.json) \
    <(sed 's/"seconds":[^,}]*//' piped.json)
check 'leaves nothing' test "$(names kept)" = \
    'mixed.csv-HASH.gbscache mixed.csv-HASH.gbscache mixed.csv-HASH.gbscache '\
'numbers.csv.gz-HASH.gbscache '

# ---------------------------------------------------------------- memory that is short
if need_plain_build 'a limit on memory'; then
    # 200,000 rows of 20 digits: 80 MB in memory, by the estimate
    awk 'BEGIN { srand(5); for (i = 0; i < 200000; i++) { sum = 0; line = ""
        for (k = 0; k < 20; k++) { x = int(10 * rand()); line = line x ","; sum += x }
        print line (sum + 20 * rand() > 100) } }' >beside/many.csv
    rm beside/rows.csv
    limited() { (ulimit -d 150000 && quick beside/many.csv --threads 2 "$@"); }
    as 'rows that would not fit are worked on in files'
    expect_exit 0 limited -o limited.json
    expect_stderr \
        'its rows would take about 0\.1 GB of the 0\.2 GB of memory that are left: they are '\
'worked on in files'
    check 'a cache stays beside the file' test "$(names beside)" = \
        'many.csv many.csv-HASH.gbscache '
    check 'the next run takes it' limited -o next.json
    printf x | dd of="$(echo beside/*.gbscache)" bs=1 seek=5000 conv=notrunc 2>/dev/null
    as 'one that is damaged is left alone where nobody asked for it'
    expect_exit 0 limited -o damaged.json
    expect_stderr 'the cache is damaged .*: it is left as it is, and no cache is kept'
    check 'or removes it' limited -o removed.json --no-cache
    check 'and leaves none' test "$(names beside)" = 'many.csv '
    quick beside/many.csv -o plain.json
    for model in limited next damaged removed; do
        check "the model of rows in memory: $model" cmp <(sed 's/"seconds":[^,}]*//' plain.json) \
            <(sed 's/"seconds":[^,}]*//' $model.json)
    done
    rm -r beside
fi

# ---------------------------------------------------------------- faults
rm -f kept/*
quick numbers.csv --cache kept -o good.json
cache=$(echo kept/*)
cp "$cache" whole
# faulty NAME REGEX: what lies in the place of the cache is refused, once, with code 3, and nothing
# is written
faulty() {
    rm -f new.json
    as "$1"
    expect_exit 3 quick numbers.csv --cache kept -o new.json
    expect_stderr "^gibbsite: $cache: .*$2"
    check 'one message' test "$(wc -l <"$stderr")" = 1
    expect_no_file new.json
    check 'nothing else' test "$(names kept)" = 'numbers.csv-HASH.gbscache '
}
printf 'xxxxxxxx' | dd of="$cache" bs=1 seek=100000 conv=notrunc status=none
faulty 'a damaged cache' 'the cache is damaged \(its bytes\); remove it, or say --no-cache$'
head -c 200000 whole >"$cache"
faulty 'a cache that was cut off' 'the cache is damaged \(its size\)'
: >"$cache"
faulty 'an empty one' 'the cache is damaged \(it ends early\)'
cp numbers.csv "$cache"
faulty 'something else' "the cache is damaged \\(it is none of gibbsite's\\)"
"$GIBBSITE" simulate classify --rows 7000 --cols 20 --seed 2 -o other.csv -q
quick other.csv --cache . -o other.json
cp other.csv-*.gbscache "$cache"
faulty 'the cache of another file' 'this is the cache of another file'
as 'no cache does without it'
expect_exit 0 quick numbers.csv --cache kept --no-cache -o new.json
check 'and takes it away' test "$(names kept)" = ''
check 'the same model' cmp <(sed 's/"seconds":[^,}]*//' good.json) \
    <(sed 's/"seconds":[^,}]*//' new.json)
cp numbers.csv changed.csv
quick changed.csv --cache kept -o before.json
sed -i '$d' changed.csv
check 'a file that changed has another cache' quick changed.csv --cache kept -o after.json
check 'two of them' test "$(names kept)" = 'changed.csv-HASH.gbscache changed.csv-HASH.gbscache '

rm -f new.json
as 'a folder that is not there'
expect_exit 5 quick numbers.csv --cache nowhere -o new.json
expect_stderr '^gibbsite: nowhere: No such file or directory: .*--cache DIR'
expect_no_file new.json
printf '1 1:2\n-1 2:x\n' >bad.svm
as 'a bad pair'
expect_exit 3 quick bad.svm --cache kept -o new.json
expect_no_file new.json
printf 'a,y\n1,0\n2,oops\n3,1\n' >bad.csv
as 'a bad cell'
expect_exit 3 quick bad.csv --cache kept -o new.json
expect_no_file new.json
check 'no cache of it' test "$(names kept)" = 'changed.csv-HASH.gbscache changed.csv-HASH.gbscache '

# Ended at once, wherever it was: whole or not at all.
rm -f kept/*
for moment in 0.02 0.1 0.3; do
    timeout -s KILL $moment "$GIBBSITE" fit numbers.csv --cache kept -q -o killed.json >/dev/null \
        2>&1
done
check 'nothing partial after kill -9' bash -c \
    '[[ "$1" == "" || "$1" == "numbers.csv-HASH.gbscache " ]]' \
    bash "$(rm -f kept/.gibbsite-??????; names kept)" # a file's name where it cannot be nameless
check 'and the next run works' quick numbers.csv --cache kept -o new.json
check 'the same model' cmp <(sed 's/"seconds":[^,}]*//' good.json) \
    <(sed 's/"seconds":[^,}]*//' new.json)
rm -f new.json

# A disk that fills up, in a mount namespace of its own, at the cells, at the rows in order, at the
# design.
mkdir small_disk
for size in 512k 2000k 3000k; do
    # shellcheck disable=SC2016
    full='mount -t tmpfs -o size=$2 tmpfs small_disk 2>/dev/null || exit 77
        timeout -k 5 120 "$1" fit numbers.csv --cache small_disk -q -o new.json --loss hinge
        echo "exit $?"
        timeout -k 5 120 "$1" fit numbers.csv --cache small_disk --no-cache -q -o new.json \
            --loss hinge
        echo "exit $?"
        ls -A small_disk'
    if ! command -v unshare >/dev/null || ! unshare -m true 2>/dev/null; then
        skip 'a disk that fills up' 'mount namespaces are not permitted here'
        continue
    fi
    unshare -m bash -c "$full" disk "$GIBBSITE" $size >"$stdout" 2>"$stderr"
    if (($? == 77)); then
        skip 'a disk that fills up' 'mounting a tmpfs is not permitted here'
    elif [[ $(cat "$stdout") == $'exit 5\nexit 5' ]] \
        && (($(grep -c '^gibbsite: small_disk: No space left' "$stderr") == 2)); then
        ok "a disk of $size: exit 5, one message, nothing left"
    else
        not_ok "a disk of $size: exit 5, one message, nothing left" "$(cat "$stdout" "$stderr")"
    fi
done
expect_no_file new.json
