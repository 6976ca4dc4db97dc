"""Choices and transformations that leave a certificate valid: they see the learn rows alone.

Whatever is learned from all rows, such as a selection of columns, has seen the rows that the
certificate is computed on: on pure noise, the best 10 of 1000 columns look good on them, and a
certificate below the truth comes out. Here the library draws its split first; transformers and
candidates see the rows to learn from, and the others only at the very end.
"""
import numbers
import warnings
from html import escape

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import (ParameterGrid, StratifiedGroupKFold, StratifiedKFold,
                                     cross_val_score)
from sklearn.utils import Bunch, assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from . import _html, _native, _rows
from ._errors import ROWS, argument
from .classifier import GibbsiteClassifier


def learned_rows(estimator, X, y, sample_weight=None, groups=None, own=False):
    """Which rows `estimator` would learn from: an array of booleans. It depends on what the rows
    hold, their order, the seed and the options, and on no transformation. `own`: these very rows
    are to be fitted, and the split is the one that the fit would draw."""
    learned = np.zeros(len(y), dtype=bool)
    if own and _rows.wants_recipe(X, estimator.missing):
        with warnings.catch_warnings():  # the fit says them once more
            warnings.simplefilter("ignore")
            data, _ = clone(estimator)._data(X, y, sample_weight, groups)
        rows = _native.table_rows(data)
    else:
        classes, number = np.unique(y, return_inverse=True)
        many = len(classes) > 2
        data = _rows.fingerprint(X, None if many else _rows.signs(number, 1))
        if many:
            _native.set_classes(data, number.astype(np.uint32), len(classes))
        if sample_weight is not None:
            _native.set_weights(data, estimator._weights(sample_weight, np.empty(len(y))))
        if groups is not None:
            _native.set_groups(data, _rows.group_numbers(groups, len(y)))
        rows = slice(None)
    drawn = np.empty(_native.shape(data)[0], dtype=np.uint8)
    _native.split(data, estimator._library_options(), estimator._seed(), drawn)
    learned[rows] = drawn
    return learned


def _splits(estimator):
    """Are some rows kept to certify?"""
    X, y = np.arange(8.0)[:, None], np.tile([-1.0, 1.0], 4)
    learned = np.empty(8, dtype=np.uint8)
    _native.split(_native.dense(X, y), estimator._library_options(), 1, learned)
    return not learned.all()


# What a choice by all rows moves where there is no split: under one `kl` statement the posterior is
# free, and the rest is the prior, its columns, or the bound. Parameters that are not named here
# move columns.
MOVES = {"lam": "lam", "prior_sd": "prior_sd", "bound": "bound", "confidence": "bound",
         **dict.fromkeys(("loss", "family", "solver", "max_iter", "tol", "warm_start", "n_jobs",
                          "verbose", "cost", "class_weight", "looked", "max_weight"))}


def _look(estimator, names):
    """Says in the certificate what was chosen after a look at all rows."""
    moved = [MOVES.get(name, "columns") for name in names]
    looked = _rows.looked_names(estimator.looked)
    estimator.set_params(looked=[*looked, *(name for name in moved if name is not None)])


def _some(X, rows):
    """The rows of a frame, an array (of one dimension too, of texts, say), a sparse matrix or a
    list."""
    if _rows.is_frame(X):
        return X.iloc[np.flatnonzero(rows)]
    if isinstance(X, (list, tuple)):
        return [row for row, taken in zip(X, rows) if taken]
    return (X.tocsr() if _rows.is_sparse(X) else np.asarray(X))[np.flatnonzero(rows)]


class _Told:
    """What the fitted classifier inside tells."""

    def _check_fitted(self):
        check_is_fitted(self, "fitted_")

    def _inner(self):
        self._check_fitted()
        return self.fitted_

    def _transformed(self, X):
        return X

    classes_ = property(lambda self: self._inner().classes_)
    certificate_ = property(lambda self: self._inner().certificate_)
    certificates_ = property(lambda self: self._inner().certificates_)
    card_ = property(lambda self: self._inner().card_)
    baseline_ = property(lambda self: self._inner().baseline_)
    path_ = property(lambda self: self._inner().path_)
    trace_ = property(lambda self: self._inner().trace_)
    parts_ = property(lambda self: self._inner().parts_)
    converged_ = property(lambda self: self._inner().converged_)
    n_iter_ = property(lambda self: self._inner().n_iter_)
    coefficients_ = property(lambda self: self._inner().coefficients_)
    coef_ = property(lambda self: self._inner().coef_)
    intercept_ = property(lambda self: self._inner().intercept_)
    info_ = property(lambda self: self._inner().info_)

    def _take_columns(self, X):
        """Columns of rows as they come: scikit-learn's own check would make numbers of frames and
        lists, and refuse texts in one dimension."""
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        if _rows.is_frame(X):
            _rows.check_shape(X, self)
            self.n_features_in_ = X.shape[1]
            if all(isinstance(name, str) for name in X.columns):
                self.feature_names_in_ = np.array(X.columns, dtype=object)
        elif not (isinstance(X, (list, tuple)) or getattr(X, "ndim", 2) == 1):
            _rows._validate(self, X, reset=True, accept_sparse=True, dtype=None,
                            force_all_finite=False)

    def predict(self, X):
        return self._inner().predict(self._transformed(X))

    def predict_proba(self, X):
        return self._inner().predict_proba(self._transformed(X))

    def predict_log_proba(self, X):
        return self._inner().predict_log_proba(self._transformed(X))

    def predict_vote(self, X):
        """The share of the posterior's classifiers that vote for `classes_[1]`."""
        return self._inner().predict_vote(self._transformed(X))

    def decision_function(self, X):
        return self._inner().decision_function(self._transformed(X))

    def score(self, X, y, sample_weight=None):
        return self._inner().score(self._transformed(X), y, sample_weight)

    def save(self, path):
        """Writes the file of the classifier inside."""
        self._inner().save(path)

    def _repr_html_(self):
        return _html.card(self.fitted_, repr(self)) if hasattr(self, "fitted_") else \
            f"<pre>{escape(repr(self))}</pre>"

    def _repr_mimebundle_(self, **_):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _last(estimator):
    """The classifier or ranker of an estimator of this package: itself, or a pipeline's last."""
    return estimator._steps()[-1][1] if isinstance(estimator, CertifiedPipeline) else estimator


