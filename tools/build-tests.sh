#!/usr/bin/env bash
# tools/build-tests.sh: all that `tests/run` runs. What packages bring is unpacked by one process
# while the compilers have the processors.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

tools/setup.sh || exit 1
{
    if ! tools/setup.sh test docs study python r r-check 2>/dev/null; then # what can be had, then
        tools/setup.sh test docs study ||
            echo 'make test: no browser, pandoc or peers; their tests will be skipped'
        tools/setup.sh python || echo 'make test: not all that Python tests need'
        tools/setup.sh r r-check || echo 'make test: not all that R tests need'
    fi
} &
packages=$!
# Beside each other, since each has stretches in which one processor does all.
{ tools/build.sh asan-ubsan all tests && tools/build.sh tsan tests_concurrent; } &
sanitized=$!
mapfile -t targets < <(tests/run --targets)
if ! make build || ! tools/build.sh release "${targets[@]}"; then
    wait # for what others write
    exit 1
fi
wait "$packages"
tools/python.sh || echo 'make test: no Python package; its tests will be skipped'
tools/r.sh || echo 'make test: no R package; its tests will be skipped'
wait "$sanitized"
