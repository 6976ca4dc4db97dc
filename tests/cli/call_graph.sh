#!/usr/bin/env bash
# The calls between the folders of src/ go one way, as CONTRIBUTING.md shows them; and the check
# finds those that do not.
. "$(dirname "$0")/../lib.sh"
tool=$GIBBSITE_ROOT/tools/call-graph.py

check 'no call goes in a circle, and CONTRIBUTING.md shows them all' \
    "$tool" "$GIBBSITE_BUILD" --check

# A house of three rooms: the tool reads the tree that it lies in.
house=$tmp/house objects=$tmp/house/build/CMakeFiles/gibbsite_objects.dir
mkdir -p "$house/tools"
cp "$tool" "$house/tools/"
printf "rules='\ncore:\nmodel: core\njudge: model\n'\n" >"$house/tools/check-includes.sh"
printf 'before\n<!-- call graph -->\nold\n<!-- /call graph -->\nafter\n' >"$house/CONTRIBUTING.md"
room() { # room FOLDER FILE TEXT
    mkdir -p "$house/src/$1" "$objects/src/$1"
    echo "$3" >"$house/src/$1/$2.c"
    cc -c -o "$objects/src/$1/$2.c.o" "$house/src/$1/$2.c"
}
# shellcheck disable=SC2120  # check and refuse pass them
graph() { "$house/tools/call-graph.py" "$house/build" "$@"; }

room core memory 'void take(void) {}'
room model model 'void take(void); void keep(void) { take(); }'
room judge judge 'void keep(void); void say(void) { keep(); }'
refuse 'a page that is out of date is found' graph --check
check 'it is brought up to date' graph --write
printf '%s\n' before '<!-- call graph -->' '| folder | calls |' '|---|---|' \
    '| `judge` | model |' '| `model` | core |' '| `core` | – |' '<!-- /call graph -->' after >wanted
check 'between the marks, and nothing else' cmp wanted "$house/CONTRIBUTING.md"
check 'then it is in step' graph --check

room model vote 'void say(void); void vote(void) { say(); }'
refuse 'a circle is found' graph --check
graph >told
check 'and told by its calls' grep -q '^src/model calls src/judge, which leads back.*: say$' told
check 'a call that no rule allows is found' grep -q 'src/model calls src/judge, which no rule' told
rm "$house/src/model/vote.c"
check 'the object of a source that is gone does not count' graph --check
