"""Rows that go through a recipe: frames with texts, cells that are missing."""
import json

import numpy as np

from . import _native, _rows
from ._errors import warn


class ReadsRaw:
    """Mixin over a handle that has a recipe: rows to predict as they came."""

    _recipe = staticmethod(_native.recipe)
    missing = "error"  # where an estimator has no such parameter

    def _inputs(self):
        """The columns that the recipe reads."""
        return json.loads(self._recipe(self._handle) or "{}").get("inputs", ())

    def _reads_arrays(self):
        """A recipe of numbers alone, whose missing cells it drops or fills, reads arrays too."""
        return all(column["type"] != "text" for column in self._inputs())

    def _rows_as_they_came(self, X):
        """A handle on the rows of a frame, or of an array where the recipe reads such; how many
        there are, and which of them it has (None: all)."""
        if not _rows.is_frame(X):
            if not self._reads_arrays():
                raise ValueError("this model was fitted to a frame with texts; predictions need a "
                                 "frame with the same columns")
            X = X.toarray() if _rows.is_sparse(X) else X
            _rows.check_columns(self, X)
        return self._raw_rows(X)

    def _raw_rows(self, X):
        inputs, count = self._inputs(), np.shape(X)[0]
        types = {column["name"]: column["type"] for column in inputs}
        filled = any("fill" in column for column in inputs)
        if _rows.is_frame(X):
            names = set(_rows.names_of(X))
            for name in types:
                if name not in names:
                    raise ValueError(f"there is no column {name!r}, which the model was trained on")
        levels = {column["name"]: column.get("levels", ()) for column in inputs}
        columns = _rows.table_columns(X, "impute" if filled else self.missing, types, levels)
        if self.missing == "drop" and not filled and not _rows.complete(columns).any():
            return None, count, []
        missing = {} if filled or self.missing == "error" else {"missing": self.missing}
        data, unseen = _native.apply(self._handle, _native.table(count, columns), missing)
        for column, cells, level in unseen:
            warn(f"column '{column}': {cells} cells with a level that training did not see, such "
                 f"as '{level}'")
        if _native.shape(data)[0] == count:
            return data, count, None
        return data, count, _native.table_rows(data)

    def _spread(self, values, count, rows):
        """NaN where a row was left out because cells are missing."""
        if rows is None:
            return values
        all_rows = np.full(count, np.nan)
        if values is not None:
            all_rows[rows] = values
        return all_rows
