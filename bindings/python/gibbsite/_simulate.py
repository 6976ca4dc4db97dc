"""Data of known truth: the numbers of `gibbsite simulate`, whose streams these are."""
from numbers import Integral

import numpy as np

from . import _native, _settings
from ._errors import argument
from ._model import told

# Cells that are drawn at most until one is kept.
MOST_DRAWN = 64


def _random(seed, stream, first, count, normal, step=1):
    out = np.empty(count)
    _native.random_numbers(seed, stream, first, step, normal, out)
    return out


def simulate(kind="classify", rows=None, cols=None, noise=None, signal=None, shape="linear",
             skip=0, random_state=1, rank=None, density=None, skew=0.0, biases=True,
             positions="random", range=None):
    """Data of known truth, that of `gibbsite simulate`: (X, y, truth), of ratings (row, column,
    value, truth). What is None is as in the program.

    "classify": x ~ N(0, I), labels sign(x'theta) with |theta| = 1, each flipped with probability
    `noise`, which is the Bayes risk exactly; `shape` xor, rings or waves: the sign of a function
    that no line divides. "rank": labels of equal chances, x ~ N(y delta theta, I), so that the best
    score has an AUC of 1 - `noise` exactly. `skip` leaves out the first rows that the seed would
    give: fresh rows of the same truth.

    "ratings": cells of a matrix of `rank`, with a mean and biases, plus noise of that standard
    deviation: no prediction has a smaller RMSE. A share `density` of as many cells is drawn, all
    alike, or rows and columns by log-normal frequencies of `skew`; `positions="informed"`: by
    taste too. `range=(low, high)` clips the values."""
    if kind not in ("classify", "rank", "ratings"):
        raise argument(f"kind: expected classify, rank or ratings, found {kind!r}")
    seed, usual, ratings = _settings.seed_of(random_state), _native.simulated(), kind == "ratings"
    rows = usual["rows"] if rows is None else rows
    cols = usual["rated" if ratings else "cols"] if cols is None else cols
    noise = usual["noise" if ratings else "flips"] if noise is None else noise
    rank = usual["rank"] if rank is None else rank
    density = usual["density"] if density is None else density
    for name, count, least in (("skip", skip, 0), ("rows", rows, 1), ("cols", cols, 1),
                               ("rank", rank, 1)):
        if not (isinstance(count, Integral) and count >= least):
            raise argument(f"{name} must be a whole number from {least}, not {count!r}")
    if range is not None and not _settings.is_range(range):
        raise argument(f"range must be two numbers, the first below the second, not {range!r}")
    if ratings:
        return _ratings(seed, rows, cols, noise, skip, rank, density, skew, biases, positions,
                        range)
    if not 0 <= noise < 0.5 or (kind == "rank" and noise == 0):
        raise argument(f"noise must be from 0 to below 0.5, in ranking above 0, not {noise}")
    if shape not in ("linear", "xor", "rings", "waves") or (kind == "rank" and shape != "linear"):
        raise argument("shape: expected linear, xor, rings or waves, of classify; found "
                       f"{shape!r}")
    signal = (2 if shape in ("xor", "rings") else cols) if signal is None else signal
    if not 0 < signal <= cols:
        raise argument(f"signal must be from 1 to cols, not {signal}")
    return _rows(seed, kind, rows, cols, noise, signal, shape, skip)


# ---------------------------------------------------------------- rows

def _value(shape, X, theta):
    """The function of the columns that carry the signal whose sign is the label."""
    if shape == "xor":
        return (X[:, ::2] @ theta[::2]) * (X[:, 1::2] @ theta[1::2])
    if shape == "rings":
        from scipy.stats import chi2
        return np.where(np.floor(4.0 * chi2.cdf(np.sum(X**2, axis=1), X.shape[1])) % 2 == 1, 1, -1)
    if shape == "waves":
        return (np.cos(2.0 * X) - np.exp(-2.0)) @ theta
    return X @ theta


