#!/usr/bin/env bash
# Attune for MPI libraries in prefixes of their own, as Spack, EasyBuild and administrators install them: copies of those of
# this machine, with other wrappers, are named by ATTUNE_MPI.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
unset "${!ATTUNE@}"
triplet=$(${CC:-cc} -print-multiarch 2>/dev/null)
system=/usr/lib/$triplet

# ---- copies ----
# MPICH: the wrapper is a script that has the folders.
copy_mpich() { # PREFIX
    mkdir -p "$1/bin" "$1/lib" && cp -r "/usr/include/$triplet/mpich" "$1/include" &&
        cp -a "$system"/libmpich.so* "$1/lib" &&
        sed "s,^\(prefix\|exec_prefix\)=.*,\1=$1,; s,^includedir=.*,includedir=$1/include,; s,^libdir=.*,libdir=$1/lib," \
            /usr/bin/mpicc.mpich >"$1/bin/mpicc" && chmod +x "$1/bin/mpicc" &&
        cp /usr/bin/mpiexec.hydra /usr/bin/hydra_pmi_proxy "$1/bin"
}
# Open MPI: it finds everything relative to OPAL_PREFIX, also the wrapper's data.
copy_openmpi() { # PREFIX
    local lib=$1/lib/$triplet
    mkdir -p "$1/bin" "$1/share" "$lib" && cp -a "$system/openmpi" "$lib" && cp -r /usr/share/openmpi "$1/share" &&
        cp -a "$system"/lib{mpi,open-rte,open-pal,mca_common_*}.so.* "$lib" &&
        cp /usr/bin/opal_wrapper "$1/bin/mpicc" && cp /usr/bin/orterun "$1/bin/mpirun" && cp /usr/bin/orted "$1/bin"
}
use_openmpi() { # PREFIX: what its module sets
    export OPAL_PREFIX=$1 LD_LIBRARY_PATH=$1/lib/$triplet
}

cat >"$box/where.c" <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, one = 1, sum = 0;
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    while (rank == 0 && sum == 2 && fgets(line, sizeof line, maps) != NULL)
        fputs(line, stdout);
    return MPI_Finalize();
}
C

build() { # PREFIX ...: only what jobs need, without optimisation
    local prefixes=$(IFS=';' && echo "$*")
    cmake -S . -B "$box/build" -G Ninja -D CMAKE_BUILD_TYPE=Debug -D CMAKE_C_FLAGS_DEBUG=-O0 -D ATN_PROGRAMS=OFF \
        -D ATN_SMPI=OFF -D ATN_IMPORT=OFF -D "ATTUNE_MPI=$prefixes" >"$box/log" 2>&1 &&
        ninja -C "$box/build" --quiet attune "${flavours[@]/#/attune-}" >>"$box/log" 2>&1 || { tail -n 30 "$box/log"; return 1; }
}
records() { # LIBRARY PREFIX
    readelf -d "$1" >"$box/sections" && grep -q "RU*N*PATH.*$2/" "$box/sections" ||
        { cat "$box/sections"; return 1; }
}
install_library() { # FLAVOUR: what is installed after it, programs that measure, is not built
    cmake --install "$box/build" --prefix "$box/installed" --component "$1" >"$box/log" 2>&1
    [ -s "$box/installed/lib/attune/libattune-$1.so" ] || { cat "$box/log"; return 1; }
}
compiles() { "$2/bin/mpicc" -o "$box/where-$1" "$box/where.c" -Wl,-rpath,"$2/lib"; } # FLAVOUR PREFIX
serves() { # FLAVOUR LAUNCHER ...
    local flavour=$1
    shift
    timeout 120 "$box/build/bin/attune" run --algorithm allreduce=ring --report -- "$@" -n 2 "$box/where-$flavour" \
        >"$box/out" 2>&1 && grep -qE '^allreduce .* ring ' "$box/out" || { grep -v '^[0-9a-f]*-' "$box/out"; return 1; }
}
only_copy() { # LIBRARY PREFIX: ranks have loaded the MPI library of the prefix, and no other
    [ "$(sed -n "s,.* \(/.*/$1\.so[.0-9]*\)$,\1,p" "$box/out" | sort -u | xargs -n1 dirname)" -ef "$2" ] ||
        { grep "$1" "$box/out"; return 1; }
}

doctor() { # FLAVOUR LAUNCHER: no failure
    "$box/build/bin/attune" doctor -n 2 --format csv -- "$2" -n 2 "$box/where-$1" >"$box/doctor" 2>&1
    ! grep -E '^(mpi|launcher|job),fail' "$box/doctor" || { cat "$box/doctor"; return 1; }
}

flavours=()
if [ -x /usr/bin/mpicc.mpich ] && [ -e "$system/libmpich.so.12" ]; then
    flavours+=(mpich)
else
    skip "MPICH in another prefix" "not installed as in Debian"
fi
if [ -x /usr/bin/opal_wrapper ] && [ -e "$system/openmpi/include/mpi.h" ]; then
    flavours+=(openmpi)
    use_openmpi "$box/openmpi"
else
    skip "Open MPI in another prefix" "not installed as in Debian"
fi
[ ${#flavours[@]} -gt 0 ] || finish
for flavour in "${flavours[@]}"; do
    check "$flavour: a copy in another prefix" "copy_$flavour" "$box/$flavour"
    check "$flavour: a program" compiles "$flavour" "$box/$flavour"
done
check "cmake -D ATTUNE_MPI" build "${flavours[@]/#/$box/}"
declare -A launchers=([mpich]=mpiexec.hydra [openmpi]=mpirun) names=([mpich]=libmpich [openmpi]=libmpi)
declare -A folders=([mpich]=lib [openmpi]=lib/$triplet)
for flavour in "${flavours[@]}"; do
    prefix=$box/$flavour
    check "$flavour: the library records the prefix" records "$box/build/lib/libattune-$flavour.so" "$prefix"
    check "$flavour: installation of the library" install_library "$flavour"
    check "$flavour: it still records the prefix" records "$box/installed/lib/attune/libattune-$flavour.so" "$prefix"
    check "$flavour: a job is served" serves "$flavour" "$prefix/bin/${launchers[$flavour]}"
    check "$flavour: it has loaded the copy alone" only_copy "${names[$flavour]}" "$prefix/${folders[$flavour]}"
    check "$flavour: attune doctor" doctor "$flavour" "$prefix/bin/${launchers[$flavour]}"
done
finish
