"""Where we beat, match or miss the paper and the linear support vector machine, in words, from the
lines of the tables."""

import sets
import tables

OURS = ("mean_field", "full", "hinge", "smc")
JUDGED = ("mean_field", "full", "hinge")  # those that the project sets itself a target for
# the chance of a Gaussian to lie more than one standard deviation above its mean
BEYOND_ONE = 0.159
GLASS = (("glass_type1", "type 1"), ("glass_window", "window"))


def percent(value):
    return f"{100 * value:.1f}"


def listing(words):
    words = list(words)
    return words[0] if len(
        words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "none"


def of_method(lines, method):
    return [line for (_, m), line in lines.items() if m == method]


def score(lines, method):
    """(how glass is read, rows at or below the paper, rows) for each reading that was run; empty
    without any of the paper's rows."""
    readings = [(title, *tables.counts(lines, method, name)) for name, title in GLASS
                if (name, method) in lines]
    if not readings:
        readings = [("", *tables.counts(lines, method, ""))]
    return [reading for reading in readings if reading[2]]


def score_words(readings):
    return ", ".join(f"{k} of {n}" + (f" (glass read as {title})" if title else "")
                     for title, k, n in readings)


def why(line, lines):
    """What the runs say about a rate of the paper that we do not reach."""
    words = []
    for method in ("linear", "rbf"):
        peer = lines.get((line.set.name, method))
        if peer:
            words.append(
                f"{sets.TITLES[method]} {percent(peer.error)}, "
                f"{'which reaches it' if peer.error <= line.paper else 'above it too'}")
    majority = line.results[0]["majority_error"]
    if line.splits > 1:
        words.append(f"{line.lucky} of our {line.splits} splits at or below it")
    elif abs(majority - line.paper) <= 0.015:
        words.append(
            f"one label for all test rows errs in {percent(majority)}, and nothing in the "
            f"training rows tells it so")
    shuffled = lines.get((line.set.name + "_shuffled", line.method))
    if shuffled:
        words.append(
            f"{percent(shuffled.error)} +- {percent(shuffled.se)} over {shuffled.splits} shuffles "
            f"of the same rows")
    return "; ".join(words)


def counts_part(lines):
    """Method by method, in one line."""
    for method in OURS:
        rows = [line for line in of_method(lines, method) if line.paper is not None]
        if rows:
            said = ", ".join(f"{verdict} {sum(line.verdict == verdict for line in rows)}"
                             for verdict in ("beats", "matches", "misses"))
            yield (
                f"  {sets.TITLES[method]} against the paper: {said}; at or below its rate in "
                f"{score_words(score(lines, method))} of its rows")


def glass_part(lines):
    """Which reading of glass the paper's RBF column speaks for."""
    ours = [(title, lines[name, "rbf"]) for name, title in GLASS if (name, "rbf") in lines]
    if len(ours) == 2:
        near = min(ours, key=lambda pair: abs(pair[1].error - pair[1].paper))[0]
        yield (
            f"  Which glass: the paper's RBF SVM errs in {percent(ours[0][1].paper)}, ours in "
            + " and ".join(f"{percent(line.error)} ({title})" for title, line in ours)
            + f"; so {near} it was, most likely"
        )


def paper_part(lines):
    if not any(line.paper is not None and line.method in OURS for line in lines.values()):
        return
    yield (
        "Against the paper (mean test error in per cent; beats and misses are by more than one "
        "standard error)")
    for method in OURS:
        rows = [line for line in of_method(lines, method) if line.paper is not None]
        if not rows:
            continue
        said = {verdict: [line.set.title for line in rows if line.verdict == verdict]
                for verdict in ("beats", "matches", "misses")}
        yield f"  {sets.TITLES[method]}: " + "; ".join(f"{verdict} {listing(titles)}"
                                                       for verdict, titles in said.items()
                                                       if titles)
        yield (
            f"    rows of the paper where our mean is at or below its rate: "
            f"{score_words(score(lines, method))}")
        for line in rows:
            if not line.at_or_below:
                yield (
                    f"    {line.set.title}: {percent(line.error)} against {percent(line.paper)}: "
                    f"{why(line, lines)}")
    yield from glass_part(lines)


def difference(line):
    points = 100 * line.difference
    return (
        f"{line.set.title} ({points if abs(points) >= 0.05 else 0:+.1f} +- "
        f"{100 * line.difference_se:.1f})")


def peer_part(lines):
    rows = [line for line in lines.values() if line.peer and line.method in OURS]
    if not rows:
        return
    yield "Against the linear SVM, paired (difference in points; negative: we err less)"
    for method in OURS:
        mine = [line for line in rows if line.method == method]
        if not mine:
            continue
        said = {verdict: [line for line in mine if line.peer == verdict]
                for verdict in ("beats", "matches", "misses")}
        yield f"  {sets.TITLES[method]}: " + "; ".join(
            f"{verdict} on {listing(difference(line) for line in group)}"
            for verdict, group in said.items() if group
        )


def target_part(lines):
    """The project's own targets."""
    for method in JUDGED:
        readings = score(lines, method)
        if not readings or readings[0][2] < 7:
            continue
        enough = [title for title, k, _ in readings if k >= 5]
        verdict = "no" if not enough else "yes" if len(enough) == len(
            readings) else f"yes with glass read as {enough[0]}, no otherwise"
        yield f"  {sets.TITLES[method]} at or below the paper in at least 5 of 7 rows: {verdict}"
    rows = [line for method in JUDGED for line in of_method(lines, method) if line.peer]
    for kind, mine in (("over random splits", [l for l in rows if l.splits > 1]),
                       ("on the fixed splits", [l for l in rows if l.splits == 1])):
        if mine:
            yield f"  never worse than the linear SVM by more than one standard error, {kind}"
            yield f"    by the standard errors of the tables: {never_worse(mine, 'peer_unpaired')}"
            yield (
                f"    paired: {never_worse(mine, 'peer')} (of {len(mine)} pairs of equally good "
                f"methods {BEYOND_ONE * len(mine):.0f} would be)")


def never_worse(rows, verdict):
    """A target's outcome; `verdict` is the attribute that holds a line's."""
    worse = [f"{sets.TITLES[line.method]} on {difference(line)}" for line in rows
             if getattr(line, verdict) == "misses"]
    better = sum(getattr(line, verdict) == "beats" for line in rows)
    said = (f"no, worse in {len(worse)} of {len(rows)} comparisons: {listing(worse)}" if worse
            else f"yes, in {len(rows)} comparisons")
    return f"{said}; better in {better}"


def text(lines):
    parts = [*paper_part(lines), *peer_part(lines)]
    target = list(target_part(lines))
    return parts + (["Targets", *target] if target else [])
