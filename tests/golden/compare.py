#!/usr/bin/python3
"""Compares two golden lists (run.sh) value by value.

    compare.py OLD NEW [--tolerance T] [--chains T] [--changes FILE] [--show N]

Exit 0: every value of OLD is in NEW and agrees; 1: not so; 2: a file cannot be read. What differs
is named by command and key, the largest deviation first. Values of NEW alone are listed, no more.

How a value is compared is decided by its command and key, by the first line of RULES that fits:

  number F   |a - b| <= T max(|a|, |b|, F), T from --tolerance (default 1e-12). F keeps what is near
             zero by cancellation from being judged by its own size: 1 for means, scores,
             probabilities, KL and gaps, 0.01 for all others.
  effort     iterations, sweeps, pairs looked at: at most twice OLD's and ten. Fewer is welcome.
  proof      optimality gaps, which are as small as the last step happened to make them: at
             most twice OLD's plus 1e-5.
  chain      values of Markov chains. As number 1; but with --chains, its tolerance instead, and
             labels, flags and what belongs to single temperatures (path) are not compared: one
             decision made otherwise, for a last bit or because a fit that the moves start from
             stopped a step earlier, makes it another chain of the same law.

Texts, true, false, null and exit codes have to be the same.

--changes FILE names what has changed on purpose since OLD: lines of commands, keys (patterns, * and
?, with commas between several) and the reason. Such values are counted and not judged; a pattern
that fits nothing that differs is an error, so that the file does not outlive its reasons.
"""
import argparse
import fnmatch
import math
import re
import sys

RULES = [  # patterns of command and key (elements as []), kind, F
    ("*", "exit", "number", 0.0),
    ("*", "*iterations", "effort", 0.0),
    ("*", "*sweeps", "effort", 0.0),
    ("*", "*pair_evaluations", "effort", 0.0),
    ("*", "*optimality_gap", "proof", 0.0),
    ("sample/*", "*", "chain", 1.0),
    ("complete/gibbs*", "*", "chain", 1.0),
    ("complete/predict-gibbs", "*", "chain", 1.0),
    ("*", "*prob", "number", 1.0),
    ("*", "*score", "number", 1.0),
    ("*", "*mean", "number", 1.0),
    ("*", "*mean[]", "number", 1.0),
    ("*", "*covariance[][]", "number", 1.0),
    ("*", "*kl", "number", 1.0),
    ("*", "*gap", "number", 1.0),
    ("*", "*", "number", 0.01),
]
NOT_OF_ONE_CHAIN = ("path*", "ess", "row[].label", "*at_least", "components*", "effective_rank")


def fail(message):
    print("compare.py: " + message, file=sys.stderr)
    sys.exit(2)


def read(name):
    """{(command, key): text} in the file's order."""
    values, command = {}, ""
    try:
        with open(name, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.rstrip("\n")
                if line.startswith("#") or not line:
                    continue
                if line.startswith("[") and line.endswith("]") and "\t" not in line:
                    command = line[1:-1]
                    continue
                key, tab, value = line.partition("\t")
                if not tab or not command:
                    fail("%s:%d: not a line of a golden list" % (name, number))
                values[command, key] = value
    except (OSError, UnicodeDecodeError) as error:
        fail(str(error))
    if not values:
        fail(name + ": no values")
    return values


def read_changes(name):
    changes = []
    try:
        with open(name, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.startswith("#") or not line.strip():
                    continue
                words = line.split(None, 2)
                if len(words) < 3:
                    fail("%s:%d: expected commands, keys and reason" % (name, number))
                used = [dict.fromkeys(patterns.split(","), 0) for patterns in words[:2]]
                changes.append((used, "%s:%d" % (name, number)))
    except OSError as error:
        fail(str(error))
    return changes


def fits(text, pattern):
    """fnmatch, but [ and ] stand for themselves."""
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


def excused(command, key, changes):
    """Is it a change on purpose? Notes which patterns said so."""
    for used, _ in changes:
        which = [next((p for p in patterns if fits(text, p)), None)
                 for text, patterns in zip((command, key), used)]
        if None not in which:
            for patterns, pattern in zip(used, which):
                patterns[pattern] += 1
            return True
    return False


def plain(key):
    """The key without what stands in its brackets."""
    return re.sub(r"\[[^\]]*\]", "[]", key)


def rule(command, key):
    return next((kind, floor) for commands, keys, kind, floor in RULES
                if fits(command, commands) and fits(plain(key), keys))


def another_chain(command, key, options):
    """Is it a value that only the very same chain has, and are other chains allowed?"""
    return (options.chains is not None and rule(command, key)[0] == "chain"
            and any(fits(plain(key), pattern) for pattern in NOT_OF_ONE_CHAIN))


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def deviation(command, key, old, new, options):
    """How far apart the two are (inf: not two numbers), and whether that is too far."""
    if old == new or another_chain(command, key, options):
        return 0.0, False
    kind, floor = rule(command, key)
    a, b = number(old), number(new)
    if a is None or b is None or not (math.isfinite(a) and math.isfinite(b)):
        return math.inf, True
    error = abs(a - b) / max(abs(a), abs(b), floor)
    if kind == "effort":
        return error, b > 2 * a + 10
    if kind == "proof":
        return error, b > 2 * a + 1e-5
    loose = kind == "chain" and options.chains is not None
    return error, error > (options.chains if loose else options.tolerance)


def listing(title, lines, show):
    if lines:
        print("%s: %d" % (title, len(lines)))
        for line in lines[:show]:
            print("  " + line)
        if len(lines) > show:
            print("  ... and %d more (--show N)" % (len(lines) - show))


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("\n")[2].strip(), description=__doc__.split("\n", 4)[4],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--tolerance", type=float, default=1e-12)
    parser.add_argument("--chains", type=float)
    parser.add_argument("--changes")
    parser.add_argument("--show", type=int, default=40)
    options = parser.parse_args()
    old, new = read(options.old), read(options.new)
    changes = read_changes(options.changes) if options.changes else []
    apart, gone, forgiven = [], [], 0
    largest = 0.0
    for (command, key), before in old.items():
        after = new.get((command, key))
        if after is None:
            error, wrong = math.inf, not another_chain(command, key, options)
        else:
            error, wrong = deviation(command, key, before, after, options)
        if not wrong:
            if after is not None and rule(command, key)[0] == "number":
                largest = max(largest, error)
            continue
        if excused(command, key, changes):
            forgiven += 1
        elif after is None:
            gone.append("%s  %s  was %s" % (command, key, before))
        else:
            apart.append((error, "%.3g  %s  %s  %s -> %s" % (error, command, key, before, after)))
    apart.sort(key=lambda pair: -pair[0])
    added = ["%s  %s  is %s" % (*pair, new[pair]) for pair in new if pair not in old]
    stale = ["%s: %s" % (place, pattern) for used, place in changes for patterns in used
             for pattern, count in patterns.items() if not count]
    listing("values that differ (inf: not two numbers), the largest deviation first",
            [line for _, line in apart], options.show)
    listing("values that are missing", gone, options.show)
    listing("values that are new (no failure)", added, options.show)
    listing("changes on purpose that nothing shows", stale, options.show)
    print("%d values compared: %d differ, %d are missing, %d have changed on purpose; %d are new; "
          "the others agree to %.2g" % (len(old), len(apart), len(gone), forgiven, len(added),
                                        largest))
    return 1 if apart or gone or stale else 0


if __name__ == "__main__":
    sys.exit(main())
