"""Matrix completion: few cells of a matrix are known, and all of them are predicted."""
import json

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from . import _html, _native, _parameters, _rows, _settings
from ._errors import ROWS, argument, warn
from ._model import Handled, told
from ._settings import is_range

COMPLETE = _settings.Standard("complete")
UNSEEN = np.uint32(0xFFFFFFFF)


def _numbered(names):
    """Names in order of first appearance, and the number of each."""
    known, numbers = {}, np.empty(len(names), dtype=np.uint32)
    for i, name in enumerate(names):
        numbers[i] = known.setdefault(name, len(known))
    return list(known), numbers


def _texts(values, what):
    """Names of rows or columns: 3.0 is '3', as everywhere."""
    values = np.asarray(values)
    if values.ndim != 1:
        raise ValueError(f"{what} must be an array of one dimension")
    texts = []
    for i, value in enumerate(values.tolist()):
        if _rows.is_missing(value):
            raise ValueError(f"{what}: the name in place {i} is missing")
        whole = isinstance(value, float) and value.is_integer()
        texts.append(value if isinstance(value, str) else str(int(value)) if whole else str(value))
    return texts


def _columns_of(known):
    """Columns of features, each a list of cells, and the identifiers of their lines."""
    if _rows.is_frame(known):
        return list(known.index), [list(known.iloc[:, k]) for k in range(known.shape[1])]
    try:
        lines = {name: list(line) for name, line in known.items()}
    except (AttributeError, TypeError):
        raise ValueError("features are a frame whose index names rows or columns, or a dict of "
                         "lists of numbers by name") from None
    widths = {len(line) for line in lines.values()}
    if len(widths) > 1:
        raise ValueError("features differ in number from line to line")
    return list(lines), [list(column) for column in zip(*lines.values())]


def _numbers_of(column):
    """Numbers of a column of features: of texts 0 and 1 for each, NaN where a cell is missing."""
    missing = [_rows.is_missing(cell) for cell in column]
    levels = dict.fromkeys(cell for cell, gap in zip(column, missing)
                           if not gap and isinstance(cell, str))
    if not levels:
        return [[np.nan if gap else float(cell) for cell, gap in zip(column, missing)]]
    return [[np.nan if gap else float(cell == level) for cell, gap in zip(column, missing)]
            for level in levels]


def _features(known, names, what):
    """What is known of the items as an array, a line for each; names grows by those that have no
    ratings."""
    if known is None:
        return None
    ids, columns = _columns_of(known)
    ids, rated, known_names = _texts(ids, f"{what} features"), len(names), set(names)
    if not columns:
        raise ValueError(f"{what} features: there are none")
    if len(set(ids)) < len(ids):
        raise ValueError(f"{what} features: a name comes a second time")
    matched = sum(name in known_names for name in ids)
    if matched == 0:
        raise ValueError(f"{what} features: none of their names is that of a rated {what}: they "
                         f"have {ids[0] if ids else 'none'!r}, the ratings {names[0]!r}")
    if matched < rated or matched < len(ids):
        warn(f"{rated - matched} of {rated} rated {what}s have no features, and "
             f"{len(ids) - matched} of {len(ids)} {what}s with features have no ratings")
    names += [name for name in ids if name not in known_names]
    numbers = [line for column in columns for line in _numbers_of(column)]
    table = np.full((len(names), len(numbers)), np.nan)
    table[[{name: k for k, name in enumerate(names)}[name] for name in ids]] = np.transpose(numbers)
    return table


def _table(cells, row_names, column_names):
    """Triples of the cells of a table that are not missing."""
    try:
        cells = np.asarray(cells, dtype=float)
    except (TypeError, ValueError):
        raise ValueError("a table of ratings holds numbers, and NaN where none is known") from None
    row, column = np.nonzero(~np.isnan(cells))
    if len(row) == 0:
        raise ValueError("the table has no rating: every cell is missing")
    return [row_names[i] for i in row], [column_names[j] for j in column], cells[row, column]


def _of_frame(frame):
    """A frame whose columns have a name, as pivot() makes it, is a table; another one has a row, a
    column and a value in its first three."""
    if frame.columns.name is not None:
        if frame.index.has_duplicates or frame.columns.has_duplicates:
            raise ValueError("a table of ratings has each row and each column once")
        return _table(frame.astype(float), list(frame.index), list(frame.columns))
    gone = frame.isna().to_numpy()
    numbers = all(getattr(dtype, "kind", "O") in "iufb" for dtype in frame.dtypes)
    if frame.shape[1] < 3 or gone[:, :3].any() or (gone.any() and numbers):
        raise ValueError("a frame of ratings has three columns, row, column, value, none of them "
                         "missing (choose them; frame.dropna() leaves lines out); a table of "
                         "ratings is a frame whose columns have a name, as pivot() makes it "
                         "(frame.rename_axis(columns='column') gives them one)")
    return tuple(frame.iloc[:, k] for k in (0, 1, 2))


