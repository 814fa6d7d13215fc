# apps.bash - large programs as packaged by Debian, for `run` and `long` here: as tests/mpi/apps.bash, with one line of
# $work/answers for each quantity.
. tests/mpi/apps.bash
export OMP_NUM_THREADS=1
examples=/usr/share/lammps/examples

large_apps=(
    "melt openmpi $examples/melt lammps-examples same_results"
    "peptide openmpi $examples/peptide lammps-examples same_results"
    'silicon openmpi /usr/bin/pw.x quantum-espresso same_results'
    'pipecg openmpi /usr/lib/petscdir/petsc*/*-real/lib/python3/dist-packages/petsc4py python3-petsc4py-real same_results'
)

run_melt() { # natively|attuned MPI
    (enter && cp $examples/melt/* . && "$1" "$2" "$ranks" lmp -in in.melt) >"$work/app" 2>&1 ||
        report_failure || return
    grep -E '^ *[0-9]+( +-?[0-9.e+]+){5} *$' "$work/app" >"$work/answers"
}
# Without the pressure, a small difference of large sums.
run_peptide() { # natively|attuned MPI
    (enter && cp $examples/peptide/* . && "$1" "$2" "$ranks" lmp -in in.peptide) \
        >"$work/app" 2>&1 || report_failure || return
    sed -n '/- Step/{s/ CPU.*//;p}; /^\(TotEng\|PotEng\|E_dihed\|E_coul\)/{s/ Press.*//;p}' \
        "$work/app" >"$work/answers"
}
# Energy, forces and pressure of silicon with a generated pseudopotential.
run_silicon() { # natively|attuned MPI
    (enter && cp "$here"/tests/soak/si.* . && ld1.x <si.ld1 && "$1" "$2" "$ranks" pw.x -nk 2 -in si.in) \
        >"$work/app" 2>&1 || report_failure || return
    grep -E '^!|Total force|P=|number of k points' "$work/app" | sed 's/Total SCF.*//' \
        >"$work/answers"
}

# Pipelined conjugate gradients of PETSc, which sum by MPI_Iallreduce.
run_pipecg() { # natively|attuned MPI
    "$1" "$2" "$ranks" /usr/bin/python3 "$here/tests/soak/pipecg.py" 64 2 >"$work/answers" 2>"$work/app" ||
        report_failure
}

# Reordered sums change the last digits, and the dynamics amplifies the difference slightly.
same_results() { # NATIVE OTHER
    paste -d '|' "$1" "$2" | awk -F'|' '
        { n = split($1, a, /[ =]+/); m = split($2, b, /[ =]+/); if (n != m) bad = 1
          for (i = 1; i <= n; i++) {
              if (a[i] + 0 == 0 && b[i] + 0 == 0) { if (a[i] != b[i]) bad = 1; continue }
              d = a[i] - b[i]; d = d < 0 ? -d : d; size = a[i] < 0 ? -a[i] : a[i]; numbers++
              if (d > 2e-5 * size + 1e-3) { print "native " a[i] ", with Attune " b[i] ": " $1; bad = 1 }
          } }
        END { exit bad || numbers < 3 }'
}
