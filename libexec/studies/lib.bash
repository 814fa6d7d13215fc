# lib.bash - shared by the scripts of studies, which are started as
#     SCRIPT ATTUNE MPI SECONDS FOLDER PROGRAM
# with the command, openmpi or mpich, a limit for measurements, a folder for raw results, and the path of
# libexec/study.c, built for that MPI library or for SimGrid.  Standard output has results only
# (src/cli/study/study.h).
# shellcheck shell=bash
# shellcheck disable=SC2034 # not every script needs every variable
set -eu
attune=$1 mpi=$2 seconds=$3 folder=$4 program=$5
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
export XDG_DATA_HOME=$folder/data # the user's wisdom is neither read nor changed
mkdir -p "$XDG_DATA_HOME"
cd "$folder"

put() { printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4"; } # ITEM ROW COLUMN VALUE
remark() { echo "# $*"; }
progress() { echo "  $(date +%T) $*" >&2; }

# ---- emulated clusters ----

lab=study-$$
lab_down() { "$attune" lab down --name "$lab" >/dev/null 2>&1 || true; }
lab_up() { # TOPOLOGY: replaces the previous lab
    lab_down
    trap lab_down EXIT
    trap 'exit 130' INT TERM
    "$attune" lab up --name "$lab" "$1" >/dev/null
}

# ---- STAR-MPI ----

# A loop of one collective in the lab, tuned by STAR-MPI's procedure: FILE.csv has call,us,sum, FILE.json the report.
star_loop() { # TOPOLOGY SELECT CALLS BETWEEN_US OPERATION BYTES FILE
    "$attune" run --topology "$1" --select "$2" --fp free --wisdom off --report="$7.json" \
        --algorithm barrier=native,reduce=native -- \
        "$attune" lab run --name "$lab" --mpi "$mpi" -- "$program" loop "$3" "$4" "$5:$6" \
        >"$7.csv" 2>>errors || { tail -n 20 errors >&2; exit 4; }
}
# Algorithms of the operation and their calls, the most frequent one first.
served() { # FILE OPERATION
    awk -F'"' -v op="$2" '
        $2 == "operation" { mine = $4 == op }
        $2 == "algorithm" { name = $4 }
        $2 == "calls" && mine { n = $3; gsub(/[^0-9]/, "", n); print n, name }' "$1.json" | sort -rn -k 1,1
}
# Every candidate of Measure_Select has served ten calls.
measured() { # FILE OPERATION: calls of Measure_Select
    served "$1" "$2" | awk '{ n += 10 } END { print n + 0 }'
}
# Milliseconds of the first CALLS lines.
first_ms() { # FILE CALLS
    awk -F, -v n="$2" '$1 ~ /^[0-9]+$/ && $1 < n { ms += $2 / 1000 } END { printf "%.0f\n", ms }' "$1.csv"
}

# Names of the catalogue as the document has them (docs/algorithms.md); others stay as they are.
published_name() {
    sed -E 's/\{order=lr1\}/-TS/g; s/allgather_reduce\{gather=(.*)\}$/all-gather \1/; s/^allgather_reduce$/all-gather bruck/
        s/rabenseifner\{gather=(.*)\}$/Rab1-\1/; s/^rabenseifner$/Rab1-rdb/
        s/alltoall_allgather\{exchange=(.*),gather=(.*)\}$/Rab2-(\1, \2)/; s/alltoall_allgather\{exchange=(.*)\}$/Rab2-(\1, LR)/
        s/mesh\{dims=3\}/3D/g; s/mesh/2D/g; s/recursive_doubling/rdb/g; s/linear/simple/g
        s/spread\{window=1\}/RING/g; s/spread\{sync=pair\}/RING light barrier/g; s/spread\{sync=barrier\}/RING MPI barrier/g
        s/xor\{window=1\}/pair/g; s/xor\{sync=pair\}/pair light barrier/g; s/xor\{sync=barrier\}/pair MPI barrier/g
        s/ring-TS/TSLR/g; s/ring/LR/g; s/RING/ring/g; s/Rab1-spread$/Rab1-simple/; s/aapc\{sync=(.*)\}/AAPC with \1-sync/'
}

# ---- simulated programs ----

# Candidates of STAGE-MPI and STAR-MPI (src/plan/repository.def).
candidates() { # OPERATION
    case $1 in
    alltoall*) echo 'linear,spread{window=1},spread{sync=pair},spread{sync=barrier},xor{window=1},xor{sync=pair},xor{sync=barrier},aapc{sync=sender},aapc{sync=receiver}' ;;
    allgather*) echo 'linear,mesh,mesh{dims=3},recursive_doubling,bruck,spread{window=1},spread{sync=pair},spread{sync=barrier},xor{window=1},xor{sync=pair},xor{sync=barrier},ring{order=lr1}' ;;
    allreduce) echo 'allgather_reduce,rabenseifner,rabenseifner{gather=spread},rabenseifner{gather=mesh},rabenseifner{gather=bruck},rabenseifner{gather=spread{window=1}},rabenseifner{gather=spread{sync=pair}},rabenseifner{gather=ring{order=lr1}},alltoall_allgather{exchange=spread{window=1},gather=ring{order=lr1}},alltoall_allgather{exchange=spread{sync=pair},gather=ring{order=lr1}}' ;;
    esac
}
# The candidate with the shortest call after a barrier, as in offline tuning.
fastest() { # PLATFORM OPERATION BYTES
    "$attune" bench --ops "$2" --sizes "$3" --calls 2 --seconds 10000 --variants "native,$(candidates "$2")" \
        --format json -- "$attune" sim --platform "$1" --native mpich 2>>errors |
        awk -F'"' '
            $2 == "algorithm" { name = $4 }
            $2 == "median_s" { s = $3; gsub(/[^-+0-9.e]/, "", s); if (name != "native" && (best == "" || s + 0 < least)) { best = name; least = s + 0 } }
            END { if (best == "") exit 1; print best }' || { tail -n 20 errors >&2; exit 4; }
}
# Seconds of a loop of calls in the simulation.
simulated() { # PLATFORM STEPS CALLS OPTIONS ...
    local platform=$1 steps=$2 calls=$3
    shift 3
    # shellcheck disable=SC2086 # several calls
    "$attune" sim --platform "$platform" --native mpich "$@" -- "$program" loop "$steps" 0 $calls 2>>errors |
        awk -F, '/^[0-9]+,/ { us = $3 } END { if (us == "") exit 1; printf "%.4g\n", us / 1e6 }' ||
        { tail -n 20 errors >&2; exit 4; }
}
