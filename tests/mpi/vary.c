/* vary.c - calls whose sizes differ between ranks, for recording: rank r sends 100 r + i bytes to
 * rank i; alltoallv twice, allgatherv, gatherv, scatterv and reduce_scatter once, and a larger
 * alltoallv. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

static void exchange(int p, int r, int factor)
{
    int out[MOST], in[MOST], from[MOST], to[MOST];
    static char source[1 << 20], result[1 << 20];
    for (int i = 0; i < p; i++) {
        out[i] = factor * (100 * r + i);
        in[i] = factor * (100 * i + r);
        from[i] = i ? from[i - 1] + out[i - 1] : 0;
        to[i] = i ? to[i - 1] + in[i - 1] : 0;
    }
    MPI_Alltoallv(source, out, from, MPI_CHAR, result, in, to, MPI_CHAR, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int p, r, counts[MOST], at[MOST], sum = 0;
    static int source[1 << 12], result[1 << 12];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    for (int i = 0; i < p; i++) {
        counts[i] = 10 + i;
        at[i] = sum;
        sum += counts[i];
    }
    exchange(p, r, 1);
    exchange(p, r, 1);
    MPI_Allgatherv(source, counts[r], MPI_INT, result, counts, at, MPI_INT, MPI_COMM_WORLD);
    MPI_Gatherv(r == 1 ? MPI_IN_PLACE : source, counts[r], MPI_INT, result, counts, at, MPI_INT, 1,
                MPI_COMM_WORLD);
    MPI_Scatterv(source, counts, at, MPI_INT, result, counts[r], MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce_scatter(source, result, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    exchange(p, r, 7);
    MPI_Finalize();
    return 0;
}
