#!/usr/bin/env bash
# Three classes or more: fit, predict, evaluate, inspect, cv, report; and numbers that are no
# classes.
. "$(dirname "$0")/../lib.sh"

awk 'BEGIN { srand(5); print "a,b,c,kind"
    for (i = 0; i < 900; i++) {
        x = rand() * 6 - 3; y = rand() * 6 - 3
        kind = x + rand() - 0.5 > 1 ? "red" : y + rand() - 0.5 > 0 ? "green" : "blue"
        if (i % 90 == 7) kind = "odd, \"\"one\"\""
        printf "%.4f,%.4f,%.4f,\"%s\"\n", x, y, rand(), kind
    } }' >all.csv
{ head -n 1 all.csv && sed -n 2,601p all.csv; } >train.csv
{ head -n 1 all.csv && sed -n 602,901p all.csv; } >test.csv

as 'fit'
expect_exit 0 "$GIBBSITE" fit train.csv --test test.csv -o m.json --json
cp "$stdout" fit.json
expect_json fit.json task classify
expect_json fit.json classes[0] blue
expect_json fit.json classes[3] red
expect_json fit.json certificate.target vote
expect_json fit.json certificate.method binomial
expect_json fit.json certificate.status valid
expect_json fit.json 'certificates[2].target' recall:green
holds 'the label is right most of the time' "$(json fit.json test.error) < 0.2"
holds 'the certificate lies above what was seen' \
    "$(json fit.json certificate.value) > $(json fit.json certificate.empirical)"
holds 'guessing is worse' "$(json fit.json baseline.error) > 0.4"
holds 'Brier is half the sum of squares: at most 1, here far less' \
    "$(json fit.json test.brier) > 0 && $(json fit.json test.brier) < 0.2"
check 'the confusion has a row for each class and one for others' test \
    "$(json fit.json card.confusion[4][0])" = 0
expect_exit 0 "$GIBBSITE" fit train.csv --test test.csv
expect_stdout 'label kind: blue, green, odd,'
expect_stdout 'the labels that predict prints are wrong'
expect_exit 0 "$GIBBSITE" fit train.csv --test test.csv --verbose
expect_stdout 'posteriors, calibrated together'
expect_stdout 'chosen +by the log loss, out of fold'
expect_words \
    'all classes together [0-9.]+, each against the rest [0-9.]+, each against each [0-9.]+'
expect_stdout 'green missed'
for threads in 1 5; do
    "$GIBBSITE" fit train.csv -o "m$threads.json" --threads "$threads" -q
    sed -i 's/"seconds":[^,}]*//g' "m$threads.json"
done
check 'the model does not depend on the number of threads' cmp m1.json m5.json

as 'predict and evaluate'
expect_exit 0 "$GIBBSITE" predict m.json test.csv
expect_stdout '^label,prob:blue,prob:green,"prob:odd, ""one""",prob:red$'
check 'a line for each row' test "$(wc -l <"$stdout")" = 301
check 'the probabilities of plain labels add up to 1' awk -F, \
    'NR > 1 && $1 !~ /odd/ { s = $2 + $3 + $4 + $5; if (s < 0.999999 || s > 1.000001) exit 1 }' \
    "$stdout"
expect_exit 0 "$GIBBSITE" predict m.json test.csv --json
holds 'JSON has them by name' "$(json "$stdout" predictions[0].prob.red) >= 0"
expect_exit 0 "$GIBBSITE" evaluate m.json test.csv --json
expect_json "$stdout" error "$(json fit.json test.error)"
expect_json "$stdout" log_loss "$(json fit.json test.log_loss)"
expect_json "$stdout" recall.red "$(json fit.json test.recall.red)"
holds 'each label has lower bounds' "$(json "$stdout" recall_lower.red) > 0 \
    && $(json "$stdout" recall_lower.red) < $(json "$stdout" recall.red) \
    && $(json "$stdout" precision_lower.red) < $(json "$stdout" precision.red) \
    && $(json "$stdout" f1_lower.red) < $(json "$stdout" f1.red)"
expect_near 'without costs their mean is the error' "$(json "$stdout" cost_upper)" \
    "$(json "$stdout" holdout_bound)" 1e-9
