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
# Links to a heading, in the same page or another one, name it as web pages of repositories do.
anchors() { # PAGE ...
    perl -e '
        use strict; use warnings; use utf8; use open qw(:std :utf8);
        use Cwd "realpath"; use File::Basename;
        my ($bad, %headings) = (0);
        sub text { local $/; open(my $in, "<", $_[0]) or return ""; my $t = <$in>; $t =~ s/^```.*?^```//msg; $t }
        sub headings {
            my ($page) = @_;
            return $headings{$page} if $headings{$page};
            my %seen;
            for my $title (text($page) =~ /^#+ +(.*)$/mg) {
                $title =~ s/\[([^]]*)\]\([^)]*\)/$1/g;
                $title = lc $title; $title =~ s/[^\w\- ]//g; $title =~ tr/ /-/;
                my $n = $seen{$title}++;
                $seen{"$title-$n"}++ if $n;
            }
            return $headings{$page} = \%seen;
        }
        for my $page (@ARGV) {
            for (text($page) =~ /\]\(([^):\s]*#[^)\s]+)\)/g) {
                my ($file, $anchor) = /^(.*?)#(.*)$/;
                my $target = realpath($file eq "" ? $page : dirname($page) . "/$file") // "";
                next if $target !~ /\.md$/ || headings($target)->{$anchor};
                print "$page: no heading #$anchor\n"; $bad = 1;
            }
        }
        exit $bad' "$@"
}
no_heading() {
    printf '# One\n## Two, `x`\n[a](#two-x) [b](#three)\n' >"$1/page.md" && anchors "$1/page.md"
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
# The options of all other commands in code blocks; --help is evaluated after them.
launches() { # PAGE ...
    local line bad=0 words
    while read -r line; do
        line=${line#\$ } line=${line#sudo } line=${line#build/bin/}
        line=${line%%#*} line=${line%%|*}
        eval "words=(${line%% -- *})" && "$attune" "${words[@]:1}" --help >/dev/null || { echo "$line"; bad=1; }
    done < <(grep -hE '^(\$ |sudo )?(build/bin/)?attune [a-z]' "$@")
    return $bad
}
wrong_option() { echo 'sudo attune bench --opps bcast -- mpirun -n 4' >"$1/page.md" && launches "$1/page.md"; }
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
check "links to headings resolve" anchors $(pages)
scratch=$(mktemp -d)
check_fails "a link to a missing heading is detected" "no heading #three" no_heading "$scratch"
check "commands in the documents work" commands
check "options of commands in the documents exist" launches README.md CONTRIBUTING.md docs/*.md
check_fails "an unknown option in a document is detected" "did you mean --ops" wrong_option "$scratch"
rm -r "$scratch"
check "make targets in the documents exist" targets
finish
