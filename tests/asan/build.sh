#!/usr/bin/env bash
# Everything builds under the sanitizers, without warnings.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
check "builds with sanitizers and without warnings" tools/build asan
finish
