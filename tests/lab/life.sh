#!/usr/bin/env bash
# Life cycle of labs: what `up` makes, `status` shows and `down` removes, also after a crash.
set -u
. "$(dirname "$0")/lib.bash"
enter_box "$@"

spaces() { ls /run/netns 2>/dev/null | tr '\n' ' '; }
kernel() { cat /proc/sys/net/ipv4/neigh/default/gc_thresh? /proc/sys/net/ipv4/tcp_allowed_congestion_control 2>/dev/null; }
# A killed process leaves its namespace before it closes its files.
no_delay() { ! pgrep -r D,R,S attune-delay >/dev/null; }
delays() {
    wait_for no_delay
    pgrep -c -r D,R,S attune-delay
}
before=$(kernel)

# ---- one lab ----

check "up" lab up '2x2@100M'
check "its namespaces" same "$(spaces)" "attune.lab attune.lab.frontend attune.lab.n0 attune.lab.n1 attune.lab.n2 attune.lab.n3 "
check "status" same "$(lab status --format csv)" "lab,state,hosts,switches,network,processes
lab,up,4,3,10.64.0.0/16,0"
check "its links" same "$(lab status --links --format csv | cut -d, -f1-6)" "node,kind,parent,address,bits_per_s,delay_us
s0,switch,core,,100000000,0
n0,host,s0,10.64.0.1,100000000,0
n1,host,s0,10.64.0.2,100000000,0
s1,switch,core,,100000000,0
n2,host,s1,10.64.0.3,100000000,0
n3,host,s1,10.64.0.4,100000000,0"
described() { # SCHEMA OPTION ...
    lab status "${@:2}" --format json >status.json && "$ATTUNE_SOURCE/tests/valid_json" "$1" status.json
}
if python3 -c 'import jsonschema' 2>/dev/null; then
    check "status as JSON" described lab-status
    check "its links as JSON" described lab-links --links
else
    skip "status as JSON" "no python3-jsonschema"
fi
check "a host has its name" same "$(lab exec n2 -- hostname)" n2
check "and its address" grep -q 'inet 10.64.0.3/16' <(lab exec n2 -- ip -4 addr show dev eth0)
check "and names for the others" grep -q '^10.64.0.2 ' <(lab exec n0 -- getent hosts n1)
check "and memory of its own" same "$(lab exec n0 -- sh -c 'echo x >/dev/shm/mine; ls /dev/shm'; lab exec n1 -- ls /dev/shm)" mine
check "the front end has a name too" same "$(lab exec frontend -- hostname)" frontend
gives "exec gives the command's code" 7 "" lab exec n0 -- sh -c 'exit 7'

# ---- two labs ----

gives "a name is taken only once" 3 "already exists" lab up '2x2@100M'
check "a second lab" lab up '4@100M' --name two
check "has its own network" grep -q 'inet 10.65.0.1/16' <(lab exec --name two n0 -- ip -4 addr show dev eth0)
gives "then a name is needed" 2 "--name" lab exec n0 -- true
gives "also to remove" 2 "--all" lab down
check "one goes" lab down --name two
check "the other stays" same "$(lab exec n3 -- hostname)" n3
check "and goes" lab down
check "nothing is left" same "$(spaces)$(ls /run/attune/lab)" ""
check "settings of the kernel are back" same "$(kernel)" "$before"
check "down without labs" lab down

# ---- what is not ours ----

touch /run/netns/attune.crash.n1 # as good as a namespace of this name that someone else made
mount --bind /proc/self/ns/net /run/netns/attune.crash.n1
gives "a name in use is refused" 4 "attune.crash.n1" lab up '4@100M' --name crash
check "and left alone" same "$(spaces)" "attune.crash.n1 "
check "even by down" same "$(lab down)$(spaces)" "no lab is upattune.crash.n1 "
umount /run/netns/attune.crash.n1 && rm /run/netns/attune.crash.n1

