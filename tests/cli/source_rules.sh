#!/usr/bin/env bash
# Rules for the sources that a compiler does not know and that are checked in a moment; `make lint`
# checks them too, and much more.
. "$(dirname "$0")/../lib.sh"
cd "$GIBBSITE_ROOT" || exit 1

check 'folders include what lies below them' tools/check-includes.sh
check 'what only a table knows is asked of the table' tools/check-seams.sh
check 'no line is longer than 100 columns' tools/check-columns.py
