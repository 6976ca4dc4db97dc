#!/usr/bin/env bash
# bench/stream.sh [gibbsite]: a fit to a CSV file of ROWS (20,000,000) x COLS (20) with its rows in
# files, from the file and then from the cache that the first run left: the most memory the process
# held, its processor time and its time on the wall. It needs some 600 bytes of disk a row in
# TMPDIR. GROUP=FOLDER, as root, runs each fit in a control group of its own limit, in which pages
# of files count too. MEMORY=yes fits with the rows in memory as well, and compares the models.
set -euo pipefail
gibbsite=$(readlink -f "${1:-build/gibbsite}")
rows=${ROWS:-20000000} cols=${COLS:-20}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# run COMMAND...: in the control group, where there is one
run() {
    if [[ ${GROUP:-} ]]; then echo $$ >"$GROUP/cgroup.procs"; fi
    exec "$@"
}

# watched WHAT COMMAND...
watched() {
    local what=$1
    shift
    WHAT=$what /usr/bin/python3 - "$@" <<'END'
import os, resource, subprocess, sys, time
start = time.monotonic()
code = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{os.environ['WHAT']:<24} {used.ru_maxrss / 1048576:7.2f} {used.ru_utime:10.1f} "
      f"{used.ru_stime:8.1f} {time.monotonic() - start:8.1f}", flush=True)
sys.exit(code)
END
}

printf '%-24s %7s %10s %8s %8s\n' "$rows x $cols" 'GiB' 'user s' 'system s' 'wall s'
watched simulate "$gibbsite" simulate classify --rows "$rows" --cols "$cols" -o rows.csv -q
export -f run
watched 'fit' bash -c 'run "$@"' bash "$gibbsite" fit rows.csv --cache . -o model.json -q
watched 'fit, from the cache' bash -c 'run "$@"' bash "$gibbsite" fit rows.csv --cache . -o \
    again.json -q
plain() { sed -E 's/"seconds":[^,}]*//g' "$1"; }
cmp <(plain model.json) <(plain again.json)
if [[ ${MEMORY:-} ]]; then
    rm ./*.gbscache
    watched 'fit, in memory' "$gibbsite" fit rows.csv -o memory.json -q
    cmp <(plain model.json) <(plain memory.json) && echo 'the same model, to the bit'
fi
