#!/usr/bin/env bash
# make demo by somebody who may not install packages: one apt-get line to type, and nothing else
# happens.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

# The set-up as it is; nothing is installed, and sudo asks for a password.
mkdir -p here/tools here/bin
cp "$GIBBSITE_ROOT"/tools/{setup,build,demo}.sh here/tools
cp "$GIBBSITE_ROOT/Makefile" here
printf '#!/bin/sh\nexit 1\n' >here/bin/sudo
printf '#!/bin/sh\nexit 1\n' >here/bin/dpkg-query
printf '#!/bin/sh\necho apt-get ran >>%s/ran\n' "$tmp" >here/bin/apt-get
chmod 755 here/bin/* "$tmp" here here/tools here/bin
chmod 755 here/tools/*.sh
somebody=()
if ((EUID == 0)); then
    if ! command -v setpriv >/dev/null; then
        skip 'make demo by somebody else' 'needs setpriv'
        exit 0
    fi
    chown -R 65534:65534 here
    somebody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
as 'make demo without the right to install'
expect_exit 2 env -u GIBBSITE_SKIP_SETUP "PATH=$tmp/here/bin:$PATH" "HOME=$tmp/here" \
    "${somebody[@]}" make -C here demo
cat "$stdout" "$stderr" >said.txt
check 'prints one apt-get line' test \
    "$(grep -c '^apt-get install --no-install-recommends ' said.txt)" = 1
check 'with every package of the build' grep -qE \
    '^apt-get install .*\bgcc\b.*\bcmake\b.*\blibopenblas-dev\b.*\blibjansson-dev\b' said.txt
check 'after words that say why' grep -q 'needs root. As root (or with sudo before it) type$' \
    said.txt
refuse 'nothing was installed' test -e ran
refuse 'and nothing was built' test -e here/build
