#!/usr/bin/env bash
# What people script against: commands, options, the keys of the JSON, streams, exit codes, formats,
# threads.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

# says NAME CONDITION...: a bash test as a TAP line.
says() {
    local name=$1
    shift
    check "$name" test "$@"
}
# gives NAME COMMAND...: the program's stdout goes to the file NAME, whatever it is; a TAP line for
# exit 0.
gives() {
    local file=$1
    shift
    as "exit 0: $*"
    expect_exit 0 "$GIBBSITE" "$@" && cp "$stdout" "$file"
}
number='^-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?$'
# typed FILE TYPE KEY...: each key is there and has the type.
typed() {
    local file=$1 type=$2 key value wrong=()
    shift 2
    for key; do
        value=$(json "$file" "$key" 2>/dev/null) || {
            wrong+=("$key is not there")
            continue
        }
        case $type in
        number) [[ $value =~ $number ]] ;;
        count) [[ $value =~ ^[0-9]+$ ]] ;;
        gap) [[ $value == null || $value =~ $number ]] ;;
        boolean) [[ $value == true || $value == false ]] ;;
        text) [[ -n $value && ! $value =~ $number && $value != \[* && $value != \{* &&
                 $value != null ]] ;;
        list) [[ $value == \[*\] ]] ;;
        object) [[ $value == \{*\} ]] ;;
        object_or_null) [[ $value == null || $value == \{*\} ]] ;;
        esac || wrong+=("$key is $value")
    done
    if ((${#wrong[@]})); then not_ok "$type: $*" "${wrong[@]}"; else ok "$type: $*"; fi
}
# close FILE FILE TOLERANCE: two CSV files of predictions, the same labels and numbers within
# TOLERANCE.
close() {
    paste -d, "$1" "$2" | awk -F, -v t="$3" \
        'NR > 1 { n++; if ($1 != $5) { print "row " NR ": " $0; bad++ }
        for (k = 2; k <= 4; k++) { e = $k - $(k + 4); if (e < 0) e = -e
            if (e > t * (1 + ($k < 0 ? -$k : $k))) { print "row " NR ": " $0; bad++ } } }
        END { exit bad || !n }'
}

gives sim.json simulate classify --rows 300 --cols 6 --seed 3 -o train.csv --json
gives sim2.json simulate classify --rows 150 --cols 6 --seed 4 -o test.csv --json

# ---------------------------------------------------------------- JSON
gives fit.json fit train.csv -o model.json --test test.csv --json
expect_silence stderr
typed fit.json text gibbsite command task loss family prior solver scale
typed fit.json count n d iterations
typed fit.json number lambda prior_sd free_energy kl gibbs_risk train_error seconds.read \
    seconds.fit seconds.total
typed fit.json gap optimality_gap
typed fit.json boolean converged intercept
typed fit.json object seconds test
typed fit.json object_or_null certificate
typed fit.json list certificates path
typed fit.json number 'path[0].lambda' 'path[0].prior_sd' 'path[0].gibbs_risk' 'path[0].kl' \
    test.error test.gibbs_risk test.auc
typed fit.json gap 'path[0].bound' test.holdout_bound
typed fit.json count test.n
expect_json fit.json command fit
expect_json fit.json task classify
expect_json fit.json loss zero-one
expect_json fit.json family full
expect_json fit.json n 300
expect_json fit.json d 7
expect_json fit.json converged true
expect_json fit.json test.n 150
gives notest.json fit train.csv --json
typed notest.json object_or_null test
if [[ $(json fit.json certificate) != null ]]; then
    typed fit.json text certificate.target certificate.loss certificate.method certificate.status
    typed fit.json number certificate.value certificate.confidence certificate.empirical \
        certificate.kl
    typed fit.json object certificate.penalty_nats
    typed fit.json list certificate.assumptions
fi

# free energy = lambda x risk + KL, on the whole and at every step of the path.
holds_energy() { # holds_energy FILE PREFIX
    awk -v f="$(json "$1" "$2"free_energy)" -v l="$(json "$1" "$2"lambda)" -v \
        r="$(json "$1" "$2"gibbs_risk)" -v k="$(json "$1" "$2"kl)" \
        'BEGIN { e = f - (l * r + k); if (e < 0) e = -e; exit !(e <= 1e-9 * (1 + f)) }'
}
check 'free_energy = lambda x gibbs_risk + kl' holds_energy fit.json ''
for ((t = 0; t < $(json fit.json 'path.#'); t++)); do
    holds_energy fit.json "path[$t]." || not_ok "the same at step $t of the path"
done
expect_json fit.json "path[$(($(json fit.json 'path.#') - 1))].lambda" "$(json fit.json lambda)"

gives predict.json predict model.json test.csv --json
expect_json predict.json command predict
expect_json predict.json n 150
expect_json predict.json 'predictions.#' 150
typed predict.json number 'predictions[0].prob' 'predictions[0].score'
typed predict.json count 'predictions[149].row'
gives evaluate.json evaluate model.json test.csv --json
expect_json evaluate.json command evaluate
typed evaluate.json count n confusion.true_positive confusion.false_positive \
    confusion.true_negative confusion.false_negative
typed evaluate.json number error gibbs_risk auc baseline_error cost brier log_loss
typed evaluate.json number recall.1 recall.-1 precision.1 precision.-1 f1.1 f1.-1
tp=$(json evaluate.json confusion.true_positive) fn=$(json evaluate.json confusion.false_negative)
expect_near 'recall is of the confusion' "$(json evaluate.json recall.1)" \
    "$(awk "BEGIN { printf \"%.15g\", $tp / ($tp + $fn) }")" 1e-12
typed evaluate.json gap holdout_bound
for key in n error gibbs_risk auc holdout_bound; do expect_json evaluate.json $key \
    "$(json fit.json test.$key)"; done
gives inspect.json inspect model.json --json
expect_json inspect.json command inspect
expect_json inspect.json 'coefficients.#' 7
expect_json inspect.json 'coefficients[0].name' x1
expect_json inspect.json 'coefficients[6].name' '(intercept)'
for key in n d lambda loss family free_energy kl gibbs_risk train_error converged; do expect_json \
    inspect.json $key "$(json fit.json $key)"; done
typed sim.json number noise bayes_risk
expect_json sim.json 'theta.#' 6
gives version.json version --json
expect_json version.json command version
typed version.json text gibbsite compiler build blas

# ---------------------------------------------------------------- every loss and family; defaults
"$GIBBSITE" simulate classify --rows 120 --cols 4 -o small.csv -q
for loss in zero-one hinge exponential; do
    for family in fixed isotropic diagonal full; do
        gives f.json fit small.csv --loss $loss --family $family --json
        expect_json f.json loss $loss
        expect_json f.json family $family
        check "$loss, $family: free_energy = lambda x gibbs_risk + kl" holds_energy f.json ''
        gap=$(json f.json optimality_gap)
        if [[ $loss == zero-one ]]; then
            says 'zero-one loss has no proven gap' "$gap" = null
        else
            holds "$loss, $family: the gap is proven and small" \
                "$gap >= 0 && $gap <= 1e-8 * (1 + $(json f.json free_energy))"
        fi
    done
done
# A richer family finds no larger free energy.
for loss in zero-one hinge exponential; do
    previous=1e300
    for family in isotropic diagonal full; do
        "$GIBBSITE" fit small.csv --loss $loss --family $family --json >f.json
        energy=$(json f.json free_energy)
        holds "$loss: $family is not above the smaller family" "$energy <= $previous * (1 + 1e-7)"
        previous=$energy
    done
done
gives f.json fit small.csv --json --prior zero
expect_json f.json lambda 120
expect_json f.json prior_sd 1
expect_json f.json prior zero
expect_json f.json d 5
gives f.json fit small.csv --json --no-intercept
expect_json f.json d 4
expect_json f.json intercept false
gives f.json fit small.csv --json --lambda 7.5 --prior-sd 0.25
expect_json f.json lambda 7.5
expect_json f.json prior_sd 0.25
"$GIBBSITE" simulate classify --rows 60 --cols 200 -o wide.csv -q
gives f.json fit wide.csv --json --no-intercept --tol 1e-3 --prior zero
expect_json f.json family full
gives f.json fit wide.csv --json --tol 1e-3 --prior zero
expect_json f.json d 201
expect_json f.json family diagonal
for scale in none standard unit-row; do
    gives f.json fit small.csv --json --scale $scale
    expect_json f.json scale $scale
done

# ---------------------------------------------------------------- streams
as 'fit without options'
expect_exit 0 "$GIBBSITE" fit small.csv
expect_stdout '^certificate '
expect_silence stderr
expect_exit 0 "$GIBBSITE" fit small.csv --quiet
expect_silence stdout
expect_stderr '^gibbsite: nothing was kept'
expect_exit 0 "$GIBBSITE" fit small.csv --quiet -o quiet.json
expect_silence stderr
expect_exit 0 "$GIBBSITE" fit small.csv --quiet --json
expect_silence stderr
check '--quiet leaves the JSON alone' json "$stdout" free_energy
expect_exit 0 "$GIBBSITE" simulate classify --rows 5
expect_stderr 'Bayes risk 0\.1 exactly'
says 'the rows alone on stdout' "$(wc -l <"$stdout")" = 6
expect_exit 0 "$GIBBSITE" simulate classify --rows 5 -q
expect_silence stderr
printf 'a,b,y\n1,7,0\n2,7,1\n3,7,1\n' >constant.csv
expect_exit 0 "$GIBBSITE" fit constant.csv -o c.json --json
expect_stderr 'constant'
check 'a remark does not spoil the JSON' json "$stdout" free_energy
expect_exit 0 "$GIBBSITE" fit constant.csv -o c.json -q
expect_silence stderr

as 'the model on standard output'
expect_exit 0 "$GIBBSITE" fit train.csv -o -
sed -E 's/"seconds":[^,}]*//' "$stdout" >piped.model
sed -E 's/"seconds":[^,}]*//' model.json >plain.model
check 'is the model that -o FILE writes' cmp piped.model plain.model
check 'the model from standard input' bash -c '"$1" predict - test.csv <model.json >p1.csv' _ \
    "$GIBBSITE"
gives p2.csv predict model.json test.csv
check 'the same predictions' cmp p1.csv p2.csv
check 'data from standard input' bash -c 'cat test.csv | "$1" predict model.json - >p1.csv' _ \
    "$GIBBSITE"
check 'the same predictions' cmp p1.csv p2.csv
check 'gzip on standard input' bash -c 'gzip -c test.csv | "$1" predict model.json - >p1.csv' _ \
    "$GIBBSITE"
check 'the same predictions' cmp p1.csv p2.csv
check 'training data from standard input' bash -c \
    'cat train.csv | "$1" fit - -q -o from_pipe.json' _ "$GIBBSITE"
expect_near 'the same free energy' "$(json from_pipe.json fit.free_energy)" \
    "$(json model.json fit.free_energy)" 0
rm p1.csv
expect_exit 0 "$GIBBSITE" predict model.json test.csv -o p1.csv
expect_silence stdout
check 'predict -o FILE' cmp p1.csv p2.csv
check 'predict -o -' bash -c '"$1" predict model.json test.csv -o - | cmp - p2.csv' _ "$GIBBSITE"
says 'nothing temporary is left' -z "$(find . -name '*.tmp*')"

says 'label, prob, score, vote' "$(head -n 1 p2.csv)" = label,prob,score,vote
says 'one row per input row' "$(wc -l <p2.csv)" = 151
check 'labels, probabilities and scores agree' awk -F, \
    'NR > 1 && !(($1 == 1 || $1 == -1) && $2 + 0 >= 0 && $2 + 0 <= 1 && $4 + 0 >= 0 &&
        $4 + 0 <= 1 && ($1 > 0) == ($2 + 0 >= 0.5)) { print; bad = 1 }
    END { exit bad }' p2.csv
