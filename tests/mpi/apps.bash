# apps.bash - MPI programs as packaged by Debian, for run-apps and tests/soak: `run_NAME natively|attuned MPI` writes
# the results to $work/answers, and what the job printed to $work/app.
ranks=${TEST_RANKS:-4}
here=$PWD

# name, MPI library, a path that shows that it is installed, Debian package, how results are compared
apps=(
    'hpcc openmpi /usr/bin/hpcc hpcc same_numbers'
    'mpi4py openmpi /usr/lib/python3/dist-packages/mpi4py python3-mpi4py cmp'
    'scalapack openmpi /usr/lib/*/scalapack/openmpi-tests/xdlu scalapack-mpi-test cmp'
    'scalapack mpich /usr/lib/*/scalapack/mpich-tests/xdlu scalapack-mpi-test cmp'
)
installed() { compgen -G "$1" >/dev/null; } # PATTERN
enter() { rm -rf "$work/run" && mkdir "$work/run" && cd "$work/run" || exit; }
report_failure() { tail -n 25 "$work/app"; return 1; }

# ---- hpcc: HPL, PTRANS, RandomAccess, FFT, each with its own check ----

# The results (not the times) as name=value.
hpcc_answers() {
    grep -E '^(Success|HPL_(Anorm|Xnorm|Bnorm)[1I]|PTRANS_residual|.*_Errors|.*_maxErr)=' "$work/run/hpccoutf.txt"
    # PTRANS has a line for processor time only where that is above zero.
    grep -v '^CPU ' "$work/run/hpccoutf.txt" | grep -cE 'PASSED|\(passed\)|Solution Validates' | sed 's/^/passed=/'
}
run_hpcc() { # natively|attuned MPI
    (enter && cp "$here/tests/mpi/hpccinf.txt" . && "$1" "$2" "$ranks" hpcc) >"$work/app" 2>&1 || report_failure || return
    hpcc_answers >"$work/answers"
    grep -qx Success=1 "$work/answers"
}

# The order of sums may differ, so norms agree to some digits; errors of the FFT are of the order of
# rounding.
same_numbers() { # NATIVE OTHER
    awk -F= 'NR == FNR { native[$1] = $2; next }
        { d = $2 - native[$1]; d = d < 0 ? -d : d; seen++
          size = native[$1] < 0 ? -native[$1] : native[$1]
          if (!($1 in native) || d > 1e-6 * size + 1e-12) { print $1, native[$1], $2; bad = 1 } }
        END { n = 0; for (k in native) n++; exit bad || seen != n }' "$1" "$2"
}

# ---- mpi4py: buffers and pickled objects ----

run_mpi4py() { # natively|attuned MPI
    "$1" "$2" "$ranks" /usr/bin/python3 "$here/tests/mpi/mpi4py_calls.py" >"$work/answers" 2>"$work/app" || report_failure
}

# ---- ScaLAPACK: its tests of LU, Cholesky and QR factorizations on grids of up to 2 processes, which check residuals ----

run_scalapack() { # natively|attuned MPI
    local programs test
    programs=$(dirname "$(compgen -G "/usr/lib/*/scalapack/$2-tests/xdlu")")
    : >"$work/answers"
    for test in lu:LU llt:LLT qr:QR; do
        (enter && cp "/usr/share/scalapack/${test#*:}.dat" . && "$1" "$2" 2 "$programs/xd${test%:*}") \
            >"$work/app" 2>&1 || report_failure || return
        ! grep -q FAILED "$work/app" || report_failure || return
        grep -E '[0-9] +tests' "$work/app" | sed "s/^/$test/" >>"$work/answers" || report_failure || return
    done
}

# ---- each natively, then with every family of algorithms ----

was_served() { [ "$(served "$work/report.csv")" -gt 0 ]; }
compare_app() { # NAME MPI COMPARISON
    check "$1, $2, natively" "run_$1" natively "$2"
    cp "$work/answers" "$work/native"
    for group in $(families) random; do
        rm -f "$work/report.csv"
        with=(--report="$work/report.csv" --algorithm "$(family "$group")")
        [ "$group" = random ] && with=(--report="$work/report.csv" --select random:7)
        check "$1, $2, with $group" "run_$1" attuned "$2"
        check "$1, $2, with $group: same results as natively" "$3" "$work/native" "$work/answers"
        check "$1, $2, with $group: Attune served calls" was_served
    done
}
compare_apps() { # ROW OF A TABLE ...
    local row name flavour place package comparison
    for row in "$@"; do
        read -r name flavour place package comparison <<<"$row"
        if ! flavours | grep -qx "$flavour"; then
            skip "$name" "Attune is not built for $flavour"
        elif ! installed "$place"; then
            skip "$name" "not installed: apt-get install $package"
        else
            compare_app "$name" "$flavour" "$comparison"
        fi
    done
}
