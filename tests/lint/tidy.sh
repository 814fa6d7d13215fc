#!/usr/bin/env bash
# clang-tidy on all files without MPI.  A file that passed is checked again only after it, a header or
# the list of checks has changed.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
stamps=${ATTUNE_BUILD:=$PWD/build}/tidy
export ATTUNE_BUILD stamps

one() { # FILE
    local stamp=$stamps/${1//\//_} text
    text=$(clang-tidy --quiet -p "$ATTUNE_BUILD" "$1" 2>&1) && touch "$stamp" && return
    grep -v ' warnings\? generated\| warnings treated as errors' <<<"$text"
    return 1
}
export -f one

stale() {
    local newest file
    newest=$(find src include .clang-tidy \( -name '*.h' -o -name '*.def' -o -name .clang-tidy \) \
        -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)
    for file in $(find src -name '*.c' ! -path 'src/exec/*' ! -path 'src/measure/*' \
        ! -path 'src/tune/*' ! -path 'src/pmpi/*' ! -path 'src/interpose/*' ! -path 'src/tracer/*' \
        ! -path 'src/stager/*'); do
        local stamp=$stamps/${file//\//_}
        [ "$stamp" -nt "$file" ] && [ "$stamp" -nt "$newest" ] || echo "$file"
    done
}

tidy() {
    mkdir -p "$stamps"
    stale | xargs -r -P "$(nproc)" -I{} bash -c 'one {}'
}

if ! command -v clang-tidy >/dev/null; then
    skip "clang-tidy" "no clang-tidy"
elif [ ! -f "$ATTUNE_BUILD/compile_commands.json" ]; then
    skip "clang-tidy" "no $ATTUNE_BUILD/compile_commands.json"
else
    check "clang-tidy" tidy
fi
finish
