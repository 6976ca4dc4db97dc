"""Samples of the Gibbs posterior itself, and the gap of a fitted model to it."""
import json

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from . import _native, _parameters, _rows, _settings
from ._errors import ROWS, argument, warn
from ._model import CertifiedModel, Handled, recipe_of, take_recipe, told
from ._raw import ReadsRaw

SAMPLE = _settings.Standard("sample")


class GibbsSampler(ReadsRaw, Handled, ClassifierMixin, BaseEstimator):
    """Particles that stand for the Gibbs posterior, exp(-lam r(theta)) times the prior, not for an
    approximation of it: tempering sequential Monte Carlo.

    Attributes: `log_z_`, `log_z_sd_`, `gibbs_risk_`, `acceptance_`, `path_` (a point for each
    temperature), `draws_` (particles x coefficients, in scaled coordinates), `coefficients_` (mean
    and standard deviation over the particles), `info_`. Its probabilities are shares of votes;
    there is no certificate.
    """

    _to_file = staticmethod(_native.sample_to_json)
    _from_file = staticmethod(_native.sample_from_json)
    _recipe = staticmethod(_native.sample_recipe)
    _options = ("loss", "lam", "prior_sd", "scale", "particles", "chains", "moves", "move", "ess")

    def __init__(self, loss=SAMPLE.loss, lam=SAMPLE.lam, prior_sd=SAMPLE.prior_sd,
                 scale=SAMPLE.scale, fit_intercept=True, particles=None, chains=None, moves=None,
                 move=SAMPLE.move,
                 ess=None, options=None, n_jobs=None, random_state=None, verbose=False):
        self.loss = loss
        self.lam = lam
        self.prior_sd = prior_sd
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.particles = particles
        self.chains = chains
        self.moves = moves
        self.move = move
        self.ess = ess
        self.options = options
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _more_tags(self):
        return {"binary_only": True}

    def fit(self, X, y):
        with ROWS:
            X, y = _rows.checked_pair(self, X, y)
            self._raw = self._by_name = False  # no longer those of a file
            check_classification_targets(y)
            self.classes_ = np.unique(y)
            if len(self.classes_) > 2:
                raise ValueError("Only binary classification is supported. The type of the target "
                                 "is multiclass.")
            if len(self.classes_) < 2:
                raise ValueError("two classes are needed, and the labels have one class only")
            data = _rows.data_of(X, _rows.signs(y, self.classes_[1]))
        parameters = {name: getattr(self, name) for name in self._options}
        options = _settings.options_of({**parameters, "no-intercept": not self.fit_intercept},
                                       self.options, kind=type(self))
        return self._draw(data, None, 0, options, X)

    def _draw(self, data, model, stage, options, X):
        progress, end = _settings.progress_of(self.verbose)
        try:
            self._handle, messages = _native.sample(data, model, stage, options,
                                                    _settings.seed_of(self.random_state),
                                                    _settings.threads_of(self.n_jobs), progress)
        finally:
            end()
        for message in messages:
            warn(message)
        _native.sample_set_recipe(self._handle, recipe_of(self, X))
        self._tell()
        return self

    def _tell(self):
        self.info_ = told(json.loads(_native.sample_describe(self._handle)))
        self.path_, self.coefficients_ = self.info_["path"], self.info_["coefficients"]
        for name in ("log_z", "log_z_sd", "gibbs_risk", "acceptance"):
            setattr(self, name + "_", self.info_[name])
        self.n_iter_ = len(self.path_)

    @property
    def draws_(self):
        self._check_fitted()
        out = np.empty(self.info_["particles"] * self.info_["d"])
        _native.sample_draws(self._handle, out)
        return out.reshape(self.info_["particles"], self.info_["d"])

    def _predicted(self, X):
        self._check_fitted()
        with ROWS:
            data, count, rows = self._rows(X)
        score, probability = np.empty((2, _native.shape(data)[0]))
        _native.sample_predict(self._handle, data, _settings.threads_of(self.n_jobs), score, None,
                               probability)
        return [self._spread(values, count, rows) for values in (score, probability)]

    def _rows(self, X):
        if getattr(self, "_raw", False):
            return self._rows_as_they_came(X)
        if getattr(self, "_by_name", False):  # of a file
            X = _rows.numbers(_rows.named(X, getattr(self, "feature_names_in_", None)))
        else:
            X = _rows.checked(self, X, reset=False)
        return _rows.data_of(X), X.shape[0], None

    def decision_function(self, X):
        """Share of the particles that vote for `classes_[1]`, minus one half; a tie is one of its
        votes, as on the command line."""
        p = self._predicted(X)[1]
        return np.where(p == 0.5, np.finfo(float).tiny, p - 0.5)

    def predict_proba(self, X):
        p = self._predicted(X)[1]
        return np.column_stack([1.0 - p, p])

    def predict(self, X):
        voted = self.decision_function(X) > 0
        return self.classes_[voted.astype(int)]

    @classmethod
    def _from_handle(cls, handle):
        self = cls()
        self._handle, self._by_name = handle, True
        self._tell()
        take_recipe(self, _native.sample_recipe(handle), _native.sample_features(handle))
        return self.set_params(**_parameters.given(_parameters.of_sample(self.info_), self))


