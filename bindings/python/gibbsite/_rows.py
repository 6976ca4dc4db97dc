"""Rows for the library: NumPy's arrays, SciPy's sparse matrices, pandas' frames."""
import numpy as np
from sklearn.utils import check_array

from . import _native

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
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def is_raw(X):
    """A frame that the library's recipe is to read: some column is not of numbers, or cells are
    missing."""
    return is_frame(X) and (any(_kind(X.iloc[:, k]) == "text" for k in range(X.shape[1]))
                            or bool(X.isna().to_numpy().any()))


def _kind(column):
    dtype = column.dtype
    if hasattr(dtype, "categories") or dtype == object or str(dtype) in ("string", "str"):
        return "text"
    kind = getattr(dtype, "kind", "O")
    if kind in "mM":
        raise ValueError(f"column '{column.name}' holds dates; make numbers or texts of them first")
    if kind == "c":
        raise ValueError("Complex data not supported")
    return "number"


def _texts(column):
    missing = column.isna().to_numpy()
    return [None if gone else value if isinstance(value, str) else _text(value)
            for value, gone in zip(column.tolist(), missing)]


def _text(value):
    """As the command line would read it: 3.0 is '3'."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def table_columns(X):
    """The columns of a frame as _native.table takes them."""
    columns = []
    for k in range(X.shape[1]):
        column = X.iloc[:, k]
        if _kind(column) == "text":
            values = _texts(column)
        else:
            values = np.ascontiguousarray(column.to_numpy(dtype=float, na_value=np.nan))
        columns.append((str(X.columns[k]), values))
    return columns


# Doubles and singles are read where they lie; sparse ones become doubles.
HOW = {"accept_sparse": "csr", "accept_large_sparse": True, "dtype": [np.float64, np.float32]}


def checked(estimator, X, reset):
    """X as an array, or sparse rows, that the library can borrow."""
    return _validate(estimator, X, reset=reset, **HOW)


def checked_pair(estimator, X, y):
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


def of_rows(values, data):
    """Values of the rows of a table for the rows that the data has of it."""
    if _native.shape(data)[0] != len(values):
        values = values[_native.table_rows(data)]
    return np.ascontiguousarray(values)


def group_numbers(groups, data, rows):
    groups = np.asarray(groups)
    if groups.shape != (rows,):
        raise ValueError(f"groups has the shape {groups.shape}, expected ({rows},)")
    numbers = np.unique(groups, return_inverse=True)[1].astype(np.uint64)
    return of_rows(numbers, data)


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


def looked_bits(looked):
    names = [looked] if isinstance(looked, str) else list(looked or ())
    unknown = [name for name in names if name not in LOOKED]
    if unknown:
        raise ValueError(f"looked: expected some of {', '.join(LOOKED)}, found {unknown[0]!r}")
    return sum(LOOKED[name] for name in set(names))
