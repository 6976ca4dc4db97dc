"""What classifiers and rankers share: a model of the library and what it tells."""
import json
import math

import numpy as np
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from . import _native, _rows, _settings
from ._errors import ROWS, argument, warn
from ._raw import ReadsRaw


class Told(dict):
    """A part of what the library tells of a model, such as its certificate: a dict whose keys are
    attributes too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self):
        return [*super().__dir__(), *self]


def told(value):
    if isinstance(value, dict):
        return Told((key, told(item)) for key, item in value.items())
    if isinstance(value, list):
        return [told(item) for item in value]
    return value


def number_of_text(text):
    """A label that a file of the command line calls a number."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def classes_of(texts, numeric):
    """Labels as predictions give them: numbers where the file says so, else texts."""
    if numeric:
        try:
            return np.array([number_of_text(text) for text in texts])
        except ValueError:
            pass
    return np.array(texts)


class Handled:
    """Mixin over a handle of the library, `_handle`; saved and pickled as the bytes of its file."""

    _to_file, _from_file = staticmethod(_native.to_json), staticmethod(_native.from_json)

    def _check_fitted(self):
        if not hasattr(self, "_handle"):
            raise argument(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' "
                           "with appropriate arguments before using this estimator.",
                           NotFittedError)

    def save(self, path):
        """Writes the file that the command line and every binding read."""
        self._check_fitted()
        _native.write_file(path, self._to_file(self._handle))

    def __getstate__(self):
        state = dict(super().__getstate__())
        handle = state.pop("_handle", None)
        if handle is not None:
            state["_file"] = self._to_file(handle)
        return state

    def __setstate__(self, state):
        state = dict(state)
        file = state.pop("_file", None) or state.pop("_text", None)  # _text: of earlier versions
        super().__setstate__(state)
        if file is not None:
            self._handle = self._from_file(file)


class CertifiedModel(ReadsRaw, Handled):
    """A model and what it tells."""

    # What scikit-learn's parameters are called by, beyond what the estimator names itself.
    _task = "classify"

    def _library_options(self):
        parameters = {name: value for name, value in self.get_params(deep=False).items()
                      if name in self._options}
        return _settings.options_of({"task": self._task, **parameters, **self._derived_options()},
                                    self.options, own=("task", "target", "positive", "weights",
                                                       "group", "cost", "missing", "no-intercept"),
                                    kind=type(self))

    def _derived_options(self):
        return {}

    def _fit_data(self, data):
        """Fits to a handle on rows, and tells of it."""
        progress, end = _settings.progress_of(getattr(self, "verbose", False))
        _native.looked(data, _rows.looked_bits(self.looked))
        try:
            handle, messages = _native.fit(data, self._start(data), self._library_options(),
                                           self._seed(), _settings.threads_of(self.n_jobs),
                                           progress)
        finally:
            end()
        for message in messages:
            warn(message)
        return handle

    def _start(self, data):
        """The model of the fit before, where its columns are as many."""
        handle = getattr(self, "_handle", None) if self.warm_start else None
        if handle is None or _native.features(handle) != _native.shape(data)[1]:
            return None
        return handle

    def _seed(self):
        return _settings.seed_of(self.random_state)

    def _keep(self, handle):
        self._handle = handle
        self._tell()
        if not self.converged_:
            warn("the solver did not converge; increase max_iter or tol", ConvergenceWarning)
        return self

    def _tell(self):
        """Attributes that are read off the model."""
        about = told(json.loads(_native.describe(self._handle)))
        self.info_ = about
        self.certificate_ = about["certificate"]
        self.certificates_ = about["certificates"]
        self.path_ = about["path"]
        self.trace_ = about["trace"]
        self.card_ = about.get("card")
        self.baseline_ = about.get("baseline")
        self.converged_ = about["converged"]
        self.n_iter_ = about["iterations"]
        self.coefficients_ = about.get("coefficients", [])
        self.parts_ = about.get("parts", [])

    # ------------------------------------------------------------ coefficients

    def _linear(self):
        self._check_fitted()
        if self.parts_:
            raise AttributeError("a model of several classes has coefficients in each of parts_")
        coefficient = np.empty(_native.features(self._handle))
        try:
            intercept = _native.linear(self._handle, coefficient)
        except ValueError as error:
            raise AttributeError(str(error)) from None
        return coefficient, intercept

    def _decision(self):
        """Constant and factor that make the decision of a score."""
        if self.card_ is None or "offset" not in self.card_:
            return 0.0, 1.0
        return self.card_["offset"] - logit(self.card_["threshold"]), self.card_["slope"]

    @property
    def coef_(self):
        """Per unit of each column as it came: `decision_function(X)` is `X @ coef_.T + intercept_`
        (of a model without a card, the score is)."""
        coefficient, _ = self._linear()
        return self._decision()[1] * coefficient[np.newaxis, :]

    @property
    def intercept_(self):
        _, intercept = self._linear()
        constant, factor = self._decision()
        return np.array([constant + factor * intercept])

    # ------------------------------------------------------------ rows to predict

    def _rows(self, X):
        """A handle on rows to predict, how many there are, and which of them it has (None: all).
        There is no handle where every row has missing cells."""
        with ROWS:
            return self._checked_rows(X)

    def _checked_rows(self, X):
        self._check_fitted()
        _rows.check_shape(X, self)
        if self._raw or ((self._by_name or _rows.is_raw(X, self.missing)) and _rows.is_frame(X)):
            return self._rows_as_they_came(X)
        if self._by_name:
            X = _rows.numbers(X)
            return _rows.data_of(X), X.shape[0], None
        X, data = _rows.to_predict(self, X)
        return data, X.shape[0], None

    # ------------------------------------------------------------ recipes

    def _write_recipe(self, handle, X):
        if _native.recipe(handle) is None:
            _native.set_recipe(handle, recipe_of(self, X))


