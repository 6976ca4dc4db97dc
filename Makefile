# The short way in; CMake does the work. `make help` lists the targets.
.DEFAULT_GOAL := build
.PHONY: help setup build dev demo docs python r deb deb-smoke test golden bench study study-quick \
	lint call-graph fuzz coverage coverage-study install clean
MAKEFLAGS += --no-print-directory
PREFIX ?= /usr/local

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|' 2>/dev/null \
	  || sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1: \2/p' Makefile

setup: ## install the Debian packages that are missing
	@tools/setup.sh

build: setup ## the release program, at build/gibbsite (the default)
	@tools/build.sh release
	@if [ -x build/release/gibbsite ]; then \
	   cp -f build/release/gibbsite build/.gibbsite && mv -f build/.gibbsite build/gibbsite; \
	   if [ -e build/release/libgibbsite-mpi.so.1 ]; then \
	     cp -f build/release/libgibbsite-mpi.so.1 build/; fi; \
	 else echo 'make build: no program was built' >&2; exit 1; fi

dev: ## a build for every day: -O1 -g, warnings are errors, with the unit tests
	@tools/build.sh dev all tests

demo: build ## set up, build, and show a certified fit and its report
	@tools/demo.sh

docs: build ## the pages as HTML, in build/docs/html; a link that leads nowhere is an error
	@tools/setup.sh docs
	@tools/docs.py build/gibbsite build/docs/html

python: build ## the Python package: a wheel in build/python/dist, installed into build/python/venv
	@tools/setup.sh python
	@tools/python.sh

r: build ## the R package: a source package in build/r, installed into build/r/library
	@tools/setup.sh r
	@tools/r.sh

deb: ## the Debian packages, in build/deb: program, library, headers, pages, Python, R
	@tools/setup.sh python r deb docs
	@tools/deb.sh

deb-smoke: ## the packages of `make deb` installed, used and purged in a bare system
	@tools/deb-smoke.sh

test: ## every test, several at a time; the last line counts them
	@tools/build-tests.sh
	@tests/run

# CHANGES=tests/golden/changes.txt names what has changed on purpose.
golden: build ## every number against another build's, to 1e-12: make golden OLD=path/to/gibbsite
	@if [ ! -f '$(OLD)' ]; then \
	   echo 'make golden: OLD=PROGRAM says what to compare with' >&2; exit 2; fi
	@mkdir -p build/golden
	@tests/golden/run.sh '$(OLD)' >build/golden/old.txt
	@tests/golden/run.sh build/gibbsite >build/golden/new.txt
	@tests/golden/compare.py build/golden/old.txt build/golden/new.txt \
	  --tolerance $(or $(TOLERANCE),1e-12) $(if $(CHANGES),--changes $(CHANGES))

bench: ## build the benchmarks and run them
	@tools/setup.sh bench
	@$(MAKE) build
	@tools/build.sh release bench
	@set -e; for b in build/release/bench/*; do [ -f "$$b" ] && [ -x "$$b" ] || continue; \
	   echo "== $${b##*/}"; "$$b"; done
	@for b in bench/*.sh; do echo "== $${b##*/}"; "$$b" build/gibbsite; done

# It goes on where it was interrupted. Long checks of the packages for Python, R and Debian follow.
study: ## the paper's tables and figures, made anew: study/out/study.html (half an hour)
	@tools/setup.sh study python r r-check deb docs
	@$(MAKE) build
	@/usr/bin/python3 study/study.py
	@$(MAKE) python
	@GIBBSITE_PYTHON_SEEDS=25 tests/python.sh "$$PWD/bindings/python/tests/test_checks.py"
	@tools/r-check.sh --as-cran
	@cp build/r/check/check.log study/out/r-check.txt
	@$(MAKE) deb deb-smoke

study-quick: ## three splits, small sets, coarse grids: study/out/quick/study.html (minutes)
	@tools/setup.sh study
	@$(MAKE) build
	@/usr/bin/python3 study/study.py --quick

lint: ## formatting, warnings of two compilers, static analysis, include rules
	@tools/setup.sh lint
	@tools/lint.sh

call-graph: build ## who calls whom, read off the objects, into CONTRIBUTING.md
	@tools/call-graph.py --write

fuzz: ## run each fuzzer for FUZZ_SECONDS (60)
	@tools/setup.sh fuzz
	@tools/fuzz.sh

coverage: ## lines that the tests reach, in build/coverage/report
	@tools/setup.sh coverage
	@tools/coverage.sh

COVERED := coverage complete_coverage deployed rank_deployed features groups many
coverage-study: build ## how often certificates hold, 500 to 2,000 fits of every kind (hours)
	@tools/build.sh release $(COVERED:%=test_%_statistics)
	@for each in $(COVERED); do \
	   GIBBSITE_COVERAGE=full build/release/tests/test_$${each}_statistics || exit 1; done

install: build ## install under PREFIX (/usr/local); DESTDIR is honoured
	@cmake --install build/release --prefix '$(PREFIX)'

clean: ## remove build/
	@rm -rf build
