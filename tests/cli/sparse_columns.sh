# Columns of a sparse file that no row to learn from sets cost nothing: a file of some bytes with
# one large index is fitted in an instant.
. "$(dirname "$0")/../lib.sh"

# rows INDEX: forty short rows, and one with a large index.
rows() {
    local i
    for ((i = 1; i <= 40; i++)); do
        echo "$((i % 2 == 0 ? 1 : -1)) $((i % 3 + 1)):$((i % 7)) $((i % 3 + 4)):$((i * i % 5))"
    done
    echo "1 $1:2"
}

rows 7 >narrow.svm
# The order of the rows comes from the cells with their indices: other indices are split in other
# ways. Without a split the indices do not matter.
"$GIBBSITE" fit narrow.svm --prior zero -o narrow.json -q >/dev/null
"$GIBBSITE" predict narrow.json narrow.svm -q >narrow.csv
for index in 100000 10000000 100000000 2147483647; do
    rows "$index" >wide.svm
    watch_peak timeout -s KILL 120 "$GIBBSITE" fit wide.svm -o wide.json
    holds "a default fit with index $index ends, in less than 200 MB" \
        "$rc == 0 && $peak_kb < 200000"
    as "what was left out is said"
    expect_stderr 'columns are set in no row to learn from and are left out'
    holds "the model file is small" "$(stat -c %s wide.json) < 20000"
    check "predicts with index $index" timeout -s KILL 60 "$GIBBSITE" predict wide.json wide.svm \
        -q -o wide.csv
    check "fits index $index without a split" timeout -s KILL 120 "$GIBBSITE" fit wide.svm --prior \
        zero -o wide.json -q
    check "predicts with that" timeout -s KILL 60 "$GIBBSITE" predict wide.json wide.svm -q -o \
        wide.csv
    check "the same as with compact indices" cmp wide.csv narrow.csv
done
expect_exit 0 timeout -s KILL 120 "$GIBBSITE" evaluate wide.json wide.svm
expect_exit 0 timeout -s KILL 120 "$GIBBSITE" fit wide.svm --loss hinge --family diagonal --solver \
    lbfgs --prior zero -o zero.json
watch_peak timeout -s KILL 60 "$GIBBSITE" inspect zero.json
holds "its coefficients are told in less than 200 MB" "$rc == 0 && $peak_kb < 200000"
expect_stdout '^ *V2147483647 '
expect_exit 0 timeout -s KILL 120 "$GIBBSITE" cv wide.svm --loss hinge
expect_exit 0 timeout -s KILL 120 "$GIBBSITE" sample wide.svm --particles 100 --lambda 5 -o \
    sample.json
expect_exit 0 "$GIBBSITE" predict sample.json wide.svm
