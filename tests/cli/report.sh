#!/usr/bin/env bash
# gibbsite report: every kind of run becomes a page; what it draws is what the run says.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

# ---------------------------------------------------------------- runs of every kind

g() { "$GIBBSITE" "$@" -q; }
g simulate classify --rows 400 --cols 4 --noise 0.1 -o train.csv
g simulate classify --rows 1500 --cols 4 --noise 0.1 --skip 400 -o test.csv
g simulate rank --rows 400 --cols 3 --noise 0.1 -o pairs.csv
g simulate ratings --rows 60 --cols 40 --rank 2 --density 0.5 --range 1:5 -o ratings.csv
g simulate ratings --rows 60 --cols 40 --rank 2 --density 0.5 --range 1:5 --skip 1200 -o fresh.csv
g fit train.csv -o model.json --test test.csv --json >fit.json
g fit train.csv -o zero.model --prior zero --scale unit-row --lambda-grid 2:400:6 --test test.csv \
    --json >zero.json
g fit train.csv --prior zero --scale unit-row --bound hoeffding --lambda 60 --json >hoeffding.json
g fit train.csv --prior zero --scale unit-row --bound catoni --lambda 150 --json >catoni.json
g fit train.csv --prior zero --loss hinge --solver sgd --epochs 40 --tol 1 --json >sgd.json
turned pairs.csv >pairs_turned.csv
g fit pairs.csv --task rank --test pairs_turned.csv --json >rank.json
g complete ratings.csv --rank 5 --range 1:5 --prior informed --test fresh.csv -o completion.json \
    --json >complete.json
g complete ratings.csv --rank 5 --json >uncertified.json
g evaluate model.json test.csv --json >evaluate.json
g evaluate completion.json fresh.csv --json >ratings.json
g inspect model.json --json >inspect.json
g cv train.csv --loss zero-one,hinge --lambda-grid 20:400:3 --json >cv.json
g sample train.csv --prior-sd 1 --lambda 100 --particles 300 --json >sample.json
g fit train.csv --prior zero --lambda 100 -o full.model
g fit train.csv --prior zero --lambda 100 --family diagonal -o diagonal.model
g gap train.csv diagonal.model full.model --particles 300 --json >gap.json
g theory --n 1000 --d 5 --json >theory.json

# charts FILE.html: the numbers that the page draws, as JSON in FILE.charts
charts() { sed -n \
    's/^<script type="application\/json" id="charts">//; t go; d; :go; :a; s/<\/script>$//; t '\
'end; N; ba; :end; p' "$1" >"${1%.html}.charts"; }
says() { if grep -qF -- "$2" "$1"; then ok "$1 says: $2"; else not_ok "$1 says: $2"; fi; }

for run in fit zero hoeffding catoni sgd rank complete uncertified evaluate ratings inspect cv \
    sample gap theory; do
    as "report of $run"
    expect_exit 0 "$GIBBSITE" report $run.json -o $run.html -q
    charts $run.html
    check "$run: one page, whole" test "$(grep -c '</html>' $run.html)" = 1 -a \
        "$(tail -c 8 $run.html | tr -d '\n')" = '</html>'
    check "$run: words in the HTML itself" grep -q 'In plain words' $run.html
    check "$run: as many canvases as charts" test "$(grep -o '<canvas' $run.html | wc -l)" = \
        "$(json $run.charts '#')"
    check "$run: a table for every chart" test \
        "$(grep -o 'Numbers behind this chart' $run.html | wc -l)" = "$(json $run.charts '#')"
done
refuse 'a page loads nothing' grep -qE \
    '(src|href)="(https?:)?//|url\(|@import|<iframe|<link [^>]*stylesheet' zero.html
says zero.html "Content-Security-Policy"
says zero.html 'Chart.js v'
says zero.html 'Permission is hereby granted, free of charge'
says zero.html "default-src 'none'"

