#!/usr/bin/env bash
# Ctrl-C, kill and a terminal that is closed: exit 130, 143 or 129, a word about it, and neither an
# output nor a temporary file; the progress bar is for terminals alone. A second signal ends the
# program at once with 128 + its number.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

"$GIBBSITE" simulate classify --rows 2000 --cols 20 -o train.csv -q
# steps of the full family are slow there, and 182 of them the fewest
"$GIBBSITE" simulate classify --rows 1000 --cols 400 -o wide.csv -q
as 'a model'
expect_exit 0 "$GIBBSITE" fit train.csv -o model.json -q
mkdir out

# Fits that would go on for hours.
endless_sgd=(fit train.csv --solver sgd --epochs 1000000000 -o out/m.json --path out/p.csv)
# shellcheck disable=SC2034  # read by name
endless_restarts=(fit train.csv --restarts 1000000 -o out/m.json)
# shellcheck disable=SC2034
endless_natural=(fit train.csv --prior zero --lambda-grid 1:2000:1000 --prior-grid 0.01:10:1000 \
    --tol 1e-15 -o out/m.json)

# shellcheck disable=SC2034
endless_pairs=(fit train.csv --task rank --prior zero --loss hinge --family diagonal --tol 1e-3 \
    --pairs 1000000000000 -o out/m.json)
# shellcheck disable=SC2034
endless_steps=(fit wide.csv --task rank --prior zero --family full --solver sgd --schedule paper \
    --batch 1000 --epochs 100000000 -o out/m.json)

# 6.4e9 pairs, none of which the scores decide: after a second of steps, the certificate's pass over
# all of them takes some ten.
certificate=(fit many.csv --task rank --prior zero --lambda 30 --solver sgd --epochs 1 --threads 1 \
    -o out/m.json)
# shellcheck disable=SC2034
endless_sample=(sample train.csv --particles 100000 --ess 0.999 -o out/s.json --draws out/d.csv)
# shellcheck disable=SC2034
endless_moves=(sample train.csv --classic --moves 1000000000 -o out/s.json)

"$GIBBSITE" simulate rank --rows 160000 --cols 2 --noise 0.1 -o many.csv -q

# working PID SECONDS: waits until the program catches signals, however busy the machine, and so
# long again.
working() {
    local mask=0
    until ((0x$mask & 2)) || ! kill -0 "$1" 2>/dev/null; do # bit 1: SIGINT
        sleep 0.02
        mask=$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$1/status" 2>/dev/null)
        : "${mask:=0}"
    done
    sleep "$2"
}

# ended PID SECONDS: waits; sets rc, or kills it and sets rc to 'still running'.
ended() {
    local tenths=$(($2 * 10))
    while kill -0 "$1" 2>/dev/null && ((tenths-- > 0)); do sleep 0.1; done
    if kill -0 "$1" 2>/dev/null; then
        kill -KILL "$1"
        wait "$1" 2>/dev/null
        rc='still running'
        return
    fi
    wait "$1" 2>/dev/null
    rc=$?
}

