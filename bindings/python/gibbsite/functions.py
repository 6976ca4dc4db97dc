"""Files, reports, theory."""
import json
import os

from . import _native, _settings
from ._errors import argument
from ._model import told
from .classifier import GibbsiteClassifier
from .completion import MatrixCompletion
from .ranker import GibbsiteRanker
from .sampler import GibbsSampler


def load(path):
    """Opens a file that the command line, this package or another binding wrote: a fitted
    GibbsiteClassifier, GibbsiteRanker, GibbsSampler or MatrixCompletion."""
    try:
        os.stat(path := os.fspath(path))
    except OSError as error:  # which of them it is
        error.code = "io"
        raise
    kind, handle = _native.load(path)
    if kind == "completion":
        return MatrixCompletion._from_handle(handle)
    if kind == "sample":
        return GibbsSampler._from_handle(handle)
    task = json.loads(_native.describe(handle))["task"]
    return (GibbsiteRanker if task == "rank" else GibbsiteClassifier)._from_handle(handle)


def save(model, path):
    """Writes a fitted model to a file that the command line reads."""
    _ours(model).save(path)


def _ours(model):
    if not hasattr(model, "_check_fitted"):
        raise argument(f"expected an estimator of this package, found {type(model).__name__}",
                       TypeError)
    return model


def theory(**options):
    """Oracle inequalities and recommended constants: what is promised before any data is seen. A
    list of values with `group`, `name`, `value`, `source`; options are those of `gibbsite theory`,
    such as n=1000, d=10."""
    return told(_native.theory(_settings.options_of(options)))


def _run_of(model):
    """What the program would print of the same run as JSON."""
    command = "complete" if isinstance(model, MatrixCompletion) else \
        "sample" if isinstance(model, GibbsSampler) else "fit"
    run = {"gibbsite": _native.version(), "command": command,
           "options": {"inputs": ["data in memory"], "given": {},
                       "seed": _settings.seed_of(model.random_state)}}
    if command == "fit":
        run["data"] = {"file": "data in memory", "rows": model.info_["n"],
                       "columns": model.n_features_in_, "target": "y",
                       "positive": str(model.classes_[1]), "negative": str(model.classes_[0])}
    return {**run, **model.info_, "test": None}


def report(model, path):
    """Writes the page of a fitted model, sample or completion, with its certificate and charts, to
    `path`: one HTML file that opens from disk without a network."""
    model = getattr(_ours(model), "fitted_", model)  # of a pipeline
    model._check_fitted()
    _native.write_file(path, _native.report("Python", json.dumps(_run_of(model))))
