#!/usr/bin/env bash
# gibbsite complete, simulate ratings, predict and evaluate of completions: JSON, files, formats,
# threads, what they refuse.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

expect_exit 0 "$GIBBSITE" simulate ratings --rows 120 --cols 90 --rank 2 --density 0.4 --noise 0.4 \
    --range 0:6 -o train.csv --json
expect_json "$stdout" kind ratings
expect_json "$stdout" n 4320
expect_json "$stdout" rank 2
expect_near 'the noise is said' "$(json "$stdout" noise_variance)" 0.16 1e-12
"$GIBBSITE" simulate ratings --rows 120 --cols 90 --rank 2 --density 0.4 --noise 0.4 --range 0:6 \
    --skip 4320 -o test.csv -q
refuse 'skipped ratings are others' cmp train.csv test.csv
expect_exit 0 "$GIBBSITE" simulate ratings --rows 50 --cols 40 --skew 1.5 --no-biases -o skew.csv
expect_stderr '200 ratings of 50 rows and 40 columns'

# ---------------------------------------------------------------- JSON
expect_exit 0 "$GIBBSITE" complete train.csv --model paper -o model.json --rank 8 --range 0:6 \
    --test test.csv --json
expect_silence stderr
expect_file model.json
cp "$stdout" c.json
expect_json c.json command complete
expect_json c.json task complete
expect_json c.json n 4320
expect_json c.json rows 120
expect_json c.json cols 90
expect_json c.json rank 8
expect_json c.json effective_rank 2
expect_json c.json biases true
expect_json c.json noise learned
expect_json c.json converged true
expect_json c.json sampler vb
expect_json c.json 'range[1]' 6
expect_json c.json certificate.method kl
expect_json c.json certificate.loss squared
expect_json c.json certificate.target gibbs
expect_json c.json certificate.status valid
expect_json c.json certificate.blocks 4320
for key in lambda noise_variance free_energy kl rmse sweeps certificate.value certificate.rmse \
    certificate.empirical certificate.kl \
    certificate.penalty_nats.xi certificate.penalty_nats.grid certificate.penalty_nats.confidence \
    test.rmse test.mae test.coverage seconds.fit; do
    holds "$key is a positive number" "$(json c.json $key) > 0"
done
expect_near 'lambda is n / (2 noise variance)' "$(json c.json lambda)" \
    "$(awk -v v="$(json c.json noise_variance)" 'BEGIN { printf "%.12g", 2160 / v }')" 1e-9
# 4320 ratings: the standard error of a noise variance of 0.16 is 0.0034
expect_near 'the noise is found' "$(json c.json noise_variance)" 0.16 0.025
holds 'the test error is near the noise' \
    "$(json c.json test.rmse) < 0.48 && $(json c.json test.rmse) > 0.36"
holds 'intervals cover' "$(json c.json test.coverage) > 0.92 && $(json c.json test.coverage) < 0.98"

# an informed prior makes a certificate that says something; a model that is vacuous says so
expect_json c.json certificate.vacuous true
expect_exit 0 "$GIBBSITE" complete train.csv --model paper --rank 8 --range 0:6
expect_stdout 'VACUOUS'
expect_exit 0 "$GIBBSITE" complete train.csv --rank 8 --range 0:6 --prior informed --test test.csv \
    --json
cp "$stdout" i.json
expect_json i.json certificate.vacuous false
expect_json i.json prior informed
expect_near 'four fifths come first' "$(json i.json prior_split)" 0.8 1e-12
expect_json i.json certificate.blocks 864
expect_json i.json certificate.penalty_nats.grid 0
expect_json i.json certificate.target gibbs
expect_near 'of one draw the value is squared' "$(json i.json certificate.rmse)" \
    "$(awk -v s="$(json i.json certificate.value)" 'BEGIN { printf "%.17g", 6 * sqrt(s) }')" 1e-12
holds 'the true error is below the certificate' \
    "$(json i.json test.rmse) < $(json i.json certificate.rmse)"
expect_exit 0 "$GIBBSITE" complete train.csv --rank 8 --json
expect_json "$stdout" certificate null
expect_json "$stdout" range null
expect_json "$stdout" test null

# ---------------------------------------------------------------- noise, lambda, biases
expect_exit 0 "$GIBBSITE" complete train.csv --rank 8 --noise 0.16 --json
expect_json "$stdout" noise given
expect_near 'the noise is as given' "$(json "$stdout" noise_variance)" 0.16 1e-12
f=$(json "$stdout" free_energy)
expect_exit 0 "$GIBBSITE" complete train.csv --rank 8 --lambda 13500 --json
expect_near 'lambda says the same' "$(json "$stdout" free_energy)" "$f" 1e-9
expect_exit 0 "$GIBBSITE" complete train.csv --rank 8 --no-biases --json
expect_json "$stdout" biases false
expect_json "$stdout" mean 0
expect_exit 4 "$GIBBSITE" complete train.csv --max-iter 3 --json
expect_json "$stdout" converged false

# ---------------------------------------------------------------- choices and starts
expect_exit 0 "$GIBBSITE" complete train.csv --rank 4 --select cv --folds 2 --test test.csv -o \
    chosen.json --json
expect_json "$stdout" 'choices.#' 5
expect_json "$stdout" 'choices[2].rank' 4
expect_json "$stdout" 'choices[4].model' paper
expect_exit 0 "$GIBBSITE" complete train.csv --model hierarchical --rank 4 --select cv --folds 2 -v
expect_stdout 'chosen by the error on ratings left out, 2 folds'
expect_stdout 'hierarchical +[0-9]+ .* taken'
expect_exit 0 "$GIBBSITE" complete train.csv --rank 8 --range 0:6 --select cv --folds 3 --restarts \
    2 --test test.csv -o cv.json --json
