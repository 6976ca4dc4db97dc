"""Rankers, samples, completions, theory, simulated rows, plots."""
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import rows
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import roc_auc_score

import gibbsite
from gibbsite import (GibbsiteClassifier, GibbsiteRanker, GibbsSampler, MatrixCompletion, gap,
                      simulate, theory)


def test_a_ranker_refuses_weights_and_groups_in_words(data):
    for name in ("sample_weight", "groups"):
        with pytest.raises(TypeError, match=f"'{name}'.*in pairs") as told:
            GibbsiteRanker().fit(*data, **{name: np.ones(len(data[1]))})
        assert told.value.code == "argument"


def test_a_ranker_is_certified_by_its_auc(data):
    X, y = data
    model = GibbsiteRanker().fit(X, y)
    score = model.predict(X)
    assert model.score(X, y) == roc_auc_score(y == "yes", score)
    assert np.array_equal(score, model.decision_function(X))
    assert model.certificate_.risk == "1-auc" and model.certificate_.status == "valid"
    p = model.predict_proba(X)[:, 1]
    order = np.argsort(score, kind="stable")
    assert np.all(np.diff(p[order]) >= 0)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), score)
    with pytest.raises(AttributeError):
        model.predict_vote(X)


def test_a_sample_votes_and_tells_how_it_went():
    X, y = rows(80, 2)
    model = GibbsSampler(particles=64, random_state=2).fit(X, y)
    assert np.isfinite(model.log_z_) and model.log_z_sd_ > 0 and 0 < model.acceptance_ <= 1
    assert model.draws_.shape == (64, 3) and model.path_[0]["lambda"] == 0.0
    p = model.predict_proba(X)[:, 1]
    assert np.array_equal(p * 64, np.round(p * 64)) and model.score(X, y) > 0.6
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.draws_, model.draws_)
    assert [c.name for c in model.coefficients_] == ["V1", "V2", "(intercept)"]
    assert [c.mean for c in model.coefficients_] == pytest.approx(model.draws_.mean(axis=0))
    assert [c.sd for c in model.coefficients_] == pytest.approx(model.draws_.std(axis=0))
    assert model.info_.estimate.status == "estimate" and len(model.info_.lambda_path) > 1


def test_the_gap_to_the_gibbs_posterior_is_measured():
    X, y = rows(60, 2)
    model = GibbsiteClassifier(loss="hinge", prior="zero", lam=20.0).fit(X, y)
    found = gap(model, X, y, particles=256)
    assert found.gap > -5 * found.gap_sd - 0.05 and found.gap < 5
    assert found.free_energy == pytest.approx(model.info_["free_energy"])
    with pytest.raises(ValueError):
        gap(model, X[::-1] * 2, y)
    with pytest.raises(ValueError, match="labels of the fit"):
        gap(model, X, np.full(60, "maybe"))
    weight = 1.0 + np.arange(60) % 3
    heavy = GibbsiteClassifier(loss="hinge", prior="zero", lam=20.0)
    heavy.fit(X, y, sample_weight=weight)
    assert gap(heavy, X, y, sample_weight=weight, particles=256).free_energy == \
        pytest.approx(heavy.info_["free_energy"])


@pytest.mark.parametrize("line", [False, True])
def test_the_gap_of_each_binary_problem_is_measured(line, tmp_path):
    draw = np.random.default_rng(4)
    number = np.arange(240) % 4
    angle = np.pi / 2 * number
    X = 2 * (number[:, None] if line else np.column_stack([np.cos(angle), np.sin(angle)]))
    X = X + (0.3 if line else 0.7) * draw.normal(size=X.shape)
    y = np.array(["w", "x", "y", "z"])[number]
    model = GibbsiteClassifier(loss="hinge", prior_sd=0.1 if line else 1.0).fit(X, y)
    assert model.info_["scheme"] == ("pairs" if line else "rest")
    found = gap(model, X, y, particles=256)
    assert len(found) == (6 if line else 4)
    assert [(g["class"], g["against"]) for g in found[:2]] == (
        [("w", "x"), ("w", "y")] if line else [("w", None), ("x", None)])
    for g in found:
        assert g.gap == g.free_energy + g.log_z and -5 * g.gap_sd - 0.05 < g.gap < 5
    model.save(tmp_path / "m.json")
    assert gap(gibbsite.load(tmp_path / "m.json"), X, y, particles=256) == found
    with pytest.raises(ValueError, match="does not belong to these rows"):
        gap(model, X[::-1] * 2, y)
    with pytest.raises(ValueError, match="labels of the fit"):
        gap(model, X, np.where(y == "z", "v", y))
    with pytest.raises(ValueError, match="fitted together"):
        gap(GibbsiteClassifier().fit(X, y), X, y)


