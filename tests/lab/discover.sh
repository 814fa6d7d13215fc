#!/usr/bin/env bash
# attune topo discover on emulated links: the groups of hosts below one switch are those of the lab.
set -u
. "$(dirname "$0")/lib.bash"
enter_box "$@"
[ -n "$(flavours)" ] || skip_all "no MPI"
flavour_of() { flavours | sed -n "$(($1 % $(flavours | wc -l) + 1))p"; } # NUMBER

# The hosts of each switch, a line each.
groups() { # FILE
    "$attune" topo show "$1" --all --format csv |
        awk -F, '$2 == "host" { print $4, $1 }' | sort -V |
        awk '{ of[$1] = of[$1] " " $2 } END { for (s in of) print of[s] }' | sort -V
}

# Which hosts are below one switch must come out alike; a busy machine gets another chance, with
# longer transfers.
found() { # TOPOLOGY NUMBER
    local time
    "$attune" topo convert "$1" >true.conf && lab up "$1" >/dev/null || return 1
    for time in 30 80 120; do
        timeout 500 "$attune" topo discover --time $time -o found.conf -- \
            "$attune" lab run --mpi "$(flavour_of "$2")" >log 2>&1 &&
            "$attune" topo show found.conf >shown && same "$(groups found.conf)" "$(groups true.conf)" &&
            break
        cat log found.conf
        false
    done
    local code=$?
    lab down >/dev/null
    return $code
}

cat >unequal.conf <<'EOF'
SwitchName=core Switches=s[0-2] LinkSpeed=100
SwitchName=s0 Nodes=n[0,5] LinkSpeed=100
SwitchName=s1 Nodes=n[1-4,6] LinkSpeed=100
SwitchName=s2 Nodes=n[7-9] LinkSpeed=100
#attune ranks=n[0-9]
EOF

lab up 2@100M >/dev/null || skip_all "no lab"
lab down >/dev/null
check "4 switches of 4 hosts" found 4x4@100M 0
check "cyclic mapping, two ranks per host" found '4x3@100M;order=roundrobin;ranks=2' 1
check "a row of switches, slower links between them" found 'chain:3@60M x3@100M' 0
check "groups of different size" found unequal.conf 1
if [ -r /dev/net/tun ] && [ -w /dev/net/tun ]; then
    check "two sites, 10 ms apart" found 'chain:2@100M+10ms x3@100M' 0
else
    skip "two sites, 10 ms apart" "/dev/net/tun cannot be used: no delay lines"
fi
finish
