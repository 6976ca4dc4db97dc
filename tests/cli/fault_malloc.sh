#!/usr/bin/env bash
# Out of memory at any moment: the program says so and leaves, and never leaves half a file or a wrong one.
#
# Each command runs once for each k with its k-th allocation refused. It must leave with one of its own exit codes (never by a signal); a run
# that fails must leave neither its output nor a temporary file, and one that does not must have written what it writes with all the memory in
# the world. Above FAULT_MAX (500) allocations an even sample of that many is taken.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

failmalloc=$GIBBSITE_BUILD/tests/failmalloc.so
if [[ ! -e $failmalloc ]]; then
    not_ok 'failmalloc.so was built' "not found: $failmalloc"
    exit
fi
need_plain_build 'out of memory at every allocation' || exit 0

as 'makes the small data set'
expect_exit 0 "$GIBBSITE" simulate classify --rows 30 --cols 2 -o "$tmp/small.csv" || exit
expect_exit 0 "$GIBBSITE" simulate rank --rows 2200 --cols 2 -o "$tmp/many.csv" || exit
awk -F, -v OFS=, 'NR == 1 { print "shop", $0 } NR > 1 { print (NR % 3 ? "north" : "south"), $0 }' small.csv | sed -e 's/,-1$/,no/' -e 's/,1$/,yes/' >text.csv
"$GIBBSITE" simulate classify --rows 12 --cols 30 --density 0.2 -o sparse.svm -q
gzip -nc text.csv >text.csv.gz
as 'makes the model to ask'
expect_exit 0 "$GIBBSITE" fit text.csv -o "$tmp/model.json" -q || exit

# attempt K FOLDER: the command in the array `command`, in a folder of its own; sets rc.
attempt() {
    mkdir "$2"
    (
        cd "$2" || exit 200
        ulimit -c 0
        timeout -k 5 60 env LD_PRELOAD="$failmalloc" FAILMALLOC_AT="$1" FAILMALLOC_COUNT_FILE="$2.count" \
            "$GIBBSITE" "${command[@]}" --threads 1 >"$2.out" 2>"$2.err"
    )
    rc=$?
}

# same FOLDER: the output is that of the run to which nothing was refused. Times differ.
same() {
    [[ -e $1/out ]] && cmp -s <(sed -E 's/"seconds":[^,}]*//' "$tmp/whole/out") <(sed -E 's/"seconds":[^,}]*//' "$1/out")
}

# judge K FOLDER: prints one line when the promise is broken.
judge() {
    local left
    left=$(ls -A "$2")
    case $rc in
    0 | 4) same "$2" || echo "allocation $1: exit $rc, but the output is missing or not the right one" ;;
    1) [[ ! $left ]] || echo "allocation $1: exit $rc leaves behind: ${left//$'\n'/ }" ;;
    2 | 3 | 5) echo "allocation $1: exit $rc, which blames something other than memory: $(head -n 1 "$2.err")" ;;
    124 | 137) echo "allocation $1: still running after 60 s" ;;
    *) echo "allocation $1: exit $rc: $(tail -n 1 "$2.err")" ;;
    esac
    if ((rc == 1)) && ! grep -q '^gibbsite: .*memory' "$2.err"; then echo "allocation $1: exit 1 without a word about memory: $(head -n 1 "$2.err")"; fi
}

most=${FAULT_MAX:-500}
workers=$(nproc)
# exhaust NAME ARGUMENT...: the output of the command is the file `out`.
exhaust() {
    local name=$1 count stride w k title
    shift
    command=("$@")
    rm -rf "$tmp"/whole* "$tmp"/broken.* "$tmp"/codes.* "$tmp/end"
    attempt 0 "$tmp/whole"
    count=$(cat "$tmp/whole.count" 2>/dev/null)
    if ((rc != 0)) || [[ ! $count || ! -s $tmp/whole/out ]]; then
        not_ok "$name: works when nothing is refused" "exit status $rc, allocations: ${count:-unknown}" "$(cat "$tmp/whole.err")"
        return
    fi
    stride=$(((count + most - 1) / most))
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
    title="$name: leaves cleanly with any of $count allocations refused"
    ((stride == 1)) || title+=" (every ${stride}th tried)"
    if [[ $(wc -l <"$tmp/end") == "$workers" ]] && ! cat "$tmp"/broken.* | grep -q .; then
        ok "$title"
    else
        not_ok "$title" "$(cat "$tmp"/broken.* | sort -t' ' -k2n | head -n 40)"
    fi
    echo "# exit codes: $(sort "$tmp"/codes.* | uniq -c | awk '{ printf("%s%s times %s", (NR > 1 ? ", " : ""), $1, $2) }')"
    if grep -qx 1 "$tmp"/codes.*; then
        ok "$name: says by exit code 1 that memory ran out"
    else
        not_ok "$name: says by exit code 1 that memory ran out" 'no run left with 1: was anything refused?'
    fi
}

