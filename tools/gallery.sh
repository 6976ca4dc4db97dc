#!/usr/bin/env bash
# Writes the pages of docs/gallery with the built program, from simulated data.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
gibbsite=$root/build/gibbsite
gallery=$root/docs/gallery
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

g() { "$gibbsite" "$@" -q; }

# One data set, three ways to a certificate.
g simulate classify --rows 1000 --cols 8 --signal 5 --noise 0.1 -o train.csv
g simulate classify --rows 5000 --cols 8 --signal 5 --noise 0.1 --skip 1000 -o test.csv
g fit train.csv --test test.csv --json >default.json
g fit train.csv --prior zero --scale unit-row --lambda-grid 5:1000:8 --test test.csv --json \
    >paper-prior.json
g fit train.csv --prior zero --loss hinge --family diagonal --test test.csv --json >hinge.json
g report default.json paper-prior.json hinge.json -o "$gallery/classification.html"

# A ranking, and a completed matrix.
g simulate rank --rows 2000 --cols 5 --noise 0.1 -o pairs.csv
g simulate rank --rows 2000 --cols 5 --noise 0.1 --skip 2000 -o more-pairs.csv
g fit pairs.csv --task rank --test more-pairs.csv --json >ranking.json
g simulate ratings --rows 600 --cols 400 --density 0.1 --range 1:5 -o ratings.csv
g simulate ratings --rows 600 --cols 400 --density 0.1 --range 1:5 --skip 24000 -o fresh.csv
g complete ratings.csv --range 1:5 --prior informed --test fresh.csv --json >completion.json
g report ranking.json completion.json -o "$gallery/ranking-and-completion.html"

# How good the approximations are, and how lambda was looked for.
for family in isotropic diagonal full; do
    g fit train.csv --prior zero --family $family -o $family.json
done
g gap train.csv isotropic.json diagonal.json full.json --json >gap.json
g cv train.csv --loss zero-one,hinge --lambda-grid 20:2000:6 --json >cv.json
g theory --n 1000 --d 9 --json >theory.json
g report gap.json cv.json theory.json -o "$gallery/posterior.html"

ls -l "$gallery"/*.html
