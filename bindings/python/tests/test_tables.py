"""Completions take tables with NaN, and never guess what is one."""
import numpy as np
import pytest

from gibbsite import MatrixCompletion, simulate

pandas = pytest.importorskip("pandas")
ROW, COLUMN, VALUE, _ = simulate("ratings", rows=30, cols=20, density=0.4, rank=2)
LINES = pandas.DataFrame({"user": ROW, "item": COLUMN, "rating": VALUE}) \
    .drop_duplicates(["user", "item"])
PIVOT = LINES.pivot(index="user", columns="item", values="rating")


def of(*rows):
    return MatrixCompletion(rank=2).fit(*rows)


def ordered():
    """The ratings row by row, as a table has them."""
    return LINES.sort_values(["user", "item"])


def test_a_pivoted_frame_is_its_ratings():
    table, lines = of(PIVOT), of(ordered())
    assert table.info_.n == len(LINES) == np.count_nonzero(~PIVOT.isna())
    assert np.array_equal(table.predict(ROW, COLUMN), lines.predict(ROW, COLUMN))
    assert table.score(PIVOT) == pytest.approx(lines.score(LINES), rel=1e-12)
    texts = PIVOT.rename(index="u{}".format, columns="i{}".format)
    assert set(of(texts).column_names_) == {f"i{k}" for k in LINES["item"]}
    plain = pandas.DataFrame(PIVOT.to_numpy(), index=PIVOT.index, columns=list(PIVOT.columns))
    assert np.array_equal(of(plain.rename_axis(columns="item")).predict(ROW, COLUMN),
                          table.predict(ROW, COLUMN))


def test_an_array_is_a_table_unless_it_has_three_columns():
    cells = PIVOT.to_numpy()
    row, column = np.nonzero(~np.isnan(cells))
    lines = of(row, column, cells[row, column])
    for table in (cells, cells.tolist(), np.ma.masked_invalid(cells), cells.astype(object)):
        assert np.array_equal(of(table).predict(row, column), lines.predict(row, column))
    three = np.column_stack([row, column, cells[row, column]])
    assert np.array_equal(of(three).predict(row, column), lines.predict(row, column))


def test_what_could_be_either_is_refused():
    first = PIVOT.copy()
    first.iloc[:, :3] = 1.0
    for frame in (PIVOT.rename_axis(columns=None), first.rename_axis(columns=None),
                  LINES.assign(rating=LINES["rating"].mask(LINES["user"] == 3)),
                  LINES[["user", "item"]]):
        with pytest.raises(ValueError, match="rename_axis.*one") as told:
            of(frame)
        assert told.value.code == "data"
    more = LINES.assign(seen=np.where(LINES["user"] > 3, "may", None))  # no table holds texts
    assert np.array_equal(of(more).predict(ROW, COLUMN), of(LINES).predict(ROW, COLUMN))
    three = np.array([[1.0, 1.0, np.nan], [1.0, 2.0, 3.0]])
    for wrong, words in ((three, "not a finite number"), (np.full((4, 4), np.nan), "no rating"),
                         ([1.0, 2.0], "or a table"), (np.array([["a", "b"]]), "holds numbers"),
                         (PIVOT.rename(index={2: 1}), "each row and each column once")):
        with pytest.raises(ValueError, match=words):
            of(wrong)
