"""What a notebook shows of a fitted estimator."""
from html import escape
from math import ceil, floor, isfinite, log10


def percent(x):
    return f"{100.0 * x:.2f} %" if x is not None else "–"


def up(bound, decimals):
    """What an upper bound is shown as: the least number of so many decimals not below it."""
    unit = 10.0 ** decimals
    return ceil(bound * unit - 1e-9) / unit if isfinite(bound) else bound


def _rows(pairs):
    return "".join(f"<tr><th style='text-align:left'>{escape(key)}</th>"
                   f"<td style='text-align:left'>{escape(str(value))}</td></tr>"
                   for key, value in pairs)


def _certified(c):
    """What a certificate says, by its target."""
    share = f"wrong in at most {100.0 * up(c['value'], 4):.2f} % of all cases"
    if c.get("rmse") is not None:
        what = "" if c["target"] == "rmse" else " of one random draw"
        digits = 3 - floor(log10(c["rmse"])) if c["rmse"] > 0.0 else 4
        return f"the root mean squared error{what} is at most {up(c['rmse'], digits):.4g}"
    if c.get("risk") == "1-auc":
        what = "the score" if c["target"] == "auc" else "one random draw"
        return f"the AUC of {what} is at least {-up(c['value'] - 1.0, 4):.4f}"
    return f"labels are {share}" if c["target"] == "vote" else f"one random draw is {share}"


def _sentence(estimator):
    c = estimator.certificate_
    if c is None:
        return "no certificate"
    return f"{_certified(c)}, with confidence {c['confidence']:g}: {c['status']}"


def _seen(risk):
    """A recall of no test row has none."""
    return "-" if risk is None else f"{risk:.4f}"


def certificate_table(certificates):
    head = "".join(f"<th style='text-align:left'>{name}</th>"
                   for name in ("bound", "of", "method", "rows", "seen", ""))
    body = "".join(
        f"<tr><td>{up(c['value'], 4):.4f}</td><td style='text-align:left'>{escape(c['target'])}</td>"
        f"<td style='text-align:left'>{escape(c['method'])}</td><td>{c['rows']}</td>"
        f"<td>{_seen(c['empirical'])}</td><td>{escape(c['status'])}</td></tr>"
        for c in certificates)
    return f"<table><tr>{head}</tr>{body}</table>"


def card(estimator, name=None):
    """A fragment of HTML: certificate, card, assumptions; `name`: of a pipeline around it."""
    pairs = [("certificate", _sentence(estimator))]
    if estimator.baseline_ is not None:
        pairs.append(("baseline", f"always {estimator.baseline_['label']}: wrong in "
                                  f"{percent(estimator.baseline_['error'])} of the test rows"))
    if estimator.card_ is not None:
        told = estimator.card_
        pairs.append(("rows", f"{told['learned']} learned from, {told['tested']} tested on"))
        if told.get("brier") is not None:
            pairs.append(("probabilities", f"Brier score {told['brier']:.4f}, log loss "
                                           f"{told['log_loss']:.4f}"))
        if told.get("auc") is not None:
            pairs.append(("AUC", f"{told['auc']:.4f}"))
    return _page(estimator, pairs, certificate_table(estimator.certificates_), name)


def completion_card(estimator):
    """The same of a completion."""
    pairs = [("certificate", _sentence(estimator) if estimator.certificate_ is not None else
              "none: range=(low, high) declares what values there can be"),
             ("ratings", f"{estimator.info_['n']}, RMSE {estimator.rmse_:.4g} on them"),
             ("rank", f"{estimator.effective_rank_} of {estimator.info_['rank']} components")]
    return _page(estimator, pairs, "")


def _page(estimator, pairs, certificates, name=None):
    assumed = "".join(f"<li>{escape(text)}</li>"
                      for text in (estimator.certificate_ or {}).get("assumptions", ()))
    more = [("all certificates", certificates),
            ("it assumes that", assumed and f"<ul>{assumed}</ul>")]
    details = "".join(f"<details><summary>{name}</summary>{body}</details>" for name, body in more
                      if body)
    title = escape(name or repr(estimator))
    return f"<div><b>{title}</b><table>{_rows(pairs)}</table>{details}</div>"


class ShowsCertificate:
    """Mixin: a fitted estimator shows its certificate and card."""

    _card = staticmethod(card)

    def _repr_html_(self):
        return self._card(self) if hasattr(self, "_handle") else f"<pre>{escape(repr(self))}</pre>"

    def _repr_mimebundle_(self, **_):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
