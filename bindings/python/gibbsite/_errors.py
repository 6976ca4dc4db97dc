"""Exceptions of the package, with the attribute `code` that those of the library have."""


def argument(message, kind=ValueError):
    """A parameter is wrong."""
    error = kind(message)
    error.code = "argument"
    return error


class _Rows:
    """`with ROWS:` marks what is said of rows in it, by the package or by scikit-learn."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, (ValueError, TypeError)) and not hasattr(error, "code"):
            error.code = "data"
        return False


ROWS = _Rows()
