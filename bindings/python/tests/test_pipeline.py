"""Transformations and choices that leave certificates valid."""
import warnings

import numpy as np
import pandas
import pytest
from conftest import rows
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from gibbsite import CertifiedPipeline, GibbsiteClassifier, GibbsiteClassifierCV, gap, report


class Remembers(TransformerMixin, BaseEstimator):
    """Keeps the rows that it was fitted on."""

    def fit(self, X, y=None):
        self.seen_, self.labels_ = X.copy(), y.copy()
        return self

    def transform(self, X):
        return X * 2.0


def test_transformers_see_the_learn_rows_alone(data):
    X, y = data
    pipe = CertifiedPipeline([("keep", Remembers()), ("fit", GibbsiteClassifier())]).fit(X, y)
    seen = dict(pipe.transformers_)["keep"]
    assert np.array_equal(seen.seen_, X[pipe.learned_])
    assert np.array_equal(seen.labels_, y[pipe.learned_])
    assert pipe.card_.learned == pipe.learned_.sum() and 0 < pipe.learned_.sum() < len(y)
    assert pipe.certificate_.status == "valid"


def test_a_pipeline_predicts_what_its_parts_do(data):
    X, y = data
    pipe = CertifiedPipeline([("scale", StandardScaler()), ("square", PolynomialFeatures()),
                              ("fit", GibbsiteClassifier(fit_intercept=False))]).fit(X, y)
    again = X
    for _, step in pipe.transformers_:
        again = step.transform(again)
    assert np.array_equal(pipe.predict(X), pipe.fitted_.predict(again))
    assert np.array_equal(pipe.predict_proba(X), pipe.fitted_.predict_proba(again))
    assert pipe.score(X, y) > 0.7 and "at most" in pipe._repr_html_()
    assert "<b>CertifiedPipeline(" in pipe._repr_mimebundle_()["text/html"]
    other = clone(pipe).set_params(fit__confidence=0.8)
    assert other.get_params()["fit__confidence"] == 0.8
    assert other.fit(X, y).certificate_.value < pipe.certificate_.value
    with pytest.raises(ValueError, match="Invalid parameter"):
        pipe.set_params(sock=1)
    with pytest.raises(TypeError):
        CertifiedPipeline([("scale", StandardScaler())]).fit(X, y)


def test_the_gap_of_a_pipeline_is_that_of_its_classifier():
    X, y = rows(90, 2)
    pipe = CertifiedPipeline([("scale", StandardScaler()),
                              ("fit", GibbsiteClassifier(loss="hinge"))]).fit(X, y)
    found = gap(pipe, X, y, particles=256)
    assert found.free_energy == pytest.approx(pipe.fitted_.info_["free_energy"])
    assert -5 * found.gap_sd - 0.05 < found.gap < 5
    search = GibbsiteClassifierCV(GibbsiteClassifier(loss="hinge"), cv=2).fit(X, y)
    assert gap(search, X, y, particles=64).gap < 5


@pytest.mark.parametrize("kind", [CertifiedPipeline, GibbsiteClassifierCV])
def test_what_is_not_fitted_has_no_gap_and_no_report(kind, data, tmp_path):
    with pytest.raises(NotFittedError, match=kind.__name__):
        gap(kind(), *data)
    with pytest.raises(NotFittedError, match=kind.__name__):
        report(kind(), tmp_path / "page.html")
    with pytest.raises(NotFittedError, match=kind.__name__):
        kind().save(tmp_path / "m.json")


def test_a_search_leaves_its_estimator_alone(data):
    X, y = data
    base = GibbsiteClassifier(cost=(3, 1))
    search = GibbsiteClassifierCV(base, {"scale": ["standard", "none"]}, cv=2).fit(X, y)
    assert not hasattr(base, "classes_") and not hasattr(base, "_costs")
    assert "cost" in {c.target for c in search.certificates_}
    three = np.array(["a", "b", "c"])[np.argmax(X[:, :3], axis=1)]
    cost = [[0, 1, 9], [1, 0, 1], [1, 1, 0]]
    search = GibbsiteClassifierCV(GibbsiteClassifier(cost=cost), cv=2).fit(X, three)
    assert "cost" in {c.target for c in search.certificates_}


