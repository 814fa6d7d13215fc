#!/usr/bin/env bash
# Help, topics, manual pages and completion, all generated from the same tables.
. "$(dirname "$0")/lib.sh"

# All commands, "noun verb" or "noun", as `attune help all` lists them.
commands() {
    attune help all | awk '/^Topics:/ { exit } /^  [a-z]/' | cut -c3-25
}
nouns() { attune --complete --man '' | cut -f 1; }

# ---- help ----
golden help.out 0 attune --help
golden help_all.out 0 attune help all
golden help_algo.out 0 attune algo --help
golden help_schedule.out 0 attune schedule -h
golden help_algo_list.out 0 attune algo list --help
golden help_schedule_verify.out 0 attune schedule verify --help
golden help_schedule_show.out 0 attune schedule show --help nonsense --help
fails 2 'Usage: attune COMMAND *' attune
fails 2 'Usage: attune schedule VERB*' attune schedule

usage_of_every_command() {
    local noun verb
    commands | while read -r noun verb; do
        [ "$(attune "$noun" $verb --help | head -c $((14 + ${#noun})))" = "Usage: attune $noun" ] ||
            echo "$noun $verb"
    done | grep . && return 1 || return 0
}
check "the help of every command starts with its usage" usage_of_every_command
every_command_is_listed() {
    [ "$(commands | grep -c .)" = "$(grep -c '^ATN_COMMAND' "$root/src/cli/commands.def" | awk '{ print $1 - 2 }')" ]
}
check "all commands are listed, except the hidden ones" every_command_is_listed
wide() {
    local word
    for word in '' all running tuning understand lab research; do
        attune help $word
    done | awk 'length > 80 { bad = 1; print } END { exit bad }'
}
check "help fits 80 columns" wide
first_screen() { [ "$(attune --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on' | wc -l)" = 10 ]; }
check "the first screen has ten commands" first_screen

# ---- attune help ----
same() { # HELP-WORDS OPTION-WORDS
    attune help $1 >by-help && attune $2 --help >by-option && cmp by-help by-option
}
check "attune help" same '' ''
check "attune help NOUN VERB" same 'algo list' 'algo list'
check "attune help help" same help help
help_of_every_command() {
    local noun verb
    { commands; nouns; } | while read -r noun verb; do
        same "$noun $verb" "$noun $verb" || echo "$noun $verb"
    done | grep . && return 1 || return 0
}
check "attune help of every noun and command" help_of_every_command
holds 'Usage: attune run' attune help run -o /dev/stdout
holds 'ron time' attune help research
holds 'trace record' attune help running
fails 2 "attune: unknown help topic 'alog'; did you mean 'algo'? Available: *" attune help alog
fails 2 "attune: unknown help topic 'enviroment'; did you mean 'environment'?*" attune help enviroment
fails 2 "attune: unknown command 'algo lits'; did you mean 'algo list'?*" attune help algo lits
fails 2 "attune: 'run' has no verbs; write attune help run" attune help run fast
fails 2 "attune: unexpected operand 'x'; *" attune help algo list x

# ---- topics ----
topics() { attune help all | awk '/^Topics:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'; }
short_topics() {
    local topic
    for topic in $(topics); do
        attune help "$topic" | awk -v topic="$topic" 'length > 80 { bad = 1 } END { if (bad || NR < 5 || NR > 60) print topic, NR }'
    done | grep . && return 1 || return 0
}
check "topics have at most 60 lines of 80 columns" short_topics
check "there are seven topics" test "$(topics | wc -l)" = 7
variables() { diff <(attune help environment | grep -o '^  ATTUNE[A-Z_]*' | tr -d ' ') \
    <(attune settings --format csv | sed '1d;s/,.*//'); }
check "environment lists all variables" variables
holds 'Missing program, library or resource' attune help exit-status
holds '/etc/attune/wisdom' attune help files

# ---- older names ----
fails 3 'attune: nowhere: *' attune rules show nowhere
check "older names are not listed" test -z "$(attune help all | grep 'rules show')$(nouns | grep '^rules')"

# ---- version ----
golden version.out 0 attune --version
holds "attune $(cat "$root/VERSION")" attune -V

# ---- usage errors ----
fails 2 "attune: unknown command 'alog'; did you mean 'algo'? Available: run,*, help (try 'attune --help')" attune alog
fails 2 "attune: unknown command 'algo lits'; did you mean 'algo list'? Available: list, show*" attune algo lits
fails 2 "attune: unknown command 'xyzzy'; available: run, *, help (try 'attune --help')" attune xyzzy
fails 2 "attune: unknown option --versoin; did you mean --version?*" attune --versoin
fails 2 "attune: unknown option --formt; did you mean --format?*algo list --help*" \
    attune algo list --formt csv
