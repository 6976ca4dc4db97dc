"""From the runs to the tables: means, standard errors, and what they say against the paper and
against the linear support vector machine.

Standard errors. Twenty splits: of their mean, sd/sqrt(20) (the splits share rows, so it speaks of
the choice of a split, not of other data). One fixed split: binomial, from its test rows.
Differences between two methods are paired: split by split, or row by row where there is one split;
beside that stands the looser verdict of the tables' own standard errors, sqrt(a^2 + b^2) for a
difference.
"""

import math

import sets


def mean_se(values):
    n = len(values)
    mean = sum(values) / n
    return mean, (math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n) if n > 1 else None)


def share_se(values, test_rows):
    """Mean and standard error of error rates, one a split; a single one gets the binomial standard
    error."""
    mean, se = mean_se(values)
    return mean, math.sqrt(mean * (1 - mean) / test_rows) if se is None else se


def rate(wrong):
    return wrong.count("1") / len(wrong)


def paired(ours, theirs):
    """Mean difference of two methods' errors and its standard error; both are lists of strings of 0
    and 1, one a split."""
    if len(ours) > 1:
        return mean_se([rate(a) - rate(b) for a, b in zip(ours, theirs)])
    return mean_se([(a == "1") - (b == "1") for a, b in zip(ours[0], theirs[0])])


def against(difference, se):
    """beats, matches (within one standard error) or misses."""
    if abs(difference) <= se:
        return "matches"
    return "beats" if difference < 0 else "misses"


class Line:
    """One method on one set."""

    def __init__(self, s, method, results, linear):
        self.set, self.method, self.results = s, method, results
        self.wrong = [r["wrong"] for r in results]
        self.rates = [rate(w) for w in self.wrong]
        self.splits, self.test_rows = len(results), len(self.wrong[0])
        self.error, self.se = share_se(self.rates, self.test_rows)
        self.paper = sets.paper_rate(s, method)
        self.verdict = against(self.error - self.paper, self.se) if self.paper is not None else None
        self.at_or_below = self.error <= self.paper + 1e-12 if self.paper is not None else None
        self.lucky = sum(r <= self.paper + 1e-12
                         for r in self.rates) if self.paper is not None else None
        self.difference = self.difference_se = self.peer = self.peer_unpaired = None
        if linear and method != "linear":
            theirs = [r["wrong"] for r in linear]
            self.difference, self.difference_se = paired(self.wrong, theirs)
            self.peer = against(self.difference, self.difference_se)
            self.peer_unpaired = against(self.difference,
                                         math.hypot(self.se, share_se([rate(w) for w in theirs],
                                                                      self.test_rows)[1]))
        self.cpu = sum(r["seconds_cpu"] for r in results) / self.splits
        fits = [r["seconds_fit"] for r in results if "seconds_fit" in r]
        self.fit = sum(fits) / len(fits) if fits else None

    def mean(self, key):
        """Mean and standard error of a kept number over the splits; None where no split has it."""
        values = [r[key] for r in self.results if r.get(key) is not None]
        return mean_se(values) if values else None


def collect(results, chosen_sets, methods, splits):
    """Line by (set name, method), of the units that the study has."""
    lines = {}
    for s in chosen_sets:
        kept = {m: [results[f"{s.name}-{k}-{m}"] for k in splits(s)] for m in methods
                if f"{s.name}-{splits(s)[0]}-{m}" in results}
        for method, group in kept.items():
            lines[s.name, method] = Line(s, method, group, kept.get("linear"))
    return lines


def counts(lines, method, glass):
    """(at or below the paper, rows) over the paper's rows, glass read as the set `glass`."""
    rows = [line for (_, m), line in lines.items() if m == method and line.paper is not None
            and line.set.name in (glass, *others())]
    return sum(line.at_or_below for line in rows), len(rows)


def others():
    return [s.name for s in sets.SETS if s.paper and s.paper != "Glass"]


def zero_prior(line):
    """One posterior under the zero prior, instead of a vote: mean rate, standard error, and the
    mean weight of informed priors in the vote; None for methods that do not vote."""
    if "zero" not in line.results[0]:
        return None
    error, se = share_se([rate(r["zero"]["wrong"]) for r in line.results], line.test_rows)
    return error, se, line.mean("informed")[0]
