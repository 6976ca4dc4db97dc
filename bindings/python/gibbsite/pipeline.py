"""Choices and transformations that leave a certificate valid: they see the learn rows alone.

Whatever is learned from all rows, such as a selection of columns, has seen the rows that the
certificate is computed on: on pure noise, the best 10 of 1000 columns look good on them, and a
certificate below the truth comes out. Here the library draws its split first; transformers and
candidates see the rows to learn from, and the others only at the very end.
"""
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import ParameterGrid, StratifiedKFold, cross_val_score
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _html, _native, _rows
from .classifier import GibbsiteClassifier


def learned_rows(estimator, X, y, sample_weight=None):
    """Which rows `estimator` would learn from: an array of booleans. It depends on what the rows
    hold, their order, the seed and the options, and on no transformation."""
    classes, numbers = np.unique(y, return_inverse=True)
    many = len(classes) > 2
    data = _rows.fingerprint(X, None if many else _rows.signs(numbers, 1))
    if many:
        _native.set_classes(data, numbers.astype(np.uint32), len(classes))
    if sample_weight is not None:
        weight = _check_sample_weight(sample_weight, np.empty(len(y)), dtype=np.float64)
        _native.set_weights(data, np.ascontiguousarray(weight))
    learned = np.empty(len(y), dtype=np.uint8)
    _native.split(data, estimator._library_options(), estimator._seed(), learned)
    return learned.astype(bool)


def _splits(estimator):
    """Are some rows kept to certify?"""
    X, y = np.arange(8.0)[:, None], np.tile([-1.0, 1.0], 4)
    learned = np.empty(8, dtype=np.uint8)
    _native.split(_native.dense(X, y), estimator._library_options(), 1, learned)
    return not learned.all()


def _some(X, rows):
    """The rows of a frame, an array, a sparse matrix or a list."""
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

    def save(self, path):
        """Writes the file of the classifier inside."""
        self._inner().save(path)

    def _repr_html_(self):
        return _html.card(self.fitted_) if hasattr(self, "fitted_") else f"<pre>{self!r}</pre>"


class CertifiedPipeline(_Told, ClassifierMixin, BaseEstimator):
    """A pipeline whose certificate is valid: `steps` are (name, transformer) and last
    (name, GibbsiteClassifier); None is that alone. Transformers are fitted on the learn rows
    alone."""

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
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}.")
            if inner:
                names[name].set_params(**{inner: value})
            else:
                self.steps = [(k, value if k == name else step) for k, step in self._steps()]
        return self

    def fit(self, X, y, sample_weight=None):
        steps = self._steps()
        if not isinstance(steps[-1][1], GibbsiteClassifier):
            raise TypeError("the last step must be a GibbsiteClassifier")
        last = clone(steps[-1][1])
        check_consistent_length(X, y)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        if len(y) == 0:
            raise ValueError("Found array with 0 sample(s)")
        if not (_rows.is_frame(X) or isinstance(X, (list, tuple))):
            _rows._validate(self, X, reset=True, accept_sparse=True, dtype=None,
                            force_all_finite=False)
        last._take_classes(y)
        learned = learned_rows(last, X, y, sample_weight)
        self.transformers_ = []
        head, labels = _some(X, learned), y[learned]
        for name, step in steps[:-1]:
            if step == "passthrough":
                continue
            step = clone(step).fit(head, labels)
            head, X = step.transform(head), step.transform(X)
            self.transformers_.append((name, step))
        if not _splits(last) and self.transformers_:  # every row certifies: they have seen them
            looked = [last.looked] if isinstance(last.looked, str) else list(last.looked or ())
            last.set_params(looked=[*looked, "columns"])
        self._split = learned if _splits(last) else None
        self.fitted_ = last._fit(X, y, sample_weight, self._split)
        self.learned_ = learned
        return self

    def _transformed(self, X):
        for _, step in self.transformers_:
            X = step.transform(X)
        return X

    def predict(self, X):
        return self._inner().predict(self._transformed(X))

    def predict_proba(self, X):
        return self._inner().predict_proba(self._transformed(X))

    def decision_function(self, X):
        return self._inner().decision_function(self._transformed(X))


class GibbsiteClassifierCV(_Told, ClassifierMixin, BaseEstimator):
    """Parameters chosen by cross-validation on the learn rows alone; then fitted and certified.

    `estimator`, a `GibbsiteClassifier`, is tuned over `param_grid`, as by GridSearchCV. Attributes:
    `best_params_`, `best_score_`, `cv_results_` (a list of parameters, mean and standard
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

    def fit(self, X, y, sample_weight=None):
        base = self.estimator if self.estimator is not None else GibbsiteClassifier()
        if not isinstance(base, GibbsiteClassifier):
            raise TypeError("estimator must be a GibbsiteClassifier")
        base = clone(base)
        raw = _rows.is_raw(X)
        if not raw:
            X, y = _rows.checked_pair(self, X, y)
        y = np.asarray(y)
        base._take_classes(y)
        learned = learned_rows(base, X, y, sample_weight)
        head, labels = _some(X, learned), y[learned]
        candidates = list(ParameterGrid(self.param_grid or {"scale": ["standard"]}))
        counts = np.unique(labels, return_counts=True)[1]
        folds = min(self.cv, counts.min()) if isinstance(self.cv, int) else self.cv
        if isinstance(folds, (int, np.integer)) and folds > 1:
            folds = StratifiedKFold(folds, shuffle=True, random_state=0)
        self.cv_results_ = []
        for params in candidates:
            scores = np.array([np.nan])  # a class has one row: nothing to compare by
            if not isinstance(folds, (int, np.integer)) and len(counts) > 1:
                scores = cross_val_score(clone(base).set_params(**params), head, labels, cv=folds,
                                         scoring=self.scoring, n_jobs=self.n_jobs)
            self.cv_results_.append({"params": params, "mean": scores.mean(), "sd": scores.std()})
        best = max(self.cv_results_, key=lambda result: result["mean"])
        self.best_params_, self.best_score_ = best["params"], best["mean"]
        chosen = clone(base).set_params(**best["params"])
        chosen._take_classes(y)
        self._split = learned if _splits(chosen) else None
        self.fitted_ = chosen._fit(X, y, sample_weight, self._split)
        self.learned_ = learned
        self.best_estimator_ = self.fitted_
        return self

    def predict(self, X):
        return self._inner().predict(X)

    def predict_proba(self, X):
        return self._inner().predict_proba(X)

    def decision_function(self, X):
        return self._inner().decision_function(X)
