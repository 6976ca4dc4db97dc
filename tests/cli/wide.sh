#!/usr/bin/env bash
# More columns than a d x d matrix could hold: 500 rows of 20,000 sparse columns, full covariance,
# in the span of the rows. (20,000^2 doubles would be 3.2 GB.) The time is printed, not judged.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
most_kb=307200

as 'makes 500 x 20,000'
expect_exit 0 "$GIBBSITE" simulate classify --rows 500 --cols 20000 --density 0.005 --signal 50 -o \
    wide.svm -q || exit

# The default fit, whose errors are those of the rows learned from. It makes many fits: fewer rows.
head -n 200 wide.svm >fewer.svm
watch_peak "$GIBBSITE" fit fewer.svm --family full -o default.json --json
cp "$stdout" default.out
echo "# by default: $((took_ms / 1000)).$((took_ms % 1000 / 100)) s, peak $((peak_kb / 1024)) MB"
expect_json default.out converged true
expect_json default.out form dual
holds 'by default: less than 300 MB' "0 < $peak_kb && $peak_kb < $most_kb"

# One that learns from every row: the predictions of all of them have its training error.
for loss in hinge zero-one; do
    watch_peak "$GIBBSITE" fit wide.svm --bound kl --family full --loss $loss -o $loss.json --json
    cp "$stdout" $loss.out
    echo "# $loss: $((took_ms / 1000)).$((took_ms % 1000 / 100)) s \
($( ((took_ms < 60000)) && echo under || echo over) a minute), peak $((peak_kb / 1024)) MB"
    if ((rc == 0)); then ok "$loss: converges"; else not_ok "$loss: converges" "exit status $rc" \
        "$(cat "$stderr")"; fi
    expect_json $loss.out converged true
    holds "$loss: d counts the columns that the first part sets" \
        "10000 < $(json $loss.out d) && $(json $loss.out d) < 20001"
    expect_json $loss.out form dual
    if ((peak_kb > 0 && peak_kb < most_kb)); then
        ok "$loss: less than 300 MB"
    else
        not_ok "$loss: less than 300 MB" "peak $peak_kb kB"
    fi
    holds "$loss: free_energy = lambda x gibbs_risk + kl" \
        "($(json $loss.out free_energy) - $(json $loss.out lambda) * \
            $(json $loss.out gibbs_risk) - $(json $loss.out kl)) ^ 2 < 1e-16 * \
                $(json $loss.out free_energy) ^ 2"
    watch_peak "$GIBBSITE" predict $loss.json wide.svm
    echo "# $loss, predict: $((took_ms / 1000)).$((took_ms % 1000 / 100)) s, peak $((peak_kb / \
1024)) MB"
    if ((rc == 0)) && (($(wc -l <"$stdout") == 501)); then ok "$loss: predicts every row"; else \
        not_ok "$loss: predicts every row" "$(cat "$stderr")"; fi
    wrong=$(paste -d' ' <(tail -n +2 "$stdout" | cut -d, -f1) <(cut -d' ' -f1 wide.svm) |
        awk '$1 != $2' | wc -l)
    expect_near "$loss: the predictions have the training error" \
        "$(awk -v w="$wrong" 'BEGIN { print w / 500 }')" "$(json $loss.out train_error)" 1e-12
done
check 'the model can be inspected' "$GIBBSITE" inspect hinge.json
# The proof holds here too: the gap is small, and the diagonal family, a part of the full one, is
# not below.
holds 'hinge: the proven gap is small' \
    "$(json hinge.out optimality_gap) <= 1e-8 * (1 + $(json hinge.out free_energy))"
as 'hinge, diagonal'
expect_exit 0 "$GIBBSITE" fit wide.svm --bound kl --family diagonal --loss hinge --json
holds 'hinge: full is not above diagonal' \
    "$(json hinge.out free_energy) <= $(json "$stdout" free_energy) * (1 + 1e-7) + 2e-8"