check 'probabilities rise with the score' bash -c \
    'tail -n +2 p2.csv | sort -t, -k3,3g | cut -d, -f2 | sort -gc'
gives zero.json fit train.csv --prior zero -o zero-model.json --json
gives e.json evaluate zero-model.json train.csv --json
expect_json e.json error "$(json zero.json train_error)"
expect_near 'evaluate gives the Gibbs error of the fit' "$(json e.json gibbs_error)" \
    "$(json zero.json gibbs_error)" 1e-12
gives e.json evaluate model.json train.csv --json
says 'the predictions have the error that evaluate says' \
    "$(paste -d, <("$GIBBSITE" predict model.json train.csv) <(cut -d, -f7 train.csv) |
        awk -F, 'NR > 1 && $1 != $5' | wc -l)" = \
    "$(awk -v e="$(json e.json error)" 'BEGIN { print int(e * 300 + 0.5) }')"

# ---------------------------------------------------------------- the order and spelling of options
gives a.json fit --loss hinge --json --family diagonal small.csv --lambda 10
gives b.json fit small.csv --loss=hinge --family=diagonal --lambda=10 --json
gives c.json fit --json --lambda 10 --loss hinge --family diagonal -- small.csv
for file in b.json c.json; do expect_json $file free_energy "$(json a.json free_energy)"; done
expect_exit 0 "$GIBBSITE" fit small.csv -ostuck.json -q
expect_file stuck.json
expect_exit 0 "$GIBBSITE" fit small.csv --output=long.json -q
expect_file long.json

