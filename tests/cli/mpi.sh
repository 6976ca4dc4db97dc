#!/usr/bin/env bash
# Ranks over MPI: `mpirun -np P gibbsite ...` gives the bits of one process, for P = 1, 2, 3, 4; one
# rank that fails, dies or does other work than the rest ends all of them with one message, exit
# code 5 and no file. All losses and families: test_ranks.c.
. "$(dirname "$0")/../lib.sh"
# shellcheck disable=SC2016  # what the ranks expand
exec </dev/null
need_program mpirun || exit 0
need_plain_build 'ranks over MPI' || exit 0
if [[ ! -e $(dirname "$(readlink -f "$GIBBSITE")")/libgibbsite-mpi.so.1 ]]; then
    skip 'ranks over MPI' 'built without MPI'
    exit 0
fi
expect_exit 0 "$GIBBSITE" version
expect_stdout '^mpi: Open MPI '

# Ranks without a rank of their own would wait for ever: a bound on the wait. A processor may have
# several ranks here.
ranks=(timeout -s KILL 120 mpirun --oversubscribe -q)
((EUID != 0)) || ranks+=(--allow-run-as-root)
patient=$GIBBSITE_BUILD/tests/patient.so # ranks that wait leave the processor to the others
[[ ! -e $patient ]] || ranks+=(-x "LD_PRELOAD=$patient")
# shells in which mpirun was started are no reason to take us for a rank
unset "${!OMPI_@}" "${!PMIX_@}"
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1 \
    GIBBSITE_MPI_WORTH=1

timeless() { sed -E 's/"(seconds|read|fit|total|approximate|move|sample)": ?[-+0-9.e]+//g' "$1"; }
# same P COMMAND...: the files and the output of one process, which is asked once for each command;
# OUT in the arguments names the file.
asked=''
same() {
    local size=$1 out
    shift
    if [[ $asked != "$*" ]]; then
        rm -f one
        "$GIBBSITE" "${@//OUT/one}" --threads 1 >one.txt 2>/dev/null
        alone=$? asked=$*
    fi
    out=$("${ranks[@]}" -np "$size" "$GIBBSITE" "${@//OUT/many}" --threads 1 2>&1 >many.txt)
    if (($? == alone && alone % 4 == 0)) && cmp -s <(timeless one.txt) <(timeless many.txt) \
        && { [[ $* != *OUT* ]] || cmp -s <(timeless one) <(timeless many); }; then
        ok "$size ranks: $*"
    else
        not_ok "$size ranks: $*" "$out" \
            "$(diff <(timeless one.txt) <(timeless many.txt) | head -n 5)"
    fi
    rm -f many
}
"$GIBBSITE" simulate classify --rows 2400 --cols 16 -q -o rows.csv
"$GIBBSITE" simulate classify --rows 2000 --cols 60 --density 0.2 -q -o rows.svm
"$GIBBSITE" simulate ratings --rows 150 --cols 80 --density 0.5 -q -o ratings.csv
"$GIBBSITE" fit rows.csv -q -o model.json --prior zero
"$GIBBSITE" complete ratings.csv -q -o matrix.json --rank 3 --max-iter 5
for size in 1 2 3 4; do same "$size" fit rows.csv --loss hinge --prior zero -o OUT --json; done
same 3 fit rows.csv -o OUT --json
for size in 2 3; do same $size fit rows.svm --prior zero -o OUT --json; done
"$GIBBSITE" simulate classify --rows 2000 --cols 10 -q -o rows.npy
same 3 fit rows.npy --loss hinge --prior zero -o OUT --json
same 4 fit rows.csv --task rank --loss hinge --prior zero -o OUT --json
same 2 fit rows.csv --loss exponential --family diagonal --prior zero -o OUT --json
same 3 fit rows.csv --loss probit --family isotropic --prior zero -o OUT --json
same 3 sample rows.csv --particles 200 --lambda 100 -o OUT --json
same 2 complete ratings.csv --rank 3 --max-iter 5 -o OUT --json
same 3 complete ratings.csv --model paper --rank 3 --max-iter 5 -o OUT --json
same 2 complete ratings.csv --sampler gibbs --rank 3 --draws 6 --burn-in 3 --positions off -o OUT \
    --json
# rows that stay with their ranks
"$GIBBSITE" simulate ratings --rows 3000 --cols 60 --density 0.1 --range 1:5 -q -o \
    tall.csv
for size in 1 2 3 4; do same $size complete tall.csv --rank 4 --max-iter 2 --range 1:5 -o OUT \
    --json; done
