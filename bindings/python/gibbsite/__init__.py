"""Classifiers, rankers and matrix completions whose true error is certified.

    from gibbsite import GibbsiteClassifier

    model = GibbsiteClassifier().fit(X, y)
    model.certificate_.value      # with confidence 0.95 the labels are wrong at most that often
"""
from . import _native
from ._native import NumericError
from .classifier import GibbsiteClassifier

__version__ = _native.version()

__all__ = ["GibbsiteClassifier", "NumericError"]