cp "$stdout" cv.out
expect_json cv.out folds 3
expect_json cv.out 'choices.#' 5
expect_json cv.out 'restarts.#' 2
expect_json cv.out certificate.status valid
check 'one is taken, the smallest' awk '/"rmse":/ && !/_/ { gsub(/[^0-9.]/, ""); last = $0 }
    /"rmse_se"/ { r[++n] = last } /"taken": true/ { taken = n; k++ }
    END { for (i = 1; i <= n; i++) if (r[i] < r[taken]) bad = 1; exit bad || k != 1 || n != 5 }' \
        cv.out
expect_near 'the least free energy is kept' "$(json cv.out free_energy)" \
    "$(awk -v a="$(json cv.out 'restarts[0]')" \
    -v b="$(json cv.out 'restarts[1]')" 'BEGIN { printf "%.17g", a < b ? a : b }')" 1e-12
expect_exit 0 "$GIBBSITE" complete train.csv --rank 8 --range 0:6 --select cv --folds 3 --restarts \
    2 --threads 1 --json
for key in free_energy 'choices[3].rmse' 'restarts[1]' certificate.value; do
    expect_json "$stdout" "$key" "$(json cv.out "$key")"
done
expect_exit 0 "$GIBBSITE" inspect cv.json
expect_stdout 'chosen by the error on ratings left out, 3 folds'
expect_stdout '^  starts +free energies'
expect_words 'moves the posterior and not the prior'
expect_exit 0 "$GIBBSITE" complete train.csv --rank 8 --select cv --lambda-grid 100:1000000:3 \
    --folds 2 --json
expect_json "$stdout" noise chosen
expect_json "$stdout" lambda 10000
expect_exit 0 "$GIBBSITE" complete train.csv --rank 8 --range 0:6 --prior informed --select cv \
    --folds 2 -v
expect_words 'inside the first part'
expect_words 'for the middle of the range, [0-9.]* for the first part.s means'

# ---------------------------------------------------------------- yardsticks
expect_near 'RMSE of the training mean' "$(json c.json test.mean_rmse)" \
    "$(awk -F, -v m="$(json c.json ratings_mean)" 'NR > 1 { s += ($3 - m)^2; n++ }
        END { printf "%.12g", sqrt(s / n) }' test.csv)" 1e-9
holds 'the hold-out bound is above the error, and near it' \
    "$(json c.json test.holdout_rmse) > $(json c.json test.rmse) && \
        $(json c.json test.holdout_rmse) < 1.4 * $(json c.json test.rmse)"
holds 'the middle of the range is certified too' \
    "$(json c.json certificate.middle_rmse) > $(json c.json ratings_sd) && \
        $(json c.json certificate.middle_rmse) < 3"
expect_json c.json certificate.holdout_rmse null
expect_exit 0 "$GIBBSITE" evaluate model.json test.csv --confidence 0.5 --json
holds 'less confidence, a smaller bound' \
    "$(json "$stdout" holdout_rmse) < $(json c.json test.holdout_rmse)"
printf 'row,col,value\n1,1,60\n' >beyond.csv
expect_exit 0 "$GIBBSITE" evaluate model.json beyond.csv --json
expect_json "$stdout" holdout_rmse null

# ---------------------------------------------------------------- predict, evaluate
cut -d, -f1,2 test.csv >pairs.csv
expect_exit 0 "$GIBBSITE" predict model.json pairs.csv
cp "$stdout" p.csv
check 'one line a pair' awk -F, \
    'NR == 1 && $0 != "value,sd,new" { bad = 1 }
        NR > 1 && ($1 < 0 || $1 > 6 || !($2 > 0) || $3 != "") { bad = 1 }
        END { exit bad || NR != 4321 }' p.csv
expect_exit 0 "$GIBBSITE" evaluate model.json test.csv --json
cp "$stdout" e.json
expect_json e.json n 4320
expect_json e.json rmse "$(json c.json test.rmse)"
expect_json e.json coverage "$(json c.json test.coverage)"
rmse=$(paste -d, p.csv test.csv | awk -F, \
    'NR > 1 { s += ($1 - $6)^2; n++ } END { printf "%.12g", sqrt(s / n) }')
expect_near 'evaluate scores what predict says' "$(json e.json rmse)" "$rmse" 1e-9
expect_exit 0 "$GIBBSITE" evaluate model.json test.csv
expect_stdout '^RMSE +0\.'
printf 'row,col\n7,3\nnobody,3\n7,nothing\nnobody,nothing\n' >new.csv
expect_exit 0 "$GIBBSITE" predict model.json new.csv --parts
expect_stderr '2 in rows and 2 in columns that the model does not know'
cp "$stdout" n.csv
check 'new ones are flagged, and wider' awk -F, 'NR == 1 { next }
    { sd[NR] = $2; if (($3^2 + $4^2 - $2^2)^2 > 1e-12) bad = 1; flag = flag $5 ";" }
    END { exit bad || flag != ";row;column;both;" || !(sd[3] > sd[2] && sd[4] > sd[2] &&
    sd[5] > sd[3]) }' n.csv
expect_exit 0 "$GIBBSITE" predict model.json new.csv --json
expect_json "$stdout" 'predictions.#' 4
expect_json "$stdout" 'predictions[1].new' row

expect_exit 0 "$GIBBSITE" predict model.json --row 7 --top 5
cp "$stdout" top.csv
check 'five columns, best first, not rated yet' awk -F, 'NR == FNR { if ($1 == 7) rated[$2] = 1;
    next } FNR > 1 { n++; if ($1 in rated) bad = 1; if (n > 1 && $2 > last) bad = 1; last = $2 }
    END { exit bad || n != 5 }' train.csv top.csv
