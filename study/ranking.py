#!/usr/bin/python3
"""The default ranker against logistic regression, on shuffles of each data set.

    study/ranking.py [--program build/gibbsite] [--shuffles 10] [--first 0] [--sets a,b,...]
                     [--folder DIR]

For each shuffle 80 % of the rows train and 20 % test. Printed for each set, as means:

    certificate  of 1 - AUC of the score that `predict` prints, at 95 %
    AUC          of that score on the test rows; of cross-validated logistic regression on all
                 training rows, and of the default classifier's score

Sets are those of study/deployed.py. The last line has the mean differences.
"""
import argparse
import tempfile
import os

import numpy as np
from sklearn.metrics import roc_auc_score

from deployed import SETS, fit, logistic, sets_of


def one(program, frame, shuffle, folder):
    order = np.random.default_rng(shuffle).permutation(len(frame))
    frame, most = frame.iloc[order], int(0.8 * len(frame))
    train, test = frame.iloc[:most], frame.iloc[most:]
    paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv")]
    train.to_csv(paths[0], index=False)
    test.to_csv(paths[1], index=False)
    ranker, classifier = (fit(program, paths, ["--task", task]) for task in ("rank", "classify"))
    peer = roc_auc_score(test.iloc[:, -1].values, logistic(train)(test))
    return ranker["certificate"]["value"], ranker["test"]["auc"], peer, classifier["test"]["auc"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/gibbsite")
    parser.add_argument("--shuffles", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--folder")
    parser.add_argument("--sets")
    args = parser.parse_args()
    sets = sets_of(args.folder) if args.folder else SETS
    print(f"{'set':13s} {'certificate':>11s} {'AUC':>6s} {'LR':>6s} {'classifier':>10s}")
    means = []
    for name in args.sets.split(",") if args.sets else sets:
        frame = sets[name]()
        with tempfile.TemporaryDirectory() as folder:
            runs = [one(args.program, frame, args.first + k, folder) for k in range(args.shuffles)]
        means.append(np.mean(runs, axis=0))
        value, area, peer, labels = means[-1]
        print(f"{name:13s} {value:11.4f} {area:6.4f} {peer:6.4f} {labels:10.4f}", flush=True)
    _, area, peer, labels = np.array(means).T
    print(f"AUC {np.mean(area - peer):+.4f} from LR's, worst {np.min(area - peer):+.4f}; "
          f"{np.mean(area - labels):+.4f} from the classifier's")


if __name__ == "__main__":
    main()
