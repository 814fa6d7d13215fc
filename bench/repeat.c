/* repeat.c - repeats one collective, for counting the traffic on a link.
 *
 *   repeat OPERATION BYTES CALLS          OPERATION: bcast | reduce | allreduce
 *
 * Rank 0 prints the median time of a call in seconds (of the slowest rank). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int call(const char *operation, char *src, char *dst, int bytes)
{
    const int n = bytes / (int)sizeof(long);
    if (strcmp(operation, "bcast") == 0)
        return MPI_Bcast(dst, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (strcmp(operation, "reduce") == 0)
        return MPI_Reduce(src, dst, n, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (strcmp(operation, "allreduce") == 0)
        return MPI_Allreduce(src, dst, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return MPI_ERR_OTHER;
}

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    int r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    const int bytes = argc > 3 ? atoi(argv[2]) : 0, calls = argc > 3 ? atoi(argv[3]) : 0;
    char *src = calloc(1, (size_t)bytes + 8), *dst = calloc(1, (size_t)bytes + 8);
    double *times = calloc((size_t)calls + 1, sizeof *times);
    if (argc != 4 || !src || !dst || !times)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < calls; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double t0 = MPI_Wtime();
        if (call(argv[1], src, dst, bytes) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 1);
        const double own = MPI_Wtime() - t0;
        MPI_Reduce(&own, &times[i], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
    qsort(times, (size_t)calls, sizeof *times, ascending);
    if (r == 0)
        printf("%.9f\n", calls > 0 ? times[calls / 2] : 0);
    free(src);
    free(dst);
    free(times);
    MPI_Finalize();
    return 0;
}
