#!/usr/bin/env bash
# tests/r_check.sh: R CMD check of the R package, vignettes and all, without error, warning or note.
# What tests/run does elsewhere is not done twice: of the files of tests the check runs one (each is
# run by tests/r.sh), and the vignettes are built once, by R CMD build. `tools/r-check.sh` does all.
root=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v Rscript >/dev/null || [[ ! -d $root/build/r/library/gibbsite ]] ||
    ! Rscript --vanilla -e 'find.package(c("testthat", "rmarkdown"))' >/dev/null 2>&1 ||
    ! command -v pandoc >/dev/null; then
    echo "1..0 # SKIP no R package, or nothing to build its vignettes with: make r, \
tools/setup.sh r-check"
    exit 0
fi
echo '1..1'
export GIBBSITE_R_TESTS=odd
if said=$("$root/tools/r-check.sh" --no-build-vignettes 2>&1); then
    echo 'ok 1 - R CMD check finds nothing'
else
    echo 'not ok 1 - R CMD check finds nothing'
    echo "# ${said//$'\n'/$'\n'# }"
    exit 1
fi
