#!/usr/bin/env bash
# Out of memory at any moment: the program says so and leaves, and never leaves half a file or a
# wrong one.
#
# Each command runs once for each k with its k-th allocation refused. It must leave with one of its
# own exit codes (never by a signal); a run that fails must leave neither its output nor a temporary
# file, and one that does not must have written what it writes with all the memory in the world.
# Above FAULT_MAX (250) allocations an even sample of that many is taken.
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
awk -F, -v OFS=, 'NR == 1 { print "shop", $0 } NR > 1 { print (NR % 3 ? "north" : "south"), $0 }' \
    small.csv | sed -e 's/,-1$/,no/' -e 's/,1$/,yes/' >text.csv
"$GIBBSITE" simulate classify --rows 12 --cols 30 --density 0.2 -o sparse.svm -q
gzip -nc text.csv >text.csv.gz
as 'makes the model to ask'
expect_exit 0 "$GIBBSITE" fit text.csv -o "$tmp/model.json" -q || exit

shopt -s nullglob dotglob
ulimit -c 0
most=${FAULT_MAX:-250}
workers=$(nproc)

# judge: one line for each promise that a run of the command broke. In the file codes a line
# `== K EXIT` comes before what the run said; the folder runs.W.K holds what it left.
judge() {
    local sum name lines line left k='' rc='' first='' last='' memory=''
    local -A sums=()
    sed -i -E 's/"seconds":[^,}]*//' whole/out runs.*.*/out # times differ
    while read -r sum name; do
        name=${name%/out}
        sums[${name##*.}]=$sum
    done < <(sha256sum whole/out runs.*.*/out)
    mapfile -t lines <codes
    for line in "${lines[@]}" '== end'; do
        if [[ $line == '== '* ]]; then
            [[ ! $k ]] || judge_run
            read -r _ k rc <<<"$line"
            first='' last='' memory=''
        elif [[ $line ]]; then
            last=$line
            : "${first:=$line}"
            [[ ! $line =~ ^gibbsite:\ .*memory ]] || memory=yes
        fi
    done
}
judge_run() {
    local why=''
    left=(runs.*."$k"/*)
    case $rc in
    0 | 4)
        [[ ${sums[$k]-} == "${sums[whole]}" ]] || why='but the output is missing or another one'
        ;;
    1)
        [[ $memory ]] || why="without a word about memory: $first"
        [[ ! ${left[*]} ]] || why="leaves behind: ${left[*]##*/}"
        ;;
    2 | 3 | 5) why="which blames something other than memory: $first" ;;
    124) why='still running after 60 s' ;;
    *) why="last words: $last" ;;
    esac
    [[ ! $why ]] || echo "allocation $k: exit $rc, $why"
}

