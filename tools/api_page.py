#!/usr/bin/python3
"""tools/api_page.py include/gibbsite.h: the public header as a markdown page, on standard output.

Every name of the header appears with the words of its comment. A comment speaks for the
declarations below it, up to the next comment or blank line; one at the end of a line for that line.
A declaration without words is an error.
"""
import os
import re
import sys

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
NAME = re.compile(r"\b(gbs_\w+|GBS_\w+)\b")


def fail(message):
    sys.exit(f"api_page: {message}")


def words(comment):
    """The text of a comment, without the stars that begin its lines."""
    lines = [re.sub(r"^\s*\* ?", "", line) if k else line.strip()
             for k, line in enumerate(comment.split("\n"))]
    return "\n".join(line.rstrip() for line in lines).strip()


def escape(text):
    return re.sub(r"([\\`*_<>|\[\]$~^#])", r"\\\1", text)


def prose(text, known):
    """Words as markdown on one line, names of the header as links to their places."""
    out, last = [], 0
    text = re.sub(r"\s+", " ", text)
    for match in re.finditer(r"`([^`]*)`|\b(?:gbs|GBS)_\w+(?:\(\))?", text):
        out.append(escape(text[last : match.start()]))
        code = match.group(1) or match.group(0)
        place = known.get(code.rstrip("()"))
        out.append(f"[`{code}`](#{place})" if place else f"`{code}`")
        last = match.end()
    return "".join(out) + escape(text[last:])


class Declaration:
    def __init__(self, kind, names, code, comment):
        self.kind, self.names, self.code, self.comment = kind, names, code, comment
        self.members = []  # (code, words); code None: a remark between members


def read_members(body, kind):
    """Members of a struct or enumerators of an enum, each with the comment that stands behind
    it."""
    members, at, end = [], 0, "," if kind == "enum" else ";"
    while at < len(body):
        if body[at].isspace() or body[at] in ",;":
            at += 1
            continue
        comment = COMMENT.match(body, at)
        if comment:
            own_line = body[: at].rpartition("\n")[2].strip() == ""
            if own_line or not members:
                members.append([None, words(comment.group(1))])
            else:
                members[-1][1] = (members[-1][1] + " " + words(comment.group(1))).strip()
            at = comment.end()
            continue
        stop = at
        while stop < len(body) and body[stop] != end and not body.startswith("/*", stop):
            stop += 1
        members.append([re.sub(r"\s+", " ", body[at:stop]).strip(), ""])
        at = stop
    return members


