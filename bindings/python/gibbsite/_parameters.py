"""Parameters of an estimator out of a model file: what the file holds of how it was fitted.

Choices that the fit made are given as it made them (`loss="probit"` where it was asked for "auto").
What a file does not tell stays at its default: `looked`, `options`, `solver`, tolerances, weights.
"""
import json

from ._settings import Standard

FIT = Standard("fit")
# Methods of a certificate that name the parameter `bound`; others are those of the default.
BOUNDS = ("kl", "catoni", "progressive", "hoeffding", "paper")


def given(parameters, estimator):
    """Those of them that the estimator has, without what is not known."""
    names = estimator.get_params(deep=False)
    return {name: value for name, value in parameters.items()
            if name in names and value is not None}


def seed(about):
    """None: the seed 1, or none that was written down."""
    text = str((about.get("origin") or {}).get("seed") or "1")
    return int(text) if text.isdigit() and text != "1" else None


def features(about, columns):
    """"fourier:200": how many of them, beside the columns and the intercept."""
    told = about["features"]
    made = told["columns"] - columns - (1 if about["intercept"] else 0)
    return told["map"] if told["map"] == "linear" or made < 1 else f"{told['map']}:{made}"


def _costs(about, file, classes):
    """What errors cost; of two classes a pair."""
    if classes == 2:
        card = about.get("card") or {}
        if card.get("threshold", 0.5) == 0.5:
            return None
        kept = json.loads(file())["deployed"]
        return kept["cost_missed"], kept["cost_false"]
    if all(line["target"] != "cost" for line in about["certificates"] or ()):
        return None
    cost = json.loads(file())["many"].get("cost")
    return cost and [cost[k * classes:(k + 1) * classes] for k in range(classes)]


def _split(about):
    """Two thirds are learned from, or another share of the rows."""
    card, rows = about.get("card") or {}, about["n"]
    learned, line = card.get("learned"), about["certificate"] or {}
    if learned is None or line.get("blocks") != line.get("rows") or abs(learned - 2 * rows / 3) < 1:
        return None
    return learned / rows


def of_model(about, file, columns, classes, filled):
    """Of a classifier or ranker; `file` gives the bytes of its file, `columns` are those that the
    recipe makes, `filled`: it fills missing cells."""
    line, card = about["certificate"] or {}, about.get("card") or {}
    method, softmax = line.get("method"), about.get("scheme") == "softmax"
    lam, sd = about["lambda"], about["prior_sd"]
    standard = card.get("learned", about["n"])
    free = method in BOUNDS and about["prior"] == "informed"  # chosen with the bound
    return {
        "loss": None if softmax else about["loss"],
        "family": None if softmax else about["family"],
        "features": features(about, columns), "prior": about["prior"],
        "lam": None if free or lam == standard else lam,
        "prior_sd": None if softmax or method == "progressive" else sd,
        "prior_split": _split(about), "bound": method if method in BOUNDS else None,
        "confidence": line.get("confidence"), "cost": _costs(about, file, classes),
        "joint": card.get("joint"), "scale": about["scale"],
        "columns": None if softmax else about["columns"],
        "fit_intercept": about["intercept"], "missing": "impute" if filled else None,
        "random_state": seed(about)}


def of_sample(about):
    lam = about["lambda"]
    return {"loss": about["loss"], "lam": None if lam == about["n_data"] else lam,
            "prior_sd": about["prior_sd"], "scale": about["scale"],
            "fit_intercept": about["intercept"], "particles": about["particles"],
            "chains": about["chains"], "move": about["move"], "random_state": seed(about)}


def of_completion(about):
    line, paper = about["certificate"] or {}, about["model"] == "paper"
    ends = about["range"]
    return {"rank": about["rank"], "model": about["model"],
            "positions": None if paper else "on" if about["positions"] else "off",
            "prior": about["prior"] if paper else None,
            "prior_split": about["prior_split"] if paper else None,
            "sampler": about["sampler"] if paper else None,
            "range": tuple(ends) if ends is not None else None, "biases": about["biases"],
            "confidence": line.get("confidence"), "random_state": seed(about)}
