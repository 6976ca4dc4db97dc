"""What the paper's figures show, computed anew: units of work for the store.

  Figure 1   the bound on the way of the stochastic descent for ranking, batches of 1, 10, 20 and 50
             pairs: pima, lambda = 100, every step; adult, lambda = 1000 (the paper: batches of 50
             alone), some 15 steps, evenly on a log scale, since each takes a pass over 193,829,520
             pairs.
  Figure 2   left: the objective of one coefficient as lambda grows; right: annealing against 20
             starts drawn from the prior, at the end of the same solver. Both on pima's 200 training
             rows, as in the paper.
"""

import csv
import json
import math
import os
import tempfile

import data
import runs
import sets
import tool

BATCHES = (1, 10, 20, 50)
LADDER = (20, 50, 100, 200, 500, 1000, 2000, 5000)  # lambda of figure 2, right
STARTS = 20
CURVES = (0, 2, 5, 10, 20)  # lambda of figure 2, left
SLICES = (0, 10, 30, 100, 300)  # lambda of figure 2, middle


def number(text):
    return float(text) if text else None


def descent(program, base, name, file, strength, batch, epochs):
    """Figure 1: one stochastic descent, with the bound as printed in the paper on the way."""
    options = ["--task", "rank", "--prior", "zero", "--prior-sd", 1, "--family", "diagonal",
               "--lambda", strength, "--bound", "paper",
               "--solver", "sgd", "--schedule", "paper", "--batch", batch, "--epochs", epochs,
               "--seed", 1, "--quiet"]
    path = os.path.join(base, file)

    def work():
        with tempfile.TemporaryDirectory() as folder:
            track = os.path.join(folder, "path.csv")
            tool.run([program, "fit", path, *options, "--path", track], allowed=(0, 4))
            with open(track, newline="", encoding="ascii") as rows:
                steps = [[int(r["iterations"]), number(r["bound"]), number(r["gibbs_risk"]),
                          number(r["kl"])] for r in csv.DictReader(rows)]
        # the last line repeats the last step
        return {"steps": steps[:-1], "batch": batch, "lambda": strength, "set": name}

    inputs = {"options": options, "file": runs.file_digest(path), "program": version(program)}
    return runs.Unit(f"figure1-{name}-{batch}", inputs, work, weight=30 if name == "adult" else 0.5)


def starts(program, base, family, strength):
    """Figure 2, right: the free energy and the bound where annealing ends, and where each of the
    random starts ends."""
    path = os.path.join(base, "pima/train.csv")
    options = ["--prior", "zero", "--lambda", strength, "--family", family, "--solver", "lbfgs",
               "--bound", "kl"]

    def end(*more):
        fit = tool.run_json([program, "fit", path, *options, *more])
        return {"free_energy": fit["free_energy"], "bound": fit["certificate"]["value"],
                "converged": fit["converged"]}

    def work():
        return {"family": family, "lambda": strength, "annealed": end(),
                "starts": [end("--restarts", 1, "--seed", s) for s in range(1, STARTS + 1)]}

    inputs = {"options": options, "starts": STARTS, "file": runs.file_digest(path),
              "program": version(program)}
    return runs.Unit(f"figure2-{family}-{strength}", inputs, work, weight=2)


def phi(t):
    return 0.5 * math.erfc(-t / math.sqrt(2))


def one_coefficient(program, base):
    """Figure 2, left. One covariate (glu, standardised), no intercept, N(m, 1/n) and the prior
    N(0, 1):

        F(m) = lambda/n sum_i Phi(-sqrt(n) y_i sign(x_i) m) + m^2/2 + const

    and where `gibbsite fit --family fixed` ends. Middle: the same with an intercept of mean b and a
    slope kept at 1, a slice that shows how local minima appear: F(b) = lambda/n sum_i Phi(-sqrt(n)
    y_i (x_i + b) / sqrt(1 + x_i^2)) + b^2/2 + const."""
    pima = sets.BY_NAME["pima"]
    path = os.path.join(base, pima.files[0])

    def curve(strength, risk, low, high, steps):
        grid = [low + (high - low) * k / steps for k in range(steps + 1)]
        values = [strength * risk(m) + m * m / 2 for m in grid]
        zero = strength * risk(0.0)
        minima = [k for k in range(1, steps) if values[k] < values[k - 1]
                  and values[k] <= values[k + 1]]
        return {"lambda": strength, "points": [[m, v - zero] for m, v in zip(grid, values)],
                "minima": len(minima)}

    def optimum(folder, rows, strength):
        file, model = os.path.join(folder, "glu.csv"), os.path.join(folder, "model.json")
        data.write_csv(file, ["glu"], rows)
        tool.run_json([program, "fit", file, "--prior", "zero", "--family", "fixed",
                       "--no-intercept", "--lambda", strength, "-o", model])
        with open(model, encoding="utf-8") as text:
            return json.load(text)["posterior"]["mean"][0]

    def work():
        header, rows = data.read(base, pima, pima.files[0])
        at = header.index("glu")
        x, y = [float(cells[at]) for cells, _ in rows], [label for _, label in rows]
        n = len(x)
        mean = sum(x) / n
        sd = (sum((v - mean) ** 2 for v in x) / n) ** 0.5
        z = [(v - mean) / sd for v in x]
        root = math.sqrt(n)
        agree = [label * (1 if v > 0 else -1) for v, label in zip(z, y) if v]

        def risk(m):
            return sum(phi(-root * a * m) for a in agree) / n

        def slice_risk(b):
            return sum(phi(-root * label * (v + b) / math.sqrt(1 + v * v))
                       for v, label in zip(z, y)) / n

        curves = [curve(strength, risk, -0.6, 0.6, 240) for strength in CURVES]
        with tempfile.TemporaryDirectory() as folder:
            for line in curves[1:]:
                m = optimum(folder, [([cells[at]], label) for cells, label in rows], line["lambda"])
                line["fit"] = [m, line["lambda"] * (risk(m) - risk(0.0)) + m * m / 2]
        return {"curves": curves,
                "slices": [curve(strength, slice_risk, -2.5, 1.5, 400) for strength in SLICES]}

    inputs = {"curves": CURVES, "slices": SLICES, "file": runs.file_digest(path),
              "program": version(program)}
    return runs.Unit("figure2-objective", inputs, work)


def version(program):
    """What every result of a program hangs on: its own bytes (the library is in it), and how the
    figures use it."""
    return [runs.file_digest(program), runs.file_digest(os.path.abspath(__file__))]


def descents(program, base, quick):
    """Pima: 1000 steps each. Adult: some 3,260, and 32,561 of single pairs; not in the quick
    study."""
    work = [descent(program, base, "pima", "pima/train.csv", 100, batch, 5 * batch)
            for batch in BATCHES]
    if not quick:
        work += [descent(program, base, "adult", "adult/adult.csv.gz", 1000, batch,
                         max(1, batch // 10)) for batch in BATCHES]
    return work


def units(program, base, quick):
    work = descents(program, base, quick)
    for family in ("diagonal", "full"):
        work += [starts(program, base, family, strength)
                 for strength in (LADDER[::3] if quick else LADDER)]
    return work + [one_coefficient(program, base)]
