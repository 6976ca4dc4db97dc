#!/usr/bin/env python3
"""tools/notebook.py: writes examples/notebook.ipynb with what its cells show now.

Run it with the package installed: build/python/venv/bin/python3 tools/notebook.py. The tests run
the cells again and compare (bindings/python/tests/test_pages.py).
"""
import ast
import json
import os

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../examples/notebook.ipynb")

CELLS = [
    ("markdown", """# A certified classifier

A fit comes with a number that the true error of its labels stays below, with the stated confidence.
The rows here are simulated: one label in ten is flipped, so that the best possible error is \
10 %."""),
    ("code", """from gibbsite import GibbsiteClassifier, plots, simulate

X, y, truth = simulate(rows=1000, cols=5, noise=0.1)
model = GibbsiteClassifier().fit(X, y)
model"""),
    ("markdown", "The promise, and what was seen on the rows that tested the labels:"),
    ("code", """c = model.certificate_
round(c.value, 4), round(c.empirical, 4), c.rows, c.status"""),
    ("markdown", "Did it hold? Five thousand fresh rows of the same truth:"),
    ("code", """X_new, y_new, _ = simulate(rows=5000, cols=5, noise=0.1, skip=1000)
bool(1 - model.score(X_new, y_new) <= model.certificate_.value)"""),
    ("markdown", "Probabilities are calibrated. The reliability of the test rows, as a picture:"),
    ("code", "plots.reliability(model)"),
    ("markdown", """Columns that are selected with a look at all rows break a certificate. \
`CertifiedPipeline`
selects on the rows that are learned from:"""),
    ("code", """import numpy as np
from sklearn.feature_selection import SelectKBest
from gibbsite import CertifiedPipeline

rng = np.random.default_rng(0)
noise, coins = rng.normal(size=(200, 1000)), rng.integers(2, size=200)
pipe = CertifiedPipeline([("best", SelectKBest(k=20)), ("fit", GibbsiteClassifier())])
bool(pipe.fit(noise, coins).certificate_.value > 0.5)"""),
]


def shown(value):
    if value is None:
        return []
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    return [{"output_type": "execute_result", "execution_count": None, "metadata": {},
             "data": data}]


def run(source, names):
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


def main():
    import matplotlib
    matplotlib.use("Agg")
    names, cells = {}, []
    for kind, source in CELLS:
        cell = {"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True)}
        if kind == "code":
            cell.update(execution_count=None, outputs=shown(run(source, names)))
        cells.append(cell)
    notebook = {"cells": cells, "metadata": {"kernelspec": {
        "display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4, "nbformat_minor": 4}
    with open(PATH, "w", encoding="utf-8") as file:
        json.dump(notebook, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main()