# ---------------------------------------------------------------- choices, data, curves

says fit.html 'What was chosen, and why'
says fit.html 'For a statistician'
says fit.html 'Clopper and Pearson (1934)'
says fit.html 'Column by column'
g fit train.csv --bound progressive --json >stages.json
check 'a learning curve of stages' bash -c \
    '"$1" report stages.json -q | grep -q "Learning curve of the stages"' bash "$GIBBSITE"
awk -F, -v OFS=, 'NR == 1 { print "id", "same", $0; next } { print NR - 1, 7, $0 }' train.csv \
    >odd.csv
g fit odd.csv --json >odd.json 2>/dev/null
check 'a row number is guarded' test "$(json odd.json 'data.look[0].guard')" = 'row number'
check 'a constant is' test "$(json odd.json 'data.look[1].guard')" = constant
check 'the label has its role' test "$(json odd.json 'data.look[6].role')" = label
check 'the page says so' bash -c '"$1" report odd.json -q | grep -q "looks like a row number"' \
    bash "$GIBBSITE"
mkdir -p some/folder
cp train.csv some/folder/named.csv
g fit some/folder/named.csv --json >some/folder/named.json
"$GIBBSITE" report some/folder/named.json -q >named.html
check 'the title has the name of the file alone' grep -q '<title>Fit of named.csv</title>' \
    named.html

# chart RUN TITLE: the number of the one whose horizontal axis is called so
chart() {
    local k n
    n=$(json "$1.charts" '#')
    for ((k = 0; k < n; k++)); do
        if [[ $(json "$1.charts" "[$k].xTitle") == "$2" ]]; then echo "$k"; fi
    done
}
# the point where the labels stand, by the confusion of the run
roc=$(chart fit 'false positive rate') precision=$(chart fit recall)
last=$(($(json fit.charts "[$roc].x.#") - 1))
tp=$(json fit.json test.confusion.true_positive) fn=$(json fit.json test.confusion.false_negative)
fp=$(json fit.json test.confusion.false_positive) tn=$(json fit.json test.confusion.true_negative)
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a - b < 1e-9 && b - a < 1e-9) }'; }
share() { awk -v a="$1" -v b="$2" 'BEGIN { printf("%.15g", a / b) }'; }
check 'ROC: the labels stand at their false positive rate' near \
    "$(json fit.charts "[$roc].x[$last]")" "$(share "$fp" $((fp + tn)))"
check 'ROC: and at their recall' near "$(json fit.charts "[$roc].series[1].y[$last]")" \
    "$(share "$tp" $((tp + fn)))"
last=$(($(json fit.charts "[$precision].x.#") - 1))
check 'precision: the labels stand at their recall' near \
    "$(json fit.charts "[$precision].x[$last]")" "$(share "$tp" $((tp + fn)))"
check 'precision: and at their precision' near \
    "$(json fit.charts "[$precision].series[2].y[$last]")" "$(share "$tp" $((tp + fp)))"

# ---------------------------------------------------------------- the certificate taken apart

# part RUN STYLE: what the first bar of the first chart has of it; 0 where the series is not there
part() {
    local k n
    n=$(json "$1.charts" '[0].series.#')
    for ((k = 0; k < n; k++)); do
        if [[ $(json "$1.charts" "[0].series[$k].style") == "$2" ]]; then
            json "$1.charts" "[0].series[$k].y[0]"
            return
        fi
    done
    echo 0
}
for run in fit zero hoeffding catoni rank complete; do
    sum=0
    for style in seen complexity fixed xi grid confidence; do \
        sum=$(awk -v a="$sum" -v b="$(part $run $style)" 'BEGIN { printf "%.17g", a + b }'); done
    expect_near "$run: the parts add up to the certificate" "$sum" \
        "$(json $run.json certificate.value)" 1e-12
    expect_near "$run: the first part is the risk seen" "$(part $run seen)" \
        "$(json $run.json certificate.empirical)" 1e-15