expect_exit 0 "$GIBBSITE" predict model.json --row 7 --top 100000 --json
rated=$(awk -F, '$1 == 7 { print $2 }' train.csv | sort -u | wc -l)
expect_json "$stdout" 'top.#' $((90 - rated))

expect_exit 0 "$GIBBSITE" inspect model.json --json
for key in n rows cols rank effective_rank lambda noise_variance free_energy rmse sweeps \
    certificate.value; do
    expect_json "$stdout" $key "$(json c.json $key)"
done
expect_exit 2 "$GIBBSITE" evaluate model.json test.csv --importance
expect_stderr '^gibbsite: evaluate: --importance is not for ratings$'
expect_exit 0 "$GIBBSITE" inspect model.json --json
expect_json "$stdout" origin.rows 4320
expect_json "$stdout" origin.seed 1
expect_exit 0 "$GIBBSITE" inspect model.json
expect_stdout 'ratings +4320 of 120 rows and 90 columns'

# ---------------------------------------------------------------- the sampler
expect_exit 0 "$GIBBSITE" complete train.csv --rank 4 --range 0:6 --sampler gibbs --draws 60 \
    --burn-in 20 --keep 10 --test test.csv -o gibbs.json --json
cp "$stdout" g.json
expect_json g.json sampler gibbs
expect_json g.json draws 60
expect_json g.json burn_in 20
expect_json g.json model hierarchical
expect_json g.json certificate.target rmse
"$GIBBSITE" complete train.csv --rank 4 --range 0:6 --test test.csv --json >meanfield.json
holds 'the sampler predicts as well' \
    "$(json g.json test.rmse) < 1.01 * $(json meanfield.json test.rmse)"
expect_exit 0 "$GIBBSITE" evaluate gibbs.json test.csv --json
expect_near 'ten kept draws come close to sixty' "$(json "$stdout" rmse)" \
    "$(json g.json test.rmse)" 0.02
expect_exit 0 "$GIBBSITE" predict gibbs.json new.csv -q

# ---------------------------------------------------------------- threads and seeds
for threads in 1 2 7; do
    "$GIBBSITE" complete train.csv --model paper --rank 8 --range 0:6 --threads $threads -o \
        t$threads.json -q
    sed -E 's/"seconds":[^,}]*//' t$threads.json >u$threads.json
done
check 'threads 1 and 2 fit alike' cmp u1.json u2.json
check 'threads 1 and 7 fit alike' cmp u1.json u7.json

# -------------------------------------- input: names, order, separators, MatrixMarket, gzip, texts
expect_same() { # expect_same NAME FILE: fits as train.csv does
    expect_exit 0 "$GIBBSITE" complete "$2" --model paper --rank 2 --json
    expect_near "$1" "$(json "$stdout" rmse)" "$plain" 1e-9
}
plain=$("$GIBBSITE" complete train.csv --model paper --rank 2 --json |
    "$GIBBSITE_BUILD/tests/jget" /dev/stdin rmse)
awk -F, -v OFS=, \
    'NR == 1 { print "Rating", "stamp", "userId", "movieId" } NR > 1 { print $3, 99, $1, $2 }' \
    train.csv >named.csv
expect_same 'names in another order' named.csv
awk -F, -v OFS=, 'NR == 1 { print "Stars", "who", "film" } NR > 1 { print $3, $1, $2 }' train.csv \
    >other.csv
expect_same 'two names of three' other.csv
awk -F, -v OFS=, 'NR == 1 { print "opinion", "user", "item" } NR > 1 { print $3, $1, $2 }' \
    train.csv >value.csv
expect_same 'the values by what is left' value.csv
awk -F, -v OFS='\t' 'NR > 1 { print $1, $2, $3, 881250949 }' train.csv >u.data
expect_same 'tabs, no header, a fourth column' u.data
awk -F, 'NR > 1 { print $1, $2, $3 }' train.csv | sed -e \
    '1i %%MatrixMarket matrix coordinate real general\n% a comment\n120 90 4320' >m.mtx
expect_same 'MatrixMarket' m.mtx
gzip -nk m.mtx train.csv
expect_same 'MatrixMarket, gzipped' m.mtx.gz
expect_same 'CSV, gzipped' train.csv.gz
as 'from standard input'
expect_exit 0 "$GIBBSITE" complete - --model paper --rank 2 --json <train.csv
expect_near 'the same from there' "$(json "$stdout" rmse)" "$plain" 1e-9
long=$(printf 'x%.0s' {1..10000})
printf 'row,col,value\n"an, na",%s,3\nbo,%s,4\n"an, na",ü,2\nbo,ü,1\n"an, na",ü,2\n' "$long" \
    "$long" >texts.csv
