#!/usr/bin/env bash
# Maps of the columns: what fit, predict, evaluate, inspect, cv and sample say of them, threads,
# refusals, the hint.
. "$(dirname "$0")/../lib.sh"

"$GIBBSITE" simulate classify --shape rings --rows 600 --cols 2 -q -o rings.csv
"$GIBBSITE" simulate classify --shape rings --rows 1000 --skip 600 --cols 2 -q -o fresh.csv
"$GIBBSITE" simulate classify --rows 300 --cols 3 -q -o line.csv

as 'a line that would be a curve is told so'
expect_exit 0 "$GIBBSITE" fit rings.csv
expect_stderr 'try --features auto$'
as 'who asks for the line is not'
expect_exit 0 "$GIBBSITE" fit rings.csv --features linear
refuse 'no hint then' grep -q 'features auto' "$stderr"
as 'rows that a line divides are not'
expect_exit 0 "$GIBBSITE" fit line.csv
expect_silence stderr

as 'a diagonal family converges under a map'
"$GIBBSITE" simulate classify --shape waves --cols 8 --rows 900 -q -o waves.csv
expect_exit 0 "$GIBBSITE" fit waves.csv --features fourier:120 --family diagonal --json
expect_json "$stdout" converged true

for map in fourier:60 nystrom:60 auto; do
    expect_exit 0 "$GIBBSITE" fit rings.csv --features $map --test fresh.csv -o model.json --json \
        --threads 1
    cp "$stdout" one.json
    "$GIBBSITE" fit rings.csv --features $map -o three.json -q --threads 3
    check "$map: one thread and three give the same model" cmp \
        <(sed 's/"seconds": *[0-9.e-]*//' model.json) <(sed 's/"seconds": *[0-9.e-]*//' three.json)
    [[ $map == auto ]] || expect_json one.json features.map "${map%:*}"
    expect_json one.json features.columns "$(json one.json d)"
    expect_json one.json certificate.status valid
    # a line errs in half of the cases, the truth in a tenth
    holds "$map: it follows the rings" \
        "$(json one.json test.error) < 0.3 && $(json one.json certificate.value) < 0.4"
    expect_exit 0 "$GIBBSITE" evaluate model.json fresh.csv --json
    expect_near "$map: evaluate says what fit said" "$(json "$stdout" error)" \
        "$(json one.json test.error)" 1e-12
    expect_exit 0 "$GIBBSITE" predict model.json fresh.csv
    check "$map: predict prints label, prob and score" test "$(head -n 1 "$stdout")" = \
        label,prob,score
    wrong=$(paste -d, <(tail -n +2 "$stdout" | cut -d, -f1) <(tail -n +2 fresh.csv |
        cut -d, -f3) | awk -F, '$1 != $2' | wc -l)
    expect_near "$map: its labels are those that were tested" \
        "$(awk -v w="$wrong" 'BEGIN { print w / 1000 }')" "$(json one.json test.error)" 1e-12
    cut -d, -f1-3 "$stdout" >plain.csv
    expect_exit 0 "$GIBBSITE" predict model.json fresh.csv --votes
    check "$map: and vote when asked for" test "$(head -n 1 "$stdout")" = label,prob,score,vote
    check "$map: the rest is the same" cmp plain.csv <(cut -d, -f1-3 "$stdout")
    expect_exit 0 "$GIBBSITE" inspect model.json
    check "$map: inspect names the map" grep -qE '^  features +(fourier|nystrom): ' "$stdout"
    check "$map: and counts what has no column" grep -q \
        'of features that are made of all columns$' "$stdout"
done
expect_exit 0 "$GIBBSITE" fit rings.csv --features fourier:40 --family diagonal -o model.json -q
expect_exit 0 "$GIBBSITE" predict model.json fresh.csv
check 'under family diagonal vote costs little' test "$(head -n 1 "$stdout")" = \
    label,prob,score,vote
expect_exit 0 "$GIBBSITE" fit rings.csv --features fourier:40 --bound kl --json
expect_json "$stdout" certificate.status valid
expect_exit 0 "$GIBBSITE" cv rings.csv --features fourier:40 --json
holds 'cv: the map is used' "$(json "$stdout" 'table[0].error') < 0.4"
expect_exit 0 "$GIBBSITE" sample rings.csv --features fourier:10 --lambda 20 --particles 200 -o \
    sample.json -q
expect_exit 0 "$GIBBSITE" predict sample.json fresh.csv

# refuses REGEX ARGUMENT...
refuses() {
    local regex=$1
    shift
    expect_exit 2 "$GIBBSITE" "$@"
    expect_stderr "$regex"
}
for bad in fourier: fourier:1 fourier:x fourier:1e3 fourier:100001 linear:5 auto:5 poly; do
    range=''
    [[ $bad != *:* ]] || range=' with D from 2 to 100000'
    refuses "one of linear\|fourier\[:D\]\|nystrom\[:D\]\|auto$range, found '$bad'" \
        fit rings.csv --features $bad
done
refuses '--features auto is chosen on the rows to learn from' fit rings.csv --features auto \
    --prior zero
refuses '--features auto is chosen by a fit' sample rings.csv --features auto
refuses '--columns relevance is for --features linear' fit rings.csv --features fourier --columns \
    relevance
