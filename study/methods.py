"""The methods of the tables. Each takes a Split and returns what is kept of it: which test rows it
got wrong and what was chosen.

Every choice is made by cross-validation on the training rows; the test rows are read once, to
predict.

  mean_field, full   zero-one loss, Gaussians with diagonal or full covariance. Candidates: some
                     lambdas under the zero prior, as in the paper (`gibbsite cv`; theta and c theta
                     err alike there, so prior_sd moves nothing and stays 1), and a prior informed
                     by 90 % of the training rows, with columns equal or by relevance, its width and
                     lambda as `fit` sets them. They vote, each with the weight exp(-n/4 x its
                     cross-validated error): where a few hundred rows are divided at random, what is
                     better on the training rows by chance is worse on the others by the same
                     chance, and picking one loses by it. The one that the paper would pick, of the
                     smallest error under the zero prior, is kept beside it.
  hinge              hinge loss, full covariance, prior of mean zero. Chosen: lambda and prior_sd.
  smc                `gibbsite sample` at the lambda chosen for `full` under the zero prior;
                     prediction by the average vote of the particles. It measures the gap of the
                     Gaussian fits at that lambda on the way.
  default            `gibbsite fit` as it comes: its certificate and the binomial yardstick.
  linear, rbf        liblinear (hinge loss, L2 penalty, intercept) and libsvm. Chosen: C, and gamma.

Where a set's columns are all in one unit (0/1, grades), whether they are standardised or left alone
is chosen too, by every method.
"""

import math
import os
import random
import re
from typing import NamedTuple

import data
import tool

# What of the study's options each method looks at: a change of these makes its earlier results
# stale.
USES = {
    "mean_field": ("folds", "repeats", "lambda"),
    "full": ("folds", "repeats", "lambda"),
    "hinge": ("folds", "repeats", "lambda_hinge", "prior_sd"),
    "smc": ("particles",),
    "default": (),
    "linear": ("folds", "repeats", "linear_c"),
    "rbf": ("folds", "rbf_c", "rbf_gamma"),
}


def repeats(options, rows):
    """How often the folds are dealt out: many rows need fewer repeats."""
    return min(options["repeats"], math.ceil(2000 / rows))


class Split:
    """One division of one set, in a folder of its own, and the options of the study."""

    def __init__(self, program, path, parts, scales, options, known):
        self.program, self.path, self.scales, self.options, self.known = (
            program, path, scales, options, known)
        self.header, self.train, self.test = parts
        self.repeats = repeats(options, len(self.train))
        data.write_csv(self.file("train.csv"), self.header, self.train)
        data.write_csv(self.file("test.csv"), self.header, self.test)

    def file(self, name):
        return os.path.join(self.path, name)

    def gibbsite(self, command, *arguments):
        return tool.run_json([self.program, command, self.file("train.csv"), *arguments])

    def wrong(self, said):
        """One character a test row: 1 where the label said is wrong."""
        if len(said) != len(self.test):
            raise tool.Failed(f"{len(said)} predictions of {len(self.test)} test rows")
        return "".join("01"[label != y] for label, (_, y) in zip(said, self.test))

    def judge(self, model):
        """The test rows that a model file of gibbsite gets wrong."""
        lines = tool.run([self.program, "predict", model, self.file("test.csv"),
                          "--quiet"]).splitlines()
        at = lines[0].split(",").index("label")
        return self.wrong([int(float(line.split(",")[at])) for line in lines[1:]])

    def lambdas(self, name):
        """LO:HI:K of --lambda-grid; the study's options give LO and HI as multiples of the number
        of rows."""
        low, high, steps = self.options[name]
        return f"{low * len(self.train):.10g}:{high * len(self.train):.10g}:{steps}"


# ------------------------------------------------------------------ variational fits


class Candidate(NamedTuple):
    error: float  # cross-validated
    gibbs: float  # cross-validated error of one draw: between equals the smaller is better
    options: list  # of `gibbsite fit`


