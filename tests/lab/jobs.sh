#!/usr/bin/env bash
# MPI jobs in a lab, with each MPI: where ranks run, what they get, and how they end.
set -u
. "$(dirname "$0")/lib.bash"
enter_box "$@"
[ -n "$(flavours)" ] || skip_all "no MPI"

hosts_of() { sort -n | cut -d' ' -f2 | tr '\n' ' '; }
run() { timeout 300 "$attune" lab run "$@"; }
inside() { lab status --format csv | tail -n 1 | cut -d, -f6; }

# Starts a job that waits for ever, and ends it by a signal; prints its code.
end_by() { # SIGNAL FLAVOUR [deaf]
    local job
    : >waiting
    "$attune" lab run -- "$(probe "$2")" wait "${@:3}" >waiting 2>end.err &
    job=$!
    wait_for grep -q waiting waiting
    kill "-$1" $job
    wait $job 2>/dev/null
    echo $?
}

is_empty() { [ "$(inside)" = 0 ]; }
none_inside() {
    wait_for is_empty || {
        lab status
        return 1
    }
}
# Types Ctrl-C once the job waits.
type_it() {
    wait_for grep -q waiting typed
    printf '\003'
    sleep 2.5
}

lab up '2x2@100M;order=roundrobin' >/dev/null || skip_all "no lab"
for flavour in $(flavours); do
    program=$(probe "$flavour")
    check "$flavour: ranks in the topology's order" same "$(run -- "$program" | hosts_of)" "n0 n2 n1 n3 "
    check "$flavour: fewer" same "$(run -n 3 --mpi "$flavour" "$program" | hosts_of)" "n0 n2 n1 "
    check "$flavour: more, next to each other" \
        same "$(run -n 7 -- "$program" | hosts_of)" "n0 n0 n2 n2 n1 n1 n3 "
    check "$flavour: more, in turn" \
        same "$(run --ranks-per-host 2 --map cyclic -- "$program" | hosts_of)" "n0 n2 n1 n3 n0 n2 n1 n3 "
    gives "$flavour: the job's exit code" 7 "" run -n 2 -- "$program" exit 7
    check "$flavour: a variable for the ranks" \
        same "$(run -n 2 -x WORD='a b' -- "$program" env WORD)" "a b
a b"
    check "$flavour: the topology" \
        same "$(run -n 1 -- "$program" env ATTUNE_TOPOLOGY)" /run/attune/lab/lab/topology.conf
    check "$flavour: unless disabled" same "$(run -n 1 --no-topology -- "$program" env ATTUNE_TOPOLOGY)
$(ATTUNE_TOPOLOGY=mine run -n 1 -- "$program" env ATTUNE_TOPOLOGY)" "(none)
mine"
    check "$flavour: SIGTERM ends it" test "$(end_by TERM "$flavour")" -gt 0
    check "$flavour: wholly" none_inside
    check "$flavour: SIGKILL of the command too" same "$(end_by KILL "$flavour")" 137
    check "$flavour: wholly" none_inside
    if [ -e "$ATTUNE_BUILD/lib/libattune-$flavour.so" ]; then
        check "$flavour: under attune run" grep -q 'barrier .*dissemination' \
            <("$attune" run --algorithm barrier=dissemination --report -- timeout 300 \
                "$attune" lab run -n 4 -- "$program" bulk 0 3 8 2>&1)
    fi
done

flavour=$(flavours | tail -n 1)
program=$(probe "$flavour")
check "ranks that are deaf to signals end" test "$(end_by INT "$flavour" deaf)" -gt 0
check "wholly" none_inside
if command -v script >/dev/null; then
    : >typed
    type_it | timeout 300 script -qec "$attune lab run -- $program wait" \
        /dev/null >typed 2>&1
    check "Ctrl-C at a terminal ends it" grep -q waiting typed
    check "wholly" none_inside
fi
: >waiting
"$attune" lab run -- "$program" wait >waiting 2>/dev/null &
job=$!
wait_for grep -q waiting waiting
check "two jobs at a time" same "$(run -n 4 -- "$program" | hosts_of)" "n0 n2 n1 n3 "
gives "down ends a running job" 0 "processes" lab down
wait $job
check "and the job fails" test $? -gt 0

# ---- the commands of the guide, in their order ----

while read -r -u 3 line; do
    mpi=$(flavours | head -n 1)
    [[ $line == *"--mpi mpich"* ]] && mpi=mpich
    [ -x "$(probe $mpi)" ] || continue
    words=${line%%  *}
    check "guide: $words" bash -c "attune() { '$attune' \"\$@\"; }; PATH=$ATTUNE_BUILD/bin:\$PATH
        ${words//.\/program/$(probe $mpi)}"
done 3< <(grep -E '^attune (lab|run) ' "$ATTUNE_SOURCE/docs/lab.md")
lab down >/dev/null

# ---- bad input ----

lab up '2@100M' >/dev/null
gives "no program" 2 "PROGRAM" lab run
gives "too many ranks" 2 "do not fit" lab run -n 9 --ranks-per-host 2 -- "$program"
gives "no ranks" 2 "ranks" lab run -n 0 -- "$program"
other=$([ "$flavour" = mpich ] && echo openmpi || echo mpich)
gives "the wrong MPI" 4 "linked with" lab run --mpi $other -- "$program"
gives "a launcher that is not there" 4 "no-such-mpirun" lab run --mpirun no-such-mpirun -- "$program"
lab down >/dev/null
finish