def ratings(n=400, seed=0):
    rng = np.random.default_rng(seed)
    row, column = rng.integers(30, size=n), rng.integers(20, size=n)
    u, v = rng.normal(size=(30, 2)), rng.normal(size=(20, 2))
    return row, column, 3 + np.sum(u[row] * v[column], axis=1) * 0.5 + 0.2 * rng.normal(size=n)


def test_ratings_of_any_kind_give_one_completion(tmp_path):
    pandas = pytest.importorskip("pandas")
    row, column, value = ratings()
    keep = np.unique(row * 20 + column, return_index=True)[1]
    row, column, value = row[keep], column[keep], value[keep]
    kinds = [(row, column, value), (np.column_stack([row, column, value]),),
             (pandas.DataFrame({"user": row, "item": column, "rating": value}),),
             (sparse.coo_matrix((value, (row, column)), shape=(30, 20)),)]
    models = [MatrixCompletion(rank=3).fit(*kind) for kind in kinds]
    values = [model.predict(row, column) for model in models]
    for other in values[1:]:
        assert np.array_equal(values[0], other)
    model = models[0]
    assert model.certificate_ is None and model.effective_rank_ <= 3
    assert model.score(row, column, value) == pytest.approx(-model.rmse_, rel=1e-6)
    mean, sd = model.predict([0, 99], [1, 99], return_sd=True)
    assert np.isfinite(mean).all() and np.all(sd > 0) and sd[1] > sd[0]
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(row, column), values[0])
    model.save(tmp_path / "c.json")
    assert np.array_equal(gibbsite.load(tmp_path / "c.json").predict(row, column), values[0])


