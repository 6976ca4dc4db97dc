"""The source distribution has all that a build needs."""
import os
import subprocess
import sys
import tarfile

import pytest

ROOT = os.environ.get("GIBBSITE_ROOT", "")
SOURCE = os.path.join(ROOT, "build/python/source/bindings/python")


@pytest.mark.skipif(not os.path.isdir(SOURCE), reason="the package was not built here")
def test_a_source_distribution_carries_the_library(tmp_path):
    subprocess.run([sys.executable, "setup.py", "-q", "sdist", "-d", str(tmp_path)], cwd=SOURCE,
                   check=True, capture_output=True)
    archive, = os.listdir(tmp_path)
    with tarfile.open(tmp_path / archive) as tar:
        names = {name.split("/", 1)[1] for name in tar.getnames() if "/" in name}
    library = {os.path.relpath(os.path.join(folder, name), ROOT)
               for top in ("src", "include")
               for folder, _, files in os.walk(os.path.join(ROOT, top)) for name in files}
    assert {os.path.join("library", name) for name in library} <= names
    assert {"library/CMakeLists.txt", "library/src/report/assets.c", "native/native.h", "setup.py",
            "gibbsite/py.typed", "gibbsite/__init__.pyi", "README.md"} <= names
