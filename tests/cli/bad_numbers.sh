#!/usr/bin/env bash
# Model files whose numbers overflow: predict, evaluate and inspect end with exit 3 and one clear
# message, and print no nan. evaluate never ended before, so each command runs under a generous
# `timeout`, which would give 124.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

g() { "$GIBBSITE" "$@" -q; }
g simulate classify --rows 80 --cols 2 -o train.csv
g simulate ratings --rows 12 --cols 10 --rank 1 --density 0.8 --range 1:5 -o ratings.csv
g fit train.csv -o stages.json
g fit train.csv --prior zero -o plain.json
g fit train.csv --prior zero --loss hinge --family full --form dual -o dual.json
g fit train.csv --prior zero --loss hinge --family diagonal -o diagonal.json
g fit train.csv --task rank -o rank.json
g sample train.csv --lambda 20 --particles 16 -o sample.json
g sample train.csv --task rank --lambda 20 --particles 16 -o sample_rank.json
g complete ratings.csv --rank 2 -o completion.json
g complete ratings.csv --rank 2 --model hierarchical --range 1:5 -o range.json
g complete ratings.csv --rank 2 --sampler gibbs --draws 20 --burn-in 5 --keep 4 -o gibbs.json

# numbers FILE KEY VALUE: every number of every list under KEY becomes VALUE
numbers() {
    awk -v key="\"$2\":[" -v value="$3" '{
        out = ""
        while ((at = index($0, key)) > 0) {
            out = out substr($0, 1, at + length(key) - 1)
            $0 = substr($0, at + length(key))
            list = substr($0, 1, (end = index($0, "]")) - 1)
            gsub(/-?[0-9][0-9.eE+-]*/, value, list)
            out = out list
            $0 = substr($0, end)
        }
        print out $0
    }' "$1"
}

# broken FILE DATA REGEX: predict and evaluate of the damaged model end so
broken() {
    local file=$1 data=$2 regex=$3 command json
    for command in predict evaluate; do
        for json in '' --json; do
            expect_exit 3 timeout 60 "$GIBBSITE" "$command" "$file" "$data" ${json:+"$json"}
            expect_stderr "$regex"
            expect_silence stdout
            check 'one line of message' test "$(wc -l <"$stderr")" = 1
        done
    done
}

for model in stages plain dual diagonal rank; do
    numbers $model.json mean 1e308 >broken_$model.json
    broken broken_$model.json train.csv 'its score is not a finite number'
done
numbers diagonal.json sd 1e308 >wide.json
broken wide.json train.csv 'its score is not a finite number'
for model in sample sample_rank; do
    numbers $model.json theta 1e308 >broken_$model.json
    broken broken_$model.json train.csv 'its score is not a finite number'
done
expect_exit 3 timeout 60 "$GIBBSITE" inspect broken_sample.json
expect_stderr 'not a finite number'
expect_silence stdout

# products of two factors of 1e200
for model in completion range gibbs; do
    numbers $model.json mean 1e200 >broken_$model.json
    cmp -s $model.json broken_$model.json && not_ok "the means of $model.json are found"
    broken broken_$model.json ratings.csv 'its prediction is not a finite number'
done
row=$(sed -n '2s/,.*//p' ratings.csv)
expect_exit 3 timeout 60 "$GIBBSITE" predict broken_range.json --row "$row" --top 3
expect_stderr 'its prediction is not a finite number'
