"""Type stubs say what is there, and all of it."""
import ast
import inspect
import os
import subprocess
import sys

import pytest

import gibbsite
from gibbsite import _native

FOLDER = os.path.dirname(gibbsite.__file__)


def stub(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return ast.parse(file.read())


def test_the_stub_of_the_extension_names_its_functions():
    told = {node.name: node for node in stub("_native.pyi").body
            if isinstance(node, ast.FunctionDef)}
    real = {name for name in dir(_native) if callable(getattr(_native, name))
            and not name.startswith("_") and not isinstance(getattr(_native, name), type)}
    assert set(told) == real


def test_the_stub_of_the_package_has_its_names_and_parameters():
    told = {node.name: node for node in stub("__init__.pyi").body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    public = set(gibbsite.__all__) - {"plots"}
    assert public <= set(told)
    for name in public:
        thing, node = getattr(gibbsite, name), told[name]
        if isinstance(node, ast.ClassDef):
            node = next((inner for inner in node.body if isinstance(inner, ast.FunctionDef)
                         and inner.name == "__init__"), None)
            thing = thing.__init__
        if node is None:
            continue
        real = [p for p in inspect.signature(thing).parameters.values() if p.name != "self"]
        named = [a.arg for a in node.args.args if a.arg != "self"]
        named += [node.args.kwarg.arg] if node.args.kwarg else []
        assert named == [p.name for p in real], name


def test_every_estimator_has_the_methods_that_its_stub_names(data):
    for node in stub("__init__.pyi").body:
        if isinstance(node, ast.ClassDef) and hasattr(gibbsite, node.name):
            for inner in node.body:
                if not isinstance(inner, ast.FunctionDef):
                    continue
                assert hasattr(getattr(gibbsite, node.name), inner.name), inner.name
                thing = getattr(getattr(gibbsite, node.name), inner.name)
                if not isinstance(thing, property):
                    named = [a.arg for a in inner.args.args]
                    named += [inner.args.kwarg.arg] if inner.args.kwarg else []
                    assert named == list(inspect.signature(thing).parameters), inner.name


def test_mypy_finds_nothing_that_the_stubs_say_otherwise(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n"
                                       "ignore_errors = True\n")
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "gibbsite", "--concise",
                           "--mypy-config-file", "mypy.ini"], cwd=tmp_path, capture_output=True,
                          text=True)
    # modules beside __init__ and _native have their types in themselves: none
    inside = tuple(f"gibbsite.{name[:-3]}" for name in os.listdir(FOLDER)
                   if name.endswith(".py") and name != "__init__.py")
    wrong = [line for line in done.stdout.splitlines()
             if line.startswith("gibbsite") and not line.startswith(inside)]
    assert wrong == [] and "error" not in done.stderr
    (tmp_path / "use.py").write_text("from gibbsite import GibbsiteClassifier\n"
                                     "GibbsiteClassifier(lamda=3)\n")
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "use.py"],
                          cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "lamda" in done.stdout
