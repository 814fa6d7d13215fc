#!/usr/bin/env bash
# The core and the command line build and work without MPI and hwloc; of the unit tests, those of topologies, where
# hwloc is used.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
dir=${ATTUNE_BUILD:-$PWD/build}/no-mpi

configure() {
    cmake -S . -B "$dir" -G Ninja -D CMAKE_BUILD_TYPE=Debug -D CMAKE_C_FLAGS_DEBUG=-O0 \
        -D ATN_MPICC_OPENMPI=none -D ATN_MPICC_MPICH=none -D ATN_SMPI=OFF -D ATN_HWLOC=OFF >"$dir.log" 2>&1 ||
        { cat "$dir.log"; return 1; }
}
reports_no_mpi() { grep '^-- attune: no MPI found' "$dir.log"; }
needs_neither() { ldd "$dir/bin/attune" >"$dir/ldd.log" && ! grep -E 'mpi|hwloc' "$dir/ldd.log"; }
build() { # the command line and unit tests
    ninja -C "$dir" --quiet attune $(ninja -C "$dir" -t targets all | sed -n 's/^\(unit-test_topo[a-z_0-9]*\): phony$/\1/p')
}
unit_tests() {
    local program
    for program in "$dir"/tests/unit/test_*; do
        "$program" >"$dir/unit.log" 2>&1 || { cat "$dir/unit.log"; return 1; }
    done
}

mkdir -p "$dir"
check "configuration" configure
check "configuration reports that no MPI was found" reports_no_mpi
check "build" build
check "unit tests pass" unit_tests
check "attune algo list" "$dir/bin/attune" algo list
check "attune is linked with neither MPI nor hwloc" needs_neither

# ---- MPI libraries that the user names ----
configure_for() { # ATTUNE_MPI
    rm -rf "$dir-named"
    cmake -S . -B "$dir-named" -G Ninja -D ATN_SMPI=OFF -D ATN_PROGRAMS=OFF -D "ATTUNE_MPI=$1" 2>&1
}
only_mpich() { # WRAPPER
    configure_for "$1" >"$dir.log" && grep -qF "attune: mpich through $1" "$dir.log" && ! grep 'attune: openmpi' "$dir.log" ||
        { cat "$dir.log"; return 1; }
}
check_fails "ATTUNE_MPI: a folder without mpicc" "neither Open MPI nor MPICH" configure_for /nowhere
wrapper=$(command -v mpicc.mpich)
if [ -n "$wrapper" ]; then
    check "ATTUNE_MPI: one of two MPI libraries" only_mpich "$wrapper"
else
    skip "ATTUNE_MPI: one of two MPI libraries" "no mpicc.mpich"
fi
rm -rf "$dir-named"
finish
