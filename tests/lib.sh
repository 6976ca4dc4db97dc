# Helpers of the command-line tests; a script begins with
#
#     . "$(dirname "$0")/../lib.sh"
#
# and speaks TAP through them. It stands in a fresh folder $tmp that is removed at its end, and
# finds
#
#   $GIBBSITE        the program under test (default: build/gibbsite)
#   $GIBBSITE_ROOT   the repository
#   $GIBBSITE_BUILD  the build (default: build/release) with jget, peak and failmalloc.so in tests/
#   $GIBBSITE_DATA   the public data sets (default: ../shared/data, seen from the repository)
#
# shellcheck shell=bash
set -u

GIBBSITE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${GIBBSITE:=$GIBBSITE_ROOT/build/gibbsite}"
: "${GIBBSITE_BUILD:=$GIBBSITE_ROOT/build/release}"
: "${GIBBSITE_DATA:=$GIBBSITE_ROOT/../shared/data}"
export GIBBSITE GIBBSITE_ROOT GIBBSITE_BUILD GIBBSITE_DATA LC_ALL=C
unset GIBBSITE_THREADS NO_COLOR

tap_count=0 tap_failed=0 tap_name=''
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gibbsite-test.XXXXXX")
stdout=$tmp/.stdout stderr=$tmp/.stderr # of the last expect_exit
: >"$stdout"
: >"$stderr"

tap_end() {
    local rc=$?
    trap - EXIT
    cd / || true
    chmod -R u+rwX "$tmp" 2>/dev/null # a test may have taken its own rights away
    rm -rf "$tmp"
    echo "1..$tap_count"
    ((rc == 0 && tap_failed)) && rc=1
    exit "$rc"
}
trap tap_end EXIT
trap 'exit 130' INT TERM
cd "$tmp" || exit 1

if [[ ! -x $GIBBSITE ]]; then
    echo "Bail out! there is no program $GIBBSITE"
    exit 1
fi

# as NAME: the name of the next test, where the one made from the command says too little.
as() { tap_name=$1; }

