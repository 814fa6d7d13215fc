/* calls.c - workload for measuring the tracing overhead: calls without effect, and a kernel.
 *
 * Rank 0 prints "ns of a send to MPI_PROC_NULL, ns of an isend-irecv-waitall in a ring, seconds of
 * the kernel, ns of an unsuccessful test".  The kernel: 100 steps of a halo exchange, some work,
 * and an occasional sum over all ranks.  Each number is the minimum of many batches, because other
 * load on the machine only adds time. */
#include <mpi.h>
#include <stdio.h>

enum { CALLS = 20000, BATCHES = 15, STEPS = 100, KERNELS = 40, CELLS = 4000 };

static int p, r;

static double shortest_call(void)
{
    double least = 1e9;
    for (int b = 0; b < BATCHES; b++) {
        const double start = MPI_Wtime();
        for (int i = 0; i < CALLS; i++)
            MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        const double t = (MPI_Wtime() - start) / CALLS;
        least = t < least ? t : least;
    }
    return 1e9 * least;
}

/* The two most common test calls, on a request that never completes. */
static double shortest_poll(void)
{
    double least = 1e9, nothing;
    int flag, index;
    MPI_Request q;
    MPI_Status status;
    MPI_Irecv(&nothing, 1, MPI_DOUBLE, 0, 99, MPI_COMM_SELF, &q);
    for (int b = 0; b < BATCHES; b++) {
        const double start = MPI_Wtime();
        for (int i = 0; i < CALLS / 2; i++) {
            MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
            MPI_Testany(1, &q, &index, &flag, &status);
        }
        const double t = (MPI_Wtime() - start) / CALLS;
        least = t < least ? t : least;
    }
    MPI_Cancel(&q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    return 1e9 * least;
}

static void exchange(double *cells)
{
    const int left = (r + p - 1) % p, right = (r + 1) % p;
    MPI_Request q[4];
    MPI_Irecv(&cells[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &q[0]);
    MPI_Irecv(&cells[CELLS + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &q[1]);
    MPI_Isend(&cells[CELLS], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &q[2]);
    MPI_Isend(&cells[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &q[3]);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
}

static double exchanges(double *cells)
{
    double least = 1e9;
    for (int b = 0; b < BATCHES; b++) {
        const double start = MPI_Wtime();
        for (int i = 0; i < 500; i++)
            exchange(cells);
        const double t = (MPI_Wtime() - start) / 500;
        least = t < least ? t : least;
    }
    return 1e9 * least;
}

static double steps(double *cells)
{
    const double start = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        double own = 0, sum;
        exchange(cells);
        for (int i = 1; i <= CELLS; i++)
            own += cells[i] = 0.25 * (cells[i - 1] + 2 * cells[i] + cells[i + 1]);
        if (step % 10 == 0)
            MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return MPI_Wtime() - start;
}

static double kernel(double *cells)
{
    double least = 1e9;
    for (int b = 0; b < KERNELS; b++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double t = steps(cells);
        least = t < least ? t : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    static double cells[CELLS + 2];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    for (int i = 0; i < CELLS + 2; i++)
        cells[i] = i % 7;
    const double call = shortest_call(), ring = exchanges(cells), seconds = kernel(cells);
    const double poll = shortest_poll();
    if (r == 0)
        printf("%.1f,%.1f,%.6f,%.1f\n", call, ring, seconds, poll);
    MPI_Finalize();
    return 0;
}
