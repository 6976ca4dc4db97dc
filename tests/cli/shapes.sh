#!/usr/bin/env bash
# simulate --shape: labels are those of the stated function, worked out again here, but for the
# share that is flipped; that share, the Bayes risk that is printed, is met by Monte Carlo within
# five standard deviations (a false alarm in 1.7 million).
. "$(dirname "$0")/../lib.sh"

rows=20000 noise=0.1
# shape NAME WHAT ARGUMENT...: simulates; WHAT is the function in awk, of x[1], x[2], ... and t[1],
# t[2], ...
shape() {
    local name=$1 what=$2 theta
    shift 2
    expect_exit 0 "$GIBBSITE" simulate classify --shape "$name" --rows $rows --noise $noise --json \
        -o rows.csv "$@"
    cp "$stdout" truth.json
    check "$name $*: the Bayes risk is printed" grep -q "Bayes risk $noise exactly" "$stderr"
    expect_near "$name $*: the Bayes risk in JSON" "$(json truth.json bayes_risk)" $noise 1e-15
    expect_json truth.json shape "$name"
    theta=$(json truth.json theta | tr -d '[]\n ')
    check "$name $*: the share of flipped labels" awk -F, -v theta="$theta" -v noise=$noise '
        function quarter(f) { return int(4 * f) % 2 ? 1 : -1 }
        function ring(q, a, b, c) { return ((q > a) + (q > b) + (q > c)) % 2 ? 1 : -1 }
        BEGIN { split(theta, t, ",") }
        NR == 1 { next }
        { for (k = 1; k < NF; k++) x[k] = $k; n++
          truth = '"$what"' >= 0 ? 1 : -1; flipped += truth != $NF; up += truth > 0 }
        END { off = flipped / n - noise; if (off < 0) off = -off; print flipped / n, up / n
              exit !(n == '$rows' && off < 5 * sqrt(noise * (1 - noise) / n) && up > 0.2 * n &&
                  up < 0.8 * n) }' rows.csv
}
shape linear 't[1] * x[1] + t[2] * x[2] + t[3] * x[3]' --cols 3
shape xor 't[1] * x[1] * t[2] * x[2]' --cols 3
shape xor '(t[1] * x[1] + t[3] * x[3]) * (t[2] * x[2] + t[4] * x[4])' --cols 5 --signal 4
shape rings 'quarter(1 - exp(-(x[1] ^ 2 + x[2] ^ 2) / 2))' --cols 3
h='(x[1] ^ 2 + x[2] ^ 2 + x[3] ^ 2 + x[4] ^ 2) / 2'
shape rings "quarter(1 - exp(-$h) * (1 + $h))" --cols 4 --signal 4
# quartiles of chi-squared with one and with three degrees of freedom, from tables
shape rings 'ring(x[1] ^ 2, 0.1015310, 0.4549364, 1.3233037)' --cols 2 --signal 1
shape rings 'ring(x[1] ^ 2 + x[2] ^ 2 + x[3] ^ 2, 1.2125329, 2.3659739, 4.1083449)' --cols 3 \
    --signal 3
shape waves 't[1] * (cos(2 * x[1]) - exp(-2)) + t[2] * (cos(2 * x[2]) - exp(-2))' --cols 2

# refuses REGEX ARGUMENT...
refuses() {
    local regex=$1
    shift
    expect_exit 2 "$GIBBSITE" "$@"
    expect_stderr "$regex"
}
refuses '--shape is for classify' simulate rank --shape xor
refuses '--shape is not for ratings' simulate ratings --shape xor
refuses '--shape xor needs --signal of 2 or more' simulate classify --shape xor --signal 1
refuses '--signal 2 is more than --cols 1' simulate classify --shape rings --cols 1
refuses '--shape rings takes --signal up to 100' simulate classify --shape rings --cols 200 \
    --signal 101
refuses 'expected one of linear\|xor\|rings\|waves' simulate classify --shape circle
