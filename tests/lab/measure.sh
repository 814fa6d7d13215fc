#!/usr/bin/env bash
# attune measure on emulated clusters: channels by level, one rank on each host and several, rates of
# the links, and processors that hosts share.
set -u
. "$(dirname "$0")/lib.bash"
enter_box "$@"
[ -n "$(flavours)" ] || skip_all "no MPI"
flavour() { flavours | sed -n "$(($1 % $(flavours | wc -l) + 1))p"; } # NUMBER

measured() { # TOPOLOGY NUMBER
    lab up "$1" >/dev/null || return 1
    timeout 500 "$attune" measure --time 8 -o machine -- "$attune" lab run --mpi "$(flavour "$2")" 2>err
    local code=$?
    [ $code = 0 ] || cat err
    lab down >/dev/null
    return $code
}
value() { # CHANNEL LINE KEY
    awk -v channel="$1" -v line="$2" -v key="$3" '
        $1 == "channel" { here = $2 == channel }
        here && $1 == line { for (i = 2; i <= NF; i++) if (sub("^" key "=", "", $i)) { sub(/~.*/, "", $i); print $i } }' machine
}
has() { grep -q "$1" machine || { cat machine; return 1; }; }
# 100 Mbit/s carry 11.86 MB/s; the machine may be busy.
rates() { rate switch && rate core; }
rate() { near "$(value "$1" path rate)" 11.86 25; }

lab up 2@100M >/dev/null || skip_all "no lab"
lab down >/dev/null
check "two switches of two hosts" measured 2x2@100M 0
for _ in 1 2; do # a busy machine gets another chance
    rates >/dev/null && break
    measured 2x2@100M 0 >/dev/null
done
check "a channel for each level" has '^channel core'
check "hosts that share processors" has '^hosts .*processors='
check "no memory was measured" has '^memory: no host has two ranks'
check "the rate of the links" rate switch
check "the rate over both switches" rate core
check "two hosts with two ranks" measured '2@100M;ranks=2' 1
check "two at once in memory and between hosts" has 'table transfer 1 2'
check "the shared memory of a host was measured" has '^channel shared'
check "the memory was measured" test -n "$(value memory overhead below)"
finish
