"""What a hurried user hands in: odd types, missing things, wrong parameters. Each is used as it is
meant, or refused in words of Python."""
import datetime
import warnings

import numpy as np
import pytest
from conftest import rows

import gibbsite
from gibbsite import (CertifiedPipeline, GibbsiteClassifier, GibbsiteClassifierCV, GibbsiteRanker,
                      MatrixCompletion, simulate)

pandas = pytest.importorskip("pandas")

X, Y = rows(120, 3)
FRAME = pandas.DataFrame(X, columns=list("abc"))
TEXTS = FRAME.assign(t=["u", "v"] * 60)


def fitted(frame, y=Y, **how):
    return GibbsiteClassifier(loss="hinge", **how).fit(frame, y)


@pytest.mark.parametrize("y", [
    np.where(np.arange(120) == 7, None, Y), pandas.Series(np.where(np.arange(120) == 7, None, Y)),
    pandas.Series(np.where(np.arange(120) == 7, pandas.NA, Y == "yes"), dtype="boolean")])
@pytest.mark.parametrize("kind", [GibbsiteClassifier, CertifiedPipeline, GibbsiteClassifierCV])
def test_a_missing_label_is_named(kind, y):
    for frame in (X, FRAME, TEXTS):
        with pytest.raises(ValueError, match="missing labels, the first in row 7"):
            kind().fit(frame, y)


def test_labels_of_nullable_types_come_back_as_numpys():
    yes = pandas.Series(Y == "yes")
    for dtype, plain in (("Int64", np.int64), ("boolean", bool), ("UInt8", np.uint64)):
        model = fitted(FRAME, yes.astype(dtype))
        assert model.classes_.dtype == plain and model.predict(FRAME).dtype == plain
        assert model.score(FRAME, yes.astype(dtype)) == np.mean(model.predict(FRAME) == yes)
    assert list(fitted(FRAME, pandas.Series(Y, dtype="string")).classes_) == ["no", "yes"]
    assert list(fitted(FRAME, pandas.Categorical(Y)).classes_) == ["no", "yes"]


@pytest.mark.parametrize("column", [
    pandas.date_range("2020-01-01", periods=120), pandas.date_range("2020-01-01", periods=120,
                                                                     tz="UTC"),
    pandas.period_range("2020-01", periods=120, freq="M"),
    pandas.to_timedelta(np.arange(120), unit="h"), [datetime.date(2020, 1, 1)] * 120,
    pandas.interval_range(0, 120)])
def test_dates_and_the_like_are_refused_by_name(column):
    with pytest.raises(ValueError, match="column 'day' holds (dates|intervals)"):
        fitted(FRAME.assign(day=column))


def test_objects_that_are_numbers_are_numbers():
    for column in (list(range(120)), [2**70 + (k << 30) for k in range(120)],
                   [True, False] * 60, [True, None] * 60):
        model = fitted(FRAME.assign(k=pandas.Series(column, dtype=object)), missing="impute")
        assert "k" in [c.name for c in model.coefficients_]
        some = FRAME.assign(k=1.0)  # whatever the type of later rows
        assert len(model.predict(some)) == 120


LONG = [2**53 + 1 + 2 * (k == 7) - 3 * (k != 7) for k in range(120)]  # 2**53 + 3 in row 7


@pytest.mark.parametrize("column", [
    np.array(LONG), np.array(LONG, dtype=np.uint64), -np.array(LONG),
    pandas.array([None, *LONG[1:]], dtype="Int64"), pandas.array(LONG, dtype="UInt64"),
    np.array([*LONG[:7], 10**30 + 1, *LONG[8:]], dtype=object)])
def test_whole_numbers_that_lose_digits_are_named(column):
    words = "loses digits as a number, which has room for whole numbers to 2"
    frame = FRAME.assign(id=column)
    for kind in (GibbsiteClassifier, GibbsiteClassifierCV, GibbsiteRanker):
        if kind is not GibbsiteClassifier and frame["id"].isna().any():
            continue
        with pytest.raises(ValueError, match=rf"column 'id': -?\d+ in row 7 {words}") as raised:
            kind().fit(frame, Y)
        assert kind is GibbsiteClassifierCV or raised.value.code == "data"
    frame = frame.fillna({"id": 0})
    fitted(frame.assign(id=np.arange(120))).predict(frame)  # a model knows that it is a number
    fitted(frame.assign(id=[str(value) for value in column]), missing="impute")
    if isinstance(column, np.ndarray):
        cells = np.column_stack([np.zeros(120, column.dtype), column])
        with pytest.raises(ValueError, match=f"column 1: -?\\d+ in row 7 {words}"):
            fitted(cells)


