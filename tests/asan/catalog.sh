#!/usr/bin/env bash
# The property tests of catalogue, costs and canonical order under the sanitizers: half of the work, so
# that the other half can run beside it.
. "$(dirname "$0")/together.bash"
together property 'c*'
