#!/usr/bin/env bash
# tests/r_check.sh: R CMD check of the R package, vignettes and all, without error, warning or note.
root=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v Rscript >/dev/null || [[ ! -d $root/build/r/library/gibbsite ]] ||
    ! Rscript -e 'library(testthat); library(rmarkdown)' >/dev/null 2>&1 ||
    ! command -v pandoc >/dev/null; then
    echo "1..0 # SKIP no R package, or nothing to build its vignettes with: make r, tools/setup.sh r-check"
    exit 0
fi
echo '1..1'
if said=$("$root/tools/r-check.sh" 2>&1); then
    echo 'ok 1 - R CMD check finds nothing'
else
    echo 'not ok 1 - R CMD check finds nothing'
    echo "# ${said//$'\n'/$'\n'# }"
    exit 1
fi
