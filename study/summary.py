"""Where we beat, match or miss the paper and the linear support vector machine, in words, from the lines of the tables."""

import sets
import tables

OURS = ("mean_field", "full", "hinge", "smc")
JUDGED = ("mean_field", "full", "hinge")  # those that the project sets itself a target for
GLASS = (("glass_type1", "type 1"), ("glass_window", "window"))


def percent(value):
    return f"{100 * value:.1f}"


def listing(words):
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "none"


def of_method(lines, method):
    return [line for (_, m), line in lines.items() if m == method]


def score(lines, method):
    """At or below the paper in how many of its rows, for each reading of glass that was run; None without any of the paper's rows."""
    readings = [(title, *tables.counts(lines, method, name)) for name, title in GLASS if (name, method) in lines]
    if not readings:
        readings = [("", *tables.counts(lines, method, ""))]
    return [reading for reading in readings if reading[2]]


def why(line, lines):
    """What the runs say about a rate of the paper that we do not reach."""
    words = []
    linear = lines.get((line.set.name, "linear"))
    if linear:
        reaches = linear.error <= line.paper
        words.append(f"linear SVM {percent(linear.error)}" + (", which reaches it" if reaches else ", above it too"))
    if line.splits > 1:
        words.append(f"{line.lucky} of {line.splits} splits at or below it")
    else:
        words.append("one fixed split")
    majority = line.results[0]["majority_error"]
    if line.splits == 1 and abs(majority - line.paper) <= 0.015:
        words.append(f"one label for all test rows errs in {percent(majority)}, though the training rows are balanced" if line.set.name == "spect"
                     else f"one label for all test rows errs in {percent(majority)}")  # fmt: skip
    return "; ".join(words)


def paper_part(lines):
    yield "Against the paper (mean test error in per cent; beats and misses are by more than one standard error)"
    for method in OURS:
        rows = [line for line in of_method(lines, method) if line.paper is not None]
        if not rows:
            continue
        said = {verdict: [line.set.title for line in rows if line.verdict == verdict] for verdict in ("beats", "matches", "misses")}
        yield f"  {sets.TITLES[method]}: " + "; ".join(f"{verdict} {listing(titles)}" for verdict, titles in said.items() if titles)
        readings = "; ".join(f"{k} of {n}" + (f" (glass: {title})" if title else "") for title, k, n in score(lines, method))
        yield f"    at or below the paper's rate in {readings} of its rows"
        for line in rows:
            if not line.at_or_below:
                yield f"    {line.set.title}: {percent(line.error)} against {percent(line.paper)}: {why(line, lines)}"


def difference(line):
    return f"{line.set.title} ({100 * line.difference:+.1f} +- {100 * line.difference_se:.1f})"


def peer_part(lines):
    rows = [line for method in OURS for line in of_method(lines, method) if line.peer]
    if not rows:
        return
    yield "Against the linear SVM, paired (difference in points; negative: we err less)"
    for method in OURS:
        mine = [line for line in rows if line.method == method]
        if not mine:
            continue
        said = {verdict: [line for line in mine if line.peer == verdict] for verdict in ("beats", "matches", "misses")}
        yield f"  {sets.TITLES[method]}: " + "; ".join(
            f"{verdict} on {listing(difference(line) for line in group)}" for verdict, group in said.items() if group
        )


def target_part(lines):
    """The project's own targets."""
    for method in JUDGED:
        readings = score(lines, method)
        if not readings or readings[0][2] < 7:
            continue
        reached = max(k for _, k, _ in readings) >= 5
        yield f"  {sets.TITLES[method]}: at or below the paper in at least 5 of 7 rows: {'yes' if reached else 'no; the reasons stand above'}"
    rows = [line for method in JUDGED for line in of_method(lines, method) if line.peer]
    if rows:
        worse = [f"{sets.TITLES[line.method]} on {line.set.title}" for line in rows if line.peer == "misses"]
        yield f"  never worse than the linear SVM by more than one standard error: {'yes' if not worse else 'no: ' + listing(worse)}"


def text(lines):
    parts = [*paper_part(lines), *peer_part(lines)]
    target = list(target_part(lines))
    return parts + (["Targets", *target] if target else [])
