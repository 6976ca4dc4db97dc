#!/usr/bin/python3
"""The default fit against logistic regression and a plain hold-out, on shuffles of each data set.

    study/deployed.py [--program build/gibbsite] [--shuffles 20] [--first 0] [--sets a,b,...]
                      [--options "..."] [--folder DIR]

For each shuffle 80 % of the rows train and 20 % test. Printed for each set, as means:

    certificate  of the label that `predict` prints, at 95 %
    hold-out     Clopper and Pearson's bound of cross-validated logistic regression trained on 50 %
                 and on 70 % of the training rows, on the others; the better mean of the two
    draw         the certificate of one draw, 0.1.0's first line (`--bound progressive`)
    error, AUC, Brier score, log loss on the test rows, and those of cross-validated logistic
    regression on all training rows (LogisticRegressionCV(Cs=10, cv=5), standardised columns)

The last lines have the geometric means of certificate over hold-out and over draw, the mean
difference in error and AUC, and the geometric mean of the ratios of Brier score and log loss. Data
sets come from GIBBSITE_DATA (default ../shared/data); sim-* are drawn here. With --folder the sets
are its CSV files, whose last column is 1 or -1 (study/fresh_sets.R makes such).
"""
import argparse
import glob
import json
import os
import subprocess
import tempfile
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from scipy.stats import beta
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import roc_auc_score

warnings.filterwarnings("ignore")
FOLDER = os.environ.get("GIBBSITE_DATA", "../shared/data")


def read(*names):
    return pd.concat([pd.read_csv(os.path.join(FOLDER, name)) for name in names])


def against(frame, *labels):
    """The last column as 1 where it is one of the labels, else -1."""
    frame = frame.copy()
    frame["y"] = np.where(frame.iloc[:, -1].isin(labels), 1, -1)
    return frame.drop(columns=frame.columns[-2])


def simulated(rows, columns, scale, shift, active, noise, seed=7):
    """Labels of a logistic rule; `active` columns count."""
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(rows, columns))
    weights = np.zeros(columns)
    weights[:active] = scale * draw.normal(size=active)
    score = x @ weights + shift + noise * draw.logistic(size=rows)
    frame = pd.DataFrame(x, columns=[f"x{k}" for k in range(columns)])
    frame["y"] = np.where(score > 0, 1, -1)
    return frame


def crossed(rows, seed=7):
    """No line divides it: the label is the sign of a product, flipped in one row of ten."""
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(rows, 4))
    y = np.sign(x[:, 0] * x[:, 1]) * np.where(draw.random(rows) < 0.1, -1, 1)
    frame = pd.DataFrame(x, columns=list("abcd"))
    frame["y"] = np.where(y > 0, 1, -1)
    return frame


SETS = {
    "breast": lambda: read("breast/breast_complete.csv"),
    "pima": lambda: read("pima/pima768.csv"),
    "german": lambda: read("german/german.csv"),
    "ilpd": lambda: read("ilpd/ilpd_complete.csv"),
    "dna": lambda: against(read("dna/train.csv"), "ie"),
    "spect": lambda: read("spect/train.csv", "spect/test.csv"),
    "spectf": lambda: read("spectf/train.csv", "spectf/test.csv"),
    "glass-1": lambda: against(read("glass/glass.csv"), 1),
    "glass-window": lambda: against(read("glass/glass.csv"), 1, 2, 3),
    "ionosphere": lambda: read("ionosphere/ionosphere.csv"),
    "eeg-2000": lambda: read("eeg/eeg.csv.gz").sample(2000, random_state=0),
    "adult-4000": lambda: read("adult/adult.csv.gz").sample(4000, random_state=0),
    "sim-separable": lambda: simulated(600, 10, 4.0, 0.0, 10, 0.5),
    "sim-rare": lambda: simulated(1500, 12, 0.5, -3.5, 12, 1.0),
    "sim-noise": lambda: simulated(400, 60, 1.0, 0.0, 4, 1.0),
    "sim-crossed": lambda: crossed(800),
}


def sets_of(folder):
    paths = sorted(glob.glob(os.path.join(folder, "*.csv")))
    return {os.path.basename(path)[:-4]: lambda path=path: pd.read_csv(path) for path in paths}


def upper(errors, rows, delta=0.05):
    return 1.0 if errors >= rows else float(beta.ppf(1.0 - delta, errors + 1, rows - errors))


