#!/usr/bin/env bash
# Messy files, one folder each in tests/messy: `run` is what is typed there, `answer` what comes
# back, byte for byte: stdout, stderr and the exit code. Times are blotted out. UPDATE=yes writes
# the answers anew, to be read before they are kept.
. "$(dirname "$0")/../lib.sh"
exec </dev/null

answer() { # answer FOLDER: runs a copy of it
    local code
    rm -rf here && cp -r "$1" here && rm -f here/answer
    (cd here && PATH=$tmp/bin:$PATH bash -eo pipefail ./run) >out.txt 2>err.txt
    code=$?
    {
        cat out.txt
        echo "--- stderr"
        cat err.txt
        echo "--- exit $code"
    } | sed -E 's/[0-9.]+ s: [0-9.]+ reading, [0-9.]+ fitting/TIMES/; s/\([0-9.]+ s\)/(TIME)/'
}

mkdir -p bin && ln -sf "$GIBBSITE" bin/gibbsite
for folder in "$GIBBSITE_ROOT"/tests/messy/*/; do
    name=$(basename "$folder")
    answer "$folder" >now.txt
    if [[ ${UPDATE-} ]]; then cp now.txt "$folder/answer"; fi
    check "messy: $name" diff "$folder/answer" now.txt
done