exhaust 'fit' fit "$tmp/small.csv" -o out
exhaust 'fit, hinge, diagonal, L-BFGS' fit "$tmp/small.csv" --loss hinge --family diagonal --solver lbfgs -o out
exhaust 'fit, text columns, gzip' fit "$tmp/text.csv.gz" --loss hinge --family isotropic --drop x1 --text x2 --test "$tmp/text.csv" -o out
exhaust 'fit, sparse, dual' fit "$tmp/sparse.svm" --loss hinge --family full -o out
exhaust 'fit, restarts' fit "$tmp/small.csv" --restarts 2 --family fixed -o out
exhaust 'fit, stochastic' fit "$tmp/small.csv" --solver sgd --epochs 50 --tol 1 --loss hinge --family diagonal --scale unit-row -o out
exhaust 'fit, ranking' fit "$tmp/small.csv" --task rank --test "$tmp/small.csv" -o out
exhaust 'fit, ranking, stochastic' fit "$tmp/small.csv" --task rank --prior zero --solver sgd --schedule paper --epochs 2 --tol 1 -o out
# isotropic: some small products of OpenBLAS ask for memory of their own and do not look whether they got it; this family does without them
exhaust 'fit, ranking, stochastic, with a jury' fit "$tmp/many.csv" --task rank --prior zero --solver sgd --batch 1024 --epochs 1 --tol 1000 --family isotropic -o out
exhaust 'fit, ranking, sampled pairs' fit "$tmp/small.csv" --task rank --prior zero --pairs 100 -o out
exhaust 'predict' predict "$tmp/model.json" "$tmp/text.csv" -o out
exhaust 'predict, JSON' predict "$tmp/model.json" "$tmp/text.csv" --json -o out
as 'makes the sample to ask'
expect_exit 0 "$GIBBSITE" sample text.csv --lambda 5 --particles 8 -o "$tmp/sample.json" -q
as 'makes the model to measure'
expect_exit 0 "$GIBBSITE" fit small.csv --prior zero --loss hinge --lambda 10 -o "$tmp/hinge.json" -q
exhaust 'sample' sample "$tmp/text.csv" --lambda 5 --particles 8 -o out
exhaust 'sample, classic, draws' sample "$tmp/small.csv" --lambda 5 --particles 8 --classic --draws out
exhaust 'sample against a model' sample "$tmp/small.csv" --against "$tmp/hinge.json" --particles 8 -o out
exhaust 'sample, ranking' sample "$tmp/small.csv" --task rank --lambda 5 --particles 8 -o out
exhaust 'predict from a sample' predict "$tmp/sample.json" "$tmp/text.csv" -o out
exhaust 'simulate' simulate classify --rows 20 --cols 3 -o out
as 'makes the ratings'
expect_exit 0 "$GIBBSITE" simulate ratings --rows 6 --cols 5 --rank 1 --density 0.9 --range 0:6 -o "$tmp/ratings.csv" -q
as 'makes the completion to ask'
expect_exit 0 "$GIBBSITE" complete ratings.csv --rank 2 -o "$tmp/completion.json" -q
exhaust 'complete' complete "$tmp/ratings.csv" --rank 2 --test "$tmp/ratings.csv" -o out
exhaust 'complete, informed' complete "$tmp/ratings.csv" --rank 2 --range 0:6 --prior informed -o out
exhaust 'complete, sampler' complete "$tmp/ratings.csv" --rank 2 --sampler gibbs --draws 3 --burn-in 1 -o out
exhaust 'predict cells' predict "$tmp/completion.json" "$tmp/ratings.csv" -o out
# a name that ends where jansson's buffer grows, once in 256 bytes and once in 512
name=$(printf 'x%.0s' {1..254})
sed "1!s/^1,/$name,/; 1!s/^2,/${name}xx$name,/" ratings.csv >"$tmp/long.csv"
"$GIBBSITE" complete "$tmp/long.csv" --rank 2 -o "$tmp/long.json" -q
exhaust 'predict cells of rows with long names' predict "$tmp/long.json" "$tmp/ratings.csv" -o out
exhaust 'complete, chosen noise and two starts' complete "$tmp/ratings.csv" --rank 2 --select cv --folds 2 --lambda-grid 10:100:2 --restarts 2 -o out
exhaust 'predict the best cells' predict "$tmp/completion.json" --row 1 --top 2 -o out
as 'makes the runs to report'
expect_exit 0 "$GIBBSITE" fit small.csv --test small.csv --json -q
cp "$stdout" fit.run.json
expect_exit 0 "$GIBBSITE" complete ratings.csv --rank 2 --range 0:6 --test ratings.csv --json -q
cp "$stdout" complete.run.json
exhaust 'report' report "$tmp/fit.run.json" -o out
exhaust 'report of two runs' report "$tmp/fit.run.json" "$tmp/complete.run.json" -o out
exhaust 'simulate ratings' simulate ratings --rows 5 --cols 4 --skew 1 -o out
