#!/usr/bin/env bash
# Without any MPI and without hwloc the core, its tests and the command line build and work.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
dir=${ATTUNE_BUILD:-$PWD/build}/no-mpi

configure() {
    cmake -S . -B "$dir" -G Ninja -D CMAKE_BUILD_TYPE=Debug -D CMAKE_C_FLAGS_DEBUG=-O0 \
        -D ATN_MPICC_OPENMPI=none -D ATN_MPICC_MPICH=none -D ATN_HWLOC=OFF >"$dir.log" 2>&1 ||
        { cat "$dir.log"; return 1; }
}
tells() { grep '^-- attune: no MPI found' "$dir.log"; }
needs_neither() { ldd "$dir/bin/attune" >"$dir/ldd.log" && ! grep -E 'mpi|hwloc' "$dir/ldd.log"; }
unit_tests() {
    local program
    for program in "$dir"/tests/unit/test_*; do
        "$program" >"$dir/unit.log" 2>&1 || { cat "$dir/unit.log"; return 1; }
    done
}

mkdir -p "$dir"
check "configures" configure
check "says in one line that there is no MPI" tells
check "builds" ninja -C "$dir" --quiet
check "unit tests pass" unit_tests
check "the command line works" "$dir/bin/attune" algo list
check "and needs neither MPI nor hwloc" needs_neither
finish