# tap_take DEFAULT: sets tap_title to the name given by `as`, else to DEFAULT without the paths of
# this machine.
tap_take() {
    tap_title=${tap_name:-$1}
    tap_name=''
    tap_title=${tap_title//"$GIBBSITE"/gibbsite}
    tap_title=${tap_title//"$tmp/"/}
    tap_title=${tap_title//"$GIBBSITE_DATA/"/}
    tap_title=${tap_title//"$GIBBSITE_ROOT/"/}
    tap_title=${tap_title//[$'\n\r#']/ }
    ((${#tap_title} <= 160)) || tap_title="${tap_title:0:157}..."
}

comment() { sed 's/^/# /'; } # stdin as TAP comments

# ok NAME / not_ok NAME [DETAIL...] / skip NAME WHY
ok() {
    tap_take "$1"
    ((tap_count += 1))
    echo "ok - $tap_title"
}
not_ok() {
    tap_take "$1"
    ((tap_count += 1, tap_failed += 1))
    echo "not ok - $tap_title"
    shift
    if (($#)); then printf '%s\n' "$@" | comment; fi
}
skip() {
    tap_take "$1"
    ((tap_count += 1))
    echo "ok - $tap_title # SKIP ${2:-}"
}

# check NAME COMMAND...: passes when the command succeeds; shows what it printed when it does not.
check() {
    local name=$1 output rc
    shift
    output=$("$@" 2>&1)
    rc=$?
    if ((rc == 0)); then
        ok "$name"
    else
        not_ok "$name" "exit status $rc of: $*" "$output"
        return 1
    fi
}

# refuse NAME COMMAND...: passes when the command fails (but is not killed).
refuse() {
    local name=$1 output rc
    shift
    output=$("$@" 2>&1)
    rc=$?
    if ((rc > 0 && rc < 99)); then
        ok "$name"
    else
        not_ok "$name" "exit status $rc of: $*" "$output"
        return 1
    fi
}

# expect_exit CODE COMMAND...: runs it, keeps what it said in the files $stdout and $stderr, passes
# when it left with CODE.
expect_exit() {
    local code=$1 rc
    shift
    "$@" >"$stdout" 2>"$stderr"
    rc=$?
    if ((rc == code)); then
        ok "exit $code: $*"
    else
        not_ok "exit $code: $*" "exit status $rc, not $code; its standard error:" \
            "$(head -n 60 "$stderr")"
        return 1
    fi
}

# expect_stdout REGEX, expect_stderr REGEX: what the last expect_exit's command said (extended
# regular expression, any line).
expect_stdout() { tap_match stdout "$stdout" "$1"; }
expect_stderr() { tap_match stderr "$stderr" "$1"; }
# expect_words REGEX: the same of standard output with its lines joined, for sentences that may be
# broken.
expect_words() {
    tr -s ' \n' ' ' <"$stdout" >"$tmp/.words"
    tap_match stdout "$tmp/.words" "$1"
}
tap_match() {
    if grep -qE -- "$3" "$2"; then
        ok "$1 says /$3/"
    else
        not_ok "$1 says /$3/" "it says:" "$(head -n 40 "$2")"
        return 1
    fi
}

# expect_silence stdout|stderr: the last command said nothing there.
expect_silence() {
    if [[ ! -s ${!1} ]]; then
        ok "nothing on $1"
    else
        not_ok "nothing on $1" "it says:" "$(head -n 40 "${!1}")"
        return 1
    fi
}

expect_file() { if [[ -s $1 ]]; then ok "writes $1"; else not_ok "writes $1" \
    "$(ls -la "$(dirname "$1")")"; fi; }
expect_no_file() { if [[ ! -e $1 ]]; then ok "does not write $1"; else not_ok "does not write $1"; \
    fi; }

# turned FILE: its rows from the last to the first, on stdout. Rows that a model was fitted to may
# not test it, but tests of what is printed need no fresh ones.
turned() { head -n 1 "$1" && tail -n +2 "$1" | tac; }

# json FILE PATH: the value at a path such as certificate.value, path[0].lambda or path.# (its
# length).
json() { "$GIBBSITE_BUILD/tests/jget" "$@"; }

# expect_json FILE PATH VALUE: exactly this text.
expect_json() {
    local value
    value=$(json "$1" "$2" 2>&1)
    if [[ $value == "$3" ]]; then ok "$2 is $3"; else not_ok "$2 is $3" "it is $value"; fi
}

# holds NAME EXPRESSION: an awk expression over numbers, such as "0.31 <= 0.33 && 0.33 < 1". A word
# in it, such as the null of what is not there or not finite, fails: awk would take it for 0.
holds() {
    if sed -E 's/[0-9.]+[eE][-+]?[0-9]+//g' <<<"$2" | grep -q '[A-Za-z]'; then
        not_ok "$1" "not all of this are numbers: $2"
    elif awk "BEGIN { exit !($2) }" 2>/dev/null; then
        ok "$1"
    else
        not_ok "$1" "does not hold: $2"
    fi
}

# expect_near NAME A B TOLERANCE: |A - B| <= TOLERANCE max(1, |B|).
expect_near() {
    if awk -v a="$2" -v b="$3" \
        -v t="$4" 'BEGIN { number = "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$"
        if (a !~ number || b !~ number) exit 1
        e = a - b; if (e < 0) e = -e
        m = b < 0 ? -b : b + 0; exit !(e <= t * (m > 1 ? m : 1)) }'; then
        ok "$1"
    else
        not_ok "$1" "$2 is not within $4 of $3"
    fi
}

# need_data FILE...: succeeds when all are there (below $GIBBSITE_DATA); otherwise one visible skip,
# and failure, so that
#     if need_data pima/pima.csv; then ...; fi
need_data() {
    local file
    for file; do
        if [[ ! -r $GIBBSITE_DATA/$file ]]; then
            skip "needs the data set $file" "not found; GIBBSITE_DATA says where the data sets are"
            return 1
        fi
    done
}

# need_program NAME...: the same for programs of the system.
need_program() {
    local program
    for program; do
        if ! command -v "$program" >/dev/null; then
            skip "needs $program" "$program is not installed"
            return 1
        fi
    done
}

# need_terminal: the same for a terminal of one's own, which `script` makes.
need_terminal() {
    need_program script || return 1
    if ! script -qec true /dev/null >/dev/null 2>&1; then
        skip 'needs a terminal' 'this machine makes no pseudo-terminals'
        return 1
    fi
}

# need_plain_build NAME: succeeds when $GIBBSITE_BUILD carries neither sanitizers nor counters;
# otherwise one visible skip.
need_plain_build() {
    if grep -qE '^GIBBSITE_(COVERAGE:BOOL=ON|FUZZ:BOOL=ON|SANITIZE:STRING=.)' \
        "$GIBBSITE_BUILD/CMakeCache.txt" ||
        ldd "$GIBBSITE" | grep -q libasan; then
        skip "$1" 'needs a build without sanitizers and counters'
        return 1
    fi
}

# watch_peak COMMAND...: runs it as expect_exit does, but without a verdict; sets rc, peak_kb (the
# most memory it held, by the kernel's own high-water mark) and took_ms.
# shellcheck disable=SC2034  # for the caller
watch_peak() {
    peak_kb=0 took_ms=0
    "$GIBBSITE_BUILD/tests/peak" "$tmp/.peak" "$@" >"$stdout" 2>"$stderr"
    rc=$?
    read -r peak_kb took_ms <"$tmp/.peak"
    rm -f "$tmp/.peak"
}
