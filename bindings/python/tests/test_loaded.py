"""What a file of a model gives back: parameters, raw rows, missing cells."""
import io
import warnings

import numpy as np
import pytest
from conftest import rows
from sklearn.base import clone
from test_files import needs_program, predictions, run, write

import gibbsite
from gibbsite import GibbsiteClassifier, GibbsiteRanker, GibbsSampler, MatrixCompletion, simulate

pandas = pytest.importorskip("pandas")
X, Y = rows(200, 3)
THREE = np.array(["a", "b", "c"])[np.argmax(X + rows(200, 3, seed=1)[0], axis=1)]


def through_a_file(model, folder):
    model.save(folder / "m.json")
    return gibbsite.load(folder / "m.json")


@pytest.mark.parametrize("how", [
    {"loss": "hinge", "family": "diagonal"}, {"prior": "zero"}, {"cost": (5, 1)}, {"joint": True},
    {"bound": "catoni"}, {"bound": "progressive"}, {"prior_split": 0.5}, {"lam": 50.0},
    {"features": "fourier:20", "confidence": 0.9}, {"scale": "none", "fit_intercept": False},
    {"columns": "equal", "random_state": 7, "prior_sd": 0.3}])
def test_a_loaded_classifier_fits_as_the_one_in_the_file(how, tmp_path):
    model = GibbsiteClassifier(**how).fit(X, Y)
    loaded = through_a_file(model, tmp_path)
    for name, value in how.items():
        assert getattr(loaded, name) == value, name
        assert name in repr(loaded)
    again = clone(loaded).fit(X, Y)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.certificate_.value == model.certificate_.value


def test_the_others_do_too(tmp_path):
    for how in ({"loss": "hinge"}, {}, {"cost": [[0, 1, 5], [1, 0, 1], [1, 1, 0]]}):
        model = GibbsiteClassifier(**how).fit(X, THREE)
        loaded = through_a_file(model, tmp_path)
        assert loaded.get_params()["cost"] == how.get("cost")
        assert np.array_equal(clone(loaded).fit(X, THREE).predict_proba(X), model.predict_proba(X))
    ranker = GibbsiteRanker(loss="hinge", confidence=0.9).fit(X, Y)
    loaded = through_a_file(ranker, tmp_path)
    assert (loaded.loss, loaded.confidence) == ("hinge", 0.9)
    assert np.array_equal(clone(loaded).fit(X, Y).predict(X), ranker.predict(X))
    sampler = GibbsSampler(loss="hinge", particles=32, lam=20.0, fit_intercept=False).fit(X, Y)
    loaded = through_a_file(sampler, tmp_path)
    assert (loaded.loss, loaded.particles, loaded.lam) == ("hinge", 32, 20.0)
    assert np.array_equal(clone(loaded).fit(X, Y).draws_, sampler.draws_)
    cells = simulate("ratings", rows=30, cols=20, density=0.4, rank=2)[:3]
    for how in ({"model": "paper", "rank": 2, "biases": False},
                {"range": (-9, 15), "rank": 2, "positions": "off", "confidence": 0.9}):
        completion = MatrixCompletion(**how).fit(*cells)
        loaded = through_a_file(completion, tmp_path)
        assert all(getattr(loaded, name) == value for name, value in how.items())
        assert np.array_equal(clone(loaded).fit(*cells).predict(*cells[:2]),
                              completion.predict(*cells[:2]))


def test_what_a_file_does_not_hold_stays_at_its_default(tmp_path):
    model = GibbsiteClassifier(loss="hinge", max_iter=400, n_jobs=2).fit(X, Y)
    loaded = through_a_file(model, tmp_path)
    assert loaded.max_iter is None and loaded.n_jobs is None and loaded.lam is None
    assert loaded.random_state is None and loaded.cost is None and loaded.missing == "error"


@needs_program
@pytest.mark.parametrize("texts", [False, True])
def test_a_model_of_the_program_that_fills_cells_reads_arrays_and_frames(texts, tmp_path):
    gone = X.copy()
    gone[::7, 1] = np.nan
    gone[3, 0] = np.nan
    cells = np.where(np.isnan(gone), "", gone.astype(object).astype(str))
    job = np.where(np.arange(200) % 3 == 0, "cook", "")
    names = ["a", "b", "c"] + (["job"] if texts else [])
    write(tmp_path / "t.csv", [*names, "y"],
          [*map(list, cells.T), *([list(job)] if texts else []), Y])
    run("fit", "t.csv", "-o", "m.json", "--missing", "impute", folder=tmp_path)
    loaded = gibbsite.load(tmp_path / "m.json")
    assert loaded.missing == "impute"
    p = [float(row["prob"]) for row in predictions(run("predict", "m.json", "t.csv",
                                                       folder=tmp_path))]
    frame = pandas.read_csv(tmp_path / "t.csv", float_precision="round_trip")
    assert list(loaded.predict_proba(frame)[:, 1]) == p
    if texts:
        with pytest.raises(ValueError, match="texts"):
            loaded.predict(gone)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an array has no names
        assert list(loaded.predict_proba(gone)[:, 1]) == p
        with pytest.raises(ValueError, match="2 features"):
            loaded.predict(gone[:, :2])
    run("sample", "t.csv", "--particles", 32, "-o", "s.json", "--missing", "drop", folder=tmp_path)
    assert np.isfinite(gibbsite.load(tmp_path / "s.json").predict_proba(X)).all()


