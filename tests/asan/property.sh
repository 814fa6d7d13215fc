#!/usr/bin/env bash
# The property tests under the sanitizers, except those of catalog.sh.
. "$(dirname "$0")/together.bash"
together property '[!c]*'