declare -A code=([INT]=130 [TERM]=143 [HUP]=129)
declare -A word=([INT]=interrupted [TERM]=terminated [HUP]='hung up')
# clean NAME [SIGNAL [WORDS]]: the last run, judged by rc, stderr and what is left.
clean() {
    local why=() signal=${2:-INT}
    [[ $rc == "${code[$signal]}" ]] || why+=("exit status $rc, not ${code[$signal]}")
    grep -qE "^gibbsite: ${word[$signal]}${3:-}" "$stderr" || why+=('no word about it')
    [[ ! -s $stdout ]] || why+=('something on stdout')
    [[ ! $(ls -A out) ]] || why+=("left behind: $(ls -A out)")
    rm -f out/*
    if ((${#why[@]})); then not_ok "$1" "${why[@]}" "stderr: $(cat "$stderr")"; else ok "$1"; fi
}

for signal in INT TERM; do
    for what in endless_sgd endless_restarts endless_natural endless_pairs endless_steps \
        endless_sample endless_moves; do
        declare -n arguments=$what
        "$GIBBSITE" "${arguments[@]}" >"$stdout" 2>"$stderr" &
        pid=$!
        working $pid 0.3
        kill -$signal $pid
        start=${EPOCHREALTIME/./}
        ended $pid 20
        echo "# $what, SIG$signal: ended after $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
        clean "SIG$signal during ${what/_/ }" $signal '; nothing was written$'
    done
done
"$GIBBSITE" "${endless_sgd[@]}" --threads 1 >"$stdout" 2>"$stderr" &
pid=$!
sleep 0.7
kill -HUP $pid
ended $pid 20
clean 'SIGHUP' HUP '; nothing was written$'
(
    trap '' HUP # as nohup does
    exec "$GIBBSITE" "${endless_sgd[@]}" --threads 1 >"$stdout" 2>"$stderr"
) &
pid=$!
sleep 0.7
kill -HUP $pid
sleep 0.3
kill -TERM $pid
ended $pid 20
clean 'SIGHUP is ignored under nohup' TERM '; nothing was written$'

as 'an old output survives'
echo old >out.json
"$GIBBSITE" fit train.csv --solver sgd --epochs 1000000000 --threads 1 -o out.json >"$stdout" \
    2>"$stderr" &
pid=$!
working $pid 0.5
kill -INT $pid
ended $pid 20
if [[ $rc == 130 && $(cat out.json) == old ]]; then ok 'the old file is still there'; else not_ok \
    'the old file is still there' "exit status $rc"; fi

# While waiting for bytes that do not come. Descriptor 9 keeps the pipe open.
mkfifo slow
exec 9<>slow
waiting() { # waiting NAME SIGNAL START ARGUMENT...: START is what the pipe holds
    local name=$1 signal=$2 start=$3
    shift 3
    printf '%b' "$start" >&9
    "$GIBBSITE" "$@" <slow >"$stdout" 2>"$stderr" 9>&- &
    pid=$!
    working $pid 0.2
    kill -"$signal" $pid
    ended $pid 10
    clean "$name" "$signal" '; nothing was written$'
}
for signal in INT TERM; do
    waiting "SIG$signal while waiting for the first byte" $signal '' fit - -o out/m.json
    waiting "SIG$signal in the middle of a line" $signal 'a,y\n1,0\n2,1\n3' fit - -o out/m.json
    waiting "SIG$signal in the middle of gzip" $signal '\x1f\x8b\x08\0' fit - -o out/m.json
    waiting "SIG$signal in the middle of svmlight" $signal '1 1:2\n-1 ' fit - --format svmlight -o \
        out/m.json
    waiting "SIG$signal in the middle of npy" $signal '\x93NUM' fit - --format npy -o out/m.json
    waiting "SIG$signal while waiting for rows to predict" $signal 'x1,x2\n' predict model.json - \
        -o out/p.csv
    waiting "SIG$signal while waiting for a model" $signal '{"gibbsite":' predict - train.csv -o \
        out/p.csv
done
exec 9>&-

# A reader that does not read.
mkfifo full
# shellcheck disable=SC2217  # it holds the pipe open, no more
sleep 60 <full &
reader=$!
"$GIBBSITE" simulate classify --rows 20000 --cols 20 -q >full 2>"$stderr" &
pid=$!
working $pid 1
kill -INT $pid
ended $pid 10
: >"$stdout"
clean 'SIGINT while standard output does not move'
for signal in INT TERM; do # the same pipe by its name
    "$GIBBSITE" simulate classify --rows 2000 --cols 20 -q -o full >"$stdout" 2>"$stderr" &
    pid=$!
    sleep 1
    kill -$signal $pid
    ended $pid 10
    clean "SIG$signal while an output pipe does not move" $signal \
        '( while writing to full|; full was not written)$'
done
kill $reader 2>/dev/null
wait $reader 2>/dev/null
mkfifo alone
"$GIBBSITE" simulate classify --rows 20 --cols 2 -q -o alone >"$stdout" 2>"$stderr" &
pid=$!
sleep 0.5
kill -TERM $pid
ended $pid 10
clean 'SIGTERM while an output pipe has no reader' TERM \
    '( while writing to alone|; alone was not written)$'

# A second signal does not wait.
"$GIBBSITE" "${endless_sgd[@]}" >"$stdout" 2>"$stderr" &
pid=$!
working $pid 0.4
kill -TERM $pid
kill -TERM $pid 2>/dev/null
ended $pid 10
if [[ $rc == 143 ]] && [[ ! $(ls -A out) ]]; then
    ok 'two signals at once end it too'
else
    not_ok 'two signals at once end it too' "exit status $rc" "$(ls -A out)"
fi
rm -f out/*

# ---------------------------------------------------------------- the progress bar
bar='\[=*>? *\] +[0-9]+ %'
if need_terminal; then
    fit="'$GIBBSITE' fit train.csv --solver sgd --epochs 1000000000 --threads 1"
    # in_terminal COMMAND SECONDS: what a terminal would show of it; the fit is interrupted after
    # so long. A bar comes after 0.7 s: where there must be none, half a second more will do. On a
    # busy machine script loses what is said just before its command ends, so that ends later.
    in_terminal() {
        script -qec "timeout -s INT -k 5 $2 $1; sleep 0.5" /dev/null >"$stdout" 2>&1
    }
    in_terminal "$fit" 2
    if grep -qE "$bar" "$stdout"; then ok 'a bar on a terminal'; else not_ok 'a bar on a terminal' \
        "$(head -c 2000 "$stdout" | cat -v)"; fi
    if tail -c 60 "$stdout" | tr '\r' '\n' | grep -q 'gibbsite: interrupted'; then
        ok 'the bar gives way to the message'
    else
        not_ok 'the bar gives way to the message' "$(tail -c 500 "$stdout" | cat -v)"
    fi
    # Ctrl-C once the bar says that the pass is on its way.
    script -qec "sh -c 'echo \$\$ >pid; exec \"\$@\"' - '$GIBBSITE' ${certificate[*]}
        rc=\$?; sleep 0.5; exit \$rc" /dev/null >"$stdout" 2>&1 &
    shell=$!
    until grep -qaE "pairs $bar" "$stdout" || ! kill -0 $shell 2>/dev/null; do sleep 0.1; done
    check 'a bar for the pass over all pairs' grep -qaE "pairs $bar" "$stdout"
    kill -INT "$(cat pid)"
    ended $shell 30
    tr '\r' '\n' <"$stdout" | grep -a '^gibbsite: ' >"$stderr"
    : >"$stdout"
    clean 'SIGINT during the pass over all pairs'
    in_terminal "$fit --quiet" 1.2
    if grep -qE "$bar" "$stdout"; then not_ok 'no bar with --quiet' \
        "$(head -c 2000 "$stdout" | cat -v)"; else ok 'no bar with --quiet'; fi
    in_terminal "$fit 2>bar.txt" 1.2
    if grep -qE "$bar" "$stdout" bar.txt; then not_ok 'no bar when stderr is a file' \
        "$(head -c 2000 bar.txt | cat -v)"; else ok 'no bar when stderr is a file'; fi
    script -qec "'$GIBBSITE' fit train.csv --max-iter 3" /dev/null >"$stdout" 2>&1
    if grep -qE "$bar" "$stdout"; then not_ok 'no bar for short work' \
        "$(head -c 2000 "$stdout" | cat -v)"; else ok 'no bar for short work'; fi
fi
timeout -s INT -k 5 1.2 "$GIBBSITE" fit train.csv --solver sgd --epochs 1000000000 --threads 1 \
    >"$stdout" 2>"$stderr"
if grep -qE "$bar" "$stdout" "$stderr"; then not_ok 'no bar in a pipe'; else ok \
    'no bar in a pipe'; fi

# ---------------------------------------------------------------- what the pages say of it
for page in docs/tour.md docs/formats.md; do
    check "$page knows 129, 130 and 143" awk '/129.*hung up/ { a = 1 } /130.*interrupted/ { b = 1 }
        /143.*terminated/ { c = 1 } END { exit !(a && b && c) }' "$GIBBSITE_ROOT/$page"
done
expect_exit 0 "$GIBBSITE" help fit
tr -s ' \n' ' ' <"$stdout" >one_line
check 'every exit code is in the help' grep -qE \
    'Exit codes: 0 done; .* 4 the solver did not converge .*; 5 file system, or a lost rank; .* '\
'129 hung up, 130 interrupted, 143 terminated\.' one_line
