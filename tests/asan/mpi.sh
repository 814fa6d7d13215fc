#!/usr/bin/env bash
# MPI programs with both the program and the preload library under the sanitizers.  Only leaks of the
# MPI libraries are suppressed (lsan.supp).  This needs stacks with module names: plug-ins stay loaded,
# and libraries without frame pointers are unwound with the slow method.
. "$(dirname "$0")/../mpi/lib.bash"
. tests/asan/leaks.bash
limit=120
cores=1 # other tests run in parallel
keep=$work/keep.so
cc -O2 -shared -fPIC -o "$keep" tests/asan/keep/keep.c || exit 4

# An algorithm for every operation: the native alltoallw of Open MPI reads past buffers on one rank.
forced=barrier=dissemination,bcast=chain:segment=8K,gather=binomial,gatherv=binomial
forced+=,scatter=binomial,scatterv=binomial,allgather=bruck,allgatherv=ring,alltoall=bruck
forced+=,alltoallv=pairwise,alltoallw=pairwise,reduce=binomial,allreduce=ring
forced+=,reduce_scatter=ring,reduce_scatter_block=recursive_halving
forced+=,scan=recursive_doubling,exscan=linear
for op in allgather allgatherv alltoall alltoallv alltoallw; do
    forced+=,neighbor_$op=direct
done

# Ranks, program, arguments.
programs() {
    cat <<END
3 examples/collectives 0.001
3 tests/matrix --cases 20 --seed 7 --oracle 0
2 tests/storm 100
2 tests/threads
3 tests/finalize_hooks
2 tests/errors
3 tests/aliased 5 strict
3 tests/mixture 7 60
2 tests/request_errors
2 tests/persistent
2 tests/neighbours_exec
END
}

# A leak check takes seconds in every rank if the allocator has 2^28 regions to search: there the jobs
# alternate between the MPIs.
half=0
unwound=${ASAN_OPTIONS:-}:fast_unwind_on_malloc=0
sanitized() { # NAME FLAVOUR RANKS PROGRAM ...
    local options=$unwound
    jobs=$((jobs + 1))
    [ "$(uname -m)" != aarch64 ] || [ $((jobs % 2)) = 0 ] || [ -n "${TEST_LEAKS:-}" ] ||
        options+=:detect_leaks=0
    ASAN_OPTIONS=$options LD_PRELOAD=$keep check "$2: $1" leak_checked attuned "${@:2}" </dev/null
}

for flavour in $(flavours); do
    half=$((1 - half)) jobs=$half
    with=(--algorithm "$forced")
    while read -r ranks path words; do
        name=$(basename "$path")
        read -r -a arguments <<<"$words"
        sanitized "$name" "$flavour" "$ranks" "$build/$(dirname "$path")/$flavour/$name" \
            "${arguments[@]}"
    done < <(programs)
    with=(--progress always --algorithm "$forced")
    sanitized "progress thread" "$flavour" 4 "$build/tests/$flavour/progress_thread" 1
    with=(--select online --budget 100 --first 0 --wisdom "$work/wisdom-$flavour")
    for words in "exact 800" "float 600" "contexts 60"; do
        read -r -a arguments <<<"$words"
        ATTUNE_FORESEE=on sanitized "online tuning, $words" "$flavour" 2 "$build/tests/$flavour/learning" "${arguments[@]}"
    done
    with=(--staging 1M --warmup "$work/partners-$flavour" --algorithm allreduce=ring)
    sanitized staging "$flavour" 2 "$build/tests/$flavour/staging" 1
    sanitized "staging, edge cases" "$flavour" 2 "$build/tests/$flavour/staging_edges"
    with=(--algorithm "$forced")
    ASAN_OPTIONS=$unwound LD_PRELOAD=$keep check_fails "$flavour: a leak is reported" \
        "leak.c:" attuned "$flavour" 2 "$(program "$flavour" leak)"
    with=(--off)
    sanitized "ATTUNE=off" "$flavour" 2 "$build/examples/$flavour/collectives" 0.001
done
finish
