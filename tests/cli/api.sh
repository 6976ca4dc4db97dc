#!/usr/bin/env bash
# Every function of the header is called by a unit test.
. "$(dirname "$0")/../lib.sh"
cat "$GIBBSITE_ROOT"/include/gibbsite.h "$GIBBSITE_ROOT"/include/gibbsite/*.h >header.h
header=header.h

# uncalled HEADER FOLDER: the functions of the header that no test in the folder calls. Comments are
# no calls.
uncalled() {
    local name
    cat "$2"/*.[ch] | cc -fpreprocessed -E -P -x c - 2>/dev/null >calls.c
    for name in $(functions "$1"); do grep -qE "\b$name\(" calls.c || echo "$name"; done
}

functions() { # functions HEADER: a declaration may take several lines, its name is in the first
    sed -nE 's/^GBS_API .*\b(gbs_[a-z0-9_]+)\(.*/\1/p' "$1"
}

count=$(functions "$header" | wc -l)
marked=$(grep -cE '^[[:space:]]*GBS_API[[:space:]]' "$header")
if ((count == marked && count > 80)); then
    ok "the header declares $count functions"
else
    not_ok 'every declaration is found' "$count of $marked"
fi
missing=$(uncalled "$header" "$GIBBSITE_ROOT/tests/unit")
if [[ ! $missing ]]; then
    ok 'a unit test calls each of them'
else
    not_ok 'a unit test calls each of them' "$missing"
fi

# and a function without a test is found
mkdir unit
printf '/* gbs_version() */\nint main(void) { gbs_context_free(NULL); }\n' >unit/test_little.c
uncalled "$header" unit >missed
check 'a comment is no call' grep -qx gbs_version missed
refuse 'a call is one' grep -qx gbs_context_free missed
