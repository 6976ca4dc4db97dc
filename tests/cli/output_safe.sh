#!/usr/bin/env bash
# Output files are safe: whole or not at all whatever fails or whoever interrupts, all of a command
# or none, never readable by more people than the file that they become, and not led astray by what
# others put into /tmp.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

watchfiles=$GIBBSITE_BUILD/tests/watchfiles.so
if [[ ! -e $watchfiles ]]; then
    not_ok 'watchfiles.so was built' "not found: $watchfiles"
    exit
fi
"$GIBBSITE" simulate classify --rows 60 --cols 2 -o t.csv -q
"$GIBBSITE" simulate classify --rows 20 --cols 2 -o rows.csv -q
simulate=(simulate classify --rows 20 --cols 2 -q)
mkdir out
nothing_left() { check "${1:-nothing is left over}" test "$(ls -A out)" = "${2-}"; }

# ---------------------------------------------------------------- rights
# watch UMASK COMMAND...: runs it under the shim; the file `log` says what was done
watch() {
    local mask=$1
    shift
    rm -f log
    (
        umask "$mask"
        WATCHFILES_LOG=$tmp/log LD_PRELOAD=$watchfiles exec "$GIBBSITE" "$@" >"$stdout" 2>"$stderr"
    )
    rc=$?
}
# never_wider NAME RIGHTS: no line of the log shows a right that RIGHTS does not have; the file ends
# with them
never_wider() {
    local rights wider=()
    while read -r _ rights _; do
        [[ $rights =~ ^[0-7]{3}$ ]] && ((8#$rights & ~8#$2)) && wider+=("$rights")
    done <log
    if [[ $rc == 0 && ! ${wider[*]} && $(stat -c %a out/m) == "$2" ]] && grep -q '^open' log; then
        ok "$1"
    else
        not_ok "$1" "exit status $rc, ends with $(stat -c %a out/m)" "$(cat log)"
    fi
}
# rights_kept WAY: there are two of making them, without a name and with a temporary one
rights_kept() {
    local rights
    for rights in 600 640 644 400 606; do
        rm -f out/m
        echo old >out/m
        chmod $rights out/m
        [[ -w out/m ]] || continue # read-only: only root writes there
        watch 000 "${simulate[@]}" -o out/m
        never_wider "$1: in the place of a file of mode $rights" $rights
    done
    check "$1: private from its first moment" grep -q '^open 600 ' log
    rm -f out/m
    watch 027 "${simulate[@]}" -o out/m
    never_wider "$1: a new file has what the umask leaves" 640

    echo old >out/m
    chmod 654 out/m
    if ((EUID == 0)); then
        chown 1234:2345 out/m
        watch 022 "${simulate[@]}" -o out/m
        check "$1: owner, group and rights stay" test "$(stat -c %u:%g:%a out/m)" = 1234:2345:654
        chgrp 3456 out/m
        WATCHFILES_FAIL=chown:1 watch 022 "${simulate[@]}" -o out/m
        check "$1: a group that cannot be kept: another gets no more than everyone" \
            test "$rc:$(stat -c %g:%a out/m)" = "0:$(id -g):644"
    else
        skip "$1: owner, group and rights stay" 'only root gives files away'
    fi
}
nameless_here=''
if need_plain_build 'rights of temporary files'; then
    watch 022 "${simulate[@]}" -o out/m
    grep -q '^open [0-7]* nameless' log && nameless_here=yes # the file system makes such files
    rights_kept 'no name'
    export WATCHFILES_NAMED=1
    rights_kept 'temporary name'
    rm -f out/m
    watch 022 "${simulate[@]}" -o out/m
    check 'made for us alone, of a name that cannot be foreseen' \
        grep -qE '^open [0-7]+ excl nofollow cloexec .*\.gibbsite-[0-9a-f]{16}\.tmp$' log
    sed -n 's/^open.* //p' log >first
    watch 022 "${simulate[@]}" -o out/m
    refuse 'and another the next time' grep -qxFf first <(sed -n 's/^open.* //p' log)
    unset WATCHFILES_NAMED
fi

# ---------------------------------------------------------------- failures
if need_plain_build 'failures of the file system'; then
    rm -f out/*
    "$GIBBSITE" "${simulate[@]}" -o whole.csv
    # failing CALL:ERRNO OLD: chmod fails where the old file has rights that a new one would not get
    failing() {
        local trouble=$1 old=$2 left title
        rm -f out/m
        [[ $old ]] && echo old >out/m && chmod 611 out/m
        WATCHFILES_FAIL=$trouble watch 022 "${simulate[@]}" -o out/m
        title="$trouble, ${old:-new} file${WATCHFILES_NAMED:+, of a temporary name}"
        title+=': exit 5, a word, nothing changed'
        left="$(ls -A out):$(cat out/* 2>/dev/null)"
        if [[ $rc == 5 && $left == "${old:+m}:$old" ]] && grep -q '^gibbsite: out/m: ' "$stderr"
        then
            ok "$title"
        else
            not_ok "$title" "exit status $rc: $(cat "$stderr")" "$(ls -lA out)" "$(cat log)"
        fi
    }
    for trouble in open:28 write:28 write:5 write:122 sync:5 sync:28; do
        failing $trouble ''
        failing $trouble old
    done
    failing chmod:1 old
    failing rename:13 old
    export WATCHFILES_NAMED=1
    for trouble in open:28 write:28 sync:28 close:5 rename:13; do
        failing $trouble ''
        failing $trouble old
    done
    failing chmod:1 old
    unset WATCHFILES_NAMED
    if [[ $nameless_here ]]; then
        rm -f out/m
        for old in '' old; do
            WATCHFILES_FAIL=link:18 watch 022 "${simulate[@]}" -o out/m
            check "a file that gets no name is copied, ${old:-new}" cmp whole.csv out/m
            nothing_left 'and leaves none' m
        done
    fi
    for trouble in write:0 write:4; do # one byte alone; a signal that asks for nothing
        rm -f out/m
        WATCHFILES_FAIL=$trouble watch 022 "${simulate[@]}" -o out/m
        check "$trouble is no failure: the file is whole" cmp whole.csv out/m
    done

    # A second signal does not wait, but for a file that is being written.
    rm -f out/*
    WATCHFILES_SIGNAL=write:15:2 watch 022 "${simulate[@]}" -o out/m
    check 'two signals while the last file is written: too late' test $rc = 0
    check 'it is whole' cmp whole.csv out/m
    nothing_left 'no temporary file stays' m
    rm -f out/*
    "$GIBBSITE" simulate ratings --rows 20 --cols 20 -q -o whole.ratings
    WATCHFILES_SIGNAL=write:15:2 watch 022 simulate ratings --rows 20 --cols 20 -q -o out/m
    check 'nor do they stop ratings that are written' test $rc = 0
    check 'these are whole' cmp whole.ratings out/m
    rm -f out/*
    big=(simulate classify --rows 100000 --cols 10 -q) # more than is written in one go, 16 MiB
    export WATCHFILES_NAMED=1
    for signal in 1 2 15; do
        WATCHFILES_SIGNAL=write:$signal:2 watch 022 "${big[@]}" -o out/m
        check "two signals $signal in the middle of a large file: exit $((128 + signal))" \
            test $rc = $((128 + signal))
        check 'a word about it' grep -qE \
            '^gibbsite: (hung up|interrupted|terminated); out/m was not written$' "$stderr"
        nothing_left 'no temporary file stays'
        rm -f out/* out/.g*
    done
    unset WATCHFILES_NAMED
    if [[ $nameless_here ]]; then
        echo old >out/m
        for call in write sync link; do
            WATCHFILES_SIGNAL=$call:9:1 watch 022 "${simulate[@]}" -o out/m 2>/dev/null
            check "kill -9 before $call: it was killed" test $rc = 137
            nothing_left 'nothing is left over' m
            check 'the old file is as it was' test "$(cat out/m)" = old
        done
        rm -f out/m
        WATCHFILES_SIGNAL=link:9:1 watch 022 "${simulate[@]}" -o out/m 2>/dev/null
        nothing_left 'nor of a new file'
    else
        skip 'kill -9 leaves nothing' 'this file system knows no files without a name'
    fi
fi

# ---------------------------------------------------------------- several outputs of one command
"$GIBBSITE" simulate ratings --rows 30 --cols 20 -q -o ratings.csv
"$GIBBSITE" fit t.csv -q -o model.json --json >run.json
fit=(fit t.csv --bound kl --loss hinge --lambda-grid 10:100:2 -q)
# none_of REGEX ARGUMENT...: exit 5 with that word, and none of the outputs is there
none_of() {
    local regex=$1
    shift
    rm -rf out/*
    expect_exit 5 "$GIBBSITE" "$@"
    expect_stderr "$regex"
    nothing_left 'none of its outputs is there'
}
none_of '^gibbsite: /dev/full: No space left on device$' "${fit[@]}" -o out/m --path /dev/full
none_of '^gibbsite: /dev/full: No space left on device$' "${fit[@]}" -o /dev/full --path out/p
none_of '^gibbsite: /dev/full: No space left on device$' \
    sample t.csv --lambda 5 --particles 20 -q -o out/m --draws /dev/full
for command in 'fit t.csv' 'fit t.csv --json' 'complete ratings.csv --rank 2' \
    'complete ratings.csv --rank 2 --json' 'sample t.csv --lambda 5 --particles 20' \
    'simulate classify --rows 20 --json' 'simulate ratings --rows 20 --json' \
    'report run.json --json'; do
    rm -rf out/*
    # shellcheck disable=SC2086
    "$GIBBSITE" $command -o out/m >/dev/full 2>"$stderr"
    check "$command -o out/m, standard output on a full disk: exit 5" test $? = 5
    check 'with a word' grep -qx 'gibbsite: standard output: No space left on device' "$stderr"
    nothing_left 'no file'
    # shellcheck disable=SC2086
    "$GIBBSITE" $command -o out/m 2>"$stderr" | :
    check 'a reader that has gone does not cost the file' test -s out/m
done
if need_plain_build 'failures of the second file'; then
    # second_fails: as the environment says, with two new files and in the place of two
    second_fails() {
        local old left title
        for old in '' old; do
            rm -f out/*
            [[ $old ]] && echo old >out/m && cp out/m out/p
            WATCHFILES_FAIL=$1 watch 022 "${fit[@]}" -o out/m --path out/p
            title="$1, ${old:-new} files${WATCHFILES_NAMED:+, of temporary names}"
            title+=": exit 5, as before"
            left="$(ls -A out | tr '\n' ' '):$(cat out/* 2>/dev/null | tr '\n' ' ')"
            if [[ $rc == 5 && $left == "${old:+m p }:${old:+old old }" ]]; then
                ok "$title"
            else
                not_ok "$title" "exit status $rc: $(cat "$stderr")" "$left" "$(cat log)"
            fi
        done
    }
    for trouble in open:28:2 write:28:2 sync:28:2; do
        second_fails $trouble
        WATCHFILES_NAMED=1 second_fails $trouble
    done
    WATCHFILES_NAMED=1 second_fails rename:13:1
    rm -f out/*
fi

# A limit on the size of files.
limited() { # limited REGEX ARGUMENT...
    local regex=$1
    shift
    (
        ulimit -c 0 -f 1
        exec "$GIBBSITE" "$@" >"$stdout" 2>"$stderr"
    )
    rc=$?
    if ((rc == 5)) && grep -qE "$regex" "$stderr"; then
        ok "no file above 1 KB: $*"
    else
        not_ok "no file above 1 KB: $*" "exit status $rc: $(cat "$stderr")"
    fi
    nothing_left
    rm -f out/* out/.g*
}
limited '^gibbsite: out/m: File too large$' fit t.csv -q -o out/m
limited '^gibbsite: out/m: File too large$' sample t.csv --lambda 5 --particles 100 -q -o out/m
limited '^gibbsite: out/m: File too large$' sample t.csv --lambda 5 --particles 100 -q --draws out/m
limited '^gibbsite: out/m: File too large$' complete ratings.csv -q -o out/m
limited '^gibbsite: out/m: File too large$' predict model.json t.csv -o out/m
limited '^gibbsite: out/m: File too large$' report run.json -o out/m
limited '^gibbsite: out/m: File too large$' simulate classify --rows 500 -o out/m
limited '^gibbsite: standard output: File too large$' simulate classify --rows 500
limited '^gibbsite: standard output: File too large$' fit t.csv --json
limited '^gibbsite: standard output: File too large$' help --man fit

# ---------------------------------------------------------------- what others put there
if ((EUID != 0)); then
    skip 'links planted in a shared folder' 'needs root, to make files of another user'
else
    mkdir shared mine
    chmod 1777 shared
    echo precious >mine/target
    chown 1234 mine/target
    # planted NAME REGEX OUTPUT: refused, and the target is as it was
    planted() {
        as "$1"
        expect_exit 5 timeout -k 5 60 "$GIBBSITE" fit t.csv -q -o "$3"
        expect_stderr "$2"
        check 'what it leads to is untouched' test "$(cat mine/* 2>/dev/null)" = precious
        check 'nothing is left over' test -z "$(find shared mine -name '*.tmp')"
    }
    ln -s ../mine/target shared/link
    chown -h 1234 shared/link
    planted 'a link of another user' '^gibbsite: shared/link: belongs to another user, ' shared/link
    ln -s shared/link own
    planted 'an own link to it' '^gibbsite: own: leads to shared/link, which belongs to' own
    ln -s ../mine/absent shared/dangling
    chown -h 1234 shared/dangling
    planted 'a dangling link of another user' 'belongs to another user' shared/dangling
    ln -s /dev/full shared/device
    chown -h 1234 shared/device
    planted 'a link to a device' 'belongs to another user' shared/device
    mkfifo shared/pipe
    chown 1234 shared/pipe
    planted 'a pipe of another user' 'belongs to another user' shared/pipe
    echo bait >shared/bait
    chmod 666 shared/bait
    chown 1234 shared/bait
    planted 'a file of another user' 'belongs to another user' shared/bait
    check 'it stays' test "$(cat shared/bait)" = bait
    as 'found out before anything is read'
    expect_exit 5 timeout -k 5 20 "$GIBBSITE" fit shared/pipe -q -o shared/link
    as 'our own file there'
    expect_exit 0 "$GIBBSITE" fit t.csv -q -o shared/own
    expect_exit 0 "$GIBBSITE" fit t.csv -q -o shared/own
    ln -s own shared/ours
    as 'our own link there'
    expect_exit 0 "$GIBBSITE" fit t.csv -q -o shared/ours
    check 'it stays' test -L shared/ours
    chown 1234 shared
    as 'a link of the owner of the folder'
    expect_exit 0 "$GIBBSITE" fit t.csv -q -o shared/link
    check 'it was followed' grep -q gibbsite mine/target
    chown 0 shared
    chmod 0755 shared
    as 'a folder where not everyone may make files'
    expect_exit 0 "$GIBBSITE" fit t.csv -q -o shared/link
fi