expect_exit 0 "$GIBBSITE" evaluate m.json test.csv --verbose
expect_stdout 'is / said'
expect_exit 0 "$GIBBSITE" evaluate m.json test.csv
expect_stdout '^(red|green|blue|odd, "one") +[0-9.]+ % \([0-9.]+ %\) +[0-9.]+ % \([0-9.]+ %\) +'
expect_stdout 'these two of 4 labels are found least often'
check 'a short answer has eight lines at most' test "$(wc -l <"$stdout")" -le 8
{ cat test.csv && echo '0,0,0,"never seen"'; } >other.csv
expect_exit 0 "$GIBBSITE" evaluate m.json other.csv --json
expect_json "$stdout" n 301
holds 'a label that training did not have is an error' \
    "$(json "$stdout" error) * 301 > $(json fit.json test.error) * 300 + 0.9"
cat >cost.csv <<'END'
is,blue,green,"odd, ""one""",red
blue,0,1,1,4
green,1,0,1,4
"odd, ""one""",1,1,0,4
red,2,2,2,0
END
expect_exit 0 "$GIBBSITE" fit train.csv --cost cost.csv -o costs.json --json
expect_exit 0 "$GIBBSITE" evaluate costs.json test.csv --json
holds 'the mean cost has a bound' "$(json "$stdout" cost) > 0 \
    && $(json "$stdout" cost_upper) > $(json "$stdout" cost) && $(json "$stdout" cost_upper) < 4"
costs=$(json "$stdout" cost_upper)
expect_exit 0 "$GIBBSITE" evaluate costs.json test.csv
expect_stdout "^cost +[0-9.]+ a row; at most ${costs:0:5}"
check 'a short answer with costs has eight lines at most' test "$(wc -l <"$stdout")" -le 8
expect_exit 0 "$GIBBSITE" inspect m.json
expect_stdout 'against'
expect_exit 0 "$GIBBSITE" inspect m.json --json
holds 'each part has its coefficients' "$(json "$stdout" parts[0].prior_sd) > 0"
expect_exit 0 "$GIBBSITE" fit train.csv --positive red --json
expect_json "$stdout" classes[0] 'not red'
expect_exit 0 "$GIBBSITE" fit train.csv --joint --confidence 0.8 --json
holds 'all lines at once cost more' "$(json "$stdout" certificate.penalty_nats.grid) > 1.9"

as 'a third class in the last block alone'
awk 'BEGIN { srand(3); print "a,b,kind"
    for (i = 0; i < 90; i++) {
        x = rand() * 4 - 2
        printf "%.4f,%.4f,%s\n", x, rand(), (x + 0.7 * (rand() - 0.5) > 0 ? "yes" : "no")
    } }' >two.csv
sed '$s/,[a-z]*$/,later/' two.csv >later.csv
expect_exit 0 "$GIBBSITE" fit two.csv --order time -o two.json --json
cp "$stdout" two-fit.json
expect_exit 0 "$GIBBSITE" fit later.csv --order time -o later.json --json
expect_stderr "'later': fewer than two rows to learn from; predict never says this label .* 1 of 30"
expect_json "$stdout" card.learned "$(json two-fit.json card.learned)"
expect_json "$stdout" card.unknown 1
expect_json "$stdout" 'card.not_learned[0]' later
expect_json "$stdout" 'certificates[1].target' recall:later
expect_json "$stdout" 'certificates[1].value' 1
expect_json "$stdout" card.confusion[0][0] 0
"$GIBBSITE" predict two.json two.csv >two-said.csv
"$GIBBSITE" predict later.json two.csv >later-said.csv
check 'labels and probabilities are those of two classes' awk -F, 'NR == FNR { label[FNR] = $1
    p[FNR] = $2; next } FNR > 1 && ($1 != label[FNR] || $2 != 0 ||
    ($4 - p[FNR]) ^ 2 > 1e-18) { exit 1 }' two-said.csv later-said.csv
expect_exit 0 "$GIBBSITE" inspect later.json
expect_stdout 'classes +3, each against each: 1 posterior, of the two classes among the rows'
expect_exit 0 "$GIBBSITE" evaluate later.json later.csv --json
expect_json "$stdout" recall.later 0
expect_exit 0 "$GIBBSITE" gap later.csv later.json --particles 50
expect_stdout '^  no +yes +'