# ---- crashes ----

delayed=2x4@100M+1ms
[ -r /dev/net/tun ] && [ -w /dev/net/tun ] || delayed=2x4@100M
for pause in 0.01 0.03 0.06 0.12; do
    "$attune" lab up $delayed --name crash >/dev/null 2>&1 &
    sleep $pause
    kill -KILL $!
    wait $! 2>/dev/null
    [ ! -d /run/attune/lab/crash ] || lab down --name crash >/dev/null
    check "down after up was killed at $pause s" same "$(spaces)$(ls /run/attune/lab)$(delays)" 0
done
check "the kernel too" same "$(kernel)" "$before"
# A busy machine may let it come to its end first.
for pause in 0.03 0.01 0.003 0; do
    "$attune" lab up $delayed --name crash >up.out 2>&1 &
    sleep $pause
    kill -TERM $!
    wait $! || break
    lab down --name crash >/dev/null
done
check "an interrupted up removes what it made" same "$(spaces)$(ls /run/attune/lab)$(delays)" 0
mkdir /run/attune/lab/crash
printf 'attune-lab 1\nspace 1 attune.crash.n0\nspace 2 attune.crash.n1\nspace 3' >/run/attune/lab/crash/state
touch /run/netns/attune.crash.n0 && chmod 0 /run/netns/attune.crash.n0
lab down --name crash >/dev/null
check "down after up was killed between two steps" same "$(spaces)$(ls /run/attune/lab)" ""
mkdir -p /run/attune/lab/early
gives "an incomplete lab is reported" 0 "early,incomplete" lab status --format csv
gives "and not used" 4 "down --name early" lab exec --name early n0 -- true
check "but removed" lab down --name early

# ---- processes ----

lab up '2@100M' >/dev/null
lab exec n1 -- sleep 1000 &
sleeper=$!
is_inside() { lab status --format csv | grep -q ',1$'; }
wait_for is_inside
gives "a process inside is counted" 0 ",1" lab status --format csv
gives "and ended by down" 0 "1 processes" lab down
wait $sleeper 2>/dev/null
check "really" test $? -gt 128

# ---- bad input ----

gives "no topology" 2 "TOPOLOGY" lab up
gives "a bad topology" 3 "" lab up '4x4@100X'
gives "a file that is not there" 3 "" lab up no/such/file.conf
gives "a bad name" 2 "letters, digits" lab up 2@1M --name 'a b'
gives "a name that leaves the folder" 2 "letters, digits" lab up 2@1M --name ../x
gives "no such lab" 3 "no lab 'x'" lab down --name x
gives "no lab at all" 3 "attune lab up" lab run -- true
printf 'SwitchName=s0 Nodes=n0,$(reboot)\n' >odd.conf
gives "a strange host name" 3 "" lab up odd.conf
lab up '2@100M' >/dev/null
gives "no such host" 3 "no host 'n7'" lab exec n7 -- true
gives "no command" 2 "COMMAND" lab exec n0
gives "a command that is not there" 4 "no-such-command" lab exec n0 -- no-such-command
check "removed" lab down --all
if command -v setpriv >/dev/null && [ "$ATN_LAB_BOX" = root ]; then
    gives "without privileges" 4 "CAP_NET_ADMIN" \
        setpriv --reuid 65534 --regid 65534 --clear-groups "$attune" lab up 2@1M
fi
# With empty folders in the place of those where system programs are.
no_tools() {
    unshare --mount sh -c 'for folder in /usr/local/sbin /usr/sbin /sbin; do
        mount -t tmpfs none "$folder"; done; PATH=/nowhere exec "$0" lab up 2@1M' "$attune"
}
[[ $(command -v mount) == */sbin/* ]] ||
    gives "without iproute2" 4 "install the package iproute2" no_tools
check "nothing is left at the end" same "$(spaces)$(ls /run/attune/lab)" ""
finish
