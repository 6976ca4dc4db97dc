"""Rows for the library: NumPy's arrays, SciPy's sparse matrices, pandas' frames."""
import numpy as np
from sklearn.utils import check_array

from . import _native
from ._errors import argument

try:  # newer versions of scikit-learn
    from sklearn.utils.validation import validate_data as _validate
except ImportError:
    def _validate(estimator, X, **how):
        return estimator._validate_data(X, **how)

# Bits of gbs_looked, by what was chosen after a look at the rows.
LOOKED = {"lam": 1, "prior_sd": 2, "columns": 4, "cx": 8, "bound": 16}


def is_sparse(X):
    return hasattr(X, "tocsr")


def is_frame(X):
    kind = type(X)  # of an object `dtypes` would be made, which takes longer than a row
    return hasattr(kind, "columns") and hasattr(kind, "dtypes")


def is_raw(X, missing="error"):
    """Rows that the library's recipe is to read: a frame some column of which is not of numbers, or
    some cell of which is missing; an array with missing cells that are to be dropped or filled."""
    if is_frame(X):
        return any(_kind(X.iloc[:, k]) == "text" for k in range(X.shape[1])) \
            or bool(X.isna().to_numpy().any())
    cells = None if missing == "error" else _cells(X)
    return cells is not None and bool(np.isnan(cells).any())


def wants_recipe(X, missing):
    """Rows to fit to that the recipe reads: those above, and all others where missing cells are to
    be dropped or filled. Rows to come may have some, even if these have none."""
    return is_raw(X, missing) or (missing != "error" and (is_frame(X) or _cells(X) is not None))


def _cells(X):
    """An array of numbers, some of which may be missing; None: X is something else."""
    if is_sparse(X):
        return None
    try:
        cells = np.asarray(X)
        cells = None if cells.dtype.kind == "c" else cells.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        return None
    return cells if cells is not None and cells.ndim == 2 and cells.size > 0 else None


def check_shape(X, estimator):
    """Rows and columns there are: scikit-learn's words, of frames too."""
    if is_frame(X):
        for count, what in zip(X.shape, ("sample(s)", "feature(s)")):
            if count == 0:
                raise ValueError(f"Found array with 0 {what} (shape={X.shape}) while a minimum of "
                                 f"1 is required by {type(estimator).__name__}.")


# What pandas says of a column of objects, without its missing cells.
NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty")
DATES = ("datetime64", "datetime", "date", "timedelta64", "timedelta", "time", "period")


def _kind(column):
    dtype = column.dtype
    if hasattr(dtype, "categories") or str(dtype) in ("string", "str"):
        return "text"
    kind = getattr(dtype, "kind", "O")
    if kind == "O":
        from pandas.api.types import infer_dtype
        found = infer_dtype(column, skipna=True)
        if found not in (*DATES, "interval", "complex"):
            return "number" if found in NUMBERS else _text_or_doubt(column, found)
        kind = "M" if found in DATES else "c" if found == "complex" else "O"
    if kind in "mM":
        raise ValueError(f"column {column.name!r} holds dates; make numbers or texts of them first")
    if kind == "c":
        raise ValueError("Complex data not supported")
    if kind == "O":
        raise ValueError(f"column {column.name!r} holds intervals; make numbers or texts of them "
                         "first")
    return "number"


def _text_or_doubt(column, found):
    """One cell must not change the type of a column: it may be of a row that certifies."""
    if found.startswith("mixed"):
        kinds = {isinstance(value, str): value for value in column[~column.isna()].tolist()}
        if len(kinds) > 1:
            raise ValueError(f"column {column.name!r} holds numbers and texts, such as "
                             f"{kinds[False]!r} and {kinds[True]!r}; make all of them one or the "
                             "other")
    return "text"


def _texts(column):
    missing = column.isna().to_numpy()
    return [None if gone else value if isinstance(value, str) else _text(value)
            for value, gone in zip(column.tolist(), missing)]


