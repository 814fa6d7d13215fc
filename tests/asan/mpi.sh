#!/usr/bin/env bash
# MPI programs with both the program and the preload library under the sanitizers.  Leaks of the MPI
# libraries themselves are suppressed (lsan.supp), nothing else is.
. "$(dirname "$0")/../mpi/lib.bash"
limit=120

# One algorithm for every operation: Open MPI's own alltoallw reads past buffers on one rank.
forced=barrier=dissemination,bcast=chain:segment=8K,gather=binomial,gatherv=binomial
forced+=,scatter=binomial,scatterv=binomial,allgather=bruck,allgatherv=ring,alltoall=bruck
forced+=,alltoallv=pairwise,alltoallw=pairwise,reduce=binomial,allreduce=ring
forced+=,reduce_scatter=ring,reduce_scatter_block=recursive_halving
forced+=,scan=recursive_doubling,exscan=linear

# Ranks, program, arguments.
programs() {
    cat <<END
3 examples/collectives 0.001
3 tests/matrix --cases 20 --seed 7 --oracle 0
2 tests/storm 100
2 tests/threads
3 tests/finalize_hooks
2 tests/errors
END
}

for flavour in $(flavours); do
    with=(--algorithm "$forced")
    while read -r ranks path words; do
        name=$(basename "$path")
        read -r -a arguments <<<"$words"
        check "$flavour: $name" attuned "$flavour" "$ranks" \
            "$build/$(dirname "$path")/$flavour/$name" "${arguments[@]}" </dev/null
    done < <(programs)
    with=(--select online --budget 100 --first 0 --wisdom "$work/wisdom-$flavour")
    for words in "exact 800" "float 600" "contexts 60"; do
        read -r -a arguments <<<"$words"
        check "$flavour: learning, $words" attuned "$flavour" 2 "$build/tests/$flavour/learning" \
            "${arguments[@]}" </dev/null
    done
    with=(--off)
    check "$flavour: inert" attuned "$flavour" 2 "$build/examples/$flavour/collectives" 0.001
done
finish