# of which they have one copy, being many
"$GIBBSITE" simulate ratings --rows 1200 --cols 200 --density 0.25 -q -o many.csv
same 3 complete many.csv --rank 2 --max-iter 2 -o OUT --json
same 2 cv rows.csv --folds 2 --loss hinge --json
same 3 predict model.json rows.csv -o OUT
same 2 predict matrix.json ratings.csv -o OUT
same 4 evaluate model.json rows.csv --json

# ---------------------------------------------------------------- files that ranks read together,
# and share Above a megabyte, so that rows, their order and the design lie in files; texts, marks,
# late types and line breaks in quotes.
awk 'BEGIN { srand(3); print "a,b,c,x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14,x15,x16,x17,y"
    for (i = 0; i < 7000; i++) {
        yes = rand() < 0.5
        printf "%.6g,%s,%s", rand() + 0.3 * yes,
            rand() < 0.03 ? "" : rand() < 0.4 ? "red" : "\"level\n" int(i / 1800) "\"",
            i < 4000 || rand() < 0.05 ? "?" : rand()
        for (k = 0; k < 17; k++) printf ",%.5g", rand() + 0.1 * yes
        print "," (yes ? "yes" : "no")
        if (i == 777) print ""
    } }' >mixed.csv
"$GIBBSITE" simulate classify --rows 7000 --cols 20 -q -o wide.csv
for k in 1 2 3; do
    sed -n "1p;$((2333 * k - 2331)),$((2333 * k + (k == 3 ? 2 : 0) + 1))p" wide.csv >part-$k.csv
done
sed -n 1p wide.csv >part-0.csv # no rows
mkdir shared
files=(--cache shared --no-cache)
for size in 2 3 4; do same $size fit mixed.csv --missing impute --loss hinge "${files[@]}" -o OUT \
    --json; done
same 4 fit wide.csv --task rank --loss hinge --prior-sd 1 "${files[@]}" -o OUT --json
same 3 fit wide.csv --task rank --loss hinge --prior zero --prior-sd 1 "${files[@]}" -o OUT --json
same 2 fit wide.csv --features fourier:30 "${files[@]}" -o OUT --json
"$GIBBSITE" simulate classify --rows 7000 --cols 20 -q -o wide.npy
same 3 fit wide.npy --loss hinge "${files[@]}" -o OUT --json
"$GIBBSITE" simulate classify --rows 3000 --cols 300 --density 0.15 -q -o wide.svm
for size in 2 4; do same $size fit wide.svm --loss hinge --family diagonal "${files[@]}" -o OUT \
    --json; done
same 3 fit mixed.csv --missing impute --target b --prior-sd 1 --columns equal "${files[@]}" -o OUT \
    --json
same 3 fit mixed.csv --missing drop --bound progressive --loss hinge -o OUT --json
same 3 cv part-*.csv --folds 2 --loss hinge --json
same 2 sample part-*.csv --particles 200 --lambda 100 -o OUT --json
awk -F, -v OFS=, 'NR == 1 { print "zip", $0; next }
    { print (NR == 7001 ? "00501" : 10000 + NR * 77 % 80000), $0 }' \
    wide.csv >codes.csv # what only the last rank reads, the first one tells
as '3 ranks: codes with leading zeros in the last row'
expect_exit 0 "${ranks[@]}" -np 3 "$GIBBSITE" fit codes.csv --prior zero --loss hinge --threads 1 \
    -o codes.json
