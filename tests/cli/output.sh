#!/usr/bin/env bash
# Where results go: links, descriptors, long names; and JSON that can be read whatever was asked
# for.
. "$(dirname "$0")/../lib.sh"

"$GIBBSITE" simulate classify --rows 60 --cols 2 -o t.csv -q

as 'a link is followed and stays'
echo old >target.json && ln -s target.json link.json
expect_exit 0 "$GIBBSITE" fit t.csv -q -o link.json
check 'it is a link still' test -L link.json
expect_exit 0 "$GIBBSITE" inspect target.json
mkdir elsewhere && ln -s elsewhere/absent.json dangling.json
expect_exit 0 "$GIBBSITE" fit t.csv -q -o dangling.json
check 'what a dangling link leads to is made' test -f elsewhere/absent.json
check 'and the link stays' test -L dangling.json
expect_exit 0 "$GIBBSITE" inspect dangling.json
ln -s second first && ln -s "$tmp/elsewhere/third" second && ln -s ./last elsewhere/third
as 'a chain of links that dangles'
expect_exit 0 "$GIBBSITE" fit t.csv -q -o first
check 'its end is made' test -f elsewhere/last
check 'the links stay' test -L first -a -L second -a -L elsewhere/third
ln -s nowhere/m.json lost && ln -s loop2 loop1 && ln -s loop1 loop2 && ln -s self self
as 'a link into a folder that does not exist'
expect_exit 5 "$GIBBSITE" fit t.csv -q -o lost
expect_stderr '^gibbsite: lost: No such file or directory \(it is a link to nowhere/m\.json\)$'
for loop in loop1 self; do
    as 'a link that leads to itself'
    expect_exit 5 "$GIBBSITE" fit t.csv -q -o $loop
    expect_stderr "^gibbsite: $loop: Too many levels of symbolic links\$"
    check 'it stays' test -L $loop
done

as 'standard output by its name, redirected to a file'
ln -s /proc/self/fd/1 own # what /dev/stdout is; that one is not put at risk here
{ echo before && "$GIBBSITE" fit t.csv -q -o own && echo after; } >all.txt
check 'the link is there' test -L own
check 'what was written stands between the lines' awk \
    'NR == 1 { a = $0 == "before" } { last = $0 } END { exit !(a && NR > 2 && last == "after") }' \
    all.txt
sed '1d;$d' all.txt >m.json
expect_exit 0 "$GIBBSITE" inspect m.json

as 'the same, with no -q: the model stands there alone'
expect_exit 0 "$GIBBSITE" fit t.csv -o own
cp "$stdout" m.json
expect_exit 0 "$GIBBSITE" inspect m.json

# ---------------------------------------------------------------- one file for two purposes
"$GIBBSITE" simulate ratings --rows 20 --cols 15 -q -o r.csv
"$GIBBSITE" fit t.csv -q -o model.json --json >run.json
mkfifo never # a command that reads its rows before it looks would wait here for ever
# one_file STDOUT REGEX ARGUMENT...: standard output goes to the file STDOUT (- for a pipe), and the
# command is refused at once
one_file() {
    local to=$1 regex=$2 rc
    shift 2
    if [[ $to == - ]]; then
        timeout -k 5 60 "$GIBBSITE" "$@" 2>"$stderr" | cat >"$stdout"
        rc=${PIPESTATUS[0]}
    else
        timeout -k 5 60 "$GIBBSITE" "$@" >"$to" 2>"$stderr"
        rc=$?
        cp "$to" "$stdout"
    fi
    if [[ $rc == 2 && ! -s $stdout ]] && grep -qE "$regex" "$stderr"; then
        ok "refused, with standard output in $to: $*"
    else
        not_ok "refused, with standard output in $to: $*" "exit status $rc: $(cat "$stderr")" \
            "$(head -c 200 "$stdout")"
    fi
}
ln -s X link_to_X
for name in X ./X "$tmp/elsewhere/../X" link_to_X /dev/stdout /dev/fd/1 /proc/self/fd/1 own; do
    one_file X "fit: -o $name and --json " fit never -o "$name" --json
    one_file X "fit: --path $name and --json " fit never --path "$name" --json -q
    one_file X "sample: -o $name and --json " sample never -o "$name" --json
    one_file X "sample: --draws $name and --json " sample never --draws "$name" --json -q
    one_file X "complete: -o $name and --json " complete never -o "$name" --json
    one_file X "report: (the page|-o $name) and --json " report never -o "$name" --json
    one_file X 'simulate: ' simulate classify -o "$name" --json
    one_file X 'simulate: ' simulate ratings -o "$name" --json
