#!/usr/bin/env bash
# An installed Attune is complete and works from where it is, also after being moved.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
build=${ATTUNE_BUILD:-$PWD/build}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

has() { [ -s "$box/b/$1" ] || { find "$box/b" | sort; return 1; }; }
runs_under() { # FLAVOUR LAUNCHER ...
    local program=$build/examples/$1/collectives
    shift
    "$box/b/bin/attune" run --algorithm allreduce=ring --report -- "$@" -n 2 "$program" 0.001 \
        >"$box/out" 2>&1 && grep -qE '^allreduce .* ring ' "$box/out" || { cat "$box/out"; return 1; }
}
measures() { # LAUNCHER ...
    "$box/b/bin/attune" bench --ops bcast --sizes 1K --calls 4 -- "$@" -n 2 >"$box/out" 2>&1 &&
        grep -qE '^bcast +1K +attune ' "$box/out" || { cat "$box/out"; return 1; }
}

check "installs" cmake --install "$build" --prefix "$box/a"
mv "$box/a" "$box/b"
for file in bin/attune share/man/man1/attune.1 share/bash-completion/completions/attune \
    share/doc/attune/LICENSE share/doc/attune/README.md include/attune/attune.h include/attune/topology.h \
    libexec/attune/attune-delay libexec/attune/attune-lab-agent; do
    check "has $file" has $file
done
check "runs" "$box/b/bin/attune" --version
[ ! -e "$build/lib/libattune-openmpi.so" ] ||
    { check "serves Open MPI programs" runs_under openmpi mpirun.openmpi --oversubscribe
      check "measures Open MPI" measures mpirun.openmpi --oversubscribe; }
[ ! -e "$build/lib/libattune-mpich.so" ] ||
    { check "serves MPICH programs" runs_under mpich mpirun.mpich
      check "measures MPICH" measures mpirun.mpich; }
finish