def _of_array(cells):
    """Three columns hold triples; an array of any other number of columns is a table."""
    cells = np.ma.filled(cells.astype(float), np.nan) if np.ma.isMaskedArray(cells) else \
        np.asarray(cells)
    if cells.ndim != 2:
        raise ValueError("expected triples: three arrays, a frame, a sparse matrix or an array "
                         "of three columns; or a table, NaN where no rating is known")
    if cells.shape[1] == 3:
        return cells[:, 0], cells[:, 1], cells[:, 2]
    return _table(cells, range(cells.shape[0]), range(cells.shape[1]))


def triples(rows, columns, values):
    """Rows, columns and values of ratings, whatever they come in."""
    if columns is not None:
        if values is None:
            raise ValueError("triples are three arrays: rows, columns and values")
        return rows, columns, values
    if _rows.is_sparse(rows):
        cells = rows.tocoo()
        return cells.row, cells.col, cells.data
    return _of_frame(rows) if _rows.is_frame(rows) else _of_array(rows)


class MatrixCompletion(_html.ShowsCertificate, Handled, BaseEstimator):
    """y = mu + a_i + b_j + u_i'v_j + noise, with the posterior of all of it.

    `fit` takes triples (three arrays: rows, columns, values; a frame whose first three columns are
    these; an array of three columns), a SciPy sparse matrix whose stored cells are the known ones,
    or a table with NaN where no rating is known: an array of any number of columns but three, or a
    frame whose columns have a name (`frame.columns.name`), as `pivot` makes it. Rows and columns
    may be called by numbers or texts; those of an array are numbered from 0.

    With `range=(low, high)` declared, `certificate_` bounds the RMSE of the values that `predict`
    gives; a tenth of the ratings is kept from the fit for it, of fewer than 10,000 ratings 1,000,
    but no more than a third. Attributes: `rmse_` on the ratings, `effective_rank_`,
    `noise_variance_`, `components_`, `trace_`, `row_names_`, `column_names_`, `info_`.
    """

    _card = staticmethod(_html.completion_card)
    _to_file = staticmethod(_native.completion_to_json)
    _from_file = staticmethod(_native.completion_from_json)
    _options = ("rank", "model", "positions", "lam", "noise", "prior", "prior_split", "range",
                "confidence", "sampler", "draws", "burn_in", "restarts", "tol", "max_iter")

    def __init__(self, rank=None, model=None, positions=None, lam=None, noise=None, prior=None,
                 prior_split=None, range=None, biases=True, confidence=COMPLETE.confidence,
                 sampler=None, draws=None, burn_in=None, restarts=None, tol=None, max_iter=None,
                 options=None, n_jobs=None, random_state=None, verbose=False):
        self.rank = rank
        self.model = model
        self.positions = positions
        self.lam = lam
        self.noise = noise
        self.prior = prior
        self.prior_split = prior_split
        self.range = range
        self.biases = biases
        self.confidence = confidence
        self.sampler = sampler
        self.draws = draws
        self.burn_in = burn_in
        self.restarts = restarts
        self.tol = tol
        self.max_iter = max_iter
        self.options = options
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, rows, columns=None, values=None, row_features=None, column_features=None):
        """`row_features`, `column_features`: what else is known of rows and columns, a frame whose
        index has their names, or a dict of lists of numbers by name. Those without ratings are
        predicted from it. They must not be made from these ratings (a row's mean, say):
        the certificate assumes so."""
        with ROWS:
            rows, columns, values = triples(rows, columns, values)
            values = np.ascontiguousarray(values, dtype=float)
            if not np.isfinite(values).all():
                raise ValueError("a value is not a finite number")
            self.row_names_, row = _numbered(_texts(rows, "rows"))
            self.column_names_, column = _numbered(_texts(columns, "columns"))
            features = (_features(row_features, self.row_names_, "row"),
                        _features(column_features, self.column_names_, "column"))
        if self.range is not None and not is_range(self.range):
            raise argument("range must be two numbers, the first below the second, not "
                           f"{self.range!r}")
        parameters = {name: getattr(self, name) for name in self._options}
        options = _settings.options_of({**parameters, "no-biases": not self.biases}, self.options,
                                       kind=type(self))
        progress, end = _settings.progress_of(self.verbose)
        try:
            self._handle, messages = _native.complete(
                row, column, values, self.row_names_, self.column_names_, *features, options,
                _settings.seed_of(self.random_state), _settings.threads_of(self.n_jobs), progress)
        finally:
            end()
        for message in messages:
            warn(message)
        self._tell()
        if not self.info_["converged"]:
            warn("the sweeps did not converge; increase max_iter or tol", ConvergenceWarning)
        return self

    def _tell(self):
        self.info_ = told(json.loads(_native.completion_describe(self._handle)))
        self.certificate_ = self.info_["certificate"]
        self.trace_, self.components_ = self.info_["trace"], self.info_["components"]
        for name in ("rmse", "effective_rank", "noise_variance"):
            setattr(self, name + "_", self.info_[name])
        self.n_iter_ = self.info_["sweeps"]
        self._rows_by_name = {name: k for k, name in enumerate(self.row_names_)}
        self._columns_by_name = {name: k for k, name in enumerate(self.column_names_)}

    def _numbers(self, names, known, what):
        return np.array([known.get(name, UNSEEN) for name in _texts(names, what)], dtype=np.uint32)

    def _cells(self, rows, columns):
        """Numbers of the rows and of the columns of cells."""
        self._check_fitted()
        with ROWS:
            if columns is None:
                pairs = rows if _rows.is_frame(rows) else np.asarray(rows)
                if pairs.ndim != 2 or pairs.shape[1] < 2:
                    raise ValueError("cells are rows and columns: two arrays, a frame, or an "
                                     "array of two columns")
                rows, columns = (pairs.iloc[:, 0], pairs.iloc[:, 1]) if _rows.is_frame(pairs) else \
                    (pairs[:, 0], pairs[:, 1])
            row = self._numbers(rows, self._rows_by_name, "rows")
            return row, self._numbers(columns, self._columns_by_name, "columns")

    def predict(self, rows, columns=None, return_sd=False):
        """Values of cells; rows and columns that the model does not know have the prior's. With
        `return_sd` also the standard deviation of a new rating, its noise included."""
        row, column = self._cells(rows, columns)
        value, sd = np.empty((2, len(row)))
        _native.completion_predict(self._handle, row, column, _settings.threads_of(self.n_jobs),
                                   value, sd)
        if not return_sd:
            return value
        noise = np.empty(len(row))
        _native.completion_noise(self._handle, row, noise)
        return value, np.sqrt(sd**2 + noise)

    def quantiles(self, rows, columns=None, levels=(0.05, 0.5, 0.95)):
        """Quantiles of a new rating in each cell, its noise included: an array with a line for each
        cell."""
        row, column = self._cells(rows, columns)
        level = np.atleast_1d(np.ascontiguousarray(levels, dtype=float))
        out = np.empty(len(row) * len(level))
        _native.completion_quantiles(self._handle, row, column, level,
                                     _settings.threads_of(self.n_jobs), out)
        return out.reshape(len(row), len(level))

    def top(self, row, k=10, quantile=None):
        """Names of the k columns with the highest predictions among those that the row has not
        rated, best first; `quantile` orders them by that quantile of a new rating. The order is
        that of predictions before they are clipped to a range."""
        self._check_fitted()
        number = self._rows_by_name.get(_texts([row], "row")[0])
        if number is None:
            raise ValueError(f"the model has no row {row!r}")
        if quantile is not None and not 0 < quantile < 1:
            raise ValueError(f"quantile must lie between 0 and 1, not {quantile!r}")
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k!r}")
        best = _native.completion_top(self._handle, number, quantile or 0.0, int(k),
                                      _settings.threads_of(self.n_jobs))
        return [self.column_names_[j] for j in best]

    def score(self, rows, columns=None, values=None):
        """Minus the root mean squared error on these ratings."""
        rows, columns, values = triples(rows, columns, values)
        values = np.asarray(values, dtype=float)
        return -float(np.sqrt(np.mean((self.predict(rows, columns) - values) ** 2)))

    @classmethod
    def _from_handle(cls, handle):
        self = cls()
        self._handle = handle
        self.row_names_ = _native.completion_ids(handle, False)
        self.column_names_ = _native.completion_ids(handle, True)
        self._tell()
        return self.set_params(**_parameters.given(_parameters.of_completion(self.info_), self))
