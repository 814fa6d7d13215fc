#!/usr/bin/env bash
# Jobs on unknown hosts measure their network: a first topology (docs/online-tuning.md).
set -u
. "$(dirname "$0")/lib.bash"
enter_box "$@"
[ -n "$(flavours)" ] || skip_all "no MPI"

# A job that is not given the topology of the lab.  The budget allows the measurement at once.
program=(loop bcast 65536 60 0)
job() { # MPI ATTUNE-OPTIONS ...
    local mpi=$1
    shift
    ATTUNE_WISDOM=off "$attune" run --verbose --calibration "${store:-off}" --budget 100 "$@" -- "$attune" lab run --no-topology --mpi "$mpi" -- \
        "$ATTUNE_BUILD/bench/$mpi/${program[0]}" "${program[@]:1}" </dev/null
}

# A busy machine gets another chance.
reports() { # MPI PATTERN
    local try
    for try in 1 2 3 4 5 6; do
        job "$1" >out 2>log || { cat log; return 1; }
        # shellcheck disable=SC2254
        case $(grep "sets of transfers" log) in $2) return ;; esac
        cat log
    done
    return 1
}
does_not_measure() { # MPI ATTUNE-OPTIONS ...
    job "$@" >out 2>log && ! grep "sets of transfers" log
}

lab up 2@100M >/dev/null || skip_all "no lab"
lab down >/dev/null
lab up '2x3@100M;order=roundrobin' >/dev/null
for mpi in $(flavours); do
    check "$mpi: two switches of three hosts" reports "$mpi" \
        '*: 6 hosts, 3 on each switch, links * and *; * sets of transfers in *'
done
mpi=$(flavours | head -n 1)
program=(sparse ring 64 60) # whose sizes differ between ranks
check "$mpi: for alltoallv, too" reports "$mpi" '*: 6 hosts, 3 on each switch, *'
program=(loop bcast 65536 60 0)
store=auto
export XDG_DATA_HOME=$PWD/data
check "the topology is stored" reports "$mpi" '*: 6 hosts, 3 on each switch, *'
check "... with the hosts" grep -q '^entry n\[0-5\]$' data/attune/calibration
check "... and the next job uses it" does_not_measure "$mpi"
check "... which --verbose reports" grep -q 'calibration: n\[0-5\]' log
unset store
check "a topology that is given is not measured" does_not_measure "$mpi" --topology '2x3@100M;order=roundrobin'
check "nothing is measured without a budget" does_not_measure "$mpi" --budget 0
check "nothing is measured for fixed algorithms" does_not_measure "$mpi" --algorithm bcast=binomial
lab down >/dev/null
lab up 4@100M >/dev/null
check "$mpi: one switch" reports "$mpi" '*: 4 hosts on one switch, *; * sets of transfers in *'
lab down >/dev/null
finish
