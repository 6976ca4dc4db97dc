#!/usr/bin/env bash
# Out of memory at any moment: the program says so and leaves, and never leaves half a file.
#
# `gibbsite fit` runs once for each k with its k-th allocation refused. It must leave with one of its own exit codes (never by a
# signal), and a run that fails must leave neither the model nor a temporary file. Above FAULT_MAX (3000) allocations an even
# sample of that many is taken.
. "$(dirname "$0")/../lib.sh"

failmalloc=$GIBBSITE_BUILD/tests/failmalloc.so
if [[ ! -e $failmalloc ]]; then
    not_ok 'failmalloc.so was built' "not found: $failmalloc"
    exit
fi
need_plain_build 'out of memory at every allocation' || exit 0

as 'makes the small data set'
expect_exit 0 "$GIBBSITE" simulate classify --rows 40 --cols 3 -o "$tmp/small.csv" || exit

# attempt K FOLDER: one fit, in its own folder; sets rc.
attempt() {
    mkdir "$2"
    (
        cd "$2" || exit 200
        ulimit -c 0
        timeout 60 env LD_PRELOAD="$failmalloc" FAILMALLOC_AT="$1" FAILMALLOC_COUNT_FILE="$2.count" \
            "$GIBBSITE" fit "$tmp/small.csv" -o m.json --threads 1 >"$2.out" 2>"$2.err"
    )
    rc=$?
}

# judge K FOLDER: prints one line when the promise is broken.
judge() {
    local left
    left=$(ls -A "$2")
    case $rc in
    0) json "$2/m.json" >/dev/null 2>&1 || echo "allocation $1: exit 0, but m.json is missing or damaged" ;;
    4) json "$2/m.json" >/dev/null 2>&1 || echo "allocation $1: exit 4, but m.json is missing or damaged" ;;
    1 | 2 | 3 | 5) [[ ! $left ]] || echo "allocation $1: exit $rc leaves behind: ${left//$'\n'/ }" ;;
    124) echo "allocation $1: still running after 60 s" ;;
    *) echo "allocation $1: exit $rc: $(tail -n 1 "$2.err")" ;;
    esac
    if ((rc == 1)) && [[ ! -s $2.err ]]; then echo "allocation $1: exit 1 without a word"; fi
}

attempt 0 "$tmp/whole"
count=$(cat "$tmp/whole.count" 2>/dev/null)
if ((rc != 0)) || [[ ! $count ]]; then
    not_ok 'fits when nothing is refused' "exit status $rc, allocations: ${count:-unknown}" "$(cat "$tmp/whole.err")"
    exit
fi
ok 'fits when nothing is refused'

stride=$(((count + ${FAULT_MAX:-3000} - 1) / ${FAULT_MAX:-3000}))
((stride > 0)) || stride=1
workers=$(nproc)
for ((w = 0; w < workers; w++)); do
    (
        trap - EXIT
        for ((k = 1 + w * stride; k <= count; k += workers * stride)); do
            attempt "$k" "$tmp/run$k"
            judge "$k" "$tmp/run$k"
            echo "$rc" >>"$tmp/codes.$w"
            rm -rf "$tmp/run$k" "$tmp/run$k".*
        done
        echo end >>"$tmp/end"
    ) >"$tmp/broken.$w" &
done
wait

title="leaves cleanly with any of $count allocations refused"
((stride == 1)) || title+=" (every ${stride}th tried)"
if [[ $(wc -l <"$tmp/end") == "$workers" ]] && ! cat "$tmp"/broken.* | grep -q .; then
    ok "$title"
else
    not_ok "$title" "$(cat "$tmp"/broken.* | sort -t' ' -k2n | head -n 40)"
fi
if grep -qx 1 "$tmp"/codes.*; then
    ok 'says by exit code 1 that memory ran out'
else
    not_ok 'says by exit code 1 that memory ran out' 'no run left with 1: was anything refused?'
fi
