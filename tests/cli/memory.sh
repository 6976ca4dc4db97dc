#!/usr/bin/env bash
# A fit holds its data twice, as it was read and as the solver sees it, and little else: the peak
# stays below twice the data plus 18 MB for the program and its libraries. The data is 8 bytes a
# cell and label (dense), 12 bytes a non-zero and 16 a row (sparse). The diagonal family has no d x
# d matrix, so none is allowed for. Cross-validation works on views: a fold is no further copy of
# the data, only lists of rows (32 bytes a row). Under an informed prior the rows are put in random
# order and parted, and have scores out of fold and from the last block: 56 bytes a row for it.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
need_plain_build 'peak memory of a fit' || exit 0

in_mb() { awk -v bytes="$1" 'BEGIN { printf "%.1f MB", bytes / 1e6 }'; }

# peak_within NAME DATA_BYTES LIST_BYTES COMMAND...
peak_within() {
    local name=$1 data=$2 limit=$((2 * $2 + $3 + 18000000)) peak
    shift 3
    watch_peak "$@"
    peak=$((peak_kb * 1024))
    echo "# $name: data $(in_mb $data), limit $(in_mb $limit), peak $(in_mb $peak), $took_ms ms"
    if ((rc != 0)); then
        not_ok "$name" "exit status $rc" "$(cat "$stderr")"
    # less than the data itself would be a peak that was missed
    elif ((peak > data && peak <= limit)); then
        ok "$name: stays within $(in_mb $limit)"
    else
        not_ok "$name: stays within $(in_mb $limit)" "peak of $peak bytes, limit $limit"
    fi
}

rows=400000 features=20
as 'makes 400,000 x 20'
watch_peak "$GIBBSITE" simulate classify --rows $rows --cols $features -o dense.csv -q
((rc == 0)) || exit
holds 'simulate writes its rows piece by piece: 158 MB of them in less than 30 MB' \
    "$(stat -c %s dense.csv) > 1.5e8 && $peak_kb < 30000"
data=$((8 * rows * (features + 1)))
# In files: 50 bytes a row and what passes are busy with stay in memory; less than half of the data.
watch_peak "$GIBBSITE" fit dense.csv --loss hinge --family diagonal --threads 2 --cache . \
    --no-cache -q
holds "a fit to rows in files: $((peak_kb / 1024)) MB, less than 90 bytes a row and 40 MB" \
    "$rc == 0 && $peak_kb * 1024 < 90 * $rows + 4e7"
peak_within 'dense fit' $data 0 "$GIBBSITE" fit dense.csv --prior zero --loss hinge --family \
    diagonal --threads 2
peak_within 'dense fit, informed' $data $((56 * rows)) "$GIBBSITE" fit dense.csv --loss hinge \
    --family diagonal --threads 2
peak_within 'dense cross-validation' $data $((32 * rows)) "$GIBBSITE" cv dense.csv --loss hinge \
    --family diagonal --threads 1
rm dense.csv

rows=20000
as 'makes 20,000 x 5,000 with one cell in a hundred'
expect_exit 0 "$GIBBSITE" simulate classify --rows $rows --cols 5000 --density 0.01 -o sparse.svm \
    -q || exit
data=$((12 * $(awk '{ sum += NF - 1 } END { print sum }' sparse.svm) + 16 * rows))
peak_within 'sparse fit' $data 0 "$GIBBSITE" fit sparse.svm --prior zero --loss hinge --family \
    diagonal --threads 2
peak_within 'sparse cross-validation' $data $((32 * rows)) "$GIBBSITE" cv sparse.svm --loss hinge \
    --family diagonal --threads 1
rm sparse.svm

as 'makes 300,000 ratings of 60,000 x 40,000 cells'
expect_exit 0 "$GIBBSITE" simulate ratings --rows 60000 --cols 40000 --rank 2 --density 0.000125 \
    -o ratings.csv -q || exit
# A completion holds its ratings by row and by column (24 bytes each) and, for each row and column,
# its Gaussian while it is fitted and once more in the model, the record of one side, and its name:
# 500 bytes for 4 components. Nothing is the size of the matrix, which would be 19 GB here.
for options in '--model paper' '--positions off'; do
    # shellcheck disable=SC2086
    peak_within "completion, $options" $((24 * 300000)) $((500 * 100000)) "$GIBBSITE" complete \
        ratings.csv --rank 4 --tol 1 --threads 2 $options
done
# Features of which cells are filled are 66 numbers a row or column, 528 bytes more. While they are
# made there is no Gaussian yet, but 70 numbers of the basis that they come from (560 bytes) and the
# features of one side, here the larger of 0.6 of all: 900 bytes. How wide intervals are is asked of
# ratings left out: copies and orders of the others take 80 bytes a rating.
peak_within 'completion, --positions on' $((24 * 300000)) $(((500 + 528) * 100000 + 80 * 300000)) \
    "$GIBBSITE" complete ratings.csv --rank 4 --tol 1 --threads 2 --positions on
# Whether they are used is asked of these, too: the features are made for nine tenths beside the
# fit without features, which has no model yet (400 bytes a row or column).
peak_within 'completion, by default' $((24 * 300000)) $(((400 + 900) * 100000 + 80 * 300000)) \
    "$GIBBSITE" complete ratings.csv --rank 4 --tol 1 --threads 2

# Predictions go through memory part by part: four times the rows take no more.
as 'makes 1,000 x 20'
expect_exit 0 "$GIBBSITE" simulate classify --rows 1000 --cols 20 -o train.csv -q || exit
expect_exit 0 "$GIBBSITE" fit train.csv -o model.json -q || exit
peaks=()
for rows in 150000 600000; do
    "$GIBBSITE" simulate classify --rows $rows --cols 20 -o new.csv -q
    watch_peak "$GIBBSITE" predict model.json new.csv -o out.csv -q
    holds "$rows rows are predicted" "$rc == 0 && $(wc -l <out.csv) == $rows + 1"
    peaks+=("$peak_kb")
done
holds "predictions of four times the rows take as much memory (${peaks[*]} KB)" \
    "${peaks[1]} < ${peaks[0]} + 16000 && ${peaks[1]} < 160000"
rm new.csv out.csv
