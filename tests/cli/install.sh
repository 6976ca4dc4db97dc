#!/usr/bin/env bash
# What `make install` leaves is whole: a stranger's program builds against it by pkg-config and by
# CMake, shared and static.
. "$(dirname "$0")/../lib.sh"

need_program cc cmake pkg-config nm readelf || exit 0
need_plain_build 'what is installed can be used' || exit 0
prefix=$tmp/prefix
check 'installs' cmake --install "$GIBBSITE_BUILD" --prefix "$prefix" || exit
libdir=$(dirname "$(find "$prefix" -name libgibbsite.a)")

for file in bin/gibbsite include/gibbsite.h share/man/man1/gibbsite.1 \
    share/man/man1/gibbsite-fit.1 \
    share/bash-completion/completions/gibbsite share/zsh/site-functions/_gibbsite \
    share/fish/vendor_completions.d/gibbsite.fish share/doc/gibbsite/LICENSE; do
    expect_file "$prefix/$file"
done
for file in libgibbsite.so libgibbsite.a pkgconfig/gibbsite.pc \
    cmake/gibbsite/gibbsiteConfig.cmake; do
    expect_file "$libdir/$file"
done

pages=$(cd "$prefix/share/man/man1" && echo gibbsite-*.1 | wc -w)
"$GIBBSITE" help --json >help.json
if [[ $pages == "$(json help.json 'commands.#')" ]]; then ok 'a manual page for every command'; \
    else not_ok 'a manual page for every command' "$pages"; fi

what='the shared library exports what the header declares, and nothing else'
differ=$(comm -3 <(nm -D --defined-only "$libdir/libgibbsite.so" | awk '{ print $3 }' | sort) \
    <(sed -nE 's/^GBS_API [^(]*(gbs_[a-z0-9_]+)\(.*/\1/p' "$GIBBSITE_ROOT"/include/gibbsite/*.h |
    sort) | head)
if [[ ! $differ ]]; then ok "$what"; else not_ok "$what" "$differ"; fi
if grep -rlF -e "$GIBBSITE_ROOT" -e "$tmp" "$libdir/pkgconfig" "$libdir/cmake" >"$stdout"; then
    not_ok 'no installed file names the place it was built in' "$(cat "$stdout")"
else
    ok 'no installed file names the place it was built in'
fi
check 'the installed program runs' "$prefix/bin/gibbsite" --version

export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
consumer=$GIBBSITE_ROOT/tests/install/consumer.c
flags() { pkg-config "$@" gibbsite; }
needs_shared() { readelf -d "$1" | grep -q 'NEEDED.*libgibbsite'; }

# Unquoted: the words of pkg-config are words.
# shellcheck disable=SC2046
check 'pkg-config, shared: builds' cc -std=c17 -Wall -Werror "$consumer" -o "$tmp/shared" \
    $(flags --cflags --libs) &&
    check 'pkg-config, shared: runs' "$tmp/shared" &&
    check 'pkg-config, shared: needs libgibbsite.so' needs_shared "$tmp/shared"
# Both libraries lie in one folder, where -lgibbsite means the shared one; -l:libgibbsite.a asks for
# the other.
# shellcheck disable=SC2046
check 'pkg-config, static: builds' cc -std=c17 -Wall -Werror "$consumer" -o "$tmp/static" \
    $(flags --static --cflags --libs | sed 's/-lgibbsite\b/-l:libgibbsite.a/') &&
    check 'pkg-config, static: runs' env -u LD_LIBRARY_PATH "$tmp/static" &&
    refuse 'pkg-config, static: does not need libgibbsite.so' needs_shared "$tmp/static"

if [[ -e $libdir/libgibbsite-mpi.so ]]; then # of a build that found MPI
    expect_file "$libdir/pkgconfig/gibbsite-mpi.pc"
    # shellcheck disable=SC2046
    check 'pkg-config, MPI: builds' cc -std=c17 -Wall -Werror \
        "$GIBBSITE_ROOT/tests/install/consumer_mpi.c" -o "$tmp/mpi" \
        $(pkg-config --cflags --libs gibbsite-mpi) &&
        check 'pkg-config, MPI: needs libgibbsite.so' needs_shared "$tmp/mpi" &&
        check 'pkg-config, MPI: runs' "$tmp/mpi"
else
    refuse 'without MPI there is no gibbsite-mpi.pc' pkg-config --exists gibbsite-mpi
fi

unset LD_LIBRARY_PATH PKG_CONFIG_PATH
check 'find_package: configures' cmake -S "$GIBBSITE_ROOT/tests/install" -B "$tmp/cmake" \
    -DCMAKE_PREFIX_PATH="$prefix" &&
    check 'find_package: builds' cmake --build "$tmp/cmake" &&
    check 'find_package, shared: runs' "$tmp/cmake/with_shared" &&
    check 'find_package, static: runs' "$tmp/cmake/with_static" &&
    refuse 'find_package, static: does not need libgibbsite.so' needs_shared \
        "$tmp/cmake/with_static"
