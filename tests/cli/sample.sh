#!/usr/bin/env bash
# gibbsite sample and gibbsite gap: JSON, files that predict and evaluate take, draws, threads, and
# what they refuse.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

"$GIBBSITE" simulate classify --rows 200 --cols 3 --seed 3 -o train.csv -q
"$GIBBSITE" simulate classify --rows 200 --cols 3 --seed 4 -o other.csv -q
for family in isotropic diagonal full; do "$GIBBSITE" fit train.csv --prior zero --loss hinge \
    --lambda 50 --family $family -o $family.json -q; done

# ---------------------------------------------------------------- JSON
expect_exit 0 "$GIBBSITE" sample train.csv --loss hinge --lambda 50 --particles 500 --json
expect_silence stderr
cp "$stdout" s.json
expect_json s.json command sample
expect_json s.json loss hinge
expect_json s.json n 200
expect_json s.json d 4
expect_json s.json lambda 50
expect_json s.json particles 500
expect_json s.json algorithm waste-free
expect_json s.json 'lambda_path[0]' 0
last=$(($(json s.json 'lambda_path.#') - 1))
expect_json s.json "lambda_path[$last]" 50
expect_json s.json "path[$last].log_z" "$(json s.json log_z)"
expect_json s.json "path[$last].gibbs_risk" "$(json s.json gibbs_risk)"
expect_json s.json 'path[0].acceptance' null
expect_json s.json 'mean.#' 4
expect_json s.json 'covariance.#' 4
expect_json s.json 'covariance[3].#' 4
expect_json s.json estimate.status estimate
for key in log_z_sd gibbs_risk gibbs_risk_sd acceptance ess kl train_error estimate.value \
    seconds.move seconds.read seconds.total; do
    holds "$key is a positive number" "$(json s.json $key) > 0"
done
# KL(Gibbs || prior) = -log Z - lambda x risk
expect_near 'kl is that of log Z and the risk' "$(json s.json kl)" \
    "$(awk -v z="$(json s.json log_z)" \
    -v r="$(json s.json gibbs_risk)" 'BEGIN { printf "%.12g", -z - 50 * r }')" 1e-9
if grep -qi certificate s.json; then not_ok 'nothing from particles is called a certificate'; else \
    ok 'nothing from particles is called a certificate'; fi

# the same bits for any number of threads; other seeds differ
for threads in 1 2 7; do
    "$GIBBSITE" sample train.csv --particles 300 --lambda 20 --threads $threads --draws \
        d$threads.csv -q
done
check 'threads 1 and 2 draw alike' cmp d1.csv d2.csv
check 'threads 1 and 7 draw alike' cmp d1.csv d7.csv
"$GIBBSITE" sample train.csv --particles 300 --lambda 20 --seed 2 --draws e.csv -q
refuse 'another seed draws otherwise' cmp d1.csv e.csv
check 'a row a particle, a column a coefficient' awk -F, \
    'NF != 4 { bad = 1 } END { exit bad || NR != 301 }' d1.csv
check 'draws carry the names of the columns' grep -qx 'x1,x2,x3,(intercept)' <(head -n 1 d1.csv)

# ---------------------------------------------------------------- the algorithms agree on log Z
expect_exit 0 "$GIBBSITE" sample train.csv --loss hinge --lambda 50 --particles 2000 --classic \
    --moves 10 --json
cp "$stdout" c.json
expect_json c.json algorithm classic
for kind in classic waste-free; do
    expect_exit 0 "$GIBBSITE" sample train.csv --loss hinge --lambda 50 --particles 200 "--$kind" -v
    $([ $kind = classic ] && echo refuse || echo check) \
        "the source of waste-free sampling, --$kind" grep -q Dau "$stdout"
done
expect_json c.json move walk
# seven combined standard errors
holds 'classic and waste-free agree' \
    "($(json c.json log_z) - ($(json s.json log_z)))^2 < 49 * ($(json c.json log_z_sd)^2 + \
        $(json s.json log_z_sd)^2)"

