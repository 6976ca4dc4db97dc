"""How soon each estimator hears Ctrl-C: milliseconds from the signal to KeyboardInterrupt.

    build/python/venv/bin/python3 bench/interrupt.py [TRIES [JOB...]]

Each try starts a Python of its own, begins one long job, sends SIGINT after a delay that differs
from try to try, and reads when the exception was caught. Prints the median and the largest.
"""
import signal
import statistics
import subprocess
import sys
import time

ROWS = """
rng = np.random.default_rng(0)
X = rng.normal(size=({n}, {d}))
s = X @ rng.normal(size={d}) + 3 * rng.normal(size={n})
y = (s > 0).astype(int)
"""
MANY = "y = np.digitize(s, np.quantile(s, [.3, .6]))\n"
RATINGS = """
rng = np.random.default_rng(0)
n = 1_000_000
i, j = rng.integers(0, 20000, n), rng.integers(0, 5000, n)
v = rng.normal(size=20000)[i] + rng.normal(size=5000)[j] + rng.normal(size=n)
"""
JOBS = {
    "fit": (ROWS.format(n=60000, d=60), "g.GibbsiteClassifier().fit(X, y)"),
    "fit, zero-one": (ROWS.format(n=60000, d=60),
                      "g.GibbsiteClassifier(loss='zero-one').fit(X, y)"),
    "fit, fourier": (ROWS.format(n=20000, d=20),
                     "g.GibbsiteClassifier(features='fourier').fit(X, y)"),
    "three classes": (ROWS.format(n=60000, d=40) + MANY, "g.GibbsiteClassifier().fit(X, y)"),
    "rank": (ROWS.format(n=60000, d=40), "g.GibbsiteRanker().fit(X, y)"),
    "sampler": (ROWS.format(n=20000, d=20), "g.GibbsSampler().fit(X, y)"),
    "cv": (ROWS.format(n=20000, d=20), "g.GibbsiteClassifierCV().fit(X, y)"),
    "pipeline": (ROWS.format(n=60000, d=40) +
                 "from sklearn.preprocessing import StandardScaler\n"
                 "from sklearn.pipeline import make_pipeline\n",
                 "g.CertifiedPipeline([('scale', StandardScaler()),"
                 " ('fit', g.GibbsiteClassifier())]).fit(X, y)"),
    "completion": (RATINGS, "g.MatrixCompletion().fit(i, j, v)"),
    "predict": (ROWS.format(n=1_200_000, d=40) +
                "model = g.GibbsiteClassifier().fit(X[:2000], y[:2000])\n", "model.predict(X)"),
    "predict, fourier": (ROWS.format(n=600_000, d=20) +
                         "model = g.GibbsiteClassifier(features='fourier:500')"
                         ".fit(X[:2000], y[:2000])\n", "model.predict(X)"),
}
PROGRAM = """
import time
import numpy as np
import gibbsite as g
{before}
print("begin", flush=True)
try:
    while True:
        {work}
except KeyboardInterrupt:
    print("stopped", time.monotonic(), flush=True)
"""


def heard(before, work, delay):
    """Milliseconds until the exception; a shell may have told what it starts in the background to
    ignore the signal."""
    child = subprocess.Popen([sys.executable, "-c", PROGRAM.format(before=before, work=work)],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    line = child.stdout.readline()
    if line != "begin\n":
        raise SystemExit(child.stderr.read())
    time.sleep(delay)
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    answer = child.stdout.readline().split()
    errors = child.stderr.read()
    child.wait()
    if not answer:
        raise SystemExit(f"no KeyboardInterrupt: {errors}")
    return 1000 * (float(answer[1]) - sent)


def main():
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    names = sys.argv[2:] or list(JOBS)
    print(f"{'job':18} {'median ms':>10} {'largest ms':>11}")
    for name in names:
        took = [heard(*JOBS[name], 0.2 + 0.37 * k) for k in range(tries)]
        print(f"{name:18} {statistics.median(took):10.0f} {max(took):11.0f}", flush=True)


if __name__ == "__main__":
    main()
