#!/usr/bin/env bash
# The study: the quick one runs, its tables agree with the program and with themselves, it resumes,
# and what is missing is said.
. "$(dirname "$0")/../lib.sh"
exec </dev/null
study() { /usr/bin/python3 "$GIBBSITE_ROOT/study/study.py" "$@"; }
inline() { PYTHONPATH=$GIBBSITE_ROOT/study PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$@"; }
export PYTHONDONTWRITEBYTECODE=1

need_program /usr/bin/python3 || exit 0

# ---------------------------------------------------------------- bad arguments, no data
as 'an unknown set is refused'
expect_exit 2 study --sets moon
expect_stderr "^study: --sets: expected names from pima, .*, found 'moon'"
as 'no splits are refused'
expect_exit 2 study --splits 0
expect_exit 2 study --first-split -1
as 'without the data it says so and ends cleanly'
expect_exit 0 env GIBBSITE_DATA="$tmp/nowhere" /usr/bin/python3 "$GIBBSITE_ROOT/study/study.py" \
    --quick --out "$tmp/none"
expect_stdout \
    '^study: skipped: pima/train\.csv and others are not below .*/nowhere; GIBBSITE_DATA says'
expect_no_file "$tmp/none"
as 'without the program it says so'
expect_exit 1 env GIBBSITE="$tmp/no-program" /usr/bin/python3 "$GIBBSITE_ROOT/study/study.py" \
    --quick --out "$tmp/none"
expect_stderr 'there is no program .*no-program'

# ------------------------------------------------------------- the arithmetic, against brute force
check 'standard errors, pairs, verdicts and test sizes' inline <<'END'
import math, statistics
import sets, tables
values = [0.21, 0.25, 0.24, 0.30]
mean, se = tables.mean_se(values)
assert (math.isclose(mean, statistics.mean(values))
        and math.isclose(se, statistics.stdev(values) / 2))
assert tables.share_se([0.2], 100) == (0.2, math.sqrt(0.2 * 0.8 / 100))
ours, theirs = "1100110000", "1000000001"  # three rows only we get wrong, one only they
difference, se = tables.paired([ours], [theirs])
assert (math.isclose(difference, 0.2)
        and math.isclose(se, statistics.stdev([0, 1, 0, 0, 1, 1, 0, 0, 0, -1]) / math.sqrt(10)))
difference, se = tables.paired([ours, theirs, ours], [theirs, ours, theirs])
assert (math.isclose(difference, 0.2 / 3)
        and math.isclose(se, statistics.stdev([0.2, -0.2, 0.2]) / math.sqrt(3)))
verdicts = [tables.against(d, 0.1) for d in (-0.2, -0.1, 0, 0.1, 0.2)]
assert verdicts == ["beats", "matches", "matches", "matches", "misses"]
for wrong, paired, unpaired in (("1111" + "0" * 96, "misses", "matches"),
                                ("1" * 40 + "0" * 60, "misses", "misses")):
    line = tables.Line(sets.BY_NAME["pima"], "full", [{"wrong": wrong, "seconds_cpu": 1.0}],
                       [{"wrong": "11" + "0" * 98}])
    said = (line.peer, line.peer_unpaired)
    assert said == (paired, unpaired), (said, line.difference_se)
sizes = sets.denominators([33.3, 66.6], 30)  # thirds, rounded or cut
assert 21 in sizes and 24 in sizes and 20 not in sizes and 25 not in sizes
assert 187 in sets.denominators(list(sets.PAPER["SPECTF"].values()), 187)
END
check 'candidates vote with the weights of their errors' inline <<'END'
import math
import methods
shares = methods.weights([0.2, 0.25, 0.5], 80)  # lambda 20
assert (math.isclose(sum(shares), 1) and math.isclose(shares[1] / shares[0], math.exp(-1))
        and math.isclose(shares[2] / shares[0], math.exp(-6)))
assert (methods.weights([0.9, 0.9 + 1e-9], 10**9)[1] < 0.5
        and methods.weights([0.0, 1.0], 10**6) == [1, 0])
wrongs = ["0011", "0101", "0110"]
assert methods.vote(wrongs, [0.2, 0.3, 0.5]) == "0111"  # half a vote is not enough to be right
assert (methods.vote(wrongs, [0.3, 0.3, 0.4]) == "0111"
        and methods.vote(wrongs, [0.6, 0.2, 0.2]) == wrongs[0]
        and methods.vote(wrongs[:1], [1.0]) == wrongs[0])
END
check 'rows are divided without loss, the same way each time; folds are stratified and disjoint' \
    inline <<'END'
import collections, os, tempfile
import data, methods, sets
with tempfile.TemporaryDirectory() as base:
    os.mkdir(base + "/glass")
    with open(base + "/glass/glass.csv", "w") as file:
        file.write("a,b,Type\n" + "".join(f"{i},{'xy'[i % 2]},{i % 3 + 1}\n" for i in range(90)))
    s = sets.BY_NAME["glass_type1"]
    header, train, test = data.divide(base, s, 4)
    assert header == ["a", "b"] and (len(train), len(test)) == (45, 45)
    assert (sorted(int(c[0]) for c, _ in train + test) == list(range(90))
            and all((y > 0) == (int(c[0]) % 3 == 0) for c, y in train + test))
    assert data.divide(base, s, 4)[1] == train != data.divide(base, s, 5)[1]
    parts = list(methods.folds(train, 5, 1))
    assert sorted(c[0] for _, part in parts for c, _ in part) == sorted(c[0] for c, _ in train)
    assert (all(len(a) + len(b) == 45 and not {c[0] for c, _ in a} & {c[0] for c, _ in b}
                for a, b in parts))
    ups = collections.Counter(sum(y > 0 for _, y in part) for _, part in parts)
    assert max(ups) - min(ups) <= 1, ups
    coding = data.Coding(train)
    columns = list(zip(*([(v - m) / d for v, m, d in zip(coding.code(c), coding.mean, coding.sd)]
                         for c, _ in train)))
    assert (coding.columns == 3
            and all(abs(sum(c)) < 1e-9 and abs(sum(v * v for v in c) / 45 - 1) < 1e-9
                    for c in columns))
END

# ---------------------------------------------------------------- the quick study
need_data pima/train.csv pima/test.csv glass/glass.csv german/german.csv ilpd/ilpd_complete.csv \
    breast/breast_complete.csv spect/train.csv spect/test.csv || exit 0

as 'a program that fails is named, with its words'
printf '#!/bin/sh\n[ "$1" = --version ] && echo gibbsite 0 && exit\necho broken >&2; exit 7\n' \
    >broken && chmod +x broken
expect_exit 1 env GIBBSITE="$tmp/broken" /usr/bin/python3 "$GIBBSITE_ROOT/study/study.py" --sets \
    glass_window --splits 1 --methods default --no-figures --out "$tmp/bad"
expect_stderr '^glass_window-0-default: .*/broken fit .*: exit status 7: broken'
expect_no_file "$tmp/bad/study.html"

as 'without the peers it says which method is left out, and goes on'
expect_exit 0 env PATH="$tmp/empty" /usr/bin/python3 "$GIBBSITE_ROOT/study/study.py" --quick \
    --sets glass_window --splits 1 --methods default,linear --no-figures --out "$tmp/alone"
expect_stdout '^study: Linear SVM left out: liblinear-train and liblinear-predict not installed'
expect_file "$tmp/alone/study.html"

need_program svm-train svm-predict liblinear-train liblinear-predict || exit 0
out=$tmp/out
# the program itself, not a shell, gets the signal
# of the three splits two: one mean and one standard error are like another
quick=(--quick --splits 2)
/usr/bin/python3 "$GIBBSITE_ROOT/study/study.py" "${quick[@]}" --out "$out" >first.txt 2>&1 &
pid=$!
until (($(find "$out/runs" -name '*.json' 2>/dev/null | wc -l) >= 20)) \
    || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -TERM $pid 2>/dev/null
wait $pid
rc=$?
check 'interrupted it leaves with 130' test $rc = 130
check 'and says how to go on' grep -q \
    '^study: interrupted with [0-9]* of [0-9]* units done; the same command goes on from there' \
    first.txt
check 'what is kept is whole' inline "$out/runs" <<'END'
import glob, json, sys
files = glob.glob(sys.argv[1] + "/*.json")
assert len(files) >= 20 and all("fingerprint" in json.load(open(f)) for f in files)
END
find "$out/runs" -name '*.json' | sort >kept.txt
xargs sha256sum <kept.txt >kept.sums
as 'the quick study goes on and ends'
expect_exit 0 study "${quick[@]}" --out "$out"
expect_stdout "^study: [0-9]+ units, $(wc -l <kept.txt) of them kept from before"
expect_stdout '^Against the paper '
expect_stdout '^Against the linear SVM, paired'
expect_stdout '^  2, mean field: of 60 random starts'
check 'progress was shown' grep -qE '^study: [0-9]+ of [0-9]+ units, about ' "$stderr"
check 'what was kept is untouched' sha256sum --quiet -c kept.sums
cp "$stdout" summary.txt

as 'the first figure alone'
expect_exit 0 study --quick --figure1 --out "$out"
expect_stdout '^study: 4 units, 4 of them kept from before'
expect_stdout '^  1, pima, B = 1: the bound ends at 0\.[67][0-9]* after'
expect_file "$out/figure1.html"
check 'all four batches, and a bound that falls' inline "$out" <<'END'
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1] + "/figure1.csv")) if r["set"] == "pima"]
for batch in ("1", "10", "20", "50"):
    bounds = [float(r["bound"]) for r in rows if r["batch"] == batch]
    assert (len(bounds) > 100 and bounds[0] == 1.0
            and max(bounds[-20:]) < 0.75), (batch, len(bounds), bounds[-1])