expect_stderr "^gibbsite: column 'zip': codes with leading zeros \(00501\), read as numbers"
same 3 complete many.csv --rank 2 --max-iter 2 --cache shared -o OUT --json
check 'nothing stays' test -z "$(ls -A shared)"
"$GIBBSITE" fit wide.csv --loss hinge --prior zero -q -o whole.json
"$GIBBSITE" fit wide.csv --loss hinge --prior zero -q -o cached.json --cache shared
mv shared/* alone.gbscache
# whole P ARGUMENT...: the model is that of wide.csv in one process.
whole() {
    local size=$1
    shift
    if "${ranks[@]}" -np "$size" "$GIBBSITE" fit "$@" --loss hinge --prior zero --threads 1 -q -o \
        many.json 2>&1 &&
        cmp <(timeless whole.json) <(timeless many.json); then
        ok "$size ranks: the whole of $*"
    else
        not_ok "$size ranks: the whole of $*"
    fi
    rm -f many.json
}
whole 1 part-*.csv
whole 3 part-*.csv
whole 4 part-*.csv "${files[@]}"
whole 3 wide.csv --cache shared
check 'the cache that ranks leave is that of one process' cmp shared/* alone.gbscache
whole 2 wide.csv --cache shared
rm one
mkdir one many
"$GIBBSITE" fit wide.svm --loss hinge --prior zero --family diagonal -q -o cached.json --cache one
check '3 ranks: a cache of sparse rows' "${ranks[@]}" -np 3 "$GIBBSITE" fit wide.svm --loss hinge \
    --prior zero --family diagonal --threads 1 -q -o cached.json --cache many
check 'it is that of one process, too' cmp one/* many/*
rm -r one many
# folders of their own, as on several machines
cat >apart.sh <<END
mkdir -p folder.\$OMPI_COMM_WORLD_RANK
exec "$GIBBSITE" fit wide.csv --loss hinge --prior zero --threads 1 -q -o many.json \\
    --cache folder.\$OMPI_COMM_WORLD_RANK
END
as 'ranks that share no folder have a file each' && check 'fit' "${ranks[@]}" -np 3 sh apart.sh
check 'the same model' cmp <(timeless whole.json) <(timeless many.json)
check 'each its cache' test \
    "$(cat folder.?/* | cmp - <(cat alone.gbscache alone.gbscache alone.gbscache) && echo 3)" = 3

# ---------------------------------------------------------------- what goes wrong
# by_rank SCRIPT COMMAND [SIZE]: each rank runs the command after the script, which sees $r, its
# number, and may set $mine.
by_rank() {
    cat >rank.sh <<END
r=\$OMPI_COMM_WORLD_RANK
$1
echo \$\$ >pid.\$r
exec "$GIBBSITE" $2 ${4---threads 1}
END
    "${ranks[@]}" -np "${3:-2}" sh rank.sh >"$stdout" 2>"$stderr"
    rc=$?
}
# ended NAME MESSAGE: with exit code 5, this message alone, and nothing written.
ended() {
    if ((rc == 5)) && [[ $(wc -l <"$stderr") == 1 ]] && grep -qE "$2" "$stderr" \
        && [[ ! -e none.json ]] &&
        ! compgen -G '.gibbsite-*.tmp' >/dev/null; then
        ok "$1"
    else
        not_ok "$1" "exit $rc" "$(cat "$stderr")" "$(ls -A)"
    fi
}
by_rank 'if [ "$r" = 1 ]; then mine=missing.csv; else mine=rows.csv; fi' 'fit $mine -o none.json' 3
ended 'a rank that cannot read its file ends all' \
    '^gibbsite: rank 1 failed: missing.csv: No such file'
by_rank '' 'fit missing.csv -o none.json'
ended 'a file that nobody can read: one message' '^gibbsite: missing.csv: No such file'
by_rank 'if [ "$r" = 1 ]; then mine=rows.svm; else mine=rows.csv; fi' \
    'fit $mine -o none.json --prior zero'
ended 'ranks with different rows are found out' \
    '^gibbsite: rank 1 was given other files than rank 0$'
"$GIBBSITE" simulate ratings --rows 1200 --cols 200 --density 0.26 -q -o more.csv
by_rank 'if [ "$r" = 1 ]; then mine=more.csv; else mine=many.csv; fi' \
    'complete $mine --rank 2 --max-iter 2 -o none.json'
ended 'ranks with different ratings are found out' \
    '^gibbsite: rank 1 was given other files than rank 0$'
by_rank 'mine=model.json; [ "$r" != 2 ] || mine=matrix.json' 'predict $mine rows.csv -o none.json' 3
ended 'ranks with different models are found out' \
    '^gibbsite: rank 2 was given other files than rank 0$'
by_rank 'mine=0.5; [ "$r" != 1 ] || mine=0.7' 'evaluate model.json rows.csv --threshold $mine' 3
ended 'ranks with different options are found out' \
    '^gibbsite: rank 1 was given other options than rank 0$'
by_rank 'mine=--json; [ "$r" != 1 ] || mine=--jsn' 'fit rows.csv -o none.json $mine' 3
ended 'a rank that does not know an option ends all' \
    "^gibbsite: rank 1 failed: fit: unknown option '--jsn'"
by_rank '[ "$r" = 0 ] || export GIBBSITE_THREADS=all' \
    'fit rows.csv -o none.json' 2 ''
ended 'ranks with another environment' \
    '^gibbsite: rank 1 failed: GIBBSITE_THREADS: expected a whole number'
by_rank '' 'fit rows.csv --jsn'
as 'an option that no rank knows' && check "exit $rc" test "$rc" -eq 2
by_rank '[ "$r" = 0 ] || cp rows.csv same.csv; mine=rows.csv; [ "$r" = 0 ] || mine=same.csv' \
    'fit $mine -o same.json -q'
as 'the same rows may have another name' && check "exit $rc" test "$rc" -eq 0
cp wide.csv other.csv
by_rank 'mine=wide.csv in=shared; [ "$r" = 0 ] || mine=other.csv in=$PWD/./shared' \
    'fit $mine --loss hinge --prior zero --cache $in -q -o many.json' 3
as 'a cache of rows and in a folder that ranks call by other names' &&
    check "exit $rc: $(cat "$stderr")" cmp <(timeless whole.json) <(timeless many.json)
by_rank '[ "$r" = 0 ] || export GIBBSITE_MPI_WORTH=1e300' 'fit rows.csv -o same.json -q'
as 'what is worth an exchange, rank 0 says' && check "exit $rc: $(cat "$stderr")" test "$rc" -eq 0
by_rank 'mine=rows.csv; [ "$r" != 1 ] || mine=-' 'fit $mine -o none.json' 3
as 'standard input for one of them' && check "exit $rc" test "$rc" -eq 2
expect_stderr '^gibbsite: standard input has one reader and there are 3 ranks: name a file$'
if [[ $(OPENBLAS_CORETYPE=Prescott "$GIBBSITE" version) == *'for Prescott'* &&
    $("$GIBBSITE" version) != *'for Prescott'* ]]; then
    by_rank '[ "$r" != 1 ] || export OPENBLAS_CORETYPE=Prescott' 'fit rows.csv -o same.json'
    as 'ranks with other kernels say so, and go on' && check "exit $rc" test "$rc" -eq 0
    expect_stderr '^gibbsite: rank 1 computes with .* for Prescott, .*, rank 0 with .*: last digits'
else
    skip 'ranks with other kernels' 'this BLAS has one type'
fi
by_rank '' 'fit rows.csv --prior zero -o /dev/full'
ended 'a full disk at the writer' '^gibbsite: /dev/full: No space left'
by_rank '' 'fit part-1.csv part-9.csv -o none.json' 3
ended 'a shard that is missing' '^gibbsite: part-9.csv: No such file or directory$'
sed '1s/x3/z3/' part-2.csv >odd.csv
by_rank '' 'fit part-1.csv odd.csv -o none.json' 3
as 'shards with different headers' && check "exit $rc, one message" test "$rc-$(wc -l <"$stderr")" \
    = 3-1
expect_stderr "^gibbsite: odd.csv:1: column 3 is called 'z3', but 'x3' in part-1.csv"
sed '6000s/,/,x/' wide.csv >bad.csv
by_rank '' 'fit bad.csv -o none.json --cache shared --no-cache' 3
as 'a bad cell, whoever reads it' && check "exit $rc, one message" test "$rc-$(wc -l <"$stderr")" \
    = 3-1
expect_stderr \
    "^gibbsite: bad.csv:6000: column 'x2' .*expected a number, .*lines 2 to 5999 hold numbers"
sed '50000s/$/x/' many.csv >odd.csv
by_rank '' 'complete odd.csv -o none.json' 3
as 'a bad rating, whoever reads it' && check "exit $rc, one message" test \
    "$rc-$(wc -l <"$stderr")" = 3-1
expect_stderr "^gibbsite: odd.csv:50000: column 'value' \(column 3\): expected a number, found '"
printf 'xxxxxxxx' | dd of="$(echo shared/*)" bs=1 seek=100000 conv=notrunc status=none
by_rank '' 'fit wide.csv -o none.json --cache shared' 3
as 'a damaged cache' && check "exit $rc, one message" test "$rc-$(wc -l <"$stderr")" = 3-1
expect_stderr '^gibbsite: shared/wide.csv-.*: the cache is damaged \(its bytes\)'
by_rank '' 'fit wide.csv -o none.json --cache nowhere' 3
ended 'a folder that is not there' '^gibbsite: nowhere: No such file or directory: '
mkdir small_disk
cat >full.sh <<END
mount -t tmpfs -o size=\$1 tmpfs small_disk 2>/dev/null || exit 77
exec ${ranks[*]} -np 2 "$GIBBSITE" fit wide.csv --cache small_disk --threads 1 -q -o none.json \\
    --loss hinge
END
for size in 200k 3m; do # at the parts, at the cells of all
    unshare -m sh full.sh $size >"$stdout" 2>"$stderr"
    rc=$?
    if ((rc == 77)) || ! unshare -m true 2>/dev/null; then
        skip "a disk of $size" 'mounting a tmpfs is not permitted here'
    else
        ended "a disk of $size that fills up" '^gibbsite: small_disk: No space left on device: '
    fi
done
head -c 3 rows.csv >cut.csv
by_rank '' 'fit cut.csv -o none.json'
as 'bad data keep their exit code' && check "exit $rc" test "$rc" -eq 3
by_rank '' 'fit - -o none.json'
as 'standard input is refused' && check "exit $rc" test "$rc" -eq 2
by_rank '' 'fit rows.csv --test - -o none.json'
as 'standard input by an option is refused too' && check "exit $rc" test "$rc" -eq 2
as 'who starts the ranks may have children ignored'
expect_exit 0 "${ranks[@]}" -np 2 env --ignore-signal=CHLD "$GIBBSITE" fit rows.csv -q -o \
    ignored.json
expect_file ignored.json

mkdir alone
cp "$GIBBSITE" alone/gibbsite
as 'without libgibbsite-mpi several ranks are refused'
expect_exit 2 "${ranks[@]}" -np 2 alone/gibbsite fit rows.csv -o none.json
expect_stderr '^gibbsite: several ranks, but libgibbsite-mpi.so.1 is not there'
holds 'one of them says so' "$(grep -c '^gibbsite' "$stderr") == 1"

# Killed at its work, a pipe that nobody writes to, while the others wait for it: the message and
# the code are those of its watcher.
mkfifo never.csv
exec {pipe}<>never.csv
rm -f pid.1
(
    exec {pipe}>&-
    by_rank 'if [ "$r" = 1 ]; then mine=never.csv; else mine=rows.csv; fi' \
        'fit $mine -o none.json' 3
    echo "$rc" >rc
) &
for ((i = 0; i < 2000; i++)); do
    [[ -s pid.1 ]] && worker=$(ps -o pid= --ppid "$(cat pid.1)") && worker=${worker// /} &&
        [[ $(find "/proc/$worker/fd" -lname '*/never.csv' 2>/dev/null) ]] && break
    sleep 0.05