def gap(model, X, y, sample_weight=None, groups=None, **sampling):
    """How far a fitted classifier or ranker is from the Gibbs posterior that it approximates:
    KL(model || Gibbs) = free energy + log Z, an estimate. X and y are the rows of the fit, all of
    them, with their weights and groups; `sampling` are parameters of `GibbsSampler` that say how to
    sample. Of a `CertifiedPipeline` or `GibbsiteClassifierCV` the classifier inside is meant. Of
    three classes or more there is a list, one for each binary problem, with `class` and `against`
    (None: the rest); classes that were fitted together, which `loss="hinge"` avoids, have none."""
    learned = None
    if hasattr(model, "fitted_"):  # with a split of its own
        X, learned, model = model._transformed(X), model._split, model.fitted_
    if hasattr(model, "_check_fitted"):
        model._check_fitted()
    if not isinstance(model, CertifiedModel):
        raise argument("gap is of a classifier or ranker of this package, not of "
                       f"{type(model).__name__}", TypeError)
    with ROWS:
        if model._raw and (not model._reads_arrays() or _rows.is_raw(X, "impute")):
            raise ValueError("gap needs rows of numbers, none of them missing")
        if model._by_name:  # of a file
            X = _rows.numbers(_rows.named(X, getattr(model, "feature_names_in_", None)))
        else:
            X = _rows.checked(model, X, reset=False)
        many = len(model.classes_) > 2
        data = model._data_again(X, _rows.labels(y))
    if sample_weight is not None:
        _native.set_weights(data, model._weights(sample_weight, X))
    if groups is not None:
        _native.set_groups(data, _rows.group_numbers(groups, X.shape[0]))
    if learned is not None:
        _native.set_split(data, np.ascontiguousarray(learned, dtype=np.uint8))
    sampler = GibbsSampler(**sampling)
    if not many:
        return _gap(model, data, 0, sampler)
    order = model._class_order()
    label = {int(number): value for number, value in zip(order, model.classes_)}
    return [told({"class": label[one], "against": label.get(other),
                  **_gap(model, data, k, sampler)})
            for k, one, other in _native.problems(model._handle)]


def _gap(model, data, stage, sampler):
    options = _settings.options_of({name: getattr(sampler, name) for name in
                                    ("particles", "chains", "moves", "move", "ess")},
                                   sampler.options, kind=type(sampler))
    handle, messages = _native.sample(data, model._handle, stage, options,
                                      _settings.seed_of(sampler.random_state),
                                      _settings.threads_of(sampler.n_jobs), None)
    for message in messages:
        warn(message)
    found = told(_native.gap(data, model._handle, stage, handle))
    info = json.loads(_native.sample_describe(handle))
    found.update(log_z=info["log_z"], log_z_sd=info["log_z_sd"])
    return found