END
expect_exit 2 study --figure1 --no-figures

# ---------------------------------------------------------------- its tables
as 'CSV files'
for file in table1 table2 errors own splits test_sizes figure1 figure2_objective figure2_starts; do
    check "$file.csv is rectangular and not empty" awk -F, \
        'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR < 2 }' "$out/$file.csv"
done
holds 'table 1 has a row a set' "$(tail -n +2 "$out/table1.csv" | wc -l) == 9"
check 'each method has an error in it, between 0 and 60 per cent' awk -F, \
    'NR > 1 { for (k = 6; k <= 18; k += 3) if ($k == "" || $k < 0 || $k > 60) exit 1 }' \
    "$out/table1.csv"
check 'means and standard errors are those of the splits, pairs those of the two methods' inline \
    "$out" <<'END'
import csv, math, statistics, sys
read = lambda name: list(csv.DictReader(open(f"{sys.argv[1]}/{name}.csv")))
splits = {}
for r in read("splits"):
    splits.setdefault((r["set"], r["method"]), []).append(float(r["error"]))
seen = 0
for r in read("errors"):
    mine = splits[r["set"], r["method"]]
    assert math.isclose(float(r["error"]), statistics.mean(mine), rel_tol=1e-4, abs_tol=1e-6), r
    if len(mine) > 1:
        assert (len(mine) == 2
                and math.isclose(float(r["se"]), statistics.stdev(mine) / math.sqrt(2),
                                 rel_tol=1e-4, abs_tol=1e-6)), r
        if r["method"] != "linear":
            d = [a - b for a, b in zip(mine, splits[r["set"], "linear"])]
            assert (math.isclose(float(r["minus_linear"]), statistics.mean(d), rel_tol=1e-4,
                                 abs_tol=1e-4)), r
            assert (math.isclose(float(r["minus_linear_se"]), statistics.stdev(d) / math.sqrt(2),
                                 rel_tol=1e-4, abs_tol=1e-4)), r
            seen += 1
