#!/usr/bin/env bash
# attune calibrate: usage, dry run, listing and removing entries, invalid files; tests/mpi/run-calibrate
# measures in real jobs.
. "$(dirname "$0")/lib.sh"
unset HOME XDG_DATA_HOME

# ---- usage errors ----
holds 'Measure the hosts of a launcher once, for all later jobs' attune calibrate --help
fails 2 'attune: HOME and XDG_DATA_HOME are not set; add --store FILE' attune calibrate -- true
export XDG_DATA_HOME=$work/data
store=$XDG_DATA_HOME/attune/calibration
fails 2 'attune: no launcher; add it after --*' attune calibrate
fails 2 'attune: --system and --store name different files; omit one' \
    attune calibrate --system --store x -- true
fails 2 'attune: --seconds 0: must be*' attune calibrate --seconds 0 -- true
fails 2 'attune: nothing to forget is named; add a launcher after --*' attune calibrate --forget
fails 2 'attune: --hosts and a launcher both name hosts; omit one' attune calibrate --show --hosts a -- true
fails 3 "attune: list of names 'a\[' has*" attune calibrate --show --hosts 'a['
fails 3 'attune: nowhere.conf: *' attune calibrate --topology nowhere.conf -- true
fails 4 'attune: launcher mpirun.nowhere: No such file or directory*' attune calibrate -- mpirun.nowhere -n 2
nothing_written() { [ ! -e "$XDG_DATA_HOME" ]; }
check "errors write nothing" nothing_written

# ---- entries ----
entry() { # HOSTS MACHINE FABRIC RANKS DAY
    printf '%s\n' "entry $1" "machine $2" "fabric $3" "ranks $4" "date 2026-02-$5" 'parameters' '| attune-machine 1' \
        '| channel memory' '|   overhead below=0.5 eager=4K from=1' '|   table transfer 1' '|     1K 0.1' '| end'
}
some() {
    echo 'attune-calibration 1'
    entry 'n[0-3]' some-mpi-1.0-00000001 ethernet 1 01
    entry 'n[0-3]' some-mpi-1.0-00000001 ethernet 2 02
    entry 'n[0-3]' other-mpi-2.0-00000001 mlx5 '*' 03
    entry 'node*' some-mpi-1.0-00000001 ethernet 1 04
    sketch
    echo end
}
sketch() { # a topology that a job has sketched
    printf '%s\n' 'entry s[0-1]' 'machine some-mpi-1.0-00000001' 'fabric ethernet' 'ranks 1' 'date 2026-02-05' topology \
        '| SwitchName=top Nodes=s[0-1]'
}
golden calibrate_empty.out 0 attune calibrate --show --format csv
mkdir -p "$(dirname "$store")"
some >"$store"
golden calibrate_show.out 0 attune calibrate --show --format csv
golden calibrate_hosts.out 0 attune calibrate --show --hosts 'n[1-2]' --format csv
golden calibrate_pattern.out 0 attune calibrate --show --hosts node17 --format csv
some | sed 's/ranks 2/ranks two/' >bad
fails 3 'attune: bad:17: ranks two is no number of ranks per host*' attune calibrate --show --store bad
some | sed 's/  table/  tabel/' >bad
fails 3 'attune: bad:11: *' attune calibrate --show --store bad
ATTUNE_CALIBRATION=$work/bad fails 3 "attune: $work/bad:11: *" attune calibrate --show
fails 3 'attune: bad:11: *' attune calibrate --store bad --forget --hosts n0
fails 3 'attune: bad:11: *' attune calibrate --store bad -- true

# ---- attune run checks the file that it is given ----
fails 3 'attune: bad:11: *' attune run --calibration bad -- true
fails 3 'attune: none: *' attune run --calibration none -- true
accepted() { attune run --dry-run "--calibration=$1" -- true | grep -qF "ATTUNE_CALIBRATION=$2 "; }
check "attune run passes an absolute path" accepted data/attune/calibration "$store"
check "attune run accepts off" accepted off off
check "attune run accepts auto" accepted auto auto

# ---- forget ----
left() { grep -c '^entry' "$store"; }
forgets() { # LEFT WORDS ...
    attune calibrate --forget "${@:2}" 2>err && [ "$(left)" = "$1" ] || { cat err; left; return 1; }
}
check "hosts without an entry remove nothing" forgets 5 --hosts m7
check "the entry of a pattern is removed" forgets 4 --hosts node1
check "one entry of each machine is removed" forgets 2 --hosts 'n[0-1]'
check "the number is reported" grep -qx "2 entries removed from $store" err
check "all entries are removed" forgets 0 --hosts '*'

# ---- jobs ----
if ! compgen -G "$(dirname "$attune")/../libexec/attune/openmpi/discover_exec" >/dev/null; then
    skip "jobs" "Attune was built without Open MPI"
    finish
fi
some >"$store"
job() { # HOST ...: what a job there prints, one rank for each
    printf '%s\n' 'attune-discover 1' "job $# $# Some MPI 1.0"
    printf 'host %s\n' "$@"
    seq -f 'rank %g' 0 $(($# - 1))
    printf '%s\n' 'place some-mpi-1.0-00000001 ethernet' end
}
job n3 n1 n2 n0 >good
launcher 'printf "%s\n" "$@" >>words; cat good'
run() { attune calibrate --mpi openmpi "$@" -- ./launch -n 4; }
golden calibrate_plan.out 0 run --dry-run --quiet --format csv
described() { run --dry-run 2>&1 >out | grep -qx '4 ranks on 4 hosts (n\[0-3\]), Some MPI 1.0, ethernet'; }
check "the dry run names hosts and MPI" described
only_identified() { [ "$(sort -u words | grep '^--')" = --identify ]; }
check "the dry run measures nothing" only_identified
golden calibrate_used.out 0 run --show --format csv
fails 2 'attune: --hosts n\[0-2\]: does not include host n3 of the job' run --hosts 'n[0-2]'
job m0 m1 >good
explained() { run --show 2>err >out && grep -qx \
    'attune: a job would use none of them: host m0 of rank 0 is in no entry with the others' err; }
check "the reason is printed if no entry applies" explained
job alone >good
fails 2 'attune: a calibration needs at least two ranks*' run
printf '%s\n' 'attune-discover 1' 'job 2 1 Some MPI 1.0' 'host a' 'rank 0' 'rank 0' end >good
fails 4 'attune: *' run --dry-run
finish
