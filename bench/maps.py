#!/usr/bin/env python3
"""Processor time of `fit --features auto` against a grid-searched SVM, one thread each.

    bench/maps.py GIBBSITE [ROWS] [COLS...]

The peer is scikit-learn's GridSearchCV(SVC): 12 candidates, 3 folds on 2,000 rows, then one fit on
all rows. Rows are those of `simulate --shape waves --noise 0.1`. Both are timed as processes of
their own, reading included; the ratio is ours over theirs, 1.0 is the goal. Then what predictions
of a map cost.
"""
import os
import subprocess
import sys
import tempfile

PEER = """
import sys
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
x = np.load(sys.argv[1])
fresh = np.load(sys.argv[2])
x, y, z, t = x[:, :-1], x[:, -1], fresh[:, :-1], fresh[:, -1]
mean, sd = x.mean(0), x.std(0)
x, z = (x - mean) / sd, (z - mean) / sd
scale = 1.0 / x.shape[1]
grid = {'C': [0.3, 1, 3, 10], 'gamma': [scale / 4, scale, 4 * scale]}
search = GridSearchCV(SVC(), grid, cv=3, refit=False).fit(x[:2000], y[:2000])
machine = SVC(**search.best_params_).fit(x, y)
if len(sys.argv) > 3:
    print(1 - machine.score(z, t))
"""


def run(command, environment):
    """Processor seconds and the most memory, in MB, of one process."""
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{command}: exit {child.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def predictions(gibbsite, one):
    """Rows a second: 20 columns, 500 features, votes of a diagonal family, from npy to CSV."""
    rows = 300000
    shape = [gibbsite, "simulate", "classify", "--shape", "waves", "--cols", "20", "-q"]
    subprocess.run(shape + ["--rows", "4000", "-o", "rows.npy"], check=True)
    subprocess.run(shape + ["--rows", str(rows), "--skip", "4000", "-o", "fresh.npy"], check=True)
    subprocess.run([gibbsite, "fit", "rows.npy", "--features", "fourier:500", "--family",
                    "diagonal",
                    "-q", "-o", "model.json"], check=True, env=one)
    spent, peak = run([gibbsite, "predict", "model.json", "fresh.npy", "--votes"], one)
    print(f"predict, 20 columns, 500 features, votes: {rows / spent:.0f} rows a second of one "
          f"processor (goal 100000), {peak:.0f} MB", flush=True)


def main():
    gibbsite = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/gibbsite")
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 16000
    widths = [int(a) for a in sys.argv[3:]] or [10, 54]
    one = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", GIBBSITE_THREADS="1")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for cols in widths:
            shape = [gibbsite, "simulate", "classify", "--shape", "waves", "--noise", "0.1", "-q"]
            shape += ["--cols", str(cols)]
            subprocess.run(shape + ["--rows", str(rows), "-o", "rows.npy"], check=True)
            subprocess.run(shape + ["--rows", "5000", "--skip", str(rows), "-o", "fresh.npy"],
                           check=True)
            fit = [gibbsite, "fit", "rows.npy", "--features", "auto", "-q", "-o", "model.json"]
            ours, peak = run(fit, one)
            theirs, _ = run([sys.executable, "-c", PEER, "rows.npy", "fresh.npy"], one)
            print(f"{rows} x {cols}: gibbsite {ours:.1f} s and {peak:.0f} MB, svm {theirs:.1f} s, "
                  f"ratio {ours / theirs:.2f}", flush=True)
        predictions(gibbsite, one)


if __name__ == "__main__":
    main()
