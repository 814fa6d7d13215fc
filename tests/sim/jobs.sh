#!/usr/bin/env bash
# attune sim: hosts, exit codes, selection by the planner at 64 ranks; bench, measure and tune behind it.
. "$(dirname "$0")/lib.bash"
export TMPDIR=$box/tmp
mkdir tmp

# ---- jobs ----

places() { # HOSTS OPTION ...
    local wanted=$1
    shift
    "$attune" sim "$@" -- "$programs/places" >out 2>err
    [ "$(sort -n out | cut -d' ' -f2 | paste -sd' ')" = "$wanted" ] && [ ! -s err ] || { cat out err; return 1; }
}
check "hosts of the ranks, without other output" places "n0 n2 n1 n3" --platform 2x2@1G --hosts-order cyclic
check "two ranks on each host" places "n0 n0 n1 n1" --platform '2@1G;ranks=2'
check "a switch below a switch below a switch" places "n0 n1 n2 n3 n4 n5 n6 n7" --platform 2x2x2@1G
check "one host" places "this this" --platform hosts:this --ranks-per-host 2
ends_with() { # CODE
    "$attune" sim --platform 4@1G -- "$programs/places" "$1" >out 2>&1
    local code=$?
    [ $code = "$1" ] || { echo "exit code $code"; cat out; return 1; }
}
check "exit code of the job" ends_with 3
killed() {
    "$attune" sim --platform 4@1G -- "$programs/endless" >out 2>&1 &
    local pid=$!
    wait_for grep -q started out
    kill -TERM $pid
    wait $pid
    [ $? = 143 ] && ! pgrep -f "$box/tmp" >/dev/null || { cat out; return 1; }
}
check "a signal ends the job" killed

# ---- set-up of communicators ----

# SMPI sets up a communicator in its first bcast: by messages between every two ranks, unless that is replaced.
printf '#!/bin/sh\nunset LD_PRELOAD\nexec smpirun "$@"\n' >plain
chmod +x plain
ended() { # OPTION ...: prints the simulated microseconds of a job
    "$attune" sim --platform 8x8@10G+1us --native mvapich2 --off "$@" -- "$programs/first" 2>err | grep . ||
        { cat err >&2; return 1; }
}
quick_set_up() {
    local with without
    with=$(ended) && without=$(ended --smpirun ./plain) || return 1
    awk -v a="$with" -v b="$without" 'BEGIN { exit !(2 * a < b) }' || { echo "$with us instead of $without us"; return 1; }
}
check "communicators are set up in few rounds" quick_set_up

# Detached messages are in a table instead of a list of SimGrid; simulated times remain the same.
exchanged() { # OPTION ...
    "$attune" sim --platform 8x8@10G+1us --off "$@" -- "$programs/linear" 2>err | grep ' us, 0 wrong$' ||
        { cat err >&2; return 1; }
}
same_times() {
    local with without
    with=$(exchanged) && without=$(exchanged --smpirun ./plain) && [ "$with" = "$without" ] ||
        { echo "$with instead of $without"; return 1; }
}
check "thousands of messages at once take the same time as without what is preloaded" same_times

# ---- the planner ----

planned() {
    simulate 8x8@10G+1us 64 --select model --report=report.csv -- "$programs/planned" >out 2>err &&
        [ "$(grep -c '^ok' out)" = 3 ] || { cat out err; return 1; }
}
selects() { # OPERATION
    awk -F, -v op="$1" '$1 == op && $4 != "native" { n++ } END { exit n == 0 }' report.csv ||
        { grep "^$1," report.csv; return 1; }
}
check "64 ranks, selection by predicted time: right results" planned
for operation in allreduce bcast allgather; do
    check "an algorithm of Attune was selected for $operation" selects $operation
done

# ---- behind the simulator ----