# exhaust NAME ARGUMENT...: the output of the command is the file `out`.
exhaust() {
    local name=$1 count stride tries w each title broken tried rcs
    shift
    rm -rf whole* runs* codes*
    mkdir whole
    (
        cd whole || exit
        export LD_PRELOAD=$failmalloc FAILMALLOC_COUNT_FILE=$tmp/whole.count
        exec "$GIBBSITE" "$@" --threads 1
    ) >whole.text 2>&1
    rc=$?
    { count=$(<whole.count); } 2>/dev/null
    if ((rc != 0)) || [[ ! $count || ! -s whole/out ]]; then
        not_ok "$name: works when nothing is refused" "exit status $rc, ${count:-?} allocations" \
            "$(cat whole.text)"
        return
    fi
    stride=$(((count + most - 1) / most))
    tries=$(((count + stride - 1) / stride))
    for ((w = 0; w < workers; w++)); do
        each="$((1 + w * stride)):$count:$((workers * stride)):$tmp/runs"
        OPENBLAS_NUM_THREADS=1 LD_PRELOAD=$failmalloc FAILMALLOC_EACH=$each "$GIBBSITE" "$@" \
            --threads 1 >"codes.$w" 2>&1 &
    done
    wait
    cat codes.* >codes
    broken=$(judge | sort -n -k 2)
    read -r tried rcs < <(awk '/^== [0-9]+ [0-9]+$/ { times[$3]++; n++ }
        END { printf "%d", n; for (rc in times) printf " %d times %d,", times[rc], rc; print "" }' \
        codes)
    title="$name: leaves cleanly with any of $count allocations refused"
    ((stride == 1)) || title+=" (every ${stride}th tried)"
    if [[ $tried == "$tries" && ! $broken ]]; then
        ok "$title"
    else
        not_ok "$title" "$tried of $tries tried" "$(head -n 40 <<<"$broken")"
    fi
    echo "# exit codes: ${rcs%,}"
    if [[ $rcs == *' times 1,'* ]]; then
        ok "$name: says by exit code 1 that memory ran out"
    else
        not_ok "$name: says by exit code 1 that memory ran out" \
            'no run left with 1: was anything refused?'
    fi
}

exhaust 'fit' fit "$tmp/small.csv" -o out
exhaust 'fit, two files' fit "$tmp/small.csv" --prior zero --loss hinge --lambda-grid 10:100:2 \
    -o out --path path.csv
awk -F, -v OFS=, 'NR == 1 { print "id", "w", $0; next } { print int(NR / 2), NR % 3, $0 }' \
    "$tmp/small.csv" >"$tmp/groups.csv"
exhaust 'fit, groups, weights, costs' fit "$tmp/groups.csv" --group id --weights w --cost 2:1 \
    --order time -o out
exhaust 'fit, hinge, diagonal, L-BFGS' fit "$tmp/small.csv" --loss hinge --family diagonal \
    --solver lbfgs -o out
exhaust 'fit, text columns, gzip' fit "$tmp/text.csv.gz" --loss hinge --family isotropic --drop x1 \
    --text x2 --test "$tmp/text.csv" -v -o out
exhaust 'fit, rows in a file' fit "$tmp/text.csv.gz" --loss hinge --family isotropic --cache . \
    --no-cache -o out
mkdir "$tmp/kept"
expect_exit 0 "$GIBBSITE" fit "$tmp/text.csv" --loss hinge --family isotropic --cache "$tmp/kept" -q
exhaust 'fit, from a cache' fit "$tmp/text.csv" --loss hinge --family isotropic --cache \
    "$tmp/kept" -o out
exhaust 'fit, sparse rows in a file' fit "$tmp/sparse.svm" --loss hinge --family isotropic --prior \
    zero --cache . --no-cache -o out
exhaust 'fit, sparse, dual' fit "$tmp/sparse.svm" --loss hinge --family full -o out
exhaust 'fit, restarts' fit "$tmp/small.csv" --restarts 2 --family fixed -o out
exhaust 'fit, stochastic' fit "$tmp/small.csv" --solver sgd --epochs 50 --tol 1 --loss hinge \
    --family diagonal --scale unit-row -o out
awk 'BEGIN { print "a,b,y";
    for (i = 0; i < 36; i++)
        print i % 5 + i % 3 "," (i * 7) % 11 "," substr("xyz", i % 3 + 1, 1) }' >"$tmp/three.csv"
turned "$tmp/three.csv" >"$tmp/three-test.csv"
exhaust 'fit, three classes' fit "$tmp/three.csv" --prior-sd 1 --columns equal -o out \
    --test "$tmp/three-test.csv" --json
expect_exit 0 "$GIBBSITE" fit "$tmp/three.csv" --prior-sd 1 --columns equal -o "$tmp/three.json" -q
exhaust 'sample, three classes' sample "$tmp/three.csv" --lambda 5 --particles 8 --draws out
expect_exit 0 "$GIBBSITE" fit "$tmp/three.csv" --prior-sd 1 --columns equal --loss hinge -o \
    "$tmp/parts.json" -q
exhaust 'sample against three classes' sample "$tmp/three.csv" --against "$tmp/parts.json" \
    --particles 8 --draws out
exhaust 'predict, three classes' predict "$tmp/three.json" "$tmp/three.csv" -o out
turned "$tmp/small.csv" >"$tmp/turned.csv"
exhaust 'fit, Fourier features' fit "$tmp/small.csv" --features fourier:4 --prior-sd 1 -o out
exhaust 'fit, importance' fit "$tmp/text.csv" --prior-sd 1 --columns equal --loss hinge \
    --importance -v -o out
exhaust 'fit, importance behind a map' fit "$tmp/small.csv" --features fourier:4 --prior-sd 1 \
    --importance --json -o out
exhaust 'fit, landmarks' fit "$tmp/small.csv" --features nystrom:4 --prior-sd 1 -o out
exhaust 'fit, ranking' fit "$tmp/small.csv" --task rank --test "$tmp/turned.csv" -o out
exhaust 'fit, ranking, stochastic' fit "$tmp/small.csv" --task rank --prior zero --solver sgd \
    --schedule paper --epochs 2 --tol 1 -o out
# isotropic: some small products of OpenBLAS ask for memory of their own and do not look whether
# they got it; this family does without them
exhaust 'fit, ranking, stochastic, with a subsample' fit "$tmp/many.csv" --task rank --prior zero \
    --solver sgd --batch 1024 --epochs 1 --tol 1000 --family isotropic -o out
exhaust 'fit, ranking, sampled pairs' fit "$tmp/small.csv" --task rank --prior zero --pairs 100 -o \
    out
