#!/usr/bin/env bash
# An installation is complete and relocatable: it works after it was moved.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
build=${ATTUNE_BUILD:-$PWD/build}
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

exists() { [ -s "$box/b/$1" ] || { find "$box/b" | sort; return 1; }; }
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

# The version, the headers and the preload library that attune.pc gives.
pkg_config() { PKG_CONFIG_PATH=$box/b/lib/pkgconfig pkg-config "$@" attune; }
pc_version() { [ "$(pkg_config --modversion)" = "$(cat VERSION)" ] || { pkg_config --modversion; return 1; }; }
pc_compiles() {
    printf '#include <attune/attune.h>\nint v = ATTUNE_VERSION_NUMBER;\n' >"$box/unit.c"
    ${CC:-cc} $(pkg_config --cflags) -c -o "$box/unit.o" "$box/unit.c"
}
pc_links_nothing() { [ -z "$(pkg_config --libs | tr -d ' ')" ] || { pkg_config --libs; return 1; }; }
pc_preload() { # FLAVOUR
    [ "$(pkg_config --variable="preload_$1")" -ef "$box/b/lib/attune/libattune-$1.so" ]
}
# A program that is linked with the flags of attune-smpi.pc is served in a simulated job.
smpi_serves() {
    PKG_CONFIG_PATH=$box/b/lib/pkgconfig
    export PKG_CONFIG_PATH
    "$box/b/bin/attune" topo convert 2x2@1G --to simgrid -o "$box/platform.xml" &&
        "$box/b/bin/attune" topo convert 2x2@1G --to hostfile -o "$box/hosts" &&
        smpicc -o "$box/program" examples/collectives.c $(pkg-config --cflags --libs attune-smpi) &&
        ATTUNE_ALGORITHM=allreduce=ring ATTUNE_REPORT=1 smpirun -n 4 -platform "$box/platform.xml" \
            -hostfile "$box/hosts" --cfg=smpi/simulate-computation:no "$box/program" 0.001 >"$box/out" 2>&1 &&
        grep -qE '^allreduce .* ring ' "$box/out" || { cat "$box/out"; return 1; }
}
# The soname is a link to the library in the same folder.
soname_resolves() { # FLAVOUR
    local links=("$box/b/lib/attune/libattune-$1.so".*)
    [ "${links[0]}" -ef "$box/b/lib/attune/libattune-$1.so" ] || { ls -l "$box/b/lib/attune"; return 1; }
}

check "cmake --install" cmake --install "$build" --prefix "$box/a"
mv "$box/a" "$box/b"
for file in bin/attune share/man/man1/attune.1 share/man/man1/attune-run.1 share/bash-completion/completions/attune \
    share/zsh/site-functions/_attune share/fish/vendor_completions.d/attune.fish \
    share/doc/attune/LICENSE share/doc/attune/README.md include/attune/attune.h include/attune/timing.h include/attune/topology.h \
    include/attune/version.h lib/pkgconfig/attune.pc \
    libexec/attune/attune-delay libexec/attune/attune-lab-agent; do
    check "$file" exists $file
done
check "attune --version" "$box/b/bin/attune" --version
check "attune.pc: version" pc_version
check "attune.pc: a program finds the headers" pc_compiles
check "attune.pc: no library to link" pc_links_nothing
for flavour in openmpi mpich; do
    [ -e "$build/lib/libattune-$flavour.so" ] || continue
    check "attune.pc: preload library, $flavour" pc_preload $flavour
    check "soname, $flavour" soname_resolves $flavour
done
[ ! -e "$build/lib/libattune-openmpi.so" ] ||
    { check "Open MPI programs use Attune" runs_under openmpi mpirun.openmpi --oversubscribe
      check "attune bench with Open MPI" measures mpirun.openmpi --oversubscribe; }
[ ! -e "$build/lib/libattune-mpich.so" ] ||
    { check "MPICH programs use Attune" runs_under mpich mpirun.mpich
      check "attune bench with MPICH" measures mpirun.mpich; }
[ ! -e "$build/lib/libattune-smpi.a" ] ||
    check "attune-smpi.pc: a simulated program uses Attune" smpi_serves

# ---- DESTDIR, uninstall ----
staged() { DESTDIR=$box/stage cmake --install "$build" --prefix /opt/attune && [ -x "$box/stage/opt/attune/bin/attune" ]; }
uninstalled() {
    touch "$box/stage/opt/attune/share/other" && DESTDIR=$box/stage cmake -P "$build/uninstall.cmake" || return 1
    [ "$(find "$box/stage" -not -type d)" = "$box/stage/opt/attune/share/other" ] || { find "$box/stage" -not -type d; return 1; }
}
check "DESTDIR" staged
check "make uninstall removes Attune's files, and no others" uninstalled
check_fails "a second make uninstall" "does not exist" cmake -P "$build/uninstall.cmake"
finish