done
kill -KILL "$worker"
wait $!
rc=$(cat rc)
ended 'a rank that is killed ends all' \
    '^gibbsite: rank 1 was lost: killed by signal 9 .*; a file that was to be written is whole'

# wait_for_work: until rank 1, whose process goes into worker, is in the middle of its fit, as its
# processor time says.
wait_for_work() {
    local i
    for ((i = 0; i < 600; i++)); do
        [[ -s pid.1 ]] && worker=$(ps -o pid= --ppid "$(cat pid.1)") && worker=${worker// /} &&
            (($(awk '{ print $14 }' "/proc/$worker/stat" 2>/dev/null || echo 0) > 40)) && break
        sleep 0.1
    done
}

# Killed in the middle of a fit that would go on for long.
"$GIBBSITE" simulate rank --rows 6000 --cols 40 -q -o long.csv
rm -f pid.1
(
    by_rank '' \
        'fit long.csv --task rank --loss zero-one --tol 1e-14 --max-iter 100000 -o none.json' 3
    echo "$rc" >rc
) &
wait_for_work
kill -KILL "$worker"
wait $!
rc=$(cat rc)
ended 'a rank that is killed in the middle of a fit ends all' \
    '^gibbsite: rank 1 was lost: killed by signal 9 .*; a file that was to be written is whole'

# Asked to stop, one of them or all: the code is that of the signal.
for who in 'one that works' 'one that watches' all; do
    rm -f pid.1 rc
    (
        by_rank '' \
            'fit long.csv --task rank --loss zero-one --tol 1e-14 --max-iter 99999 -o none.json' \
            3
        echo "$rc" >rc
    ) &
    wait_for_work
    case $who in
    'one that works') kill -TERM "$worker" ;;
    'one that watches') kill -TERM "$(cat pid.1)" ;;
    all) cat pid.[012] | xargs kill -TERM ;; # as mpirun does where one was lost
    esac
    wait $!
    rc=$(cat rc)
    [[ $who != all ]] || echo >>"$stderr" # whoever learns it first may say so, or nobody
    as "SIGTERM to $who: exit $rc" && check "$(cat "$stderr")" \
        test "$rc-$(grep -c . "$stderr")" = 143-1 -o "$who-$rc" = all-143
    [[ $who == all ]] || expect_stderr '^gibbsite: rank 1 failed: terminated; nothing was written$'
    check 'nothing was written' test ! -e none.json
done
