"""Missing cells: what `missing` says at fit time holds for rows to come, whatever they hold."""
import numpy as np
import pandas
import pytest
from conftest import rows
from scipy import sparse
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from gibbsite import CertifiedPipeline, GibbsiteClassifier, GibbsiteClassifierCV, GibbsSampler, gap

X, Y = rows()
FRAME = pandas.DataFrame(X, columns=list("abcd"))
GONE = X.copy()
GONE[::7, 1] = np.nan


def fitted(x, **how):
    return GibbsiteClassifier(**how).fit(x, Y)


def test_rows_to_come_may_have_missing_cells_where_those_of_the_fit_had_none():
    full = fitted(X)
    for x, gone in ((X, GONE), (FRAME, pandas.DataFrame(GONE, columns=list("abcd")))):
        for how in ("impute", "drop"):
            model = fitted(x, missing=how)
            assert [c.value for c in model.certificates_] == [c.value for c in full.certificates_]
            assert np.array_equal(model.predict_proba(x), full.predict_proba(X))
            p = model.predict_proba(gone)[:, 1]
            whole = ~np.isnan(GONE).any(axis=1)
            assert np.array_equal(p[whole], full.predict_proba(X)[whole, 1])
            assert np.isnan(p[~whole]).all() == (how == "drop")
        filled = np.where(np.isnan(GONE), np.median(X[_learned(model), 1]), X)
        assert np.allclose(fitted(x, missing="impute").predict_proba(gone),
                           full.predict_proba(filled), atol=1e-12)


def _learned(model):
    """The rows that a fit of X learns from: those that a pipeline with a step has."""
    pipe = CertifiedPipeline([("same", FunctionTransformer()), ("fit", GibbsiteClassifier())])
    assert model.info_["n"] == len(X)
    return pipe.fit(X, Y).learned_


def test_a_missing_cell_in_a_fold_is_filled_or_left_out():
    one = X.copy()
    one[3, 1] = np.nan
    for x in (one, pandas.DataFrame(one, columns=list("abcd"))):
        scores = cross_val_score(GibbsiteClassifier(missing="impute"), x, Y, cv=5,
                                 error_score="raise")
        assert np.isfinite(scores).all()
        p = cross_val_predict(GibbsiteClassifier(missing="drop"), x, Y, cv=5,
                              method="predict_proba")
        assert list(np.flatnonzero(np.isnan(p[:, 0]))) == [3]


def test_a_model_of_numbers_reads_arrays_frames_and_sparse_rows():
    model = fitted(FRAME, missing="impute")
    p = model.predict_proba(FRAME)
    with pytest.warns(UserWarning, match="valid feature names"):
        assert np.array_equal(model.predict_proba(X), p)
    assert np.array_equal(fitted(X, missing="impute").predict_proba(sparse.csr_matrix(X)), p)
    for wrong, words in ((X[:, :2], "X has 2 features"), (X[0], "Expected 2D array")):
        with pytest.raises(ValueError, match=words), pytest.warns(UserWarning):
            model.predict(wrong)
    assert np.isfinite(gap(fitted(X, missing="impute"), X, Y, particles=16).gap)
    with pytest.raises(ValueError, match="none of them missing"):
        gap(model, GONE, Y)
    for other in (3, GibbsSampler(particles=16).fit(X, Y)):
        with pytest.raises(TypeError, match="classifier or ranker"):
            gap(other, X, Y)


def test_what_to_do_about_missing_cells_is_said():
    model = fitted(X)
    for call in (lambda: fitted(GONE), lambda: model.predict(GONE)):
        with pytest.raises(ValueError, match="contains NaN.*missing='impute'.*'drop'") as told:
            call()
        assert told.value.code == "data" and "HistGradient" not in str(told.value)
    for how in ("error", "impute"):
        with pytest.raises(ValueError, match="contains NaN.*SimpleImputer"):
            fitted(sparse.csr_matrix(GONE), missing=how)


@pytest.mark.parametrize("step", [FunctionTransformer(), StandardScaler()])
def test_a_pipeline_may_end_in_a_classifier_that_leaves_rows_out(step):
    pipe = CertifiedPipeline([("step", step), ("fit", GibbsiteClassifier(missing="drop"))])
    pipe.fit(GONE, Y)
    assert pipe.certificate_.status == "valid"
    assert pipe.info_["n"] == np.sum(~np.isnan(GONE).any(axis=1))
    search = GibbsiteClassifierCV(GibbsiteClassifier(missing="drop"),
                                  {"prior_split": [0.4, 0.6]}, cv=2).fit(GONE, Y)
    assert search.certificate_.status == "valid"
    plain = make_pipeline(StandardScaler(), GibbsiteClassifier(missing="impute")).fit(X, Y)
    assert len(plain.predict(GONE)) == len(Y)


@pytest.mark.parametrize("how", ["impute", "drop"])
def test_a_recipe_behind_a_pipeline_learns_from_its_rows(how):
    texts = pandas.DataFrame(GONE, columns=list("abcd")).assign(job=np.where(X[:, 0] > 0, "u", "v"))
    for x in (GONE, pandas.DataFrame(GONE, columns=list("abcd")), texts):
        pipe = CertifiedPipeline([("p", FunctionTransformer()),
                                  ("f", GibbsiteClassifier(missing=how))]).fit(x, Y)
        assert pipe.certificate_.status == "valid"
        p = pipe.predict_proba(x)[:, 1]
        assert np.isnan(p).sum() == (np.isnan(GONE).any(axis=1).sum() if how == "drop" else 0)
        assert pipe.certificate_.rows == np.sum(~pipe.learned_ & ~(
            np.isnan(GONE).any(axis=1) & (how == "drop")))
    fill = GONE.copy()
    fill[~pipe.learned_ & ~np.isnan(GONE[:, 1]), 1] = 1e3  # no cell is filled by what certifies
    model = GibbsiteClassifier(missing="impute")._fit(fill, Y, learned=pipe.learned_)
    assert model.certificate_.status == "valid"
    assert model._inputs()[1]["fill"] == np.median(GONE[pipe.learned_ & ~np.isnan(GONE[:, 1]), 1])


def test_rows_of_a_pipeline_to_come_may_lack_cells_that_those_of_the_fit_have():
    pipe = CertifiedPipeline([("p", FunctionTransformer()),
                              ("f", GibbsiteClassifier(missing="impute"))]).fit(X, Y)
    assert pipe.certificate_.status == "valid"
    assert np.isfinite(pipe.predict_proba(GONE)).all()
