#!/usr/bin/python3
"""tools/call-graph.py [BUILD] [--markdown | --update FILE]: who calls whom between the folders of src/, read off the objects with nm.

An include says what a file may see; an object says what it calls. Calls between folders must form a graph without cycles, and it must be the
documented one: the rules in tools/check-includes.sh. Exit 1 when a call goes where no rule leads, or in a circle.

  --markdown      the graph as a table, for CONTRIBUTING.md
  --update FILE   puts that table between the marks <!-- call graph --> and <!-- end of call graph --> of FILE
"""
import collections
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BEGIN, END = "<!-- call graph -->", "<!-- end of call graph -->"


def folder_of(path):
    """src/pass/cpu/rows.c.o belongs to pass, whatever lies below."""
    return re.search(r"/src/([^/]+)/", path).group(1)


def symbols(path):
    """(defined, wanted) of an object, global names only."""
    out = subprocess.run(["nm", "-g", "--format=posix", path], check=True, capture_output=True, text=True).stdout
    defined, wanted = set(), set()
    for line in out.splitlines():
        name, kind = line.split()[:2]
        (wanted if kind in "Uw" else defined).add(name.split(".")[0])
    return defined, wanted


def read_calls(build):
    objects = sorted(glob.glob(f"{build}/CMakeFiles/gibbsite_objects.dir/src/**/*.o", recursive=True))
    if not objects:
        sys.exit(f"call-graph: no objects below {build}; `make build` makes them")
    read = {path: symbols(path) for path in objects}
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
    return {line.split(":")[0]: line.split(":")[1].split() for line in text.splitlines() if ":" in line}


def reach(rules, folder):
    seen, queue = set(), [folder]
    while queue:
        for other in rules.get(queue.pop(), []):
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return seen


def order(folders, calls):
    """Folders, each after all that it calls; None when there is a circle."""
    done = []
    while len(done) < len(folders):
        ready = sorted(f for f in folders if f not in done and all(to in done for (a, to) in calls if a == f))
        if not ready:
            return None
        done.append(ready[0])
    return done


def table(folders, calls):
    lines = ["| folder | calls |", "|---|---|"]
    for folder in reversed(order(folders, calls)):
        others = sorted((to for (a, to) in calls if a == folder), key=order(folders, calls).index, reverse=True)
        lines.append(f"| `{folder}` | {', '.join(others) or '–'} |")
    return "\n".join(lines)


def update(path, text):
    with open(path, encoding="utf-8") as file:
        old = file.read()
    if BEGIN not in old or END not in old:
        sys.exit(f"call-graph: {path} has no marks for the table")
    head, rest = old.split(BEGIN, 1)
    new = head + BEGIN + "\n" + text + "\n" + END + rest.split(END, 1)[1]
    if new != old:
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)


def main(arguments):
    build = next((a for a in arguments if not a.startswith("--") and os.path.isdir(a)), os.path.join(ROOT, "build/release"))
    folders, calls = read_calls(build)
    rules, broken = read_rules(), 0
    for (a, to), names in sorted(calls.items()):
        if to not in reach(rules, a):
            print(f"src/{a} calls src/{to}, which no rule of tools/check-includes.sh allows: {', '.join(sorted(names)[:5])}")
            broken = 1
    if order(folders, calls) is None:
        print("the calls between the folders of src/ go in a circle:")
        for (a, to), names in sorted(calls.items()):
            if a in reach_calls(calls, to):
                print(f"  {a} -> {to}: {', '.join(sorted(names)[:5])}")
        return 1
    if "--markdown" in arguments:
        print(table(folders, calls))
    if "--update" in arguments:
        update(arguments[arguments.index("--update") + 1], table(folders, calls))
    return broken


def reach_calls(calls, folder):
    return reach({a: [to for (b, to) in calls if b == a] for (a, _) in calls}, folder) | {folder}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