exhaust 'predict' predict "$tmp/model.json" "$tmp/text.csv" -o out
exhaust 'predict, kept columns' predict "$tmp/model.json" "$tmp/text.csv" --keep 1,2 -o out
exhaust 'predict, JSON' predict "$tmp/model.json" "$tmp/text.csv" --json -o out
exhaust 'inspect, a card' inspect "$tmp/model.json" --card -o out
as 'makes the sample to ask'
expect_exit 0 "$GIBBSITE" sample text.csv --lambda 5 --particles 8 -o "$tmp/sample.json" -q
as 'makes the model to measure'
expect_exit 0 "$GIBBSITE" fit small.csv --prior zero --loss hinge --lambda 10 -o "$tmp/hinge.json" \
    -q
exhaust 'sample' sample "$tmp/text.csv" --lambda 5 --particles 8 -o out
exhaust 'sample, classic, draws' sample "$tmp/small.csv" --lambda 5 --particles 8 --classic \
    --draws out
exhaust 'sample against a model' sample "$tmp/small.csv" --against "$tmp/hinge.json" --particles 8 \
    -o out
exhaust 'sample, ranking' sample "$tmp/small.csv" --task rank --lambda 5 --particles 8 -o out
exhaust 'predict from a sample' predict "$tmp/sample.json" "$tmp/text.csv" -o out
exhaust 'simulate' simulate classify --rows 20 --cols 3 -o out
as 'makes the ratings'
expect_exit 0 "$GIBBSITE" simulate ratings --rows 6 --cols 5 --rank 1 --density 0.9 --range 0:6 -o \
    "$tmp/ratings.csv" -q
as 'makes the completion to ask'
expect_exit 0 "$GIBBSITE" complete ratings.csv --rank 2 -o "$tmp/completion.json" -q
exhaust 'complete' complete "$tmp/ratings.csv" --rank 2 --test "$tmp/ratings.csv" -o out
exhaust 'complete, ratings in files' complete "$tmp/ratings.csv" --rank 2 --cache "$tmp" -o out
printf 'id,x,kind\n1,2,a\n2,3,b\n99,,a\n' >"$tmp/features.csv"
exhaust 'complete, features and a certificate' complete "$tmp/ratings.csv" --rank 2 --row-features \
    "$tmp/features.csv" --positions on --range 0:6 -o out
exhaust 'complete, informed' complete "$tmp/ratings.csv" --rank 2 --range 0:6 --prior informed -o \
    out
"$GIBBSITE" simulate ratings --rows 20 --cols 15 --rank 1 --density 0.7 --positions informed -o \
    "$tmp/table.csv" -q
most=$((most / 6)) exhaust 'complete, models compared' complete "$tmp/table.csv" --rank 2 -o out
most=$((most / 4)) exhaust 'complete, a prior that looks at no rating' complete "$tmp/ratings.csv" \
    --model hierarchical --prior zero --rank 2 --range 0:6 -o out
exhaust 'complete, sampler' complete "$tmp/ratings.csv" --rank 2 --sampler gibbs --draws 3 \
    --burn-in 1 -o out
exhaust 'complete, sampler of the paper' complete "$tmp/ratings.csv" --model paper --rank 2 \
    --sampler gibbs --draws 3 --burn-in 1 -o out
exhaust 'predict cells' predict "$tmp/completion.json" "$tmp/ratings.csv" -o out
# a name that ends where jansson's buffer grows, once in 256 bytes and once in 512
name=$(printf 'x%.0s' {1..254})
sed "1!s/^1,/$name,/; 1!s/^2,/${name}xx$name,/" ratings.csv >"$tmp/long.csv"
"$GIBBSITE" complete "$tmp/long.csv" --rank 2 -o "$tmp/long.json" -q
exhaust 'predict cells of rows with long names' predict "$tmp/long.json" "$tmp/ratings.csv" -o out
exhaust 'complete, chosen noise and two starts' complete "$tmp/ratings.csv" --rank 2 --select cv \
    --folds 2 --lambda-grid 10:100:2 --restarts 2 -o out
exhaust 'predict the best cells' predict "$tmp/completion.json" --row 1 --top 2 -o out
as 'makes the runs to report'
expect_exit 0 "$GIBBSITE" fit small.csv --test turned.csv --json -q
cp "$stdout" fit.run.json
expect_exit 0 "$GIBBSITE" complete ratings.csv --rank 2 --range 0:6 --test ratings.csv --json -q
cp "$stdout" complete.run.json
exhaust 'report' report "$tmp/fit.run.json" -o out
exhaust 'report of two runs' report "$tmp/fit.run.json" "$tmp/complete.run.json" -o out
exhaust 'simulate ratings' simulate ratings --rows 5 --cols 4 --skew 1 -o out