for s in 1 2; do "$GIBBSITE" simulate classify --rows 20 --seed $s -q >s$s.csv; done
"$GIBBSITE" simulate classify --rows 20 -q >s0.csv
refuse '--seed changes the data' cmp -s s1.csv s2.csv
check '--seed 1 is the default' cmp s0.csv s1.csv

for bad in 0 -1 two 2.5 99999999 ' '; do
    as "GIBBSITE_THREADS='$bad' is refused"
    expect_exit 2 env GIBBSITE_THREADS="$bad" "$GIBBSITE" fit small.csv -o never.json
    expect_stderr 'GIBBSITE_THREADS: expected a whole number from 1 to 1024'
done
expect_no_file never.json
as 'GIBBSITE_THREADS=2 is taken'
expect_exit 0 env GIBBSITE_THREADS=2 "$GIBBSITE" fit small.csv -q
as '--threads comes before GIBBSITE_THREADS'
expect_exit 0 env GIBBSITE_THREADS=junk "$GIBBSITE" fit small.csv -q --threads 1
# The environment's number is really used: a second thread shows in /proc while a fit runs.
"$GIBBSITE" simulate classify --rows 20000 --cols 60 -o busy.csv -q
threads_seen() { # threads_seen N: the most threads of a fit with GIBBSITE_THREADS=N
    local most=0 now pid
    GIBBSITE_THREADS=$1 "$GIBBSITE" fit busy.csv -q --max-iter 20 >/dev/null 2>&1 &
    pid=$!
    while now=$(awk '/^Threads/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [[ $now ]]; do
        ((now > most)) && most=$now
        sleep 0.01
    done
    wait "$pid" 2>/dev/null
    echo "$most"
}
says 'GIBBSITE_THREADS=1: one thread' "$(threads_seen 1)" = 1
says 'GIBBSITE_THREADS=3: three threads' "$(threads_seen 3)" = 3

# ---------------------------------------------------------------- help
escape=$(printf '\033')
mapfile -t all_commands < \
    <("$GIBBSITE" help | sed -n '/^usage/,/^A first try/s/^  \([a-z]*\) .*/\1/p')
says 'the help lists at least the first commands' ${#all_commands[@]} -ge 7
for command in "${all_commands[@]}"; do
    gives help.txt help "$command"
    gives help2.txt "$command" --help
    check "$command --help is help $command" cmp help.txt help2.txt
    gives help2.txt "$command" -h
    check "$command -h is help $command" cmp help.txt help2.txt
    says "$command has a usage line" "$(grep -c "^usage: gibbsite $command" help.txt)" = 1
    check "$command has examples" grep -qE '^  (zcat .*)?gibbsite (--)?[a-z]' help.txt
    check "$command names its exit codes" grep -q \
        '^Exit codes: 0 done; 1 out of memory; 2 usage; 3 bad data' help.txt
    gives help.txt help "$command" --all
    for option in json quiet threads seed help; do grep -qE -- "--$option( |$)" help.txt \
        || not_ok "help $command names --$option"; done
done
gives help.txt help fit --all
for option in output task loss family lambda lambda-grid select prior prior-sd target positive \
    drop scale no-intercept missing no-header \
    test path solver form batch epochs schedule restarts tol max-iter; do
    check "help fit names --$option" grep -qE -- "^  (-., )?--$option( |$)" help.txt
done
gives help.txt help simulate
for option in output rows cols noise density shape signal format; do check \
    "help simulate names --$option" grep -qE -- "^  (-., )?--$option( |$)" help.txt; done
gives help.txt help
for command in fit predict evaluate inspect simulate; do check "help names $command" grep -qE \
    "^  $command " help.txt; done
gives help2.txt --help
check '--help is help' cmp help.txt help2.txt
# Every option that the program accepts is in the help of its command, and what the help names is
# accepted.
for command in "${all_commands[@]}"; do
    gives help.txt help "$command" --all
    for option in \
        $(grep -oE '^  (-., )?--[a-z-]+( [A-Z:]+)?' help.txt |
        grep -oE -- '--[a-z-]+( [A-Z:]+)?' | tr ' ' '='); do
        "$GIBBSITE" "$command" "${option%%=*}" >/dev/null 2>"$stderr"
        if grep -q 'unknown option' "$stderr"; then not_ok "$command knows $option"; fi
    done
done
gives version.txt --version
expect_stdout '^gibbsite [0-9]+\.[0-9]+\.[0-9]+ \(.+\)$'
gives version2.txt version
check '--version is version' cmp version.txt version2.txt
colour=0
for command in 'help fit' 'fit small.csv' 'inspect model.json' 'evaluate model.json test.csv' \
    'fit absent.csv' 'fit --oops' version; do
    # shellcheck disable=SC2086
    "$GIBBSITE" $command 2>&1 | grep -q "$escape" && colour=1
done
says 'no colour in a pipe' $colour = 0

# ---------------------------------------------------------------- not converged
as 'one iteration is not enough'
expect_exit 4 "$GIBBSITE" fit train.csv --max-iter 1 -o short.json --json
expect_json "$stdout" converged false
expect_stderr 'did not converge'
expect_json short.json fit.converged false
gives '/dev/null' predict short.json test.csv
as 'not converged, quietly'
expect_exit 4 "$GIBBSITE" fit train.csv --max-iter 1 -o short.json -q
expect_silence stderr
expect_silence stdout

# ---------------------------------------------------------------- formats
sim=(simulate classify --rows 200 --cols 5 --seed 9 -q)
for ending in csv svm npy; do "$GIBBSITE" "${sim[@]}" -o same.$ending; done
for ending in csv svm npy; do gzip -nc same.$ending >same.$ending.gz; done
cp same.svm same_svm
cp same.npy.gz same_npy_gz
cp same.csv same_csv
for loss in zero-one hinge; do
    for file in same.csv same.svm same.npy same.csv.gz same.svm.gz same.npy.gz same_svm \
        same_npy_gz same_csv; do
        expect_exit 0 "$GIBBSITE" fit $file --loss $loss -o "$file.$loss.json" -q
        expect_near "$file, $loss: the free energy of same.csv" \
            "$(json "$file.$loss.json" fit.free_energy)" \
            "$(json same.csv.$loss.json fit.free_energy)" 1e-10
        "$GIBBSITE" predict "$file.$loss.json" $file >p.csv
        [[ -e same.$loss.p ]] || cp p.csv same.$loss.p
        check "$file, $loss: the predictions of same.csv" close p.csv same.$loss.p 1e-6
    done
    check "plain and gzip, $loss: the same bits" test "$(json same.csv.$loss.json posterior)" = \
        "$(json same.csv.gz.$loss.json posterior)"
done
for pair in 'csv svm' 'svm csv' 'csv npy' 'npy csv' 'svm npy' 'npy svm'; do
    read -r from to <<<"$pair"
    expect_exit 0 "$GIBBSITE" predict same.$from.hinge.json same.$to
    check "trained on $from, asked with $to" close "$stdout" same.hinge.p 1e-6
done
as 'the format can be forced'
expect_exit 0 "$GIBBSITE" fit same_svm --format svmlight -q
expect_exit 0 "$GIBBSITE" simulate classify --rows 200 --cols 5 --seed 9 -q --format npy
check 'simulate --format npy writes what -o FILE.npy does' cmp "$stdout" same.npy

# One table, spelled differently.
variant() { # variant NAME FILE: the same coefficients, to the last bit
    expect_exit 0 "$GIBBSITE" fit "$2" --loss zero-one -o variant.json -q &&
        check "$1: the identical model" test "$(json variant.json posterior)" = \
            "$(json same.csv.zero-one.json posterior)"
}
sed 's/$/\r/' same.csv >crlf.csv
variant CRLF crlf.csv
{ printf '\357\273\277'; cat same.csv; } >bom.csv
variant 'byte order mark' bom.csv
sed -e 's/[^,]*/"&"/g' same.csv >quoted.csv
variant quotes quoted.csv
tr , '\t' <same.csv >tab.tsv
variant tabs tab.tsv
tr , ';' <same.csv >semicolon.csv
variant semicolons semicolon.csv
sed -e 's/,/ , /g' same.csv >spaces.csv
variant 'spaces around cells' spaces.csv
head -c -1 same.csv >unfinished.csv
variant 'no newline at the end' unfinished.csv
sed -e '3s/$/\n\n/' same.csv >gaps.csv
variant 'blank lines' gaps.csv
tail -n +2 same.csv >bare.csv
variant 'no header' bare.csv
{ printf '\357\273\277'; sed -e 's/[^,]*/"&"/g' -e 's/$/\r/' same.csv | tr , ';'; } >all.csv
variant 'all at once' all.csv

{ head -n 1 same.csv; tail -n +2 same.csv | tac; } >reversed.csv
{ head -n 1 same.csv; tail -n +2 same.csv | awk '{ print (NR * 7919) % 200 "\t" $0 }' | sort -n \
    | cut -f2; } >shuffled.csv
for file in reversed shuffled; do
    for loss in zero-one hinge; do
        expect_exit 0 "$GIBBSITE" fit same.csv --prior zero --loss $loss -o same.json -q
        expect_exit 0 "$GIBBSITE" fit $file.csv --prior zero --loss $loss -o variant.json -q
        expect_near "$file rows, $loss: the same optimum" "$(json variant.json fit.free_energy)" \
            "$(json same.json fit.free_energy)" 1e-8
    done
done

# Text columns, matched by name.
awk 'BEGIN { print "shop,age,colour,bought"; split("north south east", shop, " ")
    for (i = 0; i < 90; i++) { age = 20 + (i * 37) % 50
        colour = i % 4 == 1 ? "\"green, pale\"" : i % 4 == 2 ? "red" : "dark blue"
        print shop[i % 3 + 1] "," age "," colour "," (age > 40 || i % 3 == 0 ? "yes" : "no") } }' \
            >shops.csv
expect_exit 0 "$GIBBSITE" fit shops.csv -o shops.json -q
expect_exit 0 "$GIBBSITE" inspect shops.json --json
expect_json "$stdout" d 8
expect_json "$stdout" 'coefficients[0].name' shop=east
expect_json "$stdout" 'coefficients[5].name' 'colour=green, pale'
expect_json "$stdout" positive yes
gives p1.csv predict shops.json shops.csv
sed -E 's/^([^,]*),([^,]*),("[^"]*"|[^,]*),(.*)$/\4,\3,\1,\2/' shops.csv >permuted.csv
gives p2.csv predict shops.json permuted.csv
check 'columns in another order: the same predictions' cmp p1.csv p2.csv
sed -E 's/^([^,]*),([^,]*),("[^"]*"|[^,]*),(.*)$/\3,\1,\2/' shops.csv >unlabelled.csv
gives p2.csv predict shops.json unlabelled.csv
check 'text labels, and a file without them: the same predictions' cmp p1.csv p2.csv
says 'labels as they were written' "$(cut -d, -f1 p1.csv | tail -n +2 | sort -u | tr '\n' ' ')" = \
    'no yes '
expect_exit 0 "$GIBBSITE" fit shops.csv --positive no -o other.json -q
"$GIBBSITE" predict other.json shops.csv >p2.csv
check '--positive turns the scores around' awk -F, \
    'NR == FNR { s[FNR] = $3; next } FNR > 1 { e = s[FNR] + $3;
        if (e < -1e-5 || e > 1e-5) exit 1 }' p1.csv p2.csv
