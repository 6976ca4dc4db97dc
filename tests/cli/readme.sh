#!/usr/bin/env bash
# The README's examples, typed as written.
. "$(dirname "$0")/../lib.sh"
need_plain_build 'the README shows what the program prints' || exit 0
check 'the README shows what the program prints' "$GIBBSITE_ROOT/tools/readme.sh"
