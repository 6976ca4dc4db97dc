#!/usr/bin/python3
"""tools/check-columns.py: lines end at 100 columns, of code, scripts and pages. What must not be
torn may be longer: a line of a script that holds a text, a pattern or a program of 60 characters
and more in quotes, or an address; a row of a table; what a page shows or a program wrote; code of
CMake. One line for each that is too long; fails where there is one."""
import os
import re
import subprocess
import sys

MOST = 100
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
WRITTEN = re.compile(r"^docs/(study\.md|references\.md|gallery/)")
COUNTED = "study/compare/"  # whose keystrokes docs/compare.md shows
WHOLE = re.compile(r"""'[^']{60}|"(?:[^"\\]|\\.){60}|`(?:[^`\\]|\\.){60}|https?://|^\w+\|.*\|""")
SCRIPTS = (".py", ".sh", ".js", ".mjs", "Makefile", "tests/run", ".ci/run")


def prose(lines):
    """Numbers and lines of a page that are neither code, nor formula, nor table."""
    fence = formula = False
    for number, line in lines:
        if re.match(r"^\s*```[^`]*$", line):
            fence = not fence
        inside = fence or formula or line.startswith(("|", "<", "$$"))
        if line.count("$$") % 2:
            formula = not formula
        if not inside:
            yield number, line


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        lines = list(enumerate(file.read().split("\n"), 1))
    if path.endswith((".c", ".h", ".cu", ".cuh")):
        return lines
    if path.endswith(".md"):
        return [] if WRITTEN.match(path) else prose(lines)
    if path.startswith(COUNTED):
        return []
    if path.endswith(SCRIPTS):
        return [(number, line) for number, line in lines
                if line.lstrip().startswith(("# ", "// ", "* ")) or not WHOLE.search(line)]
    return [(number, line) for number, line in lines if line.lstrip().startswith("# ")]


def main():
    os.chdir(ROOT)
    kinds = ("*.c", "*.h", "*.cu", "*.cuh", "*.md", "*.sh", "*.py", "*.js", "*.mjs", "*.cmake",
             "CMakeLists.txt", "Makefile", "tests/run", ".ci/run")
    told = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *kinds],
                          capture_output=True, text=True, check=True).stdout.split("\n")
    wrong = [f"{path}:{number}: {len(line)} columns" for path in told if os.path.isfile(path)
             for number, line in lines_of(path) if len(line) > MOST]
    print("\n".join(wrong) if wrong else f"no line is longer than {MOST} columns")
    return 1 if wrong else 0


sys.exit(main())
