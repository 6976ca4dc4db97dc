#!/usr/bin/env bash
# tools/setup.sh [test|docs|lint|fuzz|bench|coverage|study|python|r|r-check|deb]...: installs the
# Debian packages that are missing. With everything there it says nothing and takes no time.
# GIBBSITE_SKIP_SETUP=1 skips it.
set -euo pipefail

[[ ${GIBBSITE_SKIP_SETUP:-0} == 0 ]] || exit 0

packages=(gcc libc6-dev make cmake pkg-config libopenblas-dev librandom123-dev libjansson-dev \
    libcsv-dev zlib1g-dev
          libcmocka-dev libmpfr-dev libjs-chart.js openmpi-bin libopenmpi-dev)

# The runtime of the sanitizers is a package of its own, numbered like the clang it belongs to.
clang_runtime() {
    local number=''
    if command -v clang >/dev/null; then
        number=$(clang -dumpversion | cut -d. -f1)
    elif command -v apt-cache >/dev/null; then
        number=$(apt-cache depends clang 2>/dev/null |
            sed -n 's/.*Depends: clang-\([0-9][0-9]*\)$/\1/p' | head -n 1)
    fi
    echo "libclang-rt-${number:-14}-dev"
}

for extra in "$@"; do
    case $extra in
    # A browser for the pages of `gibbsite report`; readers of manuals and the shells that
    # completion is for. Other makers of node bring npm along and shut Debian's out.
    test)
        packages+=(chromium man-db mandoc zsh fish shellcheck)
        packages+=(iproute2) # networks of machines that one machine plays (tests/cli/machines.sh)
        packages+=(libopenblas0-serial) # a BLAS that the program must not share between threads
        command -v npm >/dev/null || packages+=(nodejs npm)
        ;;
    docs) packages+=(pandoc python3) ;;
    lint) packages+=(clang clang-format clang-tidy cppcheck shellcheck pyflakes3) ;;
    fuzz) packages+=(clang "$(clang_runtime)") ;;
    bench) packages+=(liblinear-tools) ;;
    coverage) packages+=(gcovr) ;;
    # the smallest of the gnuplots that libsvm-tools accepts
    study) packages+=(python3 libsvm-tools liblinear-tools gnuplot-nox) ;;
    # What builds the package, what it stands on, and what its tests and plots use.
    python)
        packages+=(python3-dev python3-build python3-setuptools python3-wheel python3-venv \
            python3-pip
                   python3-numpy python3-scipy python3-sklearn python3-pandas python3-pytest
                   python3-matplotlib python3-tqdm python3-mypy)
        ;;
    # What builds the package and what its tests use; R CMD check with vignettes wants more.
    r) packages+=(r-base-core r-cran-jsonlite r-cran-testthat r-cran-mass r-cran-matrix
                  r-cran-generics r-cran-future r-cran-cli) ;;
    r-check) packages+=(r-cran-knitr r-cran-rmarkdown pandoc) ;;
    deb) packages+=(build-essential debhelper dh-python lintian debootstrap) ;;
    *)
        echo "setup: unknown set '$extra'; known: test docs lint fuzz bench coverage study python \
r r-check deb" >&2
        exit 2
        ;;
    esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: not a Debian system; please see to the equivalents of: ${packages[*]}" >&2
    exit 0
fi

installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${packages[@]}" \
    2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
    [[ $installed == *" installed:$package "* || " ${missing[*]-} " == *" $package "* ]] \
        || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null </dev/null; then
        as_root=(sudo -n)
    else
        { # one line to type or to paste
            echo 'setup: Debian packages are missing, and installing them needs root. As root (or '\
'with sudo before it) type'
            echo "apt-get install --no-install-recommends ${missing[*]}"
        } >&2
        exit 1
    fi
fi

echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
        "$@" >>"$log" 2>&1 </dev/null
}
# Stale or missing lists are the usual reason why an install fails; a failed update alone is not yet
# a failure.
apt update || true
if ! apt install --no-install-recommends "${missing[@]}"; then
    tail -n 40 "$log" >&2
    echo "setup: apt-get could not install ${missing[*]}" >&2
    exit 1
fi
