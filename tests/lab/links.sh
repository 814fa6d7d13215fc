#!/usr/bin/env bash
# The links of a lab behave as the topology specifies: messages cross them, at their rates, with their
# delays; only ranks of one host share memory.
set -u
. "$(dirname "$0")/lib.bash"
enter_box "$@"
[ -n "$(flavours)" ] || skip_all "no MPI"
# Ranks that wait, of which there are more than cores, must not keep a core from those that send.
cc -O2 -shared -fPIC -o polite.so "$ATTUNE_SOURCE/tests/mpi/polite/polite.c" -ldl || exit 4
run() { timeout 300 "$attune" lab run -x LD_PRELOAD="$PWD/polite.so" "$@"; }
payload=0.9564 # bytes of a message in a full frame: 1448 of 1514

# Sends 5 times 400 KB from rank to rank; crossed NODE WAY is then what crossed the link of a node.
send() { # FLAVOUR FROM TO
    lab status --links --format csv >before
    run -- "$(probe "$1")" bulk "$2" "$3" 400000 >/dev/null
    lab status --links --format csv >after
}
crossed() { echo $(($(bytes "$1" "$2" after) - $(bytes "$1" "$2" before))); }
all() { test "$(crossed "$1" "$2")" -gt 2000000; }
none() { test "$(crossed "$1" "$2")" -lt 300000; }

# Megabits per second on the link; the best of a few jobs, for machines that are busy otherwise.
link_rate() { # PROBE-ARGUMENTS ...
    local bytes=${!#} best=0
    for _ in {1..12}; do
        best=$(run -- "$program" "$@" | awk -v n="$bytes" -v f=$payload -v b="$best" \
            '{ r = n * 8e-6 / f / $1; print (r > b ? r : b) }')
        near "$best" "$wanted" 5 >/dev/null && break
    done
    echo "$best"
}

# Microseconds there and back; the best of a few jobs, until one is below LIMIT.
delay() { # LIMIT FROM TO
    local best=1e9
    for _ in {1..12}; do
        best=$(run -- "$program" ping "$2" "$3" | awk -v b="$best" '{ print ($1 < b ? $1 : b) }')
        awk -v a="$best" -v b="$1" 'BEGIN { exit !(a < b) }' && break
    done
    echo "$best"
}

# ---- where messages go: ranks 0, 1 on n0, 2, 3 on n1, both below s0; 4 to 7 below s1 ----

lab up '2@50M x 2@100M;ranks=2' >/dev/null || skip_all "no lab"
for flavour in $(flavours); do
    send "$flavour" 0 4
    check "$flavour: between switches they leave the host" all n0 up
    check "$flavour: leave the switch" all s0 up
    check "$flavour: arrive at the other" all s1 down
    check "$flavour: arrive at the host" all n2 down
    check "$flavour: and nowhere else" none n3 down
    send "$flavour" 0 2
    check "$flavour: below a switch they leave the host" all n0 up
    check "$flavour: but not the switch" none s0 up
    send "$flavour" 0 1
    check "$flavour: inside a host they stay there" none n0 up
done
# ---- rates ----

program=$(probe "$(flavours | tail -n 1)")
wanted=100
check "100 Mbit/s below a switch" near "$(link_rate bulk 0 2 3000000)" 100 5
wanted=50
check "50 Mbit/s between switches" near "$(link_rate bulk 0 4 2000000)" 50 5
lab down >/dev/null
# Each piece waits for the one that comes: a busy machine keeps up with slow links.
lab up '2@10M' >/dev/null
wanted=10
check "10 Mbit/s in both directions at once" near "$(link_rate both 0 1 400000)" 10 8
lab down >/dev/null

# ---- delays ----

if [ -r /dev/net/tun ] && [ -w /dev/net/tun ]; then
    lab up '2@50M+10ms x 2@100M' >/dev/null
    check "two links of 10 ms: 40 ms there and back" near "$(delay 43000 0 3)" 40000 10
    check "none below a switch" test "$(delay 5000 0 1 | cut -d. -f1)" -lt 5000
    lab down >/dev/null
    lab up '2@100M+2ms' >/dev/null
    check "delays at hosts" near "$(delay 8600 0 1)" 8000 10
    lab down >/dev/null
else
    skip "delays" "/dev/net/tun may not be used"
fi

# ---- ranks of a host that are not neighbours ----

printf 'SwitchName=s0 Nodes=n[0-2] LinkSpeed=100\n#attune ranks=n0,n1,n0,n2,n1\n' >mixed.conf
lab up mixed.conf >/dev/null
for flavour in $(flavours); do
    send "$flavour" 0 2
    check "$flavour: they share memory too" none n0 up
    send "$flavour" 0 3
    check "$flavour: but not with others" all n0 up
done
lab down >/dev/null

# ---- size ----

check "64 hosts" lab up '8x8@100M'
check "reach each other" same "$(lab exec n63 -- getent hosts n0 | awk '{ print $1 }')" 10.64.0.1
check "down" lab down
finish
