"""Files, reports, theory and simulated rows."""
import json
import os
import shutil
import subprocess
import tempfile

import numpy as np

from . import _native, _settings
from ._model import told
from .classifier import GibbsiteClassifier
from .completion import MatrixCompletion
from .ranker import GibbsiteRanker
from .sampler import GibbsSampler


def load(path):
    """Opens a file that the command line, this package or another binding wrote: a fitted
    GibbsiteClassifier, GibbsiteRanker, GibbsSampler or MatrixCompletion."""
    kind, handle = _native.load(path)
    if kind == "completion":
        return MatrixCompletion._from_handle(handle)
    if kind == "sample":
        return GibbsSampler._from_handle(handle)
    task = json.loads(_native.describe(handle))["task"]
    return (GibbsiteRanker if task == "rank" else GibbsiteClassifier)._from_handle(handle)


def save(model, path):
    """Writes a fitted model to a file that the command line reads."""
    model.save(path)


def theory(**options):
    """Oracle inequalities and recommended constants: what is promised before any data is seen. A
    list of values with `group`, `name`, `value`, `source`; options are those of `gibbsite theory`,
    such as n=1000, d=10."""
    return told(_native.theory(_settings.options_of(options)))


def report(model, path, program=None):
    """Writes the page of a fitted model, with its certificate and charts, to `path`. The page is
    made by the program `gibbsite`: `program`, else $GIBBSITE, else the one on the path."""
    program = program or os.environ.get("GIBBSITE") or shutil.which("gibbsite")
    if program is None:
        raise FileNotFoundError("report needs the program gibbsite: give its path as `program`")
    model._check_fitted()
    seed = _settings.seed_of(model.random_state)
    run = {"gibbsite": _native.version(), "command": "fit",
           "options": {"inputs": ["data in memory"], "given": {}, "seed": seed},
           "data": {"file": "data in memory", "rows": model.info_["n"],
                    "columns": model.n_features_in_, "target": "y",
                    "positive": str(model.classes_[1]), "negative": str(model.classes_[0])},
           **model.info_, "test": None}
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "run.json")
        with open(name, "w", encoding="utf-8") as file:
            json.dump(run, file)
        done = subprocess.run([program, "report", name, "-o", os.fspath(path)],
                              capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip() or f"{program} failed ({done.returncode})")


# ---------------------------------------------------------------- simulated rows

def _random(seed, stream, first, count, normal):
    out = np.empty(count)
    _native.random_numbers(seed, stream, first, normal, out)
    return out


def _value(shape, X, theta):
    """The function of the columns that carry the signal whose sign is the label."""
    if shape == "xor":
        return (X[:, ::2] @ theta[::2]) * (X[:, 1::2] @ theta[1::2])
    if shape == "rings":
        from scipy.stats import chi2
        return np.where(np.floor(4.0 * chi2.cdf(np.sum(X**2, axis=1), X.shape[1])) % 2 == 1, 1, -1)
    if shape == "waves":
        return (np.cos(2.0 * X) - np.exp(-2.0)) @ theta
    return X @ theta


def simulate(kind="classify", rows=1000, cols=10, noise=0.1, signal=None, shape="linear", skip=0,
             random_state=1):
    """Rows of known truth, those of `gibbsite simulate`: (X, y, truth).

    "classify": x ~ N(0, I), labels sign(x'theta) with |theta| = 1, each flipped with probability
    `noise`, which is the Bayes risk exactly; `shape` xor, rings or waves: the sign of a function
    that no line divides. "rank": labels of equal chances, x ~ N(y delta theta,
    I), so that the best score has an AUC of 1 - `noise` exactly. `skip` leaves out the first rows
    that the seed would give: fresh rows of the same truth."""
    if kind not in ("classify", "rank"):
        raise ValueError(f"kind: expected classify or rank, found {kind!r}")
    if not 0 <= noise < 0.5:
        raise ValueError(f"noise must be from 0 to below 0.5, not {noise}")
    if shape not in ("linear", "xor", "rings", "waves") or (kind == "rank" and shape != "linear"):
        raise ValueError("shape: expected linear, xor, rings or waves, of classify; found "
                         f"{shape!r}")
    signal = (2 if shape in ("xor", "rings") else cols) if signal is None else signal
    if not 0 < signal <= cols:
        raise ValueError(f"signal must be from 1 to cols, not {signal}")
    seed = _settings.seed_of(random_state)
    theta = np.zeros(cols)
    theta[:signal] = _random(seed, 1, 0, signal, True)
    theta /= np.sqrt(np.sum(theta**2))
    X = _random(seed, 2, skip * cols, rows * cols, True).reshape(rows, cols)
    u = _random(seed, 4, skip, rows, False)
    if kind == "rank":
        from scipy.stats import norm
        side = np.where(u < 0.5, 1, -1)
        delta = -norm.ppf(noise) * np.sqrt(0.5)
        return X + side[:, None] * delta * theta, side, told({"theta": theta.tolist(),
                                                              "best_auc": 1.0 - noise})
    value = _value(shape, X[:, :signal], theta[:signal])
    y = np.where((value >= 0) != (u < noise), 1, -1)
    return X, y, told({"theta": theta.tolist(), "bayes_risk": noise, "shape": shape})
