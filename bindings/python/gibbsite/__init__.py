"""Classifiers, rankers and matrix completions whose true error is certified.

    from gibbsite import GibbsiteClassifier

    model = GibbsiteClassifier().fit(X, y)
    model.certificate_.value      # with confidence 0.95 the labels are wrong at most that often
"""
from . import _native, plots
from ._native import NumericError
from ._simulate import simulate
from .classifier import GibbsiteClassifier
from .completion import MatrixCompletion
from .functions import load, report, save, theory
from .pipeline import CertifiedPipeline, GibbsiteClassifierCV
from .ranker import GibbsiteRanker
from .sampler import GibbsSampler, gap

__version__ = _native.version()

__all__ = ["CertifiedPipeline", "GibbsSampler", "GibbsiteClassifier", "GibbsiteClassifierCV",
           "GibbsiteRanker", "MatrixCompletion", "NumericError", "gap", "load", "plots", "report",
           "save", "simulate", "theory"]
