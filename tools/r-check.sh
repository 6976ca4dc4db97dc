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
export LC_ALL=C.UTF-8 # R would set a locale of its own, which not every machine has
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
# What a check says goes from its line to the next one. Not ours: what wants the net, or a program
# that is not installed.
awk 'function judge() {
         if (block ~ /(ERROR|WARNING|NOTE)(\n|$)/ &&
             block !~ /CRAN incoming|future file timestamps|HTML version|checkbashisms|qpdf/) {
             printf "%s", block
             found = 1
         }
         block = ""
     }
     /^\* / { judge() }
     /^Status: / { judge(); exit }
     { block = block $0 "\n" }
     END { exit found }' check.log >ours.log || { cat ours.log >&2; exit 1; }
grep '^Status: ' check.log
