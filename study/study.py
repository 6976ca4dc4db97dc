#!/usr/bin/python3
"""The paper's tables and figures, made anew over the command line of Gibbsite.

    study/study.py [--quick] [--out DIR] [--sets NAMES] [--methods NAMES] [--splits N]
    [--first-split K] [--repeats N] [--workers N] [--no-figures | --figure1] [--markdown FILE]

Data: the folder GIBBSITE_DATA (default ../shared/data, seen from the repository). Results: CSV
files and study.html under --out (default study/out, with --quick study/out/quick); what has been
run is kept under its runs/ and not run again. --figure1: the paper's Figure 1 alone, as figure1.csv
and figure1.html (two minutes; with --quick pima alone, a moment).
"""

import argparse
import os
import sys

import data
import figures as plan_figures
import methods
import plan
import publish
import runs
import sets
import tool

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def names(text, known, what):
    chosen = [name for name in text.split(",") if name]
    unknown = [name for name in chosen if name not in known]
    if unknown or not chosen:
        print(f"study: --{what}: expected names from {', '.join(known)}, found '{text}'",
              file=sys.stderr)
        sys.exit(2)
    return chosen


def arguments():
    parser = argparse.ArgumentParser(prog="study.py",
                                     description="The paper's tables and figures, made anew.",
                                     allow_abbrev=False)
    parser.add_argument("--quick", action="store_true",
                        help="three splits, three folds, the small sets, coarse grids: some "
                             "minutes")
    parser.add_argument("--out",
                        help="folder of the results (default study/out, with --quick "
                             "study/out/quick)")
    parser.add_argument("--sets",
                        help="some of the sets, separated by commas: " + ", ".join(sets.BY_NAME))
    parser.add_argument("--methods", help="some of the methods: " + ", ".join(methods.TABLE))
    parser.add_argument("--splits", type=int,
                        help="random splits of a set (default 20, with --quick 3)")
    parser.add_argument("--first-split", type=int, dest="first", metavar="K",
                        help="number of the first of them (default 0): other numbers, other splits")
    parser.add_argument("--repeats", type=int,
                        help="repeats of the cross-validation (default 20, with --quick 1; fewer "
                             "where there are many rows)")
    parser.add_argument("--workers", type=int, default=2,
                        help="units at a time, one thread each (default 2)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--no-figures", action="store_true", help="the tables alone")
    which.add_argument("--figure1", action="store_true",
                       help="the bound along the stochastic descent for ranking, alone: "
                            "figure1.csv, figure1.html")
    parser.add_argument("--markdown", metavar="FILE",
                        help="write the tables to FILE as Markdown, too")
    args = parser.parse_args()
    for name in ("splits", "repeats", "workers"):
        if getattr(args, name) is not None and getattr(args, name) < 1:
            parser.error(f"--{name}: expected 1 or more")
    if args.first is not None and args.first < 0:
        parser.error("--first-split: expected 0 or more")
    return args


def chosen_sets(args):
    if args.figure1:
        return []
    if args.sets:
        wanted = names(args.sets, sets.BY_NAME, "sets")
        return [s for s in sets.SETS if s.name in wanted]
    return [s for s in sets.SETS if not (args.quick and s.name in plan.LARGE)]


def chosen_methods(args):
    if args.figure1:
        return []
    wanted = names(args.methods, methods.TABLE, "methods") if args.methods else list(methods.TABLE)
    if "smc" in wanted and "full" not in wanted:
        wanted.append("full")  # smc samples at the lambda chosen for it
    for method, programs in plan.missing_programs().items():
        if method in wanted:
            print(
                f"study: {sets.TITLES[method]} left out: {' and '.join(programs)} not installed "
                f"(tools/setup.sh study)")
            wanted.remove(method)
    return wanted


def main():
    args = arguments()
    options = dict(plan.QUICK if args.quick else plan.FULL)
    options.update({name: getattr(args, name) for name in ("splits", "first", "repeats")
                    if getattr(args, name)})
    chosen, figures = chosen_sets(args), not args.no_figures
    program = os.environ.get("GIBBSITE") or os.path.join(ROOT, "build", "gibbsite")
    if not os.access(program, os.X_OK):
        sys.exit(f"study: there is no program {program}; `make build` builds it")
    base = data.folder(ROOT)
    absent = plan.check_data(base, chosen, figures, args.quick)
    if absent:
        print(
            f"study: skipped: {absent[0]}{' and others are' if absent[1:] else ' is'} not below "
            f"{base}; GIBBSITE_DATA says where the data sets are")
        return 0
    wanted = chosen_methods(args)
    os.environ.update(GIBBSITE_THREADS="1", LC_ALL="C")
    out = args.out or os.path.join(HERE, "out", *(["quick"] if args.quick else []))
    try:
        work = plan_figures.descents(program, base,
                                     args.quick) if args.figure1 else plan.units(
                                         program, base, chosen, wanted, options, args.quick,
                                         figures)
        results, kept = runs.run_all(work, runs.Store(os.path.join(out, "runs")), args.workers)
    except runs.Interrupted as note:
        print(f"study: {note}", file=sys.stderr)
        return 130
    except tool.Failed as note:
        print(f"study: failed:\n{note}", file=sys.stderr)
        return 1
    print(f"study: {len(work)} units, {kept} of them kept from before")
    if args.figure1:
        publish.figure1(out, results)
    else:
        publish.everything(out, results, chosen, wanted, options, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