def _text(value):
    """As the command line would read it: 3.0 is '3'."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def _lossy(values):
    """The places of whole numbers that no double is: those of more than 53 significant bits."""
    if values.dtype.kind == "O":
        sizes = [abs(value) if isinstance(value, int) else 0 for value in values.tolist()]
        return [k for k, size in enumerate(sizes)
                if size > 2**53 and (size // (size & -size)).bit_length() > 53]
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or values.size == 0 \
            or (values.max() <= 2**53 and values.min() >= -2**53):
        return []
    size = np.abs(values).astype(np.uint64)
    some = np.flatnonzero(size > 2**53)
    lowest = size[some] & (~size[some] + np.uint64(1))
    return some[size[some] // lowest >= 2**53]


def _whole(column):
    """The cells of a frame's column, whole numbers among them as such."""
    kind = getattr(column.dtype, "kind", "O")
    if kind in "iu" and column.dtype.itemsize == 8:
        return column.to_numpy(dtype={"i": np.int64, "u": np.uint64}[kind], na_value=0)
    return column.to_numpy(dtype=object) if kind == "O" else np.empty(0)


def check_digits(X):
    """Rows to learn from hold no whole number that would become another one."""
    if is_frame(X):
        columns = ((repr(X.columns[k]), _whole(X.iloc[:, k])) for k in range(X.shape[1]))
    elif is_sparse(X):
        if X.dtype.kind not in "iu" or len(_lossy(X.tocsr().data)) == 0:
            return
        columns = ((str(k), X.tocsc()[:, [k]].toarray().ravel()) for k in range(X.shape[1]))
    else:
        try:
            cells = np.asarray(X)
        except ValueError:  # scikit-learn says what is wrong
            return
        if cells.ndim != 2 or len(_lossy(cells.ravel())) == 0:
            return
        columns = ((str(k), cells[:, k]) for k in range(cells.shape[1]))
    for name, values in columns:
        for k in _lossy(values)[:1]:
            raise ValueError(f"column {name}: {values[k]} in row {k} loses digits as a number, "
                             "which has room for whole numbers to 2**53; leave the column out, "
                             "make texts of it, or floats where it is a measurement")


def _numbers(column, name):
    values = np.ascontiguousarray(column.to_numpy(dtype=float, na_value=np.nan))
    if np.isinf(values).any():
        raise ValueError(f"column {name!r} contains infinity, in row "
                         f"{np.flatnonzero(np.isinf(values))[0]}")
    return values


def _plain_numbers(X, types):
    """Columns of a frame that a model knows as numbers and that NumPy has as such, all finite: by
    name. One look at all of them, for a few rows cost less than a look at each column."""
    names = [name for name, dtype in zip(X.columns, X.dtypes.to_numpy())
             if types.get(name) == "number" and isinstance(dtype, np.dtype)
             and dtype.kind in "fiub"] if X.columns.is_unique else []
    cells = X[names].to_numpy(dtype=np.float64) if names else np.empty((0, 0))
    if not np.isfinite(cells).all():
        return {}
    return dict(zip(names, np.ascontiguousarray(cells.T)))


def _spelled(column, levels):
    """True and False as a model's levels have them: TRUE, where a file was written by R."""
    spelled = {level.lower(): level for level in levels}
    if getattr(column.dtype, "kind", "O") != "b" or not {"true", "false"} & set(spelled):
        return _texts(column)
    return [None if text is None else spelled.get(text.lower(), text) for text in _texts(column)]