# ---------------------------------------------------------------- lambda 0, text
expect_exit 0 "$GIBBSITE" sample train.csv --lambda 0 --particles 100 --json
expect_json "$stdout" log_z 0
expect_json "$stdout" 'lambda_path.#' 1
expect_exit 0 "$GIBBSITE" sample train.csv --lambda 30 --particles 100 -v
expect_stdout '^  log Z +-[0-9.]+ \+- [0-9.]+( at least .*)?$'
expect_words 'no certificate'

# ---------------------------------------------------------------- files
expect_exit 0 "$GIBBSITE" sample train.csv --lambda 50 --particles 400 -o sample.json -q
expect_file sample.json
expect_exit 0 "$GIBBSITE" predict sample.json other.csv
cp "$stdout" p.csv
check 'one prediction a row, label by the vote' awk -F, \
    'NR == 1 { next } { n++; if (($2 >= 0.5) != ($1 == 1)) bad++; if ($2 < 0 || $2 > 1) bad++ }
    END { exit bad || n != 200 }' p.csv
expect_exit 0 "$GIBBSITE" evaluate sample.json other.csv --json
cp "$stdout" e.json
expect_json e.json n 200
error=$(awk -F, \
    'NR == FNR { y[FNR] = $NF; next } FNR > 1 { w += $1 != y[FNR] } END { print w / (FNR - 1) }' \
    other.csv p.csv)
expect_near 'evaluate counts what predict says' "$(json e.json error)" "$error" 1e-9
expect_exit 0 "$GIBBSITE" evaluate sample.json train.csv --json
"$GIBBSITE" sample train.csv --lambda 50 --particles 400 --json >s2.json
expect_near 'the training error is that of evaluate' "$(json "$stdout" error)" \
    "$(json s2.json train_error)" 1e-12
expect_near 'the Gibbs risk is that of evaluate' "$(json "$stdout" gibbs_risk)" \
    "$(json s2.json gibbs_risk)" 1e-9
expect_exit 0 "$GIBBSITE" inspect sample.json
expect_stdout 'sample.json: a sample of the Gibbs posterior'
expect_stdout '400 particles in'
expect_stdout '^  x1 '
expect_exit 0 "$GIBBSITE" inspect sample.json --json
expect_json "$stdout" kind sample
expect_json "$stdout" particles 400
expect_json "$stdout" log_z "$(json s2.json log_z)"
expect_json "$stdout" positive 1
expect_json "$stdout" 'coefficients.#' 4
expect_json "$stdout" 'coefficients[3].name' '(intercept)'
expect_json "$stdout" 'coefficients[1].mean' "$(json s2.json 'mean[1]')"
holds 'the deviation is that of the covariance' \
    "($(json "$stdout" 'coefficients[1].sd')^2 - $(json s2.json 'covariance[1][1]'))^2 < 1e-20"
head -c 500 sample.json >cut.json
expect_exit 3 "$GIBBSITE" predict cut.json other.csv
expect_stderr 'cut.json'

# text columns and dropped ones travel in the recipe
awk -F, -v OFS=, 'NR == 1 { print "shop", $0 } NR > 1 { print (NR % 3 ? "north" : "south"), $0 }' \
    train.csv >text.csv
expect_exit 0 "$GIBBSITE" sample text.csv --drop x2 --lambda 20 --particles 100 -o text.json -q
expect_exit 0 "$GIBBSITE" evaluate text.json text.csv

# ---------------------------------------------------------------- the gap
expect_exit 0 "$GIBBSITE" sample train.csv --against full.json --particles 500 --json
cp "$stdout" a.json
expect_json a.json log_z "$(json s.json log_z)"
expect_near 'gap = free energy + log Z' "$(json a.json gap)" \
    "$(awk -v f="$(json a.json free_energy)" \
    -v z="$(json a.json log_z)" 'BEGIN { printf "%.12g", f + z }')" 1e-9
expect_json a.json gap_sd "$(json a.json log_z_sd)"
expect_exit 0 "$GIBBSITE" gap train.csv isotropic.json diagonal.json full.json --particles 500 \
    --json
cp "$stdout" g.json
expect_json g.json command gap
expect_json g.json 'models.#' 3
expect_json g.json 'models[2].gap' "$(json a.json gap)"
holds 'full <= diagonal <= isotropic' \
    "$(json g.json 'models[2].gap') <= $(json g.json 'models[1].gap') + 1e-6 && \
        $(json g.json 'models[1].gap') <= $(json g.json 'models[0].gap') + 1e-6"
