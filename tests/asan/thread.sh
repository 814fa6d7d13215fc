#!/usr/bin/env bash
# The channels of src/shm under ThreadSanitizer: no data race, and without the release of the flag there is one.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

build() { # SOURCES PROGRAM
    cc -std=c11 -D_GNU_SOURCE -O1 -g -fsanitize=thread -I"$1" -Iinclude tests/unit/test_shm.c "$1"/shm/*.c \
        "$1"/base/*.c -lcmocka -lpthread -lm -o "$2" 2>"$2.err"
}
races() { TSAN_OPTIONS=exitcode=66:halt_on_error=1 timeout 120 "$1" >"$1.log" 2>&1; (($? == 66)); }

printf 'int main(void) { return 0; }\n' >"$box/probe.c"
if ! cc -fsanitize=thread "$box/probe.c" -o "$box/probe" 2>/dev/null || ! "$box/probe" 2>/dev/null; then
    skip "channels under ThreadSanitizer" "the sanitizer does not run here"
    finish
fi
cp -r src "$box/src"
sed -i 's/memory_order_release/memory_order_relaxed/' "$box/src/shm/channel.h"
check "the test of channels builds" build src "$box/right"
check "no data race" "$box/right"
check "the test without release order builds" build "$box/src" "$box/wrong"
check "a data race is detected without release order" races "$box/wrong"
finish
