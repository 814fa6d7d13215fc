/* many_sizes.c - cycles through message sizes of one collective: many_sizes SIZES ROUNDS.  Prints
 * the mean time of a call in us. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void call_all_sizes(const int *in, int *out, int sizes)
{
    for (int i = 1; i <= sizes; i++)
        MPI_Allreduce(in, out, 16 * i, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    const int sizes = argc > 1 ? atoi(argv[1]) : 8, rounds = argc > 2 ? atoi(argv[2]) : 50;
    int *in = calloc(16 * (size_t)sizes, sizeof *in),
        *out = calloc(16 * (size_t)sizes, sizeof *out);
    for (int i = 0; i < 10; i++)
        call_all_sizes(in, out, sizes);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++)
        call_all_sizes(in, out, sizes);
    const double mine = MPI_Wtime() - start;
    double most;
    MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (r == 0)
        printf("%.3f\n", 1e6 * most / rounds / sizes);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
