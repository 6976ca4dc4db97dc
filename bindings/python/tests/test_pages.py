"""What the pages show was typed."""
import ast
import doctest
import json
import os
import re

import pytest

ROOT = os.environ.get("GIBBSITE_ROOT", os.path.join(os.path.dirname(__file__), "../../.."))
PAGE = os.path.abspath(os.path.join(ROOT, "docs/python.md"))
NOTEBOOK = os.path.join(ROOT, "examples/notebook.ipynb")

here = pytest.mark.skipif(not os.path.exists(PAGE), reason="the pages are not in the distribution")


def blocks(path):
    with open(path, encoding="utf-8") as file:
        return "\n".join(re.findall(r"^```pycon\n(.*?)^```$", file.read(), re.M | re.S))


@here
def test_the_page_shows_what_python_prints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the page writes files
    test = doctest.DocTestParser().get_doctest(blocks(PAGE), {}, "python.md", PAGE, 0)
    assert len(test.examples) > 20
    told = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=told.append)
    assert runner.failures == 0, "".join(told)


def run_cell(source, names):
    """What a notebook shows of a cell: its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@here
def test_the_notebook_runs_and_shows_what_it_showed():
    pytest.importorskip("matplotlib").use("Agg")
    with open(NOTEBOOK, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    names = {}
    compared = 0
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        value = run_cell("".join(cell["source"]), names)
        for output in cell["outputs"]:
            shown = "".join(output["data"]["text/plain"])
            if "object at" not in shown and not shown.startswith("<Axes"):
                assert repr(value) == shown
                compared += 1
            if "text/html" in output["data"]:
                assert value._repr_html_() == "".join(output["data"]["text/html"])
    assert compared >= 4
