#!/usr/bin/env bash
# C files are formatted, text files have no trailing blanks, scripts parse.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash

c_files() { find src include tests bench examples -name '*.[ch]' | sort; }
scripts() { grep -lrE --include='*' '^#!.*(bash|/sh)$' bench tools tests examples .ci | sort; }

format() {
    local text
    text=$(c_files | xargs clang-format --dry-run -Werror 2>&1) && return
    grep -oE '^[^ :]+:[0-9]+' <<<"$text" | awk -F: '!seen[$1]++'
    echo "run clang-format -i FILE"
    return 1
}
leftovers() { c_files | xargs grep -nE '\b(TODO|FIXME|XXX)\b' && return 1 || return 0; }
wide() { c_files | LC_ALL=C.UTF-8 xargs grep -nE '^.{101,}' && return 1 || return 0; }
blanks() {
    ! git grep -nIE '[[:blank:]]+$' -- src include tests bench examples tools cmake docs '*.md' \
        ':!tests/*/golden*'
}
parse() {
    local file bad=0
    for file in $(scripts); do bash -n "$file" || bad=1; done
    return $bad
}
javascript() {
    local file bad=0
    for file in $(find src -name '*.js'); do node --check "$file" || bad=1; done
    return $bad
}
readmes() { # at most 60 lines each
    local file bad=0
    for file in src/*/README.md; do
        [ "$(wc -l <"$file")" -le 60 ] || { echo "$file: more than 60 lines"; bad=1; }
    done
    for file in $(find src -mindepth 2 -name '*.[ch]' | cut -d/ -f1-2 | sort -u); do
        [ -f "$file/README.md" ] || { echo "$file/README.md is missing"; bad=1; }
    done
    return $bad
}

if command -v clang-format >/dev/null; then
    check "C files are formatted" format
else
    skip "C files are formatted" "no clang-format"
fi
check "no TODO, FIXME or XXX" leftovers
check "no C line above 100 columns" wide
check "no trailing blanks" blanks
check "scripts parse" parse
if command -v node >/dev/null; then
    check "JavaScript parses" javascript
else
    skip "JavaScript parses" "no node"
fi
check "every folder of src has a short README" readmes
finish
