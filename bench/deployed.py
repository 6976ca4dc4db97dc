"""The default fit, everything included, over scikit-learn's LogisticRegressionCV(Cs=10, cv=5).

    bench/deployed.py [ADULT.csv.gz]

Processor seconds of one thread, in one process and on the same array, so that reading is left out:
100,000 x 20 simulated rows, and the census rows with their text columns as 0/1 columns. Columns are
standardised. The least of three fits of each, taken in turn. Wanted: at most 1.0.
"""
import os
import sys
import time
import warnings

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "GIBBSITE_THREADS"):
    os.environ[name] = "1"

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegressionCV

from gibbsite import GibbsiteClassifier, simulate

warnings.filterwarnings("ignore")


def seconds(model, x, y):
    start = time.process_time()
    model.fit(x, y)
    return time.process_time() - start


def compare(name, x, y):
    x = x - x.mean(axis=0)
    x = np.ascontiguousarray(x / np.where(x.std(axis=0) > 0.0, x.std(axis=0), 1.0))
    runs = [(seconds(GibbsiteClassifier(), x, y),
             seconds(LogisticRegressionCV(Cs=10, cv=5, max_iter=1000), x, y)) for _ in range(3)]
    ours, theirs = np.min(runs, axis=0)
    print(
        f"{name}, {x.shape[0]} x {x.shape[1]}: {ours:.2f} s, LogisticRegressionCV {theirs:.2f} s, "
        f"ratio {ours / theirs:.2f}", flush=True)


x, y, _ = simulate(rows=100000, cols=20, noise=0.1)
compare("simulated", np.asarray(x), np.asarray(y))
if len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
    rows = pd.read_csv(sys.argv[1])
    compare("census", pd.get_dummies(rows.iloc[:, :-1]).to_numpy(float),
            rows.iloc[:, -1].to_numpy())
