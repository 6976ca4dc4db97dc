"""A classifier: labels, probabilities, certificates, and what it is fitted to."""
import copy
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import rows
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import cross_val_score

import gibbsite
from gibbsite import CertifiedPipeline, GibbsiteClassifier


def test_labels_probabilities_and_decisions_agree(data):
    X, y = data
    model = GibbsiteClassifier().fit(X, y)
    p = model.predict_proba(X)
    assert list(model.classes_) == ["no", "yes"]
    assert p.shape == (300, 2) and np.allclose(p.sum(axis=1), 1.0)
    decision = model.decision_function(X)
    assert np.array_equal(model.predict(X) == "yes", decision >= 0)
    assert np.allclose(decision, np.log(p[:, 1]) - np.log(p[:, 0]))
    assert np.allclose(decision, (X @ model.coef_.T + model.intercept_).ravel())
    assert 0.7 < model.score(X, y) <= 1.0
    assert np.all((model.predict_vote(X) >= 0) & (model.predict_vote(X) <= 1))


def test_the_certificate_is_told(data):
    X, y = data
    model = GibbsiteClassifier(confidence=0.9).fit(X, y)
    first = model.certificate_
    assert first.status == "valid" and first.target == "vote" and first.confidence == 0.9
    assert first == model.certificates_[0] and first.value == first["value"]
    assert first.empirical < first.value < 1.0
    assert model.card_.learned + model.card_.tested == len(y)
    assert model.baseline_.label in ("no", "yes")
    assert {c.target for c in model.certificates_} >= {"vote", "recall:yes", "recall:no", "brier"}
    assert len(model.path_) > 0 and model.converged_ and model.n_iter_ > 0
    assert [c.name for c in model.coefficients_] == ["V1", "V2", "V3", "V4", "(intercept)"]


def test_what_was_looked_at_makes_it_conditional(data):
    X, y = data
    model = GibbsiteClassifier(looked="columns").fit(X, y)
    assert model.certificate_.status == "conditional"
    assert any(text.startswith("NOT MET") for text in model.certificate_.assumptions)
    with pytest.raises(ValueError, match="looked"):
        GibbsiteClassifier(looked=["socks"]).fit(X, y)


def test_a_model_does_not_depend_on_how_its_rows_lie_in_memory(data, tmp_path):
    X, y = data
    expected = GibbsiteClassifier().fit(X, y).predict_proba(X)
    wide = np.zeros((300, 9))
    wide[:, 2:6] = X
    kept = np.memmap(tmp_path / "x", dtype=float, mode="w+", shape=X.shape)
    kept[:] = X
    kept.flush()
    frozen = X.copy()
    frozen.flags.writeable = False
    for other in (np.asfortranarray(X), wide[:, 2:6], X[::-1][::-1], frozen, X.tolist(),
                  np.repeat(X, 2, axis=1)[:, ::2], np.asfortranarray(wide)[:, 2:6],
                  np.ascontiguousarray(X[::-1])[::-1],
                  np.memmap(tmp_path / "x", dtype=float, mode="r", shape=X.shape),
                  np.repeat(X, 2, axis=0)[::2]):
        model = GibbsiteClassifier().fit(other, y)
        assert np.array_equal(model.predict_proba(other), expected)


def test_singles_are_read_where_they_lie(data):
    X, y = data
    single = X.astype(np.float32)
    expected = GibbsiteClassifier().fit(single.astype(float), y).predict_proba(X)
    for other in (single, np.asfortranarray(single)):
        assert np.array_equal(GibbsiteClassifier().fit(other, y).predict_proba(X), expected)
    S = sparse.csr_matrix(single)
    assert GibbsiteClassifier().fit(S, y).score(S, y) > 0.7


def test_sparse_rows_of_any_index_give_one_model():
    X, y = rows(200, 30, seed=3)
    X[np.abs(X) < 1.2] = 0.0
    models = []
    for width in (np.int32, np.int64):
        S = sparse.csr_matrix(X)
        S.indices, S.indptr = S.indices.astype(width), S.indptr.astype(width)
        models.append(GibbsiteClassifier().fit(S, y).predict_proba(S))
    models.append(GibbsiteClassifier().fit(sparse.csc_matrix(X), y).predict_proba(S))
    tangled = sparse.csr_matrix(X)
    tangled.indices[:2], tangled.data[:2] = tangled.indices[:2][::-1].copy(), \
        tangled.data[:2][::-1].copy()
    tangled.has_sorted_indices = False
    models.append(GibbsiteClassifier().fit(tangled, y).predict_proba(S))
    for other in models[1:]:
        assert np.array_equal(models[0], other)


