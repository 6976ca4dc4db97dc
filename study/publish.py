"""What the study leaves: CSV files, one HTML page, Markdown where asked for, and the summary on
standard output."""

import csv
import os

import charts
import page
import plan
import sets
import summary
import tables

TABLE1 = ("mean_field", "full", "smc", "rbf", "linear")
TABLE2 = ("hinge", "smc", "linear")


def write_whole(path, text):
    new = path + ".new"
    with open(new, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.replace(new, path)


def write_rows(path, header, rows):
    with open(path + ".new", "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows([["" if v is None else f"{v:.6g}" if isinstance(v, float) else v for v in row]
                       for row in rows])
    os.replace(path + ".new", path)


def table_rows(lines, chosen, methods):
    """One row a set: covariates, then for each method ours, its standard error, and the paper's, in
    per cent."""
    for s in chosen:
        have = [lines.get((s.name, m)) for m in methods]
        if not any(have):
            continue
        first = next(line for line in have if line)
        row = [s.name, first.results[0]["covariates"], first.results[0]["train_rows"],
               first.test_rows, first.splits]
        for line in have:
            row += [100 * line.error, 100 * line.se,
                    None if line.paper is None else 100 * line.paper] if line else [None] * 3
        yield row


def table_header(methods):
    return ["set", "covariates", "train_rows", "test_rows",
            "splits"] + [f"{m}{suffix}" for m in methods for suffix in ("", "_se", "_paper")]


def error_rows(lines):
    for line in lines.values():
        zero = tables.zero_prior(line)
        yield [line.set.name, line.method, line.splits, line.test_rows, 100 * line.error,
               100 * line.se,
               None if line.paper is None else 100 * line.paper, line.verdict, line.lucky,
               None if line.difference is None else 100 * line.difference,
               None if line.difference is None else 100 * line.difference_se, line.peer,
               100 * zero[0] if zero else None, 100 * zero[1] if zero else None,
               zero[2] if zero else None, line.cpu, line.fit]


def own_rows(lines, chosen):
    """Certificate, yardstick, gaps and seconds of each set."""
    for s in chosen:
        line, sampled = lines.get((s.name, "default")), lines.get((s.name, "smc"))
        if not line:
            continue
        row = [s.name, line.splits]
        for key in ("certificate", "yardstick"):
            row += [v if v is None else 100 * v for v in line.mean(key) or (None, None)]
        row += [100 * line.error, line.results[0]["status"]]
        for key in ("gap_mean_field", "gap_full"):
            row.append(sampled.mean(key)[0] if sampled else None)
        row += [gap_se(sampled) if sampled else None,
                sampled.mean("lambda")[0] if sampled else None]
        for method in ("mean_field", "full", "hinge", "smc", "default"):
            row.append(lines[s.name, method].cpu if (s.name, method) in lines else None)
        yield row


def gap_se(line):
    """Standard error of the mean gap that is due to the sampling: the gaps' own errors, independent
    between splits."""
    errors = [r["gap_se"] for r in line.results]
    return sum(e * e for e in errors) ** 0.5 / len(errors)


OWN_HEADER = ["set", "splits", "certificate", "certificate_se", "yardstick", "yardstick_se",
              "test_error", "status", "gap_mean_field", "gap_full", "gap_se",
              "lambda", "seconds_mean_field", "seconds_full", "seconds_hinge", "seconds_smc",
              "seconds_default"]
ERROR_HEADER = ["set", "method", "splits", "test_rows", "error", "se", "paper", "against_paper",
                "splits_at_or_below", "minus_linear", "minus_linear_se",
                "against_linear", "zero_prior_error", "zero_prior_se", "informed_weight",
                "seconds_cpu", "seconds_fit"]


def split_rows(lines):
    for line in lines.values():
        for result, value in zip(line.results, line.rates):
            yield [line.set.name, result["split"], line.method, 100 * value, result.get("prior"),
                   result.get("lambda"), result.get("prior_sd"),
                   result.get("scale"), result.get("chosen"), result.get("cv_error")]


def size_rows():
    """Test sizes that all of the paper's rates on a set fit, and the sizes of the sets."""
    for name, rates in sets.PAPER.items():
        yield name, sets.denominators([round(r, 1) for r in rates.values()], 400)


FIGURE1_HEADER = ["set", "batch", "step", "bound", "gibbs_risk", "kl"]


def figure1(out, results):
    drawn = charts.Figures(results)
    write_rows(os.path.join(out, "figure1.csv"), FIGURE1_HEADER, drawn.figure1_rows())
    write_whole(os.path.join(out, "figure1.html"),
                page.whole("the paper\u2019s Figure 1", page.figure1(drawn)))
    print("\n".join(["Figures", *drawn.figure1_summary()]))
    print(f"study: figure in {os.path.join(out, 'figure1.html')}")


def everything(out, results, chosen, methods, options, args):
    lines = tables.collect(results, chosen, methods, lambda s: plan.numbers_of_splits(s, options))
    drawn = charts.Figures(results)

    def rows(name, header, content):
        write_rows(os.path.join(out, name), header, content)

    rows("table1.csv", table_header(TABLE1), table_rows(lines, chosen, TABLE1))
    rows("table2.csv", table_header(TABLE2), table_rows(lines, chosen, TABLE2))
    rows("errors.csv", ERROR_HEADER, error_rows(lines))
    rows("own.csv", OWN_HEADER, own_rows(lines, chosen))
    rows("splits.csv", ["set", "split", "method", "error", "prior", "lambda", "prior_sd", "scale",
                        "chosen", "cv_error"], split_rows(lines))
    rows("test_sizes.csv", ["set", "size"],
         ([name, size] for name, sizes in size_rows() for size in sizes))
    if drawn.any:
        rows("figure1.csv", FIGURE1_HEADER, drawn.figure1_rows())
        rows("figure2_objective.csv", ["panel", "lambda", "position", "objective"],
             drawn.objective_rows())
        rows("figure2_starts.csv", ["family", "lambda", "start", "free_energy", "bound"],
             drawn.start_rows())
    said = summary.text(lines) + drawn.summary()
    short = [*summary.counts_part(lines), *summary.target_part(lines)]
    facts = page.Facts(lines, chosen, options, args.quick, short, said,
                       list(own_rows(lines, chosen)), dict(size_rows()), drawn)
    write_whole(os.path.join(out, "study.html"), page.html(facts))
    if args.markdown:
        write_whole(args.markdown, page.markdown(facts))
    print("\n".join(said))
    print(f"study: tables and page in {os.path.join(out, 'study.html')}")