def table_columns(X, missing, types=None, levels=None):
    """The columns of a frame, or of an array, as _native.table takes them. `types`: what a model
    knows columns as, by name and in their order, whatever a few rows of them look like; `levels`:
    the texts that it knows."""
    if types is None:
        check_digits(X)
    if not is_frame(X):
        cells = np.asarray(X, dtype=np.float64)
        if np.isinf(cells).any():
            raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
        return [(name, np.ascontiguousarray(cells[:, k]))
                for k, name in enumerate(types or numbered(cells.shape[1]))]
    columns, plain = [], _plain_numbers(X, types) if types is not None else {}
    for k, name in enumerate(X.columns):
        if name in plain:
            columns.append((name, plain[name]))
            continue
        name = str(name)
        known = (types or {}).get(name)
        if types is not None and known is None:
            continue
        column = X.iloc[:, k]
        if known == "text" and getattr(column.dtype, "kind", "") == "O":
            cells = column.tolist()
            if all(type(cell) is str for cell in cells):
                columns.append((name, cells))
                continue
        kind = _kind(column)
        if kind == "text" and known == "number":
            raise ValueError(f"column {name!r} holds texts, such as {_texts(column)[0]!r}; in "
                             "training it held numbers")
        gone = column.isna().to_numpy()
        if missing == "error" and gone.any():
            raise ValueError(f"column {name!r} has a missing cell, in row "
                             f"{np.flatnonzero(gone)[0]}; missing='impute' fills it in, "
                             "missing='drop' leaves such rows out")
        text = (known or kind) == "text"
        columns.append((name, _spelled(column, (levels or {}).get(name, ())) if text
                        else _numbers(column, name)))
    return columns


def complete(columns):
    """Which rows of a table have no missing cell."""
    gone = [np.isnan(values) if isinstance(values, np.ndarray) else
            np.array([value is None for value in values]) for _, values in columns]
    return ~np.any(gone, axis=0)


def numbered(count):
    """Names of columns that have none."""
    return [f"V{k + 1}" for k in range(count)]


def names_of(X):
    return [str(name) for name in X.columns] if is_frame(X) else numbered(np.shape(X)[1])


def labels(y):
    """Labels as an array: pandas' nullable types as NumPy's own; a missing one is an error."""
    values = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if values.dtype.kind == "O" and values.ndim == 1:
        gone = [k for k, value in enumerate(values.tolist()) if is_missing(value)]
        if gone:
            raise ValueError(f"Input y contains missing labels, the first in row {gone[0]}.")
        kind = getattr(getattr(y, "dtype", None), "kind", "O")
        return values.astype({"b": bool, "i": np.int64, "u": np.uint64}.get(kind, object))
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError("Input y contains NaN.")
    return values if hasattr(y, "to_numpy") else y


def are_numbers(classes):
    """Labels that a table holds as numbers, so that a file knows them as such: few and whole, as
    everywhere that labels are told from measurements."""
    if classes.dtype.kind not in "biuf" or len(classes) > 20:
        return False
    values = classes.astype(np.float64)
    return bool((np.abs(values) < 2**53).all() and
                (len(classes) <= 8 or np.array_equal(values, np.floor(values))))


