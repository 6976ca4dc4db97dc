#!/usr/bin/env python3
"""Maps against a grid-searched RBF SVM: error and certificate, on public sets and simulated shapes.

    study/maps.py GIBBSITE [SHUFFLES] [SET...]

Each shuffle deals a set's rows anew: 4/5 train (at most 4,000), the others are fresh rows for the
error. Ours is `fit --features auto` on the training rows; its certificate is the first of its
lines. The SVM (GridSearchCV, 12 candidates, 3 folds, on at most 2,000 rows) has two certificates:
trained on 50 % or 70 % of the training rows, with Clopper and Pearson's bound at 95 % on the rest;
the better mean of the two counts. Its error is that of an SVM trained on all training rows.
"""
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from scipy.stats import beta
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

warnings.filterwarnings("ignore")
DATA = os.environ.get("GIBBSITE_DATA", os.path.join(os.path.dirname(__file__), "../../shared/data"))
MOST = 4000
SETS = ["ionosphere", "eeg", "breast", "pima", "german", "ilpd"]
SHAPES = {"xor": 3, "rings": 2, "waves": 3}


def read_set(name):
    """Columns of numbers, texts one-hot; labels -1 and 1. The last column is the label."""
    folder = os.path.join(DATA, name)
    for file in sorted(os.listdir(folder)):
        if file.endswith((".csv", ".csv.gz")):
            path = os.path.join(folder, file)
            opener = gzip.open if path.endswith(".gz") else open
            with opener(path, "rt") as lines:
                rows = list(csv.reader(lines))
            break
    else:
        raise SystemExit(f"{folder}: no CSV file")
    rows = [r for r in rows if r]
    try:
        float(rows[0][0])
        body = rows
    except ValueError:
        body = rows[1:]
    columns = list(zip(*body))
    x = []
    for column in columns[:-1]:
        try:
            x.append(np.array(column, float))
        except ValueError:
            levels = sorted(set(column))
            x += [np.array([c == level for c in column], float) for level in levels]
    levels = sorted(set(columns[-1]))
    if len(levels) != 2:
        raise SystemExit(f"{name}: {len(levels)} labels")
    return np.column_stack(x), np.where(np.array(columns[-1]) == levels[1], 1.0, -1.0)


def simulate(gibbsite, shape, seed, rows):
    command = [gibbsite, "simulate", "classify", "--shape", shape, "--cols", str(SHAPES[shape]),
               "-q"]
    subprocess.run(command + ["--rows", str(rows), "--seed", str(seed), "-o", "s.npy"], check=True)
    both = np.load("s.npy")
    return both[:, :-1], both[:, -1]


def upper(wrong, n, delta=0.05):
    return 1.0 if wrong >= n else beta.ppf(1 - delta, wrong + 1, n - wrong)


def machine(x, y):
    """Standardised, the grid searched on at most 2,000 rows."""
    mean, sd = x.mean(0), x.std(0)
    sd[sd == 0] = 1.0
    z, d = (x - mean) / sd, x.shape[1]
    grid = {"C": [0.3, 1, 3, 10], "gamma": [0.25 / d, 1 / d, 4 / d]}
    best = GridSearchCV(SVC(), grid, cv=3, refit=False).fit(z[:2000], y[:2000]).best_params_
    fitted = SVC(**best).fit(z, y)
    return lambda a: fitted.predict((a - mean) / sd)


def ours(gibbsite, x, y, fresh, labels):
    np.save("train.npy", np.column_stack([x, y]))
    np.save("fresh.npy", np.column_stack([fresh, labels]))
    run = subprocess.run([gibbsite, "fit", "train.npy", "--features", "auto", "--test", "fresh.npy",
                          "--json", "--threads", "1"],
                         check=True, capture_output=True, text=True)
    said = json.loads(run.stdout)
    return said["test"]["error"], said["certificate"]["value"], said["features"]["map"]


def shuffle(gibbsite, name, k):
    dice = np.random.default_rng(1000 + k)
    if name in SHAPES:
        x, y = simulate(gibbsite, name, k + 1, 3000)
    else:
        x, y = read_set(name)
    order = dice.permutation(len(y))
    n = min(MOST, 4 * len(y) // 5)
    train, fresh = order[:n], order[n:n + 5000]
    error, certificate, chosen = ours(gibbsite, x[train], y[train], x[fresh], y[fresh])
    predict = machine(x[train], y[train])
    row = {"map": chosen, "error": error, "certificate": certificate,
           "svm": np.mean(predict(x[fresh]) != y[fresh])}
    for share in (0.5, 0.7):
        cut = int(share * n)
        predict = machine(x[train[:cut]], y[train[:cut]])
        rest = train[cut:]
        row[share] = upper(int(np.sum(predict(x[rest]) != y[rest])), len(rest))
    return row


def main():
    gibbsite = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/gibbsite")
    shuffles = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    names = sys.argv[3:] or SETS + list(SHAPES)
    means = []
    print("set          maps  error   svm     certificate  svm's 50 %  70 %    ratio")
    with tempfile.TemporaryDirectory() as folder:
        global DATA
        DATA = os.path.abspath(DATA)
        os.chdir(folder)
        for name in names:
            rows = [shuffle(gibbsite, name, k) for k in range(shuffles)]
            mean = {key: float(np.mean([r[key] for r in rows]))
                    for key in ("error", "svm", "certificate", 0.5, 0.7)}
            ratio = mean["certificate"] / min(mean[0.5], mean[0.7])
            maps = sum(r["map"] != "linear" for r in rows)
            print(
                f"{name:12} {maps:2}/{shuffles:<2} {mean['error']:.4f}  {mean['svm']:.4f}  "
                f"{mean['certificate']:.4f}       "
                f"{mean[0.5]:.4f}      {mean[0.7]:.4f}  {ratio:.3f}", flush=True)
            means.append((mean["error"] - mean["svm"], ratio))
    print(
        f"in the mean over sets: error {100 * np.mean([m[0] for m in means]):+.2f} points, "
        f"certificate {np.mean([m[1] for m in means]):.3f} of the SVM's")


if __name__ == "__main__":
    main()
