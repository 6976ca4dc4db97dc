#!/usr/bin/env bash
# Under limits on memory and on processes the program ends: with its result, which is then that of a
# run without limits to the last bit, or with exit 1 and a word about memory. OpenBLAS by itself
# would try for ever to map a buffer, and send itself SIGINT when it cannot start its threads.
#
# The time limit is there to catch an endless loop; SIGTERM alone would only ask it to stop.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
need_plain_build 'limits on memory and processes' || exit 0
unset OPENBLAS_NUM_THREADS OMP_NUM_THREADS OMP_THREAD_LIMIT

"$GIBBSITE" simulate classify --rows 3000 --cols 24 -o rows.csv -q
"$GIBBSITE" simulate rank --rows 800 --cols 6 -o pairs.csv -q
"$GIBBSITE" simulate ratings --rows 300 --cols 200 --density 0.1 -o ratings.csv -q
"$GIBBSITE" fit pairs.csv --task rank --prior zero -o rank.json -q
"$GIBBSITE" fit rows.csv --prior zero --family full --loss hinge -o full.json -q

# timeless FILE: its JSON without the numbers that differ from run to run.
timeless() { sed -E 's/"(seconds|read|fit|move|approximate|sample|total)": *[0-9.e+-]*//g' "$1"; }

same_result() { cmp -s <(timeless whole.json) <(timeless "$stdout"); }

# ends LIMIT COMMAND...: sets outcome to `done` or `memory`, or to what is wrong.
ends() {
    local limit=$1 rc
    shift
    (
        ulimit -S -v "$limit"
        exec timeout -k 1 60 "$@" >"$stdout" 2>"$stderr"
    ) 2>/dev/null
    rc=$?
    case $rc in
    0 | 4)
        outcome='done'
        same_result || outcome='another result'
        ;;
    1)
        outcome=memory
        grep -q '^gibbsite: .*out of memory' "$stderr" || outcome='no word about memory'
        ;;
    *) outcome="exit status $rc" ;;
    esac
}

# within NAME ARGUMENT...: under each limit, with one thread, as many as there are, and eight.
limits=(60000 80000 110000 140000 170000 185000 200000 230000 260000 300000 450000 800000)
within() {
    local name=$1 limit threads bad=() finished=0 refused=0
    shift
    "$GIBBSITE" "$@" --json >whole.json 2>"$stderr"
    for limit in "${limits[@]}"; do
        for threads in '--threads 1' '' '--threads 8'; do
            # shellcheck disable=SC2086  # two words or none
            ends "$limit" "$GIBBSITE" "$@" --json $threads
            case $outcome in
            'done') ((finished += 1)) ;;
            memory) ((refused += 1)) ;;
            *) bad+=("$limit kB, ${threads:-default}: $outcome: $(tail -n 1 "$stderr")") ;;
            esac
        done
    done
    echo "# $name: $finished finished, $refused out of memory"
    ((finished && refused)) || bad+=('the limits were all too tight, or none was')
    name+=': ends under every limit on memory'
    if ((${#bad[@]})); then not_ok "$name" "${bad[@]}"; else ok "$name"; fi
}
within 'fit' fit rows.csv
limits=(60000 140000 185000 200000 300000 800000)
within 'fit, full' fit rows.csv --prior zero --loss hinge --family full
within 'fit, ranking' fit pairs.csv --task rank --prior zero
within 'evaluate, ranking' evaluate rank.json pairs.csv
within 'predict' predict full.json rows.csv
within 'sample' sample pairs.csv --lambda 20 --particles 64
within 'cross-validation' cv pairs.csv --loss hinge --family full --folds 3
within 'complete' complete ratings.csv --rank 3 --max-iter 5

# ---------------------------------------------------------------- processes
# Root has no such limit: the program runs as a user who has no other process.
if ((EUID == 0)); then
    as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
else
    as_nobody=(env)
fi
if need_program "${as_nobody[0]}" && "${as_nobody[@]}" true 2>/dev/null; then
    chmod 755 "$tmp"
    chmod 644 rows.csv
    cp "$GIBBSITE" program
    chmod 755 program
    "$GIBBSITE" fit rows.csv --json >whole.json 2>/dev/null
    for most in 1 3; do
        # The shell is replaced: it would be counted too.
        timeout -k 1 60 "${as_nobody[@]}" bash -c 'ulimit -u "$1"; shift; exec "$@"' - "$most" \
            ./program fit rows.csv --json --threads 8 >"$stdout" 2>"$stderr"
        rc=$?
        what="at most $most processes: fewer threads, the same result"
        if ((rc == 0)) && same_result && ! grep -q interrupted "$stderr"; then
            ok "$what"
        else
            not_ok "$what" "exit status $rc" "$(cat "$stderr")"
        fi
        check "at most $most processes: says so" grep -q '^gibbsite: [1-7] of 8 threads: ' "$stderr"
    done
else
    skip 'a limit on processes' 'cannot become a user without processes'
fi

# ---------------------------------------------------------------- a BLAS that cannot be shared
# Debian's OpenBLAS without threads hands one buffer to two threads: with it the program has one.
serial=$(find /usr/lib -type d -name openblas-serial 2>/dev/null | head -n 1)
if [[ $serial && -e $serial/libopenblas.so.0 ]]; then
    "$GIBBSITE" fit rows.csv --json >whole.json 2>/dev/null
    as 'an OpenBLAS without locks: fits'
    expect_exit 0 env LD_LIBRARY_PATH="$serial" "$GIBBSITE" fit rows.csv --json --threads 8
    expect_stderr '^gibbsite: 1 of 8 threads: the OpenBLAS here is a build without locks'
    check 'an OpenBLAS without locks: the same result' same_result
    check 'an OpenBLAS without locks: forks, and several threads of the host' \
        env LD_LIBRARY_PATH="$serial" "$GIBBSITE_BUILD/tests/test_threads"
else
    skip 'an OpenBLAS without locks' 'libopenblas0-serial is not installed'
fi
