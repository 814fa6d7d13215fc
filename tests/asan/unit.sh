#!/usr/bin/env bash
# The unit tests under the sanitizers.
. "$(dirname "$0")/together.bash"
together unit
