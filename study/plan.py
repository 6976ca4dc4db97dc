"""What is to be run: the options of the whole study and of the quick one, and one unit for every
method on every split."""

import os
import shutil
import tempfile

import data
import figures
import methods
import runs

HERE = os.path.dirname(os.path.abspath(__file__))

FULL = {
    "splits": 20,
    "first": 0,  # number of the first split
    "folds": 5,
    # of the folds, each dealt out anew; fewer where there are more than 100 rows (methods.Split)
    "repeats": 20,
    "lambda": (1 / 4, 2, 4),  # zero-one loss: from, to (times the number of training rows), points
    "lambda_hinge": (1 / 16, 16, 5),
    "prior_sd": (0.03, 3, 5),  # hinge loss
    "particles": 2000,
    "linear_c": range(-10, 5, 2),  # powers of two
    "rbf_c": range(-1, 6, 3),
    "rbf_gamma": range(-4, 3, 2),  # powers of two, over the number of columns
}
QUICK = {
    **FULL,
    "splits": 3,
    "folds": 3,
    "repeats": 1,
    "lambda": (1 / 2, 2, 2),
    "lambda_hinge": (1 / 16, 16, 3),
    "prior_sd": (0.03, 3, 3),
    "particles": 500,
    "linear_c": range(-10, 5, 4),
    "rbf_gamma": range(-4, 3, 3),
}
LARGE = ("dna",)  # not in the quick study

# Processor seconds of a unit of the whole study, roughly: they weigh the estimate of the time left.
SECONDS = {"linear": 0.5, "mean_field": 1.5, "full": 2, "hinge": 1, "default": 0.1, "rbf": 0.3,
           "smc": 1}
LARGER = {"german": 6, "dna": 30}
PROGRAMS = {"linear": ("liblinear-train", "liblinear-predict"), "rbf": ("svm-train", "svm-predict")}


def missing_programs():
    """Methods whose programs are not installed, with their names."""
    return {method: [p for p in programs if not shutil.which(p)]
            for method, programs in PROGRAMS.items() if not all(map(shutil.which, programs))}


def numbers_of_splits(s, options):
    return range(1) if s.fixed else range(options["first"], options["first"] + options["splits"])


def unit(program, base, s, split, method, options, facts):
    name = f"{s.name}-{split}-{method}"
    inputs = {"split": split, "method": method,
              "options": {k: options[k] for k in methods.USES[method]}, **facts}
    # what comes of it, so that other sets are not run again for nothing
    if "repeats" in inputs["options"]:
        inputs["options"]["repeats"] = methods.repeats(options, len(data.divide(base, s, split)[1]))
    inputs["set"] = {k: getattr(s, k) for k in ("files", "label", "positive", "share", "scales")}
    inputs["files"] = [runs.file_digest(os.path.join(base, file)) for file in s.files]

    def work(*known):
        with tempfile.TemporaryDirectory(prefix="gibbsite-study-") as folder:
            parts = data.divide(base, s, split)
            here = methods.Split(program, folder, parts, s.scales, options,
                                 known[0] if known else None)
            result = methods.TABLE[method](here)
        positive = sum(label > 0 for _, label in parts[2]) / len(parts[2])
        return {"set": s.name, "split": split, "method": method, "train_rows": len(parts[1]),
                "test_rows": len(parts[2]),
                "covariates": len(parts[0]), "majority_error": min(positive, 1 - positive),
                **result}

    weight = SECONDS[method] * LARGER.get(s.name, 1)
    if method != "smc":
        return runs.Unit(name, inputs, work, weight)
    return runs.Unit(name, lambda full: {**inputs, "zero": full["zero"]}, work, weight,
                     needs=(f"{s.name}-{split}-full",))


def units(program, base, chosen_sets, chosen_methods, options, quick, with_figures):
    facts = {"program": runs.file_digest(program),
             "recipe": [runs.file_digest(os.path.join(HERE, f)) for f in ("methods.py", "data.py")]}
    work = [
        unit(program, base, s, split, method, options, facts)
        for s in chosen_sets
        for split in numbers_of_splits(s, options)
        for method in methods.TABLE
        if method in chosen_methods
    ]
    if with_figures:
        work += figures.units(program, base, quick)
    # long ones first, so that both workers end together
    return sorted(work, key=lambda u: -u.weight)


def check_data(base, chosen_sets, with_figures, quick):
    """Files that are not there."""
    files = [file for s in chosen_sets for file in s.files]
    if with_figures:
        files += ["pima/train.csv"] + ([] if quick else ["adult/adult.csv.gz"])
    return [file for file in dict.fromkeys(files) if not os.path.exists(os.path.join(base, file))]