def _rows(seed, kind, rows, cols, noise, signal, shape, skip):
    theta = np.zeros(cols)
    theta[:signal] = _random(seed, 1, 0, signal, True)
    theta /= np.sqrt(np.sum(theta**2))
    X = _random(seed, 2, skip * cols, rows * cols, True).reshape(rows, cols)
    u = _random(seed, 4, skip, rows, False)
    if kind == "rank":
        from scipy.stats import norm
        side = np.where(u < 0.5, 1, -1)
        delta = -norm.ppf(noise) * np.sqrt(0.5)
        return X + side[:, None] * delta * theta, side, told({"theta": theta.tolist(),
                                                              "best_auc": 1.0 - noise})
    value = _value(shape, X[:, :signal], theta[:signal])
    y = np.where((value >= 0) != (u < noise), 1, -1)
    return X, y, told({"theta": theta.tolist(), "bayes_risk": noise, "shape": shape})


# ---------------------------------------------------------------- ratings

class _Cells:
    """Which cells are rated: by frequencies of rows and columns, and by taste."""

    def __init__(self, seed, items, skew):
        self.seed, self.items, self.cumulated = seed, items, [None, None]
        for side in (0, 1):
            if skew > 0:
                popular = np.exp(skew * _random(seed, 20 + side, 0, items[side], True))
                self.cumulated[side] = np.cumsum(popular)

    def draw(self, side, first, count, step):
        u = _random(self.seed, 22 + side, first, count, False, step)
        shares = self.cumulated[side]
        if shares is None:
            return (u * self.items[side]).astype(np.int64)
        at = np.searchsorted(shares, u * shares[-1], side="left")
        return np.minimum(at, self.items[side] - 1)

    def random(self, first, count):
        return self.draw(0, first, count, 1), self.draw(1, first, count, 1)

    def informed(self, first, count, factors):
        """A cell is kept with probability 1 / (1 + exp(-2 u'v)), else another one is drawn."""
        row, column = np.empty((2, count), dtype=np.int64)
        open_ = np.ones(count, dtype=bool)
        for k in np.arange(MOST_DRAWN):
            at = int(first * MOST_DRAWN + k)
            i, j = (self.draw(side, at, count, MOST_DRAWN) for side in (0, 1))
            row[open_], column[open_] = i[open_], j[open_]
            taste = np.sum(factors[0][i] * factors[1][j], axis=1)
            kept = _random(self.seed, 26, at, count, False, MOST_DRAWN) \
                < 1.0 / (1.0 + np.exp(-2.0 * taste))
            open_ &= ~kept
            if not open_.any():
                break
        return row, column


def _ratings(seed, rows, cols, noise, skip, rank, density, skew, biases, positions, limits):
    if positions not in ("random", "informed"):
        raise argument(f"positions: expected random or informed, found {positions!r}")
    n = int(np.floor(density * rows * cols + 0.5))
    if rank < 1 or noise < 0 or skew < 0 or not 1 <= n <= 10**9:
        raise argument("rank must be positive, noise and skew not negative, and density such "
                       "that there are 1 to 1e9 ratings")
    factors = [rank**-0.25 * _random(seed, 16 + side, 0, m * rank, True).reshape(m, rank)
               for side, m in ((0, rows), (1, cols))]
    bias = [0.5 * _random(seed, 18 + side, 0, m, True) if biases else np.zeros(m)
            for side, m in ((0, rows), (1, cols))]
    cells = _Cells(seed, (rows, cols), skew)
    i, j = cells.informed(skip, n, factors) if positions == "informed" else cells.random(skip, n)
    value = (3.0 if biases else 0.0) + bias[0][i] + bias[1][j]
    for k in np.arange(rank):
        value += factors[0][i, k] * factors[1][j, k]
    value += noise * _random(seed, 24, skip, n, True)
    if limits is not None:
        value = np.clip(value, *limits)
    return i + 1, j + 1, value, told({"rank": rank, "noise": noise, "noise_variance": noise**2,
                                      "biases": biases, "positions": positions})
