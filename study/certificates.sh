#!/usr/bin/env bash
# What each idea does to the certificate and to the model, on the public data sets: the table of
# docs/certificates.md.
#
#   study/certificates.sh [--seeds N] [--sets NAMES] [--ideas NAMES] [-o FILE]
#
# For each set and seed (10 of them, 3 of adult, unless --seeds says how many) the rows are
# shuffled, 80 % train and 20 % test; the numbers are means. "yardstick" is the exact binomial bound
# of the first part's vote on the certified rows, as `fit` prints it; "all rows" is a
# cross-validated fit on all training rows (hinge, lambda and prior sd from a grid), which has no
# certificate of its own to offer but a test error to compare with.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
gibbsite=$root/build/gibbsite
json=$root/build/release/tests/jget
data=${GIBBSITE_DATA:-$root/../shared/data}
seeds='' sets='breast pima german ilpd dna adult' ideas='' out=''
while [ $# -gt 0 ]; do
    case $1 in
    --seeds) seeds=$2 && shift 2 ;;
    --sets) sets=$2 && shift 2 ;;
    --ideas) ideas=$2 && shift 2 ;;
    -o) out=$2 && shift 2 ;;
    *) printf 'certificates.sh: unknown option %s\n' "$1" >&2 && exit 2 ;;
    esac
done
[ -d "$data" ] || { printf 'no data sets at %s; GIBBSITE_DATA names the folder\n' "$data" >&2 \
    && exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# file, and options that belong to it
set_file() {
    case $1 in
    breast) echo breast/breast_complete.csv ;;
    pima) echo pima/pima768.csv ;;
    german) echo german/german.csv ;;
    ilpd) echo ilpd/ilpd_complete.csv ;;
    dna) echo dna/train.csv ;;
    adult) echo adult/adult.csv.gz ;;
    esac
}
set_options() { [ "$1" != dna ] || echo --positive ie; }

# name|options|what it is
idea_table='default||the default: progressive, exact binomial, 2 to 4 stages
equal|--columns equal|columns equal, whatever they have to say
free|--constant 5|a free intercept: its prior five times as wide as a column
blocks1|--blocks 1|one stage: a plain hold-out
blocks8|--blocks 8|eight stages
blocks4|--blocks 4|four stages
split30|--prior-split 0.3|first part of 30 %
split50|--prior-split 0.5|first part of one half
split70|--prior-split 0.7|first part of 70 %
hinge|--loss hinge|stages fitted with hinge loss
isotropic|--family isotropic|stages with isotropic posteriors
wide|--prior-sd 0.2|a wide informed prior (prior sd 0.2)
kl|--bound kl|informed prior, one posterior that learns on the second part and pays its KL: kl
catoni|--bound catoni|the same, catoni, lambda from the first part
catonigrid|--bound catoni --prior-grid 0.003:0.1:4 --lambda-grid 20:2000:4|the same, lambda and '\
'prior sd from grids that pay
zero|--prior zero --scale unit-row|the paper'"'"'s prior, all rows, kl
zerogrid|--prior zero --scale unit-row --lambda-grid 4:4096:11|the same, lambda chosen by the bound
paper|--paper --scale unit-row|the paper'"'"'s constants and bound
all|--prior zero --loss hinge --lambda-grid 0.25n:4n:3 --prior-grid 0.03:0.3:3 --select '\
'cv|cross-validated on all rows
all_relevant|--prior zero --loss hinge --columns relevance --lambda-grid 0.25n:4n:3 --prior-grid '\
'0.03:0.3:3 --select cv|the same with columns by relevance'

shuffle() { # FILE SEED
    case $1 in *.gz) gzip -dc "$1" ;; *) cat "$1" ;; esac >"$work/all.csv"
    head -n 1 "$work/all.csv" >"$work/train.csv"
    cp "$work/train.csv" "$work/test.csv"
    awk -v seed="$2" 'BEGIN { srand(seed) } NR > 1 { printf "%.17g\t%s\n", rand(), $0 }' \
        "$work/all.csv" |
        sort -k1,1g | cut -f2- >"$work/rows.csv"
    rows=$(wc -l <"$work/rows.csv")
    train=$((rows * 4 / 5))
    head -n "$train" "$work/rows.csv" >>"$work/train.csv"
    tail -n +$((train + 1)) "$work/rows.csv" >>"$work/test.csv"
}

