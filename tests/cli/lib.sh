# lib.sh - functions for tests of the command line: `. "$(dirname "$0")/lib.sh"`, then `golden` and `fails`,
# and `finish` at the end.  UPDATE=1 rewrites the goldens instead of comparing with them.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$root/tests/tap.bash"
attune=$(realpath -m "${ATTUNE_BUILD:-$root/build}")/bin/attune
[ -x "$attune" ] || { echo "Bail out! $attune is not there; \`make\` builds it"; exit 4; }
unset "${!ATTUNE_@}"
attune() { "$attune" "$@"; }
work=$(mktemp -d) && cd "$work" || exit 4
trap 'rm -rf "$work"' EXIT

# Runs a command; sets .out, .err and code.
capture() {
    "$@" >"$work/.out" 2>"$work/.err"
    code=$?
}

# The command must exit with CODE and print nothing on standard error and exactly golden/FILE on
# standard output.
golden() { # FILE CODE COMMAND ...
    local file=$here/golden/$1 wanted=$2 name
    shift 2
    name="${*} -> $(basename "$file")"
    capture "$@"
    [ -z "${UPDATE:-}" ] || { mkdir -p "$here/golden" && cp "$work/.out" "$file"; }
    if [ "$code" = "$wanted" ] && [ ! -s "$work/.err" ] && cmp -s "$work/.out" "$file"; then
        tap_point "$name" yes
    else
        tap_point "$name" no "exit code $code, wanted $wanted
$(diff -u "$file" "$work/.out" 2>&1 | head -n 40)
$(cat "$work/.err")"
    fi
}

# The command must exit with CODE, and its standard error must match the pattern GLOB; an error
# (above 1) must leave standard output empty.
fails() { # CODE GLOB COMMAND ...
    local wanted=$1 glob=$2 output
    shift 2
    capture "$@"
    output=$(cat "$work/.err")
    # shellcheck disable=SC2053 # the pattern is meant as one
    if [ "$code" = "$wanted" ] && [[ $output == $glob ]] &&
        { [ "$wanted" -le 1 ] || [ ! -s "$work/.out" ]; }; then
        tap_point "${*}" yes
    else
        tap_point "${*}" no "exit code $code, wanted $wanted
wanted: $glob
output: $output
$(head -n 5 "$work/.out")"
    fi
}

# The command must succeed, print nothing on standard error, and its output must contain TEXT.
holds() { # TEXT COMMAND ...
    local text=$1
    shift
    capture "$@"
    if [ "$code" = 0 ] && [ ! -s "$work/.err" ] && grep -qF -- "$text" "$work/.out"; then
        tap_point "${*} holds $text" yes
    else
        tap_point "${*} holds $text" no "exit code $code: $(cat "$work/.out" "$work/.err")"
    fi
}

launcher() { # BODY: makes ./launch a stand-in for a launcher
    printf '#!/bin/sh\n%s\n' "$1" >launch && chmod +x launch
}
# Output on a terminal while `good` is written in two parts; a loaded machine may read both at once.
shows_progress() { # LINES PATTERN COMMAND
    local pause
    for pause in 0.3 1 4; do
        launcher "head -n $1 good; sleep $pause; tail -n +$(($1 + 1)) good"
        TERM=xterm script -qec "'$attune' $3 -- ./launch" /dev/null </dev/null >shown
        grep -q "$2" shown && return
    done
    cat shown
    return 1
}

# Pages are rendered with a browser, if there is one.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
# Renders PAGE into DOM; fails if the page reports an error.
render() { # PAGE DOM [OPTION ...]
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
        --enable-logging=stderr "${@:3}" --dump-dom "file://$work/$1" >"$2" 2>browser.err &&
        ! grep CONSOLE browser.err || { tail -n 20 browser.err; return 1; }
}