def is_missing(value):
    """None, NaN, or pandas' NA and NaT, which does not even compare."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and value != value


# Doubles and singles are read where they lie; sparse ones become doubles.
HOW = {"accept_sparse": "csr", "accept_large_sparse": True, "dtype": [np.float64, np.float32]}


def checked(estimator, X, reset):
    """X as an array, or sparse rows, that the library can borrow."""
    with _Missing(estimator, X):
        return _validate(estimator, X, reset=reset, **HOW)


class _Missing:
    """`with _Missing(estimator, X):` says what to do about missing cells: scikit-learn's words name
    other estimators, where this one may have the parameter `missing`."""

    def __init__(self, estimator, X):
        self.can = hasattr(estimator, "missing") and not is_sparse(X)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, ValueError) and str(error).startswith("Input X contains NaN"):
            raise ValueError("Input X contains NaN. " + (
                "A fit with missing='impute' fills such cells in, here and in predictions; one "
                "with missing='drop' leaves their rows out." if self.can else
                "Fill in such cells before, in a CertifiedPipeline with a SimpleImputer, say."
            )) from None
        return False


def check_columns(estimator, X):
    """Are these as many columns as those of the fit? Cells may be missing."""
    _validate(estimator, X, reset=False, dtype=np.float64, force_all_finite="allow-nan")


def to_predict(estimator, X):
    """Rows of numbers for a fitted estimator, and a handle on them. The library looks whether all
    of them are finite; scikit-learn, which would take a pass more, says what is wrong."""
    rows = _validate(estimator, X, reset=False, force_all_finite=False, **HOW)
    try:
        return rows, data_of(rows)
    except ValueError:
        checked(estimator, X, reset=False)
        raise


def checked_pair(estimator, X, y):
    check_digits(X)
    with _Missing(estimator, X):
        return _validate(estimator, X, y=y, reset=True, **HOW)


def data_of(X, y=None):
    """A handle on rows that check_array has seen."""
    if is_sparse(X):
        return _sparse(X, y)
    if any(step <= 0 or step % X.itemsize for step, size in zip(X.strides, X.shape) if size > 1):
        X = np.ascontiguousarray(X)  # rows that are turned round, or repeated by a step of 0
    return _native.dense(X, y)


def _sparse(X, y):
    X = X.tocsr()
    if not X.has_sorted_indices or not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    wide = X.indices.dtype.itemsize == 8
    start = np.ascontiguousarray(X.indptr, dtype=np.int64)
    column = np.ascontiguousarray(X.indices, dtype=np.int64 if wide else np.int32)
    value = np.ascontiguousarray(X.data, dtype=np.float64)
    return _native.csr(X.shape[0], X.shape[1], start, column, value, y, wide)


def fingerprint(X, y):
    """Data that the library can draw a split of, whatever the rows are made of: numbers themselves,
    else two numbers that depend on what is in each row."""
    if is_sparse(X):
        return _sparse(X.astype(np.float64), y)
    rows = X if is_frame(X) or isinstance(X, (list, tuple)) else np.asarray(X)
    try:
        cells = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        cells = None
    if cells is not None and cells.ndim == 2:
        if not np.isfinite(cells).all():  # a transformer may fill them in
            cells = np.nan_to_num(cells, nan=-1.5e300, posinf=1.6e300, neginf=-1.6e300)
        return data_of(cells, y)
    if is_frame(rows):
        import pandas
        codes = pandas.util.hash_pandas_object(rows, index=False).to_numpy()
    else:
        codes = np.array([hash_of(repr(row).encode()) for row in rows], dtype=np.uint64)
    pair = np.column_stack([codes >> np.uint64(32), codes & np.uint64(0xFFFFFFFF)])
    return _native.dense(np.ascontiguousarray(pair, dtype=np.float64), y)


def hash_of(data):
    import hashlib
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def group_numbers(groups, rows):
    """The number of each row's group, in the order of their first rows."""
    if groups is None:
        return None
    groups = groups.to_numpy() if hasattr(groups, "to_numpy") else np.asarray(groups)
    if groups.shape != (rows,):
        raise ValueError(f"groups has the shape {groups.shape}, expected ({rows},)")
    known, numbers = {}, np.empty(rows, dtype=np.uint64)
    for i, name in enumerate(groups.tolist()):
        if is_missing(name):
            raise ValueError(f"groups: that of row {i} is missing")
        numbers[i] = known.setdefault(name, len(known))
    return numbers


def signs(y, positive):
    """-1 and +1, the latter where y is `positive`."""
    return np.where(y == positive, 1.0, -1.0)


def named(X, names):
    """The columns of a frame that have these names, in their order; other rows as they are."""
    if names is None or not is_frame(X):
        return X
    at = {str(name): k for k, name in enumerate(X.columns)}
    gone = [name for name in names if name not in at]
    if gone:
        raise ValueError(f"there is no column {gone[0]!r}")
    return X.iloc[:, [at[name] for name in names]]


def numbers(X):
    return check_array(X, **HOW)


def looked_names(looked):
    if isinstance(looked, str):
        return [looked]
    if looked is not None and not hasattr(looked, "__iter__"):
        raise argument(f"looked: expected some of {', '.join(LOOKED)}, found {looked!r}")
    return list(looked or ())


def looked_bits(looked):
    names = looked_names(looked)
    unknown = [name for name in names if name not in LOOKED]
    if unknown:
        raise argument(f"looked: expected some of {', '.join(LOOKED)}, found {unknown[0]!r}")
    return sum(LOOKED[name] for name in set(names))
