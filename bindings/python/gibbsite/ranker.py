"""A ranker whose AUC comes with a certificate."""
import numpy as np
from sklearn.metrics import roc_auc_score

from . import _native, _settings
from ._errors import argument
from .classifier import FIT, GibbsiteClassifier


class GibbsiteRanker(GibbsiteClassifier):
    """Learns a score that puts rows of one label above the others; `certificate_` bounds 1 - AUC.

    `fit` takes two labels, the larger one on top (`classes_[1]`). `predict` gives the score, as
    `decision_function` does; `predict_proba` the probability that a row outranks a random row of
    the lower label, among those of training; `score` the AUC. Parameters are those of
    `GibbsiteClassifier` that a ranking has; `pairs` certifies from so many pairs drawn at random.
    """

    _task = "rank"
    _estimator_type = None
    _options = tuple(name for name in GibbsiteClassifier._options
                     if name not in ("joint", "max_weight")) + ("pairs",)

    def __init__(self, loss=FIT.loss, family=FIT.family, features=FIT.features, lam=FIT.lam,
                 prior=FIT.prior, prior_sd=FIT.prior_sd, prior_split=FIT.prior_split,
                 bound=FIT.bound, confidence=FIT.confidence, pairs=FIT.pairs, scale=FIT.scale,
                 columns=FIT.columns, missing=FIT.missing, solver=FIT.solver, max_iter=None,
                 tol=None, warm_start=False, looked=(), options=None, n_jobs=None,
                 random_state=None, verbose=False):
        self.loss = loss
        self.family = family
        self.features = features
        self.lam = lam
        self.prior = prior
        self.prior_sd = prior_sd
        self.prior_split = prior_split
        self.bound = bound
        self.confidence = confidence
        self.pairs = pairs
        self.scale = scale
        self.columns = columns
        self.missing = missing
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.looked = looked
        self.options = options
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _more_tags(self):
        return {"binary_only": True}

    def fit(self, X, y, **other):
        """`other`: nothing. What ranks compares rows in pairs, and the library has no weights and no
        groups of pairs."""
        for name in other:
            raise argument(f"fit has no {name!r}: a ranking compares rows in pairs, and has neither "
                           "weights nor groups of rows", TypeError)
        return self._fit(X, y)

    def _take_classes(self, y):
        super()._take_classes(y)
        if len(self.classes_) > 2:
            raise ValueError("a ranking has two labels, and these are "
                             f"{len(self.classes_)}")

    def _costs_of(self, y):
        return None

    def _derived_options(self):
        return {}

    def _predicted(self, X):
        data, count, rows = self._rows(X)
        if data is None:
            return [self._spread(None, count, rows)] * 2
        score, probability = np.empty((2, _native.shape(data)[0]))
        _native.predict(self._handle, data, _settings.threads_of(self.n_jobs), score, None,
                        probability)
        return [self._spread(values, count, rows) for values in (score, probability)]

    def decision_function(self, X):
        return self._predicted(X)[0]

    def predict(self, X):
        return self.decision_function(X)

    def predict_proba(self, X):
        p = self._predicted(X)[1]
        return np.column_stack([1.0 - p, p])

    def predict_vote(self, X):
        raise AttributeError("a ranker gives scores, no labels: there is no vote")

    def score(self, X, y, sample_weight=None):
        """The area under the ROC curve."""
        return roc_auc_score(np.asarray(y) == self.classes_[1], self.decision_function(X),
                             sample_weight=sample_weight)