# one run: certificate, yardstick, error and Gibbs error on the test rows
run() { # SET OPTIONS
    local options=${2//0.25n/$((train / 4))}
    options=${options//4n/$((train * 4))}
    # shellcheck disable=SC2046,SC2086
    "$gibbsite" fit "$work/train.csv" $(set_options "$1") $options --test "$work/test.csv" --json \
        --quiet >"$work/run.json" || [ $? = 4 ]
    "$json" "$work/run.json" certificate.value
    yard=$(awk '/"target": "prior-vote"/ { on = 1 }
        on && /"value"/ { gsub(/[^0-9.e+-]/, "", $2); print $2; exit }' "$work/run.json")
    echo "${yard:-nan}"
    "$json" "$work/run.json" test.error
    "$json" "$work/run.json" test.gibbs_error
}

summary() { # columns of numbers -> mean and standard error of the test error
    awk 'NF != 4 { print "certificates.sh: a run without its four numbers: " $0 > "/dev/stderr"
                   bad = 1; exit 1 }
         { n++; for (k = 1; k <= 4; k++) { s[k] += $k; q[k] += $k * $k } }
         END { if (bad) exit 1
               se = n > 1 ? sqrt((q[3] - s[3] * s[3] / n) / (n - 1) / n) : 0
               printf "%.4f %.4f %.4f %.4f %.4f\n", s[1] / n, s[2] / n, s[3] / n, se, s[4] / n }'
}

table() {
    for set in $sets; do
        n=${seeds:-10}
        [ "$set" != adult ] || n=${seeds:-3}
        printf '\n## %s\n\nMean of %d shuffles.\n\n' "$set" "$n"
        printf '| idea | certificate | yardstick | ratio | test error | (se) | Gibbs test error |\n'
        printf '|---|---|---|---|---|---|---|\n'
        rm -f "$work"/idea.*
        for ((seed = 0; seed < n; seed++)); do
            shuffle "$data/$(set_file "$set")" "$seed"
            while IFS='|' read -r name options _; do
                [ -z "$ideas" ] || [[ " $ideas " = *" $name "* ]] || continue
                run "$set" "$options" | paste -sd' ' >>"$work/idea.$name"
            done <<<"$idea_table"
            [ -t 2 ] && printf '\r%s: %d of %d' "$set" $((seed + 1)) "$n" >&2
        done
        while IFS='|' read -r name _ text; do
            [ -s "$work/idea.$name" ] || continue
            summary <"$work/idea.$name" | awk -v text="$text" '{
                has = ($2 + 0 > 0); ratio = has ? sprintf("%.3f", $1 / $2) : "-"
                printf "| %s | %s | %s | %s | %s | %s | %s |\n", text, $1, has ? $2 : "-", ratio,
                    $3, $4, $5 }'
        done <<<"$idea_table"
    done
}

page() {
    cat <<'END'
# Certificates, idea by idea

These tables are about certificates of *one draw*. "The default" is here what `--bound progressive`
does; it was the default when they were made. The default of today certifies the labels that
`predict` prints ([maths](maths.md#11-the-deployed-predictor)).

Made by `study/certificates.sh` (it needs the public data sets; see `GIBBSITE_DATA`). Rows are
shuffled, 80 % train and 20 % test. All certificates are at 95 % for the zero-one risk of one
classifier drawn from the model.

- **certificate**: the value that `fit` prints first.
- **yardstick**: the exact binomial bound of the first part's vote on the same certified rows: what
  a hold-out would certify. It moves with the split.
- **test error**: of the vote on the 20 % that nobody saw, with its standard error over the
  shuffles; **Gibbs test error**: of one draw, which is what the certificate is about.
- The last two lines of each table are cross-validated hinge fits on all training rows, the model
  that a certificate should not cost us: as they come, and with the default's own columns.
- **In-sample**: the default (share of the first part, stages, weights, width of the prior, how its
  centre is fitted) was chosen on these sets and, in its last steps, on these shuffles, certificates
  and test errors in view, from some forty variants. Each certificate is valid by itself; how well
  the default does here is no evidence for other data.

What was learned from it, and kept as the default:

1. *Test, then learn.* One posterior that learns on the second part pays for its KL (kl, catoni
   lines); stages that are tested on rows before they learn from them pay nothing, and the later
   ones know more than a hold-out's classifier.
2. *Exact tails.* A stage is fixed while it is tested, so its errors are binomial. The p-values of
   the stages are combined as a sum of beta variables would be (`src/bound/sequential.c`). Ville's
   inequality ([Ville 1939](references.md#ville-1939); the catoni line under each default fit) is
   valid for any number of stages but half as wide again.
3. *Few stages, the last with the majority.* A stage costs about one error; the vote is that of the
   best informed stage.
4. *A narrow prior around a hinge classifier,* its width from cross-validation on the first part. A
   wide prior makes draws disagree and raises the Gibbs risk. (The norm of the prior centre is no
   other idea: under zero-one loss twice the centre is half the prior sd.)
5. *Columns by relevance.* The classifier's own prior has a variance for each column, after its
   correlation with the label on the first part. This was the largest single gain where many columns
   say little (dna). A free intercept (`--constant 5`) is no default; the tables show where it
   helps.
6. *A larger first part where there are few rows per column* (0.25 + 3.5 d/n, within 0.3 and 0.5).
7. Grids that pay lose against a lambda from the first part (catoni) on every set; the zero prior is
   behind the default on all six (on ilpd it beats the informed prior under kl).
END
    table
}

if [ -n "$out" ]; then page >"$out"; else page; fi
