#!/usr/bin/env python3
"""The default completion of small simulated tables beside the paper's model, kind by kind.

    study/small_tables.py [--program build/gibbsite] [--seeds 701:712]

Eighteen kinds of tables, one of each a seed, 20,000 fresh ratings of the same truth to test on (of
the smallest, forty of each cell). One thread, two minutes. study/models.py puts it on its page.
"""
import argparse
import json
import os
import subprocess
import tempfile

KINDS = [  # rows, columns, rank, ratings, what else
    (10, 8, 1, 40, []), (10, 8, 2, 64, []), (20, 15, 1, 100, []), (20, 15, 2, 200, []),
    (30, 20, 2, 250, []), (50, 40, 2, 300, []), (50, 40, 2, 600, []), (50, 40, 2, 1200, []),
    (100, 80, 3, 800, []), (100, 80, 3, 1200, []), (100, 80, 3, 2000, []),
    (100, 80, 3, 2000, ["--positions", "informed"]), (100, 80, 3, 1500, ["--skew", "1"]),
    (200, 150, 5, 3000, []), (200, 150, 5, 4500, []),
    (200, 150, 3, 3000, ["--positions", "informed"]), (400, 300, 5, 6000, []),
    (400, 300, 5, 12000, ["--skew", "1"]),
]
TESTS = 20000
WORSE = 0.5  # per cent of the RMSE


def simulate(program, kind, seed, folder):
    rows, columns, rank, n, more = kind
    cells = rows * columns
    base = [program, "simulate", "ratings", "-q", "--rows", str(rows), "--cols", str(columns),
            "--rank", str(rank), "--seed", str(seed), *more]
    train, test = os.path.join(folder, "train.csv"), os.path.join(folder, "test.csv")
    subprocess.run([*base, "--density", repr(n / cells), "-o", train], check=True)
    lines, skip = [], n
    while len(lines) < min(TESTS, 40 * cells):
        command = [*base, "--density", repr(min(1.0, TESTS / cells)), "--skip", str(skip)]
        part = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        lines += part[1:]
        skip += len(part) - 1
    with open(test, "w") as out:
        out.write("\n".join([part[0], *lines]) + "\n")
    return train, test


def fit(program, train, test, options):
    command = [program, "complete", train, "--test", test, "--json", "-q", "--threads", "1"]
    done = subprocess.run(command + options, capture_output=True, text=True, check=True)
    r = json.loads(done.stdout)
    return r["model"], r["test"]["rmse"]


def differences(program, seeds, folder):
    """Of each kind: the default's RMSE over the paper's, in per cent, and how often it is not
    it."""
    result = []
    for kind in KINDS:
        over, other = [], 0
        for seed in seeds:
            train, test = simulate(program, kind, seed, folder)
            model, rmse = fit(program, train, test, [])
            over.append(100 * (rmse / fit(program, train, test, ["--model", "paper"])[1] - 1))
            other += model != "paper"
        result.append((kind, over, other))
    return result


def table(result):
    rows = [
        "| table | ratings | difference, mean | largest | worse by more than 0.5 % | not paper |",
        "|---|---|---|---|---|---|"]
    everything, taken = [], 0
    for (height, width, rank, n, more), over, other in result:
        what = {"--positions": ", informed positions",
                "--skew": ", uneven"}.get("".join(more[:1]), "")
        rows.append(
            f"| {height} x {width}, rank {rank}{what} | {n} | {sum(over) / len(over):+.2f} % "
            f"| {max(over):+.2f} % | {sum(x > WORSE for x in over)} of {len(over)} "
            f"| {other} |")
        everything += over
        taken += other
    rows.append(f"| all | | {sum(everything) / len(everything):+.2f} % | {max(everything):+.2f} % "
                f"| {sum(x > WORSE for x in everything)} of {len(everything)} | {taken} |")
    return rows


def seeds_of(text):
    first, last = (int(part) for part in text.split(":"))
    return range(first, last + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/gibbsite")
    parser.add_argument("--seeds", type=seeds_of, default="701:712")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(table(differences(os.path.abspath(a.program), a.seeds, folder))))


if __name__ == "__main__":
    main()