bench() { # FILE OPTION ...
    local file=$1
    shift
    "$attune" bench --ops bcast --sizes 64K --variants native,chain --calls 4 --format csv -- \
        "$attune" sim --platform 4x4@10G+1us "$@" 2>err >"$file" || { cat err; return 1; }
}
time_of() { awk -F, -v variant="$2" '$4 == variant { print $6 }' "$1"; } # FILE VARIANT
differs() { # FILE FILE VARIANT
    [ -n "$(time_of "$1" "$3")" ] && [ "$(time_of "$1" "$3")" != "$(time_of "$2" "$3")" ] || { cat "$1" "$2"; return 1; }
}
same() { # FILE FILE VARIANT
    [ -n "$(time_of "$1" "$3")" ] && [ "$(time_of "$1" "$3")" = "$(time_of "$2" "$3")" ] || { cat "$1" "$2"; return 1; }
}
near() { # FILE FILE VARIANT: within a per cent, because barriers are native
    awk -v a="$(time_of "$1" "$3")" -v b="$(time_of "$2" "$3")" 'BEGIN { exit !(a > 0 && a < 1.01 * b && b < 1.01 * a) }' ||
        { cat "$1" "$2"; return 1; }
}
check "bench" bench one
check "bench again" bench two
check "bench with another native selection" bench three --native mvapich2
check "a simulation repeats itself: native" same one two native
check "a simulation repeats itself: chain" same one two chain
check "--native changes native" differs one three native
check "--native does not change algorithms of Attune" near one three chain

# A simulated computation takes exactly as long as requested.
simulated_overlap() {
    "$attune" bench --ops allreduce --sizes 64K --variants native --overlap 200us --calls 2 --format csv -- \
        "$attune" sim --platform 4x4@10G+1us 2>err >overlap.csv || { cat err; return 1; }
    awk -F, '$4 == "native" && $12 > 199e-6 && $12 < 201e-6 && $13 >= $12 { ok = 1 } END { exit !ok }' overlap.csv ||
        { cat overlap.csv; return 1; }
}
check "overlap with a simulated computation" simulated_overlap
without_persistent() { # its folder is apart: a job that is ended may leave files
    mkdir apart && ! TMPDIR=$PWD/apart "$attune" bench --ops allreduce --sizes 64K --variants native --form persistent --calls 2 -- \
        "$attune" sim --platform 4x4@10G+1us >out 2>err &&
        grep -q '^attune: the MPI library has no persistent form of this operation$' err || { cat out err; return 1; }
}
check "a library without persistent collectives is reported" without_persistent

planned_bench() {
    "$attune" bench --ops allreduce --sizes 64K --variants native,attune --calls 1 --format csv -- \
        "$attune" sim --platform 4x4@10G+1us 2>err >planned.csv &&
        awk -F, '$4 == "attune" && $5 != "native" { n++ } END { exit n != 1 }' planned.csv || { cat err planned.csv; return 1; }
}
check "bench plans on the simulated machine" planned_bench

# Predicted and simulated time of a row differ by less than a quarter.
predicted() { # TASK
    "$attune" sim --platform 4@40G+1usx4@10G+1us -- "$ATTUNE_BUILD/bench/smpi/calls" "$1" >out 2>err &&
        awk -F, '{ q = $NF / $(NF - 1); n += q > 0.8 && q < 1.25 } END { exit n == 0 || n != NR }' out || { cat out err; return 1; }
}
for task in 'bcast/1K/binomial' 'bcast/1M/double_tree{segment=32K}' 'allreduce/1M/ring' 'allgather/32K/ring' \
    'alltoall/32K/pairwise' 'reduce/32K/binomial' 'reduce/1K/knomial{radix=16}'; do
    check "the machine corresponds to the simulation: $task" predicted "$task"
done

measured() {
    "$attune" measure --time 1 -o machine -- "$attune" sim --platform 2x2@10G+1us 2>err || { cat err; return 1; }
}
# 10 Gbit/s carry 1175 MB/s.
rate() {
    awk '$1 == "channel" { here = $2 == "switch" }
         here && $1 == "path" { for (i = 2; i <= NF; i++) if (sub(/^rate=/, "", $i)) rate = $i + 0 }
         END { exit !(rate > 1100 && rate < 1250) }' machine || { cat machine; return 1; }
}
check "measure" measured
check "the rate of the links" rate
check "hosts do not share processors" bash -c '! grep processors= machine'

tuned() {
    "$attune" tune --ops bcast --sizes 64K --wisdom "$box/wisdom" -- "$attune" sim --platform 2x2@10G+1us 2>err >out &&
        grep -q '^at smpi-' wisdom && grep -q '^rule bcast ranks=4' wisdom || { cat out err wisdom; return 1; }
}
check "tune" tuned
check "nothing is left" test -z "$(ls tmp)"
finish
