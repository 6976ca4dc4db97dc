#!/usr/bin/env bash
# Certificates on the command line: the default and its accounting, what makes one conditional, what
# is refused, and that every command agrees.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
mkdir out

fits() { expect_exit 0 "$GIBBSITE" fit "$@"; }
# status NAME VALUE ARGUMENT...: the status of the certificate that fit ARGUMENT... asks for
status() {
    local name=$1 value=$2
    shift 2
    "$GIBBSITE" fit "$@" --json -q >"$stdout" 2>"$stderr"
    if [[ $(json "$stdout" certificate.status 2>&1) == "$value" ]]; then
        ok "$value: $name"
    else
        not_ok "$value: $name" "it is $(json "$stdout" certificate.status 2>&1)" \
            "$(head -n 5 "$stderr")"
    fi
}
# refuses CODE REGEX ARGUMENT...: fit leaves with CODE, says REGEX in its first line, and writes
# nothing
refuses() {
    local code=$1 regex=$2 rc why=()
    shift 2
    "$GIBBSITE" fit "$@" -o out/m.json >"$stdout" 2>"$stderr"
    rc=$?
    ((rc == code)) || why+=("exit status $rc, not $code")
    head -n 1 "$stderr" | grep -qE -- "^gibbsite: .*$regex" || why+=("stderr does not say /$regex/")
    [[ ! -s $stdout && ! $(ls -A out) ]] || why+=('something was written')
    rm -f out/*
    if ((${#why[@]})); then not_ok "refused, $code: $*" "${why[@]}" "$(head -n 20 "$stderr")"; \
        else ok "refused, $code: $*"; fi
}

"$GIBBSITE" simulate classify --rows 200 --cols 4 --noise 0.1 -q -o train.csv || exit 1
"$GIBBSITE" simulate classify --rows 150 --cols 4 --noise 0.1 --seed 2 -q -o test.csv || exit 1
# a text column of three levels, and one level that occurs once
awk -F, -v OFS=, \
    'NR == 1 { print "kind," $0; next }
        { print (NR == 50 ? "rare" : NR % 3 == 0 ? "a" : NR % 3 == 1 ? "b" : "c"), $0 }' train.csv \
            >text.csv

# ---------------------------------------------------------------- the default
as 'the default fit'
fits train.csv --json -o model.json --test test.csv
cp "$stdout" fit.json
expect_json fit.json prior informed
expect_json fit.json certificate.target vote
expect_json fit.json certificate.loss zero-one
expect_json fit.json certificate.method binomial
expect_json fit.json certificate.status valid
expect_near 'its confidence is 0.95' "$(json fit.json certificate.confidence)" 0.95 1e-15
expect_json fit.json certificate.kl 0
expect_json fit.json certificate.penalty_nats.grid 0
expect_json fit.json certificate.penalty_nats.xi 0
expect_json fit.json 'certificates[0].value' "$(json fit.json certificate.value)"
expect_json fit.json certificate.rows "$(json fit.json certificate.blocks)"
expect_json fit.json card.tested "$(json fit.json certificate.rows)"
holds 'every row is learned from or tested on' \
    "$(json fit.json card.learned) + $(json fit.json card.tested) == 200"
wrong="$(json fit.json card.confusion.false_positive) + \
    $(json fit.json card.confusion.false_negative)"
empirical=$(json fit.json certificate.empirical) value=$(json fit.json certificate.value)
expect_near 'its empirical risk is that of the labels' "$empirical" \
    "$(awk "BEGIN { printf \"%.15g\", ($wrong) / $(json fit.json card.tested) }")" 1e-12
holds 'empirical risk < certificate < 1' "$empirical < $value && $value < 1"
targets=''
for ((k = 0; k < $(json fit.json certificates.#); k++)); do
    targets+=" $(json fit.json "certificates[$k].target")"
done
check 'the lines of the card, the labels first' test "$targets" = \
    ' vote recall:1 recall:-1 brier auc gibbs'
expect_json fit.json 'classes[0]' -1
expect_json fit.json 'classes[1]' 1
holds 'the baseline errs in a share of the rows' \
    "0 < $(json fit.json baseline.error) && $(json fit.json baseline.error) < 1"
fits train.csv --json --joint -q
cp "$stdout" joint.json
holds '--joint costs something' "$(json joint.json certificate.value) > $value"
expect_near 'the price of six lines' "$(json joint.json certificate.penalty_nats.grid)" \
    1.791759469228055 1e-12
fits train.csv --json --cost 5:1 -q
expect_json "$stdout" 'certificates[3].target' cost
expect_near 'the threshold of 5:1' "$(json "$stdout" card.threshold)" 0.16666666666666666 1e-15
as 'the default fit in words'
fits train.csv -v
expect_words \
    'certificate +the labels that predict prints are wrong in at most [0-9.]+ % of all cases, '\
'with confidence 0.95: valid'
expect_stdout 'baseline +always saying -?1 is wrong in'
expect_words 'each line holds by itself, the smallest of them does not'

# ---------------------------------------------------------------- stages
as 'stages'
fits train.csv --bound progressive --json -o staged.json -q
cp "$stdout" staged-fit.json
expect_json staged-fit.json certificate.target mixture
expect_json staged-fit.json certificate.method progressive
expect_json staged-fit.json stages.# 2
weights=0 tested=0 seen=0
for k in 0 1; do
    weights+=" + $(json staged-fit.json "stages[$k].weight")"
    tested+=" + $(json staged-fit.json "stages[$k].tested")"
    seen+=" + $(json staged-fit.json "stages[$k].weight")"
    seen+=" * $(json staged-fit.json "stages[$k].errors")"
    seen+=" / $(json staged-fit.json "stages[$k].tested")"
done
holds 'the weights of the stages add up to 1' "$weights > 1 - 1e-12 && $weights < 1 + 1e-12"
holds 'every row is in the first part or tested once' \
    "$(json staged-fit.json 'stages[0].rows') + $tested == 200"
holds 'and those are the rows of the certificate' \
    "$tested == $(json staged-fit.json certificate.blocks)"
empirical=$(json staged-fit.json certificate.empirical) \
    value=$(json staged-fit.json certificate.value)
holds 'its empirical risk is that of the stages' \
    "$empirical - ($seen) < 1e-12 && ($seen) - $empirical < 1e-12"
yardstick=''
for ((k = 0; k < $(json staged-fit.json certificates.#); k++)); do
    [[ $(json staged-fit.json "certificates[$k].target") != prior-vote ]] \
        || yardstick=$(json staged-fit.json "certificates[$k].method")
done
check 'the yardstick stands beside it' test "$yardstick" = binomial
fits train.csv --bound progressive -v
expect_words \
    'certificate +the true zero-one risk of one random draw \(a stage, then a classifier\) is at '\
'most 0\.[0-9]+, with confidence 0.95: valid'
expect_stdout '  stages +2, each learned from'
as 'another confidence'
fits train.csv --json --confidence 0.8 -q
holds 'less confidence, smaller bound' "$(json "$stdout" certificate.value) < $value"
for threads in 1 7; do "$GIBBSITE" fit train.csv -q -o "t$threads.json" --threads "$threads"; done
check 'threads change nothing' cmp <(sed 's/"seconds":[^}]*//' t1.json) \
    <(sed 's/"seconds":[^}]*//' t7.json)

