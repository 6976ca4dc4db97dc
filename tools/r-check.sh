#!/usr/bin/env bash
# tools/r-check.sh [--as-cran]: R CMD check of the R package, its vignettes built, in build/r/check.
# Exit 1 when there is an error, a warning or a note; of notes, those about the machine and about
# CRAN's own books are not ours. GIBBSITE_VENDORED=yes compiles the sources that it carries.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/r.sh
out=build/r/check
version=$(sed -n 's/^Version: //p' bindings/r/DESCRIPTION)
rm -rf "$out"
mkdir -p "$out"
export PKG_CONFIG_PATH=$PWD/build/r/pkgconfig R_LIBS=$PWD/build/r/library
export _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_SYSTEM_CLOCK_=false OPENBLAS_NUM_THREADS=1
export GIBBSITE_ROOT=$PWD
cd "$out"
if ! R CMD build ../source/gibbsite >build.log 2>&1; then
    tail -n 40 build.log >&2
    exit 1
fi
R CMD check --no-manual "$@" "gibbsite_$version.tar.gz" >check.log 2>&1 || true
if ! grep -q '^Status: ' check.log; then
    tail -n 40 check.log >&2
    exit 1
fi
# A block begins with "* checking"; one that ends in a note of others is left out.
awk '/^\* checking|^Status/ { block = $0; bad = 0 }
     /^\* checking CRAN incoming|^\* checking for future file timestamps|^\* checking HTML version/ { skip = 1 }
     /^\* checking/ && !/CRAN incoming|future file timestamps|HTML version/ { skip = 0 }
     { lines = lines $0 "\n" }
     / (ERROR|WARNING|NOTE)$/ && !skip { found = 1 }
     END { exit found }' check.log || { cat check.log >&2; exit 1; }
grep '^Status: ' check.log
