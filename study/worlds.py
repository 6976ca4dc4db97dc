#!/usr/bin/env python3
"""Simulated worlds of stars and of jokes, nearer to what people click than `gibbsite simulate`.

    study/worlds.py [--program build/gibbsite] [--seed 5]

Stars: tastes of falling strength, rows of unequal scale and noise, ratings rounded to 1 .. 5,
counts of rows and columns with heavy tails, and cells chosen by popularity and taste, or by
popularity alone. Jokes: 100 columns, half to two thirds of them rated, values in [-10, 10] with
heavy tails. A tenth of the ratings is kept to test on. `complete` at ranks 16 and 32 beside --model
paper; one thread, some minutes. study/models.py puts it on its page.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np


def stars(rng, rows, columns, n, taste):
    k = 30
    size = np.arange(1, k + 1) ** -0.6
    u, v = rng.standard_normal((rows, k)), rng.standard_normal((columns, k))
    w = v * 0.55 * size / np.sqrt((size**2).sum())
    scale, noise = (np.exp(s * rng.standard_normal(rows)) for s in (0.3, 0.2))
    a, b = 0.38 * rng.standard_normal(rows), 0.5 * rng.standard_normal(columns)
    popular, active = 1.5 * rng.standard_normal(columns) + b, np.exp(rng.standard_normal(rows))
    counts = np.clip(active / active.sum() * n, 20, columns // 2).astype(int)
    i = np.repeat(np.arange(rows), counts)
    j = np.concatenate([
        np.argpartition(-(popular + taste * v[:, :8] @ u[r, :8] + rng.gumbel(size=columns)), c)[:c]
        for r, c in enumerate(counts)])
    mean = 3.6 + a[i] + b[j] + scale[i] * np.einsum("ek,ek->e", u[i], w[j])
    return i, j, np.clip(np.round(mean + 0.8 * noise[i] * rng.standard_normal(len(i))), 1, 5)


def jokes(rng, rows, columns=100, share=0.6):
    k = 12
    size = np.arange(1, k + 1) ** -0.5
    u, v = rng.standard_normal((rows, k)), rng.standard_normal((columns, k))
    v *= 2 * size / np.sqrt((size**2).sum())
    scale, noise = (np.exp(s * rng.standard_normal((rows, 1))) for s in (0.35, 0.25))
    y = 0.8 + 1.8 * rng.standard_normal((rows, 1)) + rng.standard_normal(columns)
    y += scale * (u @ v.T)
    y += 3.2 * noise * rng.standard_t(8, size=y.shape) * np.sqrt(6 / 8)
    often = rng.beta(2, 1.3, size=columns) * (0.35 + rng.beta(1.2, 1, size=(rows, 1)))
    i, j = np.nonzero(rng.random(y.shape) < (share * often / often.mean() if share < 1.0 else 1.0))
    return i, j, np.round(np.clip(y[i, j], -10, 10), 2)


WORLDS = [
    ("stars, 943 x 1,682, cells by taste", lambda rng: stars(rng, 943, 1682, 90000, 0.35)),
    ("stars, 6,000 x 4,000, cells by taste", lambda rng: stars(rng, 6000, 4000, 1000000, 0.35)),
    ("stars, 6,000 x 4,000", lambda rng: stars(rng, 6000, 4000, 1000000, 0.0)),
    ("jokes, 2,500 x 100", lambda rng: jokes(rng, 2500)),
    ("jokes, 20,000 x 100", lambda rng: jokes(rng, 20000)),
]
WAYS = [[], ["--rank", "32"], ["--model", "paper"]]


def write(path, i, j, y):
    with open(path, "w") as out:
        out.write("row,col,value\n")
        out.writelines(f"{a},{b},{c:g}\n" for a, b, c in zip(i, j, y))


def fit(program, train, test, options):
    command = [program, "complete", train, "--test", test, "--json", "-q", "--threads", "1"]
    done = subprocess.run(command + options, capture_output=True, text=True, check=True)
    r = json.loads(done.stdout)
    return r["test"]["rmse"], r["test"]["coverage"]


def table(program, seed, folder):
    rows = ["| world | ratings | rank 16: RMSE | rank 32 | paper's | 16 against it "
            "| intervals cover: 16 | 32 | paper's |", "|---|---|---|---|---|---|---|---|---|"]
    train, test = (os.path.join(folder, name) for name in ("train.csv", "test.csv"))
    for k, (name, make) in enumerate(WORLDS):
        rng = np.random.default_rng([seed, k])
        i, j, y = make(rng)
        order = rng.permutation(len(i))
        cut = len(i) // 10
        write(test, i[order[:cut]], j[order[:cut]], y[order[:cut]])
        write(train, i[order[cut:]], j[order[cut:]], y[order[cut:]])
        (a, ca), (b, cb), (p, cp) = (fit(program, train, test, way) for way in WAYS)
        rows.append(f"| {name} | {len(i) - cut:,} | {a:.4f} | {b:.4f} | {p:.4f} "
                    f"| {100 * (a / p - 1):+.1f} % "
                    f"| {100 * ca:.1f} % | {100 * cb:.1f} % | {100 * cp:.1f} % |")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/gibbsite")
    parser.add_argument("--seed", type=int, default=5)
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(table(os.path.abspath(a.program), a.seed, folder)))


if __name__ == "__main__":
    main()