class CertifiedPipeline(_Told, ClassifierMixin, BaseEstimator):
    """A pipeline whose certificate is valid: `steps` are (name, transformer) and last
    (name, GibbsiteClassifier); None is that alone. Transformers are fitted on the learn rows
    alone. Once fitted, `named_steps` has them by their names, and the classifier; `coef_` is per
    unit of what it was handed."""

    def __init__(self, steps=None):
        self.steps = steps

    def _steps(self):
        return self.steps if self.steps is not None else [("classifier", GibbsiteClassifier())]

    def _more_tags(self):
        return GibbsiteClassifier()._more_tags()

    def get_params(self, deep=True):
        params = {"steps": self.steps}
        if deep and self.steps is not None:
            for name, step in self._steps():
                params[name] = step
                params.update({f"{name}__{key}": value for key, value in
                               step.get_params(deep=True).items()}
                              if hasattr(step, "get_params") else {})
        return params

    def set_params(self, **params):
        if "steps" in params:
            self.steps = params.pop("steps")
        names = dict(self._steps())
        for key, value in params.items():
            name, _, inner = key.partition("__")
            if name not in names:
                raise argument(f"Invalid parameter {name!r} for estimator {self}.")
            if inner:
                names[name].set_params(**{inner: value})
            else:
                self.steps = [(k, value if k == name else step) for k, step in self._steps()]
        return self

    @property
    def named_steps(self):
        """Steps by their names: the fitted ones, of a pipeline that is."""
        steps = dict(self._steps())
        if hasattr(self, "fitted_"):
            steps.update(self.transformers_)
            steps[self._steps()[-1][0]] = self.fitted_
        return Bunch(**steps)

    def _checked_steps(self):
        steps = self._steps()
        try:
            names = [name for name, _ in steps]
        except (TypeError, ValueError):
            names = []
        if not names or len(set(names)) < len(names):
            raise argument("steps must be a list of (name, transformer), the last of them (name, "
                           "GibbsiteClassifier) or (name, GibbsiteRanker), under names of their "
                           "own")
        if not isinstance(steps[-1][1], GibbsiteClassifier):
            raise argument("the last step must be a GibbsiteClassifier or a GibbsiteRanker",
                           TypeError)
        for name, step in steps[:-1]:
            if step not in (None, "passthrough") and not hasattr(step, "transform"):
                raise argument(f"step {name!r} must be a transformer or 'passthrough', not "
                               f"{step!r}", TypeError)
        return [(name, step) for name, step in steps[:-1] if step not in (None, "passthrough")], \
            clone(steps[-1][1])

    def fit(self, X, y, sample_weight=None, groups=None):
        """As that of `GibbsiteClassifier`; the transformers see rows that are learned from."""
        return self._fit(X, y, sample_weight, groups)

    def _fit(self, X, y, sample_weight=None, groups=None, learned=None):
        """`learned`: which rows to learn from, in place of those that the library draws."""
        steps, last = self._checked_steps()
        with ROWS:
            check_consistent_length(X, y)
            y = column_or_1d(_rows.labels(y), warn=True)
            assert_all_finite(y, input_name="y")
            if len(y) == 0:
                raise ValueError("Found array with 0 sample(s)")
            self._take_columns(X)
            last._take_classes(y)
        given = learned is not None
        if not given:
            learned = learned_rows(last, X, y, sample_weight, groups, own=not steps)
        self.transformers_ = []
        head, labels = _some(X, learned), y[learned]
        for name, step in steps:
            step = clone(step).fit(head, labels)
            head, X = step.transform(head), step.transform(X)
            self.transformers_.append((name, step))
        splits = _splits(last)
        if not splits and steps:  # every row certifies: they have seen them
            _look(last, ["steps"])
        self._split = learned if splits and (steps or given) else None
        self.fitted_ = last._fit(X, y, sample_weight, self._split, groups)
        self.learned_ = learned
        return self

    def _transformed(self, X):
        for _, step in self.transformers_:
            X = step.transform(X)
        return X