done
both='both want standard output'
for name in - /dev/stdout /dev/fd/1 /proc/self/fd/1 own; do
    one_file - "fit: -o $name and --json $both" fit never -o "$name" --json
    one_file - "fit: --path $name and --json $both" fit never --path "$name" --json
    one_file - "fit: -o $name and --path - $both" fit never --path - -o "$name"
    one_file - "sample: -o $name and --json $both" sample never -o "$name" --json
    one_file - "sample: --draws $name and --json $both" sample never --draws "$name" --json
    one_file - "complete: -o $name and --json $both" complete never -o "$name" --json
    one_file - "report: the page and --json $both" report never -o "$name" --json
    one_file - 'simulate: --json describes the data' simulate classify -o "$name" --json
done
one_file X 'fit: -o X and the result would be one file' fit never -o X
one_file X 'fit: --path X and -o would be one file' fit never -o /dev/stdout --path X -q
ln -s elsewhere/coming.csv coming
one_file - 'fit: --path and -o name the same file' fit never -o coming \
    --path "$tmp/elsewhere/coming.csv"
one_file - 'sample: --draws and -o name the same file' sample never -o elsewhere/../coming \
    --draws coming
check 'nothing was made' test ! -e elsewhere/coming.csv -a ! -s X
as 'a file of costs is an input'
printf 'is,a,b,c\na,0,1,1\nb,1,0,1\nc,9,1,0\n' >costs.csv
cp costs.csv kept_costs.csv
one_file - 'fit: the output costs.csv would overwrite the input costs.csv' fit t.csv --cost \
    costs.csv -o costs.csv
check 'the costs stay' cmp -s costs.csv kept_costs.csv
as 'predictions have one output, whatever it is called'
"$GIBBSITE" predict model.json t.csv --json -o X >X
expect_exit 0 "$GIBBSITE" predict model.json t.csv --json -o /dev/stdout
check 'the same JSON' cmp X "$stdout"
as 'what is thrown away may be named twice'
expect_exit 0 "$GIBBSITE" fit t.csv -o /dev/null --path /dev/null
"$GIBBSITE" fit t.csv --json -o /dev/null >/dev/null 2>"$stderr"
check 'and be standard output too' test $? = 0

as 'an input is no output'
cp t.csv rows.csv
for arguments in 'fit - -o rows.csv' 'fit never --test rows.csv -o rows.csv' \
    'predict model.json - -o rows.csv' 'report - -o rows.csv'; do
    # shellcheck disable=SC2086
    expect_exit 2 timeout -k 5 60 "$GIBBSITE" $arguments <rows.csv
    expect_stderr 'the output rows\.csv would overwrite the input'
done
for arguments in 'fit rows.csv' 'predict model.json rows.csv' 'evaluate model.json rows.csv' \
    'evaluate model.json -' 'cv rows.csv' 'gap rows.csv model.json' 'complete rows.csv' \
    'sample rows.csv' 'inspect rows.csv' 'report rows.csv'; do
    # shellcheck disable=SC2086
    "$GIBBSITE" $arguments <rows.csv >>rows.csv 2>"$stderr"
    check "$arguments >> its own input" test $? = 2
    expect_stderr '^gibbsite: [a-z]*: standard output would overwrite the input'
done
check 'it is untouched' cmp t.csv rows.csv

