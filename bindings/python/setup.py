"""Builds the extension module, and the library into it.

The sources of the library lie two folders up in a checkout, and under library/ in a source
distribution, which therefore needs neither make nor CMake: a C compiler, Random123, OpenBLAS,
jansson and zlib. In a checkout CMake and Chart.js (libjs-chart.js) make one of the sources.
GIBBSITE_LIBRARY=path/to/libgibbsite.a links a library that is built already.
"""
import glob
import os
import re
import shutil
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = os.path.dirname(os.path.abspath(__file__))
VENDORED = os.path.join(HERE, "library")
LIBRARY = VENDORED if os.path.isdir(VENDORED) else os.path.normpath(os.path.join(HERE, "../.."))

# As CMakeLists.txt has them: loops that vectorise, and everything else.
PLAIN = ["-std=c17", "-O2", "-g0", "-DNDEBUG", "-D_GNU_SOURCE", "-fopenmp-simd",
         "-fvisibility=hidden", "-pthread", f"-fmacro-prefix-map={LIBRARY}/="]
KERNEL = ["-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"]


def cmake_list(name):
    """The files of a file(GLOB) of CMakeLists.txt: written once, there."""
    with open(os.path.join(LIBRARY, "CMakeLists.txt"), encoding="utf-8") as file:
        words = re.search(rf"file\(GLOB {name} ([^)]*)\)", file.read()).group(1).split()
    return sorted(path for word in words if word.endswith(".c")
                  for path in glob.glob(os.path.join(LIBRARY, word)))


ASSETS = os.path.join("src", "report", "assets.c")


def write_assets(out):
    """What the page of a report carries with it, as a C file."""
    os.makedirs(os.path.dirname(out), exist_ok=True)
    subprocess.run(["cmake", f"-DOUT={os.path.abspath(out)}", "-P",
                    os.path.join(LIBRARY, "cmake", "report_assets.cmake")], check=True)


def flags(what):
    """Of the libraries underneath, by pkg-config where it is there."""
    try:
        told = subprocess.run(["pkg-config", what, "openblas"], check=True, capture_output=True,
                              text=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        told = []
    return [flag for flag in told if flag.startswith("-I")]


class BuildWithLibrary(build_ext):
    """The library's objects, some with options of their own, then the extension."""

    def library_objects(self):
        kernels = set(cmake_list("gibbsite_kernel_sources") + cmake_list("gibbsite_row_sources"))
        include = [os.path.join(LIBRARY, "src"), os.path.join(LIBRARY, "include")]
        plain = [path for path in cmake_list("gibbsite_sources") if path not in kernels]
        if not os.path.exists(os.path.join(LIBRARY, ASSETS)):
            plain.append(os.path.join(os.path.abspath(self.build_temp), ASSETS))
            write_assets(plain[-1])
        objects = []
        here = os.getcwd()
        for sources, options in ((plain, PLAIN), (sorted(kernels), PLAIN + KERNEL)):
            objects += self.compiler.compile(
                [os.path.relpath(path, here) for path in sources],
                output_dir=os.path.join(self.build_temp, "objects", "library"),
                include_dirs=include, extra_postargs=options + flags("--cflags"))
        return objects

    def build_extension(self, ext):
        ready = os.environ.get("GIBBSITE_LIBRARY")
        ext.extra_objects = [ready] if ready else self.library_objects()
        super().build_extension(ext)


class SdistWithLibrary(sdist):
    """Puts the library's sources into the distribution."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        target = os.path.join(base_dir, "library")
        for folder in ("src", "include"):
            shutil.copytree(os.path.join(LIBRARY, folder), os.path.join(target, folder))
        for name in ("CMakeLists.txt", "LICENSE"):
            shutil.copy(os.path.join(LIBRARY, name), target)
        if not os.path.exists(os.path.join(target, ASSETS)):
            write_assets(os.path.join(target, ASSETS))


def version():
    with open(os.path.join(LIBRARY, "include/gibbsite/base.h"), encoding="utf-8") as file:
        return re.search(r'#define GBS_VERSION "([^"]*)"', file.read()).group(1)


setup(
    version=version(),
    ext_modules=[Extension(
        "gibbsite._native",
        sources=sorted(os.path.relpath(path, HERE)
                       for path in glob.glob(os.path.join(HERE, "native/*.c"))),
        depends=["native/native.h"],
        include_dirs=[os.path.join(LIBRARY, "include")],
        define_macros=[("Py_LIMITED_API", "0x030B0000")],
        extra_compile_args=["-std=c17", "-fvisibility=hidden", "-Wall", "-Wextra"],
        extra_link_args=["-pthread"],
        libraries=["openblas", "jansson", "z", "m"],
        py_limited_api=True,
    )],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    cmdclass={"build_ext": BuildWithLibrary, "sdist": SdistWithLibrary},
)
