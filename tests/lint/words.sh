#!/usr/bin/env bash
# The wording of docs/glossary.md: tools/check_words must fail on bad examples and accept the repository.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
bad=$(mktemp -d)
trap 'rm -rf "$bad"' EXIT

words() { ATTUNE_WORDS=$PWD/tools/words.txt tools/check_words "$bad" "$@"; }
mkdir "$bad/docs" "$bad/src"
printf 'A rank sends.\nThe program tells its rank.\n' >"$bad/docs/a.md"
printf 'int n; /* so many */\n' >"$bad/src/a.c"
check_fails "words: rejected in a document" 'docs/a.md:2: "tells": write' words
check_fails "words: rejected in a comment" 'src/a.c:1: "so many": write' words src
printf 'The program reports its rank.\n' >"$bad/docs/a.md"
check "words: good example" words docs
printf 'tell => "report"\n! ^docs/ telling\n' >"$bad/words"
printf 'A telling name.\n' >"$bad/docs/a.md"
check "words: exception" env ATTUNE_WORDS="$bad/words" tools/check_words "$bad" docs
printf 'no arrow\n' >"$bad/words"
check_fails "words: malformed list" "words:1: neither a word nor an exception" \
    env ATTUNE_WORDS="$bad/words" tools/check_words "$bad" docs
check "words" tools/check_words
finish