expect_exit 0 "$GIBBSITE" fit shops.csv --text age -o ages.json -q
expect_exit 0 "$GIBBSITE" predict ages.json shops.csv
expect_exit 0 "$GIBBSITE" fit shops.csv --drop shop,3 --target bought --json
expect_json "$stdout" d 2
expect_exit 0 "$GIBBSITE" fit shops.csv --target shop --positive north --json
expect_json "$stdout" n 90

# ---------------------------------------------------------------- threads
same_threads() { # same_threads NAME FILE OPTION...: 1, 2 and 7 threads, bit for bit
    local name=$1 file=$2 n
    shift 2
    for n in 1 2 7; do
        "$GIBBSITE" fit "$file" "$@" --threads $n -o t$n.json --json \
            | sed -E '/"(read|fit|total)": [0-9]/d' >t$n.out
        "$GIBBSITE" predict t$n.json "$file" --threads $n >t$n.csv
    done
    for n in 2 7; do
        check "$name: the JSON of $n threads is that of one" cmp t1.out t$n.out
        check "$name: the predictions of $n threads are those of one" cmp t1.csv t$n.csv
    done
}
"$GIBBSITE" simulate classify --rows 6000 --cols 25 -o many.csv -q
"$GIBBSITE" simulate classify --rows 3000 --cols 400 --density 0.03 -o sparse.svm -q
"$GIBBSITE" simulate classify --rows 150 --cols 900 --density 0.05 --seed 3 -o flat.svm -q
same_threads 'zero-one, full' many.csv --max-iter 50
same_threads 'hinge, diagonal, L-BFGS' many.csv --loss hinge --family diagonal --solver lbfgs
same_threads 'hinge, sparse' sparse.svm --loss hinge --family diagonal
same_threads 'stochastic' many.csv --solver sgd --family diagonal --epochs 3
same_threads 'dual' flat.svm --family full --loss hinge
same_threads 'restarts' small.csv --restarts 3