# ------------------------------------------------------- a model with stages in the other commands
as 'inspect'
expect_exit 0 "$GIBBSITE" inspect staged.json
expect_stdout 'progressive'
as 'inspect --json'
expect_exit 0 "$GIBBSITE" inspect staged.json --json
expect_json "$stdout" certificate.value "$value"
expect_json "$stdout" stages.# 2
as 'evaluate'
expect_exit 0 "$GIBBSITE" evaluate model.json test.csv --json
for key in error gibbs_error brier log_loss auc holdout_bound; do expect_json "$stdout" "$key" \
    "$(json fit.json "test.$key")"; done
as 'predict'
expect_exit 0 "$GIBBSITE" predict model.json test.csv
error=$(json fit.json test.error)
wrong=$(paste -d, <(tail -n +2 test.csv | awk -F, '{ print $NF }') <(awk -F, \
    'NR == 1 { for (k = 1; k <= NF; k++) if ($k ~ /^prob/) p = k; next } { print $p }' "$stdout") |
    awk -F, '($1 > 0) != ($2 + 0 >= 0.5) { n++ } END { print n + 0 }')
holds 'predictions err as often as fit --test and evaluate say' \
    "$wrong - 150 * $error < 0.5 && 150 * $error - $wrong < 0.5"

# -------------------------------- text columns: what is known of them is known from the first part
status 'levels of a text column from the first part' valid text.csv
in_model=0 left_out=0 wrong=''
for seed in 1 2 3 4 5 6 7 8; do
    "$GIBBSITE" fit text.csv -o text.json --seed "$seed" >/dev/null 2>"$stderr"
    if grep -q '"rare"' text.json; then
        in_model=$((in_model + 1))
        ! grep -qE 'holds? a level' "$stderr" || wrong+=" $seed"
    else
        left_out=$((left_out + 1))
        grep -q "text\.csv: 1 cell of column '[^']*' holds a level that was not in the first part \
of the rows (such as 'rare')" "$stderr" || wrong+=" $seed"
    fi