done
value() { json "$1.json" "certificate.$2"; }
expect_near 'progressive: the rest is the price of the confidence' "$(part fit confidence)" \
    "$(awk "BEGIN { print $(value fit value) - $(value fit empirical) }")" 1e-6
nats=$(awk "BEGIN { printf \"%.17g\", $(value zero kl) + $(value zero penalty_nats.grid) + \
    $(value zero penalty_nats.xi) + $(value zero penalty_nats.confidence) }")
for pair in complexity:kl xi:penalty_nats.xi confidence:penalty_nats.confidence; do
    expect_near "kl: the share of ${pair%%:*} is that of its nats" "$(part zero ${pair%%:*})" \
        "$(awk "BEGIN { printf \"%.17g\", ($(value zero value) - $(value zero empirical)) * \
            $(value zero ${pair#*:}) / $nats }")" 1e-12
done
expect_near 'hoeffding: complexity is KL/lambda' "$(part hoeffding complexity)" \
    "$(awk "BEGIN { printf \"%.17g\", $(value hoeffding kl) / $(value hoeffding lambda) }")" 1e-12
expect_near 'hoeffding: the fixed lambda costs lambda/(8n)' "$(part hoeffding fixed)" \
    "$(awk "BEGIN { printf \"%.17g\", $(value hoeffding lambda) / (8 * \
        $(value hoeffding blocks)) }")" 1e-12
expect_near 'catoni: the fixed lambda costs its value at no nats' "$(part catoni fixed)" \
    "$(awk "BEGIN { l = $(value catoni lambda) / $(value catoni blocks)
        r = $(value catoni empirical)
        printf \"%.17g\", (1 - exp(-l * r)) / (1 - exp(-l)) - r }")" 1e-12
holds 'completions: the draws cost what lies between the mean and its upper bound' \
    "$(part complete fixed) > 0 && ($(part complete fixed) - ($(value complete empirical_upper) - \
        $(value complete empirical))) ^ 2 < 1e-24"

# ---------------------------------------------------------------- what the JSON has for it

