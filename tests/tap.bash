# tap.bash - for tests in bash: `. tests/tap.bash`, then `check NAME COMMAND ...` for every test
# point and `finish` at the end.  The output of a failing command becomes its diagnostic.
tap_n=0
tap_failed=0

tap_point() { # NAME WORKED [TEXT]
    tap_n=$((tap_n + 1))
    if [ "$2" = yes ]; then
        echo "ok $tap_n - $1"
    else
        echo "not ok $tap_n - $1"
        tap_failed=$((tap_failed + 1))
        [ -z "${3:-}" ] || printf '%s\n' "$3" | sed 's/^/# /'
    fi
}

check() { # NAME COMMAND ...
    local name=$1 text
    shift
    if text=$("$@" 2>&1); then
        tap_point "$name" yes
    else
        tap_point "$name" no "$text"
    fi
}

# The command must fail, and its output must contain TEXT.
check_fails() { # NAME TEXT COMMAND ...
    local name=$1 wanted=$2 text
    shift 2
    if text=$("$@" 2>&1); then
        tap_point "$name" no "succeeded: $text"
    elif [[ $text == *"$wanted"* ]]; then
        tap_point "$name" yes
    else
        tap_point "$name" no "output lacks \"$wanted\": $text"
    fi
}

skip() { # NAME WHY
    tap_n=$((tap_n + 1))
    echo "ok $tap_n - $1 # SKIP $2"
}

finish() {
    echo "1..$tap_n"
    [ $tap_failed -eq 0 ]
    exit
}

# Waits until a command succeeds, at most 250 s.
wait_for() { # COMMAND ...
    local i
    for ((i = 0; i < 5000; i++)); do
        "$@" && return
        sleep 0.05
    done
    return 1
}
