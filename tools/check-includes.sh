#!/usr/bin/env bash
# Dependencies point one way. Each folder of src/ may include itself and what its line below
# reaches, through any number of steps; the program and the bindings see the public header and their
# own folder.
set -euo pipefail
cd "$(dirname "$0")/.."

# folder: folders it may call (the table of the design; a folder without a line may include nothing
# but itself)
rules='
core:
options: core
kernel: core
data: options kernel
map: data
table: map data task
pass: data
risk: pass
family: pass
vb: risk family
smc: risk
bound: options
completion: pass
model: map family risk completion
judge: model
task: judge bound
explain: judge table
file: task table
report: file
fit: vb smc task completion file explain
'
# Headers that the build writes.
generated=' build_info.h '

files() { # files FOLDER: its sources and headers
    if [[ -d $1 ]]; then find "$1" -type f \( -name '*.c' -o -name '*.h' \) | LC_ALL=C sort; fi
}

# Every quoted include, and the public header in angle brackets, as FILE LINE NAME.
includes() {
    files "$1" | xargs -r awk '
        match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]+"/) {
            name = substr($0, RSTART, RLENGTH); sub(/^[^"]*"/, "", name); sub(/"$/, "", name)
            print FILENAME, FNR, name
        }'
}

# Resolves as the compiler does: beside the file, then src/, cli/ (for cli), include/, the generated
# ones.
resolve() { # resolve FILE NAME: sets target
    local candidate
    for candidate in "${1%/*}/$2" "src/$2" "include/$2" "cli/$2"; do
        if [[ -e $candidate ]]; then
            target=$candidate
            [[ $candidate != *..* ]] || target=$(realpath --relative-to=. -- "$candidate")
            return
        fi
    done
    target=unknown/$2
    [[ $generated != *" $2 "* ]] || target=generated/$2
}

reach() { # reach FOLDER: everything its line leads to, itself included
    local seen=" $1 " queue=("$1") folder next
    while ((${#queue[@]})); do
        folder=${queue[0]}
        queue=("${queue[@]:1}")
        for next in $(sed -n "s/^$folder://p" <<<"$rules"); do
            [[ $seen == *" $next "* ]] || { seen+="$next "; queue+=("$next"); }
        done
    done
    echo "$seen"
}

broken=0
complain() { # complain FILE LINE NAME WHY
    echo "$1:$2: #include \"$3\": $4"
    broken=1
}

shopt -s nullglob
for path in src/*/; do
    folder=$(basename "$path")
    if ! grep -q "^$folder:" <<<"$rules"; then
        echo "src/$folder: no rule for this folder in tools/check-includes.sh"
        broken=1
    fi
    allowed=$(reach "$folder")
    while read -r file line name; do
        resolve "$file" "$name"
        case $target in
        include/*) ;;
        src/*/*)
            other=${target#src/}
            other=${other%%/*}
            [[ $allowed == *" $other "* ]] || complain "$file" "$line" "$name" \
                "src/$folder may not see src/$other"
            ;;
        *) complain "$file" "$line" "$name" "src/$folder may see src/ and gibbsite.h only" ;;
        esac
    done < <(includes "src/$folder")
done

for folder in cli bindings/*/; do
    folder=${folder%/}
    while read -r file line name; do
        resolve "$file" "$name"
        case $target in
        include/* | generated/* | "$folder"/*) ;;
        # A header of another package (a binding's host language) is not checked; one of
        # src/ is.
        unknown/*) [[ $folder != cli ]] || complain "$file" "$line" "$name" 'not found' ;;
        *) complain "$file" "$line" "$name" "$folder may see gibbsite.h and its own headers only" ;;
        esac
    done < <(includes "$folder")
done
while read -r file line; do
    complain "$file" "$line" ../src 'a header of src/ by its path'
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<[^>]*src/' cli bindings \
    2>/dev/null | awk -F: '{ print $1, $2 }')

# The map of CONTRIBUTING.md says the same, in its third column.
while IFS='|' read -r _ folder _ others _; do
    folder=$(tr -d ' `' <<<"${folder%/*}")
    told="${folder#src/}:$(tr -d ',–' <<<"$others" | tr -s ' ' | sed 's/ *$//')"
    if ! grep -qxF -- "$told" <<<"$rules"; then
        echo "CONTRIBUTING.md: the map has '$told', which is no rule of tools/check-includes.sh"
        broken=1
    fi
done < <(grep '^| `src/' CONTRIBUTING.md)
if (($(grep -c '^| `src/' CONTRIBUTING.md) != $(grep -c : <<<"$rules"))); then
    echo 'CONTRIBUTING.md: its map has other folders than tools/check-includes.sh'
    broken=1
fi

exit "$broken"
