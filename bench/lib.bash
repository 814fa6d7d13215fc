# lib.bash - shared by the benchmark scripts: the MPIs that were built, and how to start a job.
# shellcheck shell=bash
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD:-$top/build}
attune=$build/bin/attune
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export XDG_DATA_HOME=$build/results/data # the user's wisdom is neither read nor changed

# The comment at the head of a benchmark.
usage() { sed -n '2,/^[^#]/{/^[^#]/d; s/^# \{0,1\}//p}' "$0"; }
[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit 0; }

# The flavours that were built.
flavours() {
    for f in openmpi mpich; do
        [ -x "$build/bench/$f/compare" ] && echo "$f"
    done
}

# launch FLAVOUR RANKS ATTUNE-OPTIONS... -- PROGRAM ARGUMENTS...
launch() {
    local flavour=$1 ranks=$2 options=()
    shift 2
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    local launcher=("mpirun.$flavour" -n "$ranks")
    [ "$flavour" = openmpi ] && launcher+=(--oversubscribe)
    "$attune" run "${options[@]}" -- "${launcher[@]}" "$@"
}

# The machine, printed above a table.
machine() {
    printf '%s, %s cores, %s\n' "$(uname -m)" "$(nproc)" \
        "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
}
