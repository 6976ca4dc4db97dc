#!/usr/bin/env bash
# Lines of the library and the program that the tests reach: a summary here, the pages in
# build/coverage/report/.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

tools/build.sh coverage all tests || exit 1
find build/coverage -name '*.gcda' -delete
tests/run --build build/coverage
tested=$?
mkdir -p build/coverage/report
gcovr --root . --filter src/ --filter cli/ --exclude-throw-branches --sort-uncovered \
    --print-summary \
    --txt build/coverage/report/summary.txt --html-details build/coverage/report/index.html \
    build/coverage || exit 1
echo 'pages: build/coverage/report/index.html'
exit "$tested"
