"""Files and numbers are the command line's: to the bit."""
import csv
import json
import os
import re
import subprocess

import numpy as np
import pytest
from conftest import rows

import gibbsite
from gibbsite import (CertifiedPipeline, GibbsiteClassifier, GibbsiteRanker, GibbsSampler,
                      MatrixCompletion, simulate)

ROOT = os.environ.get("GIBBSITE_ROOT", ".")
PROGRAM = next((path for path in (os.path.join(ROOT, "build/gibbsite"),
                                  os.path.join(ROOT, "build/release/gibbsite"))
                if os.path.exists(path)), None)
needs_program = pytest.mark.skipif(PROGRAM is None, reason="there is no program gibbsite")


def run(*arguments, folder):
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(path, names, columns):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(zip(*columns))


def predictions(text):
    return list(csv.DictReader(text.splitlines()))


@needs_program
@pytest.mark.parametrize("how", [{}, {"loss": "zero-one"}, {"bound": "progressive"},
                                 {"prior": "zero"}, {"family": "diagonal", "loss": "hinge"}])
def test_one_model_whoever_fits_it(how, tmp_path):
    X, y = rows(200, 3)
    write(tmp_path / "t.csv", ["a", "b", "c", "y"], [*map(list, X.T), y])
    given = [word for key, value in how.items() for word in (f"--{key}", value)]
    told = json.loads(run("fit", "t.csv", "-o", "m.json", "--json", *given, folder=tmp_path))
    model = GibbsiteClassifier(**how).fit(X, y)
    assert model.certificate_.value == told["certificate"]["value"]
    assert model.info_["free_energy"] == told["free_energy"]
    out = predictions(run("predict", "m.json", "t.csv", folder=tmp_path))
    assert [row["label"] for row in out] == list(model.predict(X))
    assert [float(row["prob"]) for row in out] == list(model.predict_proba(X)[:, 1])
    loaded = gibbsite.load(tmp_path / "m.json")
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert list(loaded.classes_) == ["no", "yes"] and loaded.certificate_ == model.certificate_
    model.save(tmp_path / "p.json")
    renamed = [name.replace("a,b,c", "V1,V2,V3") for name in
               (tmp_path / "t.csv").read_text().splitlines(keepends=True)]
    (tmp_path / "v.csv").write_text("".join(renamed))
    assert predictions(run("predict", "p.json", "v.csv", folder=tmp_path)) == out