done
holds 'a level that occurs once is in the model for some seeds and not for others' \
    "$in_model > 0 && $left_out > 0"
if [[ ! $wrong ]]; then ok 'a level left out is counted in a note'; else not_ok \
    'a level left out is counted in a note' "seeds$wrong"; fi
status 'text columns under the zero prior' conditional text.csv --prior zero --scale unit-row
grep -q 'what the columns are (levels of text columns, number of svmlight features) was learned '\
'from the certified rows' "$stdout"
check 'and the reason is given' test $? = 0
status 'text columns under the zero prior, progressive' valid text.csv --prior zero --bound \
    progressive

# ---------------------------------------------------------------- valid and conditional
status 'zero prior, standard scaling' conditional train.csv --prior zero
status 'zero prior, unit rows' valid train.csv --prior zero --scale unit-row
status 'zero prior, no scaling' valid train.csv --prior zero --scale none
for bound in kl catoni hoeffding paper; do
    status "informed, $bound" valid train.csv --bound $bound
    expect_json "$stdout" certificate.method $bound
    expect_json "$stdout" certificate.target gibbs
done
status 'a stratified split' conditional train.csv --stratify
status 'a stratified split, kl' conditional train.csv --stratify --bound kl
status 'cross-validated lambda under kl' valid train.csv --select cv --lambda-grid 20:200:3 \
    --scale unit-row
status 'cross-validated lambda under catoni' conditional train.csv --select cv --lambda-grid \
    20:200:3 --scale unit-row --bound catoni
status 'cross-validated lambda under progressive' conditional train.csv --select cv --lambda-grid \
    20:200:3 --bound progressive
status 'cross-validated prior' conditional train.csv --select cv --prior-grid 0.1:1:3 --scale \
    unit-row
status 'prior grid by the bound' valid train.csv --select bound --prior-grid 0.1:1:3 --prior zero \
    --scale unit-row
as 'fit --select cv says what it does to the certificate'
fits train.csv --select cv --lambda-grid 20:200:3 --prior-grid 0.1:1:2 --scale unit-row -v
expect_words 'certificate .*: CONDITIONAL'
expect_words 'NOT MET: prior_sd was chosen on the certified rows'
expect_stdout 'chosen +lambda .*smallest of 6 cross-validated errors'

# ---------------------------------------------------------------- grids
as 'a prior grid and a ladder'
fits train.csv --prior zero --scale unit-row --bound catoni --lambda-grid 10:300:4 --prior-grid \
    0.3:3:3 --json
expect_json "$stdout" path.# 12
expect_near 'they cost log 12' "$(json "$stdout" certificate.penalty_nats.grid)" 2.484906649788 \
    1e-10
as 'under kl'
fits train.csv --prior zero --scale unit-row --bound kl --lambda-grid 10:300:4 --prior-grid \
    0.3:3:3 --json
expect_near 'the ladder is free' "$(json "$stdout" certificate.penalty_nats.grid)" 1.098612288668 \
    1e-10
best=$(for ((k = 0; k < 12; k++)); do json "$stdout" "path[$k].bound"; done | sort -g | head -n 1)
expect_near 'the smallest bound of the path is the certificate' \
    "$(json "$stdout" certificate.value)" "$best" 1e-9
