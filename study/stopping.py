#!/usr/bin/env python3
"""What ratings left out say of the sweeps of a completion (docs/maths.md, 8.18).

    study/stopping.py [--program build/gibbsite] [--data ../shared/data] [--splits 8]

`complete --rank 16` as it stops by itself, beside stopping by the free energy alone (--tol). Public
film ratings: of each random split the nine tenths that are learned from are split once more; its
test part is not used. Simulated: 60,000 ratings of 3,000 x 2,000 cells, as many fresh ones to test
on. One thread; some minutes.
"""
import argparse
import gzip
import json
import math
import os
import random
import resource
import statistics
import subprocess
import tempfile


def fit(program, train, test, options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "complete", train, "--test", test, "--rank", "16", "--json", "-q",
               "--threads", "1", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = json.loads(done.stdout)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return r["test"]["rmse"], 100 * r["test"]["coverage"], r["sweeps"], seconds


def write(path, header, lines):
    with open(path, "w") as out:
        out.write("\n".join([header, *lines]) + "\n")


def public(data, splits, folder):
    with gzip.open(os.path.join(data, "mllatest", "ratings.csv.gz"), "rt") as file:
        header, *lines = [",".join(line.split(",")[:3]) for line in file.read().split()]
    for seed in range(1, splits + 1):
        order = list(range(len(lines)))
        random.Random(seed).shuffle(order)
        learned = order[len(order) // 10:]
        random.Random(9000 + seed).shuffle(learned)
        cut = len(learned) // 10
        names = [os.path.join(folder, f"{seed}-{name}.csv") for name in ("train", "test")]
        for name, part in zip(names, (learned[cut:], learned[:cut])):
            write(name, header, [lines[k] for k in part])
        yield names


def simulated(program, more, folder):
    for seed in (21, 22):
        base = [program, "simulate", "ratings", "-q", "--rows", "3000", "--cols", "2000",
                "--density", "0.01", "--seed", str(seed), *more]
        names = [os.path.join(folder, f"{len(more)}-{seed}-{name}") for name in ("train", "test")]
        subprocess.run([*base, "-o", names[0]], check=True)
        subprocess.run([*base, "--skip", "60000", "-o", names[1]], check=True)
        yield names


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/gibbsite")
    parser.add_argument("--data", default=os.environ.get("GIBBSITE_DATA", "../shared/data"))
    parser.add_argument("--splits", type=int, default=8)
    a = parser.parse_args()
    program = os.path.abspath(a.program)
    print("| ratings | stops by | RMSE | intervals cover | sweeps | CPU seconds |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, files in [
                ("public", list(public(a.data, a.splits, folder))),
                ("simulated", list(simulated(program, [], folder))),
                ("simulated, informed", list(simulated(program, ["--positions", "informed"],
                                                       folder)))]:
            with open(files[0][0]) as file:
                n = sum(1 for _ in file) - 1
            tolerance = max(5e-5, 2e-4 * math.sqrt(n / 1e6))
            for way, options in [("free energy", ["--tol", f"{tolerance:.3g}"]), ("itself", [])]:
                runs = [fit(program, *pair, options) for pair in files]
                rmse, cover, sweeps, seconds = map(statistics.mean, zip(*runs))
                print(f"| {name} | {way} | {rmse:.4f} | {cover:.1f} % | {sweeps:.0f} "
                      f"| {seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
