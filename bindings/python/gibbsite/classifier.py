"""A classifier whose labels come with a certificate."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (_check_sample_weight, check_consistent_length,
                                      column_or_1d)

from . import _html, _native, _parameters, _rows, _settings
from ._errors import ROWS, argument, warn
from ._model import CertifiedModel, _label, take_recipe

FIT = _settings.Standard("fit")


def _pair(cost):
    """Costs of two classes as the library has them: a missed row of the second one, a false one."""
    if cost is None:
        return None
    try:
        table = np.asarray(cost, dtype=float)
    except (TypeError, ValueError):
        raise argument(f"cost must be numbers, not {cost!r}") from None
    if table.shape == (2,):
        if not np.all(np.isfinite(table) & (table > 0)):
            raise argument(f"cost of two classes is two positive numbers, not {cost!r}")
        return (table[0], table[1])
    if table.shape != (2, 2):
        raise argument("cost of two classes is a pair or a matrix of 2 x 2, a row for what is "
                       f"and a column for what is said, not of the shape {table.shape}")
    if table[0, 0] != 0 or table[1, 1] != 0:
        raise argument("cost: a label that is right costs 0")
    return (table[1, 0], table[0, 1])


class GibbsiteClassifier(_html.ShowsCertificate, CertifiedModel, ClassifierMixin, BaseEstimator):
    """Classifier with a certificate: a number that the share of wrong labels among all future rows
    stays below, with the stated confidence.

    With the defaults two thirds of the rows, drawn at random, give the scaling, every choice, the
    posterior and the calibration of its probabilities; the labels that `predict` gives are then
    fixed, and the other rows test them. `certificate_` is valid for rows that are independent draws
    from one distribution, **if nothing was learned from these rows before**: columns that were
    selected, or parameters that were tuned, with a look at all rows break it. `CertifiedPipeline`
    and `GibbsiteClassifierCV` do both validly; who did it otherwise says so with `looked`.

    Parameters
    ----------
    loss : {"auto", "zero-one", "hinge", "exponential", "probit"}
    family : {"auto", "fixed", "isotropic", "diagonal", "full"}
        Gaussians to choose the posterior from.
    features : {"linear", "fourier[:D]", "nystrom[:D]", "auto"}
        What is made of the columns: nothing, or D features of a Gaussian kernel beside them.
    lam : float, optional
        Inverse temperature; by default the number of rows learned from.
    prior : {"informed", "zero"}
    prior_sd, prior_split : float, optional
    bound : {"auto", "vote", "kl", "catoni", "progressive", "hoeffding", "paper"}
        Method of the certificate.
    confidence : float
    cost : (float, float) or matrix, optional
        What it costs to miss a row of `classes_[1]`, and to give its label to another row. Of any
        number of classes a matrix: `cost[i][j]` of saying `classes_[j]` of a row of `classes_[i]`.
    class_weight : dict or "balanced", optional
        Acts as `cost`: labels move, probabilities stay calibrated, and the mean cost is certified.
    joint : bool
        All certificates hold at once.
    scale : {"standard", "none", "unit-row"}
    columns : {"auto", "equal", "relevance"}
    fit_intercept : bool
    missing : {"error", "drop", "impute"}
        Rows with missing cells, of frames and of arrays, to come too: an error, left out
        (predictions for such rows are NaN), or filled in.
    solver : {"auto", "lbfgs", "natural", "sgd"}
    max_iter, tol : optional
    warm_start : bool
        `fit` starts from the posterior of the fit before, where there are as many columns: under a
        convex loss the result is the same to the solver's tolerance, after fewer iterations.
    looked : str or list of str
        What was chosen after a look at these rows: "columns", "lam", "prior_sd", "cx", "bound". The
        certificate is then conditional, and says why.
    options : dict, optional
        Further options of `gibbsite fit`, by their names.
    n_jobs : int, optional
        Threads; None is one, -1 all. The numbers do not depend on it.
    random_state : int, generator or None
        None is the seed 1.
    verbose : bool
        A progress bar, where tqdm is there.
    max_weight : float, optional
        No `sample_weight` is larger, of rows to come either; known before the rows were seen. The
        weighted share of wrong labels is then certified too (`target` "weighted").

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
    certificate_ : the first certificate, chosen in advance; `certificates_` : all of them
    card_ : how the classifier did on the rows that tested it; None without a test
    baseline_ : what always saying the more frequent label errs there
    coef_, intercept_ : the decision per unit of each column as it came
    coefficients_ : mean and standard deviation of each, per standard deviation of its column
    path_, trace_, info_, n_iter_, converged_
    """

    _options = ("loss", "family", "features", "lam", "prior", "prior_sd", "prior_split", "bound",
                "confidence", "joint", "max_weight", "scale", "columns", "solver", "max_iter",
                "tol")

    def __init__(self, loss=FIT.loss, family=FIT.family, features=FIT.features, lam=FIT.lam,
                 prior=FIT.prior, prior_sd=FIT.prior_sd, prior_split=FIT.prior_split,
                 bound=FIT.bound, confidence=FIT.confidence, cost=None, class_weight=None,
                 joint=FIT.joint, scale=FIT.scale, columns=FIT.columns, fit_intercept=True,
                 missing=FIT.missing, solver=FIT.solver, max_iter=None, tol=None, warm_start=False,
                 looked=(), options=None, n_jobs=None, random_state=None, verbose=False,
                 max_weight=FIT.max_weight):
        self.loss = loss
        self.family = family
        self.features = features
        self.lam = lam
        self.prior = prior
        self.prior_sd = prior_sd
        self.prior_split = prior_split
        self.bound = bound
        self.confidence = confidence
        self.cost = cost
        self.class_weight = class_weight
        self.joint = joint
        self.scale = scale
        self.columns = columns
        self.fit_intercept = fit_intercept
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
        self.max_weight = max_weight

    def _more_tags(self):
        return {"_xfail_checks": {
            "check_sample_weights_invariance":
                "which rows are learned from goes by their order, which this check shuffles"}}

    # ------------------------------------------------------------ fit

    def fit(self, X, y, sample_weight=None, groups=None):
        """Fits and certifies. Rows of weight 0 are as good as absent; other weights shape the
        classifier, and certificates count every row once. `groups`, a name for each row, says which
        rows belong together, such as those of one patient: they are learned from or tested on as a
        whole, and certificates are about the mean over groups."""
        return self._fit(X, y, sample_weight, groups=groups)

    def _fit(self, X, y, sample_weight=None, learned=None, groups=None):
        """`learned`: which rows to learn from, in place of a split of the library's own."""
        if learned is not None:
            learned = np.ascontiguousarray(learned, dtype=np.uint8)
        data, X = self._data(X, y, sample_weight, groups, learned)
        if learned is not None and not self._raw:  # a recipe learned from these rows has them
            _native.set_split(data, learned)
        if self._is_balanced():
            self._balance(data, column_or_1d(_rows.labels(y)))
        handle = self._fit_data(data)
        self._write_recipe(handle, X)
        return self._keep(handle)

    def _data(self, X, y, sample_weight=None, groups=None, learned=None):
        """A handle on the rows of a fit, and the rows themselves as they were checked. `learned`:
        those that a recipe learns from, in place of those that the library draws."""
        self._check_parameters()
        with ROWS:
            return self._checked_data(X, y, sample_weight, groups, learned)

    def _checked_data(self, X, y, sample_weight, groups, learned):
        _rows.check_shape(X, self)
        y = _rows.labels(y)
        self._raw = _rows.wants_recipe(X, self.missing)
        self._by_name = False
        if self._raw:
            check_consistent_length(X, y)
            y = column_or_1d(y, warn=True)
            self._take_classes(y)
            data = self._raw_data(X, y, sample_weight, groups, learned)
        else:
            X, y = _rows.checked_pair(self, X, y)
            self._take_classes(y)
            data = self._number_data(X, y)
            if sample_weight is not None:
                _native.set_weights(data, self._weights(sample_weight, X))
            if groups is not None:
                _native.set_groups(data, _rows.group_numbers(groups, X.shape[0]))
        if len(self.classes_) > 2 and self._costs is not None:
            self._set_costs(data)
        return data, X

    def _check_parameters(self):
        """Those that the library does not see as they are."""
        if self.missing not in ("error", "drop", "impute"):
            raise argument("missing: expected 'error', 'drop' or 'impute', found "
                           f"{self.missing!r}")
        for name in ("joint", "fit_intercept", "warm_start"):
            value = getattr(self, name, False)
            if not isinstance(value, (bool, np.bool_)):
                raise argument(f"{name} must be True or False, not {value!r}")

    def _take_classes(self, y):
        """Classes, and what errors cost: the options are made of both."""
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError("two classes are needed, and the labels have one class only: "
                             f"{self.classes_[0]!r}")
        nul = [value for value in self.classes_.tolist() if "\0" in _label(value)]
        if nul:
            raise ValueError(f"the label {nul[0]!r} has a NUL character in it, which a label "
                             "cannot have here")
        self._costs = self._costs_of(y)
        if self._is_balanced():  # once it is known which rows are learned from
            self._costs = None

    def _number_data(self, X, y):
        if len(self.classes_) == 2:
            return _rows.data_of(X, _rows.signs(y, self.classes_[1]))
        data = _rows.data_of(X)
        numbers = np.searchsorted(self.classes_, y).astype(np.uint32)
        _native.set_classes(data, numbers, len(self.classes_))
        return data

    def _data_again(self, X, y):
        """The rows of a fit; of three classes or more, numbered as the library has them."""
        y = np.asarray(y)
        known = {value: k for k, value in enumerate(self.classes_.tolist())}
        place = np.array([known.get(value, -1) for value in y.ravel().tolist()])
        if y.shape != (X.shape[0],) or np.any(place < 0):
            raise ValueError("y must be the labels of the fit, one for each row")
        if len(self.classes_) == 2:
            return _rows.data_of(X, _rows.signs(place, 1))
        data = _rows.data_of(X)
        _native.set_classes(data, self._class_order()[place].astype(np.uint32),
                            len(self.classes_))
        return data

    def _raw_data(self, X, y, sample_weight, groups, learned):
        """Through the library's recipe: labels, weights and groups are columns of the table."""
        names = _rows.names_of(X)
        self.n_features_in_ = len(names)
        self.__dict__.pop("feature_names_in_", None)
        if _rows.is_frame(X):
            self.feature_names_in_ = np.array(names, dtype=object)
        target = next(name for name in ("y", "target", "label", "y_") if name not in names)
        texts = {value: _label(value) for value in self.classes_.tolist()}
        labels = y.astype(np.float64) if _rows.are_numbers(self.classes_) else \
            [texts[value] for value in y.tolist()]
        columns = [*_rows.table_columns(X, self.missing), (target, labels)]
        options = {**self._library_options(), "target": target}
        for option, values in (("weights", self._weights(sample_weight, y)),
                               ("group", _rows.group_numbers(groups, len(y)))):
            if values is not None:
                options[option] = next(name for name in (option, f"{option} of the row", "(_)")
                                       if name not in (*names, target))
                columns.append((options[option], values.astype(np.float64)))
        table = _native.table(len(y), columns)
        if len(self.classes_) == 2:
            options["positive"] = texts[self.classes_.tolist()[1]]
        if self.missing != "error":
            options["missing"] = self.missing
        data, messages = _native.train(table, options, self._seed(), learned)
        for message in messages:
            warn(message)
        return data

    @staticmethod
    def _weights(sample_weight, X):
        return None if sample_weight is None else np.ascontiguousarray(
            _check_sample_weight(sample_weight, X, dtype=np.float64, only_non_negative=True))

    def _is_balanced(self):
        return isinstance(getattr(self, "class_weight", None), str)

    def _balance(self, data, y):
        """What errors cost goes by the labels of the rows to learn from: those that certify must
        not move the threshold."""
        rows = _native.table_rows(data) if self._raw else np.arange(len(y))
        learned = np.empty(len(rows), dtype=np.uint8)
        _native.split(data, self._library_options(), self._seed(), learned)
        self._costs = self._costs_of(y[rows][learned != 0])
        if len(self.classes_) > 2:
            self._set_costs(data)

    def _costs_of(self, y):
        if self.class_weight is None:
            return _pair(self.cost) if len(self.classes_) == 2 else self.cost
        if self.cost is not None:
            raise argument("class_weight acts as cost: give one of them")
        if self._is_balanced():
            compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_)
            seen = np.array([np.count_nonzero(y == label) for label in self.classes_])
            weight = len(y) / (len(self.classes_) * np.maximum(seen, 1))
        else:
            weight = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
            bad = [k for k, w in enumerate(weight) if not (np.isfinite(w) and w > 0)]
            if bad:
                raise argument("class_weight must be positive numbers, and that of "
                               f"{self.classes_[bad[0]]!r} is {weight[bad[0]]:g}")
        if len(self.classes_) > 2:
            return np.outer(weight, np.ones(len(weight))) * (1 - np.eye(len(weight)))
        return (weight[1], weight[0])

    def _set_costs(self, data):
        """Of three classes or more; the labels of a table are in the order of their bytes."""
        classes = len(self.classes_)
        cost = np.asarray(self._costs, dtype=float)
        if cost.shape != (classes, classes):
            raise argument(f"cost of {classes} classes is a matrix of that size, a row for what "
                           f"is and a column for what is said, not of the shape {cost.shape}")
        if self._raw and not _rows.are_numbers(self.classes_):
            texts = [_label(value).encode() for value in self.classes_]
            order = sorted(range(classes), key=texts.__getitem__)
            cost = cost[np.ix_(order, order)]
        _native.set_costs(data, np.ascontiguousarray(cost).ravel(), classes)

    def _derived_options(self):
        two = len(getattr(self, "classes_", ())) == 2  # more: the costs are part of the rows
        return {"no-intercept": not self.fit_intercept, "cost": self._costs if two else None}

    # ------------------------------------------------------------ predictions

    def _classified(self, X, *wanted):
        """Arrays of those wanted among label, probability, score and vote."""
        data, count, rows = self._rows(X)
        if data is None:
            return [self._spread(None, count, rows) for _ in wanted]
        held = _native.shape(data)[0]
        arrays = {name: np.empty(held) for name in wanted}
        _native.classify(self._handle, data, _settings.threads_of(self.n_jobs),
                         *(arrays.get(name) for name in ("label", "probability", "score", "vote")))
        return [self._spread(arrays[name], count, rows) for name in wanted]

    def _class_order(self):
        """The library's number of each of `classes_`: a table has an order of its own."""
        known = {text: k for k, text in enumerate(self.info_["classes"])}
        return np.array([known[_label(value)] for value in self.classes_])

    def _many(self, X):
        """Classes, by their place in `classes_`, and probabilities of three classes or more."""
        data, count, rows = self._rows(X)
        classes = len(self.classes_)
        if data is None:
            return np.full(count, np.nan), np.full((count, classes), np.nan)
        held = _native.shape(data)[0]
        class_of, probability = np.empty(held, dtype=np.uint32), np.empty(held * classes)
        _native.classify_rows(self._handle, data, _settings.threads_of(self.n_jobs), class_of,
                              probability)
        order = self._class_order()
        place = np.empty(classes, dtype=int)
        place[order] = np.arange(classes)
        label = self._spread(place[class_of].astype(float), count, rows)
        table = probability.reshape(held, classes)[:, order]
        return label, np.column_stack([self._spread(table[:, k], count, rows)
                                       for k in range(classes)])

    def predict(self, X):
        """The labels that the certificate is about."""
        self._check_fitted()
        if len(self.classes_) > 2:
            label, _ = self._many(X)
            return self.classes_[self._all_there(label).astype(int)]
        label, = self._classified(X, "label")
        return self.classes_.take(self._all_there(label) > 0)

    @staticmethod
    def _all_there(label):
        gone = np.isnan(label)
        if gone.any():
            raise ValueError(f"row {np.flatnonzero(gone)[0]} has missing cells: it has no label")
        return label

    def predict_proba(self, X):
        """Probabilities, a column for each of `classes_`: calibrated where there is a `card_`, else
        the share of the posterior's classifiers that vote for each."""
        self._check_fitted()
        if len(self.classes_) > 2:
            return self._many(X)[1]
        p, = self._classified(X, "probability")
        return np.column_stack([1.0 - p, p])

    def predict_log_proba(self, X):
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X):
        """Logit of the probability minus logit of the threshold: the label is `classes_[1]` where
        this is not negative. Of three classes or more: the logarithm of each probability."""
        self._check_fitted()
        if len(self.classes_) > 2:
            return np.log(np.maximum(self._many(X)[1], np.finfo(float).tiny))
        if self.card_ is not None:
            score, = self._classified(X, "score")
            constant, factor = self._decision()
            return constant + factor * score
        from scipy.special import log_ndtr
        data, count, rows = self._rows(X)
        if data is None:
            return self._spread(None, count, rows)
        score, sd = np.empty((2, _native.shape(data)[0]))
        _native.predict(self._handle, data, _settings.threads_of(self.n_jobs), score, sd, None)
        z = np.clip(score / np.maximum(sd, 1e-300), -1e150, 1e150)
        return self._spread(log_ndtr(z) - log_ndtr(-z), count, rows)

    def predict_vote(self, X):
        """The share of the posterior's classifiers that vote for `classes_[1]`."""
        self._check_fitted()
        if len(self.classes_) > 2:
            raise argument("a model of several classes has labels and probabilities: no vote")
        return self._classified(X, "vote")[0]

    def score(self, X, y, sample_weight=None):
        """The share of right labels."""
        return super().score(X, _rows.labels(y), sample_weight)

    # ------------------------------------------------------------ files

    @classmethod
    def _from_handle(cls, handle):
        """A fitted estimator around a model of a file."""
        self = cls()
        self._handle, self._raw, self._by_name = handle, False, True
        self._costs = None
        self._tell()
        columns = _native.features(handle)
        take_recipe(self, _native.recipe(handle), columns)
        filled = any("fill" in column for column in self._inputs())
        found = _parameters.of_model(self.info_, lambda: _native.to_json(handle), columns,
                                     len(self.classes_), filled)
        return self.set_params(**_parameters.given(found, self))