as 'a grid declares what is chosen from: --lambda alone is not chosen'
"$GIBBSITE" simulate classify --rows 200 --cols 4 --noise 0.35 -q -o noisy.csv
for bound in kl catoni hoeffding paper; do
    fits noisy.csv --prior zero --scale unit-row --bound $bound --lambda 500 --json
    expect_json "$stdout" lambda 500
    expect_json "$stdout" certificate.penalty_nats.grid 0
done
as 'a grid of one'
fits train.csv --prior zero --scale unit-row --lambda-grid 100:100:1 --json
expect_json "$stdout" lambda 100
expect_json "$stdout" certificate.penalty_nats.grid 0
as 'a prior grid of one'
fits train.csv --prior zero --scale unit-row --prior-grid 0.5:0.5:1 --json
expect_json "$stdout" prior_sd 0.5

# ---------------------------------------------------------------- the paper's choices
as 'fit --paper'
fits train.csv --paper --scale unit-row --json
expect_json "$stdout" prior zero
expect_json "$stdout" certificate.method paper
expect_json "$stdout" certificate.status valid
expect_near 'lambda is sqrt(n d)' "$(json "$stdout" lambda)" 31.6227766016838 1e-12
expect_near 'prior sd is 1/sqrt(d)' "$(json "$stdout" prior_sd)" 0.447213595499958 1e-12

# ---------------------------------------------------------------- refusals
for value in 0 1 -0.5 1.5 nan; do refuses 2 "fit: --confidence: expected .*, found '$value'" \
    train.csv --confidence $value; done
refuses 2 "fit: --blocks: expected a whole number from 1 to [0-9]+, found '0'" train.csv --blocks 0
refuses 2 "fit: --blocks: expected a whole number from 1 to 16, found '17'" train.csv --blocks 17
refuses 2 'fit: --blocks needs --bound progressive' train.csv --blocks 2 --bound kl
refuses 2 'fit: --blocks needs --bound progressive' train.csv --blocks 2 --prior zero
refuses 2 "fit: --prior-split: expected .*, found '0'" train.csv --prior-split 0
refuses 2 "fit: --prior-split: expected .*, found '1'" train.csv --prior-split 1
refuses 2 'fit: --prior-split needs --prior informed or --bound progressive' train.csv \
    --prior-split 0.5 --prior zero
refuses 2 'fit: --stratify needs --prior informed or --bound progressive' train.csv --stratify \
    --prior zero
refuses 2 'fit: --paper sets lambda, prior sd and bound; --lambda would change them' train.csv \
    --paper --lambda 5
refuses 2 'fit: --paper is for --prior zero' train.csv --paper --prior informed
refuses 2 'fit: --select bound needs --lambda-grid or --prior-grid to choose from' train.csv \
    --select bound
refuses 2 'fit: --bound progressive tests its rows once and cannot choose from a grid by them' \
    train.csv --bound progressive --lambda-grid 10:100:3
refuses 2 'fit: --bound progressive tests its rows once and cannot choose from a grid by them' \
    train.csv --bound progressive --prior-grid 0.1:1:3
refuses 2 'fit: --restarts is for --prior zero' train.csv --restarts 3 --prior informed
refuses 2 'fit: --select cv is for --prior zero' train.csv --select cv --lambda-grid 10:100:3 \
    --prior informed
refuses 2 \
    'the hinge bound with --cx 2, --prior-sd 1 and 200 rows needs --lambda between 0 and '\
