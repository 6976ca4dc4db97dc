"""The package inside a process: signals, threads, forks, memory."""
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import rows
from joblib import Parallel, delayed

from gibbsite import GibbsiteClassifier

SLOW = """
import signal, sys, time
import numpy as np
from gibbsite import GibbsiteClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(60000, 60))
y = (X @ rng.normal(size=60) + 3 * rng.normal(size=60000) > 0).astype(int)
print("begin", flush=True)
start = time.monotonic()
try:
    for _ in range(100):
        GibbsiteClassifier(loss="zero-one", {jobs}).fit(X, y)
except KeyboardInterrupt:
    print("stopped", time.monotonic(), flush=True)
"""


@pytest.mark.parametrize("jobs", ["n_jobs=1", "n_jobs=2"])
def test_an_interrupt_is_heard_soon(jobs):
    child = subprocess.Popen([sys.executable, "-c", SLOW.replace("{jobs}", jobs)],
                             stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begin\n"
    time.sleep(0.4)
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    answer = child.stdout.readline().split()
    child.wait()
    assert answer and answer[0] == "stopped", "no KeyboardInterrupt"
    # a tenth of a second, on a machine that has other things to do
    assert float(answer[1]) - sent < 5.0


def test_other_threads_run_while_it_computes():
    X, y = rows(20000, 30)
    ticks, running = [0], [True]

    def count():
        while running[0]:
            ticks[0] += 1
            time.sleep(0.001)
    counter = threading.Thread(target=count)
    counter.start()
    before = ticks[0]
    GibbsiteClassifier(loss="zero-one").fit(X, y)
    during = ticks[0] - before
    running[0] = False
    counter.join()
    assert during > 5


def probabilities(seed):
    X, y = rows(150, 3, seed=seed)
    return GibbsiteClassifier(n_jobs=2).fit(X, y).predict_proba(X)


def test_models_are_fitted_in_many_threads_at_once():
    expected = [probabilities(seed) for seed in range(8)]
    found = [None] * 8

    def work(k):
        found[k] = probabilities(k)
    team = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in team:
        thread.start()
    for thread in team:
        thread.join()
    for one, other in zip(expected, found):
        assert np.array_equal(one, other)


def test_one_model_is_read_by_many_threads_at_once(data):
    X, y = data
    model = GibbsiteClassifier(bound="progressive").fit(X, y)
    expected = model.predict_proba(X)
    same = []

    def work():
        for _ in range(20):
            same.append(np.array_equal(model.predict_proba(X), expected))
    team = [threading.Thread(target=work) for _ in range(4)]
    for thread in team:
        thread.start()
    for thread in team:
        thread.join()
    assert len(same) == 80 and all(same)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_fit_after_their_parent_did(method):
    expected = [probabilities(seed) for seed in range(2)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        for one, other in zip(expected, pool.map(probabilities, range(2))):
            assert np.array_equal(one, other)


def test_loky_carries_models():
    X, y = rows()
    model = GibbsiteClassifier().fit(X, y)
    found = Parallel(n_jobs=2, backend="loky")(delayed(model.predict_proba)(X) for _ in range(2))
    for other in found:
        assert np.array_equal(other, model.predict_proba(X))


def test_models_may_be_freed_in_any_order():
    rng = np.random.default_rng(0)
    X, y = rows(60, 2)
    held = [GibbsiteClassifier(random_state=k).fit(X, y) for k in range(20)]
    expected = held[0].predict_proba(X)
    for k in rng.permutation(20):
        held[k] = None
    del held
    assert np.array_equal(GibbsiteClassifier(random_state=0).fit(X, y).predict_proba(X), expected)


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_nothing_leaks_over_hundreds_of_fits():
    X, y = rows(60, 3)
    def round_trip():
        model = pickle.loads(pickle.dumps(GibbsiteClassifier(loss="hinge").fit(X, y)))
        model.predict_proba(X)
        with pytest.raises(ValueError):
            GibbsiteClassifier(prior_sd=-1).fit(X, y)
    for _ in range(100):
        round_trip()
    before = resident()
    for _ in range(300):
        round_trip()
    # a leak of the smallest thing that is made, the rows (1.4 KB), would be 430 KB; without one
    # the last thousand of fits move by some pages
    assert resident() - before < 300_000


def test_an_exception_of_a_progress_bar_comes_through(data):
    from gibbsite import _native, _rows

    def told(stage, done):
        raise ZeroDivisionError
    X, y = data
    handle = _rows.data_of(X, _rows.signs(y, "yes"))
    with pytest.raises(ZeroDivisionError):
        _native.fit(handle, None, {}, 1, 1, told)


def test_progress_is_shown(data, capsys):
    pytest.importorskip("tqdm")
    X, y = data
    GibbsiteClassifier(verbose=True).fit(X, y)
    assert "%" in capsys.readouterr().err


def test_arrays_are_borrowed_not_copied():
    """The peak of a fit over the peak of the library's own work: no copy of the rows beside it."""
    code = """
import resource, sys
import numpy as np
from gibbsite import _native, _rows
X = np.ones((400000, 40), dtype=sys.argv[1], order=sys.argv[2])
X[:, 0] = np.arange(400000)
y = np.where(np.arange(400000) % 2, 1., -1.)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
data = _rows.data_of(X, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    for kind in (("f8", "C"), ("f8", "F"), ("f4", "C")):
        done = subprocess.run([sys.executable, "-c", code, *kind], capture_output=True, text=True,
                              check=True)
        assert int(done.stdout) * 1024 < 0.1 * 400000 * 40 * 4, kind
