#!/usr/bin/env bash
# Static analysis without unexplained findings.  Each analyser must first fail on a bad example.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
: "${ATTUNE_BUILD:=$PWD/build}"
export ATTUNE_BUILD
bad=$(mktemp -d)
trap 'rm -rf "$bad"' EXIT

example() { # BODY: a file, and how it is compiled
    mkdir -p "$bad/src/base" "$bad/include" "$bad/build" "$bad/tools"
    printf '#include <stdlib.h>\nvoid f(void)\n{\n%b}\n' "$1" >"$bad/src/base/bad.c"
    printf '  "command": "cc -DA=\\\\\\"b\\\\\\" -I%s/src -O3 -o bad.o -c %s/src/base/bad.c",\n' "$bad" "$bad" \
        >"$bad/build/compile_commands.json"
}
explain() { # LINE ...
    printf '%s\n' "$@" >"$bad/tools/analyze.txt"
}
analyze_example() { # ANALYSER ...
    ATTUNE_BUILD=$bad/build tools/analyze -C "$bad" "$@"
}

# ---- each analyser ----
declare -A finding=([gcc]="[-Wanalyzer-double-free]" [clang]="[unix.Malloc]" [cppcheck]="[doubleFree]")
for name in $(tools/analyze --list); do
    if ! why=$(tools/analyze --known "$name" 2>&1); then
        skip "$name" "${why#tools/analyze: }"
        continue
    fi
    example '    char *p = malloc(1);\n    free(p);\n    free(p);\n'
    explain
    check_fails "$name: double free" "src/base/bad.c:6: " analyze_example "$name"
    check_fails "$name: the finding is kept" "${finding[$name]}" analyze_example "$name"
    explain "== $name" "src/.*.c | free | for a test"
    check "$name: an explained finding" analyze_example "$name"
    example ''
    check_fails "$name: an explanation that is not needed" "not needed: src/.*.c | free" analyze_example "$name"
    explain "== other" "src/.*.c | free | for a test"
    check "$name: explanations of other analysers" analyze_example "$name"
    example '    }\n'
    check_fails "$name: a file that cannot be analysed" "src/base/bad.c:" analyze_example "$name"
    check "$name" tools/analyze "$name"
done
check_fails "unknown analyser" "no analyser \`lint'" tools/analyze lint
finish