def of_grid(split, loss, family, grids):
    """Candidates under the zero prior: the points of a grid, their errors the means over all
    repeats of the folds."""
    total = {}
    for scale in split.scales:
        for seed in range(1, split.repeats + 1):
            table = split.gibbsite(
                "cv", "--loss", loss, "--family", family, *grids, "--scale", scale, "--folds",
                split.options["folds"], "--seed", seed
            )["table"]
            for line in table:
                point = (scale, line["lambda"], line["prior_sd"])
                error, gibbs = total.get(point, (0.0, 0.0))
                total[point] = (error + line["error"] / split.repeats,
                                gibbs + line["gibbs_error"] / split.repeats)
    return [
        Candidate(round(error, 9), gibbs,
                  ["--prior", "zero", "--loss", loss, "--family", family, "--scale", scale,
                   "--lambda", strength, "--prior-sd", prior_sd])
        for (scale, strength, prior_sd), (error, gibbs) in total.items()
    ]


def folds(rows, count, seed):
    """(train, test) of each fold, stratified by label."""
    order = list(range(len(rows)))
    random.Random(f"folds {seed}").shuffle(order)
    order.sort(key=lambda i: rows[i][1])  # stable: shuffled within each label
    for fold in range(count):
        test = set(order[fold::count])
        yield [rows[i] for i in order if i not in test], [rows[i] for i in order if i in test]


def informed(split, family, scale, columns):
    """The informed prior as a candidate."""
    options = ["--prior", "informed", "--bound", "kl", "--prior-split", "0.9", "--loss", "zero-one",
               "--family", family, "--scale", scale, "--columns", columns]
    wrong = gibbs = rows = 0
    for seed in range(1, split.repeats + 1):
        for train, test in folds(split.train, split.options["folds"], seed):
            data.write_csv(split.file("fold-train.csv"), split.header, train)
            data.write_csv(split.file("fold-test.csv"), split.header, test)
            said = tool.run_json([split.program, "fit", split.file("fold-train.csv"), "--test",
                                  split.file("fold-test.csv"), *options])["test"]
            wrong += round(said["error"] * len(test))
            gibbs += said["gibbs_error"] * len(test)
            rows += len(test)
    return Candidate(wrong / rows, gibbs / rows, options)


def fitted(split, name, candidate):
    model = split.file(name + ".json")
    fit = split.gibbsite("fit", *candidate.options, "-o", model)
    return {"wrong": split.judge(model), "prior": fit["prior"], "lambda": fit["lambda"],
            "prior_sd": fit["prior_sd"], "scale": fit["scale"],
            "cv_error": candidate.error, "seconds_fit": fit["seconds"]["fit"]}


def weights(errors, rows):
    """Of candidates in a vote: a Gibbs posterior over them, exp(-lambda x cross-validated error)
    with lambda a quarter of the rows."""
    best = min(errors)
    parts = [math.exp(-rows / 4 * (error - best)) for error in errors]
    return [part / sum(parts) for part in parts]


def vote(wrongs, shares):
    """The rows that the weighted majority gets wrong; a draw is wrong."""
    return "".join("01"[sum(share for mark, share in zip(marks, shares)
                            if mark == "1") >= 0.5 - 1e-12] for marks in zip(*wrongs))


def zero_one(split, family):
    zero = of_grid(split, "zero-one", family, ["--lambda-grid", split.lambdas("lambda")])
    others = [informed(split, family, scale, columns) for scale in split.scales
              for columns in ("equal", "relevance") if (scale, columns) != ("none", "relevance")]
    candidates = zero + others
    shares = weights([c.error for c in candidates], len(split.train))
    fits = [fitted(split, "candidate", c) for c in candidates]
    alone = fits[zero.index(min(zero))]  # as the paper has it: one posterior, under the zero prior
    heaviest = fits[shares.index(max(shares))]
    return {**heaviest, "wrong": vote([fit["wrong"] for fit in fits], shares),
            "seconds_fit": sum(fit["seconds_fit"] for fit in fits),
            "informed": sum(shares[len(zero) :]),
            "zero": {key: alone[key] for key in ("lambda", "scale", "wrong", "cv_error")}}