# ---------------------------------------------------------------- descriptors
as 'a closed standard output is found out at once'
timeout -k 5 60 "$GIBBSITE" fit never -o closed.json >&- 2>"$stderr"
check 'exit 5' test $? = 5
expect_stderr '^gibbsite: standard output: Bad file descriptor$'
expect_no_file closed.json
timeout -k 5 60 "$GIBBSITE" fit t.csv -o closed.json 1<model.json 2>"$stderr"
check 'so is one that is open for reading alone' test $? = 5
"$GIBBSITE" fit t.csv -q -o closed.json >&- 2>&- <&-
check 'nobody needs them for a quiet fit' test $? = 0
expect_exit 0 "$GIBBSITE" inspect closed.json
"$GIBBSITE" fit t.csv -q --test - <&- 2>"$stderr"
check 'a closed standard input is not the last file that was opened' test $? = 5
expect_stderr '^gibbsite: standard input: Bad file descriptor$'
"$GIBBSITE" inspect absent.json 2>&-
check 'a closed standard error changes no exit code' test $? = 5
if need_program perl; then # a pipe that says "later" when it is full
    "$GIBBSITE" simulate classify --rows 3000 --cols 5 -q -o many.csv
    perl -e 'use Fcntl; fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK) or die; exec @ARGV' \
        "$GIBBSITE" simulate classify --rows 3000 --cols 5 -q 2>"$stderr" |
        { sleep 0.5 && cat; } >late.csv
    check 'a pipe that does not wait' test "${PIPESTATUS[0]}" = 0
    check 'all of it' cmp many.csv late.csv
fi

# ---------------------------------------------------------------- names
as 'the longest name that the file system takes'
long=$(printf 'x%.0s' {1..250}).json
expect_exit 0 "$GIBBSITE" fit t.csv -q -o "$long"
expect_file "$long"
expect_exit 5 "$GIBBSITE" fit t.csv -q -o "x$long"
check 'nothing is left over' bash -c '! ls -A | grep -q "\.tmp$"'
deep=$(printf 'd%.0s' {1..250})
deep=$deep/$deep/$deep/$deep
deep=$deep/$deep/$deep/$deep
deep=$deep/${deep:0:65} # 4080 bytes of at most 4095
if mkdir -p "$deep"; then
    as 'the longest path that the system takes'
    expect_exit 0 "$GIBBSITE" fit t.csv -q -o "$deep/m.json"
    expect_file "$deep/m.json"
    expect_exit 5 "$GIBBSITE" fit t.csv -q -o "$deep/much_too_long.json"
    expect_stderr '^gibbsite: \.\.\..*: File name too long$'
else
    skip 'the longest path that the system takes' 'this file system takes none so long'
fi
for name in $'a\nb.json' '%s%n%d.json' ' ' '-x' $'\033[31m' "'\"\\"; do
    as 'odd names'
    expect_exit 0 "$GIBBSITE" fit t.csv -q -o "./$name"
    expect_file "$name"
    expect_exit 5 "$GIBBSITE" fit "./$name/none" -q
    check 'one line of message' test "$(wc -l <"$stderr")" = 1
    refuse 'of no control characters' grep -q '[[:cntrl:]]' "$stderr"
done
for name in '' new/ t.csv/ elsewhere/ . .. / never/; do
    as "'$name' is no name of a file"
    expect_exit "$([[ $name ]] && echo 5 || echo 2)" "$GIBBSITE" fit t.csv -q -o "$name"
done
as 'a folder that may be written to, but not read'
mkdir -m 300 box
expect_exit 0 "$GIBBSITE" fit t.csv -q -o box/m.json
chmod 700 box
expect_file box/m.json
mkfifo pipe
cat pipe >through &
as 'a named pipe'
expect_exit 0 "$GIBBSITE" fit t.csv -q -o pipe
wait $!
expect_exit 0 "$GIBBSITE" inspect through
check 'it is a pipe still' test -p pipe

as 'seeds of 64 bits, and file names that are no UTF-8, in JSON'
for seed in 18446744073709551615 9007199254740993; do
    expect_exit 0 "$GIBBSITE" fit t.csv -q --seed $seed --json
    cp "$stdout" seed.json
    expect_exit 0 "$GIBBSITE" report seed.json -o page.html
    check "the page repeats --seed $seed" grep -q -- "--seed $seed" page.html
done
odd=$(printf 't\351.csv')
cp t.csv "$odd"
expect_exit 0 "$GIBBSITE" fit "$odd" -q --json
cp "$stdout" odd.json
check 'it is JSON' iconv -f UTF-8 -t UTF-8 odd.json -o /dev/null
expect_exit 0 "$GIBBSITE" report odd.json -o page.html