last=$(($(json zero.json trace.#) - 1))
expect_near 'the trace ends at the free energy of the fit' \
    "$(json zero.json "trace[$last].free_energy")" "$(json zero.json 'path[5].free_energy')" 1e-12
check 'a trace has a few hundred points at most' test "$last" -lt 400
for ((k = 1; k <= last; k++)); do
    a=$(json zero.json "trace[$((k - 1))].solve") b=$(json zero.json "trace[$k].solve")
    if [[ $a == "$b" ]]; then echo \
        "$(json zero.json "trace[$((k - 1))].free_energy") \
        $(json zero.json "trace[$k].free_energy")"; fi
done >steps
check 'the free energy falls along each minimisation' awk \
    '$2 > $1 + 1e-9 { exit 1 } END { exit NR < 5 }' steps
check 'the stochastic solver leaves no trace, and the page says why' test \
    "$(json sgd.json trace.#)" = 0
says sgd.html 'the stochastic solver never sees the exact free energy'
check 'coefficients of fit are those of inspect' test "$(json fit.json 'coefficients.#')" = 5
name=$(json fit.json 'coefficients[0].name')
for k in 0 1 2 3 4; do
    if [[ $(json inspect.json "coefficients[$k].name") == "$name" ]]; then
        expect_near "the mean of $name is inspect's" "$(json fit.json 'coefficients[0].mean')" \
            "$(json inspect.json "coefficients[$k].mean")" 1e-15
        expect_near "its sd too" "$(json fit.json 'coefficients[0].sd')" \
            "$(json inspect.json "coefficients[$k].sd")" 1e-15
    fi
done
says fit.html 'gibbsite fit train.csv --test test.csv --seed 1'
check 'options: what was given' test "$(json zero.json options.given.lambda-grid)" = 2:400:6
check 'options: where results go is no part of them' test \
    "$(json zero.json options.given.output 2>/dev/null)" = ''
check 'data: rows and label' test \
    "$(json fit.json data.rows)/$(json fit.json data.target)/$(json fit.json data.test)" = \
    400/y/test.csv

# area FILE PATH: under the points of a ROC curve; nothing when it is not one
area() {
    local k n
    n=$(json "$1" "$2.#")
    for ((k = 0; k < n; k++)); do echo "$(json "$1" "$2[$k].fpr") $(json "$1" "$2[$k].tpr")"; done |
        awk 'NR == 1 && ($1 != 0 || $2 != 0) { exit } NR > 1 && ($1 < x || $2 < y) { exit }
            NR > 1 { a += ($1 - x) * ($2 + y) / 2 } { x = $1; y = $2 }
            END { if (x == 1 && y == 1) printf "%.17g\n", a }'
}
# between two corners that are kept lies a hundredth of the curve: the area is off by at most half
# its square a piece
expect_near 'the area under the curve of evaluate is its AUC' "$(area evaluate.json roc)" \
    "$(json evaluate.json auc)" 0.01
expect_near 'fit --test has the same curve' "$(area fit.json test.roc)" \
    "$(area evaluate.json roc)" 1e-12
expect_near 'the area under the curve of a ranking is its AUC' "$(area rank.json test.roc)" \
    "$(json rank.json test.auc)" 0.01
check 'a curve has at most 200 points' test "$(json evaluate.json roc.#)" -le 200
head -n 9 test.csv >eight.csv
g evaluate model.json eight.csv --json >eight.json
expect_near 'eight rows: every corner is kept, and the area is the AUC' "$(area eight.json roc)" \
    "$(json eight.json auc)" 1e-12
grep -E 'y|,1$' test.csv >oneclass.csv
g evaluate model.json oneclass.csv --json >oneclass.json
check 'one class: no curve' test "$(json oneclass.json roc.#)" = 0
as 'report of one class'
expect_exit 0 "$GIBBSITE" report oneclass.json -o oneclass.html -q
says oneclass.html 'it needs rows of both classes'

total=0
for k in $(seq 0 40); do total=$((total + $(json complete.json "test.residuals.counts[$k]"))); done
check 'the bars of the residuals hold every rating' test "$total" = "$(json complete.json test.n)"
expect_near 'their spread is the RMSE' \
    "$(awk "BEGIN { printf \"%.17g\", sqrt(($(json complete.json test.residuals.mean)) ^ 2 + \
        $(json complete.json test.residuals.sd) ^ 2) }")" "$(json complete.json test.rmse)" 1e-9
check 'a component for each of the effective rank' test "$(json complete.json components.#)" = \
    "$(json complete.json effective_rank)"

# ---------------------------------------------------------------- what is missing is named

says uncertified.html 'run with --range LO:HI'
says uncertified.html 'run with --test FILE'
says hoeffding.html 'run with --test FILE'
says sgd.html 'run with --lambda-grid LO:HI:K'
says fit.html '--prior zero --lambda-grid LO:HI:K'
says sample.html 'run sample with --against MODEL'
for command in fit evaluate cv sample gap complete theory inspect; do
    echo "{\"gibbsite\": \"0.1.0\", \"command\": \"$command\"}" >bare.json
    as "a run of $command that says nothing but that it is one"
    expect_exit 0 "$GIBBSITE" report bare.json -o bare-$command.html -q
    refuse "and no number is made up for it" sh -c \
        "sed -n '/<main/,/<\/main>/p' bare-$command.html | sed 's/<[^>]*>/ /g' | grep -qwiE -- \
'-?(nan|inf)'"
done
says bare-fit.html 'No certificate'

# ---------------------------------------------------------------- the words follow the numbers

says fit.html \
    "the labels that predict prints are wrong in at most $(awk \
        "BEGIN { printf \"%.2f\", 100 * $(value fit value) }")"
says fit.html 'The certificate is valid'
says fit.html 'rows of a last block that nothing of the predictor has seen'
# the headline: each certified number, with what guessing does
for words in 'Wrong labels, at most' 'Rows of -1 mislabelled, at most' 'Brier score, at most' \
    'AUC, at least' 'always saying ' \
    'Reliability of the probabilities' 'of the deployed posterior' 'baseline: always' \
    'of the labels are wrong, and'; do
    says fit.html "$words"
done
refuse 'no word of a vote, nor of draws where labels are meant' grep -qE \
    'the vote|Training, one draw|of the last stage' <(sed '/<script/,$d' fit.html)
# the band of a bin is exact: at its ends the binomial has 2.5 % beyond what was seen
bin=0
while [[ $(json fit.json "card.reliability[$bin].count") == 0 ]]; do ((bin++)); done
n=$(json fit.json "card.reliability[$bin].count")
hits=$(awk \
    "BEGIN { printf \"%.0f\", $n * $(json fit.json "card.reliability[$bin].share_positive") }")
tail_of() { # P(Bin(n, p) <= k)
    awk -v k="$1" -v n="$n" -v p="$2" \
        'BEGIN { m = (1 - p) ^ n; for (j = 0; j <= k; j++) { s += m;
            m *= (n - j) / (j + 1) * p / (1 - p) } printf "%.12g", s }'
}
says fit.html 'data-chart="1" aria-label="Curves: Reliability of the probabilities'
expect_near 'above' "$(tail_of "$hits" "$(json fit.charts '[1].series[0].high[0]')")" 0.025 1e-9
if ((hits > 0)); then
    expect_near 'below' "$(tail_of $((hits - 1)) "$(json fit.charts '[1].series[0].low[0]')")" \
        0.975 1e-9
else
    expect_json fit.charts '[1].series[0].low[0]' 0
fi
says fit.html 'What was chosen, and why'
says inspect.html 'What was chosen</h3>'
refuse 'a model file holds no reasons' grep -qE \
    'and why|>asked for|default of this bound|more probable label' \
    <(sed '/<script/,$d' inspect.html)
as 'more classes than a table has room for: the others stand together'
awk 'BEGIN {
    printf "{\"gibbsite\": \"0\", \"command\": \"evaluate\", \"n\": 1, \"error\": 0.5, "
    printf "\"classes\": [\"c0\""
    for (k = 1; k < 24; k++) printf ", \"c%d\"", k
    printf "], \"confusion\": ["
    for (i = 0; i <= 24; i++) { printf "%s[0", i ? ", " : ""
        for (k = 1; k < 24; k++) printf ", %d", (i + k >= 44); printf "]" }
    print "]}" }' >wide.json
