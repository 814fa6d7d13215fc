#!/usr/bin/env bash
# attune calibrate on an emulated cluster: later jobs use topology and machine on all hosts, on some of
# them and with other mappings; jobs with other hosts do not.
set -u
. "$(dirname "$0")/lib.bash"
enter_box "$@"
flavour=$(flavours | head -n 1)
program=$ATTUNE_BUILD/tests/$flavour/repeat
[ -n "$flavour" ] && [ -x "$program" ] || skip_all "no MPI"
export XDG_DATA_HOME=/run/data
store=$XDG_DATA_HOME/attune/calibration

# A busy machine gets another chance.
calibrated() {
    local seconds
    for seconds in 15 40; do
        timeout 500 "$attune" calibrate --restart --seconds $seconds -- \
            "$attune" lab run --no-topology --mpi "$flavour" -n 4 2>err && grep -qx 'entry n\[0-3\]' "$store" &&
            [ "$(grep -cE '^\| SwitchName=.* Nodes=n\[(0-1|2-3)\]' "$store")" = 2 ] && return
    done
    cat err "$store"
    return 1
}
# Links with a tenth of the rate that was measured.
slower() {
    timeout 300 "$attune" run --report --budget 100 -- "$attune" lab run --no-topology --mpi "$flavour" -n 4 -- \
        "$ATTUNE_BUILD/bench/$flavour/loop" bcast 131072 40 0 >output 2>&1 &&
        grep -qE "^attune report: calibration: n\[0-3\], measured .*; out of date: calls took [0-9.]+ times as long" output ||
        { cat output; return 1; }
}
reports() { # TEXT OPTION ...: what the job reports about its calibration
    timeout 300 "$attune" run --report -- "$attune" lab run --no-topology --mpi "$flavour" "${@:2}" -- "$program" 1 >output 2>&1 &&
        grep -q "^attune report: calibration: $1" output || { cat output; return 1; }
}

lab up 2x2@100M >/dev/null || skip_all "no lab"
check "four hosts on two switches are calibrated" calibrated
check "a job on these hosts uses the entry" reports 'n\[0-3\], measured' -n 4
check "a job on two of them uses it" reports 'n\[0-3\], measured' -n 2
check "a job with another mapping uses it" reports 'n\[0-3\], measured' --ranks-per-host 2 --map cyclic
lab down >/dev/null
lab up 2x2@10M >/dev/null
check "slower links are detected" slower
lab down >/dev/null
lab up 3x2@100M >/dev/null
check "a job with more hosts does not" reports 'none: host n4 of rank 4 is in no entry' -n 6
finish
