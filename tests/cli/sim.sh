#!/usr/bin/env bash
# `attune sim` without a simulator: rejected commands.  A substitute for smpirun shows the files.
. "$(dirname "$0")/lib.sh"
mkdir bin tmp
export PATH=$PWD/bin:/usr/bin:/bin TMPDIR=$PWD/tmp

fails 2 "*no program to run*" attune sim --platform 4
fails 2 "*no platform*--platform 4x4@10G" attune sim -- /bin/true
fails 3 "*not a number of switches or hosts*" attune sim --platform 4xx -- /bin/true
fails 3 "*nosuch.conf*" attune sim --platform nosuch.conf -- /bin/true
fails 2 "*5 ranks do not fit: 2x2 has 4 hosts with 1 ranks each*--ranks-per-host 2" \
    attune sim --platform 2x2 -n 5 -- /bin/true
fails 2 "*9 ranks do not fit*--ranks-per-host 3" \
    attune sim --platform 2x2 --ranks-per-host 2 -n 9 -- /bin/true
fails 2 "*'a b' is empty or contains a blank*" attune sim --platform 2 -- /bin/true 'a b'
fails 2 "*native*must be one of ompi, mpich, mvapich2, impi*" \
    attune sim --platform 2 --native lam -- /bin/true
fails 2 "*ATTUNE_TRACE is not available in simulated jobs*" \
    env ATTUNE_TRACE=folder "$attune" sim --platform 2 -- /bin/true
fails 4 "*no/smpirun: No such file*install SimGrid*" \
    attune sim --platform 2 --smpirun no/smpirun -- /bin/true
fails 2 "*'attune sim' takes the options of 'attune run' itself*" \
    attune run -- attune sim --platform 2 -- /bin/true

printf '#!/bin/sh\nexit 0\n' >bin/smpirun
chmod +x bin/smpirun
fails 4 "*program ./nosuch: No such file*" attune sim --platform 2 -- ./nosuch
fails 4 "*program /bin/true was not built for SimGrid*smpicc*pkg-config*attune-smpi*" \
    attune sim --platform 2 -- /bin/true
fails 4 "*program ./script was not built for SimGrid*" \
    bash -c 'printf "#!/bin/sh\n" >script; chmod +x script; exec "$0" sim --platform 2 -- ./script' "$attune"
check "nothing is left" test -z "$(ls tmp)"

# A folder cannot be created.
fails 4 "*/nowhere/x: the folder cannot be created*" bash -c '
    command -v gcc >/dev/null || { echo "/nowhere/x: the folder cannot be created" >&2; exit 4; }
    mkdir -p lib && echo "int simulated;" | gcc -shared -fPIC -Wl,-soname,libsimgrid.so.3 -x c - -o lib/libsimgrid.so
    echo "extern int simulated; int main(void) { return simulated; } const char *attune_active(void) { return \"\"; }" |
        gcc -shared -fPIC -x c - -o simulated -Llib -lsimgrid
    exec "$0" sim --platform 2 --folder /nowhere/x -- ./simulated' "$attune"

# What the simulator gets.
cat >bin/smpirun <<'F'
#!/bin/sh
echo "$@" >>calls
env | grep ^ATTUNE >variables
while [ "$1" != -hostfile ]; do shift; done
cat "$2"
exit 7
F
sim() { attune sim --platform '2x2@1G' "$@" -- ./simulated; }
mapped() { # ORDER HOSTS OPTION ...
    local order=$1 wanted=$2
    shift 2
    [ "$(sim --hosts-order "$order" "$@" | paste -sd' ')" = "$wanted" ] || { sim --hosts-order "$order" "$@"; return 1; }
}
if [ -e simulated ]; then
    check "block mapping" mapped block "n0 n1 n2 n3"
    check "cyclic mapping" mapped cyclic "n0 n2 n1 n3"
    check "cyclic mapping of two ranks on each host" mapped cyclic "n0 n2 n1 n3 n0 n2" --ranks-per-host 2 -n 6
    check "block mapping of two ranks on each host" mapped block "n0 n0 n1 n1 n2" --ranks-per-host 2 -n 5
    check "random mapping: every host" test "$(sim --hosts-order random | sort | paste -sd' ')" = "n0 n1 n2 n3"
    sim --hosts-order random --ranks-per-host 8 >one
    sim --hosts-order random --ranks-per-host 8 >two
    sim --hosts-order random --ranks-per-host 8 --seed 2 >three
    check "random mapping: the same with the same seed" cmp one two
    check "random mapping: another with another seed" bash -c '! cmp -s one three'
    check "the mapping of the platform" test "$(attune sim --platform '2x2;order=roundrobin' -- ./simulated | paste -sd' ')" = "n0 n2 n1 n3"
    fails 7 "" bash -c '"$0" sim --platform 2 -- ./simulated >/dev/null' "$attune"
    sim --algorithm allreduce=ring --native mpich --cfg network/crosstraffic:no --folder kept >/dev/null
    check "options of SimGrid" grep -q 'coll-selector:mpich --cfg=network/crosstraffic:no' calls
    check "the platform is kept" grep -q 'zone id="zone-s0"' kept/platform.xml
    check "the topology for Attune" grep -q "ATTUNE_TOPOLOGY=$PWD/kept/topology.conf" variables
    check "the machine for Attune" grep -q "ATTUNE_MACHINE=$PWD/kept/machine" variables
    check "a valid machine" attune model check kept/machine
    check "a channel for each level" test "$(grep ^channel kept/machine | paste -sd' ')" = "channel memory channel switch channel level2"
    check "overheads of messages" grep -q 'processor message=0.501' kept/machine
    check "messages as simulated" grep -q '^hosts framing=0.94 simulated=1$' kept/machine
    check "wisdom is not used" grep -qx 'ATTUNE_WISDOM=off' variables
    check "settings" grep -qx 'ATTUNE_ALGORITHM=allreduce=ring' variables
    sim --cfg smpi/ois:0:0.000003:0 --cfg smpi/send-is-detached-thresh:65536 --folder other >/dev/null
    check "the machine follows --cfg" bash -c 'grep -q "processor message=3.001" other/machine && grep -q eager=64K other/machine'
    sim --machine kept/machine --folder other >/dev/null
    check "a given machine is used" grep -q "ATTUNE_MACHINE=$PWD/kept/machine" variables
    check "a temporary folder is removed" test -z "$(ls tmp)"
else
    skip "what the simulator gets" "gcc is missing"
fi
finish
