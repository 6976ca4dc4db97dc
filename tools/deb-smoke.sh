#!/usr/bin/env bash
# tools/deb-smoke.sh: the packages of `make deb` installed, used and purged in a bare Debian system
# of their own, build/chroot. Speaks TAP; skipped where a chroot is not permitted. GIBBSITE_MIRROR:
# where packages come from.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
packages=(gibbsite libgibbsite1 libgibbsite-dev gibbsite-doc python3-gibbsite r-other-gibbsite)
out=$PWD/build/deb
root=$PWD/build/chroot
log=$out/chroot.log

skip() {
    echo "1..0 # SKIP $1"
    exit 0
}
((EUID == 0)) || skip 'a chroot needs root'
command -v debootstrap >/dev/null || skip 'no debootstrap'
compgen -G "$out/*.deb" >/dev/null || skip 'no packages: make deb'

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@" >>"$log" 2>&1; }
: >"$log"
if [[ ! -e $root/ready ]]; then
    rm -rf "$root"
    debootstrap --variant=minbase bookworm "$root" \
        "${GIBBSITE_MIRROR:-http://deb.debian.org/debian}" \
        >>"$log" 2>&1 || skip "debootstrap could not make a bare system ($log)"
    touch "$root/ready"
fi
inside true || skip 'chroot is not permitted'

n=0 failed=0
check() { # check WHAT COMMAND...
    local what=$1
    shift
    ((n += 1))
    if "$@"; then
        echo "ok $n - $what"
    else
        ((failed += 1))
        echo "not ok $n - $what"
        tail -n 20 "$log" | sed 's/^/# /'
    fi
}
# What a package has left behind: files of its name outside of where they were put.
nothing_left() {
    [[ -z $(find "$root" -xdev -name '*gibbsite*' -not -path "$root/packages*" \
        -not -path "$root/var/lib/apt/*" -not -path "$root/var/log/*" -print -quit |
        tee -a "$log") ]]
}

echo '1..4'
mkdir -p "$root/packages"
rm -f "$root"/packages/*
for name in "${packages[@]}"; do cp "$out/${name}_"*.deb "$root/packages/"; done
cp debian/tests/smoke "$root/packages/smoke"
inside apt-get -qq update
check 'they install on a bare system' inside sh -c \
    'apt-get -qq -y install --no-install-recommends /packages/*.deb gcc libc6-dev pkg-config'
check 'the program, C, Python and R agree' inside sh /packages/smoke
check 'they can be purged' inside apt-get -qq -y purge "${packages[@]}"
check 'and leave nothing behind' nothing_left
exit "$failed"