as 'few rows'
for n in 3 4 5 6 7 8; do
    awk -v n=$n 'BEGIN { srand(n); print "a,b,kind"
        for (i = 0; i < n; i++) printf "%.3f,%.3f,c%d\n", i % 3 + rand(), rand(), i % 3 }' >few.csv
    "$GIBBSITE" fit few.csv -o few.json -q 2>err
    code=$?
    if ((code == 3)); then
        check "$n rows: the message says what is missing" grep -q \
            'of the . rows to learn from, at least two classes need two rows or more' err
        expect_no_file few.json
    else
        check "$n rows are fitted" test $code = 0
        check "$n rows: and predicted" "$GIBBSITE" predict few.json few.csv -o few-said.csv -q
    fi
    rm -f few.json
done

as 'columns by relevance, one of ten says something'
awk 'BEGIN { srand(4); print "a,b,c,d,e,f,g,h,i,j,kind"
    for (i = 0; i < 240; i++) {
        line = ""
        for (k = 0; k < 10; k++) { x[k] = rand() + rand() + rand() - 1.5; line = line x[k] "," }
        z = x[3] + 0.15 * (rand() - 0.5)
        print line (z < -0.25 ? "low" : z < 0.25 ? "middle" : "high")
    } }' >one.csv
expect_exit 0 "$GIBBSITE" fit one.csv --columns relevance --json
expect_json "$stdout" columns relevance
expect_exit 0 "$GIBBSITE" fit one.csv --columns equal --json
expect_json "$stdout" columns equal
expect_exit 0 "$GIBBSITE" fit one.csv --json
expect_json "$stdout" columns relevance

as 'cv and report'
expect_exit 0 "$GIBBSITE" cv train.csv --loss hinge --lambda-grid 100:600:2 --json
holds 'the cross-validated error is that of labels' "$(json "$stdout" table[1].error) < 0.3"
expect_exit 0 "$GIBBSITE" report fit.json -o page.html
check 'the page says what is certified' grep -q 'labels that predict prints' page.html
check 'and names the classes' grep -q 'green' page.html

as 'maps of the columns: three rings, of which a line divides nothing'
awk 'BEGIN { srand(8); print "a,b,ring"
    for (i = 0; i < 900; i++) {
        k = i % 3; angle = 6.2832 * rand(); far = k + 1 + 0.5 * (rand() + rand() - 1)
        printf "%.4f,%.4f,r%d\n", far * cos(angle), far * sin(angle), k
    } }' >rings.csv
{ head -n 1 rings.csv && sed -n 2,601p rings.csv; } >rings-train.csv
{ head -n 1 rings.csv && sed -n 602,901p rings.csv; } >rings-test.csv
expect_exit 0 "$GIBBSITE" fit rings-train.csv --test rings-test.csv --json
holds 'a line is lost' "$(json "$stdout" test.error) > 0.4"
for map in auto nystrom:40 fourier:60; do
    expect_exit 0 "$GIBBSITE" fit rings-train.csv --test rings-test.csv --features $map -o \
        rings.json --json
    cp "$stdout" rings-fit.json
    expect_json rings-fit.json loss softmax
    expect_json rings-fit.json certificate.status valid
    holds "$map: it follows the rings" \
        "$(json rings-fit.json test.error) < 0.1 && $(json rings-fit.json certificate.value) < 0.15"
    expect_exit 0 "$GIBBSITE" evaluate rings.json rings-test.csv --json
    expect_json "$stdout" error "$(json rings-fit.json test.error)"
done
expect_exit 0 "$GIBBSITE" inspect rings.json
check 'inspect names the map' grep -qE '^  features +fourier: ' "$stdout"
"$GIBBSITE" fit rings-train.csv --features fourier:60 -o three.json -q --threads 3
check 'one thread and three give the same model' cmp <(sed 's/"seconds": *[0-9.e-]*//' rings.json) \
    <(sed 's/"seconds": *[0-9.e-]*//' three.json)
expect_exit 2 "$GIBBSITE" fit rings-train.csv --features auto --loss hinge
expect_stderr 'need --loss auto'

