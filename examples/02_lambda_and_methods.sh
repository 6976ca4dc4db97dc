#!/bin/sh
# Choosing lambda, and what each method of certification pays for it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

gibbsite simulate classify --rows 800 --cols 6 --noise 0.1 -o train.csv -q

# The paper's setting: one posterior from all rows under a prior around zero. Unit rows keep the
# certificate valid. Each lambda of the grid is fitted; the one with the smallest certificate
# becomes the model.
for method in kl catoni hoeffding; do
    gibbsite fit train.csv --prior zero --scale unit-row --lambda-grid 10:1000:6 --bound $method \
        --path $method.csv --json >$method.json
    echo "$method: $(sed -n 's/^    "value": \([0-9.]*\),/\1/p' $method.json | head -n 1), price \
of the grid $(
        sed -n 's/^      "grid": \([0-9.]*\),/\1/p' $method.json | head -n 1) nats"
done

# The way along lambda: the risk falls, the distance from the prior grows, the bound has a valley.
echo 'lambda,gibbs_risk,kl,bound'
tail -n +2 kl.csv | cut -d, -f1,4,5,9

# The default pays for no lambda: the labels that predict prints are tested on rows kept for that.
gibbsite fit train.csv --json >default.json
echo "default: $(sed -n 's/^    "value": \([0-9.]*\),/\1/p' default.json | head -n 1)"
