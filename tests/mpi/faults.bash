# faults.bash - for tests that inject faults into jobs that tune and write wisdom.
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
limit=20
cores=1 # waiting ranks yield: the machine may be busy with other jobs, in some tests it is
store=$XDG_DATA_HOME/attune/wisdom
with=(--select online --budget 100000 --first 2)
most_calls=25600 # of the longest job

call() { attuned "$1" 2 "$(program "$1" learning)" "${2:-exact}" "${3:-800}"; } # FLAVOUR [MODE [CALLS]]
job() { call "$@" >"$work/output" 2>&1; }
correct() { grep -q '^ok' "$1" && ! grep '^not ok' "$1"; }                              # OUTPUT
right() { job "$@" && correct "$work/output" || { tail -n 20 "$work/output"; false; }; } # FLAVOUR [MODE [CALLS]]
readable() { "$attune" wisdom show "$store" >/dev/null; }
intact() { # wisdom, and nothing else
    [ -s "$store" ] && readable && [ -z "$(find "${store%/*}" -name 'wisdom?*' ! -name '*.lock')" ]
}
whole() { [ ! -e "$store" ] || intact; }
fresh() { rm -rf "$XDG_DATA_HOME"; }
rank_has_stopped() { [ "$(ps -o state= -p "$(rank_pids)" 2>/dev/null)" = T ]; }

# A job writes wisdom once a race is over, or a candidate leads that is faster than native.  If native leads until the
# job ends, the next job would start with it in any case, and there is nothing to write.  How many calls a race takes
# depends on the noise of the machine, so that a job of few calls may write nothing however often it is repeated.  So
# each MPI learns once, in as many calls as it takes, and every test starts with a copy of that store.
teach() { # FLAVOUR
    local calls
    fresh
    for ((calls = 800; calls <= most_calls; calls *= 2)); do
        right "$1" thorough $calls || return
        [ ! -s "$store" ] || break
    done
    intact && rm -rf "$work/learned-$1" && cp -a "$XDG_DATA_HOME" "$work/learned-$1"
}
learned() { # FLAVOUR
    [ -d "$work/learned-$1" ] || { echo "no job of $1 has written wisdom"; return 1; }
    fresh
    cp -a "$work/learned-$1" "$XDG_DATA_HOME"
}