as 'classes that were fitted together have no binary problem'
expect_exit 3 "$GIBBSITE" sample rings-train.csv --against rings.json --particles 50
expect_stderr \
    'rings.json: all classes were fitted together, .* a fit with --loss hinge has them'
expect_exit 3 "$GIBBSITE" gap rings-train.csv rings.json --particles 50
expect_stderr 'rings.json: all classes were fitted together'
expect_exit 0 "$GIBBSITE" fit train.csv --loss hinge --order time --prior-sd 1 --columns equal -o \
    hinge.json --json
expect_json "$stdout" scheme rest

as 'a sampling for each class against the rest'
# told FILE AT: what JSON says of one sampling, in lines, without the classes and what the clock
# says
told() {
    /usr/bin/python3 - "$1" "$2" <<'END'
import json, sys
run = json.load(open(sys.argv[1]))
run = run["problems"][int(sys.argv[2])] if sys.argv[2] else run
for key in ("n", "d", "lambda", "log_z", "log_z_sd", "gibbs_risk", "train_error", "ess", "path",
            "estimate", "mean", "covariance"):
    print(key, run[key])
END
}
expect_exit 0 "$GIBBSITE" sample train.csv --particles 100 --json --draws draws.csv
cp "$stdout" many.json
expect_json many.json scheme rest
expect_json many.json 'classes[1]' green
expect_json many.json 'problems[1].class' green
expect_json many.json 'problems[1].against' null
k=0
for label in blue green 'odd, "one"' red; do
    "$GIBBSITE" sample train.csv --particles 100 --positive "$label" --json --draws own.csv \
        >one.json 2>/dev/null
    check "$label: what --positive gives, to the bit" cmp <(told many.json $k) <(told one.json '')
    check "$label: and its draws" cmp \
        <(sed "1d; $((k * 100 + 2)),$((k * 100 + 101))!d" draws.csv |
        sed -E 's/^("([^"]|"")*"|[a-z]+),,//') <(sed 1d own.csv)
    ((k += 1))
done
check 'draws say which class they are of' grep -q '^class,against,a,b,c,(intercept)$' draws.csv
expect_exit 0 "$GIBBSITE" sample train.csv --particles 100
expect_stdout '^green +the rest +600 '
check 'lines of 80 columns' awk 'length($0) > 80 { exit 1 }' "$stdout"
expect_exit 0 "$GIBBSITE" sample train.csv --particles 100 --verbose
expect_stdout '^red against the rest$'
expect_exit 0 "$GIBBSITE" report many.json -o many.html -q
check 'the report has a table of them' grep -q 'The sampling of each binary problem' many.html
expect_exit 2 "$GIBBSITE" sample train.csv --particles 100 -o none.json
expect_stderr '4 labels, and a file of particles is of one binary problem: --positive LABEL'
expect_no_file none.json

as 'the gap of each binary problem'
expect_exit 0 "$GIBBSITE" gap train.csv hinge.json --particles 100 --json
cp "$stdout" gap.json
expect_exit 0 "$GIBBSITE" sample train.csv --against hinge.json --particles 100 --json
cp "$stdout" against.json
head -n 401 train.csv >learned.csv # with an order in time these are learned from
for k in 0 3; do
    label=$(json gap.json "models[$k].class") lambda=$(json gap.json "models[$k].lambda")
    expect_exit 0 "$GIBBSITE" fit learned.csv --positive "$label" --prior zero --loss hinge \
        --prior-sd 1 --lambda "$lambda" --bound kl -o two.json -q
    expect_exit 0 "$GIBBSITE" gap learned.csv two.json --particles 100 --json
    expect_json gap.json "problems[$k].log_z" "$(json "$stdout" log_z)"
    expect_near "$label: the gap of two classes" "$(json gap.json "models[$k].gap")" \
        "$(json "$stdout" 'models[0].gap')" 1e-4
    expect_json against.json "problems[$k].gap" "$(json gap.json "models[$k].gap")"
