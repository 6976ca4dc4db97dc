#!/usr/bin/python3
"""tools/call-graph.py [BUILD] [--write | --check]: who calls whom between the folders of src/.

An include says what a file may see; an object says what it calls. This reads the objects of BUILD
(default: build/release) with nm. Calls between folders must form a graph without a circle, and it
must be the documented one: the rules in tools/check-includes.sh. Exit 1 when a call goes where no
rule leads, or in a circle.

Alone it prints the graph as a table, each folder above all that it calls.

  --write   puts the table between the marks <!-- call graph --> and <!-- /call graph --> of
            CONTRIBUTING.md
  --check   prints nothing, and fails when the table there is another one
"""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "CONTRIBUTING.md")
BEGIN, END = "<!-- call graph -->", "<!-- /call graph -->"
OBJECTS = "CMakeFiles/gibbsite_objects.dir/"


def folder_of(path):
    """src/pass/cpu/rows.c.o belongs to pass, whatever lies below."""
    return re.search(r"/src/([^/]+)/", path).group(1)


def symbols(paths):
    """(defined, wanted) of each object, global names only."""
    out = subprocess.run(["nm", "-A", "-g", "--format=posix", *paths], check=True,
                         capture_output=True, text=True).stdout
    read = {path: (set(), set()) for path in paths}
    for line in out.splitlines():
        path, said = line.split(": ", 1)
        name, kind = said.split()[:2]
        read[path][kind in "Uw"].add(name.split(".")[0])
    return read


def has_source(path):
    """A file that was moved or removed leaves its object behind in the build."""
    return os.path.exists(os.path.join(ROOT, path.split(OBJECTS, 1)[1][:-len(".o")]))


def read_calls(build):
    objects = sorted(glob.glob(f"{build}/{OBJECTS}src/**/*.o", recursive=True))
    objects = [path for path in objects if has_source(path)]
    if not objects:
        sys.exit(f"call-graph: no objects below {build}; `make build` makes them")
    read = symbols(objects)
    home = {name: path for path, (defined, _) in read.items() for name in defined}
    calls = collections.defaultdict(set)  # (from, to) -> names
    for path, (_, wanted) in read.items():
        for name in wanted & home.keys():
            if folder_of(path) != folder_of(home[name]):
                calls[folder_of(path), folder_of(home[name])].add(name)
    return {folder_of(p) for p in objects}, calls


def read_rules():
    with open(os.path.join(ROOT, "tools/check-includes.sh"), encoding="utf-8") as file:
        text = re.search(r"^rules='\n(.*?)^'", file.read(), re.S | re.M).group(1)
    lines = [line.split(":") for line in text.splitlines() if ":" in line]
    return {folder: others.split() for folder, others in lines}


def reach(graph, folder):
    """Whatever `folder` leads to, in one step or more."""
    seen, queue = set(), [folder]
    while queue:
        for other in graph.get(queue.pop(), []):
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return seen


def height(graph, folder):
    """Steps of the longest way down; the graph has no circle."""
    return max((1 + height(graph, to) for to in graph[folder]), default=0)


def draw(graph):
    lines = ["| folder | calls |", "|---|---|"]
    ranks = sorted(graph, key=lambda folder: (-height(graph, folder), folder))
    for folder in ranks:
        others = sorted(graph[folder], key=ranks.index)
        lines.append(f"| `{folder}` | {', '.join(others) or '–'} |")
    return "\n".join(lines)


def complaints(graph, calls):
    rules, found = read_rules(), []
    for (a, to), names in sorted(calls.items()):
        some = ", ".join(sorted(names)[:5])
        if to not in reach(rules, a):
            found.append(f"src/{a} calls src/{to}, which no rule of tools/check-includes.sh "
                         f"allows: {some}")
        if a in reach(graph, to):
            found.append(f"src/{a} calls src/{to}, which leads back to src/{a}: {some}")
    return found


def page_with(table):
    """(the page as it is, the page with this table)"""
    with open(PAGE, encoding="utf-8") as file:
        old = file.read()
    if BEGIN not in old or END not in old:
        sys.exit(f"call-graph: {PAGE} has no marks for the table")
    head, rest = old.split(BEGIN, 1)
    return old, f"{head}{BEGIN}\n{table}\n{END}{rest.split(END, 1)[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build/release"))
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true")
    what.add_argument("--check", action="store_true")
    options = parser.parse_args()
    folders, calls = read_calls(options.build)
    graph = {folder: {to for (a, to) in calls if a == folder} for folder in folders}
    broken = complaints(graph, calls)
    if broken:
        print("\n".join(broken))
        return 1
    table = draw(graph)
    if not options.write and not options.check:
        print(table)
        return 0
    old, new = page_with(table)
    if options.check and old != new:
        print(f"{os.path.relpath(PAGE, ROOT)} shows other calls; `make call-graph` puts these in:"
              f"\n{table}")
        return 1
    if options.write and old != new:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
