# lib.bash - for the MPI test scripts: lists the MPIs, runs jobs with and without Attune, with a time
# limit, and removes temporary files.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 4
. ./tests/tap.bash
build=${ATTUNE_BUILD:-$PWD/build}
attune=$build/bin/attune
for variable in "${!ATTUNE@}"; do
    unset "$variable" # settings of the user must not affect tests
done
work=$(mktemp -d)
export XDG_DATA_HOME=$work/data # nor may wisdom of other tests
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
limit=${TEST_LIMIT:-60} # seconds for one job
export TEST_PATIENCE=${TEST_PATIENCE:-5} # factor on all time limits, for busy machines
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# The MPIs that a preload library was built for.
flavours() {
    local library
    for library in "$build"/lib/libattune-*.so; do
        [ -e "$library" ] && basename "$library" .so | sed s/libattune-//
    done
}

# Waiting ranks of Open MPI yield when there are too few cores; those of MPICH only with polite.so.
cores=$(nproc)
polite=$work/polite.so
cc -O2 -shared -fPIC -o "$polite" tests/mpi/polite/polite.c -ldl || exit 4

# The launcher of a flavour for N ranks, as words in `launcher`.
set_launcher() { # FLAVOUR N
    case $1 in
    openmpi) launcher=(mpirun.openmpi --oversubscribe --bind-to none -n "$2") ;;
    mpich) launcher=(mpirun.mpich -n "$2") ;;
    esac
    [ "$1" != mpich ] || [ "$2" -le "$cores" ] ||
        launcher=(mpirun.mpich -genv LD_PRELOAD "$polite${LD_PRELOAD:+:$LD_PRELOAD}" -n "$2")
}

# Runs a command no longer than the limit, then kills its whole process group.
limited() { timeout -k 5 $((limit * TEST_PATIENCE)) "$@"; }

natively() { # FLAVOUR N PROGRAM ...
    local flavour=$1 n=$2 launcher
    shift 2
    set_launcher "$flavour" "$n"
    limited "${launcher[@]}" "$@"
}

# ATTUNE_* and options for `attune run` come from the array `with`.
with=()
attuned() { # FLAVOUR N PROGRAM ...
    local flavour=$1 n=$2 launcher
    shift 2
    set_launcher "$flavour" "$n"
    limited "$attune" run "${with[@]}" -- "${launcher[@]}" "$@"
}

# `attune run` rejects invalid files before it starts a job.  With the variable set in the ranks, as
# where the library is preloaded by other means, the library itself reads them.
inside_ranks() { # VARIABLE=VALUE FLAVOUR N PROGRAM ...
    attuned "$2" "$3" env "$1" "${@:4}"
}

# Starts a command in the background: output in $work/output, process in `job`.  The file is emptied
# here, because the background process may do so only after it was read.
start_job() { # COMMAND ...
    : >"$work/output"
    "$@" >"$work/output" 2>&1 &
    job=$!
}
# The processes of ranks that have printed their number, one on a line.
rank_pids() { sed -n 's/^pid //p' "$work/output"; }
have_started() { [ "$(rank_pids | wc -l)" -eq "$1" ]; } # RANKS

program() { # FLAVOUR NAME
    echo "$build/tests/$1/$2"
}

# Calls of an operation that an algorithm other than native served, summed over a CSV report.
served() { # REPORT [OPERATION [ALGORITHM [RANKS]]]
    [ -e "$1" ] || { echo 0; return; }
    served_all "$1" "${4:-}" | awk -v op="${2:-}" -v algorithm="${3:-}" '
        { split($1, part, "/") }
        part[2] == "native" && algorithm != "native" { next }
        (op == "" || part[1] == op) && (algorithm == "" || part[2] == algorithm) { n += $2 }
        END { print n + 0 }'
}

# ---- Served nonblocking and persistent collectives ----
# With --verbose, rank 0 prints at MPI_Finalize on standard error how many of its starts were served:
#     attune: nonblocking and persistent collectives: 120 starts served, 3 native
starts_served() { # MESSAGES
    sed -n 's/^attune: nonblocking and persistent collectives: \([0-9]*\) starts served.*/\1/p' "$1"
}
some_starts_served() { # MESSAGES
    [ "$(starts_served "$1")" -gt 0 ] || { cat "$1"; return 1; }
}

# OPERATION/ALGORITHM CALLS, a line for each in a CSV report.
served_all() { # REPORT [RANKS]
    awk -F, -v ranks="${2:-}" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "calls") behind = NF - i; next }
        { gsub(/"/, ""); name = $4; sub(/[{].*/, "", name) }
        ranks == "" || $2 == ranks { n[$1 "/" name] += $(NF - behind) }
        END { for (name in n) print name, n[name] }' "$1"
}

# Copies the TAP output of a program, with a prefix; a job that died is a failure.
adopt() { # PREFIX OUTPUT EXIT_CODE
    local line failed=no
    while IFS= read -r line; do
        case $line in
        "ok "* | "not ok "*)
            tap_n=$((tap_n + 1))
            [[ $line == not* ]] && tap_failed=$((tap_failed + 1)) && failed=yes
            echo "${line%%ok *}ok $tap_n - $1: ${line#*- }"
            ;;
        esac
    done <"$2"
    if [ "$failed" = yes ]; then
        grep '^#' "$2" | head -n 20
    elif [ "$3" -ne 0 ] || ! grep -q '^ok' "$2"; then
        tap_point "$1: the job exits with 0" no "exit code $3: $(tail -n 20 "$2")"
    fi
}

# The groups of algorithms in the catalogue.
families() { "$attune" algo list --format csv | cut -d, -f2 | sed '1d; /^native$/d' | sort -u; }

# One algorithm of that group for each operation, or any one if the group has none:
# allgather=ring,allreduce=ring,...
family() { # GROUP
    "$attune" algo list --format csv | first_of_group "$1"
}
# The same among algorithms that start without an exchange of sizes, which nonblocking calls need, and
# that no transport excludes.
startable() { # GROUP
    "$attune" algo list --format csv | grep -v 'sizes first\|/shared_' | first_of_group "$1"
}
first_of_group() { # GROUP
    awk -F, -v group="$1" '
        NR == 1 || $2 == "native" || /,"?topology[,"]/ || /, topology[,"]/ { next } # these need a topology
        { split($1, name, "/"); op = name[1] }
        !(op in any) { any[op] = name[2]; order[++n] = op }
        $2 == group && !(op in best) { best[op] = name[2] }
        END {
            for (i = 1; i <= n; i++) {
                op = order[i]
                printf "%s%s=%s", (i > 1 ? "," : ""), op, (op in best ? best[op] : any[op])
            }
        }'
}