done
expect_exit 0 "$GIBBSITE" gap train.csv hinge.json --particles 100
expect_stdout '^  green +the rest +400 '
check 'lines of 100 columns' awk 'length($0) > 100 { exit 1 }' "$stdout"
expect_exit 0 "$GIBBSITE" report gap.json -o gap.html -q
check 'the report names the classes' grep -q 'hinge.json, green against the rest' gap.html
"$GIBBSITE" fit train.csv --positive red --loss hinge -o red.json -q
expect_exit 3 "$GIBBSITE" gap train.csv hinge.json red.json --particles 100
expect_stderr 'red.json: fitted with another'
expect_exit 3 "$GIBBSITE" gap test.csv hinge.json --particles 100
expect_stderr 'hinge.json: the model does not belong to these rows'

as 'a class without a test row'
{
    head -n 1 train.csv
    grep one train.csv | head -n 4
    grep -v one train.csv | tail -n +2
} >early.csv
expect_exit 0 "$GIBBSITE" fit early.csv --order time -o early.json --json
expect_json "$stdout" certificates[3].rows 0
expect_json "$stdout" certificates[3].value 1
expect_json "$stdout" certificates[3].empirical null
check 'the classes are spoken of' grep -q 'the rows of each class are draws' "$stdout"
check 'and no positive rows' test "$(grep -c 'positive rows' "$stdout")" = 0
expect_exit 0 "$GIBBSITE" inspect early.json --json
expect_json "$stdout" certificates[3].empirical null
expect_exit 0 "$GIBBSITE" inspect early.json
expect_stdout '^  1.0000 .* 0 +- '
expect_exit 0 "$GIBBSITE" inspect early.json --card
expect_stdout '\| 1.0000 \| .* \| - \| 0 rows'

as 'what many classes do not have'
for options in '--prior zero' '--bound kl' '--blocks 2' --stratify '--cost 5:1' '--task rank' \
    '--select cv' '--lambda-grid 1:100:3' '--prior-grid 0.1:1:3' '--restarts 2' --paper \
    '--refit all' "--group $(head -n 1 train.csv | cut -d, -f 1)" '--path path.csv'; do
    # shellcheck disable=SC2086
    expect_exit 2 "$GIBBSITE" fit train.csv $options -o none.json
    expect_stderr "gibbsite: .*${options%% *}"
    expect_no_file none.json
done
expect_no_file path.csv

as 'numbers that are no classes'
awk 'BEGIN { print "x,y"; for (i = 0; i < 60; i++) print i "," i / 7 }' >numbers.csv
expect_exit 3 "$GIBBSITE" fit numbers.csv
expect_stderr 'it looks like regression, which gibbsite does not do'
awk 'BEGIN { print "x,y"; for (i = 0; i < 90; i++) print i "," i % 30 }' >ages.csv
expect_exit 3 "$GIBBSITE" fit ages.csv
expect_stderr '30 different numbers in 90 rows'
awk 'BEGIN { print "x,z,y";
    for (i = 0; i < 120; i++) print i % 4 + (i % 7) / 9 "," i % 5 "," i % 4 / 2 }' >halves.csv
expect_exit 0 "$GIBBSITE" fit halves.csv --json
expect_json "$stdout" classes[1] 0.5
awk 'BEGIN { print "x,y"; for (i = 0; i < 60; i++) print i % 3 + i / 200 "," i % 3 }' >ids.csv
expect_exit 0 "$GIBBSITE" fit ids.csv --json
expect_json "$stdout" classes[2] 2

# ---------------------------------------------------------------- many classes
# Beyond 64, binary problems are not tried beside all classes together, and are still calibrated
# where a loss asks for them.
awk 'BEGIN { srand(8); print "a,b,y"; for (i = 0; i < 420; i++) { c = i % 70
    printf "%.3f,%.3f,c%d\n", c % 8 + rand(), int(c / 8) + rand(), c } }' >seventy.csv
as 'seventy classes'
expect_exit 0 "$GIBBSITE" fit seventy.csv -o m.json --json
cp "$stdout" fit.json
expect_json fit.json scheme softmax
expect_json fit.json card.schemes.rest_log_loss null
as 'seventy classes, a loss asked for'
expect_exit 0 "$GIBBSITE" fit seventy.csv --loss probit -o m.json --json
cp "$stdout" fit.json
expect_json fit.json scheme rest
holds 'calibrated: below log 70' "$(json fit.json card.log_loss) < 4.25"
