#!/usr/bin/env bash
# Completion in shells: the functions asked one by one in bash, then real shells at a terminal with
# real tabs.
. "$(dirname "$0")/../lib.sh"

for shell in bash zsh fish; do "$GIBBSITE" help --completion "$shell" >"gibbsite.$shell"; done
mkdir -p folder/.site
cp gibbsite.zsh folder/.site/_gibbsite
touch train.csv 'two words.csv' model.json folder/deep.json folder/rows.csv

# offers WORD...: what bash completes the last word to, sorted, on one line. COMP_WORDS is split as
# readline does, at = too.
offers() {
    bash --norc --noprofile -c '
        source ./gibbsite.bash
        COMP_WORDS=(gibbsite "$@") COMP_CWORD=$#
        _gibbsite
        ((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"' bash "$@" 2>&1 |
            LC_ALL=C sort | paste -sd, -
}
# completes EXPECTED WORD...
completes() {
    local expected=$1 found
    shift
    found=$(offers "$@")
    if [[ $found == "$expected" ]]; then ok "bash: gibbsite $* -> $expected"; else not_ok \
        "bash: gibbsite $* -> $expected" "offers: $found"; fi
}

completes '--help,--version' -- 
completes 'fit' 'fi'
completes 'sample,simulate' s
completes 'auto,exponential,hinge,probit,zero-one' fit train.csv --loss ''
completes 'hinge' fit --loss hi
completes 'hinge' fit train.csv --loss = hi
completes 'auto,exponential,hinge,probit,zero-one' fit train.csv --loss =
completes 'zero-one,hinge' cv train.csv --loss zero-one,hi
completes 'auto,lbfgs,natural,sgd' cv --solver ''
completes 'gibbs,vb' complete r.csv --sampler ''
completes 'learn' complete r.csv --noise ''
completes '' simulate classify --noise ''
completes '' fit --lambda ''
completes 'folder,model.json' predict ''
completes 'folder/deep.json' predict folder/d
completes 'train.csv,two words.csv' predict model.json t
completes 'train.csv,two words.csv' fit --quiet t
completes 'folder,model.json' gap train.csv model.json ''
completes '' inspect model.json t
completes 'folder,model.json' report ''
completes 'folder,model.json' report model.json model.json ''
completes 'folder,model.json' sample train.csv --against ''
completes 'train.csv,two words.csv' fit train.csv --test t
completes 'train.csv,two words.csv' fit -o t
completes 'classify,rank,ratings' simulate ''
completes 'theory' help th
completes 'bash,fish,zsh' help --completion ''
completes '' theory ''
completes '--lambda,--lambda-grid' fit --lam
completes '' predict --lam

# Every option of every command is offered, and after each with choices these are.
"$GIBBSITE" help --json >help.json
for ((c = 0; c < $(json help.json 'commands.#'); c++)); do
    command=$(json help.json "commands[$c].name") missing=''
    "$GIBBSITE" help "$command" --json >one.json
    all=",$(offers "$command" -),"
    for ((k = 0; k < $(json one.json 'options.#'); k++)); do
        name=$(json one.json "options[$k].name") choices=$(json one.json "options[$k].choices")
        [[ $all == *",--$name,"* ]] || missing+=" --$name"
        [[ $choices == null ]] && continue
        choices=${choices//'[:D]'/} # a number may follow
        wanted=$(tr '|' '\n' <<<"$choices" | LC_ALL=C sort | paste -sd, -)
        [[ $(offers "$command" --"$name" '') == "$wanted" ]] || missing+=" --$name=$choices"
        for shell in zsh fish; do grep -qF -- "${choices//|/ }" "gibbsite.$shell" \
            || missing+=" $shell:$choices"; done
    done
    if [[ ! $missing ]]; then ok "bash offers every option of $command, and its values"; else \
        not_ok "bash offers every option of $command" "$missing"; fi
done

if need_program shellcheck; then check 'shellcheck finds nothing' shellcheck gibbsite.bash; fi

# typed NAME SHELL LINE EXPECTED: a real shell at a terminal; `gibbsite` says what it was called
# with.
typed() {
    local name=$1 shell=$2 found start
    case $shell in
    bash) start='source ./gibbsite.bash' ;;
    zsh) start="fpath=($PWD/folder/.site \$fpath); autoload -Uz compinit; compinit -u -d \
$PWD/folder/.dump" ;;
    esac
    found=$(printf 'gibbsite() { echo "called: $*"; }\n%s\ngibbsite %b\nexit\n' "$start" "$3" |
        env TERM=dumb HOME="$PWD" script -qec "$4" /dev/null 2>&1 | tr -d '\r' |
        sed -n 's/^called: //p' | sed 's/ *$//')
    if [[ $found == "$5" ]]; then ok "$name"; else not_ok "$name" "it was called with: $found"; fi
}
if need_terminal; then
    at_bash() { typed "bash, at a terminal: $1" bash "$1" 'bash --norc --noprofile -i' "$2"; }
    at_bash 'fi\ttra\t--los\thin\t' 'fit train.csv --loss hinge'
    at_bash 'cv train.csv --loss=zero-one,hi\t' 'cv train.csv --loss=zero-one,hinge'
    at_bash 'predict mo\ttwo\t' 'predict model.json two words.csv'
    at_bash 'inspect fol\tde\t' 'inspect folder/deep.json'
    if need_program zsh; then
        check 'zsh: the syntax is right' zsh -n gibbsite.zsh
        at_zsh() { typed "zsh, at a terminal: $1" zsh "$1" 'zsh -f -i' "$2"; }
        at_zsh 'fi\ttra\t--los\thin\t' 'fit train.csv --loss=hinge'
        at_zsh 'cv train.csv --loss=zero-one,hi\t' 'cv train.csv --loss=zero-one,hinge'
        at_zsh 'simul\tclas\t' 'simulate classify'
    fi
fi
if need_program fish; then
    export HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD
    fish_offers() { fish --no-config -c 'source gibbsite.fish; complete -C "'"$1"'"' | cut -f1 \
        | LC_ALL=C sort | paste -sd, -; }
    as_fish() { if [[ $(fish_offers "$1") == "$2" ]]; then ok "fish: $1 -> $2"; else not_ok \
        "fish: $1 -> $2" "$(fish_offers "$1")"; fi; }
    check 'fish: the syntax is right' fish --no-execute gibbsite.fish
    as_fish 'gibbsite si' 'simulate'
    as_fish 'gibbsite fit --loss ' 'auto,exponential,hinge,probit,zero-one'
    as_fish 'gibbsite simulate r' 'rank,ratings'
    as_fish 'gibbsite fit tr' 'train.csv'
fi