assert seen >= 30
END
check 'a unit says what the program says of the same rows' inline "$out" "$GIBBSITE" \
    "$GIBBSITE_DATA" <<'END'
import json, subprocess, sys
import data, sets
out, program, base = sys.argv[1:]
header, train, test = data.divide(base, sets.BY_NAME["german"], 1)
data.write_csv("a.csv", header, train)
data.write_csv("b.csv", header, test)
run = lambda *more: json.loads(subprocess.run([program, "fit", "a.csv", "--test", "b.csv", "--json",
                                               "-q", *more], capture_output=True,
                                              check=True).stdout)
kept = lambda method: json.load(open(f"{out}/runs/german-1-{method}.json"))
fit = run()
assert (round(fit["test"]["error"] * len(test)) == kept("default")["wrong"].count("1")
        and fit["certificate"]["value"] == kept("default")["certificate"])
h = kept("hinge")
fit = run("--prior", "zero", "--loss", "hinge", "--family", "full", "--lambda", str(h["lambda"]),
          "--prior-sd", str(h["prior_sd"]))
assert round(fit["test"]["error"] * len(test)) == h["wrong"].count("1")
assert fit["d"] == data.Coding(train).columns + 1, "the machines see the columns that gibbsite sees"
END
check 'fit ends at the minimum of the objective that is drawn' inline "$out" <<'END'
import json, sys
for line in json.load(open(sys.argv[1] + "/runs/figure2-objective.json"))["curves"][1:]:
    assert (line["minima"] == 1
            and line["fit"][1] <= min(v for _, v in line["points"]) + 1e-9), line["lambda"]