def test_whole_numbers_that_are_doubles_are_taken():
    exact = np.array([2**62 - 2**(12 + k % 40) for k in range(120)])
    fitted(FRAME.assign(big=exact))
    fitted(np.column_stack([exact, np.full(120, np.iinfo(np.int64).min)]))


def test_sparse_whole_numbers_that_lose_digits_are_named():
    sparse = pytest.importorskip("scipy.sparse")
    cells = np.zeros((120, 4), np.int64)
    cells[9, 2] = -2**53 - 1
    with pytest.raises(ValueError, match="column 2: -9007199254740993 in row 9 loses digits"):
        fitted(sparse.csr_matrix(cells))


@pytest.mark.parametrize("frame", [FRAME[:0], FRAME[[]], TEXTS[:0]])
def test_frames_without_rows_or_columns_are_refused_in_scikit_learns_words(frame):
    with pytest.raises(ValueError, match="Found array with 0"):
        GibbsiteClassifier().fit(frame, Y[:len(frame)])
    with pytest.raises(ValueError, match="Found array with 0"):
        fitted(TEXTS).predict(frame)


def test_a_cell_that_cannot_be_used_is_named_by_column_and_row():
    gone = TEXTS.copy()
    gone.loc[5, "t"] = None
    model = fitted(TEXTS)
    for call in (lambda: fitted(gone), lambda: model.predict(gone)):
        with pytest.raises(ValueError, match="column 't' has a missing cell, in row 5"):
            call()
    with pytest.raises(ValueError, match="column 'b' contains infinity, in row 0"):
        fitted(TEXTS.assign(b=np.inf))
    with pytest.raises(ValueError, match="column 'a' holds texts, such as 'x'"):
        model.predict(TEXTS.assign(a="x"))
    with pytest.raises(ValueError, match="no column 't'"):
        model.predict(FRAME)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fitted(TEXTS, Y[1:])
    dropped = fitted(gone, missing="drop")
    assert dropped.info_["n"] == 119
    one = TEXTS[:1].assign(t=np.nan)  # a column of texts without any
    assert np.isnan(dropped.predict_proba(one)).all()


