#!/usr/bin/env python3
"""The package: fit, certify, predict, save, load; 05_fit_certify_predict.c in Python.

    make python && build/python/venv/bin/python3 examples/07_fit_certify_predict.py
"""
import os

import numpy as np

import gibbsite

# Rows of known truth: one label in ten is flipped.
X, y, truth = gibbsite.simulate(rows=1000, cols=4, noise=0.1)
fresh, labels, _ = gibbsite.simulate(rows=4000, cols=4, noise=0.1, skip=1000)

model = gibbsite.GibbsiteClassifier(confidence=0.99).fit(X, y)
for c in model.certificates_:
    print(f"{'* ' if c == model.certificate_ else '  '}{c.value:.4f}  {c.target:<10} "
          f"{c.method:<11} from {c.rows} rows, {c.status}")

# A model on disk predicts what the one in memory does.
model.save("example07.json")
again = gibbsite.load("example07.json")
os.remove("example07.json")
assert np.array_equal(again.predict_proba(fresh), model.predict_proba(fresh))

error = 1 - model.score(fresh, labels)
print(f"certified: at most {model.certificate_.value:.4f}; on 4000 fresh rows: {error:.4f}")
if error <= model.certificate_.value:
    print("the certificate held")
