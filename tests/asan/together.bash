# together.bash - sanitized tests without MPI: `together TIER [PATTERN]` runs the tests of a tier whose
# names match the pattern (default: all) in few processes and prints one TAP list.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 4
set -o pipefail
. tests/asan/leaks.bash

modules_each=40 # of a process: with 80 of them, whose thread-local data are many, every leak check crashed on x86-64

run_modules() { # MODULE ...
    local bad=0
    while [ $# -gt 0 ]; do
        leak_checked "$ATTUNE_BUILD/tests/together" "${@:1:modules_each}" || bad=1
        shift $(($# < modules_each ? $# : modules_each))
    done
    return $bad
}

together() { # TIER [PATTERN]
    local modules=() source
    for source in tests/"$1"/test_${2:-*}.c; do
        modules+=("$ATTUNE_BUILD/tests/$1/$(basename "${source%.c}")")
    done
    run_modules "${modules[@]}" | awk -v processes=$(((${#modules[@]} + modules_each - 1) / modules_each)) '
        function end_module() {
            if (module != "" && ran != planned)
                print "not ok " (++n) " - " module ": planned " planned + 0 " tests, ran " ran + 0
            ran = planned = 0
        }
        /^# module / { end_module(); module = $3; print; next }
        /^# all modules have run/ { end_module(); whole++; next }
        /^1\.\.[0-9]+/ { sub(/^1\.\./, ""); planned = $1 + 0; next }
        /^(not )?ok / {
            ran++
            verdict = /^not/ ? "not ok " : "ok "
            sub(/^(not )?ok [0-9]+ *-? */, "")
            print verdict (++n) " - " module ": " $0
            next
        }
        { print }
        END {
            if (whole < processes)
                print "not ok " (++n) " - " module ": does not end prematurely"
            print "1.." n
        }'
}