def test_a_pipeline_without_a_split_is_conditional(data):
    X, y = data
    last = GibbsiteClassifier(prior="zero", scale="none")
    assert last.fit(X, y).certificate_.status == "valid"
    pipe = CertifiedPipeline([("keep", Remembers()), ("fit", last)]).fit(X, y)
    assert pipe.certificate_.status == "conditional"


def select(n, d, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.where(rng.random(n) < 0.5, 1, 0)


def test_a_selection_on_noise_is_not_certified_below_the_truth():
    """Labels are coins: the truth is 0.5. Each valid certificate may lie below with probability
    0.05; of 40, more than 9 do with probability 7e-5, and a selection that sees all rows fails
    nearly always."""
    below = seen_all = 0
    for seed in range(40):
        X, y = select(120, 400, seed)
        model = GibbsiteClassifier(loss="hinge", random_state=seed)
        pipe = CertifiedPipeline([("best", SelectKBest(k=10)), ("fit", model)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pipe.fit(X, y)
            plain = make_pipeline(SelectKBest(k=10), model).fit(X, y)
        assert pipe.certificate_.status == "valid"
        below += pipe.certificate_.value < 0.5
        seen_all += plain[-1].certificate_.value < 0.5
    assert below <= 9
    assert seen_all >= 30  # the trap


def test_choices_by_cross_validation_see_the_learn_rows_alone(data):
    X, y = data
    grid = {"scale": ["standard", "none"], "loss": ["hinge", "zero-one"]}
    model = GibbsiteClassifierCV(GibbsiteClassifier(prior_sd=0.3), grid, cv=3).fit(X, y)
    assert model.best_params_ in [result["params"] for result in model.cv_results_]
    assert len(model.cv_results_) == 4
    assert model.best_score_ == max(result["mean"] for result in model.cv_results_)
    assert model.certificate_.status == "valid"
    assert model.card_.learned == model.learned_.sum()
    assert np.array_equal(model.predict(X), model.best_estimator_.predict(X))
    # other labels among the rows that certify change no choice
    turned = y.copy()
    turned[~model.learned_] = np.where(turned[~model.learned_] == "yes", "no", "yes")
    fingerprint_only = GibbsiteClassifierCV(GibbsiteClassifier(prior_sd=0.3), grid, cv=3)
    assert fingerprint_only.fit(X, turned).certificate_.value != model.certificate_.value


@pytest.mark.parametrize("grid", [{"prior_sd": [0.1, 1.0, 3.0]}, {"bound": ["kl", "catoni"]},
                                  {"scale": ["none", "unit-row"]}])
def test_choices_by_every_row_make_the_certificate_conditional(grid):
    """Without a split every row certifies, those that chose among them."""
    X, y = rows(80, 3)
    base = GibbsiteClassifier(prior="zero", scale="none", prior_sd=1.0)
    assert base.fit(X, y).certificate_.status == "valid"
    grid = {key: values for key, values in grid.items()}
    search = GibbsiteClassifierCV(base, grid, cv=2).fit(X, y)
    assert search.learned_.all() and search.certificate_.status == "conditional"
    assert any(text.startswith("NOT MET") for text in search.certificate_.assumptions)
    # what only moves the posterior is free under one bound for all of them
    free = GibbsiteClassifierCV(base, {"loss": ["hinge", "zero-one"]}, cv=2).fit(X, y)
    assert free.certificate_.status == "valid"
    # chosen by every row, then tested on some of them
    late = GibbsiteClassifierCV(base, {"prior": ["informed"]}, cv=2).fit(X, y)
    assert late.certificate_.status == "conditional"


def test_frames_with_texts_stay_certified():
    pandas = pytest.importorskip("pandas")
    X, y = rows(150, 3)
    frame = pandas.DataFrame(X, columns=list("abc")).assign(job=np.where(X[:, 0] > 0, "u", "v"))
    frame.loc[4, "b"] = np.nan
    last = GibbsiteClassifier(loss="hinge", missing="drop")
    pipe = CertifiedPipeline([("fit", last)]).fit(frame, y)
    search = GibbsiteClassifierCV(last, {"scale": ["none", "standard"]}, cv=2).fit(frame, y)
    plain = clone(last).fit(frame, y)
    for other in (pipe, search):
        assert other.certificate_.status == "valid" and not other.learned_[4]
        assert other.learned_.sum() == other.card_.learned == plain.card_.learned
        assert list(other.feature_names_in_) == list(frame.columns)
    assert pipe.certificates_ == plain.certificates_


def test_a_search_finds_the_columns_of_a_frame_by_their_names():
    pandas = pytest.importorskip("pandas")
    X, y = rows(90, 3)
    frame = pandas.DataFrame(X, columns=list("abc"))
    search = GibbsiteClassifierCV(GibbsiteClassifier(loss="hinge"), cv=2).fit(frame, y)
    with pytest.raises(ValueError, match="feature names"):
        search.predict(frame[list("bca")])
    assert search.score(frame, y) == search.best_estimator_.score(frame, y)


def test_groups_stay_together_in_pipelines_and_searches():
    X, y = rows(240, 3)
    groups = np.repeat([f"p{k}" for k in range(60)], 4)
    keep = Remembers()
    pipe = CertifiedPipeline([("keep", keep), ("fit", GibbsiteClassifier(loss="hinge"))])
    search = GibbsiteClassifierCV(GibbsiteClassifier(loss="hinge"), cv=2)
    for model in (pipe, search):
        model.fit(X, y, groups=groups)
        assert model.certificate_.status == "valid" and model.certificate_.rows <= 30
        assert all(len(set(model.learned_[groups == name])) == 1 for name in set(groups))
    weight = 1.0 + np.arange(240) % 2
    assert search.fit(X, y, sample_weight=weight).certificate_.status == "valid"


def test_steps_that_are_none_are_refused():
    X, y = rows(60)
    last = GibbsiteClassifier(loss="hinge")
    for steps in ([], last, [StandardScaler(), last], [("a", StandardScaler()), ("a", last)]):
        with pytest.raises(ValueError, match="steps must be a list"):
            CertifiedPipeline(steps).fit(X, y)
    with pytest.raises(TypeError, match="'a' must be a transformer"):
        CertifiedPipeline([("a", 3), ("fit", last)]).fit(X, y)
    assert CertifiedPipeline([("a", None), ("fit", last)]).fit(X, y).transformers_ == []
    with pytest.raises(ValueError, match="cv must be 2"):
        GibbsiteClassifierCV(last, cv=1).fit(X, y)


@pytest.mark.parametrize("estimator", [
    GibbsiteClassifierCV(param_grid={"loss": ["hinge"]}, cv=2),
    CertifiedPipeline([("scale", StandardScaler()), ("fit", GibbsiteClassifier())])])
def test_they_pass_the_checks(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(estimator)


class Records(TransformerMixin, BaseEstimator):
    """Notes every row that any copy of it is fitted on."""

    seen = set()

    def __init__(self, factor=1.0):
        self.factor = factor

    def fit(self, X, y=None):
        Records.seen.update(X[:, 0].tolist())
        return self

    def transform(self, X):
        return X * self.factor


def test_a_search_over_a_pipeline_sees_the_learn_rows_alone(data):
    X, y = data
    pipe = CertifiedPipeline([("note", Records()), ("best", SelectKBest(k=2)),
                              ("fit", GibbsiteClassifier(loss="hinge"))])
    Records.seen.clear()
    search = GibbsiteClassifierCV(pipe, {"best__k": [1, 3], "fit__prior_sd": [0.1, 1.0]}, cv=3)
    search.fit(X, y)
    assert Records.seen == set(X[search.learned_, 0].tolist())
    assert 0 < search.learned_.sum() < len(y) and search.certificate_.status == "valid"
    assert set(search.best_params_) == {"best__k", "fit__prior_sd"} and len(search.cv_results_) == 4
    assert search.best_params_["best__k"] == 3
    best = clone(pipe).set_params(**search.best_params_).fit(X, y)
    assert np.array_equal(best.learned_, search.learned_)
    assert np.array_equal(best.predict_proba(X), search.predict_proba(X))
    assert best.certificate_.value == search.certificate_.value
    assert search.n_features_in_ == 4 and search.coef_.shape == (1, 3)
    assert np.isfinite(gap(search, X, y, particles=16).gap)
    assert pipe.steps[1][1].k == 2 and not hasattr(pipe, "fitted_")


def test_a_search_over_a_pipeline_that_changes_the_split_keeps_its_own(data):
    X, y = data
    pipe = CertifiedPipeline([("scale", StandardScaler()), ("fit", GibbsiteClassifier())])
    search = GibbsiteClassifierCV(pipe, {"fit__prior_split": [0.3, 0.5], "scale": ["passthrough"]},
                                  cv=2).fit(X, y)
    assert search.certificate_.status == "valid" and search.info_["n"] == 300
    assert search.card_.learned == search.learned_.sum()
    every = GibbsiteClassifierCV(pipe, {"fit__prior": ["zero"], "scale__with_mean": [True, False]},
                                 cv=2).fit(X, y)
    assert every.certificate_.status == "conditional"
    with pytest.raises(TypeError, match="or a CertifiedPipeline"):
        GibbsiteClassifierCV(make_pipeline(StandardScaler(), GibbsiteClassifier())).fit(X, y)


def test_without_a_grid_the_parameters_stay():
    X, y = rows()
    base = GibbsiteClassifier(scale="none", loss="hinge")
    search = GibbsiteClassifierCV(base, cv=2).fit(X, y)
    assert search.best_params_ == {}
    assert np.array_equal(search.predict_proba(X), clone(base).fit(X, y).predict_proba(X))


def test_a_pipeline_tells_what_its_classifier_does(data):
    X, y = data
    pipe = CertifiedPipeline([("scale", StandardScaler()), ("fit", GibbsiteClassifier())])
    assert list(pipe.named_steps) == ["scale", "fit"] and not hasattr(pipe, "coef_")
    pipe.fit(X, y)
    scaled = pipe.named_steps.scale.transform(X)
    assert pipe.named_steps["fit"] is pipe.fitted_
    assert np.allclose(pipe.decision_function(X), scaled @ pipe.coef_[0] + pipe.intercept_)
    assert np.array_equal(np.exp(pipe.predict_log_proba(X)).round(12),
                          pipe.predict_proba(X).round(12))
    assert np.array_equal(pipe.predict_vote(X), pipe.fitted_.predict_vote(scaled))
    assert pipe.converged_ and pipe.n_iter_ > 0 and pipe.trace_ and pipe.parts_ == []


def test_three_classes_pass_through():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = np.argmax(X[:, :3], axis=1)
    pipe = CertifiedPipeline([("best", SelectKBest(k=3)), ("fit", GibbsiteClassifier())])
    assert pipe.fit(X, y).score(X, y) > 0.8 and pipe.certificate_.status == "valid"
    assert pipe.predict_proba(X).shape == (300, 3)
    grid = {"scale": ["standard", "none"]}
    assert GibbsiteClassifierCV(param_grid=grid, cv=2).fit(X, y).score(X, y) > 0.8


def test_rows_of_weight_zero_reach_no_transformer(data):
    X, y = data
    weight = np.ones(300)
    weight[::3] = 0.0
    pipe = CertifiedPipeline([("keep", Remembers()), ("fit", GibbsiteClassifier())])
    pipe.fit(X, y, sample_weight=weight)
    assert len(dict(pipe.transformers_)["keep"].seen_) == pipe.card_.learned < 200
    assert pipe.card_.learned + pipe.card_.tested == 200 and not pipe.learned_[::3].any()


def test_rows_of_a_list_are_split_too():
    from sklearn.feature_extraction.text import CountVectorizer
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=120)
    texts = [" ".join(rng.choice(["good", "fine", "so"] if label else ["bad", "poor", "so"], 4))
             for label in y]
    pipe = CertifiedPipeline([("count", CountVectorizer()), ("fit", GibbsiteClassifier())])
    assert pipe.fit(texts, y).score(texts, y) > 0.9
    assert pipe.certificate_.status == "valid" and pipe.certificate_.value < 0.3
    for others in (np.array(texts), pandas.Series(texts, index=np.arange(120) + 7)):
        again = clone(pipe).fit(others, y)
        assert np.array_equal(again.predict_proba(others), pipe.predict_proba(texts))
        assert np.array_equal(again.learned_, pipe.learned_)
    with pytest.raises(ValueError, match="Expected 2D array"):
        CertifiedPipeline().fit(np.arange(120.0), y)
    X, labels = rows(50)
    assert CertifiedPipeline([("fit", GibbsiteClassifier())]).fit(X, labels).score(X, labels) > 0.5
