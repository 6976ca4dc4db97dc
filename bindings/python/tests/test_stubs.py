"""Type stubs say what is there, and all of it."""
import ast
import inspect
import os

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
                    assert [a.arg for a in inner.args.args] == \
                        list(inspect.signature(thing).parameters), (node.name, inner.name)
