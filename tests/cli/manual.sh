#!/usr/bin/env bash
# Manual pages: one for the program, one for each command, from the tables that the program runs on.
. "$(dirname "$0")/../lib.sh"

"$GIBBSITE" help --json >help.json
mapfile -t commands < \
    <(for ((k = 0; k < $(json help.json 'commands.#'); k++)); do json help.json \
    "commands[$k].name"; done)
holds 'there are commands' "${#commands[@]} >= 12"

# plain FILE: a page as text, without the dashes and escapes of roff.
plain() { sed -e 's/\\f[BIR]//g; s/\\-/-/g; s/\\(aq/'"'"'/g; s/\\&//g; s/\\e/\\/g' "$1"; }

for command in "${commands[@]}"; do
    page=gibbsite-$command.1
    "$GIBBSITE" help --man "$command" >"$page"
    "$GIBBSITE" help "$command" >short.txt
    holds "help $command has at most 60 lines of at most 100 columns" \
        "$(wc -l <short.txt) <= 60 && $(awk 'length > 100' short.txt | wc -l) == 0"
    for heading in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES FILES 'EXIT STATUS' ENVIRONMENT \
        'SEE ALSO'; do
        grep -qx ".SH $heading" "$page" || not_ok "$page has the heading $heading"
    done
    "$GIBBSITE" help "$command" --json >one.json
    plain "$page" >page.txt
    missing='' count=$(json one.json 'options.#')
    for ((k = 0; k < count; k++)); do
        name=$(json one.json "options[$k].name") argument=$(json one.json "options[$k].argument") \
            help=$(json one.json "options[$k].help")
        [[ $argument == null ]] && argument=''
        # the heading of the paragraph, and below it the whole help text
        awk -v head="--$name${argument:+ $argument}" -v help="$help." '
            found && $0 == help { ok = 1 }
            { found = $0 == head || substr($0, 5) == head }
            END { exit !ok }' page.txt || missing+=" --$name"
    done
    if [[ ! $missing && $count -ge 5 ]]; then ok "$page has all $count options with their words"; \
        else not_ok "$page has all options" "$missing"; fi
    grep -qF "gibbsite-$command - $(json one.json 'commands[0].summary')" page.txt \
        || not_ok "$page says what the command is for"
    grep -qF "$(json one.json examples | tail -n 1)" page.txt || not_ok "$page has the examples"
done

"$GIBBSITE" help --man >gibbsite.1
for heading in NAME SYNOPSIS DESCRIPTION COMMANDS 'COMMON OPTIONS' 'EXIT STATUS' ENVIRONMENT; do
    grep -qx ".SH $heading" gibbsite.1 || not_ok "gibbsite.1 has the heading $heading"
done
for command in "${commands[@]}"; do plain gibbsite.1 | grep -qx "gibbsite-$command(1)" \
    || not_ok "gibbsite.1 names $command"; done
ok 'gibbsite.1 names the commands'

if need_program man; then
    for page in gibbsite*.1; do
        MANWIDTH=100 man --warnings -l "$page" >rendered.txt 2>warnings.txt \
            || not_ok "man takes $page"
        [[ ! -s warnings.txt ]] || not_ok "man renders $page without a warning" \
            "$(cat warnings.txt)"
        [[ $(wc -l <rendered.txt) -ge 25 ]] || not_ok "$page has text"
    done
    ok 'man renders every page without a warning'
    MANWIDTH=100 man -l gibbsite-fit.1 >rendered.txt
    check 'the rendered page names an option and its argument' grep -q -- '--lambda-grid LO:HI:K' \
        rendered.txt
fi
# The date is left out on purpose: the version stands in its place, and the same source gives the
# same page.
if need_program mandoc; then
    mandoc -Tlint -Wwarning gibbsite*.1 2>&1 | grep -v 'missing date, using ""' >lint.txt
    if [[ ! -s lint.txt ]]; then ok 'mandoc finds nothing'; else not_ok 'mandoc finds nothing' \
        "$(cat lint.txt)"; fi
fi

expect_exit 2 "$GIBBSITE" help --man nonsense
expect_stderr "there is no command 'nonsense'"
expect_exit 2 "$GIBBSITE" help --completion bash fit
expect_exit 2 "$GIBBSITE" help --completion tcsh
expect_stderr 'expected one of bash.zsh.fish'

"$GIBBSITE" help fit --all >page.txt
for asked in '--help --all' '--all --help' '-h --all'; do
    as "fit $asked"
    # shellcheck disable=SC2086
    expect_exit 0 "$GIBBSITE" fit $asked
    check 'is help fit --all' cmp "$stdout" page.txt
done