@pytest.mark.parametrize("how", ["drop", "impute"])
def test_missing_cells_of_arrays_are_those_of_frames(how):
    gone = X.copy()
    gone[::9, 1] = np.nan
    model = fitted(gone, missing=how)
    framed = fitted(pandas.DataFrame(gone, columns=["V1", "V2", "V3"]), missing=how)
    assert model.certificates_ == framed.certificates_ and model.certificate_.status == "valid"
    assert np.array_equal(model.predict_proba(gone), framed.predict_proba(
        pandas.DataFrame(gone, columns=["V1", "V2", "V3"])), equal_nan=True)
    assert len(model.predict(X)) == 120  # nothing is missing
    with pytest.raises(ValueError, match="X has 2 features"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        fitted(gone)


def test_weights_and_groups_of_texts_go_through_the_recipe():
    weight = np.where(np.arange(120) % 5, 1.0 + np.arange(120) % 2, 0.0)
    model = GibbsiteClassifier(loss="hinge").fit(TEXTS, Y, sample_weight=weight)
    kept = weight > 0
    less = GibbsiteClassifier(loss="hinge").fit(TEXTS[kept], Y[kept], sample_weight=weight[kept])
    assert model.info_["n"] == 96
    assert [line.value for line in model.certificates_] == \
        [line.value for line in less.certificates_]
    assert any("weight 0" in text for text in model.certificate_.assumptions)
    assert np.array_equal(model.predict_proba(TEXTS), less.predict_proba(TEXTS))
    grouped = GibbsiteClassifier().fit(TEXTS, Y, groups=np.repeat(np.arange(40), 3))
    assert grouped.certificate_.status == "valid" and grouped.certificate_.rows < 40
    named = TEXTS.assign(weights=1.0, group=2.0, y=np.arange(120) % 3)  # names that are taken
    assert GibbsiteClassifier().fit(named, Y, sample_weight=weight).n_features_in_ == 7
    for groups in ([None] * 120, np.full(120, np.nan), [pandas.NA] * 120):
        with pytest.raises(ValueError, match="groups: that of row 0 is missing"):
            GibbsiteClassifier().fit(X, Y, groups=groups)


@pytest.mark.parametrize("how,words", [
    ({"lam": -1}, "`lam`: expected a positive"), ({"missing": "guess"}, "missing: expected"),
    ({"joint": "yes"}, "joint must be True"), ({"fit_intercept": "no"}, "fit_intercept must be"),
    ({"n_jobs": "all"}, "n_jobs must be"), ({"n_jobs": 1.5}, "n_jobs must be"),
    ({"options": [1]}, "options must be a dict"), ({"options": {"task": "rank"}}, "'task' is not"),
    ({"options": {"weights": "a"}}, "'weights' is not set here"), ({"looked": 3}, "looked"),
    ({"cost": (-1, 2)}, "two positive numbers"), ({"cost": "5:1"}, "cost must be numbers"),
    ({"cost": (np.nan, 1)}, "two positive numbers")])
def test_wrong_parameters_are_named(how, words):
    for frame in (X, TEXTS):
        with pytest.raises(ValueError, match=words):
            GibbsiteClassifier(**how).fit(frame, Y)


def test_hints_are_what_python_has():
    with pytest.warns(UserWarning, match=r"X.drop\(columns='id'\) leaves it out"):
        GibbsiteClassifier().fit(TEXTS.assign(id=[f"p{k}" for k in range(120)]), Y)
    with pytest.warns(UserWarning, match=r"X.drop\(columns='case no. #'\) leaves it out"):
        GibbsiteClassifier().fit(TEXTS.assign(**{"case no. #": [f"p{k}" for k in range(120)]}), Y)
    three = np.arange(120) % 3
    with pytest.raises(ValueError, match="y == LABEL sets one against the rest") as told:
        GibbsiteClassifier().fit(X, three, groups=np.arange(120) // 2)
    assert "`groups`" in str(told.value) and "`y" not in str(told.value)
    assert "positive" not in str(told.value)


def test_completions_refuse_what_has_no_name():
    for rows_ in ([1, 2, np.nan], ["a", None, "b"]):
        with pytest.raises(ValueError, match="rows: the name in place .* is missing"):
            MatrixCompletion().fit(rows_, [1, 2, 3], [1.0, 2.0, 3.0])
    model = MatrixCompletion(rank=1).fit([1, 1, 2, 2, 3], [1, 2, 1, 2, 2], [1.0, 2, 3, 4, 5])
    with pytest.raises(ValueError, match="two arrays"):
        model.predict([1, 2])
    assert "declares" in model._repr_html_() and "RMSE" in model._repr_html_()
    with pytest.raises(ValueError, match="range must be two numbers"):
        MatrixCompletion(range=5).fit([1, 2], [1, 2], [1.0, 2.0])


def test_what_is_no_model_is_not_saved_drawn_or_reported(tmp_path):
    for call in (lambda: gibbsite.save(3, tmp_path / "m"), lambda: gibbsite.report(3, tmp_path),
                 lambda: gibbsite.plots.certificate(3)):
        with pytest.raises(TypeError, match="found int"):
            call()
    with pytest.raises(ValueError, match="rows must be a whole number"):
        simulate(rows=-1)


def test_a_ranker_shows_its_certificate_and_plots():
    pytest.importorskip("matplotlib").use("Agg")
    model = GibbsiteRanker().fit(X, Y)
    proven = np.floor(1e4 * (1.0 - model.certificate_.value)) / 1e4  # never more than is proven
    assert f"at least {proven:.4f}" in model._repr_html_()
    assert gibbsite.plots.certificate(model).has_data()
    three = GibbsiteClassifier().fit(X, np.arange(120) % 3)
    for other in (model, three):
        with pytest.raises(ValueError, match="two classes"):
            gibbsite.plots.reliability(other)
    drawn = [tick.get_text() for tick in gibbsite.plots.importance(three).get_yticklabels()]
    assert len(drawn) == 9 and "0: V1" in drawn
    with pytest.raises(ValueError, match="no one path"):
        gibbsite.plots.path(three)
    with pytest.raises(ValueError, match="no vote"):
        three.predict_vote(X)


def test_a_number_that_no_float_holds_is_told():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(fitted(FRAME.assign(k=[10**18 + (k << 8) for k in range(120)])).predict(
            FRAME.assign(k=0))) == 120
    with pytest.raises(ValueError, match="infinity"):
        fitted(FRAME.assign(k=np.inf))


def test_texts_with_a_nul_are_refused_by_place():
    nul = FRAME.assign(t=["u", "a\0b"] * 30 + ["a\0c", "v"] * 30)
    with pytest.raises(ValueError, match=r"column 't' in row 1: 'a\\x00b' has a NUL") as told:
        fitted(nul)
    assert told.value.code == "data"
    model = fitted(TEXTS)
    with pytest.raises(ValueError, match="column 't' in row 1: .* NUL"):
        model.predict(nul)
    for frame in (FRAME, TEXTS):
        with pytest.raises(ValueError, match=r"label 'n\\x00o' has a NUL"):
            fitted(frame, np.where(Y == "yes", "yes", "n\0o"))
    with pytest.raises(ValueError, match="rows: name 1, .* NUL"):
        MatrixCompletion(rank=1).fit(["a", "b\0c", "b\0d"], list("uvw"), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="option 'drop': .* NUL"):
        GibbsiteClassifier(options={"drop": "V1\0"}).fit(X, Y)


MISSING = FRAME.mask(FRAME == FRAME.iloc[7, 1])
MODEL = fitted(FRAME)


@pytest.mark.parametrize("code, call", [
    ("data", lambda: fitted(MISSING)), ("data", lambda: fitted(MISSING.to_numpy())),
    ("data", lambda: fitted(FRAME.assign(d=pandas.date_range("2020", periods=120)))),
    ("data", lambda: fitted(FRAME, np.zeros(120))), ("data", lambda: fitted(FRAME, X[:, 0])),
    ("data", lambda: fitted(FRAME, Y[:7])), ("data", lambda: MODEL.predict(X[:, :2])),
    ("data", lambda: MODEL.predict(MISSING)),
    ("data", lambda: GibbsiteRanker().fit(X, np.arange(120) % 3)),
    ("data", lambda: gibbsite.GibbsSampler().fit(X, np.zeros(120))),
    ("data", lambda: MatrixCompletion().fit([1], [2], [np.nan])),
    ("data", lambda: CertifiedPipeline([("fit", GibbsiteClassifier())]).fit(FRAME, np.zeros(120))),
    ("argument", lambda: fitted(FRAME, missing="no")),
    ("argument", lambda: fitted(FRAME, bound="x")),
    ("argument", lambda: fitted(FRAME, n_jobs=0)), ("argument", lambda: fitted(FRAME, looked="x")),
    ("argument", lambda: fitted(FRAME, cost=(1, 0))),
    ("argument", lambda: GibbsiteClassifier().predict(X)),
    ("argument", lambda: MatrixCompletion(range=3).fit([1], [2], [1.0])),
    ("argument", lambda: simulate(rows=-1)), ("argument", lambda: CertifiedPipeline([]).fit(X, Y))])
def test_each_error_has_a_code(code, call):
    with pytest.raises(ValueError) as told:
        call()
    assert told.value.code == code


def test_frames_of_numbers_keep_their_order_and_others_go_by_name():
    turned = FRAME[["c", "a", "b"]]
    with pytest.raises(ValueError, match="same order"):
        MODEL.predict(turned)
    with pytest.raises(ValueError, match="unseen at fit time"):
        MODEL.predict(FRAME.assign(more=1.0))
    assert np.array_equal(MODEL.predict(turned[MODEL.feature_names_in_]), MODEL.predict(FRAME))
    model = fitted(TEXTS)
    assert np.array_equal(model.predict(TEXTS[["t", "c", "b", "a"]].assign(more="z")),
                          model.predict(TEXTS))


def test_a_pipeline_ends_with_a_ranker_too():
    pipe = CertifiedPipeline([("fit", GibbsiteRanker())]).fit(X, Y)
    assert pipe.certificate_.target == "auc"
    with pytest.raises(TypeError, match="a GibbsiteClassifier or a GibbsiteRanker"):
        CertifiedPipeline([("fit", 3)]).fit(X, Y)


def test_a_recall_of_no_test_row_is_shown():
    y = np.array(["rare"] * 4 + ["a", "b"] * 58)
    model = GibbsiteClassifier(options={"order": "time"}).fit(X, y)
    rare = model.certificates_[-1 - [c.target for c in model.certificates_[::-1]].index(
        "recall:rare")]
    assert rare.empirical is None and rare.value == 1 and rare.rows == 0
    assert "<td>-</td>" in model._repr_html_()
