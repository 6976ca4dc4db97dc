#!/usr/bin/env bash
# Where results go: links, descriptors, long names; and JSON that can be read whatever was asked for.
. "$(dirname "$0")/../lib.sh"

"$GIBBSITE" simulate classify --rows 60 --cols 2 -o t.csv -q

as 'a link is followed and stays'
echo old >target.json && ln -s target.json link.json
expect_exit 0 "$GIBBSITE" fit t.csv -q -o link.json
check 'it is a link still' test -L link.json
expect_exit 0 "$GIBBSITE" inspect target.json
mkdir elsewhere && ln -s elsewhere/absent.json dangling.json
expect_exit 0 "$GIBBSITE" fit t.csv -q -o dangling.json
expect_exit 0 "$GIBBSITE" inspect dangling.json

as 'standard output by its name, redirected to a file'
ln -s /proc/self/fd/1 own # what /dev/stdout is; that one is not put at risk here
{ echo before && "$GIBBSITE" fit t.csv -q -o own && echo after; } >all.txt
check 'the link is there' test -L own
check 'what was written stands between the lines' awk 'NR == 1 { a = $0 == "before" } { last = $0 } END { exit !(a && NR > 2 && last == "after") }' all.txt
sed '1d;$d' all.txt >m.json
expect_exit 0 "$GIBBSITE" inspect m.json

as 'the longest name that the file system takes'
long=$(printf 'x%.0s' {1..250}).json
expect_exit 0 "$GIBBSITE" fit t.csv -q -o "$long"
expect_file "$long"
expect_exit 5 "$GIBBSITE" fit t.csv -q -o "x$long"
check 'nothing is left over' bash -c '! ls -A | grep -q "\.tmp$"'

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
