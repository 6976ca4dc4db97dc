"""The charts of the page: the tables as dots, and the paper's two figures."""

import sets
import svg


def table_chart(lines, chosen, method):
    """Ours with its standard error, the paper's and the linear support vector machine's error, one
    row a set; None without runs."""
    rows = [lines[s.name, method] for s in chosen if (s.name, method) in lines and s.paper]
    if not rows:
        return None
    linear = [lines.get((line.set.name, "linear")) for line in rows]
    most = max([line.error + line.se for line in rows] + [line.paper for line in rows]
               + [line.error for line in linear if line])
    words = "; ".join(
        f"{line.set.title}: ours {100 * line.error:.1f}, paper {100 * line.paper:.1f}"
        + (f", linear SVM {100 * peer.error:.1f}" if peer else "")
        for line, peer in zip(rows, linear)
    )
    title = f"{sets.TITLES[method]}: test error in per cent"
    plot = svg.Plot(title, words + ".", (0, 100 * most * 1.05), (len(rows) - 0.5, -0.5),
                    "test error, per cent", "", names=[l.set.title for l in rows],
                    height=70 + 26 * len(rows), left=112)
    for k, (line, peer) in enumerate(zip(rows, linear)):
        if peer:
            plot.mark(100 * peer.error, k, "tick", 2)
        plot.bar(100 * (line.error - line.se), 100 * (line.error + line.se), k, 0)
        plot.mark(100 * line.paper, k, "diamond", 1)
        plot.mark(100 * line.error, k, "dot", 0)
    plot.key("ours \u00b1 se", "dot", 0)
    plot.key("the paper", "diamond", 1)
    if any(linear):
        plot.key("linear SVM", "tick", 2)
    return title, plot


class Figures:
    """The paper's figures from the results of their units."""

    def __init__(self, results):
        self.descents = [results[name] for name in results if name.startswith("figure1-")]
        self.descents.sort(key=lambda d: (d["set"] != "pima", d["batch"]))
        self.starts = sorted((r for n, r in results.items()
                              if n.startswith(("figure2-diagonal-", "figure2-full-"))),
                             key=lambda r: (r["family"], r["lambda"]))
        self.objective = results.get("figure2-objective")
        self.any = bool(self.descents and self.starts and self.objective)

    def figure1_rows(self):
        for d in self.descents:
            for step in d["steps"]:
                yield [d["set"], d["batch"], *step]

    def objective_rows(self):
        for panel in ("curves", "slices"):
            for line in self.objective[panel]:
                for m, value in line["points"]:
                    yield [panel[:-1], line["lambda"], m, value]

    def start_rows(self):
        for r in self.starts:
            for k, end in enumerate([r["annealed"], *r["starts"]]):
                yield [r["family"], r["lambda"], k or "annealed", end["free_energy"], end["bound"]]

    def figure1(self, name):
        group = [d for d in self.descents if d["set"] == name]
        if not group:
            return None
        last = max(d["steps"][-1][0] for d in group)
        low = min(step[1] for d in group for step in d["steps"])
        title = f"Bound per step, {name}, lambda = {group[0]['lambda']}"
        words = "; ".join(
            f"batches of {d['batch']}: 1 at the start, {d['steps'][-1][1]:.3f} after "
            f"{d['steps'][-1][0]} steps" for d in group)
        plot = svg.Plot(title, words + ".", (1, last), (max(0, low - 0.05), 1), "step",
                        "bound at 95 %", x_log=True)
        for k, d in enumerate(group):
            plot.line([(s[0], s[1]) for s in d["steps"]], k, f"B = {d['batch']}")
        return title, plot

    def figure2_curves(self, panel):
        lines = self.objective[panel]
        one = panel == "curves"
        values = [v for line in lines for _, v in line["points"]]
        low = min(values)
        high = min(max(values), -low * 0.6)
        title = ("One coefficient: the objective as lambda grows" if one
                 else "One covariate and a threshold: the objective as lambda grows")
        words = "; ".join(
            f"lambda {line['lambda']}: {line['minima']} local "
            f"{'minimum' if line['minima'] == 1 else 'minima'}" for line in lines)
        xs = [m for m, _ in lines[0]["points"]]
        plot = svg.Plot(title, words + ".", (xs[0], xs[-1]), (low * 1.05, high),
                        "mean m of the coefficient" if one else "mean b of the intercept",
                        "F(m) \u2212 F(0), nats" if one else "F(b) \u2212 F(0), nats",
                        legend_lines=2)
        for k, line in enumerate(lines):
            plot.line(line["points"], k, f"\u03bb = {line['lambda']}")
            if "fit" in line:
                plot.mark(*line["fit"], "dot", k)
        if one:
            plot.key("where fit ends", "dot", 0)
        return title, plot

    def figure2_starts(self, family):
        group = [r for r in self.starts if r["family"] == family]
        name = "mean field" if family == "diagonal" else "full covariance"
        title = f"Random starts against annealing, {name}"
        gains = [(r["lambda"], end["free_energy"] - r["annealed"]["free_energy"]) for r in group
                 for end in r["starts"]]
        low, high = min(g for _, g in gains), max(g for _, g in gains)
        room = max(1.0, high - low) * 0.08
        higher, lower = self.tally(group)
        words = (
            f"{higher} of {len(gains)} random starts end more than 0.01 nats above annealing, "
            f"{lower} below it.")
        ladder = [r["lambda"] for r in group]
        plot = svg.Plot(title, words, (ladder[0] / 1.3, ladder[-1] * 1.3),
                        (low - room, high + room), "lambda", "F(start) \u2212 F(annealed), nats",
                        x_log=True)
        plot.line([(ladder[0], 0), (ladder[-1], 0)], 1, "annealing", "")
        for strength, gain in gains:
            plot.mark(strength, gain, "small", 0)
        plot.key("a random start", "small", 0)
        return title, plot

    @staticmethod
    def tally(group):
        """Random starts that end above annealing, and below it, by more than 0.01 nats."""
        gains = [end["free_energy"] - r["annealed"]["free_energy"] for r in group
                 for end in r["starts"]]
        return sum(g > 0.01 for g in gains), sum(g < -0.01 for g in gains)

    def figure1_summary(self):
        return [
            f"  1, {d['set']}, B = {d['batch']}: the bound ends at {d['steps'][-1][1]:.3f} after "
            f"{d['steps'][-1][0]} steps" for d in self.descents]

    def summary(self):
        if not self.any:
            return []
        said = ["Figures", *self.figure1_summary()]
        for family, name in (("diagonal", "mean field"), ("full", "full covariance")):
            group = [r for r in self.starts if r["family"] == family]
            higher, lower = self.tally(group)
            total = sum(len(r["starts"]) for r in group)
            said.append(
                f"  2, {name}: of {total} random starts {higher} end above annealing, {lower} "
                f"below, {total - higher - lower} where it ends")
        most = self.objective["slices"][-1]
        said.append(
            f"  2, one covariate and a threshold: {most['minima']} local minima at lambda "
            f"{most['lambda']}, one at lambda 0")
        return said