@needs_program
def test_a_sample_of_texts_predicts(tmp_path):
    job = np.where(X[:, 1] > 0, "cook", "clerk")
    write(tmp_path / "t.csv", ["a", "job", "y"], [list(X[:, 0]), list(job), Y])
    run("sample", "t.csv", "--particles", 32, "-o", "s.json", folder=tmp_path)
    out = predictions(run("predict", "s.json", "t.csv", folder=tmp_path))
    loaded = gibbsite.load(tmp_path / "s.json")
    frame = pandas.read_csv(tmp_path / "t.csv", float_precision="round_trip")
    assert list(loaded.predict_proba(frame[["job", "a"]])[:, 1]) == [float(k["prob"]) for k in out]
    assert list(loaded.predict(frame)) == [row["label"] for row in out]
    with pytest.warns(UserWarning, match="pilot"):
        loaded.predict(frame.assign(job="pilot"))
    with pytest.raises(ValueError, match="no column 'job'"):
        loaded.predict(frame[["a"]])


@needs_program
def test_labels_and_truths_of_a_frame_are_those_of_its_file(tmp_path):
    frame = pandas.DataFrame({"a": X[:, 0], "job": np.where(X[:, 1] > 0, "cook", "clerk"),
                              "smokes": np.where(X[:, 2] > 0, "TRUE", "FALSE")})
    for y in (np.where(Y == "yes", 1, 0), np.where(Y == "yes", 10.0, -1.0), Y == "yes", Y, THREE,
              np.arange(200) % 11):
        model = GibbsiteClassifier().fit(frame, y)
        loaded = through_a_file(model, tmp_path)
        assert (loaded.classes_.dtype.kind in "if") == (model.classes_.dtype.kind in "bif")
        assert np.array_equal(loaded.predict(frame), model.predict(frame))
        frame.assign(y=np.asarray(y) * 1 if y is not Y and y is not THREE else y) \
            .to_csv(tmp_path / "t.csv", index=False)
        run("fit", "t.csv", "-o", "c.json", folder=tmp_path)
        theirs = gibbsite.load(tmp_path / "c.json")
        assert theirs.certificate_ == model.certificate_
        assert np.array_equal(theirs.predict_proba(frame), model.predict_proba(frame))
    read = pandas.read_csv(io.StringIO(frame.to_csv(index=False)), float_precision="round_trip")
    assert read["smokes"].dtype == bool  # TRUE is a truth there
    assert np.array_equal(model.predict_proba(read), model.predict_proba(frame))


def test_a_parameter_and_an_option_must_not_disagree():
    for how, option in (({"loss": "hinge"}, {"loss": "probit"}), ({"lam": 5.0}, {"lambda": 6}),
                        ({"prior_sd": 0.5}, {"prior-sd": 1}), ({"joint": True}, {"joint": False})):
        with pytest.raises(ValueError, match=f"parameter {list(how)[0]}.*one of them") as told:
            GibbsiteClassifier(**how, options=option).fit(X, Y)
        assert told.value.code == "argument"
    for how, option in (({}, {"loss": "hinge"}), ({"loss": "hinge"}, {"loss": "hinge"}),
                        ({"loss": "hinge"}, {"confidence": 0.9})):
        assert GibbsiteClassifier(**how, options=option).fit(X, Y).info_.loss in ("hinge", "probit")
    with pytest.raises(ValueError, match="parameter rank"):
        MatrixCompletion(rank=2, options={"rank": 3}).fit([1, 2], [1, 2], [1.0, 2.0])
    with pytest.raises(ValueError, match="parameter particles"):
        GibbsSampler(particles=32, options={"particles": 64}).fit(X, Y)


def test_frames_of_odd_columns_are_read_as_they_were():
    frame = pandas.DataFrame({"n": X[:, 0], "whole": np.arange(200) % 7, "flag": X[:, 2] > 0,
                              "maybe": pandas.array(np.arange(200) % 5, dtype="Int64"),
                              "job": np.where(X[:, 1] > 0, "cook", "clerk")})
    model = GibbsiteClassifier().fit(frame, Y)
    p = model.predict_proba(frame)
    for other in (frame.astype({"whole": float, "maybe": float, "flag": int}),
                  frame.astype({"job": "category"}), frame.astype({"job": "string"}),
                  frame[["job", "maybe", "flag", "whole", "n"]]):
        assert np.array_equal(model.predict_proba(other), p)
    assert np.array_equal(np.vstack([model.predict_proba(frame.iloc[[k]]) for k in range(5)]),
                          p[:5])
    bad = frame.astype({"n": float})
    bad.loc[4, "n"] = np.inf
    with pytest.raises(ValueError, match="'n' contains infinity, in row 4"):
        model.predict(bad)
    bad.loc[4, "n"] = np.nan
    with pytest.raises(ValueError, match="'n' has a missing cell, in row 4"):
        model.predict(bad)
    with pytest.raises(ValueError, match="'n' holds texts"):
        model.predict(frame.assign(n="x"))