g report wide.json -o wide.html
says wide.html 'Confusion of the labels, the first 20 of 24'
says wide.html 'said another'
tr -d '\n' <wide.html | grep -o '<tr><th[^>]*>is another.*' | sed 's/<\/tr>.*//' \
    | grep -o '[0-9]*</td>' | tail -n 1 >corner
check 'what is beyond it both ways' grep -qx '6</td>' corner
says wide.html 'is a label unknown to training'
as 'a joint card with costs'
g fit train.csv --cost 5:1 --joint --json >joint.json
g report joint.json -o joint.html
for words in 'Mean cost of a row, at most' 'the cheaper label, always: ' 'of all numbers at once' \
    'All lines hold at once' 'grid, or --joint'; do
    says joint.html "$words"
done
g fit train.csv --bound progressive --json >mixture.json
g report mixture.json -o mixture.html
says mixture.html 'of the mixture of stages'
says rank.html \
    "Its true AUC is at least $(awk "BEGIN { printf \"%.4f\", int(1e4 * (1 - $(value rank value))) / 1e4 }")"
says complete.html 'the true root mean squared error is at most'
g fit train.csv --prior zero --confidence 0.99 --json >conditional.json
as 'report of a conditional certificate'
expect_exit 0 "$GIBBSITE" report conditional.json -o conditional.html -q
says conditional.html 'The certificate is only conditional'
says conditional.html 'class="broken"'
says conditional.html '99'
refuse 'and does not call it valid' grep -q 'The certificate is valid' conditional.html
says theory.html 'not valid'
says cv.html 'so that error flatters it'

