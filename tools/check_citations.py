#!/usr/bin/python3
"""tools/check_citations.py [ROOT]: every "docs/maths.md, N.M" in a C file is a numbered heading of
that page, every page that a C file names is there, and so is every source that a page names. A file
or a name of the library that a comment in C mentions is there as well: a comment that was not
changed with the code sends its reader nowhere. Fails with one line for each of these that is wrong.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, ".."))
FOLDERS = ("src", "include", "cli", "tests", "examples", "bench", "fuzz", "study")
ENDINGS = (".c", ".h", ".cu", ".cuh")
NUMBER = r"[0-9]+(?:\.[0-9]+)?"
CITED = re.compile(rf"docs/maths\.md(?:, ({NUMBER}(?:(?:, | and | to ){NUMBER})*))?")
PAGE = re.compile(r"\bdocs/[A-Za-z0-9_/-]+\.md\b")
SOURCE = re.compile(rf"\b(?:{'|'.join(FOLDERS)}|tools)/[A-Za-z0-9_/.-]+\.(?:c|h|cu|py|sh|R)\b")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
FILE = re.compile(r"\b[\w-]+\.(?:c|h|cu|cuh|py|sh)\b")
NAME = re.compile(r"\b(?:gbs|GBS)_\w*[A-Za-z0-9]\b(?!_?\*)")
SYSTEM = re.compile(r"#include <(?:[\w/]*/)?([\w.]+)>")
# What a page tells how to write.
INVENTED = re.compile(r"NAME|PAGE")
# Pages about diffs that were made and thrown away, and about earlier versions.
PAST = ("docs/extend.md", "CHANGELOG.md")


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def sources():
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                if name.endswith(ENDINGS):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def mistakes(path, numbers):
    # a citation may go on in the next line of a comment
    text = re.sub(r"\n[ \t]*(?:\*|//)?[ \t]*", " ", read(path))
    for cited in CITED.finditer(text):
        if cited.group(1) is None:
            yield "docs/maths.md is cited without a section"
        for number in re.findall(NUMBER, cited.group(1) or ""):
            if number not in numbers:
                yield f"docs/maths.md has no section {number}"
    for page in set(PAGE.findall(text)):
        if not os.path.isfile(os.path.join(ROOT, page)):
            yield f"{page} is not there"
    for name in set(re.findall(r"\bMATHS(?:\.md)?\b", text)):
        yield f"{name} is not in this repository: docs/maths.md is"


def comments_and_code(path):
    """Comments with the numbers of their lines; all else, without texts in quotes."""
    text = LITERAL.sub(lambda quoted: '""' + "\n" * quoted.group().count("\n"), read(path))
    found = [(text.count("\n", 0, m.start()) + 1, m.group()) for m in COMMENT.finditer(text)]
    return found, COMMENT.sub(" ", text)


def mentions():
    """What comments mention and nobody has: files by their names, names of the library."""
    comments, names = [], set()
    files = {name for top in (*FOLDERS, "bindings", "tools")
             for _, _, found in os.walk(os.path.join(ROOT, top)) for name in found}
    for path in sources():
        found, code = comments_and_code(path)
        comments += [(path, line, text) for line, text in found]
        names.update(re.findall(r"\w+", code))
        files.update(SYSTEM.findall(code))
    for path, line, text in comments:
        for name in FILE.findall(text):
            if name not in files:
                yield f"{path}:{line}: a comment mentions {name}, and there is no such file"
        for name in NAME.findall(text):
            if name not in names:
                yield f"{path}:{line}: a comment mentions {name}, and nothing is called so"


def pages():
    """Markdown at the top and in docs/."""
    for folder in ("", "docs"):
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            path = os.path.join(folder, name)
            if name.endswith(".md") and path not in PAST:
                yield path


def absent(path):
    for source in sorted(set(SOURCE.findall(read(path)))):
        if not INVENTED.search(source) and not os.path.isfile(os.path.join(ROOT, source)):
            yield f"{source} is not there"


def main():
    numbers = re.findall(rf"^##+ ({NUMBER})[. ]", read("docs", "maths.md"), re.M)
    twice = sorted({n for n in numbers if numbers.count(n) > 1})
    wrong = [f"docs/maths.md has two sections {n}" for n in twice]
    for path in sources():
        wrong += [f"{path}: {what}" for what in mistakes(path, numbers)]
    wrong += mentions()
    for path in pages():
        wrong += [f"{path}: {what}" for what in absent(path)]
    print("\n".join(wrong) if wrong else f"citations of {len(numbers)} sections are right")
    return 1 if wrong else 0


sys.exit(main())
