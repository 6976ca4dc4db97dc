#!/usr/bin/python3
"""tools/check-abi.py [INCLUDE] [--cut FOLDER | --write]: may the public header grow?

The rules stand at the top of include/gibbsite/base.h: results are read through const pointers to
structs of the library. A struct whose members the header shows may therefore neither be returned
or taken by value, nor be filled in by a call, nor lie inside another, nor come as an array.
Enumerations grow at their end: what is no member of the list, such as ..._AUTO, is the first or has
a number away from it, and none has another number than tools/abi.txt says. Exit 1, with a line for
each, where something breaks a rule.

  --write        adds the enumerators that tools/abi.txt lacks. What it has stays: a number that
                 changes is another soname, whose file begins empty
  --record FILE  in place of tools/abi.txt
  --cut FOLDER   writes the pages there with the last member of each struct that may grow taken
                 away: the header of a version before, as programs built with it saw it
"""
import argparse
import glob
import os
import re
import sys

AWAY = 100  # numbers of enumerators outside of their list begin here
ENUM = re.compile(r"(?:typedef )?enum (gbs_\w+) \{(.*?)\}", re.S)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Structs that stay as they are, or whose size the caller hands over.
FROZEN, SIZED = {"gbs_allocator", "gbs_reliability"}, {"gbs_option"}
STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\} \1;", re.S)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def declarations(text):
    """(what it returns, its name, its arguments) of each function."""
    for declared in re.findall(r"^GBS_API ([^;]*);", text, re.M):
        found = re.match(r"(.*?)\b(gbs_\w+)\((.*)\)$", " ".join(declared.split()))
        yield found.group(1).strip(), found.group(2), found.group(3).split(", ")


def complaints(text):
    shown = dict(STRUCT.findall(text))
    growing = set(shown) - FROZEN - SIZED
    for name, body in shown.items():
        for other in growing & set(re.findall(r"\b(gbs_\w+)\b(?! \*)", body)):
            yield f"{name} has a {other} inside"
    for returned, name, arguments in declarations(text):
        if returned in growing | SIZED:
            yield f"{name} returns a {returned} by value"
        for struct in growing:
            if re.fullmatch(rf"const {struct} \*", returned) and "size_t *count" in arguments:
                yield f"{name} returns an array of {struct}"
            if re.fullmatch(rf"{struct} \*", returned):
                yield f"{name} returns a {struct} that is not const"
            for argument in arguments:
                if re.fullmatch(rf"(const )?{struct} \w+", argument):
                    yield f"{name} takes a {struct} by value"
                elif re.fullmatch(rf"{struct} \*\w+", argument) and not name.endswith("_free"):
                    yield f"{name} fills in a {struct} of the caller"
        for struct in SIZED:
            if f"const {struct} *own" in arguments and "size_t size" not in arguments:
                yield f"{name} takes a {struct} without its size"


def enumerators(text):
    """(enumeration, name, number) of each."""
    for name, body in ENUM.findall(text):
        number, known = -1, {}
        for member in filter(None, map(str.strip, body.split(","))):
            label, _, value = (part.strip() for part in member.partition("="))
            number = eval(value, {}, known) if value else number + 1  # of numbers and names alone
            known[label] = number
            yield name, label, number


def moved(text, recorded):
    known = {}
    for name, label, number in enumerators(text):
        known[label] = number
        if label.endswith("_AUTO") and 0 < number < AWAY:
            yield f"{label} stands in the list of {name}, where the next one belongs"
        if label not in recorded:
            yield f"{label} is not in tools/abi.txt (tools/check-abi.py --write)"
        elif recorded[label] != number:
            yield f"{label} was {recorded[label]} and is {number}"
    for label in recorded.keys() - known.keys():
        yield f"{label} is gone"


def read_record(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {label: int(number) for label, number in lines}


def write_record(path, text, recorded):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# Enumerators of the public header and their numbers, which programs were built"
                   "\n# with: none changes or goes (tools/check-abi.py).\n")
        for _, label, number in enumerators(text):
            file.write(f"{label} {recorded.get(label, number)}\n")
        present = {label for _, label, _ in enumerators(text)}
        for label in sorted(recorded.keys() - present):
            file.write(f"{label} {recorded[label]}\n")


def cut(text):
    """The last member of each struct that may grow goes; one that is declared with others,
    alone."""
    def shorter(found):
        name, body = found.groups()
        if name in FROZEN | SIZED:
            return found.group(0)
        members = without_comments(body).rstrip().rstrip(";").split(";")
        last = members[-1]
        members[-1:] = [last.rsplit(",", 1)[0]] if "," in last else []
        return f"typedef struct {name} {{{';'.join(members)};\n}} {name};"
    return STRUCT.sub(shorter, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("include", nargs="?", default=os.path.join(ROOT, "include"))
    parser.add_argument("--cut", metavar="FOLDER")
    parser.add_argument("--record", metavar="FILE", default=os.path.join(ROOT, "tools/abi.txt"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    pages = {}
    for path in sorted(glob.glob(f"{options.include}/**/*.h", recursive=True)):
        with open(path, encoding="utf-8") as file:
            pages[os.path.relpath(path, options.include)] = file.read()
    if not pages:
        sys.exit(f"check-abi: no header in {options.include}")
    for page, text in pages.items() if options.cut else ():
        path = os.path.join(options.cut, page)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(cut(text))
    text, recorded = without_comments("\n".join(pages.values())), read_record(options.record)
    if options.write:
        write_record(options.record, text, recorded)
        recorded = read_record(options.record)
    found = [*complaints(text), *moved(text, recorded)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