# ---------------------------------------------------------------- three classes

awk 'BEGIN { print "a,b,y";
    for (i = 0; i < 150; i++)
        print i % 3 + (i * 7 % 11) / 8 "," (i % 3 == 1) + (i * 5 % 13) / 9 "," \
            substr("xyz", i % 3 + 1, 1) }' >three.csv
awk 'NR == 1 || NR % 4 != 0' three.csv >some.csv
awk 'NR == 1 || NR % 4 == 0' three.csv >others.csv
g fit some.csv --test others.csv --json >three.json
g report three.json -o three.html
for words in 'Rows of z mislabelled, at most' 'said z' 'is x' 'share of right labels' \
    'of three classes or more there are several posteriors'; do
    says three.html "$words"
done
refuse 'nothing of a positive label' grep -qE 'positive labels|said \+1|the run does not have' \
    <(sed '/<script/,$d' three.html)

# ------------------------------------------------------------- costs: guessing is compared by them

awk 'BEGIN { print "a|b,#c,y";
    for (i = 0; i < 150; i++)
        print (i * 37 % 101) / 7 "," substr("uvw", i * 29 % 3 + 1, 1) "," (i * 53 % 97) % 2 }' \
    >noise.csv
g fit noise.csv --cost 5:1 --importance -o noise.model --json >noise.json
g inspect noise.model --json >noise_model.json
awk 'BEGIN { print "a,b,y";
    for (i = 0; i < 150; i++)
        print (i * 37 % 101) / 7 "," (i * 53 % 97) / 9 "," substr("xyz", i * 29 % 7 % 3 + 1, 1) }' \
    >noise_three.csv
printf ',x,y,z\nx,0,1,2\ny,5,0,1\nz,3,1,0\n' >costs.csv
g fit noise_three.csv --cost costs.csv --json >noise_three.json
positive=$(json noise.json card.confusion.true_positive) \
    missed=$(json noise.json card.confusion.false_negative)
expect_near 'the cost of the cheaper label' "$(json noise.json baseline.cost)" \
    "$(awk "BEGIN { s = ($positive + $missed) / $(json noise.json card.tested)
        a = 5 * s; b = 1 - s; printf \"%.17g\", a < b ? a : b }")" 1e-12
rows_of() { echo \
    $(($(json noise_three.json "card.confusion[$1][0]") +
        $(json noise_three.json "card.confusion[$1][1]") +
        $(json noise_three.json "card.confusion[$1][2]"))); }
expect_near 'of three, that of y: 1 for each row of x or z' \
    "$(json noise_three.json baseline.cost)" \
    "$(awk "BEGIN { printf \"%.17g\", ($(rows_of 0) + $(rows_of 2)) / \
        $(json noise_three.json card.tested) }")" 1e-12
for run in noise noise_model noise_three; do
    g report $run.json -o $run.html
    says $run.html 'no better than guessing'
    check "$run: the line of the cost, too" grep -q ' label, always: .* so it says nothing' \
        $run.html
    refuse "$run: errors are not compared with guessing" grep -qE \
        'does no worse than that|it is vacuous|always saying [^<]*so it says nothing' \
        <(sed '/<script/,$d' $run.html)
done
as 'names with the marks of a table'
says noise.html '<th scope="col" class="n">a|b</th>'
says noise.html '<th scope="col">#c</th>'

# ---------------------------------------------------------------- several runs, streams, files

as 'several runs in one page'
expect_exit 0 "$GIBBSITE" report fit.json zero.json hoeffding.json rank.json complete.json -o \
    many.html