expect_exit 0 "$GIBBSITE" gap train.csv full.json --particles 100
expect_stdout '^  full.json +full '

# ---------------------------------------------------------------- rankings
for loss in zero-one hinge; do "$GIBBSITE" fit train.csv --task rank --prior zero --loss $loss \
    --lambda 40 --family full -o rank-$loss.json -q; done
"$GIBBSITE" fit train.csv --task rank --prior zero --loss hinge --lambda 40 --family diagonal -o \
    rank-diagonal.json -q
"$GIBBSITE" fit train.csv --task rank --loss hinge -o rank-informed.json -q
expect_exit 0 "$GIBBSITE" sample train.csv --task rank --against rank-hinge.json --particles 1000 \
    --json -o rank-sample.json
cp "$stdout" ra.json
expect_json ra.json task rank
expect_json ra.json d 3
expect_json ra.json intercept false
expect_near 'gap = free energy + log Z' "$(json ra.json gap)" \
    "$(awk -v f="$(json ra.json free_energy)" \
    -v z="$(json ra.json log_z)" 'BEGIN { printf "%.12g", f + z }')" 1e-9
expect_exit 0 "$GIBBSITE" gap train.csv rank-diagonal.json rank-hinge.json --particles 1000 --json
cp "$stdout" rg.json
expect_json rg.json 'models[1].gap' "$(json ra.json gap)"
holds 'full <= diagonal' "$(json rg.json 'models[1].gap') <= $(json rg.json 'models[0].gap') + 1e-6"
holds 'the gap is positive within error' \
    "$(json rg.json 'models[1].gap') > -5 * $(json rg.json 'models[1].gap_sd')"
for threads in 1 2 7; do
    "$GIBBSITE" sample train.csv --task rank --particles 200 --lambda 20 --threads $threads \
        --draws d$threads.csv -q
done
check 'rankings: threads 1 and 2 draw alike' cmp d1.csv d2.csv
check 'rankings: threads 1 and 7 draw alike' cmp d1.csv d7.csv
expect_exit 0 "$GIBBSITE" evaluate rank-sample.json train.csv --json
expect_near 'the training AUC is that of evaluate' "$(json "$stdout" auc)" \
    "$(awk -v e="$(json ra.json train_error)" 'BEGIN { printf "%.12g", 1 - e }')" 1e-9
expect_near 'the Gibbs risk is that of evaluate' "$(json "$stdout" gibbs_risk)" \
    "$(json ra.json gibbs_risk)" 1e-9
expect_json "$stdout" error null
expect_exit 0 "$GIBBSITE" predict rank-sample.json other.csv
check 'a score and a place for each row, no label' awk -F, \
    'NR > 1 { n++; if ($1 != "" || $2 < 0 || $2 > 1 || $3 == "") bad++ }
        END { exit bad || n != 200 }' "$stdout"
expect_exit 0 "$GIBBSITE" inspect rank-sample.json
expect_stdout 'ranking, loss hinge'
expect_exit 0 "$GIBBSITE" sample train.csv --task rank --loss exponential --particles 100 --lambda 5
expect_stdout 'AUC 0.[0-9]+ of the mean score'
{ head -n 1 train.csv; awk -F, 'NR > 1 && $NF == 1' train.csv; } >one.csv
{ head -n 1 train.csv; awk -F, 'NR > 1 && $NF == 1 && !n++' train.csv; awk -F, \
    'NR > 1 && $NF != 1' train.csv; } >lone.csv
awk 'NR == 1 { print "a,b,y" } { print "2,3," (NR % 2 ? 1 : -1) }' train.csv >equal.csv
expect_exit 0 "$GIBBSITE" sample lone.csv --task rank --particles 50 --json
expect_json "$stdout" lambda 1
expect_exit 0 "$GIBBSITE" sample equal.csv --task rank --particles 50 --json
expect_json "$stdout" train_error 0.5

