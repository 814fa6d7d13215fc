#!/usr/bin/env bash
# Help at every level, version, manual page and completion: all from the same tables.
. "$(dirname "$0")/lib.sh"

# ---- help ----
golden help_algo.out 0 attune algo --help
golden help_schedule.out 0 attune schedule -h
golden help_algo_list.out 0 attune algo list --help
golden help_schedule_verify.out 0 attune schedule verify --help
golden help_schedule_show.out 0 attune schedule show --help nonsense --help
fails 2 'Usage: attune <noun> *' attune
fails 2 'Usage: attune schedule <verb>*' attune schedule

# Every command of the overview has a help page of its own that begins with its usage.
overview() {
    local noun verb
    attune --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/' |
        cut -c3-25 | while read -r noun verb; do
        [ "$(attune "$noun" $verb --help | head -c $((14 + ${#noun})))" = "Usage: attune $noun" ] ||
            echo "$noun $verb"
    done | grep . && return 1 || return 0
}
check "every command has help" overview
wide() { attune --help | awk 'length > 80 { bad = 1; print } END { exit bad }'; }
check "help fits 80 columns" wide

# ---- attune help: the same words in another order ----
same() { # HELP-WORDS OPTION-WORDS
    attune help $1 >by-help && attune $2 --help >by-option && cmp by-help by-option
}
check "attune help" same '' ''
check "attune help NOUN, of verbs" same schedule schedule
check "attune help NOUN VERB" same 'algo list' 'algo list'
check "attune help NOUN, of options" same run run
check "attune help help" same help help
every_help() {
    local noun verb
    attune help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/' |
        cut -c3-25 | while read -r noun verb; do
        same "$noun $verb" "$noun $verb" || echo "$noun $verb"
    done | grep . && return 1 || return 0
}
check "attune help of every command" every_help
holds 'Usage: attune run' attune help run -o /dev/stdout
fails 2 "attune: unknown command 'alog'; did you mean 'algo'?*" attune help alog
fails 2 "attune: unknown command 'algo lits'; did you mean 'algo list'?*" attune help algo lits
fails 2 "attune: 'run' has no commands of its own; write attune help run" attune help run fast
fails 2 "attune: 'x' is one word too many; *" attune help algo list x

# ---- version ----
golden version.out 0 attune --version
holds "attune $(cat "$root/VERSION")" attune -V

# ---- unknown words ----
fails 2 "attune: unknown command 'alog'; did you mean 'algo'? There are: run,*, help (try 'attune --help')" attune alog
fails 2 "attune: unknown command 'algo lits'; did you mean 'algo list'? There are: list, show*" attune algo lits
fails 2 "attune: unknown command 'xyzzy'; there are: run, *, help (try 'attune --help')" attune xyzzy
fails 2 "attune: unknown option --versoin; did you mean --version?*" attune --versoin
fails 2 "attune: unknown option --formt; did you mean --format?*algo list --help*" \
    attune algo list --formt csv
fails 2 "attune: unknown option -x*" attune algo list -x
fails 2 "attune: --format xml: must be one of table, csv, json, markdown" \
    attune algo list --format=xml
fails 2 "attune: --format needs an argument: FORMAT" attune algo list --format
fails 2 "attune: NAME is missing; usage: attune algo show NAME*" attune algo show
fails 2 "attune: 'b' is one word too many; usage: attune algo show NAME*" attune algo show a b
fails 2 "attune: --in-place takes no argument" attune schedule show bcast/chain --in-place=yes

# ---- manual page ----
if [ -n "${UPDATE:-}" ]; then attune --man -o "$root/docs/attune.1"; fi
check "docs/attune.1 is fresh (UPDATE=1 $0)" cmp <(attune --man) "$root/docs/attune.1"
roff() { ! groff -man -Tutf8 -ww "$root/docs/attune.1" 2>&1 >/dev/null | grep .; }
if command -v groff >/dev/null; then
    check "the manual page is clean roff" roff
else
    skip "the manual page is clean roff" "no groff"
fi

# ---- completion ----
# What bash would offer after these words; the last may be empty.
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
check "completion of nouns" completes 'algo ' al
check "completion of options of attune" completes '--version ' --v
check "completion of what has help" completes 'algo ' help al
check "completion of verbs that have help" completes 'list show ' help algo ''
check "help completes no options of others" completes 'help ' help he
check "completion of verbs" completes 'compare draw generate show verify ' schedule ''
check "completion of options" completes '--param ' schedule show bcast/chain --pa
check "completion of words" completes 'csv json markdown table ' algo list --format ''
check "completion of algorithms" completes 'allreduce/rabenseifner *' algo show allreduce/r
fails 2 "attune: --completion fish: must be bash" attune --completion fish
fails 2 "attune: SHELL is missing*" attune --completion
finish