def whole(path):
    """The umbrella's opening comment and, in its order, what its pages declare: one text."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    pages = []
    for name in re.findall(r'#include "(gibbsite/\w+\.h)"', text):
        with open(os.path.join(os.path.dirname(path), name), encoding="utf-8") as file:
            page = file.read()
        page = page[page.index('extern "C" {') :]
        page = page[page.index("#endif") + len("#endif") : page.rindex("#ifdef __cplusplus")]
        pages.append(page.strip())
    return COMMENT.match(text).group(0) + '\nextern "C" {\n#endif\n\n' + "\n\n".join(
        pages) + "\n\n#endif\n"


def read(text):
    """Sections of the header: [title, [declarations]], and its opening comment."""
    opening = words(COMMENT.match(text).group(1))
    body = text[text.index('extern "C" {') :]
    body = body[body.index("#endif") + len("#endif") :]
    body = body[: body.rindex("#endif")]  # the guard
    body = re.sub(r"#if.*?#endif", "", body, flags=re.S)  # GBS_API itself, and C++
    sections, comment, at = [["Version", []]], "", 0
    patterns = [
        ("section", re.compile(r"/\* -{10,} (.*?) \*/")),
        ("comment", COMMENT),
        ("blank", re.compile(r"\n[ \t]*\n")),
        ("define", re.compile(r"#define (\w+)[^\n]*")),
        ("handle", re.compile(r"typedef struct (\w+) (\w+);")),
        ("enum", re.compile(r"typedef enum (\w+) \{(.*?)\} \w+;", re.S)),
        ("enum", re.compile(r"enum (\w+) \{(.*?)\};", re.S)),
        ("struct", re.compile(r"typedef struct (\w+) \{(.*?)\n\} \w+;", re.S)),
        ("callback", re.compile(r"typedef [^;{]*?\(\*(\w+)\)[^;]*;")),
        ("function", re.compile(r"GBS_API ([^;]*?)\b(gbs_\w+)\(([^;]*)\);", re.S)),
    ]
    while at < len(body):
        for kind, pattern in patterns:
            match = pattern.match(body, at)
            if match:
                break
        else:
            if not body[at].isspace():
                fail("cannot read: " + body[at : at + 60].split("\n")[0])
            at += 1
            continue
        at = match.end()
        if kind == "section":
            sections.append([match.group(1), []])
            comment = ""
        elif kind == "comment":
            comment = words(match.group(1))
        elif kind == "blank":
            comment = ""
            at -= 1
        else:
            code = re.sub(r"GBS_API ", "", match.group(0))
            name = match.group(2) if kind == "function" else match.group(1)
            item = Declaration(kind, [name], code, comment)
            behind = re.compile(r"[ \t]*/\*(.*?)\*/", re.S).match(body, at)
            if behind:
                item.comment = (item.comment + " " + words(behind.group(1))).strip()
                at = behind.end()
            if kind in ("enum", "struct"):
                item.members = read_members(match.group(2), kind)
            sections[-1][1].append(item)
    return opening, sections


def together(items):
    """Functions in a row that share their words become one entry."""
    groups = []
    for item in items:
        last = groups[-1] if groups else None
        if last and item.kind == last.kind == "function" and item.comment == last.comment:
            last.names += item.names
            last.code += "\n" + item.code
        else:
            groups.append(item)
    return groups


def print_opening(opening, known):
    print(
        "# The C interface\n\nMade from `include/gibbsite.h`, comments and declarations; that "
        "file is the contract.\n")
    code = False
    for line in opening.split("\n")[1:]:
        if line.startswith("    ") != code and line.strip():
            print("```c" if not code else "```")
            code = not code
        if code:
            print(line[4:])
        elif line.startswith(" - "):
            print("- " + prose(line[3:], known))
        elif line == "Conventions":
            print("\n## Conventions\n")
        else:
            print(("  " if line.startswith("   ") else "") + prose(line.strip(), known))
    if code:
        print("```")


def print_item(item, known):
    print("\n" + "".join(f'<a id="{known[n]}"></a>' for n in item.names))
    print(f"\n### {', '.join(escape(n) for n in item.names)}\n")
    if not item.comment and not any(w for _, w in item.members):
        fail(f"{item.names[0]} has no words")
    if item.comment:
        print(prose(item.comment, known) + "\n")
    if not item.members:
        print(f"```c\n{item.code}\n```")
        return
    print(f"| {'constant' if item.kind == 'enum' else 'member'} | meaning |\n|---|---|")
    for code, meaning in item.members:
        print(f"| `{code}` | {prose(meaning, known)} |" if code
              else f"| | *{prose(meaning, known)}* |")


def main():
    text = whole(sys.argv[1])
    opening, sections = read(text)
    names = [n for _, items in sections for item in items for n in item.names]
    wanted = set(re.findall(r"GBS_API [^;]*?\b(gbs_\w+)\(",
                            text)) | set(re.findall(r"(?:struct|enum) (gbs_\w+)", text))
    if not wanted <= set(names):
        fail("not found as declarations: " + " ".join(sorted(wanted - set(names))))
    known = {n: "c-" + n for n in names}
    for _, items in sections:  # a constant leads to its enum
        for item in items:
            if item.kind == "enum":
                for code, _ in item.members:
                    if code:
                        known.setdefault(code.split(" ")[0], known[item.names[0]])
    print_opening(opening, known)
    print("\n## All names\n")
    print(", ".join(f"[`{n}`](#{known[n]})" for n in sorted(names)))
    for title, items in sections:
        print(f"\n## {escape(title[0].upper() + title[1:])}")
        for item in together(items):
            print_item(item, known)


main()