# --------------------------------- informed priors: the certified rows, the model's own prior mean
for family in isotropic diagonal full; do
    "$GIBBSITE" fit train.csv --bound kl --loss hinge --lambda 40 --prior-sd 0.2 --family $family \
        -o informed-$family.json -q
    "$GIBBSITE" fit train.csv --bound progressive --loss hinge --family $family -o \
        staged-$family.json -q
done
"$GIBBSITE" fit train.csv --bound kl --loss hinge --lambda 40 --prior-sd 0.2 --json >f.json
expect_exit 0 "$GIBBSITE" gap train.csv informed-isotropic.json informed-diagonal.json \
    informed-full.json --particles 1000 --json
cp "$stdout" g.json
expect_json g.json prior informed
expect_json g.json n 100
expect_json g.json n_data 200
expect_json g.json 'models.#' 3
expect_json g.json stages 1
expect_near 'the free energy is that of fit' "$(json g.json 'models[2].free_energy')" \
    "$(json f.json free_energy)" 1e-6
expect_near 'gap = free energy + log Z' "$(json g.json 'models[2].gap')" \
    "$(awk -v f="$(json g.json 'models[2].free_energy')" \
    -v z="$(json g.json log_z)" 'BEGIN { printf "%.12g", f + z }')" 1e-9
holds 'full <= diagonal <= isotropic' \
    "$(json g.json 'models[2].gap') <= $(json g.json 'models[1].gap') + 1e-6 && \
        $(json g.json 'models[1].gap') <= $(json g.json 'models[0].gap') + 1e-6"
holds 'the gap is positive within error' \
    "$(json g.json 'models[2].gap') > -7.5 * $(json g.json 'models[2].gap_sd')"
expect_exit 0 "$GIBBSITE" gap train.csv informed-full.json --particles 100
expect_stdout '100 of the 200 rows'
expect_stdout "N\\(the model's m0, 0.2\\^2\\)"
# each stage of a progressive model, by a sampling of its own; --against takes the last
expect_exit 0 "$GIBBSITE" gap train.csv staged-isotropic.json staged-full.json --particles 500 \
    --json
cp "$stdout" sg.json
stages=$(json sg.json stages)
holds 'several stages' "$stages > 1"
expect_json sg.json 'models.#' $((2 * stages))
expect_json sg.json 'models[0].stage' 1
expect_json sg.json 'models[0].model' staged-isotropic.json
expect_json sg.json "models[$((2 * stages - 1))].stage" "$stages"
expect_json sg.json "models[$((2 * stages - 1))].rows" "$(json sg.json n)"
expect_json sg.json estimate.value null
"$GIBBSITE" fit train.csv -o deployed.json -q
expect_exit 0 "$GIBBSITE" sample train.csv --against deployed.json --particles 100 --json -o \
    deployed-sample.json
expect_json "$stdout" prior informed
expect_exit 0 "$GIBBSITE" inspect deployed-sample.json --json
expect_json "$stdout" prior informed
for ((k = 0; k < 2 * stages; k += 2)); do
    holds "stage $((k / 2 + 1)): full <= isotropic" \
        "$(json sg.json "models[$((k + 1))].gap") <= $(json sg.json "models[$k].gap") + 1e-6"
done
expect_exit 0 "$GIBBSITE" sample train.csv --against staged-full.json --particles 500 --json -o \
    staged-sample.json
expect_json "$stdout" gap "$(json sg.json "models[$((2 * stages - 1))].gap")"
expect_json "$stdout" prior informed
expect_exit 0 "$GIBBSITE" evaluate staged-sample.json other.csv
expect_exit 0 "$GIBBSITE" sample train.csv --against staged-full.json --particles 100
expect_stdout 'last stage of staged-full.json'
expect_exit 0 "$GIBBSITE" gap train.csv rank-informed.json --particles 500 --json
holds 'the gap of a ranking under an informed prior' \
    "$(json "$stdout" 'models[0].gap') > -7.5 * $(json "$stdout" 'models[0].gap_sd') && \
    $(json "$stdout" 'models[0].gap') < 5"

