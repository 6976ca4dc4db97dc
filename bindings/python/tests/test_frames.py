"""Frames: texts and missing cells through the library's recipe, names, scikit-learn around."""
import pickle
import warnings

import numpy as np
import pytest
from conftest import rows
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from gibbsite import CertifiedPipeline, GibbsiteClassifier

pandas = pytest.importorskip("pandas")


def people(n=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pandas.DataFrame({
        "age": rng.normal(40, 10, n).round(), "job": rng.choice(["clerk", "cook", "nürse"], n),
        "town": pandas.Categorical(rng.choice(["a b", "c,d"], n)), "rich": rng.random(n) < 0.3})
    happy = frame.age - 40 + 15 * (frame.job == "cook") + 5 * rng.normal(size=n) > 4
    return frame, np.where(happy, "yes", "no")


def test_texts_become_levels_of_the_recipe():
    X, y = people()
    model = GibbsiteClassifier().fit(X, y)
    names = [c.name for c in model.coefficients_]
    assert "job=nürse" in names and "town=c,d" in names and "age" in names
    assert model.certificate_.status == "valid" and model.score(X, y) > 0.75
    assert list(model.feature_names_in_) == list(X.columns) and model.n_features_in_ == 4
    shuffled = X[["town", "age", "rich", "job"]]
    assert np.array_equal(model.predict_proba(X), model.predict_proba(shuffled))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))
    with pytest.raises(ValueError, match="frame"):
        model.predict(X.to_numpy())
    with pytest.raises(ValueError, match="age"):
        model.predict(X.drop(columns="age"))


def test_levels_that_training_did_not_see_warn():
    X, y = people()
    model = GibbsiteClassifier().fit(X, y)
    other = X.copy()
    other.loc[3, "job"] = "astronaut"
    with pytest.warns(UserWarning, match="'job'.*astronaut"):
        p = model.predict_proba(other)
    assert np.array_equal(np.delete(p, 3, 0), np.delete(model.predict_proba(X), 3, 0))


def test_columns_that_look_like_row_numbers_warn():
    X, y = people()
    X["number"] = np.arange(len(X)) + 1
    with pytest.warns(UserWarning, match="'number'.*row number"):
        GibbsiteClassifier().fit(X, y)


def test_missing_cells_are_an_error_unless_they_are_dropped():
    X, y = people()
    X.loc[5, "job"] = None
    X.loc[7, "age"] = np.nan
    with pytest.raises(ValueError, match="missing"):
        GibbsiteClassifier().fit(X, y)
    model = GibbsiteClassifier(missing="drop").fit(X, y)
    assert model.info_["n"] == 298
    p = model.predict_proba(X)
    assert list(np.flatnonzero(np.isnan(p[:, 0]))) == [5, 7]
    with pytest.raises(ValueError, match="row 5"):
        model.predict(X)
    filled = GibbsiteClassifier(missing="impute").fit(X, y)
    assert filled.info_["n"] == 300 and filled.certificate_.status == "valid"
    assert len(filled.predict(X)) == 300
    weight = np.ones(300)
    weight[:100] = 2.0
    GibbsiteClassifier(missing="drop", loss="hinge").fit(X, y, sample_weight=weight)


def test_frames_of_numbers_are_arrays_with_names():
    X, y = rows()
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = GibbsiteClassifier().fit(frame, y)
    assert np.array_equal(model.predict_proba(frame), GibbsiteClassifier().fit(X, y)
                          .predict_proba(X))
    assert [c.name for c in model.coefficients_][:4] == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("badc")])
    nullable = frame.astype({"a": "Float64"})
    assert np.array_equal(GibbsiteClassifier().fit(nullable, y).predict_proba(nullable),
                          model.predict_proba(frame))
    dates = frame.assign(day=pandas.Timestamp("2020-01-01"))
    with pytest.raises(ValueError, match="day"):
        GibbsiteClassifier().fit(dates, y)


def test_labels_of_any_kind_come_back():
    X, y = rows()
    for labels in ([False, True], [0, 1], [-1.0, 2.0], [3, 7], ["", "x"], ["NA", "nan"]):
        told = np.array(labels)[(y == "yes").astype(int)]
        model = GibbsiteClassifier().fit(X, told)
        assert model.predict(X).dtype == told.dtype and set(model.predict(X)) <= set(labels)
    frame, y = people()
    for labels in ([False, True], [0, 1], [-1.0, 2.0], ["b", "a"]):
        told = np.array(labels)[(y == "yes").astype(int)]
        model = GibbsiteClassifier().fit(frame, told)
        assert model.score(frame, told) > 0.7


def test_scikit_learn_may_stand_around_it():
    X, y = rows()
    frame, happy = people()
    assert cross_val_score(GibbsiteClassifier(), X, y, cv=3).mean() > 0.7
    assert CalibratedClassifierCV(GibbsiteClassifier(), cv=2).fit(X, y).score(X, y) > 0.7
    assert make_pipeline(StandardScaler(), GibbsiteClassifier()).fit(X, y).score(X, y) > 0.7
    search = GridSearchCV(GibbsiteClassifier(), {"loss": ["hinge", "zero-one"]}, cv=2).fit(X, y)
    assert search.score(X, y) > 0.7
    columns = ColumnTransformer([("one", OneHotEncoder(handle_unknown="ignore"), ["job", "town"]),
                                 ("num", StandardScaler(), ["age"])])
    pipe = CertifiedPipeline([("columns", columns), ("fit", GibbsiteClassifier())])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pipe.fit(frame, happy).score(frame, happy) > 0.75
    assert pipe.certificate_.status == "valid"


def test_one_text_does_not_make_a_column_of_texts():
    """It may stand in a row that certifies, and would then move the columns."""
    frame = pandas.DataFrame({"a": pandas.Series([*np.arange(39.0), "many"], dtype=object)})
    y = np.tile([0, 1], 20)
    with pytest.raises(ValueError, match="column 'a' holds numbers and texts.*'many'"):
        GibbsiteClassifier().fit(frame, y)
    frame["a"] = frame["a"].astype(str)
    GibbsiteClassifier().fit(frame, y)
