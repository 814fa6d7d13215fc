#!/usr/bin/env bash
# The property tests of catalogue, costs and canonical order under the sanitizers: half of all property
# tests, so that both halves can run in parallel.
. "$(dirname "$0")/together.bash"
together property 'c*'