def take_recipe(estimator, recipe, features):
    """Classes and names of columns of a model of a file: as its recipe has them."""
    recipe = json.loads(recipe) if recipe is not None else {}
    texts = [recipe.get("negative") or f"not {recipe.get('positive', '1')}",
             recipe.get("positive", "1")] if recipe else ["-1", "1"]
    estimator.classes_ = classes_of(estimator.info_.get("classes", texts),
                                    recipe.get("target_type", "number") == "number")
    inputs = recipe.get("inputs")
    estimator._raw = any(column["type"] == "text" or "fill" in column for column in inputs or ())
    estimator.n_features_in_ = len(inputs) if inputs is not None else features
    if inputs is not None and recipe.get("named"):
        estimator.feature_names_in_ = np.array([column["name"] for column in inputs], dtype=object)


def recipe_of(estimator, X):
    """Names of columns and labels as model files keep them, so that the command line can use a
    model of arrays."""
    columns, classes = estimator.n_features_in_, estimator.classes_
    recipe = {"positive": _label(classes[1]), "negative": _label(classes[0])} \
        if len(classes) == 2 else {"classes": [_label(value) for value in classes]}
    if _rows.is_sparse(X):
        recipe.update(named=False, columns=columns, features=columns)
        return json.dumps(recipe)
    names = [str(name) for name in getattr(estimator, "feature_names_in_",
                                           [f"V{k + 1}" for k in range(columns)])]
    target = next(name for name in ("y", "target", "label", "class", "y_") if name not in names)
    numeric = classes.dtype.kind in "biuf"
    recipe.update(named=True, columns=columns + 1, features=columns, target=target,
                  target_position=columns, target_type="number" if numeric else "text",
                  inputs=[{"name": name, "position": k, "type": "number"}
                          for k, name in enumerate(names)])
    return json.dumps(recipe)


def _label(value):
    """The text that stands for a label in a model file."""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def logit(p):
    return math.log(p) - math.log1p(-p)
