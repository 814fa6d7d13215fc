# random_programs.bash - for run-random-programs here and in tests/soak: random programs (differential.c) natively
# and with Attune in a random state; what differs is shrunk to a small C program.
. "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
limit=60
groups=()
mapfile -t groups < <(families)

# Algorithms, transports and tuning of a seed, in `with` and exported variables.
draw_settings() { # SEED
    local transports=(auto shm mpi)
    with=(--transport "${transports[$1 % 3]}")
    [ $(($1 % 2)) = 0 ] && export TEST_HOSTS=2 || unset TEST_HOSTS
    case $(($1 % 5)) in
    0) with+=(--select "random:$1") ;;
    1) with+=(--wisdom off --budget 1000) ;;
    2) with+=(--algorithm "$(family "${groups[$1 % ${#groups[@]}]}")") ;;
    3) with+=(--select model --topology hosts) ;;
    4) with+=(--wisdom "$work/wisdom" --budget 1000) ;; # what earlier programs have learnt
    esac
}

# Runs the steps of a list both ways.  0: they differ; 1: they do not; 2: the native program fails.  Messages go to other
# files: a launcher may print one in the middle of a line of the program.
differs() { # FLAVOUR RANKS SEED STEPS LIST
    local words=("$(program "$1" differential)" "$3" "$4" "$5")
    natively "$1" "$2" "${words[@]}" >"$work/native" 2>"$work/native-messages" || return 2
    TEST_SPOIL=${spoil:-} attuned "$1" "$2" "${words[@]}" >"$work/attuned" 2>"$work/attuned-messages" || return 0
    ! cmp -s <(grep '^step' "$work/native") <(grep '^step' "$work/attuned")
}

first_difference() {
    diff <(grep '^step' "$work/native") <(grep '^step' "$work/attuned") | sed -n 's/^[<>] step \([0-9]*\).*/\1/p' | head -n 1
}

# Drops steps, in blocks that become smaller, while the rest still differs; the rest is in `list`.
shrink() { # FLAVOUR RANKS SEED STEPS
    local last block i kept shorter tries=0
    last=$(first_difference)
    mapfile -t kept < <(seq 0 "${last:-$(($4 - 1))}")
    for ((block = (${#kept[@]} + 1) / 2; block >= 1; block = block > 1 ? (block + 1) / 2 : 0)); do
        for ((i = 0; i < ${#kept[@]} && ${#kept[@]} > 1 && tries < ${TEST_TRIES:-80}; )); do
            shorter=("${kept[@]:0:i}" "${kept[@]:i+block}")
            tries=$((tries + 1))
            if [ ${#shorter[@]} -gt 0 ] && differs "$1" "$2" "$3" "$4" "$(IFS=,; echo "${shorter[*]}")"; then
                kept=("${shorter[@]}")
            else
                i=$((i + block))
            fi
        done
    done
    list=$(IFS=,; echo "${kept[*]}")
}

print_program() { # FLAVOUR SEED STEPS LIST
    natively "$1" 1 "$(program "$1" differential)" "$2" "$3" "$4" print | sed -n '/^\/\*/,/^}/p'
}

# A program with settings of its seed; after a difference, the program that remains of it.
compare_program() { # FLAVOUR RANKS SEED STEPS
    local list
    draw_settings "$3"
    differs "$1" "$2" "$3" "$4" "0-$4"
    case $? in
    1) return 0 ;;
    2) echo "the native program fails"; tail -n 20 "$work"/native*; return 1 ;;
    esac
    diff "$work/native" "$work/attuned" | head -n 12
    tail -n 12 "$work/attuned-messages"
    shrink "$1" "$2" "$3" "$4"
    echo "$1, $2 ranks, TEST_HOSTS=${TEST_HOSTS:-}, attune run ${with[*]}: differs in"
    print_program "$1" "$3" "$4" "$list"
    return 1
}