expect_stderr '5 runs, [0-9]+ charts in many.html'
charts many.html
says many.html 'Side by side'
check 'the first chart compares the three error certificates' test \
    "$(json many.charts '[0].labels.#')" = 3 -a "$(json many.charts '[0].kind')" = stack
for k in 1 2 3 4 5; do check "section $k can be linked to" test \
    "$(grep -c "id=\"run-$k\"" many.html)" = 1; done
"$GIBBSITE" report fit.json >stdout.html 2>err
check 'without -o the page goes to standard output' cmp -s stdout.html fit.html
"$GIBBSITE" report - -o stdin.html -q <fit.json
says stdin.html 'from standard input'
gzip -k fit.json
as 'a gzipped run'
expect_exit 0 "$GIBBSITE" report fit.json.gz -o gz.html -q
as '--json says what was written'
expect_exit 0 "$GIBBSITE" report fit.json zero.json -o page.html --json
check 'runs, charts, bytes' test "$(json "$stdout" runs)/$(json "$stdout" bytes)" = \
    "2/$(stat -c %s page.html)"
"$GIBBSITE" report fit.json zero.json -o again.html -q --threads 7
check 'the same runs make the same page' cmp page.html again.html

# ---------------------------------------------------------------- risks that must not be compared

# few positive rows: few pairs of any two rows differ
{ head -n 1 train.csv && awk -F, 'NR > 1 && ($NF == -1 || ++k % 8 == 0)' train.csv; } >rare.csv
turned rare.csv >rare_turned.csv
g fit rare.csv --task rank --paper --scale none --test rare_turned.csv --json >pairs.json \
    || not_ok 'fits the pairs of the paper'
as 'report of a risk of any two rows'
expect_exit 0 "$GIBBSITE" report pairs.json -o pairs.html -q
says pairs.html 'not the risk of any two rows that the certificate is about'
says pairs.html 'share of pairs of any two rows in the wrong order'
check 'it is not held against 1 - AUC' bash -c \
    '! grep -q "ABOVE the certificate\|stays below the certificate" pairs.html'
g fit train.csv --confidence 0.8 --json >unsure.json || not_ok 'fits'
"$GIBBSITE" report fit.json unsure.json -o sure.html -q
check 'side by side, the confidence of each' bash -c \
    'grep -q "<td>error (80.*%)</td>" sure.html && grep -q "<td>error (95.*%)</td>" sure.html'

# ---------------------------------------------------------------- names are names, never markup

evil='</script><script>window.injected=1</script>'
picture='<img src=x onerror=window.injected=2>'
{
    printf '"%s","%s",a&b,"x\342\200\250y<!--",y\n' "$evil" "$picture"
    tail -n +2 train.csv | sed 's/,-1$/,<b>no/; s/,1$/,"<svg onload=window.injected=3>"/'
} >'<i>evil.csv'
turned '<i>evil.csv' >'<i>turned.csv'
g fit '<i>evil.csv' --prior zero --test '<i>turned.csv' --json >'<u>evil.json' \
    || not_ok 'fits columns with such names'
as 'report of columns named like markup'
expect_exit 0 "$GIBBSITE" report '<u>evil.json' fit.json -o evil.html -q
for text in '<script>window' '<img src=x' '<svg onload' '<i>evil' '<u>evil' '<b>no' 'y<!--'; do
    if grep -qF -- "$text" evil.html; then not_ok "no markup from the data: $text"; else ok \
        "no markup from the data: $text"; fi
done
check 'the line separator U+2028 is escaped in the script' sh -c \
    '! sed -n "/id=\"charts\"/,/^<\/script>/p" evil.html | grep -q "$(printf "\342\200\250")"'
charts evil.html
check 'and the numbers still read as JSON' test "$(json evil.charts '#')" -gt 5

# ---------------------------------------------------------------- words that fit the run

