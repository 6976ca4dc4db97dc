#!/usr/bin/env bash
# The README's examples, typed as written.
. "$(dirname "$0")/../lib.sh"
need_plain_build
as 'the README shows what the program prints'
check "$GIBBSITE_ROOT/tools/readme.sh"
