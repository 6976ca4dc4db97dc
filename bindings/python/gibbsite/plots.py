"""Pictures of a fitted model, on matplotlib where it is there: each returns the axes."""
import numpy as np


def _axes(ax):
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib") from error
    return plt.subplots()[1]


def _fitted(model):
    """The fitted classifier or ranker, of a pipeline the one inside."""
    model = getattr(model, "fitted_", model)
    if not hasattr(model, "coefficients_") or not hasattr(model, "_check_fitted"):
        if hasattr(model, "_check_fitted"):
            model._check_fitted()
        raise TypeError("expected a fitted classifier or ranker, found "
                        f"{type(model).__name__}")
    return model


def _against(part):
    """What a binary problem of several classes tells apart."""
    return part["class"] if part.get("against") is None else f"{part['class']}|{part['against']}"


def certificate(model, ax=None):
    """Every bound beside the risk that was seen, and the baseline."""
    model = _fitted(model)
    ax = _axes(ax)
    told = model.certificates_[::-1]
    at = np.arange(len(told))
    ax.barh(at, [c["value"] for c in told], color="#c6d8ea", label="bound")
    seen = [np.nan if c["empirical"] is None else c["empirical"] for c in told]
    ax.plot(seen, at, "o", color="#1f4e79", label="seen")
    ax.set_yticks(at, ["1 - AUC" if c["target"] == "auc" else c["target"] for c in told])
    ax.set_ylim(-1, max(len(told), 3))
    if model.baseline_ is not None:
        ax.axvline(model.baseline_["error"], color="#a33", linestyle=":", label="baseline error")
    ax.set_xlabel("risk")
    ax.set_title(f"with confidence {model.certificate_['confidence']:g}: "
                 f"{model.certificate_['status']}")
    ax.legend()
    return ax


def reliability(model, ax=None):
    """How often a label came true against how often it was said to, on the test rows."""
    model = _fitted(model)
    if model.card_ is None:
        raise ValueError("this model was not tested on rows of its own")
    if "reliability" not in model.card_:
        raise ValueError("reliability is drawn of classifiers of two classes")
    ax = _axes(ax)
    bins = [b for b in model.card_["reliability"] if b["count"] > 0]
    size = np.array([b["count"] for b in bins], dtype=float)
    ax.plot([0, 1], [0, 1], color="#999", linewidth=1)
    ax.scatter([b["mean_prob"] for b in bins], [b["share_positive"] for b in bins],
               s=20 + 200 * size / size.max(), color="#1f4e79")
    ax.set_xlabel(f"probability of {model.classes_[1]}")
    ax.set_ylabel("share")
    return ax


def importance(model, ax=None, most=20):
    """Coefficients per standard deviation of their columns, with two standard deviations."""
    model = _fitted(model)
    told = model.coefficients_ or [
        {**c, "name": f"{_against(part)}: {c['name']}"} for part in model.parts_
        for c in part.get("coefficients", ()) if c["name"] != "(intercept)"]
    told = [c for c in told if c["name"] != "(intercept)"]
    ax = _axes(ax)
    told = sorted(told, key=lambda c: abs(c["mean"]))[-most:]
    at = np.arange(len(told))
    ax.errorbar([c["mean"] for c in told], at, xerr=[2 * c["sd"] for c in told], fmt="o",
                color="#1f4e79")
    ax.axvline(0, color="#999", linewidth=1)
    ax.set_yticks(at, [c["name"] for c in told])
    ax.set_xlabel("coefficient per standard deviation")
    return ax


def path(model, ax=None):
    """Risk and certificate along the values of lambda that were fitted."""
    model = _fitted(model)
    ax = _axes(ax)
    points = model.path_
    if not points:
        raise ValueError("a model of several classes has no one path: see parts_")
    lam = [p["lambda"] for p in points]
    ax.plot(lam, [p["gibbs_risk"] for p in points], "o-", color="#1f4e79", label="risk seen")
    bound = [np.nan if p["bound"] is None else p["bound"] for p in points]
    if np.isfinite(bound).any():
        ax.plot(lam, bound, "s--", color="#a33", label="bound")
    ax.set_xscale("log")
    ax.set_xlabel("lambda")
    ax.legend()
    return ax