# ---------------------------------------------------------------- path, restarts, stochastic, dual
expect_exit 0 "$GIBBSITE" fit small.csv --prior zero --lambda-grid 1:100:5 --select last --path \
    path.csv --json
says 'a path of five' "$(json "$stdout" 'path.#')" = 5
says 'the path as CSV' "$(head -n 1 path.csv)" = \
    lambda,prior_sd,free_energy,gibbs_risk,kl,optimality_gap,iterations,converged,bound
says 'one row per lambda' "$(wc -l <path.csv)" = 6
check 'lambda climbs, the risk falls, the KL grows' awk -F, \
    'NR > 2 && !($1 > l && $4 <= r + 1e-6 && $5 >= k - 1e-6) { print; bad = 1 }
        NR > 1 { l = $1; r = $4; k = $5 } END { exit bad || l != 100 }' path.csv
expect_json "$stdout" lambda 100
expect_near 'evenly spaced on the log scale' "$(json "$stdout" 'path[1].lambda')" \
    3.1622776601683795 1e-12
expect_exit 0 "$GIBBSITE" fit small.csv --lambda-grid 1:100:5 --path path.json -q
says 'the path as JSON' "$(json path.json '#')" = 5
typed path.json number '[4].lambda' '[4].free_energy' '[4].gibbs_risk' '[4].kl'
expect_exit 0 "$GIBBSITE" fit small.csv --path - -q
expect_stdout '^lambda,prior_sd,'