class GibbsiteClassifierCV(_Told, ClassifierMixin, BaseEstimator):
    """Parameters chosen by cross-validation on the learn rows alone; then fitted and certified.

    `estimator`, a `GibbsiteClassifier` or a `CertifiedPipeline` (whose parameters are called
    `step__parameter`), is tuned over `param_grid`, as by GridSearchCV. Attributes: `best_params_`,
    `best_score_`, `best_estimator_`, `cv_results_` (a list of parameters, mean and standard
    deviation), and those of the classifier.
    """

    def __init__(self, estimator=None, param_grid=None, cv=5, scoring=None, n_jobs=None):
        self.estimator = estimator
        self.param_grid = param_grid
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs

    def _more_tags(self):
        return GibbsiteClassifier()._more_tags()

    def fit(self, X, y, sample_weight=None, groups=None):
        """As that of `GibbsiteClassifier`; candidates are compared on rows that are learned from,
        and rows of one group are never on both sides of a fold."""
        base = clone(self._checked_estimator())
        y = _rows.labels(y)
        self._take_columns(X)
        last = _last(base)
        if last is base and not _rows.is_raw(X, base.missing):
            checked, y = _rows.checked_pair(self, X, y)
            X = X if _rows.is_frame(X) else checked  # frames keep their names
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        last._take_classes(y)
        learned = self._learned(base, X, y, sample_weight, groups)
        told = {name: _some(np.asarray(values), learned) for name, values in
                (("sample_weight", sample_weight), ("groups", groups)) if values is not None}
        self.cv_results_ = self._compared(base, _some(X, learned), y[learned], told)
        best = max(self.cv_results_, key=lambda result: result["mean"])
        self.best_params_, self.best_score_ = best["params"], best["mean"]
        chosen = clone(base).set_params(**best["params"])
        self._fit_chosen(chosen, learned, X, y, sample_weight, groups)
        self.learned_ = learned
        return self

    def _checked_estimator(self):
        base = self.estimator if self.estimator is not None else GibbsiteClassifier()
        if not isinstance(base, (GibbsiteClassifier, CertifiedPipeline)):
            raise argument("estimator must be a GibbsiteClassifier, a GibbsiteRanker or a "
                           "CertifiedPipeline", TypeError)
        if isinstance(base, CertifiedPipeline):
            base._checked_steps()
        if isinstance(self.cv, numbers.Integral) and self.cv < 2:
            raise argument(f"cv must be 2 folds or more, not {self.cv}")
        return base

    @staticmethod
    def _learned(estimator, X, y, sample_weight, groups):
        """The rows that a fit of the estimator, of a pipeline too, learns from."""
        own = not isinstance(estimator, CertifiedPipeline) or not estimator._checked_steps()[0]
        return learned_rows(_last(estimator), X, y, sample_weight, groups, own)

    def _fit_chosen(self, chosen, learned, X, y, sample_weight, groups):
        """Fits the best candidate, so that the rows that chose it are those it learns from."""
        last = _last(chosen)
        last._take_classes(y)
        self._split = None
        if not _splits(last):  # every row certifies, also those that chose
            _look(last, {name.rpartition("__")[2] if last is chosen or
                         name.startswith(f"{chosen._steps()[-1][0]}__") else "steps"
                         for result in self.cv_results_ for name in result["params"]})
        elif learned.all():
            _look(last, ["every row"])
        elif not np.array_equal(learned, self._learned(chosen, X, y, sample_weight, groups)):
            self._split = learned
        self.best_estimator_ = chosen
        if last is chosen:
            self.fitted_ = chosen._fit(X, y, sample_weight, self._split, groups)
        else:
            chosen._fit(X, y, sample_weight, groups, self._split)
            self.fitted_, self._split = chosen.fitted_, chosen._split

    def _transformed(self, X):
        return self.best_estimator_._transformed(X) \
            if isinstance(self.best_estimator_, CertifiedPipeline) else X

    def _compared(self, base, X, y, told):
        """Mean and standard deviation of the score of each candidate over the folds; `told` are
        weights and groups of these rows."""
        folds, groups = self.cv, told.get("groups")
        counts = np.unique(y, return_counts=True)[1]
        if isinstance(folds, numbers.Integral):
            folds = min(folds, counts.min())
            kind = StratifiedKFold if groups is None else StratifiedGroupKFold
            # a class has one row: nothing to compare by
            folds = kind(folds, shuffle=True, random_state=0) if folds > 1 else None
        results = []
        for params in ParameterGrid(self.param_grid or {}):
            scores = np.array([np.nan])
            if folds is not None and len(counts) > 1:
                scores = cross_val_score(clone(base).set_params(**params), X, y, cv=folds,
                                         groups=groups, scoring=self.scoring, n_jobs=self.n_jobs,
                                         fit_params=told)
            results.append({"params": params, "mean": scores.mean(), "sd": scores.std()})
        return results
