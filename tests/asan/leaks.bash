# leaks.bash - `leak_checked COMMAND ...` runs a sanitized command.

# The leak check may crash in the sanitizer itself while it stops the process (seen once in
# hundreds of runs on aarch64; google/sanitizers#1353): such a run has checked no leaks, so it is repeated.
leak_checked() { # COMMAND ...
    local errors status attempt
    errors=$(mktemp)
    for attempt in 1 2 3; do
        "$@" 2>"$errors" >"$errors.out"
        status=$?
        grep -q 'LeakSanitizer has encountered a fatal error' "$errors" || break
        echo "# attempt $attempt: LeakSanitizer has crashed"
    done
    cat "$errors" >&2
    cat "$errors.out"
    rm -f "$errors" "$errors.out"
    return $status
}