'14.1421, not 15' train.csv --loss hinge --prior zero --cx 2 --lambda 15
as 'below that the hinge risk has its certificate'
fits train.csv --loss hinge --prior zero --scale none --cx 2 --lambda 14 --json
hinge=''
for ((k = 0; k < $(json "$stdout" certificates.#); k++)); do
    [[ $(json "$stdout" "certificates[$k].loss") != hinge ]] \
        || hinge=$(json "$stdout" "certificates[$k].status")
done
check 'a valid one' test "$hinge" = valid
as '--cx with the default prior'
fits train.csv --cx 1.5 --json
expect_json "$stdout" certificate.status valid
for loss in hinge zero-one; do
    as "--cx, --loss $loss, --bound kl"
    fits train.csv --cx 1.5 --loss $loss --bound kl --json
    expect_json "$stdout" certificate.status valid
done

# ---------------------------------------------------------------- data that leaves little
# what the library refuses is told as such where levels of text are learned from the first part
awk 'BEGIN { print "x,c,y"; while (i++ < 40) print i % 7 ",level" i % 3 "," i % 2 }' >levels.csv
refuses 2 '--columns relevance needs --scale standard, and excludes --cx' levels.csv --cx 2 \
    --columns relevance
printf 'x,y\n1,1\n-1,-1\n' >two.csv
refuses 3 \
    'two\.csv: the first part of the split \(1 of 2 rows\) has no row of class .*; use a larger '\
'--prior-split, or --prior zero' two.csv --bound progressive
refuses 3 \
    'two\.csv: --bound vote learns from 1 of the 2 rows, and they have fewer than two rows of a '\
'class' two.csv --bound vote
as 'two rows are too few to be split'
fits two.csv --json
expect_json "$stdout" prior zero
expect_json "$stdout" certificate.target gibbs
expect_json "$stdout" certificate.status conditional
expect_stderr 'too few to learn from some and test on others'
awk -F, -v OFS=, 'NR > 1 { $NF = NR == 7 ? 1 : -1 } { print }' train.csv >lonely.csv
as 'one row of a class: the zero prior, whatever the split'
fits lonely.csv --json
expect_json "$stdout" prior zero
expect_stderr '1 of them of the rarer class, are too few to learn from some'
awk -F, -v OFS=, 'NR == 1 { print; next } { $2 = 5; $NF = $1 > 0 ? 1 : -1; $1 += $NF; print }' \
    train.csv >easy.csv
as 'one feature tells all, one is constant'
fits easy.csv --json -q
expect_json "$stdout" certificate.status valid
expect_json "$stdout" certificate.empirical 0
holds 'the certificate lies between 0 and 0.2' \
    "0 < $(json "$stdout" certificate.value) && $(json "$stdout" certificate.value) < 0.2"

# ----------------------------------------------------------- columns that only certified rows show
"$GIBBSITE" simulate classify --rows 100 --cols 4 --format svmlight -o four.svm -q
sed '$ s/$/ 9:1/' four.svm >nine.svm # the last row alone has a ninth feature
for seed in 1 2 3 4 5 6; do
    status=$("$GIBBSITE" fit nine.svm --seed $seed --json -q | awk '/"status"/ { print $2; exit }')
    echo "$status"
done | sort | uniq -c >statuses.txt
check 'a feature that some first parts do not show is left out: valid for all' \
    bash -c 'grep -q valid statuses.txt && ! grep -q conditional statuses.txt'
check 'and valid for those that do' grep -q '"valid"' statuses.txt
expect_exit 0 "$GIBBSITE" fit four.svm --json -q
expect_json "$stdout" certificate.status valid
as 'under the zero prior all rows say how many features there are'
expect_exit 0 "$GIBBSITE" fit four.svm --prior zero --scale none --json -q
expect_json "$stdout" certificate.status conditional
expect_stdout 'number of svmlight features. was learned from the certified rows'

# ---------------------------------------------------------------- words for what was chosen
as 'a grid of lambda alone'
expect_exit 0 "$GIBBSITE" fit train.csv --prior zero --scale none --bound catoni --lambda-grid \
    10:100:3 -v
expect_stdout 'lambda was chosen from a grid declared in advance'
expect_stdout 'prior_sd was fixed before'
check 'no word of a grid of prior_sd' bash -c "! grep -q 'prior_sd was chosen' '$stdout'"
as 'a grid of prior_sd alone'
expect_exit 0 "$GIBBSITE" fit train.csv --prior zero --scale none --prior-grid 0.1:1:3 -v
expect_stdout 'prior_sd was chosen from a grid declared in advance'
check 'no word of a grid of lambda' bash -c "! grep -q 'lambda was chosen' '$stdout'"
as 'a confidence so small that the yardstick has no number'
expect_exit 0 "$GIBBSITE" fit train.csv --bound kl --confidence 1e-20 --json -q
check 'the lines beside it keep theirs' bash -c \
    "[ \$(sed -n 's/ *\"empirical\": \([0-9.]*\),/\1/p' '$stdout' | sort -u | wc -l) = 1 ]"
