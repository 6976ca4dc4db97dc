"""Tests of the package; results in TAP too, for tests/run."""
import numpy as np
import pytest


def pytest_terminal_summary(terminalreporter):
    seen = []
    for outcome, line in (("passed", "ok"), ("skipped", "ok"), ("failed", "not ok"),
                          ("error", "not ok")):
        for report in terminalreporter.stats.get(outcome, ()):
            if getattr(report, "when", "call") == "call" or outcome in ("skipped", "error"):
                why = f" # SKIP {report.longrepr[-1]}" if outcome == "skipped" else ""
                seen.append(f"{line} {len(seen) + 1} - {report.nodeid.rsplit('/', 1)[-1]}{why}")
    terminalreporter.write_line("\n".join([*seen, f"1..{len(seen)}"]))


def rows(n=300, d=4, seed=0, noise=1.0):
    """Numbers and labels of a noisy linear rule."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X @ np.linspace(1.0, -1.0, d) + noise * rng.normal(size=n) > 0
    return X, np.where(y, "yes", "no")


@pytest.fixture
def data():
    return rows()
