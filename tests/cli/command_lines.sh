#!/usr/bin/env bash
# Nonsense command lines of all commands (tests/fuzz/command_lines): always the same ones.  First, each kind of fault must be
# found in a command that has it.
. "$(dirname "$0")/lib.sh"
lines=$root/tests/fuzz/command_lines
"$lines" --count 1 >/dev/null
if [ $? = 77 ]; then
    skip "nonsense command lines" "no namespaces for users"
    finish
fi

# ---- faults are found ----
finds() { # TEXT BODY [COUNT]
    mkdir -p faulty/bin
    printf '#!/bin/bash\nif [ "$1" = settings ]; then :; %s\nfi\nexec "%s" "$@"\n' "$2" "$attune" >faulty/bin/attune
    chmod +x faulty/bin/attune
    ATTUNE_BUILD=$work/faulty "$lines" --command settings --count "${3:-5}" >found && return 1
    grep -F "$1" found || { cat found; return 1; }
}
check "a crash is found" finds 'killed by signal 11' 'kill -SEGV $$'
check "a wrong exit code is found" finds 'exit code 7' 'exit 7'
check "a missing message is found" finds 'exit code 3 without a message' 'exit 3'
check "a file that was not requested is found" finds 'changes litter' 'touch litter'
check "a file that is removed is found" finds 'removes bytes' 'rm -f bytes'
check "a process that remains is found" finds 'leaves processes' '(setsid sleep 100 >/dev/null 2>&1 &)'
check "output of a failure is found" finds 'but prints' 'echo half; echo "attune: failed" >&2; exit 4'
check "a half-written file is found" finds 'incomplete ' '
    while [ $# -gt 1 ]; do [ "$1" != -o ] || { printf half >"$2"; break; }; shift; done
    exit 0' 60

# ---- Attune has none ----
check "120 command lines" "$lines" --count 120 --seed 25
finish