def mean_field(split):
    return zero_one(split, "diagonal")


def full(split):
    return zero_one(split, "full")


def hinge(split):
    low, high, steps = split.options["prior_sd"]
    grids = ["--lambda-grid", split.lambdas("lambda_hinge"), "--prior-grid",
             f"{low}:{high}:{steps}"]
    return fitted(split, "hinge", min(of_grid(split, "hinge", "full", grids)))


def smc(split):
    chosen = split.known["zero"]
    here = ["--prior", "zero", "--lambda", chosen["lambda"], "--scale", chosen["scale"]]
    diagonal = split.gibbsite("fit", *here, "--family", "diagonal")
    split.gibbsite("fit", *here, "--family", "full", "-o", split.file("full.json"))
    model = split.file("particles.json")
    sample = split.gibbsite("sample", "--particles", split.options["particles"], "--against",
                            split.file("full.json"), "-o", model)
    return {"wrong": split.judge(model), "lambda": chosen["lambda"], "scale": chosen["scale"],
            "log_z": sample["log_z"],
            "gap_full": sample["gap"], "gap_mean_field": diagonal["free_energy"] + sample["log_z"],
            "gap_se": sample["gap_sd"],
            "seconds_fit": sample["seconds"]["sample"]}


def default(split):
    model = split.file("default.json")
    fit = split.gibbsite("fit", "-o", model)
    yardstick = [c["value"] for c in fit["certificates"] if c["target"] == "prior-vote"
                 and c["method"] == "binomial"]
    return {"wrong": split.judge(model), "certificate": fit["certificate"]["value"],
            "status": fit["certificate"]["status"],
            "yardstick": yardstick[0] if yardstick else None,
            "seconds_fit": fit["seconds"]["total"]}


# ------------------------------------------------------------------ support vector machines


def svm(split, train, predict, constant, grid, repeats):
    """Cross-validate over `grid` (lists of options) and scalings, train on all training rows,
    predict. The programs deal the folds by the order of the rows, so a repeat is another order."""
    total = {}
    codings = {scale: data.Coding(split.train, scale) for scale in split.scales}
    for repeat in range(repeats):
        rows = list(split.train)
        random.Random(f"order {repeat}").shuffle(rows)
        for scale, coding in codings.items():
            coding.write(split.file("folds.svm"), rows)
            for point in grid(coding.columns):
                said = tool.run([train, *constant, *point, "-v", split.options["folds"],
                                 split.file("folds.svm")])
                accuracy = float(re.search(r"Cross Validation Accuracy = ([0-9.]+)%",
                                           said).group(1))
                total[scale, point] = total.get((scale, point), 0.0) + accuracy / repeats
    # of equals the first: the smallest C
    scale, best = max(total, key=lambda key: round(total[key], 9))
    for name, rows in (("train", split.train), ("test", split.test)):
        codings[scale].write(split.file(name + ".svm"), rows)
    tool.run([train, *constant, *best, split.file("train.svm"), split.file("svm.model")])
    tool.run([predict, split.file("test.svm"), split.file("svm.model"), split.file("svm.said")])
    with open(split.file("svm.said"), encoding="ascii") as file:
        labels = [int(float(line)) for line in file]
    return {"wrong": split.wrong(labels), "chosen": " ".join(best), "scale": scale,
            "cv_error": 1 - total[scale, best] / 100}


def linear(split):
    def grid(_):
        return [("-c", str(2.0**k)) for k in split.options["linear_c"]]

    return svm(split, "liblinear-train", "liblinear-predict", ["-s", "3", "-B", "1", "-q"], grid,
               split.repeats)


def rbf(split):
    def grid(columns):
        return [("-c", str(2.0**c), "-g", f"{2.0**g / columns:.6g}") for c in split.options["rbf_c"]
                for g in split.options["rbf_gamma"]]

    return svm(split, "svm-train", "svm-predict", ["-q"], grid, 1)


TABLE = {method.__name__: method for method in (linear, mean_field, full, hinge, default, rbf, smc)}
