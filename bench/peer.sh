#!/usr/bin/env bash
# End to end on the same svmlight file: gibbsite fit --loss hinge against liblinear's `train -s 3` (the same loss, dual coordinate descent) with its
# defaults; best of three each, in turn. Target: no slower. Also the peak memory of the fit beside the size of the data.
set -eu
gibbsite=$1
train=$(command -v liblinear-train || true)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

now() { date +%s.%N; }

# best of three: seconds of "$@"
best() {
    local best=1e9 start end
    for _ in 1 2 3; do
        start=$(now)
        "$@" >/dev/null 2>&1 || true
        end=$(now)
        best=$(awk -v a="$best" -v s="$start" -v e="$end" 'BEGIN { d = e - s; print d < a ? d : a }')
    done
    echo "$best"
}

# peak resident memory of "$@" in MB
peak() {
    "$@" >/dev/null 2>&1 &
    local pid=$! most=0 value
    while value=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$value" ]; do
        most=$value
        sleep 0.01
    done
    wait "$pid" || true
    awk -v k="$most" 'BEGIN { printf "%.0f", k / 1024 }'
}

compare() { # NAME FILE DATA_MB
    local ours theirs memory
    ours=$(best "$gibbsite" fit "$2" --loss hinge -o "$tmp/m.json")
    memory=$(peak "$gibbsite" fit "$2" --loss hinge -o "$tmp/m.json")
    printf '%s: gibbsite fit --loss hinge %.2f s' "$1" "$ours"
    if [ -n "$train" ]; then
        theirs=$(best "$train" -q -s 3 "$2" "$tmp/l.model")
        awk -v a="$ours" -v b="$theirs" 'BEGIN { printf ", liblinear-train -s 3 %.2f s: ratio %.2f (target at most 1)\n", b, a / b }'
    else
        echo '; liblinear-train is not installed (tools/setup.sh bench)'
    fi
    echo "  peak memory $memory MB; the rows as read are $3 MB (12 bytes a non-zero)"
}

"$gibbsite" simulate classify --rows 100000 --cols 50 --noise 0.1 -o "$tmp/dense.svm" --quiet
"$gibbsite" simulate classify --rows 50000 --cols 5000 --density 0.01 --noise 0.1 -o "$tmp/sparse.svm" --quiet
compare '100,000 x 50 dense' "$tmp/dense.svm" "$((100000 * 50 * 12 / 1000000))"
compare '50,000 x 5,000, 50 non-zeros a row' "$tmp/sparse.svm" "$((50000 * 50 * 12 / 1000000))"