expect_exit 0 "$GIBBSITE" complete texts.csv -o texts.json --json
expect_json "$stdout" rows 2
expect_json "$stdout" n 5
expect_exit 0 "$GIBBSITE" predict texts.json --row 'an, na' --top 3
check 'all its columns are rated' test "$(wc -l <"$stdout")" = 1
# a header may promise a matrix that nobody could hold
printf '%%%%MatrixMarket matrix coordinate integer general\n100000000 100000000 3\n1 1 '\
'4\n99999999 2 3\n1 100000000 5\n' >wide.mtx
expect_exit 0 "$GIBBSITE" complete wide.mtx --json
expect_json "$stdout" rows 2
printf 'row,col,value\n1,1,3\n' >one.csv
expect_exit 0 "$GIBBSITE" complete one.csv --json
printf 'row,col,value\n1,1,3\n1,2,3\n2,1,3\n' >same.csv
expect_exit 0 "$GIBBSITE" complete same.csv -o same.json --rank 500 -q
expect_exit 0 "$GIBBSITE" complete same.csv --rank 2
expect_stderr 'every value is 3, and so is every prediction.*implicit data.: they are not supported'
for shape in '1,k' 'k,1'; do # one row, one column: all the same, and not
    for value in 4 'k % 5 + 1'; do
        for n in 2 5 40 400; do
            awk -v n=$n "BEGIN { print \"row,col,value\"
                for (k = 1; k <= n; k++) { print ${shape//,/ \",\" } \",\" $value } }" >line.csv
            for more in '' '--model paper' '--model hierarchical' '--positions on'; do
                # shellcheck disable=SC2086
                expect_exit 0 "$GIBBSITE" complete line.csv -q $more
            done
        done
    done
done
# a chain of perfect ratings does not run away
expect_exit 0 "$GIBBSITE" complete same.csv --rank 2 --model hierarchical --sampler gibbs \
    --draws 50 --burn-in 10 -q
{
    echo row,col,value
    for k in {1..60}; do echo "$((k % 8)),$((k / 8)),$((k % 15 == 0 ? 90 : 1))"; done
} >counts.csv
expect_exit 0 "$GIBBSITE" complete counts.csv --rank 2
expect_stderr 'look like counts of events .implicit data.: they are not supported'
{ # few of them are the least: how often songs were played
    echo row,col,value
    for k in {1..160}; do echo "$((k % 13)),$((k / 13)),$((160 / k + k % 7))"; done
} >played.csv
expect_exit 3 "$GIBBSITE" complete played.csv --rank 2 -o none.json
expect_stderr \
    'played.csv: the values look like counts of events, from 1 to 161 .*not supported.*--range'
refuse 'and no model is written' test -e none.json
expect_exit 3 "$GIBBSITE" cv played.csv --rank 2
expect_stderr 'counts of events'
expect_exit 0 "$GIBBSITE" complete played.csv --rank 2 --range 0:200
check 'a declared range is a scale' test -z "$(grep implicit "$stderr")"
expect_exit 0 "$GIBBSITE" complete <(awk -F, 'NR > 1 {$3 = log($3)} {print $1 "," $2 "," $3}' \
    played.csv) --rank 2
check 'logarithms are taken' test -z "$(grep implicit "$stderr")"
{ echo row,col,value && for k in {1..60}; do echo "$((k % 8)),$((k / 8)),1"; done; } >bought.csv
expect_exit 3 "$GIBBSITE" complete bought.csv
expect_stderr 'bought.csv: every value is 1: events .implicit data. are not supported'
expect_exit 3 "$GIBBSITE" cv bought.csv
expect_stderr 'bought.csv: every value is 1: events .implicit data. are not supported.*--range'
expect_exit 0 "$GIBBSITE" complete bought.csv --range 1:5 -q
{ # few plays of many songs: they might be ratings
    echo row,col,value
    for k in {1..200}; do
        echo "$((k % 15)),$((k / 15)),$((k % 100 == 0 ? 9 : k % 9 == 0 ? 3 : k % 4 == 0 ? 2 : 1))"
    done
} >few.csv
expect_exit 0 "$GIBBSITE" complete few.csv --rank 2
expect_stderr 'look like counts of events .implicit data.: they are not supported'
# ratings of every scale are taken without a word, low ones too
while read -r name formula; do
    awk "BEGIN { print \"row,col,value\"
        for (k = 1; k <= 300; k++) { printf \"%d,%d,\", k % 20, int(k / 20); $formula } }" \
            >scale.csv
    expect_exit 0 "$GIBBSITE" complete scale.csv --rank 2
    check "$name are ratings" test -z "$(grep implicit "$stderr")"
done <<'END'
stars print int(k * k / 7) % 5 + 1
low_stars print (k % 10 == 0 ? 5 : k % 3 == 0 ? 2 : 1)
half_stars print (int(k * k / 7) % 10 + 1) / 2
ten print int(k * k / 7) % 10 + 1
low_ten print (k % 25 == 0 ? 10 : k % 4 == 0 ? 2 : k % 7 == 0 ? 3 : 1)
jokes print (k * 37 % 2001 - 1000) / 100
hundred print k * 37 % 101
low_hundred print (k % 20 == 0 ? 100 : k * 37 % 31)
thumbs print k % 2
END
{ # per cents are no counts
    echo row,col,value
    for k in {1..60}; do echo "$((k % 8)),$((k / 8)),$((k * 37 % 101))"; done
} >percent.csv
expect_exit 0 "$GIBBSITE" complete percent.csv --rank 2
check 'per cents are ratings' test -z "$(grep implicit "$stderr")"
{
    echo row,col,value
    for k in {1..60}; do echo "$((k % 8)),$((k / 8)),$((k % 5 + 1))"; done
} >stars.csv
expect_exit 0 "$GIBBSITE" complete stars.csv --rank 2 -v
check 'stars are no counts' test ! -s "$stderr"
expect_exit 0 "$GIBBSITE" predict same.json --row 2 --top 1
check 'equal values are predicted' awk -F, \
    'NR == 2 && ($2 - 3)^2 < 0.01 { ok = 1 } END { exit !ok }' "$stdout"

# ---------------------------------------------------------------- refused
refuses() { # refuses CODE REGEX ARGUMENT...
    local code=$1 regex=$2
    shift 2
    expect_exit "$code" "$GIBBSITE" "$@"
    expect_stderr "$regex"
    expect_silence stdout
}
bad() { # bad REGEX CONTENT...: a file that cannot be used
    printf '%b' "$2" >bad.csv
    refuses 3 "$1" complete bad.csv -o never.json
    expect_no_file never.json
}
bad 'bad.csv: the file is empty' ''
bad "bad.csv:3: column 'value' .column 3.: expected a number, found 'high'" \
    'row,col,value\n1,1,2\n1,2,high\n'
bad "bad.csv:2: column 'value' .column 3.: the value is missing" 'row,col,value\n1,1,\n'
bad "bad.csv:2: column 'value' .column 3.: expected a number, found 'inf'" \
    'row,col,value\n1,1,inf\n'
bad "bad.csv:2: column 'row' .column 1.: the identifier is missing" 'row,col,value\n,1,3\n'
bad 'bad.csv:3: 2 cells, but the first line has 3' 'row,col,value\n1,1,3\n1,2\n'
bad 'bad.csv:1: expected the columns row, col and value; found 2 columns. Events without values' \
    'row,col\n1,1\n'
bad 'holds no ratings' 'row,col,value\n'
bad 'not UTF-8' 'row,col,value\n\0377,1,3\n'
bad 'matrix coordinate real general' '%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n'
bad 'only general matrices' '%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 1 3\n'
bad 'bad.csv:3: row: expected a whole number from 1 to 2' \
    '%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 3\n'
bad 'declares 2 entries, the file has 1' \
    '%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n'
bad 'a pattern has no values.*.implicit data. are not supported' \
    '%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n'
bad 'bad.csv:2: column .value. .column 3.: 1e.200 is too large' 'row,col,value\n1,1,1e200\n'
bad 'bad.csv:1: the header has 4 columns, and none that is called col; expected row, col and value' \
    'value,what,user,when\n3,a,b,9\n'
bad 'bad.csv:1: the header has 3 columns, and none that is called value;' 'user,userid,item\n3,4,b\n'
bad "bad.csv:1: column 'plays' .column 3. counts events by its name" 'user,song,plays\n3,a,7\n'
bad "bad.csv:1: column 'n' .column 3. counts events by its name" 'who,what,n\n3,a,7\n'
bad "bad.csv:1: its cells are separated by '::'" '1::2::5\n2::2::4\n'
bad "bad.csv:2: column 'value' .column 3.: '5,5' has a decimal comma .--decimal ,." \
    'user;item;rating\n1;2;5,5\n'
bad 'declares 100000000 entries, the file has 8' \
    '%%MatrixMarket matrix coordinate real general\n10000 10000 100000000\n1 1 3\n2 2 4\n3 3 5\n4 '\
'4 1\n5 5 2\n6 6 1\n7 7 3\n8 8 3\n'
bad 'expected the numbers of rows, columns and entries' \
    '%%MatrixMarket matrix coordinate real general\n99999999999999999999 1 1\n1 1 3\n'
refuses 5 'nothing.csv' complete nothing.csv
refuses 3 '5 folds need at least as many ratings; there are 1' complete one.csv --select cv
refuses 2 '--folds: expected a whole number from 2' complete train.csv --select cv --folds 1
refuses 2 '--select: expected one of none.cv' complete train.csv --select bound
refuses 2 'chooses the noise; leave --lambda out' complete train.csv --select cv --lambda 3
refuses 2 'chooses the noise; leave --noise out' complete train.csv --select cv --noise 3
refuses 2 '--lambda-grid is for --select cv' complete train.csv --lambda-grid 1:10:3
refuses 2 '--folds is for --select cv' complete train.csv --folds 3
refuses 2 '--restarts: expected a whole number from 1' complete train.csv --restarts 0
refuses 3 "train.csv:[0-9]+: column 'value' .column 3.: .* lies outside --range 3:4" complete \
    train.csv --range 3:4
refuses 2 '--range: expected LO:HI' complete train.csv --range 5:1
refuses 2 '--range: expected LO:HI' complete train.csv --range 5
refuses 2 '--noise: expected learn or a positive number' complete train.csv --noise -1
refuses 2 'say the same thing' complete train.csv --noise 1 --lambda 2
refuses 2 '--rank: expected a whole number from 0 to 512' complete train.csv --rank 1000
refuses 2 '--draws is for --sampler gibbs' complete train.csv --draws 5
refuses 2 'needs --range' complete train.csv --prior informed
refuses 2 '--prior-split is for' complete train.csv --prior-split 0.5
refuses 2 'both want standard output' complete train.csv -o - --json
refuses 2 'would overwrite the input' complete train.csv -o train.csv
refuses 2 'expected one file of ratings' complete
refuses 2 'go together' predict model.json --top 3
refuses 2 'go together' predict model.json pairs.csv --top 3 --row 1
refuses 3 "no row 'nobody'" predict model.json --top 3 --row nobody
refuses 2 '--format is not for ratings' predict model.json pairs.csv --format csv
refuses 2 'is for ratings' simulate classify --rank 3
refuses 2 '--signal is not for ratings' simulate ratings --signal 3
refuses 2 'classify, rank or ratings' simulate nonsense
# names of any kind: row, column and value in this order, but for those that are known
awk -F, 'NR > 1 { print $1 "," $2 "," $3 }' train.csv >bare.csv
for names in u,m,price who,what,stars; do
    (echo "$names" && cat bare.csv) >named.csv
    expect_exit 0 "$GIBBSITE" complete named.csv --rank 2 --seed 3 -o named.json
    expect_stderr "named.csv:1: column '${names%%,*}' is taken for the rows, '.*' for the columns, "
    check "$names: the numbers of the usual names" diff \
        <("$GIBBSITE" complete bare.csv --rank 2 --seed 3 --json | grep -v seconds -A 5 | grep rmse) \
        <("$GIBBSITE" complete named.csv --rank 2 --seed 3 --json 2>/dev/null | grep -v seconds -A 5 |
            grep rmse)
done
printf 'stars,who,what\n' >named.csv && awk -F, '{ print $3 "," $1 "," $2 }' bare.csv >>named.csv
expect_exit 0 "$GIBBSITE" complete named.csv --rank 2 -o named.json
expect_stderr "column 'who' is taken for the rows, 'what' for the columns, 'stars' for the values"
printf 'u,m\n1,2\n3,4\n' >pairs.txt
expect_exit 0 "$GIBBSITE" predict model.json pairs.txt -q
check 'numbers below show that names are names' test "$(wc -l <"$stdout")" = 3

# decimal commas
awk -F, 'BEGIN { OFS = ";" } { sub(/\./, ",", $3); print $1, $2, $3 }' train.csv >europe.csv
head -n 40 test.csv | awk -F, 'BEGIN { OFS = ";" } { sub(/\./, ",", $3); print $1, $2, $3 }' \
    >europe_test.csv
head -n 40 test.csv >few_test.csv
for command in complete cv; do
    "$GIBBSITE" $command train.csv --rank 2 --model paper >point.txt 2>&1
    "$GIBBSITE" $command europe.csv --rank 2 --model paper --decimal , >comma.txt 2>&1
    check "$command: decimal commas" diff <(sed 's/train.csv/europe.csv/; s/([0-9.]* s)//' point.txt) \
        <(sed 's/([0-9.]* s)//' comma.txt)
done
check 'evaluate: decimal commas' diff <("$GIBBSITE" evaluate model.json few_test.csv) \
    <("$GIBBSITE" evaluate model.json europe_test.csv --decimal ,)
check 'predict: decimal commas' diff <("$GIBBSITE" predict model.json few_test.csv) \
    <("$GIBBSITE" predict model.json europe_test.csv --decimal ,)
printf 'ann,bo\ncy,di\n' >ambiguous.csv
refuses 3 'is this line a header' predict model.json ambiguous.csv
expect_exit 0 "$GIBBSITE" predict model.json ambiguous.csv --no-header -q
check 'two pairs' test "$(wc -l <"$stdout")" = 3
"$GIBBSITE" simulate classify --rows 50 --cols 2 -o k.csv -q
"$GIBBSITE" fit k.csv -o k.json -q
refuses 2 'are for completions' predict k.json --row 1 --top 3
head -c 700 model.json >cut.json
refuses 3 'cut.json' predict cut.json pairs.csv

# ---------------------------------------------------------------- the two models
expect_exit 0 "$GIBBSITE" simulate ratings --rows 200 --cols 150 --rank 3 --density 0.1 \
    --positions informed -o liked.csv --json
expect_json "$stdout" positions informed
"$GIBBSITE" simulate ratings --rows 200 --cols 150 --rank 3 --density 0.1 --positions informed \
    --skip 3000 -o liked_new.csv -q
expect_exit 0 "$GIBBSITE" complete liked.csv --test liked_new.csv --threads 2 -o liked.json --json
cp "$stdout" h.json
expect_json h.json model hierarchical
expect_json h.json positions true
expect_json h.json converged true
expect_json h.json certificate null
holds 'intervals of the hierarchical model cover' \
    "$(json h.json test.coverage) > 0.93 && $(json h.json test.coverage) < 0.97"
holds 'intervals of every level' \
    "$(json h.json 'test.intervals[0].share') > 0.45 && \
        $(json h.json 'test.intervals[0].share') < 0.56"
holds 'rows are counted' "$(json h.json 'test.by_row_count[0].n') > 0"
expect_exit 0 "$GIBBSITE" complete liked.csv --model paper --test liked_new.csv --json
expect_json "$stdout" model paper
expect_json "$stdout" positions false
holds 'what is rated informs' "$(json h.json test.rmse) < 0.97 * $(json "$stdout" test.rmse)"
expect_exit 0 "$GIBBSITE" complete liked.csv --positions off --json
expect_json "$stdout" positions false
expect_exit 0 "$GIBBSITE" complete liked.csv --positions off --range -20:20 --model hierarchical \
    --json
expect_json "$stdout" 'range[1]' 20
for option in '--noise learn' '--restarts 1' '--prior zero'; do
    # shellcheck disable=SC2086
    expect_exit 0 "$GIBBSITE" complete liked.csv $option --rank 2 --max-iter 400 --json
    expect_json "$stdout" model paper
done
expect_exit 0 "$GIBBSITE" inspect liked.json
expect_stdout 'hierarchical, [0-9]+ components'
expect_exit 0 "$GIBBSITE" evaluate liked.json liked_new.csv --json
expect_near 'the file predicts the same' "$(json "$stdout" rmse)" "$(json h.json test.rmse)" 1e-12
printf 'row,col\n1,2\n2,2\nnobody,2\n1,nothing\n' >liked_pairs.csv
expect_exit 0 "$GIBBSITE" predict liked.json liked_pairs.csv --parts -q
check 'rows have their own noise' test "$(sed -n 2p "$stdout" | cut -d, -f4)" != \
    "$(sed -n 3p "$stdout" | cut -d, -f4)"
for threads in 1 7; do
    "$GIBBSITE" complete liked.csv --threads $threads -o h$threads.json -q
    sed -i -E 's/"seconds": *[^,}]*//' h$threads.json
done
sed -E 's/"seconds": *[^,}]*//' liked.json >h2.json
check 'the same bits with 2 threads' cmp h1.json h2.json
check 'the same bits with 7 threads' cmp h1.json h7.json
sed 's/"noise": *\[[^,]*,/"noise":[-1,/' liked.json >negative.json
refuses 3 'noise' predict negative.json liked_pairs.csv
refuses 2 '--positions is for --model hierarchical' complete liked.csv --model paper --positions on
refuses 2 '--positions is for --model hierarchical; give --model' complete liked.csv --noise 1 \
    --positions on
expect_exit 0 "$GIBBSITE" complete liked.csv --model hierarchical --prior informed --range -20:20 \
    -o anchored.json --json
expect_json "$stdout" model hierarchical
expect_json "$stdout" prior informed
expect_json "$stdout" certificate.blocks 600
expect_exit 0 "$GIBBSITE" inspect anchored.json
expect_stdout 'one random draw is at most'
expect_exit 0 "$GIBBSITE" complete liked.csv --model hierarchical --prior zero --range -20:20 \
    --rank 2 --json
expect_json "$stdout" model hierarchical
expect_json "$stdout" prior zero
expect_json "$stdout" certificate.target gibbs
refuses 2 '--positions on does' complete liked.csv --model hierarchical --prior zero --range \
    -20:20 --positions on
refuses 2 '--select cv does' complete liked.csv --model hierarchical --prior zero --range -20:20 \
    --select cv
refuses 2 '--prior zero with --model hierarchical is for a certificate, which needs --range' \
    complete liked.csv --model hierarchical --prior zero
refuses 2 '--noise is for --model paper' complete liked.csv --model hierarchical --noise 1
expect_exit 0 "$GIBBSITE" complete train.csv --model paper --rank 4 --range 0:6 --sampler gibbs \
    --draws 20 --burn-in 5 --test test.csv --json
expect_json "$stdout" certificate null
refuses 2 'is for ratings' simulate classify --positions informed

# ------------------------------------------------------------ the deployed predictor's certificate
expect_exit 0 "$GIBBSITE" complete train.csv --rank 4 --range 0:6 --test test.csv -o deployed.json \
    --json
cp "$stdout" d.json
expect_json d.json model paper # a small table, random positions: ratings left out say so
expect_json d.json certificate.target rmse
expect_json d.json certificate.method betting
expect_json d.json certificate.status valid
expect_json d.json certificate.rows 1000
expect_json d.json certificate.vacuous false
expect_json d.json certificate.value "$(json d.json certificate.rmse)"
expect_near 'the squared error, over the range, is beside it' "$(json d.json certificate.value)" \
    "$(awk -v s="$(json d.json certificate.squared)" 'BEGIN { printf "%.17g", 6 * sqrt(s) }')" 1e-12
expect_near 'and what was seen' "$(json d.json certificate.empirical)" \
    "$(awk -v s="$(json d.json certificate.squared_empirical)" \
    'BEGIN { printf "%.17g", 6 * sqrt(s) }')" 1e-12
holds 'what was seen is near the noise of the simulation' \
    "$(json d.json certificate.empirical) > 0.36 && $(json d.json certificate.empirical) < 0.48"
check 'the file keeps the squared error' grep -q \
    "\"certificate\": *{\"value\": *$(json d.json certificate.squared)" deployed.json
holds 'the true error is below it' "$(json d.json test.rmse) < $(json d.json certificate.rmse)"
holds 'the absolute error is below its bound' \
    "$(json d.json test.mae) < $(json d.json certificate.mae)"
expect_exit 0 "$GIBBSITE" inspect deployed.json --json
expect_near 'the file has it' "$(json "$stdout" certificate.mae)" "$(json d.json certificate.mae)" \
    1e-12
for key in value empirical squared squared_empirical; do
    expect_near "the file's $key" "$(json "$stdout" certificate.$key)" \
        "$(json d.json certificate.$key)" 1e-12
done
expect_near 'and the other' "$(json "$stdout" certificate.rmse)" "$(json d.json certificate.rmse)" \
    1e-12
expect_exit 0 "$GIBBSITE" complete train.csv --rank 4 --range 0:6
expect_words 'the RMSE of the values that predict prints is at most'
{ head -n 1 train.csv && tail -n +2 train.csv | sort; } >sorted.csv
expect_exit 0 "$GIBBSITE" complete sorted.csv --rank 4 --range 0:6 --json
holds 'a sorted file does about as well' \
    "$(json "$stdout" certificate.rmse) < 1.1 * $(json d.json certificate.rmse)"
printf 'row,col,value\n1,1,2\n1,2,3\n2,1,3\n' >three.csv
refuses 3 'at least 4 ratings' complete three.csv --range 0:6

# ---------------------------------------------------------------- quantiles
expect_exit 0 "$GIBBSITE" predict deployed.json pairs.csv --quantiles 0.05,0.5,0.975 -q
cp "$stdout" q.csv
check 'a column for each quantile' test "$(head -n 1 q.csv)" = 'value,sd,q0.05,q0.5,q0.975,new'
holds 'quantiles are normal' \
    "$(awk -F, 'NR == 2 { d = $5 - ($1 + 1.959963984540054 * $2); print d * d }' q.csv) < 1e-18"
holds 'the median is the value' "$(awk -F, 'NR == 2 { d = $4 - $1; print d * d }' q.csv) < 1e-18"
expect_exit 0 "$GIBBSITE" predict deployed.json pairs.csv --quantiles 0.0001,0.9999 -q
holds 'clipped to the range' \
    "$(awk -F, 'NR > 1 && ($3 < 0 || $4 > 6) { bad++ } END { print bad + 0 }' "$stdout") == 0"
expect_exit 0 "$GIBBSITE" predict deployed.json --row 1 --top 5 --top-quantile 0.99 --quantiles 0.99
holds 'ordered by the quantile' \
    "$(awk -F, 'NR > 2 && $4 > last { bad++ } NR > 1 { last = $4 }
        END { print bad + 0 }' "$stdout") == 0"
# a narrow range cuts many predictions off: they still have an order, that of the same model
# without a range
"$GIBBSITE" complete train.csv --model paper --rank 2 -o wide_open.json -q
sed 's/"kind":/"range":[1,3],&/' wide_open.json >narrow.json
for more in '' '--top-quantile 0.9'; do
    for model in wide_open narrow; do
        # shellcheck disable=SC2086
        "$GIBBSITE" predict $model.json --row 7 --top 12 $more >top_$model.csv
        cut -d, -f1 top_$model.csv >columns_$model
    done
    check "the best columns are best before clipping${more:+ ($more)}" cmp columns_wide_open \
        columns_narrow
done
holds 'what is printed is clipped' "$(awk -F, 'NR > 1 && $2 > 3' top_narrow.csv | wc -l) == 0"
holds 'several are as good as the range allows' \
    "$(awk -F, 'NR > 1 && $2 == 3' top_narrow.csv | wc -l) > 1"
expect_exit 0 "$GIBBSITE" predict deployed.json pairs.csv --quantiles 0.5 --json -q
check 'in JSON too' grep -q '"q0.5":' "$stdout"
refuses 2 '--quantiles: expected up to 20 numbers' predict deployed.json pairs.csv --quantiles 0.5,
refuses 2 '--quantiles: expected up to 20 numbers' predict deployed.json pairs.csv --quantiles \
    0.5,1.5
refuses 2 'go together' predict deployed.json pairs.csv --top-quantile 0.5
refuses 2 'are for completions' predict k.json k.csv --quantiles 0.5

# ---------------------------------------------------------------- what is known of rows and columns
awk 'BEGIN {
    srand(3); print "row,col,value" >"side.csv"; print "id,age,kind" >"people.csv"
    print "row,col,value" >"side_new.csv"
    for (i = 1; i <= 80; i++) {
        age = 20 + int(50 * rand()); kind = i % 3 == 0 ? "red" : "blue"
        bias = 0.05 * (age - 45) + (kind == "red" ? 1 : -1)
        printf "p%d,%d,%s\n", i, age, kind >"people.csv"
        for (j = 1; j <= 30; j++) {
            y = 3 + bias + 0.1 * (j % 5) + 0.3 * (rand() + rand() + rand() - 1.5)
            printf "p%d,c%d,%.4f\n", i, j, y >(i <= 20 ? "side_new.csv" : "side.csv")
        }
    }
}'
expect_exit 0 "$GIBBSITE" complete side.csv --rank 2 --row-features people.csv --test side_new.csv \
    -o side.json --json
cp "$stdout" with.json
expect_json with.json rows 80
expect_json with.json test.new_rows 0
expect_exit 0 "$GIBBSITE" complete side.csv --rank 2 --test side_new.csv --json
expect_json "$stdout" test.new_rows 600
expect_json with.json rated_rows 60
expect_json with.json rated_cols 30
holds 'features predict rows without ratings' \
    "$(json with.json test.rmse) < 0.5 * $(json "$stdout" test.rmse)"
holds 'with honest standard deviations' "$(json with.json test.coverage) > 0.85"
printf 'row,col\np3,c2\n' >cold.csv
expect_exit 0 "$GIBBSITE" predict side.json cold.csv
check 'what is known by features is not new' test "$(tail -n 1 "$stdout" | cut -d, -f3)" = ''
expect_exit 0 "$GIBBSITE" help predict --all
expect_words 'had neither ratings nor features'
expect_words 'Not for completions'
expect_exit 0 "$GIBBSITE" inspect side.json
expect_stdout 'ratings +1800 of 60 rows and 30 columns; 20 rows known'
as 'a certificate with features assumes that they were not made from the ratings'
told='what is known of rows and columns was not made from these ratings'
for prior in '' '--model hierarchical --prior informed'; do
    # shellcheck disable=SC2086
    expect_exit 0 "$GIBBSITE" complete side.csv --rank 2 --row-features people.csv --range -5:10 \
        $prior -o told.json --json
    check "said, fitted $prior" grep -q "$told" "$stdout"
    expect_exit 0 "$GIBBSITE" inspect told.json
    expect_words "$told"
    # shellcheck disable=SC2086
    expect_exit 0 "$GIBBSITE" complete side.csv --rank 2 --range -5:10 $prior --json
    refuse "not said without features $prior" grep -q "$told" "$stdout"
done
sed 's/"features": *true, *//' told.json >older.json
refuse 'the file says it' cmp -s told.json older.json
expect_exit 0 "$GIBBSITE" inspect older.json
refuse 'and is read' grep -q 'was not made' "$stdout"
printf 'id,length\nc1,2\nc2,3\nc99,\n' >things.csv
expect_exit 0 "$GIBBSITE" complete side.csv --rank 2 --row-features people.csv --col-features \
    things.csv --positions off --json
expect_json "$stdout" cols 31
expect_json "$stdout" rated_cols 30
expect_stderr '^gibbsite: people.csv: 0 of 60 rated rows have no features, and 20 of 80 rows with'
expect_stderr '^gibbsite: things.csv: 28 of 30 rated columns have no features, and 1 of 3 columns w'
expect_exit 0 "$GIBBSITE" complete side.csv --rank 2 --col-features things.csv
expect_words '30 columns, from side.csv; 1 columns known from features alone'
sed '1!s/^p/user/' people.csv >foreign.csv
refuses 3 "foreign.csv: none of its identifiers is that of a rated row: it has 'user1', the" \
    complete side.csv --row-features foreign.csv
printf 'id,age\np1,3\np1,4\n' >twice.csv
refuses 3 "'p1' comes a second time" complete side.csv --row-features twice.csv
printf 'id\np1\n' >bare_ids.csv
refuses 3 'identifiers in the first column' complete side.csv --row-features bare_ids.csv
refuses 5 'absent.csv' complete side.csv --row-features absent.csv
refuses 2 'for --model hierarchical' complete side.csv --row-features people.csv --model paper
