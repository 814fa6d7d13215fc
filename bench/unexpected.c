/* unexpected.c - an unexpected message in every step: unexpected BYTES STEPS.
 *
 * Rank 1 sends, then computes; rank 0 computes for the same time, with occasional MPI calls, then
 * receives a message that has already arrived.  Prints the mean time of a step, of MPI_Recv on rank
 * 0 and of MPI_Send on rank 1, in us. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "attune/attune.h"

enum { SLICES = 10 };

static volatile double sink;

/* About 20 us on a current processor. */
static void compute(void)
{
    double x = 1;
    for (int i = 0; i < 20000; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

/* Computation with MPI calls that complete nothing, as an application makes for other reasons. */
static void work(void)
{
    MPI_Request none = MPI_REQUEST_NULL;
    int flag;
    for (int i = 0; i < SLICES; i++) {
        compute();
        MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
    }
}

static double receive_all(char *buf, int n, int steps)
{
    double inside = 0;
    for (int i = 0; i < steps; i++) {
        if (attune_pre_recv != NULL)
            attune_pre_recv(1);
        work();
        const double start = MPI_Wtime();
        MPI_Recv(buf, n, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        inside += MPI_Wtime() - start;
    }
    return inside;
}

static double send_all(char *buf, int n, int steps)
{
    double inside = 0;
    for (int i = 0; i < steps; i++) {
        const double start = MPI_Wtime();
        MPI_Send(buf, n, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        inside += MPI_Wtime() - start;
        work();
    }
    return inside;
}

int main(int argc, char **argv)
{
    int r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    const int n = argc > 1 ? atoi(argv[1]) : 65536, steps = argc > 2 ? atoi(argv[2]) : 500;
    char *buf = calloc((size_t)n + 1, 1);
    double times[3] = {0}, most[3];
    for (int i = 0; i < 2; i++) { /* the first pass is a warm-up */
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        times[1] = r == 0 ? receive_all(buf, n, steps) : 0;
        times[2] = r == 1 ? send_all(buf, n, steps) : 0;
        MPI_Barrier(MPI_COMM_WORLD);
        times[0] = MPI_Wtime() - start;
    }
    MPI_Reduce(times, most, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (r == 0)
        printf("%.3f,%.3f,%.3f\n", 1e6 * most[0] / steps, 1e6 * most[1] / steps,
               1e6 * most[2] / steps);
    free(buf);
    MPI_Finalize();
    return 0;
}
