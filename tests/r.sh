#!/usr/bin/env bash
# tests/r.sh FILE: one file of the R package's tests, with the package that `make r` installs; a
# test that is skipped where there is none.
root=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v Rscript >/dev/null || [[ ! -d $root/build/r/library/gibbsite ]]; then
    echo "1..0 # SKIP no R package: make r"
    exit 0
fi
cd "${TMPDIR:-/tmp}" || exit 1
export GIBBSITE_ROOT=$root OPENBLAS_NUM_THREADS=1 R_LIBS=$root/build/r/library TESTTHAT_FILE=$1
exec Rscript --vanilla -e 'if (!requireNamespace("testthat", quietly = TRUE)) {
        cat("1..0 # SKIP no testthat: tools/setup.sh r\n")
        quit()
    }
    library(testthat); library(gibbsite)
    found <- as.data.frame(test_file(Sys.getenv("TESTTHAT_FILE"), reporter = "tap"))
    quit(status = any(found$failed > 0 | found$error))'
