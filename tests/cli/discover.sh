#!/usr/bin/env bash
# attune topo discover with a substitute for a launcher; tests/lab measures real links.
. "$(dirname "$0")/lib.sh"

# ---- usage errors ----
holds 'Measure which hosts share which links' attune topo discover --help
fails 2 'attune: no launcher; add it after --*' attune topo discover
fails 2 'attune: --time 1: must be an integer from 5 to 10000' \
    attune topo discover --time 1 -- true
fails 2 'attune: --flows 2: must be an integer from 4 to 1024' \
    attune topo discover --flows 2 -- true
fails 4 'attune: launcher mpirun.nowhere: No such file or directory*' \
    attune topo discover -- mpirun.nowhere -n 2

# ---- jobs ----
if ! compgen -G "$(dirname "$attune")/../libexec/attune/openmpi/discover_exec" >/dev/null; then
    skip "jobs" "Attune was built without Open MPI"
    finish
fi
run() { attune topo discover --mpi openmpi "$@" -- ./launch -n 5; }
cat >good <<'EOF'
attune-discover 1
job 5 4 Some MPI 1.0
host a0
host a1
host b0
host b1
rank 0
rank 1
rank 2
rank 3
rank 3
progress 0.50
node 4 95000000 95000000 1 0.000000000 1.000
node 4 95000000 95000000 1 0.000000000 1.000
node 5 95000000 95000000 1 0.000000000 1.000
node 5 95000000 95000000 1 0.000000000 1.000
node 5 47500000 47000000 1 0.010000000 0.900
node -1 0 0 0 0.000000000 0.000
remark the network was busy
effort 77 6 1
end
EOF
launcher 'printf "%s\n" "$@" >words; cat good'

golden_file() { run -o found.conf >out 2>err && diff - <(sed '2,4d' found.conf) <<'EOF'; }
#attune topology 1
SwitchName=top Switches=s0 LinkSpeed=50 #attune delay=10ms
SwitchName=top Nodes=b[0-1] LinkSpeed=100
SwitchName=s0 Nodes=a[0-1] LinkSpeed=100
#attune ranks=a[0-1],b0,b1*2
EOF
check "the topology is written" golden_file
origin() { sed -n 2,4p found.conf | tr '\n' ' ' | grep -q \
    '^# measured by attune topo discover .* # launcher: ./launch -n 5 # Some MPI 1.0; 77 sets of'; }
check "the topology has its provenance" origin
holds '5 ranks on 4 hosts, 2 switches' attune topo show found.conf
reported() { grep -q '^4 hosts with 5 ranks in 2 groups: 77 sets of transfers, 6 round trips' err &&
    grep -qE '^s0 +2 +100M +50M +top +10ms +90 % +a\[0-1\]$' err &&
    grep -qx 'note: the network was busy' err; }
check "the report" reported
handed() { run --time 20 --flows 6 --seed 9 --trace -q >/dev/null 2>err && [ ! -s err ] &&
    tr '\n' ' ' <words | grep -q '/discover_exec --seed 9 --flows 6 --time 20 --trace $'; }
check "options are passed, and -q prints nothing" handed
to_stdout() { diff <(run 2>/dev/null | sed 2d) <(sed 2d found.conf); }
check "without -o, the topology is written to standard output" to_stdout
if command -v script >/dev/null; then
    check "progress on a terminal" shows_progress 11 '50 %.*4 hosts' "topo discover --mpi openmpi -o found.conf"
else
    skip "progress on a terminal" "no script command"
fi

# ---- failing jobs ----
launcher 'echo "no licence" >&2; exit 7'
fails 4 '*no licence*attune: the job failed: ./launch returned exit code 7;*' run
launcher 'exit 0'
fails 4 'attune: the measuring job ended without a word*' run
launcher 'head -n 20 good'
fails 4 'attune: the measuring job ended before it was finished' run
launcher 'head -n 12 good; echo garbage; sleep 60'
fails 4 "attune: the measuring job printed 'garbage', which makes no sense here*" run
launcher 'sed "s/^node -1.*/node 4 0 0 0 0 0/" good'
fails 4 "attune: the measuring job printed 'end', which makes no sense here*" run
launcher 'sed "s/^node 5 47.*/node 4 1 1 1 0 1/" good'
fails 4 "attune: the measuring job printed 'end', which makes no sense here*" run
launcher 'cat good; touch ran'
fails 4 'attune: nowhere/t.conf: cannot be written: No such file or directory; *' run -o nowhere/t.conf
check "the file is checked before measuring" test ! -e ran
untouched() { echo old >kept && launcher 'head -n 9 good' && ! run -o kept 2>/dev/null &&
    [ "$(cat kept)" = old ]; }
check "a failed measurement does not change the file" untouched
finish
