#!/usr/bin/env bash
# `attune run -- attune lab run ...`: the launcher of the lab is recognised.
set -u
. "$(dirname "$0")/../tap.bash"
attune=$ATTUNE_BUILD/bin/attune
unset LD_PRELOAD "${!ATTUNE_R@}" ATTUNE_ALGORITHM
libraries=$ATTUNE_BUILD/lib
flavour=
for one in openmpi mpich; do
    [ -e "$libraries/libattune-$one.so" ] && flavour=$one
done
[ -n "$flavour" ] || {
    echo "1..0 # SKIP no MPI"
    exit 0
}
other=$([ $flavour = mpich ] && echo openmpi || echo mpich)
program=$ATTUNE_BUILD/labtests/$flavour/probe
library=$(realpath "$libraries/libattune-$flavour.so")

# run.sh tests the default selection.
prints() { # NAME TEXT WORDS OF THE COMMAND ...
    local name=$1 text=$2 out
    shift 2
    out=$("$attune" run --dry-run "$@" 2>&1 | sed 's/ATTUNE_SELECT=online //; s/ -x ATTUNE_SELECT//')
    [ "$out" = "$text" ] && tap_point "$name" yes || tap_point "$name" no "wanted: $text
output: $out"
}

prints "variables come first" \
    "ATTUNE_REPORT=1 attune lab run -x LD_PRELOAD=$library -x ATTUNE_REPORT -n4 -- $program a -x b" \
    --report -- attune lab run -n4 -- "$program" a -x b
prints "by its full path, after a wrapper, without --" \
    "timeout 9 /x/attune lab run -x LD_PRELOAD=$library --name two -n 4 $program" \
    -- timeout 9 /x/attune lab run --name two -n 4 "$program"
for given in "-x LD_PRELOAD=mine.so" "--env LD_PRELOAD=mine.so" --env=LD_PRELOAD=mine.so; do
    # shellcheck disable=SC2086
    prints "keeps $given" "attune lab run -x LD_PRELOAD=$library:mine.so -- $program" \
        -- attune lab run $given -- "$program"
done
prints "its --mpi is used for scripts" "attune lab run -x LD_PRELOAD=$library --mpi $flavour -- /bin/sh" \
    -- attune lab run --mpi $flavour -- /bin/sh
check_fails "its --mpi must match the program" "launcher of its MPI library" \
    "$attune" run --dry-run -- attune lab run --mpi $other -- "$program"
check_fails "--mpi of attune run must match too" "attune lab run is a launcher of $flavour" \
    "$attune" run --dry-run --mpi $other -- attune lab run --mpi $flavour -- "$program"
finish
