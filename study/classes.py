#!/usr/bin/python3
"""The default fit to three classes or more against multinomial logistic regression, on shuffles.

    study/classes.py [--program build/gibbsite] [--shuffles 20] [--first 0] [--sets dna,glass]
                     [--options "..."] [--keep FILE] [--peers]

For each shuffle 80 % of the rows train and 20 % test. Printed for each set, as means: the
certificate of the label at 95 %; error and log loss on the test rows, and those of scikit-learn's
multinomial LogisticRegressionCV(Cs=10, cv=5) and LogisticRegression() (C = 1) on all training rows,
standardised columns; and how often each scheme was chosen. A class that the training rows lack has
probability 1e-15 there. Data sets come from GIBBSITE_DATA (default ../shared/data); sim-* are drawn
here. --keep FILE writes each shuffle there as it ends, and takes from it what it has: of the peers,
and of the same program with the same options. --peers computes theirs alone, and prints nothing.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV

warnings.filterwarnings("ignore")
FOLDER = os.environ.get("GIBBSITE_DATA", "../shared/data")


def read(*names):
    return pd.concat([pd.read_csv(os.path.join(FOLDER, name)) for name in names])


def simulated(rows, columns, classes, scale, seed=7):
    """Classes of a multinomial logistic rule; later ones are rarer."""
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(rows, columns))
    z = x @ (scale * draw.normal(size=(columns, classes))) - 0.5 * np.arange(classes)
    label = np.argmax(z + draw.gumbel(size=z.shape), axis=1)
    frame = pd.DataFrame(x, columns=[f"x{k}" for k in range(columns)])
    frame["class"] = [f"c{k}" for k in label]
    return frame


SETS = {
    "dna": lambda: read("dna/train.csv", "dna/test.csv"),
    "glass": lambda: read("glass/glass.csv"),
    "sim-3": lambda: simulated(400, 6, 3, 1.0),
    "sim-5": lambda: simulated(800, 10, 5, 0.7),
}


def log_loss(p, y, classes):
    at = {c: k for k, c in enumerate(classes)}
    right = np.array([p[i, at[c]] if c in at else 0.0 for i, c in enumerate(y)])
    return float(-np.mean(np.log(np.clip(right, 1e-15, 1.0))))


def peers(train, test):
    x, y = train.iloc[:, :-1], train.iloc[:, -1].astype(str).values
    centre, spread = x.mean(), x.std(ddof=0).replace(0, 1)
    y_test = test.iloc[:, -1].astype(str).values
    x, x_test = ((f - centre) / spread for f in (x, test.iloc[:, :-1]))
    said = []
    for model in (LogisticRegressionCV(Cs=10, cv=5, max_iter=300),
                  LogisticRegression(max_iter=1000)):
        model.fit(x.values, y)
        said += [np.mean(model.predict(x_test.values) != y_test),
                 log_loss(model.predict_proba(x_test.values), y_test, model.classes_)]
    return said


def ours(program, options, train, test, folder):
    paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv")]
    train.to_csv(paths[0], index=False)
    test.to_csv(paths[1], index=False)
    command = [program, "fit", paths[0], "--test", paths[1], "--json", "-q"] + options
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr}")
    r = json.loads(done.stdout)
    return [r["certificate"]["value"], r["test"]["error"], r["test"]["log_loss"],
            r["scheme"] == "pairs"]


class Kept:
    """Lists of numbers by name, in a JSON file that is written whenever one is new."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.known = json.load(file)

    def get(self, name, compute):
        if name not in self.known:
            self.known[name] = [float(x) for x in compute()]
            if self.path:
                with open(self.path + ".new", "w", encoding="utf-8") as file:
                    json.dump(self.known, file)
                os.replace(self.path + ".new", self.path)
        return self.known[name]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/gibbsite")
    parser.add_argument("--shuffles", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--options", default="")
    parser.add_argument("--keep", default="")
    parser.add_argument("--peers", action="store_true")
    args = parser.parse_args()
    kept, program = Kept(args.keep), ""
    if not args.peers:
        with open(args.program, "rb") as file:
            program = hashlib.sha256(file.read()).hexdigest()[:12] + args.options
        print(f"{'set':8s} {'certificate':>11s} {'pairs':>5s} {'error':>6s} {'LRCV':>6s} "
              f"{'LR':>6s} {'logloss':>7s} {'LRCV':>7s} {'LR':>7s}")
    for name in args.sets.split(","):
        frame, runs = SETS[name](), []
        with tempfile.TemporaryDirectory() as folder:
            for k in range(args.first, args.first + args.shuffles):
                order = np.random.default_rng(k).permutation(len(frame))
                most = int(0.8 * len(frame))
                train, test = frame.iloc[order[:most]], frame.iloc[order[most:]]
                theirs = kept.get(f"{name} {k}", lambda: peers(train, test))
                if args.peers:
                    continue
                runs.append(kept.get(f"{name} {k} {program}",
                                     lambda: ours(args.program, args.options.split(), train, test,
                                                  folder)) + theirs)
                print(f"{name}: shuffle {k} done", file=sys.stderr, flush=True)
        if args.peers:
            continue
        m = np.mean(runs, axis=0)
        print(f"{name:8s} {m[0]:11.4f} {m[3]:5.2f} {100 * m[1]:6.2f} {100 * m[4]:6.2f} "
              f"{100 * m[6]:6.2f} {m[2]:7.4f} {m[5]:7.4f} {m[7]:7.4f}", flush=True)


if __name__ == "__main__":
    main()
