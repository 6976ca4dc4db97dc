#!/usr/bin/env python3
"""The page docs/completion-models.md: both models of a matrix, on public and on simulated ratings.

    study/models.py [--program build/gibbsite] [--data ../shared/data] [--splits 10] [-o FILE]

Ten random splits of the public ratings, nine tenths to learn from; simulated ratings with fresh
ones of the same truth; worlds of stars and jokes (worlds.py); small tables (small_tables.py); sets
of many shapes (stress.py). One thread, ten minutes.
"""
import argparse
import gzip
import json
import os
import random
import statistics
import subprocess
import tempfile

import small_tables
import stress
import worlds

SIMULATED = [  # rows, columns, density, what else, ratings
    (1000, 1000, 0.05, [], 50000),
    (1000, 1000, 0.05, ["--positions", "informed"], 50000),
    (3000, 2000, 0.01, [], 60000),
    (3000, 2000, 0.01, ["--positions", "informed"], 60000),
    (100, 80, 0.25, ["--rank", "3"], 2000),
    (50, 40, 0.3, ["--rank", "2"], 600),
]
MODELS = [("default", []), ("paper", ["--model", "paper"])]


OPENING = """# Matrix completion: the two models

`complete` by default, at rank 16, beside `--model paper`. Printed by
`study/models.py -o docs/completion-models.md`.

## Public ratings

MovieLens latest-small: 100,836 ratings of 610 people, random splits (ten), nine tenths to learn
from. Intervals are those of 95 %.

| model | RMSE, mean | sd over splits | range | intervals cover | sweeps |
|---|---|---|---|---|---|""".split("\n")
SECOND = """
## Simulated ratings

`gibbsite simulate ratings`, noise 0.5; as many fresh ratings of the same truth to test on. The
second column says what the default took ([maths](maths.md), 8.18), and how many components it has.

| set | default: model | RMSE | paper's | difference | intervals cover | paper's |
|---|---|---|---|---|---|---|""".split("\n")
WORLDS = """
## Stars and jokes, simulated

Tastes of falling strength, rows of unequal scale and noise, heavy tails; a tenth of the ratings is
kept to test on. Printed by `study/worlds.py` as well.
""".split("\n")
THIRD = """
## Small tables

The default against the paper's model, twelve tables of each kind (seeds 701 to 712), 20,000 fresh
ratings to test on (of the smallest, forty of each cell): RMSE over the paper's, less one. Printed
by `study/small_tables.py` as well.
""".split("\n")
FOURTH = """
## Ratings of many shapes

Parts of the film ratings, and simulated stars and jokes of other sizes, fillings and scales; a
tenth is kept to test on. Marked where rank 32 is worse than 16 by more than a tenth of a per cent,
20,000 ratings or more, or either worse than the paper's model by more than half a per cent.
Nothing was chosen by this table. Printed by `study/stress.py` as well.
""".split("\n")


def fit(program, train, test, options):
    command = [program, "complete", train, "--test", test, "--json", "-q", "--threads", "1"]
    done = subprocess.run(command + options, capture_output=True, text=True, check=True)
    r = json.loads(done.stdout)
    return {"model": r["model"], "positions": r["positions"], "rank": r["effective_rank"],
            "sweeps": r["sweeps"], "rmse": r["test"]["rmse"], "coverage": r["test"]["coverage"]}


def split(lines, seed, folder):
    order = list(range(len(lines) - 1))
    random.Random(seed).shuffle(order)
    cut = len(order) // 10
    names = [os.path.join(folder, name) for name in ("train.csv", "test.csv")]
    for name, part in zip(names, (order[cut:], order[:cut])):
        with open(name, "w") as out:
            out.write("\n".join([lines[0]] + [lines[k + 1] for k in part]) + "\n")
    return names


def public(program, data, splits, folder):
    with gzip.open(os.path.join(data, "mllatest", "ratings.csv.gz"), "rt") as file:
        lines = [",".join(line.split(",")[:3]) for line in file.read().split()]
    runs = {name: [] for name, _ in MODELS}
    for seed in range(1, splits + 1):
        train, test = split(lines, seed, folder)
        for name, options in MODELS:
            runs[name].append(fit(program, train, test, options))
    rows = []
    for name, _ in MODELS:
        r = runs[name]
        rmse = [x["rmse"] for x in r]
        cover = [100 * x["coverage"] for x in r]
        spread = statistics.stdev(rmse) if len(rmse) > 1 else 0.0
        sweeps = statistics.mean(x["sweeps"] for x in r)
        rows.append(f"| {r[0]['model']} | {statistics.mean(rmse):.4f} | {spread:.4f} "
                    f"| {min(rmse):.4f} to {max(rmse):.4f} "
                    f"| {min(cover):.1f} to {max(cover):.1f} % | {sweeps:.0f} |")
    return rows


def simulated(program, folder):
    rows = []
    train, test = os.path.join(folder, "train.csv"), os.path.join(folder, "test.csv")
    for height, width, density, more, n in SIMULATED:
        base = [program, "simulate", "ratings", "-q", "--rows", str(height), "--cols", str(width),
                "--density", str(density), *more]
        drawn = "informed" if "informed" in more else "random"
        name = f"{height} x {width}, {100 * density:.0f} %, {drawn} positions"
        subprocess.run([*base, "-o", train], check=True)
        subprocess.run([*base, "--skip", str(n), "-o", test], check=True)
        r = {m: fit(program, train, test, o) for m, o in MODELS}
        d = r["default"]
        p = r["paper"]
        taken = f"{d['model']}{', positions' if d['positions'] else ''}, {d['rank']}"
        rows.append(f"| {name} | {taken} | {d['rmse']:.4f} | {p['rmse']:.4f} "
                    f"| {100 * (d['rmse'] / p['rmse'] - 1):+.1f} % "
                    f"| {100 * d['coverage']:.1f} % | {100 * p['coverage']:.1f} % |")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/gibbsite")
    parser.add_argument("--data", default=os.environ.get("GIBBSITE_DATA", "../shared/data"))
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("-o", "--output")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.abspath(a.program)
        page = [*OPENING, *public(program, a.data, a.splits, folder), *SECOND,
                *simulated(program, folder), *WORLDS, *worlds.table(program, 5, folder), *THIRD,
                *small_tables.table(small_tables.differences(program, range(701, 713), folder)),
                *FOURTH, *stress.table(program, a.data, 11, folder), ""]
    text = "\n".join(page)
    if a.output:
        with open(a.output, "w") as out:
            out.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