END
check 'the summary is that of the tables' inline "$out" summary.txt <<'END'
import csv, sys
said = open(sys.argv[2]).read()
rows = [r for r in csv.DictReader(open(sys.argv[1] + "/errors.csv")) if r["method"] == "hinge"
        and r["paper"] and r["set"] != "glass_window"]
below = sum(float(r["error"]) <= float(r["paper"]) + 1e-4 for r in rows)
part = said[said.index("  Hinge:"):]
assert (f"{below} of {len(rows)} (glass read as type 1)" in part.splitlines()[1]), (
    below, part.splitlines()[:2])
END

# ---------------------------------------------------------------- its page
expect_file "$out/study.html"
check 'the page needs no network' bash -c "! grep -qE '(src|href)=|url\(|@import' '$out/study.html'"
check 'every chart has a title and a description' inline "$out/study.html" <<'END'
import sys
from html.parser import HTMLParser
class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.charts, self.titles, self.descriptions = [], 0, 0, 0
    def handle_starttag(self, tag, attrs):
        if tag in ("meta", "br", "circle", "path", "line"): return
        self.open.append(tag)
        self.charts += tag == "svg" and ("role", "img") in attrs
        self.titles += tag == "title" and "svg" in self.open
        self.descriptions += tag == "desc"
    def handle_endtag(self, tag):
        if tag in ("circle", "path", "line"): return
        assert self.open.pop() == tag, tag
page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
assert (not page.open
        and page.charts == 8 == page.titles == page.descriptions), (page.open, page.charts)
END

# ------------------------------------------------------ what changes is run again, the rest is not
study --quick --sets glass_window --splits 2 --methods default,linear --no-figures --out "$out" \
    >again.txt 2>/dev/null
check 'fewer splits of the same study: nothing is run' grep -q \
    '^study: 4 units, 4 of them kept from before' again.txt
study --quick --sets glass_window --splits 1 --methods default,linear --no-figures --repeats 2 \
    --out "$out" >again.txt 2>/dev/null
check 'other repeats: what cross-validates is run again' grep -q \
    '^study: 2 units, 1 of them kept from before' again.txt
study --quick --sets glass_window --splits 2 --first-split 1 --methods default,linear --no-figures \
    --out "$out" >again.txt 2>/dev/null
check 'splits of other numbers: the one that is new is run' grep -q \
    '^study: 4 units, 2 of them kept from before' again.txt
printf '{"fingerprint": ' >"$out/runs/glass_window-0-default.json"
study --quick --sets glass_window --splits 2 --methods default --no-figures --out "$out" \
    --markdown table.md >again.txt 2>/dev/null
check 'a torn file is run again' grep -q '^study: 2 units, 1 of them kept from before' again.txt
check 'the tables as Markdown' grep -q '^| Glass (window) |' table.md
cp "$GIBBSITE" other && printf x >>other # the same program to the processor, other bytes to the eye
GIBBSITE=$tmp/other study --quick --sets glass_window --splits 1 --methods default --no-figures \
    --out "$out" >again.txt 2>/dev/null
check 'another program: nothing is kept' grep -q '^study: 1 units, 0 of them kept from before' \
    again.txt