@needs_program
def test_a_model_of_python_opens_on_the_command_line(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = rows(200, 3)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    frame["job"] = np.where(np.arange(200) % 3 == 0, "clerk", "coök, \"x\"")
    frame["y"] = np.where(y == "yes", 1, 0)
    frame.to_csv(tmp_path / "t.csv", index=False)
    X, y = frame.drop(columns="y"), frame["y"].to_numpy()
    model = GibbsiteClassifier().fit(X, y)
    model.save(tmp_path / "m.json")
    out = predictions(run("predict", "m.json", "t.csv", folder=tmp_path))
    assert [int(row["label"]) for row in out] == list(model.predict(X))
    assert [float(row["prob"]) for row in out] == list(model.predict_proba(X)[:, 1])
    told = json.loads(run("inspect", "m.json", "--json", folder=tmp_path))
    assert told["certificate"] == model.certificate_
    run("fit", "t.csv", "-o", "c.json", folder=tmp_path)
    loaded = gibbsite.load(tmp_path / "c.json")
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert list(loaded.classes_) == [0, 1]


@needs_program
def test_three_classes_are_those_of_the_program(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    y = np.array(["ä", "b", "c c"])[np.argmax(X + 0.4 * rng.normal(size=(240, 3)), axis=1)]
    write(tmp_path / "t.csv", ["V1", "V2", "V3", "y"], [*map(list, X.T), y])
    run("fit", "t.csv", "-o", "m.json", folder=tmp_path)
    model = GibbsiteClassifier().fit(X, y)
    model.save(tmp_path / "p.json")
    loaded = gibbsite.load(tmp_path / "m.json")
    assert list(loaded.classes_) == list(model.classes_)
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    for name in ("m.json", "p.json"):
        out = predictions(run("predict", name, "t.csv", folder=tmp_path))
        assert [row["label"] for row in out] == list(model.predict(X))
        for k, label in enumerate(model.classes_):
            assert [float(row[f"prob:{label}"]) for row in out] == \
                list(model.predict_proba(X)[:, k])


@needs_program
def test_rankers_samples_and_sparse_models_open_too(tmp_path):
    import scipy.sparse as sparse
    X, y = rows(120, 3)
    write(tmp_path / "t.csv", ["a", "b", "c", "y"], [*map(list, X.T), y])
    ranker = GibbsiteRanker().fit(X, y)
    run("fit", "t.csv", "--task", "rank", "-o", "r.json", folder=tmp_path)
    assert np.array_equal(gibbsite.load(tmp_path / "r.json").predict(X), ranker.predict(X))
    sampler = GibbsSampler(particles=32).fit(X, y)
    sampler.save(tmp_path / "s.json")
    named = (tmp_path / "t.csv").read_text().replace("a,b,c", "V1,V2,V3")
    (tmp_path / "v.csv").write_text(named)
    out = predictions(run("predict", "s.json", "v.csv", folder=tmp_path))
    assert [float(row["prob"]) for row in out] == list(sampler.predict_proba(X)[:, 1])
    loaded = gibbsite.load(tmp_path / "s.json")
    assert np.array_equal(loaded.predict_proba(X), sampler.predict_proba(X))
    assert list(loaded.classes_) == ["no", "yes"] and loaded.n_features_in_ == 3
    assert list(loaded.predict(X)) == list(sampler.predict(X))
    S = sparse.csr_matrix(np.where(np.abs(X) < 1, 0.0, X))
    model = GibbsiteClassifier().fit(S, np.where(y == "yes", 1, -1))
    model.save(tmp_path / "z.json")
    with open(tmp_path / "z.svm", "w", encoding="utf-8") as file:
        for i in range(120):
            cells = " ".join(f"{k + 1}:{v!r}" for k, v in zip(S[i].indices, S[i].data.tolist()))
            file.write(f"{1 if y[i] == 'yes' else -1} {cells}\n")
    out = predictions(run("predict", "z.json", "z.svm", folder=tmp_path))
    assert [float(row["prob"]) for row in out] == list(model.predict_proba(S)[:, 1])


def test_a_sample_of_a_file_finds_columns_by_their_names(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = rows(120, 3)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    sampler = GibbsSampler(particles=32).fit(frame, y)
    sampler.save(tmp_path / "s.json")
    loaded, p = gibbsite.load(tmp_path / "s.json"), sampler.predict_proba(frame)
    for other in (frame, frame[["c", "a", "b"]], frame.assign(d=1.0)[["d", "b", "c", "a"]], X):
        assert np.array_equal(loaded.predict_proba(other), p)
    with pytest.raises(ValueError, match="no column 'b'"):
        loaded.predict(frame.drop(columns="b"))
    loaded.fit(frame[["b", "a"]], y)  # names and their order are now those of this fit
    assert list(loaded.feature_names_in_) == ["b", "a"]
    with pytest.raises(ValueError, match="(?i)feature names"):
        loaded.predict(frame[["a", "b"]])


@needs_program
def test_a_sample_of_texts_can_be_fitted_to_numbers(tmp_path):
    X, y = rows(60, 2)
    write(tmp_path / "t.csv", ["a", "b", "y"], [list(X[:, 0]), list("uvw" * 20), y])
    run("sample", "t.csv", "--particles", 32, "-o", "s.json", folder=tmp_path)
    loaded = gibbsite.load(tmp_path / "s.json")
    with pytest.raises(ValueError, match="texts"):
        loaded.predict(X)
    assert np.array_equal(loaded.set_params(particles=32).fit(X, y).predict(X),
                          GibbsSampler(particles=32).fit(X, y).predict(X))


@needs_program
@pytest.mark.parametrize("kind,shape", [("classify", "linear"), ("classify", "xor"),
                                        ("classify", "rings"), ("classify", "waves"),
                                        ("rank", "linear")])
def test_simulated_rows_are_the_programs(kind, shape, tmp_path):
    more = [] if kind == "rank" else ["--shape", shape]
    run("simulate", kind, "--rows", 200, "--cols", 4, "--seed", 7, "-o", "s.npy", *more,
        folder=tmp_path)
    table = np.load(tmp_path / "s.npy")
    X, y, _ = simulate(kind, rows=200, cols=4, shape=shape, random_state=7)
    assert np.allclose(X, table[:, :4], rtol=1e-12, atol=1e-12)
    assert np.array_equal(y, table[:, 4])


@needs_program
@pytest.mark.parametrize("more", [{}, {"skew": 1.0, "biases": False},
                                  {"positions": "informed", "skip": 5, "range": (1, 5)}])
def test_simulated_ratings_are_the_programs(more, tmp_path):
    asked = {"rows": 40, "cols": 30, "rank": 2, "density": 0.2}
    words = {**asked, **more}
    given = [word for key, value in words.items() if key != "biases" for word in
             (f"--{key}", ":".join(map(str, value)) if isinstance(value, tuple) else value)]
    given += ["--no-biases"] if "biases" in words else []
    run("simulate", "ratings", "--seed", 7, "-o", "r.csv", *given, folder=tmp_path)
    table = np.loadtxt(tmp_path / "r.csv", delimiter=",", skiprows=1)
    row, column, value, _ = simulate("ratings", random_state=7, **words)
    assert np.array_equal(row, table[:, 0]) and np.array_equal(column, table[:, 1])
    assert np.allclose(value, table[:, 2], rtol=1e-12, atol=1e-12)


def test_a_report_is_a_page(tmp_path):
    X, y = rows(150, 3)
    model = GibbsiteClassifier().fit(X, y)
    gibbsite.report(model, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!") and f"{model.certificate_.value:.4f}"[:5] in page
    assert "Fit of data in memory" in page and "from Python" in page
    assert "</html>" in page and " --" not in page[page.index("<body"):page.index("<script")]
    with pytest.raises(OSError):
        gibbsite.report(model, "/nowhere/page.html")
    row, column, value, _ = simulate("ratings", rows=30, cols=20, density=0.3, rank=2)
    others = {"sample": GibbsSampler(particles=32).fit(X, y),
              "completion": MatrixCompletion(rank=2, range=(-9, 15)).fit(row, column, value),
              "pipeline": CertifiedPipeline().fit(X, y)}
    for name, other in others.items():
        gibbsite.report(other, tmp_path / f"{name}.html")
        assert (tmp_path / f"{name}.html").read_text(encoding="utf-8").startswith("<!")
    bound = f"{others['completion'].certificate_.rmse:.4f}"
    assert bound[:5] in (tmp_path / "completion.html").read_text(encoding="utf-8")


@needs_program
def test_a_page_of_the_program_is_ours_but_for_how_options_are_written(tmp_path):
    X, y = rows(150, 3)
    run_ = gibbsite.functions._run_of(GibbsiteClassifier().fit(X, y))
    (tmp_path / "Python").write_text(json.dumps(run_), encoding="utf-8")
    run("report", "Python", "-o", "page.html", folder=tmp_path)
    theirs = (tmp_path / "page.html").read_text(encoding="utf-8")
    ours = gibbsite._native.report("Python", json.dumps(run_))
    body = ours.index("<body"), ours.index("<script")
    spelled = re.sub("`([a-z-]+)`", r"--\1", ours[body[0]:body[1]])
    spelled = spelled.replace("<p>What was asked for:</p><pre><code>",
                              "<p>The command, but for where its results went:</p>"
                              "<pre><code>gibbsite ").replace(", seed ", " --seed ")
    assert theirs[:body[0]] == ours[:body[0]]
    assert theirs[theirs.index("<body"):theirs.index("<script")] == spelled


def test_files_that_are_no_models_are_refused(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(ValueError) as told:
        gibbsite.load(tmp_path / "x.json")
    assert told.value.code == "format"
    with pytest.raises(FileNotFoundError, match="nothing.json") as told:
        gibbsite.load(tmp_path / "nothing.json")
    assert told.value.code == "io"
