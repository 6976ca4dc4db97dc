#!/usr/bin/env bash
# What is printed of a bound is never on its other side: "at most" is rounded up, "at least" down,
# in text, cards and reports; JSON has every digit.
. "$(dirname "$0")/../lib.sh"

# between NAME PRINTED VALUE UNIT: the upper bound as printed is no less than the value, by at most
# one unit of its last digit; for a lower bound both are turned round.
between() {
    if awk -v p="$2" -v v="$3" -v u="$4" 'BEGIN { exit !(p >= v - 1e-9 && p <= v + u) }'; then
        ok "$1"
    else
        not_ok "$1" "printed $2, the bound is $3"
    fi
}

for seed in 1 2 3 4 5 6; do
    "$GIBBSITE" simulate classify --rows 150 --cols 3 --noise 0.2 --seed "$seed" -o rows.csv -q
    "$GIBBSITE" fit rows.csv -o model.json --json >fit.out 2>/dev/null
    "$GIBBSITE" fit rows.csv >short.out 2>/dev/null
    "$GIBBSITE" fit rows.csv -v >long.out 2>/dev/null
    value=$(json fit.out certificate.value)
    between "$seed: per cent" "$(sed -n 's/.*in at most \([0-9.]*\) %.*/\1/p' short.out)" \
        "$(awk -v v="$value" 'BEGIN { printf "%.17g", 100 * v }')" 0.01
    row=0
    while read -r printed; do
        between "$seed: line $row of the table" "$printed" \
            "$(json fit.out "certificates.$row.value")" 0.0001
        row=$((row + 1))
    done < <(sed -n '/^  bound  *of /,/^   *nats/s/^  \([01]\.[0-9]*\) .*/\1/p' long.out)
    check "$seed: a table of six lines" test "$row" = 6
    "$GIBBSITE" inspect --card model.json >card.out
    between "$seed: the card" "$(sed -n 's/^| \([01]\.[0-9]*\) |.*/\1/p' card.out | head -n 1)" \
        "$value" 0.0001
    "$GIBBSITE" report fit.out -o page.html -q
    between "$seed: the report" "$(tr '\n' ' ' <page.html |
        sed -n 's/.*prints* are wrong in at most \([0-9.]*\).*/\1/p' | head -n 1)" \
        "$(awk -v v="$value" 'BEGIN { printf "%.17g", 100 * v }')" 0.01
    "$GIBBSITE" evaluate model.json rows.csv >eval.out 2>/dev/null
    "$GIBBSITE" evaluate model.json rows.csv --json >eval.json 2>/dev/null
    between "$seed: evaluate" "$(sed -n 's/^true error *at most \([0-9.]*\) %.*/\1/p' eval.out)" \
        "$(awk -v v="$(json eval.json holdout_bound)" 'BEGIN { printf "%.17g", 100 * v }')" 0.01
    between "$seed: recall, at least" \
        "-$(sed -n 's/^1 .*% (.*% (\([0-9.]*\) %).*% (.*/\1/p' eval.out)" \
        "$(awk -v v="$(json eval.json recall_lower.1)" 'BEGIN { printf "%.17g", -100 * v }')" 0.01
    "$GIBBSITE" report eval.json -o page.html -q
    between "$seed: the page of evaluate" "$(tr '\n' ' ' <page.html |
        sed -n 's/.*its true error is at most \([0-9.]*\).*/\1/p' | head -n 1)" \
        "$(awk -v v="$(json eval.json holdout_bound)" 'BEGIN { printf "%.17g", 100 * v }')" 0.01
    "$GIBBSITE" simulate rank --rows 300 --cols 3 --noise 0.2 --seed "$seed" -o ranks.csv -q
    "$GIBBSITE" fit ranks.csv --task rank -o ranker.json -q 2>/dev/null
    "$GIBBSITE" evaluate ranker.json ranks.csv >eval.out 2>/dev/null
    "$GIBBSITE" evaluate ranker.json ranks.csv --json >eval.json 2>/dev/null
    "$GIBBSITE" report eval.json -o page.html -q
    value=$(awk -v v="$(json eval.json holdout_bound)" 'BEGIN { printf "%.17g", v - 1 }')
    between "$seed: true AUC" "-$(sed -n 's/^true AUC *at least \([0-9.]*\) .*/\1/p' eval.out)" \
        "$value" 0.0001
    between "$seed: the page's true AUC" "-$(tr '\n' ' ' <page.html |
        sed -n 's/.*its true AUC is at least \([0-9.]*[0-9]\).*/\1/p' | head -n 1)" "$value" 0.0001
done
