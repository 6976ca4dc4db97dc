#!/usr/bin/python3
"""The line of one classifier drawn at random: Gibbs errors by betting, against coins.

    study/one_draw.py --coins PROGRAM [--program build/gibbsite] [--seeds 40] [--public]

PROGRAM is a build from before the line was made of Gibbs errors: it draws one classifier a row and
counts. For each world, as means over the seeds (--seed of `simulate` and of `fit`):

    betting      the line `gibbs` of the card (docs/maths.md, 11.12), and its spread over the seeds
    coins        the same line of PROGRAM, and its spread
    difference   of the two, of the same posterior and the same rows, and its standard error
    above        how far each lies above the mean Gibbs error of the rows that tested

--public does the same on public data sets (GIBBSITE_DATA, default ../shared/data), where the seed
shuffles.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

WORLDS = {
    "150 x 3, noise 0.1": "--rows 150 --cols 3 --noise 0.1",
    "300 x 40, noise 0.02": "--rows 300 --cols 40 --noise 0.02",
    "500 x 5, noise 0.1": "--rows 500 --cols 5 --noise 0.1",
    "500 x 20, noise 0.25": "--rows 500 --cols 20 --noise 0.25",
    "2000 x 10, noise 0.05": "--rows 2000 --cols 10 --noise 0.05",
    "2000 x 30, noise 0.3": "--rows 2000 --cols 30 --noise 0.3",
    "8000 x 10, noise 0.1": "--rows 8000 --cols 10 --noise 0.1",
    "20000 x 5, noise 0.2": "--rows 20000 --cols 5 --noise 0.2",
}
PUBLIC = {
    "breast": "breast/breast_complete.csv",
    "pima": "pima/pima768.csv",
    "german": "german/german.csv",
    "ilpd": "ilpd/ilpd_complete.csv",
    "spect": "spect/train.csv",
    "ionosphere": "ionosphere/ionosphere.csv",
}


def line(program, path, seed):
    command = [program, "fit", path, "--seed", str(seed), "--json"]
    run = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return next(c for c in run["certificates"] if c["target"] == "gibbs")


def lines(asked, path, seed):
    """Of one fit: betting, coins, the mean Gibbs error."""
    bet, coins = (line(program, path, seed) for program in (asked.program, asked.coins))
    return bet["value"], coins["value"], bet["empirical"]


def told(name, seen):
    bets, coins, gibbs = zip(*seen)
    difference = [b - c for b, c in zip(bets, coins)]
    se = statistics.stdev(difference) / len(difference) ** 0.5
    mean = statistics.mean
    print(f"{name:22s} {mean(bets):8.4f} {statistics.stdev(bets):7.4f} {mean(coins):8.4f} "
          f"{statistics.stdev(coins):7.4f} {mean(difference):+9.4f} ±{se:7.4f} "
          f"{mean(bets) - mean(gibbs):8.4f} {mean(coins) - mean(gibbs):8.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/gibbsite")
    parser.add_argument("--coins", required=True)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--public", action="store_true")
    asked = parser.parse_args()
    seeds = range(1, asked.seeds + 1)
    print("world                   betting  spread    coins  spread   difference (se)     above"
          "    coins")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "world.csv")
        if asked.public:
            data = os.environ.get("GIBBSITE_DATA", "../shared/data")
            for name, file in PUBLIC.items():
                told(name, [lines(asked, os.path.join(data, file), s) for s in seeds])
            return
        for name, options in WORLDS.items():
            seen = []
            for seed in seeds:
                subprocess.run([asked.program, "simulate", "classify", *options.split(), "--seed",
                                str(seed), "-o", path, "-q"], capture_output=True, check=True)
                seen.append(lines(asked, path, seed))
            told(name, seen)


if __name__ == "__main__":
    main()
