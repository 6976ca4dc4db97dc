"""Exceptions of the package, with the attribute `code` that those of the library have; warnings."""
import sys
import warnings


def argument(message, kind=ValueError):
    """A parameter is wrong."""
    error = kind(message)
    error.code = "argument"
    return error


def warn(message, category=UserWarning):
    """Says so at the caller's line: the first outside of the package, scikit-learn and joblib."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in (
            "gibbsite", "sklearn", "joblib"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


class _Rows:
    """`with ROWS:` marks what is said of rows in it, by the package or by scikit-learn."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, (ValueError, TypeError)) and not hasattr(error, "code"):
            error.code = "data"
        return False


ROWS = _Rows()