# ---------------------------------------------------------------- refused
refuses() { # refuses CODE REGEX ARGUMENT...
    local code=$1 regex=$2
    shift 2
    expect_exit "$code" "$GIBBSITE" "$@"
    expect_stderr "$regex"
    expect_silence stdout
}
refuses 3 'does not belong to these rows' gap other.csv full.json --particles 50
refuses 3 'does not belong to these rows' sample other.csv --against full.json --particles 50
"$GIBBSITE" fit train.csv --prior zero --loss hinge --lambda 60 -o lambda.json -q
"$GIBBSITE" fit train.csv --prior zero --loss hinge --lambda 50 --prior-sd 2 -o prior.json -q
"$GIBBSITE" fit train.csv --prior zero --loss hinge --lambda 50 --drop x1 -o drop.json -q
refuses 3 'another lambda' gap train.csv full.json lambda.json
refuses 3 'another prior_sd' gap train.csv full.json prior.json
refuses 3 'another set of columns' gap train.csv full.json drop.json
refuses 3 'one' sample one.csv --task rank --particles 50
refuses 3 'another task' gap train.csv full.json rank-hinge.json
refuses 2 '--task classify, but rank-hinge.json is for the task rank' sample train.csv --task \
    classify --against rank-hinge.json
refuses 3 'another prior' gap train.csv full.json informed-full.json
refuses 3 'another number of stages' gap train.csv informed-full.json staged-full.json
refuses 3 'does not belong to these rows' gap other.csv informed-full.json --particles 50
refuses 3 'does not belong to these rows' gap other.csv staged-full.json --particles 50
"$GIBBSITE" fit train.csv --bound kl --loss hinge --lambda 40 --prior-sd 0.2 --seed 2 -o \
    seed2.json -q
refuses 3 'seed2.json: the model' gap train.csv informed-full.json seed2.json --particles 50
sed 's/"split"/"older"/' informed-full.json >older.json
expect_exit 0 "$GIBBSITE" predict older.json other.csv
refuses 3 'older.json: .*older version.*fit it again' gap train.csv older.json --particles 50
refuses 3 'older.json: .*older version.*fit it again' sample train.csv --against older.json \
    --particles 50
refuses 2 '--lambda 60, but full.json' sample train.csv --against full.json --lambda 60
refuses 2 '--loss zero-one, but full.json' sample train.csv --against full.json --loss zero-one
refuses 2 '--drop and --against exclude' sample train.csv --against full.json --drop x1
refuses 2 '--classic and --waste-free exclude' sample train.csv --classic --waste-free
refuses 2 '--chains is for --waste-free' gap train.csv full.json --classic --chains 4
refuses 2 '--particles: expected a whole number from 4' sample train.csv --particles 3
refuses 2 '--chains must be' sample train.csv --particles 100 --chains 60
refuses 2 '--lambda: expected a number from 0' sample train.csv --lambda -1
refuses 2 '--ess: expected' sample train.csv --ess 1
refuses 2 'both want standard output' sample train.csv -o - --json
refuses 2 'would overwrite the input' sample train.csv -o train.csv
refuses 2 'name the same file' sample train.csv -o x.json --draws x.json
refuses 2 'expected a training file' sample
refuses 2 'at least one model' gap train.csv
refuses 5 'no/such' sample train.csv -o no/such/place.json
expect_no_file x.json
refuses 3 '' sample train.csv --target nothere

# ------------------- memory does not grow with the path: ten times the temperatures, the same peak
if need_plain_build 'memory along a long path'; then
    "$GIBBSITE" simulate classify --rows 2000 --cols 20 -o wide.csv -q
    watch_peak "$GIBBSITE" sample wide.csv --loss hinge --lambda 20 --particles 4000 --threads 1 \
        --json
    short_kb=$peak_kb short=$(json "$stdout" 'lambda_path.#')
    watch_peak "$GIBBSITE" sample wide.csv --loss hinge --lambda 20 --particles 4000 --ess 0.995 \
        --threads 1 --json
    long=$(json "$stdout" 'lambda_path.#')
    echo "# $short temperatures: $short_kb kB, $long temperatures: $peak_kb kB"
    holds 'many more temperatures' "$long > 6 * $short"
    holds 'no more memory to speak of' "$peak_kb < 1.2 * $short_kb"
fi
