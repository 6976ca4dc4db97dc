"""The methods of the tables. Each takes a Split and returns what is kept of it: which test rows it got wrong, what was chosen, and its times.

Every choice is made by cross-validation on the training rows; the test rows are read once, by the last line of each method.

  mean_field, full   zero-one loss, Gaussians with diagonal or full covariance: lambda by `gibbsite cv`. (Under a prior of mean zero, theta and c theta
                     err alike, so prior_sd moves nothing and stays 1.)
  hinge              hinge loss, full covariance: lambda and prior_sd by `gibbsite cv`.
  smc                `gibbsite sample` at the lambda that was chosen for `full`, prediction by the average vote of its particles; measures the gap of both
                     Gaussian fits at that lambda on the way.
  default            `gibbsite fit` as it comes: its certificate and the binomial yardstick.
  linear, rbf        liblinear (hinge loss, L2 penalty) and libsvm: C, and gamma, by their own cross-validation.
"""

import os
import re

import tool

TRAIN, TEST = "train.csv", "test.csv"


class Split:
    """Where one split lies, and the options of this study."""

    def __init__(self, program, path, labels, rows, options):
        self.program, self.path, self.labels, self.rows, self.options = program, path, labels, rows, options

    def file(self, name):
        return os.path.join(self.path, name)

    def gibbsite(self, command, *arguments):
        return tool.run_json([self.program, command, self.file(TRAIN), *map(str, arguments)])

    def wrong(self, said):
        """One character a test row: 1 where the label said is wrong."""
        if len(said) != len(self.labels):
            raise tool.Failed(f"{len(said)} predictions of {len(self.labels)} test rows")
        return "".join("01"[s != y] for s, y in zip(said, self.labels))

    def predicted(self, model):
        """Labels that a model file of gibbsite gives the test rows."""
        lines = tool.run([self.program, "predict", model, self.file(TEST), "--quiet"]).splitlines()
        at = lines[0].split(",").index("label")
        return [int(float(line.split(",")[at])) for line in lines[1:]]


def ladder(rows, grid):
    """LO:HI:K of lambda for this many rows."""
    low, high, steps = grid
    return f"{low * rows:.10g}:{high * rows:.10g}:{steps}"


def cross_validate(split, loss, family, grids):
    """The grid point of the smallest error over all repeats of the folds; of equals the one with the smallest Gibbs error."""
    total = {}
    for seed in range(1, split.options["repeats"] + 1):
        table = split.gibbsite("cv", "--loss", loss, "--family", family, *grids, "--folds", split.options["folds"], "--seed", seed)["table"]
        for line in table:
            point = (line["lambda"], line["prior_sd"])
            error, gibbs = total.get(point, (0, 0))
            total[point] = (error + line["error"], gibbs + line["gibbs_error"])
    best = min(total, key=lambda point: (round(total[point][0], 9), total[point][1]))
    return best, total[best][0] / split.options["repeats"]


def variational(split, loss, family, grids):
    """Choose, fit, predict."""
    (inverse_temperature, prior_sd), error = cross_validate(split, loss, family, grids)
    model = split.file(f"{loss}-{family}.json")
    fit = split.gibbsite("fit", "--prior", "zero", "--loss", loss, "--family", family, "--lambda", inverse_temperature, "--prior-sd", prior_sd, "-o", model)
    return {
        "wrong": split.wrong(split.predicted(model)),
        "lambda": inverse_temperature,
        "prior_sd": prior_sd,
        "cv_error": error,
        "free_energy": fit["free_energy"],
        "converged": fit["converged"],
        "seconds_fit": fit["seconds"]["fit"],
    }


def zero_one(split, family):
    return variational(split, "zero-one", family, ["--lambda-grid", ladder(split.rows, split.options["lambda"])])


def mean_field(split):
    return zero_one(split, "diagonal")


def full(split):
    return zero_one(split, "full")


def hinge(split):
    low, high, steps = split.options["prior_sd"]
    grids = ["--lambda-grid", ladder(split.rows, split.options["lambda_hinge"]), "--prior-grid", f"{low}:{high}:{steps}"]
    return variational(split, "hinge", "full", grids)


def smc(split):
    (inverse_temperature, prior_sd), _ = cross_validate(split, "zero-one", "full", ["--lambda-grid", ladder(split.rows, split.options["lambda"])])
    here = ["--prior", "zero", "--lambda", inverse_temperature, "--prior-sd", prior_sd]
    diagonal = split.gibbsite("fit", *here, "--family", "diagonal")
    split.gibbsite("fit", *here, "--family", "full", "-o", split.file("against.json"))
    model = split.file("particles.json")
    sample = split.gibbsite("sample", "--particles", split.options["particles"], "--against", split.file("against.json"), "-o", model)
    return {
        "wrong": split.wrong(split.predicted(model)),
        "lambda": inverse_temperature,
        "log_z": sample["log_z"],
        "gap_full": sample["gap"],
        "gap_mean_field": diagonal["free_energy"] + sample["log_z"],
        "gap_se": sample["gap_sd"],
        "seconds_fit": sample["seconds"]["sample"],
    }


def default(split):
    model = split.file("default.json")
    fit = split.gibbsite("fit", "-o", model)
    yardstick = [c["value"] for c in fit["certificates"] if c["target"] == "prior-vote" and c["method"] == "binomial"]
    return {
        "wrong": split.wrong(split.predicted(model)),
        "certificate": fit["certificate"]["value"],
        "status": fit["certificate"]["status"],
        "yardstick": yardstick[0] if yardstick else None,
        "seconds_fit": fit["seconds"]["total"],
    }


def svm(split, train, predict, constant, grid):
    """Cross-validate over `grid` (lists of options), train on all training rows, predict."""
    best, most = None, -1.0
    for point in grid:
        said = tool.run([train, *constant, *point, "-v", str(split.options["folds"]), split.file("train.svm")])
        accuracy = float(re.search(r"Cross Validation Accuracy = ([0-9.]+)%", said).group(1))
        if accuracy > most:
            best, most = point, accuracy
    model, said = split.file(train + ".model"), split.file(train + ".said")
    tool.run([train, *constant, *best, split.file("train.svm"), model])
    tool.run([predict, split.file("test.svm"), model, said])
    with open(said, encoding="ascii") as file:
        labels = [int(float(line)) for line in file]
    return {"wrong": split.wrong(labels), "chosen": " ".join(best), "cv_error": 1 - most / 100}


def linear(split):
    grid = [["-c", str(2.0**k)] for k in split.options["linear_c"]]
    return svm(split, "liblinear-train", "liblinear-predict", ["-s", "3", "-B", "1", "-q"], grid)


def rbf(split):
    columns = split.options["columns"]
    grid = [["-c", str(2.0**c), "-g", f"{2.0**g / columns:.6g}"] for c in split.options["rbf_c"] for g in split.options["rbf_gamma"]]
    return svm(split, "svm-train", "svm-predict", ["-q"], grid)


TABLE = {m.__name__: m for m in (mean_field, full, hinge, smc, default, linear, rbf)}
