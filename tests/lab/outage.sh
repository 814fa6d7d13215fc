#!/usr/bin/env bash
# A link of an emulated cluster that is down for two seconds during a job: TCP repeats what was lost, natively and under
# Attune.  The job must end, and every value must be right.
set -u
. "$(dirname "$0")/lib.bash"
enter_box "$@"
[ -n "$(flavours)" ] || skip_all "no MPI"

link() { lab exec "$1" -- ip link set dev eth0 "$2"; } # HOST up|down
has_started() { grep -q started output; }
# Segments that the hosts have sent again.
repeated() {
    local host
    for host in n0 n1 n2 n3; do
        lab exec "$host" -- awk '$1 == "Tcp:" && !found { for (i = 1; i <= NF; i++) if ($i == "RetransSegs") at = i
            found = 1; next } $1 == "Tcp:" { print $at }' /proc/net/snmp
    done | awk '{ n += $1 } END { print n }'
}

# The job ends once it has made a call after the outage.
survives() { # FLAVOUR HOSTS COMMAND ...
    local flavour=$1 hosts=$2 host job code before
    shift 2
    before=$(repeated)
    rm -f over && : >output
    timeout 500 "$@" "$attune" lab run --mpi "$flavour" -n 4 -- "$(probe "$flavour")" until "$PWD/over" >output 2>&1 &
    job=$!
    wait_for has_started
    for host in $hosts; do link "$host" down; done
    sleep 2
    for host in $hosts; do link "$host" up; done
    touch over
    wait $job
    code=$?
    echo "exit code $code, segments sent again: $before before, $(repeated) afterwards"
    tail -n 20 output
    [ $code = 0 ] && grep -q '^0 wrong values' output && [ "$(repeated)" -gt "$before" ]
}

export XDG_DATA_HOME=$PWD/data
valid() { [ ! -e "$XDG_DATA_HOME/attune/wisdom" ] || "$attune" wisdom show "$XDG_DATA_HOME/attune/wisdom"; }
with=("$attune" run --select online --budget 100000 --first 2 --)
lab up '2x2@100M' >/dev/null || skip_all "no lab"
for flavour in $(flavours); do
    check "$flavour: natively, a link is down for 2 s" survives "$flavour" n1 env
    [ -e "$ATTUNE_BUILD/lib/libattune-$flavour.so" ] || continue
    check "$flavour: under attune run" survives "$flavour" n1 "${with[@]}"
    check "$flavour: the link of rank 0" survives "$flavour" n0 "${with[@]}"
    check "$flavour: two links" survives "$flavour" "n1 n2" "${with[@]}"
    check "$flavour: wisdom is valid, if there is any" valid
done
lab down >/dev/null
finish
