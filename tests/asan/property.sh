#!/usr/bin/env bash
# The property tests under the sanitizers.
. "$(dirname "$0")/together.bash"
together property
