#!/usr/bin/env bash
# Documents are consistent: generated ones are up to date, links resolve, commands work.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
attune=${ATTUNE_BUILD:-$PWD/build}/bin/attune

pages() { git ls-files -co --exclude-standard '*.md'; }
links() {
    local page target bad=0
    for page in $(pages); do
        for target in $(grep -oE '\]\([^)#: ]+' "$page" | cut -c3-); do
            [ -e "$(dirname "$page")/$target" ] || { echo "$page: no $target"; bad=1; }
        done
    done
    return $bad
}
# Every line of a code block that calls `attune`, except commands that examine the host, need a lab or start a job, which
# have their own tests.
commands() {
    local line bad=0
    while read -r line; do
        line=${line#build/bin/}
        [[ $line == "attune doctor"* || $line == "attune run "* || $line == "attune lab "* || $line == *" -- "* ]] && continue
        bash -c "attune() { '$attune' \"\$@\"; }; ${line%%#*}" >/dev/null || { echo "$line"; bad=1; }
    done < <(grep -hE '^(build/bin/)?attune [a-z]' README.md CONTRIBUTING.md docs/*.md)
    return $bad
}
# Every `make x` in the documents is a target.
targets() {
    local name bad=0
    for name in $(grep -ohE '\bmake [a-z]+' README.md CONTRIBUTING.md | awk '{ print $2 }' | sort -u); do
        grep -q "^$name:" Makefile || { echo "make $name"; bad=1; }
    done
    return $bad
}

# Detects a copy in which one row is missing and another one differs.
stale() {
    local copy text
    copy=$(mktemp -d) && cp -r --parents tools/docs docs share tests/figures bench/results/studies "$copy" || return 1
    sed -i -e '/^bcast\/chain,/d' -e 's/^barrier\/linear,/&9/' "$copy/tests/figures/ranks-16.csv"
    text=$(ATTUNE_BUILD=$(dirname "$(dirname "$attune")") "$copy/tools/docs" --check) && text=
    rm -r "$copy"
    echo "$text"
    [ "$(grep -c 'run `make docs`' <<<"$text")" = 1 ] && grep -q '^+bcast/chain,' <<<"$text" &&
        grep -q '^-barrier/linear,9' <<<"$text"
}

# Every table of results follows a line that names the machine.
measured_where() { # PAGE
    awk -v page="$1" '
        /^\|[-:| ]+\|$/ && above ~ /^\|/ {
            tables++
            if (caption !~ /^\*Measured on (aarch64|x86-64), [0-9]+ cores[^*]*\*$/) {
                print page ":" NR - 1 ": no line such as *Measured on aarch64, 2 cores.* above the table"
                bad = 1
            }
        }
        above !~ /^\|/ && above ~ /./ { caption = above }
        { above = $0 }
        END { exit bad || tables == 0 }' "$1"
}
unlabelled() { # SED-SCRIPT: checks a modified copy
    local copy status
    copy=$(mktemp) && sed "$1" docs/results.md >"$copy"
    measured_where "$copy"
    status=$?
    rm "$copy"
    return $status
}

check "generated documents are up to date" tools/docs --check
check "outdated figures are detected" stale
check "tables of results name the machine" measured_where docs/results.md
check_fails "a table without a machine is detected" "no line such as" unlabelled '0,/^\*Measured on/{/^\*Measured on/d}'
check_fails "a table with an unknown architecture is detected" "no line such as" unlabelled '0,/aarch64, 2/s//riscv, 2/'
check "links resolve" links
check "commands in the documents work" commands
check "make targets in the documents exist" targets
finish
