# host_killed.bash - for run-host-killed here and in tests/soak: kills a random rank of a job at a random
# time, again and again.  The launcher must end by itself, and nothing may remain: no process of the job,
# no shared memory of Attune.
# shellcheck shell=bash
limit=20
RANDOM=${TEST_SEED:-1}

# Names in /dev/shm that belong to Attune and that no process uses: other jobs may run on this machine.
orphans() {
    local name
    for name in $(find /dev/shm -mindepth 1 -iname '*attune*' -printf '%f\n' | sort); do
        grep -qsF "/dev/shm/$name" /proc/[0-9]*/maps || echo "$name"
    done
}
no_more_orphans() { left=$(comm -13 <(echo "$before") <(orphans)) && [ -z "$left" ]; }

# Processes of the job: those with its mark in their environment.
processes() { grep -lsaF "TEST_JOB=$mark" /proc/[0-9]*/environ | cut -d/ -f3; }
no_process() { [ -z "$(processes)" ]; }

# Sizes of messages: short, in several chunks, large.
sizes=(20 5000 100000)

# Starts a job, kills one rank; prints what is wrong.
kill_one() { # FLAVOUR RANKS NUMBER VICTIM SECONDS
    local pids job before left mark="$$-$1-$2-$3" code
    before=$(orphans)
    TEST_JOB=$mark start_job attuned "$1" "$2" "$(program "$1" endless)" "${sizes[$3 % 3]}"
    wait_for have_started "$2" || { echo "the job did not start"; cat "$work/output"; return 1; }
    mapfile -t pids < <(rank_pids)
    sleep "$5"
    kill -KILL "${pids[$4]}"
    wait "$job"
    code=$?
    [ $code -ne 0 ] || { echo "exit status 0"; return 1; }
    [ $code -ne 124 ] || { echo "the launcher does not end"; return 1; }
    wait_for no_process || { echo "remaining processes: $(processes)"; return 1; }
    wait_for no_more_orphans || { echo "remaining in /dev/shm: $left"; return 1; }
}

kill_many() { # FLAVOUR RANKS COUNT
    local number group groups victim seconds
    mapfile -t groups < <(families)
    for ((number = 0; number < $3; number++)); do
        group=${groups[number % ${#groups[@]}]}
        with=(--algorithm "$(family "$group")")
        victim=$((RANDOM % $2)) seconds=0.$((RANDOM % 90 + 10))
        check "$1, $2 ranks, $group, job $((number + 1)): process $victim killed after $seconds s" \
            kill_one "$1" "$2" "$number" "$victim" "$seconds"
    done
}

export ATTUNE_TRANSPORT=shm
