#!/usr/bin/python3
"""tools/references.py [--write] [ROOT]: makes docs/references.md of docs/references.bib (--write),
and checks, with one line for each mistake, that

- the page is what the file makes;
- a key is what its authors and year make: up to three names, else the first "et al.";
- every link to references.md#KEY, in a page or the README, has a key that is there, and names it
  as the page does;
- every source that the program names (cli/out/sources.c) is there under that name;
- every entry is cited somewhere.
"""
import os
import re
import sys
import unicodedata

ARGUMENTS = [a for a in sys.argv[1:] if a != "--write"]
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(ARGUMENTS[0] if ARGUMENTS else os.path.join(HERE, ".."))
ENTRY = re.compile(r"@(\w+)\{([^,\s]+),(.*?)\n\}", re.S)
LINK = re.compile(r"\[([^\]]+)\]\((?:docs/|\.\./docs/)?references\.md#([^)\s]+)\)")
SOURCE = re.compile(r'\{"([a-z0-9-]+)",\s*"([^"]+)"')
HEAD = """# References

Where the methods come from, and what each is used for. [references.bib](references.bib) has the
same for BibTeX, [CITATION.cff](../CITATION.cff) says how to cite Gibbsite itself.
`tools/references.py --write` makes this page.
"""


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def values(body):
    """name = {value}, with braces inside braces."""
    found, at = {}, 0
    for field in iter(lambda: re.compile(r"(\w+)\s*=\s*\{").search(body, at), None):
        depth, end = 1, field.end()
        while depth > 0:
            depth += {"{": 1, "}": -1}.get(body[end], 0)
            end += 1
        found[field.group(1)] = body[field.end():end - 1]
        at = end
    return found


ACCENTS = {"'": "\u0301", '"': "\u0308", "c": "\u0327"}


def plain(text):
    """TeX to text."""
    text = re.sub(r"\{?\\(['\"c])\{?(\w)\}?\}?", lambda m: m.group(2) + ACCENTS[m.group(1)], text)
    text = re.sub(r"\\texttt\{(\w+)\}", r"`\1`", text)
    return unicodedata.normalize("NFC", text.replace("{", "").replace("}", "").replace("--", "–"))


def name_of(entry):
    """Catoni 2007; Clopper and Pearson 1934; Germain et al. 2009."""
    families = [plain(a).split(",")[0].strip() for a in entry["author"].split(" and ")]
    if len(families) > 3:
        who = families[0] + " et al."
    elif len(families) > 1:
        who = ", ".join(families[:-1]) + " and " + families[-1]
    else:
        who = families[0]
    return f"{who} {entry['year']}"


def slug(name):
    """As code hosts and pandoc make anchors of headings."""
    return re.sub(r"[^\w -]", "", name.lower()).replace(" ", "-")


def key_of(name):
    """The same in plain letters."""
    bare = unicodedata.normalize("NFD", name)
    return slug("".join(c for c in bare if not unicodedata.combining(c)))


def where(entry):
    if "journal" in entry:
        number = f"({entry['number']})" if "number" in entry else ""
        pages = f":{plain(entry['pages'])}" if "pages" in entry else ""
        return f"*{plain(entry['journal'])}* {entry['volume']}{number}{pages}"
    if "booktitle" in entry:
        pages = f", pages {plain(entry['pages'])}" if "pages" in entry else ""
        house = f", {plain(entry['publisher'])}" if "publisher" in entry else ""
        return f"*{plain(entry['booktitle'])}*{house}{pages}"
    if "publisher" in entry:
        series = f", {plain(entry['series'])} {entry['volume']}" if "series" in entry else ""
        return plain(entry["publisher"]) + series
    return plain(entry["howpublished"])


def folded(text):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > 100:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join(lines + [line])


def page(entries):
    parts = [HEAD]
    for entry in sorted(entries.values(), key=lambda e: key_of(name_of(e))):
        authors = []
        for author in entry["author"].split(" and "):
            family, _, given = plain(author).partition(",")
            authors.append(f"{given.strip()} {family.strip()}".strip())
        who = authors[0] if len(authors) == 1 else ", ".join(authors[:-1]) + " and " + authors[-1]
        text = f"{who}: {plain(entry['title'])}. {where(entry)}, {entry['year']}."
        use = plain(entry["use"])
        parts.append(f"## {name_of(entry)}\n\n{folded(text)}\n\n{folded('For: ' + use + '.')}\n")
    return "\n".join(parts)


def pages():
    yield "README.md"
    for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
        if name.endswith(".md") and name != "references.md":
            yield os.path.join("docs", name)


def mistakes(entries):
    names = {key: name_of(entry) for key, entry in entries.items()}
    anchors = {slug(name): key for key, name in names.items()}
    cited = set()
    for key, name in names.items():
        if key != key_of(name):
            yield f"docs/references.bib: {key} should be {key_of(name)}"
    for path in pages():
        for text, anchor in LINK.findall(read(path)):
            text = " ".join(text.split())
            if anchor not in anchors:
                yield f"{path}: [{text}] leads to {anchor}, which is not in docs/references.bib"
                continue
            cited.add(anchors[anchor])
            if text != names[anchors[anchor]]:
                yield f"{path}: [{text}] is called {names[anchors[anchor]]}"
    told = SOURCE.findall(read("cli", "out", "sources.c"))
    if not told:
        yield "cli/out/sources.c names no source"
    for key, name in told:
        if key not in names:
            yield f"cli/out/sources.c: {key} is not in docs/references.bib"
        elif plain_name(names[key]) != name:
            yield f"cli/out/sources.c: {name} is called {names[key]}"
        cited.add(key)
    for key in sorted(set(names) - cited):
        yield f"docs/references.bib: {key} is cited nowhere"


def plain_name(name):
    """What a terminal of any kind can show."""
    bare = unicodedata.normalize("NFD", name)
    return "".join(c for c in bare if not unicodedata.combining(c))


def main():
    text = read("docs", "references.bib")
    entries = {}
    wrong = []
    for _, key, body in ENTRY.findall(text):
        if key in entries:
            wrong.append(f"docs/references.bib: {key} is there twice")
        entries[key] = values(body)
    if len(ENTRY.findall(text)) != len(re.findall(r"^@", text, re.M)):
        wrong.append("docs/references.bib: an entry cannot be read")
    target = os.path.join(ROOT, "docs", "references.md")
    if "--write" in sys.argv:
        with open(target, "w", encoding="utf-8") as file:
            file.write(page(entries))
    elif not os.path.isfile(target) or read("docs", "references.md") != page(entries):
        wrong.append("docs/references.md is not what references.bib makes: "
                     "tools/references.py --write")
    wrong += mistakes(entries)
    print("\n".join(wrong) if wrong else f"{len(entries)} references are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
