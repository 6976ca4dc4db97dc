#!/usr/bin/env bash
# tools/deb.sh: the Debian packages, in build/deb, by debhelper in a copy of the checkout and with
# the system's own programs; lintian must find no error.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/build/deb
version=$(sed -n '1s/.*(\(.*\)-.*).*/\1/p' debian/changelog)
if [[ $version != $(sed -n 's/^#define GBS_VERSION "\(.*\)"/\1/p' include/gibbsite/base.h) ]]; then
    echo "deb: debian/changelog and the header disagree on the version ($version)" >&2
    exit 1
fi
start=$SECONDS
rm -rf "$out"
mkdir -p "$out/gibbsite-$version"
{ git ls-files -co --exclude-standard 2>/dev/null || find . -path ./build -prune -o -type f \
    -print; } |
    tar -cf - -T - --ignore-failed-read 2>/dev/null | tar -xf - -C "$out/gibbsite-$version"
log=$out/build.log
if ! (cd "$out/gibbsite-$version" && PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    DEB_BUILD_OPTIONS="nocheck parallel=$(nproc) ${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage -b -us \
    -uc) >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "deb: dpkg-buildpackage failed (all of it: $log)" >&2
    exit 1
fi
lintian --fail-on error "$out"/*.changes >"$out/lintian.txt" 2>&1 || {
    cat "$out/lintian.txt" >&2
    exit 1
}
echo "built $(cd "$out" && printf '%s\n' *.deb | grep -vc dbgsym) packages in build/deb in \
$((SECONDS - start)) s; lintian: $(grep -c '^W' "$out/lintian.txt" || true) warnings, no error"
