#!/usr/bin/python3
"""The values behind a golden list: [command], then a line per value, its key, a tab, the value.

    values.py INDEX FOLDER     INDEX: a line per command, its name and exit code;
                               FOLDER/1, FOLDER/2, ...: what the commands printed (run.sh)

A key is a path into the JSON that a command printed, or row[N].COLUMN of a CSV table. What has a
name is found by it (certificates[gibbs/zero-one/kl], coefficients[age]), so that a new certificate,
column or member adds lines and moves none. Numbers have 17 digits, texts are JSON strings.

Left out are: times, versions, file names and options as given; sentences (assumptions, why,
source); the solver's trace; curves and histograms of a report (roc, reliability, residual counts).
"""
import csv
import io
import json
import sys

OUT = {"gibbsite", "options", "seconds", "trace", "roc", "reliability", "counts", "lambda_path",
       "assumptions", "why", "source", "file", "model"}
NAMES = {"certificates": ("target", "loss", "method", "risk"), "coefficients": ("name",),
         "rows": ("group", "name")}
FIRST = ("target", "loss", "method", "value", "status")  # of the certificate that heads the list


def text(value):
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return "%.17g" % value
    return json.dumps(value)


def elements(key, values):
    """Pairs of what stands in an element's brackets (its name, else its number) and the element."""
    names = NAMES.get(key, ())
    seen = {}
    for index, value in enumerate(values):
        name = "/".join(str(value[n]) for n in names if n in value)
        if not name:
            yield str(index + 1), value
            continue
        seen[name] = seen.get(name, 0) + 1
        yield (name if seen[name] == 1 else "%s#%d" % (name, seen[name]),
               {k: v for k, v in value.items() if k not in names and k != "confidence"})


def flatten(value, key, path, lines):
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in OUT or (path == "data." and name == "test"):
                continue
            if name == "certificate" and isinstance(inner, dict) and "certificates" in value:
                inner = {k: inner[k] for k in FIRST if k in inner}
            flatten(inner, name, path + name + ".", lines)
    elif isinstance(value, list):
        if key not in NAMES:
            lines.append((path[:-1] + ".#", str(len(value))))
        for place, inner in elements(key, value):
            flatten(inner, key, "%s[%s]." % (path[:-1], place), lines)
    else:
        lines.append((path[:-1], text(value)))


def table(content, lines):
    rows = list(csv.DictReader(io.StringIO(content)))
    lines.append(("row.#", str(len(rows))))
    for index, row in enumerate(rows):
        for name, cell in row.items():
            try:
                value = text(float(cell))
            except (TypeError, ValueError):
                value = text(cell)
            lines.append(("row[%d].%s" % (index + 1, name), value))


def values(content):
    lines = []
    if content.startswith("{"):
        try:
            result = json.loads(content)
        except ValueError:
            return [("printed", text("no JSON"))]
        if result.get("command") == "predict":  # the same keys as those of its CSV table
            result = {"row": result["predictions"]}
        flatten(result, "", "", lines)
    elif content:
        table(content, lines)
    return lines


def cpu():
    """The processor, as far as the last bits depend on it."""
    facts = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                name, _, value = line.partition(":")
                facts.setdefault(name.strip(), value.strip())
    except OSError:
        pass
    flags = facts.get("flags", "").split()
    widest = next((f for f in ("avx512f", "avx2", "avx", "sse4_2") if f in flags), "sse2")
    return "%s, family %s, model %s, %s" % (facts.get("vendor_id", "?"),
                                            facts.get("cpu family", "?"),
                                            facts.get("model", "?"), widest)


def main():
    index, folder = sys.argv[1:]
    print("# Made by tests/golden/run.sh, read by tests/golden/compare.py; README.md says more.")
    print("# processor: " + cpu())
    with open(index, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            name, code = line.split()
            print("[%s]\nexit\t%s" % (name, code))
            with open("%s/%d" % (folder, number), encoding="utf-8") as printed:
                for key, value in values(printed.read()):
                    print("%s\t%s" % (key, value))


if __name__ == "__main__":
    main()
