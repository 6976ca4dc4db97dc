"""Files, reports, theory."""
import json
import os
import shutil
import subprocess
import tempfile

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


def report(model, path, program=None):
    """Writes the page of a fitted model, sample or completion, with its certificate and charts, to
    `path`. The page is made by the program `gibbsite`: `program`, else $GIBBSITE, else the one on
    the path."""
    program = program or os.environ.get("GIBBSITE") or shutil.which("gibbsite")
    if program is None:
        raise FileNotFoundError("report needs the program gibbsite: give its path as `program`")
    model = getattr(model, "fitted_", model)  # of a pipeline
    model._check_fitted()
    run = _run_of(model)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "run.json")
        with open(name, "w", encoding="utf-8") as file:
            json.dump(run, file)
        done = subprocess.run([program, "report", name, "-o", os.fspath(path)],
                              capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip() or f"{program} failed ({done.returncode})")