fails 2 "attune: unknown option -x*" attune algo list -x
fails 2 "attune: --format xml: must be one of table, csv, json, markdown" \
    attune algo list --format=xml
fails 2 "attune: --format needs an argument: FORMAT" attune algo list --format
fails 2 "attune: missing operand NAME; usage: attune algo show NAME*" attune algo show
fails 2 "attune: unexpected operand 'b'; usage: attune algo show NAME*" attune algo show a b
fails 2 "attune: --in-place takes no argument" attune schedule show bcast/chain --in-place=yes

# ---- manual pages; tests/lint/docs.sh checks that docs/man is fresh ----
if [ -n "${UPDATE:-}" ]; then (cd "$root" && tools/docs); fi
pages() { echo attune; nouns | sed 's/^/attune-/'; }
all_pages() { diff <(pages | sort) <(cd "$root/docs/man" && ls | sed 's/\.1$//' | sort); }
check "docs/man has a page for every noun" all_pages
sections() {
    local page section
    for page in $(pages); do
        for section in NAME SYNOPSIS DESCRIPTION ENVIRONMENT 'EXIT STATUS' 'SEE ALSO' EXAMPLES; do
            attune --man "$page" | grep -qx ".SH $section" || echo "$page has no $section"
        done
    done | grep . && return 1 || return 0
}
check "pages have all sections" sections
check "--man=run is --man attune-run" cmp <(attune --man=run) <(attune --man attune-run)
holds 'SS attune ron hide' attune --man
fails 2 "attune: unknown command 'rnu'; did you mean 'run'?*" attune --man=rnu
roff() {
    local page
    { attune --man | groff -man -Tutf8 -ww 2>&1 >/dev/null
      for page in $(pages); do
          groff -man -Tutf8 -ww "$root/docs/man/$page.1" 2>&1 >/dev/null
      done; } | grep . && return 1 || return 0
}
if command -v groff >/dev/null; then
    check "manual pages are clean roff" roff
else
    skip "manual pages are clean roff" "no groff"
fi

# ---- completion ----
# Candidates of bash after these words; the last may be empty.
offers() {
    PATH=$(dirname "$attune"):$PATH bash -c '
        source <(attune --completion bash)
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _attune
        printf "%s\n" "${COMPREPLY[@]}" | sort | tr "\n" " "' bash attune "$@"
}
completes() { # WANTED WORD ...
    local wanted=$1
    shift
    [[ $(offers "$@") == $wanted ]] || { echo "offered: $(offers "$@")"; return 1; }
}
touch some-file
check "completion of nouns" completes 'algo ' al
check "completion of options of attune" completes '--version ' --v
check "completion of help words" completes 'algo algorithms all ' help al
check "completion of verbs after help" completes 'list show ' help algo ''
check "help offers no options of other commands" completes 'help ' help he
check "completion of manual pages" completes 'run ' --man ru
check "completion of shells" completes 'bash fish zsh ' --completion ''
check "completion of verbs" completes 'compare draw generate show verify ' schedule ''
check "completion of options" completes '--param ' schedule show bcast/chain --pa
check "completion of options from settings" completes '--reproducible ' run --repr
check "completion of words" completes 'csv json markdown table ' algo list --format ''
check "completion of words from settings" completes 'free stable ' run --fp ''
check "completion of algorithms" completes 'allreduce/rabenseifner *' algo show allreduce/r
check "completion of operations" completes 'allgather allgather/* ' schedule compare allgather
check "completion of files" completes 'some-file ' topo show some
check "completion of files after --" completes 'some-file ' run -- some
check "no completion of an unknown command" completes ' ' xyzzy ''
for shell in bash zsh fish; do
    golden "completion.$shell" 0 attune --completion $shell
    if command -v $shell >/dev/null; then
        attune --completion $shell >script
        check "the script for $shell has no syntax error" $shell -n script
    else
        skip "the script for $shell has no syntax error" "no $shell"
    fi
done
golden complete_help.out 0 attune --complete help ''
fails 2 "attune: --completion tcsh: must be one of bash, zsh, fish" attune --completion tcsh
fails 2 "attune: missing operand SHELL*" attune --completion
# ---- for programs ----
described() { # COUNT WORD ...: that number of commands
    [ "$(attune help "${@:2}" --format json | grep -c '"command": ')" = "$1" ]
}
check "help in JSON: a command" described 1 algo list
check "help in JSON: a noun" described 2 algo
check "help in JSON: a noun that is also a group" described 6 lab
check "help in JSON: a group" described 5 running
check "help in JSON: all are as many as without a word" described "$(attune help --format json | grep -c '"command": ')" all
fails 2 "attune: 'sizes' is neither a command nor a group of commands, *" attune help sizes --format json
fails 2 "attune: 'algo lst' is neither a command nor a group*" attune help algo lst --format json

finish