def logistic(train):
    """Probabilities of rows by cross-validated logistic regression."""
    coded = pd.get_dummies(train.iloc[:, :-1])
    centre, spread = coded.mean(), coded.std(ddof=0).replace(0, 1)
    model = LogisticRegressionCV(Cs=10, cv=5, max_iter=300)
    model.fit(((coded - centre) / spread).values, train.iloc[:, -1].values)

    def predict(rows):
        rows = pd.get_dummies(rows.iloc[:, :-1]).reindex(columns=coded.columns, fill_value=0)
        return model.predict_proba(((rows - centre) / spread).values)[:, 1]

    return predict


def wrong(probability, y):
    return (probability >= 0.5) != (y > 0)


def log_loss(p, y):
    p = np.clip(p, 1e-15, 1.0 - 1e-15)
    return float(-np.mean(np.where(y > 0, np.log(p), np.log(1.0 - p))))


def brier(p, y):
    return float(np.mean(np.square(p - (y > 0))))


def fit(program, paths, options):
    command = [program, "fit", paths[0], "--test", paths[1], "--positive", "1", "--json"] + options
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def ours(program, options, train, test, folder):
    paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv")]
    train.to_csv(paths[0], index=False)
    test.to_csv(paths[1], index=False)
    result = fit(program, paths, options)
    draw = fit(program, paths, ["--bound", "progressive"])["certificate"]["value"]
    tested = result["test"]
    return (result["certificate"]["value"], draw, tested["error"], tested["auc"], tested["brier"],
            tested["log_loss"])


def one(args, frame, shuffle, folder):
    order = np.random.default_rng(shuffle).permutation(len(frame))
    frame, most = frame.iloc[order], int(0.8 * len(frame))
    train, test = frame.iloc[:most], frame.iloc[most:]
    y, p = test.iloc[:, -1].values, logistic(train)(test)
    peer = (np.mean(wrong(p, y)), roc_auc_score(y, p), brier(p, y), log_loss(p, y))
    held = []
    for share in (0.5, 0.7):
        first = int(share * most)
        rest = train.iloc[first:]
        errors = wrong(logistic(train.iloc[:first])(rest), rest.iloc[:, -1].values).sum()
        held.append(upper(int(errors), len(rest)))
    return ours(args.program, args.options.split(), train, test, folder), peer, held


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/gibbsite")
    parser.add_argument("--shuffles", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--folder")
    parser.add_argument("--sets")
    parser.add_argument("--options", default="")
    args = parser.parse_args()
    sets = sets_of(args.folder) if args.folder else SETS
    print(
        f"{'set':13s} {'certificate':>11s} {'hold-out':>8s} {'draw':>6s} {'error':>6s} {'LR':>6s} "
        f"{'AUC':>6s} {'LR':>6s} {'Brier':>6s} {'LR':>6s} {'logloss':>7s} {'LR':>6s}")
    sums = []
    for name in args.sets.split(",") if args.sets else sets:
        frame = sets[name]()
        with tempfile.TemporaryDirectory() as folder:
            runs = [one(args, frame, args.first + k, folder) for k in range(args.shuffles)]
        value, draw, error, area, square, loss = np.mean([r[0] for r in runs], axis=0)
        lr = np.mean([r[1] for r in runs], axis=0)
        held = np.mean([r[2] for r in runs], axis=0).min()
        print(
            f"{name:13s} {value:11.4f} {held:8.4f} {draw:6.4f} {100 * error:6.2f} "
            f"{100 * lr[0]:6.2f} "
            f"{area:6.4f} {lr[1]:6.4f} {square:6.4f} {lr[2]:6.4f} {loss:7.4f} {lr[3]:6.4f}",
            flush=True)
        sums.append((np.log(value / held), np.log(value / draw), 100 * (error - lr[0]),
                     area - lr[1],
                     np.log(square / lr[2]), np.log(loss / lr[3])))
    mean = np.mean(sums, axis=0)
    print(f"certificate over hold-out {np.exp(mean[0]):.3f}, over draw {np.exp(mean[1]):.3f}")
    print(f"error {mean[2]:+.2f} points; AUC {mean[3]:+.4f}; Brier score over LR's "
          f"{np.exp(mean[4]):.3f}; log loss {np.exp(mean[5]):.3f}")


if __name__ == "__main__":
    main()