awk 'BEGIN { print "x,y"
    for (i = 0; i < 62; i++)
        printf "%.3f,%s\n", 1.6 * (i % 3) + 2 * sin(12.9898 * i) + sin(78.233 * i),
            substr("abc", i % 3 + 1, 1)
    print "9,d\n9.5,d\n9.1,d\n9.2,d" }' >four.csv
g fit four.csv --json >four.json
as 'report of four classes'
expect_exit 0 "$GIBBSITE" report four.json -o four.html -q
holds 'a certificate above one half and better than guessing' \
    "0.5 < $(json four.json certificate.value) && \
        $(json four.json certificate.value) < $(json four.json baseline.error)"
if grep -q 'it is vacuous' four.html; then not_ok 'is not called vacuous'
else ok 'is not called vacuous'; fi
holds 'no row of the rare class tests' "$(json four.json 'certificates[4].rows') == 0"
check 'and none was seen to fail' grep -q 'no such row tested it' four.html
awk -F, -v OFS=, 'NR > 1 { $1 = 100000 * $1 } { print }' train.csv >large.csv
g fit large.csv --importance --json >large.json
as 'report of a column of large numbers'
expect_exit 0 "$GIBBSITE" report large.json -o large.html -q
holds 'a coefficient per unit is tiny' \
    "$(json large.json 'coefficients[0].per_unit') ^ 2 < 1e-8 || \
        $(json large.json 'coefficients[1].per_unit') ^ 2 < 1e-8"
if grep -qE '<td class="n">-?[0-9.]+e-' large.html
then not_ok 'no number such as 3e-05 in a table'
else ok 'no number such as 3e-05 in a table'; fi
if grep -q '>-0.0000<' large.html; then not_ok 'zero has no sign'; else ok 'zero has no sign'; fi

expect_exit 0 "$GIBBSITE" fit large.csv -o large.model -q
expect_exit 0 "$GIBBSITE" inspect large.model
refuse 'no factor of a column of large numbers is shown as one' \
    grep -qE '^  x1 .* 1 +-?[0-9]' "$stdout"
g complete ratings.csv --sampler gibbs --rank 2 --json >draws.json
as 'report of draws of a completion'
expect_exit 0 "$GIBBSITE" report draws.json -o draws.html -q
check 'it is their start that converged' grep -q '>draws, from a fit that converged<' draws.html

# ---------------------------------------------------------------- the gallery

for page in "$GIBBSITE_ROOT"/docs/gallery/*.html; do
    name=docs/gallery/$(basename "$page")
    check "$name is small" test "$(stat -c %s "$page")" -lt 500000
    check "$name carries the licence of what it carries" grep -q \
        'Permission is hereby granted, free of charge' "$page"
done

# ---------------------------------------------------------------- many classes
awk 'BEGIN { srand(8); print "a,b,y"; for (i = 0; i < 300; i++) { c = i % 30
    printf "%.3f,%.3f,c%d\n", c % 6 + rand(), int(c / 6) + rand(), c } }' >thirty.csv
"$GIBBSITE" fit thirty.csv --json -q >thirty.json
as 'thirty classes'
expect_exit 0 "$GIBBSITE" report thirty.json -o thirty.html
check 'the headline has three of them' test "$(grep -o 'Rows of c[0-9]* mislabelled, at' \
    thirty.html | wc -l)" = 3
check 'and says so' grep -q 'Of 30 classes the 3 with the largest bounds' thirty.html
check 'the confusion of the rows that tested is drawn' grep -q \
    'Confusion of the labels, the first 20 of 30' thirty.html
"$GIBBSITE" fit train.csv --json -q >two.json
expect_exit 0 "$GIBBSITE" report two.json -o two.html
check 'of two classes, too' grep -q 'Confusion of the labels' two.html
refuse 'a reliability diagram that is there is not offered' grep -q \
    'for the error, the reliability diagram' two.html