def test_a_large_completion_keeps_its_binary_part(tmp_path):
    n = 90000  # rows of their own: the file has more than 2^20 numbers
    row, column = np.arange(n), np.arange(n) % 40
    model = MatrixCompletion(rank=3, max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(row, column, np.sin(row))
    values = model.predict(row, column)
    model.save(tmp_path / "large.json")
    assert b"\0" in (tmp_path / "large.json").read_bytes()
    for again in (gibbsite.load(tmp_path / "large.json"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(again.predict(row, column), values)


def test_pickles_of_texts_still_open():
    X, y = rows(60, 2)
    row, column, value = ratings()
    for model, asked in ((GibbsiteClassifier().fit(X, y), (X,)),
                         (GibbsSampler(particles=32).fit(X, y), (X,)),
                         (MatrixCompletion(rank=2).fit(row, column, value), (row, column))):
        state = model.__getstate__()
        state["_text"] = state.pop("_file").decode()
        again = type(model)()
        again.__setstate__(state)
        assert np.array_equal(again.predict(*asked), model.predict(*asked))


@pytest.mark.parametrize("kind", [GibbsiteClassifier, GibbsSampler, MatrixCompletion])
def test_what_is_not_fitted_is_not_used(kind, tmp_path):
    with pytest.raises(NotFittedError, match=kind.__name__):
        kind().save(tmp_path / "m.json")
    assert pickle.loads(pickle.dumps(kind())).get_params() == kind().get_params()


def test_a_declared_range_certifies_a_completion():
    row, column, value = ratings(800)
    model = MatrixCompletion(rank=2, range=(0, 6)).fit(row, column, np.clip(value, 0, 6))
    assert 0 < model.certificate_.rmse < 6 and not model.certificate_.vacuous
    assert model.certificate_.status == "valid" and len(model.certificate_.assumptions) == 3
    assert len(model.components_) == model.effective_rank_ and len(model.trace_) > 0
    assert model.info_.range == [0, 6]
    assert np.all((model.predict(row, column) >= 0) & (model.predict(row, column) <= 6))


def test_events_are_refused_as_the_program_does():
    row, column, _ = ratings(400)
    with pytest.raises(ValueError, match="implicit data"):
        MatrixCompletion().fit(row, column, np.ones(len(row)))
    MatrixCompletion(rank=1, range=(1, 5)).fit(row, column, np.ones(len(row)))
    with pytest.warns(UserWarning, match="every value is 3"):
        MatrixCompletion(rank=1).fit(row, column, np.full(len(row), 3.0))


def test_the_value_of_a_certificate_of_ratings_is_an_rmse():
    row, column, value = ratings(800)
    model = MatrixCompletion(rank=2, range=(0, 6)).fit(row, column, np.clip(value, 0, 6))
    told = model.certificate_
    assert told.target == "rmse" and told.value == told.rmse
    assert told.value == pytest.approx(6 * told.squared**0.5)
    assert told.empirical == pytest.approx(6 * told.squared_empirical**0.5)
    assert told.empirical < told.value


def test_the_best_columns_are_best_before_they_are_clipped(tmp_path):
    row, column, value = ratings(200)
    plain = MatrixCompletion(rank=2, model="paper").fit(row, column, value)
    plain.save(tmp_path / "plain.json")
    text = (tmp_path / "plain.json").read_text(encoding="utf-8")
    (tmp_path / "narrow.json").write_text(text.replace('"kind":', '"range":[2,2.5],"kind":', 1),
                                          encoding="utf-8")
    narrow = gibbsite.load(tmp_path / "narrow.json")
    for i in np.unique(row):
        best = narrow.top(i, 8)
        assert len(best) == 8 and best == plain.top(i, 8)
        assert not {str(j) for k, j in zip(row, column) if k == i} & set(best)
        assert np.all(np.diff(plain.predict([i] * 8, best)) <= 0)
        by_tail = narrow.top(i, 8, quantile=0.1)
        tail = plain.quantiles([i] * 8, by_tail, levels=0.1)
        assert tail.shape == (8, 1) and np.all(np.diff(tail[:, 0]) <= 1e-12)
        assert narrow.quantiles([i] * 8, best).max() <= 2.5
    assert len(plain.top(row[0], 10**6)) < len(plain.column_names_)
    q = plain.quantiles(row[:5], column[:5], levels=[0.5, 0.9])
    mean, sd = plain.predict(row[:5], column[:5], return_sd=True)
    assert np.allclose(q[:, 0], mean) and np.allclose(q[:, 1], mean + 1.2815515655446004 * sd)
    with pytest.raises(ValueError, match="no row"):
        plain.top("nobody")
    with pytest.raises(ValueError, match="quantile"):
        plain.top(row[0], quantile=1.5)
    with pytest.raises(ValueError, match="level"):
        plain.quantiles(row[:5], column[:5], levels=[1.0])


def test_features_predict_rows_without_ratings():
    rng = np.random.default_rng(3)
    age = rng.integers(20, 70, 80)
    row, column = np.divmod(np.arange(80 * 20), 20)
    value = 3 + 0.05 * (age[row] - 45) + 0.1 * (column % 5) + 0.2 * rng.normal(size=len(row))
    seen = row >= 20
    known = {str(i): [age[i]] for i in range(80)}
    model = MatrixCompletion(rank=2)
    with pytest.warns(UserWarning, match="20 of 80 rows with features have no ratings"):
        model.fit(row[seen], column[seen], value[seen], row_features=known)
    assert model.info_.rated_rows == 60 and model.info_.rows == 80
    error = np.sqrt(np.mean((model.predict(row[~seen], column[~seen]) - value[~seen]) ** 2))
    assert error < 0.4
    kinds = {str(j): ["abcde"[j % 5]] for j in range(20)}
    again = MatrixCompletion(rank=2).fit(row[seen], column[seen], value[seen],
                                         column_features=kinds)
    assert again.info_.rated_cols == 20
    with pytest.raises(ValueError, match="none of their names"):
        MatrixCompletion().fit(row, column, value, row_features={"x1": [2.0]})
    with pytest.raises(ValueError, match="features are a frame"):
        MatrixCompletion().fit(row, column, value, row_features=[[2.0]])


def test_ratings_that_cannot_be_used_are_refused():
    with pytest.raises(ValueError, match="triples"):
        MatrixCompletion().fit([1, 2], [3, 4])
    with pytest.raises(ValueError, match="finite"):
        MatrixCompletion().fit([1, 2], [3, 4], [1.0, np.nan])
    with pytest.raises(ValueError, match="range"):
        MatrixCompletion(range=(3, 1)).fit(*ratings())


def test_theory_is_told():
    told = theory(n=1000, d=10)
    assert len(told) > 5 and all(row.name and row.source for row in told)
    with pytest.raises(ValueError):
        theory(n=-1)


@pytest.mark.parametrize("positions", ["random", "informed"])
def test_simulated_ratings_have_the_noise_they_are_said_to_have(positions):
    asked = {"rows": 300, "cols": 200, "rank": 3, "noise": 0.4, "skew": 0.5, "density": 0.2,
             "positions": positions, "random_state": 3}
    row, column, value, truth = simulate("ratings", **asked)
    same = simulate("ratings", **{**asked, "noise": 0.0})
    assert np.array_equal(row, same[0]) and np.array_equal(column, same[1]) and len(row) == 12000
    variance = np.mean((value - same[2]) ** 2)  # chi-squared: standard error sqrt(2/n) of it
    assert abs(variance / truth.noise_variance - 1) < 5 * np.sqrt(2 / 12000)
    later = simulate("ratings", **{**asked, "density": 0.1, "skip": 6000})
    assert np.array_equal(later[2], value[6000:])
    clipped = simulate("ratings", **{**asked, "range": (2, 4)})[2]
    assert np.array_equal(clipped, np.clip(value, 2, 4))
    with pytest.raises(ValueError, match="positions"):
        simulate("ratings", positions="socks")
    with pytest.raises(ValueError, match="density"):
        simulate("ratings", density=0)


@pytest.mark.parametrize("kind", ["classify", "rank", "ratings"])
@pytest.mark.parametrize("skip", [-1, 0.5, "1", None])
def test_a_skip_that_is_no_count_is_refused(kind, skip):
    with pytest.raises(ValueError, match="skip"):
        simulate(kind, rows=20, cols=10, skip=skip)


@pytest.mark.parametrize("ends", [(5, 1), (2, 2), (1,), 3, (1, float("nan")), (1, float("inf")),
                                  ("low", "high")])
def test_a_range_that_is_none_is_refused(ends):
    with pytest.raises(ValueError, match="range"):
        simulate("ratings", rows=20, cols=10, range=ends)


def test_a_warm_start_ends_where_a_cold_one_does():
    X, y = rows(600, 5, noise=2.0)
    model = GibbsiteClassifier(loss="hinge", warm_start=True, random_state=2).fit(X[:500], y[:500])
    cold = GibbsiteClassifier(loss="hinge", random_state=2).fit(X, y)
    warm = model.fit(X, y)
    assert warm.coef_ == pytest.approx(cold.coef_, abs=2e-3)
    assert warm.certificate_.value == cold.certificate_.value
    assert warm.n_iter_ <= cold.n_iter_
    again = warm.n_iter_
    assert model.fit(X, y).n_iter_ < again or again <= 1
    model.fit(X[:, :3], y)  # other columns: from the beginning
    assert model.n_features_in_ == 3


@pytest.mark.parametrize("shape", ["linear", "xor", "rings", "waves"])
def test_simulated_rows_have_the_risk_they_are_said_to_have(shape):
    X, y, truth = simulate(rows=20000, cols=4, noise=0.2, shape=shape)
    again, labels, _ = simulate(rows=20000, cols=4, noise=0.0, shape=shape)
    assert np.array_equal(X, again) and set(y) == {-1, 1}
    wrong = (y != labels).mean()  # binomial: 0.2 within 5 sigma
    assert abs(wrong - truth.bayes_risk) < 5 * np.sqrt(0.2 * 0.8 / 20000)


def test_simulated_ranks_have_the_auc_they_are_said_to_have():
    X, y, truth = simulate("rank", rows=20000, cols=3, noise=0.1)
    auc = roc_auc_score(y, X @ np.array(truth.theta))
    assert abs(auc - truth.best_auc) < 5 * 0.0025  # standard error of an AUC of 0.9: below 0.0025
    later = simulate("rank", rows=10, cols=3, noise=0.1, skip=19990)
    assert np.array_equal(later[0], X[19990:])
    with pytest.raises(ValueError):
        simulate("socks")


def test_plots_draw(data):
    pytest.importorskip("matplotlib").use("Agg")
    X, y = data
    model = GibbsiteClassifier().fit(X, y)
    ladder = GibbsiteClassifier(prior="zero", options={"lambda-grid": "10:200:3"}).fit(X, y)
    assert len(ladder.path_) == 3
    for draw in ("certificate", "reliability", "importance", "path"):
        assert getattr(gibbsite.plots, draw)(model).has_data()
    assert gibbsite.plots.path(ladder).has_data()
    with pytest.raises(ValueError, match="tested"):
        gibbsite.plots.reliability(ladder)
