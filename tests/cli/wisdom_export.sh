#!/usr/bin/env bash
# attune wisdom export: MPI libraries follow the rules, as far as they have the algorithms.
. "$(dirname "$0")/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1

cat >rules <<'R'
attune-wisdom 1
rule bcast ranks=2:4 use=chain{segment=8K}
rule bcast ranks=4: bytes=1M: use=chain{chains=3}
rule alltoall ranks=4 bytes=1K:2K use=pairwise
rule allreduce ranks=5 bytes=1K: use=ring
rule reduce_scatter_block ranks=5 bytes=1K: use=pairwise
at c0ffee/*
rule barrier use=dissemination
end
R
cat >wanted <<'R'
3 # collectives; made from rules
7 # bcast
4 # numbers of ranks
1 # ranks
1 # sizes
0 0 0 0
2 # ranks
1 # sizes
0 3 0 8192 # chain
4 # ranks
2 # sizes
0 0 0 0
1048576 2 3 0 # chain
7 # ranks
1 # sizes
0 0 0 0
3 # alltoall
3 # numbers of ranks
1 # ranks
1 # sizes
0 0 0 0
4 # ranks
3 # sizes
0 0 0 0
4096 2 0 0 # pairwise
8192 0 0 0
5 # ranks
1 # sizes
0 0 0 0
2 # allreduce
3 # numbers of ranks
1 # ranks
1 # sizes
0 0 0 0
5 # ranks
2 # sizes
0 0 0 0
1024 4 0 0 # ring
6 # ranks
1 # sizes
0 0 0 0
R
capture attune wisdom export rules --for openmpi -p 6
check "Open MPI: the rules" diff wanted .out
check "Open MPI: missing algorithms are reported" test "$(tail -n 1 .err)" = \
    "attune: Open MPI has no counterpart of reduce_scatter_block/pairwise; its own decision applies there"
check "omitted sections are reported" test "$(head -n 1 .err)" = \
    "attune: 1 rule of section 'c0ffee/*' omitted; add --at 'c0ffee/*' to include it"
check "Open MPI: rules that reorder operands are reported" test "$(sed -n 2p .err)" = \
    "attune: Open MPI will take operands of allreduce out of order, whatever the operator; keep these rules from programs whose operators do not commute"
printf '%s\n' 'attune-wisdom 1' 'rule allreduce use=recursive_doubling' 'rule reduce use=linear' end >orderly
check "Open MPI: other rules are not" test -z "$(attune wisdom export orderly --for openmpi 2>&1 >/dev/null)"
capture attune wisdom export rules --for openmpi -p 6 --at c0ffee/4x2
check "--at selects sections" grep -q "^0 4 0 0 # dissemination" .out
check "then no section is omitted" test "$(grep -c "omitted" .err)" = 0
printf '%s\n' 'attune-wisdom 1' 'at a/1x2' 'rule barrier use=linear' end >elsewhere
fails 3 "attune: elsewhere: no rule applies at b/1x2; *" attune wisdom export elsewhere --for openmpi --at b/1x2

fails 2 "*add --for openmpi or --for mpich*" attune wisdom export rules
fails 2 "*requires --library*" attune wisdom export rules --for mpich
fails 2 "*write MACHINE/LAYOUT*" attune wisdom export rules --for openmpi --at here
fails 3 "*holds no selection of algorithms*" attune wisdom export rules --for mpich --library rules

# ---- in jobs: floating-point sums reveal the order of operands ----

cat >sums.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 256, P = 5 };
static double in[N * P], out[N];
static void show(const char *name, int n)
{
    unsigned long long sum = 0, bits;
    for (int i = 0; i < n; i++) {
        memcpy(&bits, &out[i], 8);
        sum = sum * 31 + bits;
    }
    printf("%s %d %llx\n", name, n, sum);
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    srand(rank + 1);
    for (int i = 0; i < N * P; i++)
        in[i] = (rand() - RAND_MAX / 2) * (rank % 2 ? 1e-9 : 1e3);
    for (int n = 16; n <= N; n *= 16) {
        MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            show("allreduce", n);
        MPI_Reduce_scatter_block(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            show("reduce_scatter_block", n);
        MPI_Bcast(in, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
C
# Small sums equal those without rules, large ones those with the forced algorithm, which differ.
follows() { # MPI OPERATION: files usual, forced, ruled
    check "$1: all three jobs ran" test "$(cat usual forced ruled | wc -l)" = 12
    check "$1: small messages use the default" diff <(grep "$2 16" usual) <(grep "$2 16" ruled)
    check "$1: large messages follow the rule" diff <(grep "$2 256" forced) <(grep "$2 256" ruled)
    check_fails "$1: the algorithms differ" "" cmp -s <(grep "$2 256" usual) <(grep "$2 256" ruled)
}
if command -v mpirun.openmpi >/dev/null && mpicc.openmpi -o sums-openmpi sums.c; then
    attune wisdom export rules --for openmpi -p 6 -o openmpi.rules 2>notes
    dynamic() { mpirun.openmpi -n 5 --mca coll_tuned_use_dynamic_rules 1 --mca "$@" ./sums-openmpi; }
    mpirun.openmpi -n 5 ./sums-openmpi >usual
    dynamic coll_tuned_allreduce_algorithm 4 >forced
    dynamic coll_tuned_dynamic_rules_filename openmpi.rules >ruled
    follows "Open MPI" allreduce
else
    skip "Open MPI follows the rules" "no Open MPI"
fi
library=$(ldconfig -p 2>/dev/null | awk '/libmpich\.so/ { print $NF; exit }')
if [ -e "${library:-/nowhere}" ] && command -v mpirun.mpich >/dev/null &&
    mpicc.mpich -o sums-mpich sums.c; then
    capture attune wisdom export rules --for mpich -p 6 --library "$library" -o mpich.json
    check "MPICH: missing algorithms are reported" \
        grep -q "MPICH has no counterpart of allreduce/ring; its own decision applies there" .err
    mpirun.mpich -n 5 ./sums-mpich >usual
    MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM=pairwise mpirun.mpich -n 5 ./sums-mpich >forced
    MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=mpich.json mpirun.mpich -n 5 ./sums-mpich >ruled
    follows "MPICH" reduce_scatter_block
else
    skip "MPICH follows the rules" "no MPICH"
fi
finish
