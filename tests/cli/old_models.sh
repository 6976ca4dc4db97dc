#!/usr/bin/env bash
# Model files of earlier versions: each still loads, predicts, evaluates and is inspected with the
# answers that its own version gave, to 1e-12 (seen over processors, compilers and kernels of
# OpenBLAS: 1.3e-15).
. "$(dirname "$0")/../lib.sh"
exec </dev/null
golden=$GIBBSITE_ROOT/tests/golden

[[ -x /usr/bin/python3 ]] || { skip 'old models' 'needs /usr/bin/python3'; exit 0; }

for folder in "$GIBBSITE_ROOT"/tests/models/*/; do
    folder=${folder%/} version=$(basename "$folder")
    check "$version: every model is asked" diff \
        <(cd "$folder/data" && printf '%s\n' *.json) \
        <(awk '$2 ~ /^(predict|evaluate|inspect)$/ && !seen[$2, $3]++ { n[$3]++ }
               END { for (m in n) if (n[m] == 3) print m }' "$folder/commands.txt" | sort)
    "$golden/run.sh" "$GIBBSITE" "$folder" >answers.txt
    as "$version: the same answers"
    expect_exit 0 "$golden/compare.py" "$folder/expected.txt" answers.txt --tolerance 1e-12 \
        --changes "$folder/changes.txt" || comment <"$stdout"
    tail -n 1 "$stdout" | comment
done

# What a model approximates is in its file: gap finds it again, and refuses another free energy.
models=$GIBBSITE_ROOT/tests/models/0.1.0/data
for model in diagonal full informed progressive; do
    as "0.1.0: gap of $model.json"
    expect_exit 0 "$GIBBSITE" gap "$golden/data/rows.csv" "$models/$model.json" --particles 64
done
