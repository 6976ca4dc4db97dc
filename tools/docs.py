#!/usr/bin/python3
"""tools/docs.py PROGRAM OUT: the pages of docs/ as HTML in OUT, by pandoc. Fails when a link leads
nowhere or a page is in no list. tools/docs.py --check OUT: only checks the links of pages made
before.

docs/index.md is the table of contents: its headings and lists become the bar of navigation. Pages
link one another by their markdown files, so that they read on code hosts too; here these become
links to HTML. Two pages are made, not written: the C interface from include/gibbsite.h, and the
commands from the program's manual pages. Any other file of the repository that a page links is
shown as it is.
"""
import html
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MADE = {"include/gibbsite.h": "api.html", "src/options/entries.c": "commands.html"}
PANDOC = ["pandoc", "--from=gfm+tex_math_dollars", "--to=html5", "--mathml", "--wrap=preserve"]


def fail(message):
    sys.exit(f"docs: {message}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", cwd=ROOT)
    if done.returncode != 0 or done.stderr:
        fail(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def page_name(source):
    """The HTML page that a file of the repository becomes."""
    if source in MADE:
        return MADE[source]
    if re.fullmatch(r"include/gibbsite/\w+\.h", source):
        return MADE["include/gibbsite.h"]
    folder, name = os.path.split(source)
    stem, ending = os.path.splitext(name)
    if ending == ".html":
        return source.removeprefix("docs/")
    if ending != ".md":
        return f"source/{source.replace('/', '-')}.html"
    if folder == "docs":
        return stem + ".html"
    folder = folder.removeprefix("docs/")
    return (folder.replace("/", "-") if name == "README.md" and folder else stem.lower()) + ".html"


def contents(index):
    """[(heading, [(title, source)])] from the lists of index.md."""
    groups = []
    for line in index.split("\n"):
        heading, link = re.match(r"## (.*)", line), re.match(r"[-*] \[(.*?)\]\((.*?)\)", line)
        if heading:
            groups.append((heading.group(1), []))
        elif link and groups:
            groups[-1][1].append((link.group(1),
                                  os.path.normpath(os.path.join("docs", link.group(2)))))
    return [group for group in groups if group[1]]


def navigation(groups, here):
    out = []
    for heading, items in groups:
        out.append(f"<li><span>{html.escape(heading)}</span><ul>")
        for title, source in items:
            mark = ' aria-current="page"' if page_name(source) == here else ""
            words = html.escape(title.replace("`", ""))
            out.append(f'<li><a href="{page_name(source)}"{mark}>{words}</a></li>')
        out.append("</ul></li>")
    return "<ul>" + "".join(out) + "</ul>"


def console(match):
    """In a console block, what is typed stands out from what is printed."""
    lines, typed = [], False
    for line in match.group(1).split("\n"):
        typed = line.startswith("$ ") or (typed and line.startswith("&gt; "))
        lines.append(f"<b>{line}</b>" if typed else line)
    return '<pre class="console" tabindex="0"><code>' + "\n".join(lines) + "</code></pre>"


MATHML = "http://www.w3.org/1998/Math/MathML"
TALL = ("mfrac", "munder", "munderover", "mover", "mtable", "mroot")


def formula(match):
    """pandoc's MathML, with brackets that grow around tall things only, and names of several
    letters upright and in one piece."""
    root = xml.fromstring(match.group(0))
    for item in root.iter():
        tags = [child.tag.removeprefix(f"{{{MATHML}}}") for child in item]
        if tags and tags[0] == "mo" and not any(part.tag.endswith(TALL) for part in item.iter()):
            for child in item:
                if child.get("stretchy") == "true":
                    child.set("stretchy", "false")
        if item.get("mathvariant") == "normal" and tags and set(tags) == {"mi"}:
            text = "".join(child.text or "" for child in item)
            for child in list(item):
                item.remove(child)
            item.tag, item.text = f"{{{MATHML}}}mi", text
    xml.register_namespace("", MATHML)
    return xml.tostring(root, encoding="unicode", short_empty_elements=False)


class Site:
    def __init__(self, out):
        self.out, self.sources, self.waiting, self.done = out, {}, [], set()
        self.template = read(os.path.join(ROOT, "docs/style/page.html"))
        self.groups = contents(read(os.path.join(ROOT, "docs/index.md")))

    def link(self, here, source, target):
        """Where a link of a markdown file leads in HTML; asks for that page."""
        if re.match(r"[a-z]+:|#", target):
            return target
        path, _, place = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if not os.path.isfile(os.path.join(ROOT, file)):
            fail(f"{source}: the link {target} leads nowhere")
        self.ask(file)
        return os.path.relpath(page_name(file),
                               os.path.dirname(here) or ".") + (f"#{place}" if place else "")

    def picture(self, here, source, target):
        """A picture beside a markdown file goes to the same place beside its page."""
        if not re.match(r"[a-z]+:", target):
            file = os.path.join(ROOT, os.path.dirname(source), target)
            if not os.path.isfile(file):
                fail(f"{source}: there is no picture {target}")
            path = os.path.join(self.out, os.path.dirname(here), target)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copy(file, path)

    def ask(self, source):
        if re.fullmatch(r"include/gibbsite/\w+\.h", source):
            source = "include/gibbsite.h"  # its pages have one page here
        if source not in self.done:
            self.done.add(source)
            self.waiting.append(source)

    def write(self, name, title, body):
        body = re.sub(r'<pre class="console"><code>(.*?)</code></pre>', console, body, flags=re.S)
        body = body.replace("<pre><code>",
                            '<pre tabindex="0"><code>').replace("<table>",
                                                                '<div class="wide" role="region" '
                                                                'aria-label="Table" '
                                                                'tabindex="0"><table>')
        body = body.replace("</table>", "</table></div>")
        body = re.sub(r"(?<!>)<code>([^<]{1,28})</code>", r'<code class="short">\1</code>', body)
        up = "../" * name.count("/")
        page = self.template.replace("$title$",
                                     html.escape(title)).replace("$body$", body).replace("$up$", up)
        menu = navigation(self.groups, name)
        page = page.replace("$menu$", re.sub(r'href="', f'href="{up}', menu))
        path = os.path.join(self.out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def markdown(self, source, text):
        name = page_name(source)
        body = re.sub(r"<math .*?</math>", formula, run(PANDOC, text), flags=re.S)
        body = re.sub(r'href="([^"]*)"', lambda m: 'href="%s"' % html.escape(
            self.link(name, source, html.unescape(m.group(1)))), body)
        for target in re.findall(r'<img [^>]*?src="([^"]*)"', body):
            self.picture(name, source, html.unescape(target))
        title = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
        if not title:
            fail(f"{source} has no title")
        self.write(name, re.sub(r"<.*?>", "", html.unescape(title.group(1))), body)

    def plain(self, source):
        text = html.escape(read(os.path.join(ROOT, source)))
        self.write(page_name(source), source,
                   f"<h1>{html.escape(source)}</h1>\n<pre><code>{text}</code></pre>")

    def commands(self, program):
        names = re.findall(r'"name": "([a-z]+)"', run([program, "help", "--json"]))
        parts = [
            "<h1>Commands</h1>\n<p>The manual pages of the program, which come from the table "
            "that its options are read by.</p>"]
        parts.append("<p>" + ", ".join(f'<a href="#{n}">{n}</a>' for n in names) + "</p>")
        for name in names:
            page = run(["pandoc", "--from=man", "--to=html5", "--shift-heading-level-by=2"],
                       run([program, "help", "--man", name]))
            page = re.sub(r'<h3 id="([^"]*)"', lambda m: f'<h3 id="{name}-{m.group(1)}"', page)
            page = re.sub(r"<h3[^>]*>(SEE ALSO|EXIT STATUS|ENVIRONMENT)</h3>.*?(?=<h3|\Z)", "",
                          page, flags=re.S)
            page = re.sub(r"<h3[^>]*>NAME</h3>\s*<p>gibbsite-[a-z]+ - ", "<p>", page)
            parts.append(f'<h2 id="{name}">gibbsite {name}</h2>\n{page}')
        self.write("commands.html", "Commands", "\n".join(parts))

    def build(self, program):
        self.ask("docs/index.md")
        for _, items in self.groups:
            for _, source in items:
                self.ask(source)
        for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
            if name.endswith(".md") and "docs/" + name not in self.done:
                fail(f"docs/{name} is in no list of docs/index.md")
        while self.waiting:
            source = self.waiting.pop(0)
            if source == "include/gibbsite.h":
                self.markdown(source, run(["tools/api_page.py", source]))
            elif source == "src/options/entries.c":
                self.commands(program)
            elif source.endswith(".md"):
                self.markdown(source, read(os.path.join(ROOT, source)))
            elif source.endswith(".html"):
                path = os.path.join(self.out, page_name(source))
                os.makedirs(os.path.dirname(path), exist_ok=True)
                shutil.copy(os.path.join(ROOT, source), path)
            else:
                self.plain(source)
        shutil.copy(os.path.join(ROOT, "docs/style/style.css"), self.out)


class Anchors(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key == "id":
                self.ids.append(value)
            if key in ("href", "src"):
                self.links.append(value)


def check(out):
    """Every link inside the pages finds its page and its place; no place is there twice. Returns
    the number of pages and links."""
    pages, broken, count = {}, [], 0
    for folder, _, files in os.walk(out):
        for name in files:
            path = os.path.join(folder, name)
            # these are not ours to check
            if name.endswith(".html") and "gallery/" not in os.path.relpath(path, out):
                pages[os.path.relpath(path, out)] = Anchors(read(path))
    for name, page in sorted(pages.items()):
        broken += [f"{name}: the place {i} is there twice" for i in set(page.ids)
                   if page.ids.count(i) > 1]
        for link in page.links:
            if re.match(r"https?:", link):
                continue
            count += 1
            path, _, place = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if target not in pages and not os.path.isfile(os.path.join(out, target)):
                broken.append(f"{name}: {link}: no such page")
            elif place and place not in pages[target].ids:
                broken.append(f"{name}: {link}: no such place")
    if broken:
        fail("links that lead nowhere\n  " + "\n  ".join(broken))
    return len(pages), count


def main():
    if len(sys.argv) != 3:
        fail("usage: tools/docs.py PROGRAM OUT, or --check OUT")
    program, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    if sys.argv[1] != "--check":
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        Site(out).build(program)
    pages, links = check(out)
    print(f"{pages} pages, {links} links checked: {os.path.relpath(out, ROOT)}/index.html")


main()
