#!/usr/bin/env bash
# MPI programs with both the program and the preload library under the sanitizers.  Leaks of the MPI
# libraries themselves are suppressed (lsan.supp), nothing else is.
cd "$(dirname "$0")/../.." || exit 4
. tests/tap.bash
build=${ATTUNE_BUILD:-$PWD/build-asan}

launcher() { # FLAVOUR
    case $1 in
    openmpi) echo "$(command -v mpirun.openmpi || echo mpirun) --oversubscribe" ;;
    mpich) command -v mpirun.mpich || echo mpirun ;;
    esac
}
under() { # FLAVOUR SETTINGS RANKS PROGRAM ...
    local launch settings=$2 ranks=$3
    launch=$(launcher "$1")
    shift 3
    env $settings timeout 120 "$build/bin/attune" run -- $launch -n "$ranks" "$@"
}
each() { # NAME FUNCTION: once per MPI
    local flavour
    for flavour in openmpi mpich; do
        [ ! -e "$build/lib/libattune-$flavour.so" ] || check "$flavour: $1" "$2" $flavour
    done
}

# One algorithm for every operation: Open MPI's own alltoallw reads past buffers on one rank.
forced=barrier=dissemination,bcast=chain:segment=8K,gather=binomial,gatherv=binomial
forced+=,scatter=binomial,scatterv=binomial,allgather=bruck,allgatherv=ring,alltoall=bruck
forced+=,alltoallv=pairwise,alltoallw=pairwise,reduce=binomial,allreduce=ring
forced+=,reduce_scatter=ring,reduce_scatter_block=recursive_halving
forced+=,scan=recursive_doubling,exscan=linear

served() { under "$1" ATTUNE_ALGORITHM=$forced 3 "$build/examples/$1/collectives" 0.001; }
matrix() {
    under "$1" ATTUNE_ALGORITHM=$forced 3 "$build/tests/$1/matrix" --cases 40 --seed 7 --oracle 0
}
off() { under "$1" ATTUNE=off 2 "$build/examples/$1/collectives" 0.001; }

each "collectives" served
each "a part of the matrix" matrix
each "inert" off
finish