def test_balanced_classes_are_those_of_the_rows_to_learn_from():
    """The labels of the rows that certify move nothing: `order` time keeps them at the end."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 2))
    y = np.where(X[:, 0] + rng.normal(size=150) > 0.8, 1, 0)
    other = y.copy()
    other[100:] = 1 - other[100:]
    new = rng.normal(size=(1000, 2))
    fits = [GibbsiteClassifier(class_weight="balanced", options={"order": "time"}).fit(X, labels)
            for labels in (y, other)]
    np.testing.assert_array_equal(fits[0].predict(new), fits[1].predict(new))
    plain = GibbsiteClassifier(options={"order": "time"}).fit(X, y)
    assert np.mean(fits[0].predict(new)) > np.mean(plain.predict(new))
    three = np.where(X[:, 1] > 1, 2, y)
    GibbsiteClassifier(class_weight="balanced").fit(X, three)
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "up", None)})
    GibbsiteClassifier(class_weight="balanced", missing="drop").fit(frame, y)


def test_class_weight_acts_as_cost(data):
    X, y = data
    cost = GibbsiteClassifier(cost=(5, 1)).fit(X, y)
    weight = GibbsiteClassifier(class_weight={"yes": 5, "no": 1}).fit(X, y)
    plain = GibbsiteClassifier().fit(X, y)
    assert np.array_equal(cost.predict(X), weight.predict(X))
    assert np.array_equal(cost.predict_proba(X), plain.predict_proba(X))
    assert (cost.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()
    assert "cost" in {c.target for c in cost.certificates_}
    GibbsiteClassifier(class_weight="balanced").fit(X, y)
    with pytest.raises(ValueError, match="class_weight"):
        GibbsiteClassifier(class_weight="balanced", cost=(1, 2)).fit(X, y)


def three(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.array([10, 9, 2])[np.argmax(X + 0.5 * rng.normal(size=(n, 3)), axis=1)]


def test_three_classes_are_told_apart():
    X, y = three()
    model = GibbsiteClassifier().fit(X, y)
    p = model.predict_proba(X)
    assert list(model.classes_) == [2, 9, 10] and p.shape == (300, 3)
    assert np.allclose(p.sum(axis=1), 1.0) and model.score(X, y) > 0.7
    assert np.array_equal(model.predict(X), model.classes_[np.argmax(p, axis=1)])
    assert np.array_equal(np.argmax(model.decision_function(X), axis=1), np.argmax(p, axis=1))
    assert model.certificate_.status == "valid" and model.certificate_.target == "vote"
    assert {c.target for c in model.certificates_} >= {"recall:2", "recall:9", "recall:10"}
    assert model.card_.learned + model.card_.tested == 300 and "at most" in model._repr_html_()
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), p)
    assert not hasattr(model, "coef_") and len(model.parts_) == 3


def test_a_cost_matrix_of_two_classes_is_a_pair(data):
    X, y = data
    pair = GibbsiteClassifier(cost=(5, 1)).fit(X, y)
    table = GibbsiteClassifier(cost=[[0, 1], [5, 0]]).fit(X, y)
    assert np.array_equal(pair.predict(X), table.predict(X))
    assert table.certificates_ == pair.certificates_
    for cost in ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], [1, 2, 3], 5.0, [[1, 1], [5, 0]]):
        with pytest.raises(ValueError, match="cost"):
            GibbsiteClassifier(cost=cost).fit(X, y)


def test_costs_follow_the_parameters_of_each_fit(data):
    pandas = pytest.importorskip("pandas")
    X, y = data
    frame = pandas.DataFrame(X).assign(job="cook")
    model = GibbsiteClassifier(cost=(9, 1)).fit(frame, y)
    first = GibbsiteClassifier(cost=(1, 9)).fit(frame, y)
    again = model.set_params(cost=(1, 9)).fit(frame, y)
    assert again.certificates_ == first.certificates_
    three = np.array(["a", "b", "c"])[np.arange(len(y)) % 3]
    model.set_params(cost=None).fit(frame, three)  # nothing is left of the two classes


def test_costs_of_three_classes():
    pandas = pytest.importorskip("pandas")
    X, y = three()
    plain = GibbsiteClassifier().fit(X, y)
    dear = GibbsiteClassifier(class_weight={9: 50, 2: 1, 10: 1}).fit(X, y)
    assert (dear.predict(X) == 9).sum() > (plain.predict(X) == 9).sum()
    assert "cost" in {c.target for c in dear.certificates_}
    cost = [[0, 1, 1], [50, 0, 50], [1, 1, 0]]
    same = GibbsiteClassifier(cost=cost).fit(X, y)
    assert np.array_equal(same.predict(X), dear.predict(X))
    frame = pandas.DataFrame(X, columns=list("abc")).assign(word="x")
    framed = GibbsiteClassifier(cost=cost).fit(frame, y)
    assert (framed.predict(frame) == 9).sum() > (plain.predict(X) == 9).sum()
    with pytest.raises(ValueError, match="matrix"):
        GibbsiteClassifier(cost=(1, 2)).fit(X, y)


def test_three_classes_of_a_frame_are_in_the_order_of_classes():
    pandas = pytest.importorskip("pandas")
    X, y = three()
    frame = pandas.DataFrame(X, columns=list("abc"))
    frame["word"] = np.where(X[:, 0] > 0, "up", "down")
    model = GibbsiteClassifier().fit(frame, y)
    p = model.predict_proba(frame)
    assert list(model.classes_) == [2, 9, 10]
    assert np.array_equal(model.predict(frame), model.classes_[np.argmax(p, axis=1)])
    assert model.score(frame, y) > 0.7


def test_rows_of_weight_zero_are_not_there(data):
    X, y = data
    rng = np.random.default_rng(1)
    junk = rng.normal(size=(50, 4))
    at = np.sort(rng.choice(300, 50))
    more, labels = np.insert(X, at, junk, axis=0), np.insert(y, at, "yes")
    weight = np.insert(np.ones(300), at, 0.0)
    expected = GibbsiteClassifier().fit(X, y)
    model = GibbsiteClassifier().fit(more, labels, sample_weight=weight)
    assert np.allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-9)
    assert model.card_.tested == expected.card_.tested


def test_weights_shape_the_model_and_the_certificate_says_so(data):
    X, y = data
    weight = np.where(y == "yes", 3.0, 1.0)
    model = GibbsiteClassifier(loss="hinge").fit(X, y, sample_weight=weight)
    plain = GibbsiteClassifier(loss="hinge").fit(X, y)
    assert model.predict_proba(X)[:, 1].mean() != plain.predict_proba(X)[:, 1].mean()
    assert model.certificate_.status == "valid"
    assert any("weight" in text for text in model.certificate_.assumptions)
    same = GibbsiteClassifier().fit(X, y, sample_weight=np.full(300, 2.0))
    assert np.array_equal(same.predict_proba(X), GibbsiteClassifier().fit(X, y).predict_proba(X))
    with pytest.raises(ValueError):
        GibbsiteClassifier().fit(X, y, sample_weight=-weight)


def test_a_weighted_risk_is_certified_with_a_largest_weight(data):
    X, y = data
    weight = np.where(X[:, 0] > 0.5, 4.0, 1.0)
    model = GibbsiteClassifier(loss="hinge", max_weight=4).fit(X, y, sample_weight=weight)
    line = next(c for c in model.certificates_ if c.target == "weighted")
    plain = GibbsiteClassifier(loss="hinge").fit(X, y, sample_weight=weight)
    assert [c for c in model.certificates_ if c.target != "weighted"] == plain.certificates_
    assert line.status == "valid" and line.empirical < line.value < 1.0
    assert any("by its weight" in text for text in line.assumptions)
    assert not any("counted once" in text for text in line.assumptions)
    assert model.certificate_.target == "vote"  # the first line stays what it was
    with pytest.raises(ValueError, match="weight 4, above `max_weight` 3"):
        GibbsiteClassifier(max_weight=3).fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="`max_weight` needs weights"):
        GibbsiteClassifier(max_weight=3).fit(X, y)
    alike = GibbsiteClassifier(max_weight=3).fit(X, y, sample_weight=np.full(300, 3.0))
    assert "weighted" in {c.target for c in alike.certificates_}


def test_rows_of_a_group_stay_together(data):
    X, y = data
    groups = np.repeat([f"p{k}" for k in range(60)], 5)
    model = GibbsiteClassifier().fit(X, y, groups=groups)
    assert model.certificate_.rows == 20  # groups: a third of 60
    assert any("group" in text for text in model.certificate_.assumptions)
    with pytest.raises(ValueError, match="groups"):
        GibbsiteClassifier().fit(X, y, groups=groups[1:])


def test_pickles_copies_and_clones(data):
    X, y = data
    model = GibbsiteClassifier(bound="progressive", n_jobs=2).fit(X, y)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(other.predict_proba(X), model.predict_proba(X))
        assert other.certificate_ == model.certificate_
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(X)
    assert pickle.loads(pickle.dumps(fresh)).bound == "progressive"


def test_threads_change_no_bit(data):
    X, y = data
    one, two = (GibbsiteClassifier(n_jobs=n).fit(X, y) for n in (1, -1))
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))


def test_errors_name_parameters(data):
    X, y = data
    with pytest.raises(ValueError, match="prior_sd") as told:
        GibbsiteClassifier(prior_sd=-1).fit(X, y)
    assert told.value.code == "argument" and "--" not in str(told.value)
    with pytest.raises(ValueError, match="loss"):
        GibbsiteClassifier(loss="rounded").fit(X, y)
    with pytest.raises(ValueError, match="no option"):
        GibbsiteClassifier(options={"sock": 1}).fit(X, y)
    with pytest.raises(ValueError, match="class"):
        GibbsiteClassifier().fit(X, np.zeros(300))
    with pytest.raises(OSError):
        GibbsiteClassifier().fit(X, y).save("/nowhere/at/all.json")
    assert issubclass(gibbsite.NumericError, ArithmeticError)


def test_a_solver_that_does_not_converge_warns(data):
    X, y = data
    with pytest.warns(ConvergenceWarning):
        model = GibbsiteClassifier(loss="hinge", solver="lbfgs", prior="zero", lam=1e4,
                                   max_iter=1).fit(X, y)
    assert not model.converged_


def test_few_rows_warn_and_fit():
    X, y = rows(4)
    y[:3], y[3:] = "no", "yes"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = GibbsiteClassifier().fit(X, y)
    assert any("too few" in str(w.message) for w in told)
    assert model.card_ is None and model.certificate_.status == "conditional"
    assert np.isfinite(model.decision_function(X)).all()


def test_warnings_name_the_line_of_the_caller(data):
    X, y = data
    short = GibbsiteClassifier(loss="hinge", solver="lbfgs", prior="zero", lam=1e4, max_iter=1)
    pipe = CertifiedPipeline([("fit", short)])
    for call in (lambda: short.fit(X, y), lambda: pipe.fit(X, y),
                 lambda: cross_val_score(short, X, y, cv=2),
                 lambda: GibbsiteClassifier().fit(X[:4], np.array(list("aaab")))):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            call()
        assert told and all(w.filename == __file__ for w in told)


def test_weights_of_classes_that_are_none_are_named(data):
    X, y = data
    for weight, words in ((0, "'yes' is 0"), (-2, "'yes' is -2"), (np.nan, "'yes' is nan")):
        with pytest.raises(ValueError, match=f"class_weight must be positive.*{words}") as told:
            GibbsiteClassifier(class_weight={"yes": weight}).fit(X, y)
        assert told.value.code == "argument"


def test_what_is_not_fitted_has_no_coefficients():
    for name in ("coef_", "intercept_"):
        assert not hasattr(GibbsiteClassifier(), name)
        with pytest.raises(NotFittedError):
            getattr(GibbsiteClassifier(), name)


def test_options_of_the_library_are_taken(data):
    X, y = data
    model = GibbsiteClassifier(options={"prior-split": 0.5}).fit(X, y)
    assert model.card_.learned == 150


def test_the_device_of_a_fit_is_an_option(data):
    X, y = data
    plain, named = (GibbsiteClassifier(options=o).fit(X, y) for o in (None, {"device": "cpu"}))
    assert np.array_equal(plain.predict_proba(X), named.predict_proba(X))
    with pytest.raises(ValueError, match="device"):
        GibbsiteClassifier(options={"device": "abacus"}).fit(X, y)
    try:
        GibbsiteClassifier(options={"device": "cuda"}).fit(X, y)
    except ValueError as told:  # no GPU here
        assert "cuda: " in str(told)


def test_features_of_a_kernel_bend_the_border():
    X, y, _ = gibbsite.simulate(rows=600, cols=2, noise=0.05, shape="xor")
    straight = GibbsiteClassifier().fit(X, y)
    bent = GibbsiteClassifier(features="nystrom:40").fit(X, y)
    assert bent.score(X, y) > straight.score(X, y) + 0.2
    assert bent.certificate_.status == "valid" and bent.certificate_.value < 0.25
    assert not hasattr(bent, "coef_") and hasattr(straight, "coef_")
    again = pickle.loads(pickle.dumps(bent))
    assert np.array_equal(again.predict_proba(X), bent.predict_proba(X))


def test_html_shows_certificate_and_card(data):
    X, y = data
    model = GibbsiteClassifier(random_state=3)
    assert "GibbsiteClassifier" in model._repr_html_()
    page = model.fit(X, y)._repr_html_()
    assert "at most" in page and "valid" in page and "Brier" in page and "<script" not in page
    y = np.where(y == "yes", "<b>", "no")
    assert "<b>: wrong" not in GibbsiteClassifier().fit(X, y)._repr_html_()
