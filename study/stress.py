#!/usr/bin/env python3
"""Ratings of many shapes: `complete` at ranks 16 and 32 beside `--model paper`, which needs no
rank.

    study/stress.py [--program build/gibbsite] [--data ../shared/data] [--seed 11] [--only WORDS]

Parts of the public film ratings (some rows, frequent columns, thinned, whole stars) and simulated
stars and jokes (worlds.py) of other sizes, fillings and scales, and tables of 20 x 10. A tenth is
kept to test on; of the smallest a third, and forty tables make one line. Marked: rank 32 worse than
16 by more than a tenth of a per cent where there are 20,000 ratings or more, and either worse than
the paper's model by more than half a per cent. One thread, a quarter of an hour.
"""
import argparse
import csv
import gzip
import os
import tempfile

import numpy as np

import worlds

MANY, WORSE_THAN_16, WORSE_THAN_PAPER = 20000, 0.1, 0.5
TINY = "jokes, 20 x 10"


def films(data):
    path = os.path.join(data, "mllatest", "ratings.csv")
    with (gzip.open(path + ".gz", "rt") if os.path.exists(path + ".gz") else open(path)) as file:
        lines = list(csv.reader(file))[1:]
    rows, i = np.unique([line[0] for line in lines], return_inverse=True)
    columns, j = np.unique([line[1] for line in lines], return_inverse=True)
    return i, j, np.array([float(line[2]) for line in lines])


def take(ratings, which):
    return tuple(part[which] for part in ratings)


def frequent(ratings, rows=1, columns=1):
    i, j, _ = ratings
    return take(ratings, (np.bincount(i)[i] >= rows) & (np.bincount(j)[j] >= columns))


def filled(rng, rows, columns, share):
    """Jokes of which about this share of the cells is rated, at random."""
    i, j, y = worlds.jokes(rng, rows, columns, 1.0)
    return take((i, j, y), rng.random(len(i)) < share)


def fine_stars(rng, rows, columns, n):
    i, j, y = worlds.stars(rng, rows, columns, n, 0.35)
    return i, j, y + rng.uniform(-0.5, 0.5, len(y))


def scaled(ratings, low, high, to):
    i, j, y = ratings
    return i, j, to(np.clip((y - low) / (high - low), 0.0, 1.0))


def sets(data):
    public = films(data) if os.path.isdir(os.path.join(data, "mllatest")) else None
    if public is not None:
        i, j, y = public
        yield "films", lambda rng: public
        yield "films, half of the people", lambda rng: take(
            public, (rng.random(i.max() + 1) < 0.5)[i])
        yield "films, people with 150 or more", lambda rng: frequent(public, rows=150)
        yield "films, those with 50 or more", lambda rng: frequent(public, columns=50)
        yield "films, those with 5 or less", lambda rng: take(public, np.bincount(j)[j] <= 5)
        yield "films, half of the ratings", lambda rng: take(public, rng.random(len(y)) < 0.5)
        yield "films, a tenth of the ratings", lambda rng: take(public, rng.random(len(y)) < 0.1)
        yield "films, whole stars", lambda rng: (i, j, np.ceil(y))
    yield "stars, 3,000 x 1,000", lambda rng: worlds.stars(rng, 3000, 1000, 100000, 0.35)
    yield "stars, 300 x 1,000", lambda rng: worlds.stars(rng, 300, 1000, 30000, 0.35)
    yield "stars not rounded, 1,000 x 1,000", lambda rng: fine_stars(rng, 1000, 1000, 50000)
    yield "stars, skewed", lambda rng: scaled(worlds.stars(rng, 1000, 1000, 50000, 0.35), 1, 5,
                                              lambda y: np.round(4 * y ** 0.4) + 1)
    yield "scores of 0 to 100", lambda rng: scaled(fine_stars(rng, 1000, 1000, 50000), 1, 5,
                                                   lambda y: np.round(100 * y))
    for share in (0.36, 0.6, 0.9):
        yield (f"jokes, 1,500 x 100, {100 * share:.0f} % filled",
               lambda rng, share=share: filled(rng, 1500, 100, share))
    yield "jokes, 3,000 x 100", lambda rng: worlds.jokes(rng, 3000)
    yield "jokes, 5,000 x 8", lambda rng: worlds.jokes(rng, 5000, 8)
    yield "jokes, 8 x 2,000", lambda rng: worlds.jokes(rng, 8, 2000)
    yield "jokes of 1 to 10, 500 x 140", lambda rng: scaled(
        worlds.jokes(rng, 500, 140), -10, 10, lambda y: np.round(9 * y) + 1)


def fits(program, ratings, rng, tenth, folder):
    train, test = (os.path.join(folder, name) for name in ("train.csv", "test.csv"))
    i, j, y = ratings
    order = rng.permutation(len(i))
    cut = len(i) // tenth
    worlds.write(test, i[order[:cut]], j[order[:cut]], y[order[:cut]])
    worlds.write(train, i[order[cut:]], j[order[cut:]], y[order[cut:]])
    for way in worlds.WAYS:
        yield worlds.fit(program, train, test, way)


def line(name, n, found):
    (a, cover), (b, _), (p, _) = found
    over = [100 * (a / p - 1), 100 * (b / p - 1), 100 * (b / a - 1)]
    bad = max(over[:2]) > WORSE_THAN_PAPER or n >= MANY and over[2] > WORSE_THAN_16
    return (f"| {name} | {n:,} | {a:.4f} | {b:.4f} | {over[2]:+.2f} % | {over[0]:+.2f} % "
            f"| {over[1]:+.2f} % | {100 * cover:.1f} % | {'**worse**' if bad else ''} |")


def tiny(program, seed, folder):
    """Forty tables of 20 x 10, three quarters filled: root mean squares."""
    squares, cover, n, tables = np.zeros(3), np.zeros(3), 0, 40
    for k in range(tables):
        rng = np.random.default_rng([seed, 1000 + k])
        i, j, y = filled(rng, 20, 10, 0.75)
        found = np.array(list(fits(program, (i, j, y), rng, 3, folder)))
        squares += found[:, 0] ** 2 / tables
        cover += found[:, 1] / tables
        n += len(i) - len(i) // 3
    return n // tables, list(zip(np.sqrt(squares), cover))


def table(program, data, seed, folder, only=""):
    """Its lines, one after the other."""
    yield ("| set | ratings | rank 16: RMSE | rank 32 | 32 over 16 | 16 over the paper's "
           "| 32 over the paper's | intervals cover, 16 | |")
    yield "|---|---|---|---|---|---|---|---|---|"
    for k, (name, make) in enumerate(sets(data)):
        rng = np.random.default_rng([seed, k])
        if only in name:
            ratings = make(rng)
            n = len(ratings[0]) - len(ratings[0]) // 10
            yield line(name, n, list(fits(program, ratings, rng, 10, folder)))
    if only in TINY:
        yield line(TINY, *tiny(program, seed, folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/gibbsite")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--only", default="")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for text in table(os.path.abspath(a.program), a.data, a.seed, folder, a.only):
            print(text, flush=True)


if __name__ == "__main__":
    main()
