#!/usr/bin/env bash
# Rank mappings of `attune model map` as rank files of Open MPI: every rank runs on the host that the
# file specifies.
set -u
. "$(dirname "$0")/lib.bash"
enter_box "$@"
flavours | grep -q openmpi || skip_all "no Open MPI"

# A launcher that leaves the lab's own list of hosts (its first four words) for another one.
cat >launch <<'EOF'
#!/bin/sh
shift 4
exec mpirun.openmpi $PLACES "$@"
EOF
chmod +x launch
lab up 4@100M >/dev/null || skip_all "no lab"
lab status --format csv >/dev/null
hosts=$(lab run --mpi openmpi -- "$(probe openmpi)" hello | sort -n | cut -d' ' -f2 | paste -sd,)

places() { # FORMAT
    "$attune" model map allreduce/rabenseifner -p 8 --nodes 4 --map 0,1,2,3,3,2,1,0 --format "$1" "$hosts"
}
# Host of each rank, from the file and from the ranks themselves.
wanted_hosts() { # FORMAT
    case $1 in
    rankfile) sed -n 's/^rank [0-9]*=\([^ ]*\) slot=.*/\1/p' places ;;
    hostfile) grep -v '^#' places ;;
    esac
}
ranks_are_there() { # FORMAT OPTIONS
    places "$1" >places && wanted_hosts "$1" >wanted && [ "$(wc -l <wanted)" = 8 ] &&
        PLACES="$2" timeout 300 "$attune" lab run -n 8 --mpi openmpi --mpirun "$PWD/launch" -- \
            "$(probe openmpi)" hello >out 2>err
    sort -n out | cut -d' ' -f2 >got
    diff wanted got || { cat places out err; return 1; }
}
check "a rankfile" ranks_are_there rankfile "--rankfile $PWD/places"
check "a hostfile for the sequential mapper" ranks_are_there hostfile "--map-by seq --hostfile $PWD/places"
different() { places rankfile >ranks && cut -d' ' -f2 ranks | sort -u | wc -l | grep -qx 9; }
check "every rank has a line of its own" different
lab down >/dev/null
finish