expect_exit 0 "$GIBBSITE" fit small.csv --restarts 5 --json
cp "$stdout" r.json
says 'five free energies' "$(json r.json 'restarts.#')" = 5
best=$(for k in 0 1 2 3 4; do json r.json "restarts[$k]"; done | sort -g | head -n 1)
says 'the best of them is kept' "$(json r.json free_energy)" = "$best"

for schedule in modern paper; do
    "$GIBBSITE" fit small.csv --solver sgd --schedule $schedule --batch 32 --epochs 5 --loss hinge \
        --family diagonal --json >s.json 2>"$stderr"
    rc=$?
    says "sgd, $schedule: done, or not converged and said so" $rc = 0 -o $rc = 4
    expect_json s.json solver sgd
    check "sgd, $schedule: free_energy = lambda x gibbs_risk + kl" holds_energy s.json ''
done

for loss in hinge exponential; do
    for file in small.csv flat.svm; do
        [[ $file == small.csv || $loss == hinge ]] || continue
        expect_exit 0 "$GIBBSITE" fit $file --family full --form primal --loss $loss -o \
            primal.json --json -q
        cp "$stdout" primal.out
        expect_exit 0 "$GIBBSITE" fit $file --family full --form dual --loss $loss -o dual.json \
            --json -q
        expect_json "$stdout" form dual
        expect_json primal.out form primal
        expect_near "$file, $loss: dual and primal reach the same free energy" \
            "$(json "$stdout" free_energy)" "$(json primal.out free_energy)" 1e-8
    done
done
expect_exit 0 "$GIBBSITE" fit small.csv --family full --form primal --loss hinge --tol 1e-12 -o \
    primal.json -q
expect_exit 0 "$GIBBSITE" fit small.csv --family full --form dual --loss hinge --tol 1e-12 -o \
    dual.json -q
check 'dual and primal predict alike' bash -c \
    '"$1" predict primal.json small.csv >p1.csv && "$1" predict dual.json small.csv >p2.csv' _ \
    "$GIBBSITE"
check 'dual and primal: the same predictions' close p1.csv p2.csv 1e-5
