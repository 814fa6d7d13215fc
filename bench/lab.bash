# lab.bash - shared by the benchmarks on emulated clusters.
# shellcheck shell=bash
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
results=${RESULTS:-$build/results/$(basename "$0")}
mkdir -p "$results"
lab=bench-$$
unset "${!ATTUNE_@}"

lab_down() { "$attune" lab down --name "$lab" >/dev/null 2>&1 || true; }
trap lab_down EXIT
trap 'exit 130' INT TERM

lab_up() { # TOPOLOGY: replaces the previous lab
    lab_down
    "$attune" lab up --name "$lab" "$1" >/dev/null
}

# Runs one job and writes every sample to FILE.samples.  Prints only a progress line.
lab_bench() { # MPI FILE BENCH-ARGUMENTS ...
    local mpi=$1 file=$2
    shift 2
    echo "  $(date +%T) $mpi $file" >&2
    "$attune" bench --raw "$results/$file.samples" -o /dev/null "$@" -- \
        "$attune" lab run --name "$lab" --mpi "$mpi"
}

# The pooled results of the given files.
pooled() { # FORMAT FILE ...
    local format=$1 from=() file
    shift
    for file in "$@"; do from+=(--from "$file"); done
    "$attune" bench "${from[@]}" --format "$format"
}

head_of() { # TEXT: what was measured, followed by the machine
    echo "$1"
    machine
    echo "Times are medians; [..] are 95 % confidence intervals. Native MPICH runs with the lab's yield shim."
}
