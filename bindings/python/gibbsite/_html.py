"""What a notebook shows of a fitted estimator."""
from html import escape


def percent(x):
    return f"{100.0 * x:.2f} %" if x is not None else "–"


def _rows(pairs):
    return "".join(f"<tr><th style='text-align:left'>{escape(key)}</th>"
                   f"<td style='text-align:left'>{escape(str(value))}</td></tr>"
                   for key, value in pairs)


def _sentence(estimator):
    c = estimator.certificate_
    if c is None:
        return "no certificate"
    what = {"vote": "labels are wrong", "gibbs": "one random draw is wrong",
            "mixture": "one random draw is wrong"}.get(c["target"], f"{c['target']}: the loss is")
    return f"{what} in at most {percent(c['value'])} of all cases, with confidence " \
           f"{c['confidence']:g}: {c['status']}"


def certificate_table(certificates):
    head = "<tr><th>bound</th><th>of</th><th>method</th><th>rows</th><th>seen</th><th></th></tr>"
    body = "".join(
        f"<tr><td>{c['value']:.4f}</td><td style='text-align:left'>{escape(c['target'])}</td>"
        f"<td style='text-align:left'>{escape(c['method'])}</td><td>{c['rows']}</td>"
        f"<td>{c['empirical']:.4f}</td><td>{escape(c['status'])}</td></tr>" for c in certificates)
    return f"<table>{head}{body}</table>"


def card(estimator):
    """A fragment of HTML: certificate, card, assumptions."""
    pairs = [("certificate", _sentence(estimator))]
    if estimator.baseline_ is not None:
        pairs.append(("baseline", f"always {estimator.baseline_['label']}: wrong in "
                                  f"{percent(estimator.baseline_['error'])} of the test rows"))
    if estimator.card_ is not None:
        told = estimator.card_
        pairs += [("rows", f"{told['learned']} learned from, {told['tested']} tested on"),
                  ("probabilities", f"Brier score {told['brier']:.4f}, log loss "
                                    f"{told['log_loss']:.4f}")]
        if told.get("auc") is not None:
            pairs.append(("AUC", f"{told['auc']:.4f}"))
    assumed = "".join(f"<li>{escape(text)}</li>"
                      for text in (estimator.certificate_ or {}).get("assumptions", ()))
    return (f"<div><b>{escape(repr(estimator))}</b><table>{_rows(pairs)}</table>"
            f"<details><summary>all certificates</summary>"
            f"{certificate_table(estimator.certificates_)}</details>"
            f"<details><summary>it assumes that</summary><ul>{assumed}</ul></details></div>")


class ShowsCertificate:
    """Mixin: a fitted estimator shows its certificate and card."""

    def _repr_html_(self):
        return card(self) if hasattr(self, "_handle") else f"<pre>{escape(repr(self))}</pre>"

    def _repr_mimebundle_(self, **_):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
