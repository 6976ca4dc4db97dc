#!/usr/bin/env bash
# tools/r.sh: the R package around build/release/libgibbsite.a: a source package that carries the
# library's sources in build/r, installed into build/r/library. Nothing is done again that is newer
# than its sources. GIBBSITE_VENDORED=yes compiles those sources instead, against R's BLAS.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/r
library=$PWD/build/release/libgibbsite.a
stamp=$out/installed${GIBBSITE_VENDORED:+-vendored}
log=$out/build.log

if ! command -v R >/dev/null; then
    echo 'r: R is missing; `tools/setup.sh r` installs it on Debian' >&2
    exit 1
fi
if [[ ! -e $library ]]; then
    echo "r: $library is missing; \`make build\` makes it" >&2
    exit 1
fi
if [[ -e $stamp && $stamp -nt $library && $stamp -nt tools/r.sh ]] &&
    [[ ! $(find bindings/r -newer "$stamp" -type f -print -quit) ]]; then
    exit 0
fi
start=$SECONDS
version=$(sed -n 's/^#define GBS_VERSION "\(.*\)"/\1/p' include/gibbsite/base.h)
if [[ $(sed -n 's/^Version: //p' bindings/r/DESCRIPTION) != "$version" ]]; then
    echo "r: bindings/r/DESCRIPTION and the header disagree on the version ($version)" >&2
    exit 1
fi

# A copy, so that nothing is left in the checkout; with the library's sources, and the list of them
# that CMakeLists.txt has.
rm -rf "$out/source" "$stamp"
mkdir -p "$out/source" "$out/library" "$out/pkgconfig"
cp -r bindings/r "$out/source/gibbsite"
vendored=$out/source/gibbsite/src/vendored
mkdir -p "$vendored"
cp -r src include "$vendored/"
find "$vendored" -name '*.cu' -delete
globs() { sed -n "s/^file(GLOB $1 .*CMAKE_SOURCE_DIR} \(.*\))/\1/p" CMakeLists.txt; }
cmake -DOUT="$vendored/src/report/assets.c" -P cmake/report_assets.cmake
# shellcheck disable=SC2046
printf '%s\n' $(globs gibbsite_sources) src/report/assets.c | sort >"$vendored/SOURCES"
# shellcheck disable=SC2046
printf '%s\n' $(globs gibbsite_kernel_sources) $(globs gibbsite_row_sources) \
    | sort >"$vendored/KERNELS"

# The library of the build folder, as pkg-config would tell of an installed one.
cat >"$out/pkgconfig/gibbsite.pc" <<END
Name: gibbsite
Description: the library of the build folder
Version: $version
Cflags: -I$PWD/include
Libs: $library -Wl,--strip-debug -lopenblas -ljansson -lz -ldl -lm -pthread
END

run() {
    if ! "$@" >>"$log" 2>&1; then
        tail -n 40 "$log" >&2
        echo "r: $* failed (all of it: $log)" >&2
        exit 1
    fi
}
: >"$log"
export PKG_CONFIG_PATH=$PWD/$out/pkgconfig
(cd "$out" && log=build.log && run R CMD build --no-build-vignettes source/gibbsite)
run R CMD INSTALL --no-test-load --library="$out/library" "$out/gibbsite_$version.tar.gz"
touch "$stamp"
echo "built $out/gibbsite_$version.tar.gz, installed into $out/library, in $((SECONDS - start)) s"
