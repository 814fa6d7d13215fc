/* loop.c - an iterative application: the same collective in a loop, with a pause between calls.
 * Prints one line per call: its number, its contribution to the sum, and the sum: microseconds from
 * the start of the loop until the last rank left the call, without the pauses.  Adding the times of
 * single calls would count the time twice that one rank waits and another one catches up.
 *
 *   loop OPERATION BYTES [CALLS [BETWEEN_US]]     bcast, reduce, allreduce, allgather, alltoall */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const char *operation;
    int n, p; /* integers of the whole buffer (bcast, reduce, allreduce) or of a block */
    int *in, *out;
} loop;

static void call(const loop *l)
{
    if (strcmp(l->operation, "bcast") == 0)
        MPI_Bcast(l->in, l->n, MPI_INT, 0, MPI_COMM_WORLD);
    else if (strcmp(l->operation, "reduce") == 0)
        MPI_Reduce(l->in, l->out, l->n, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (strcmp(l->operation, "allreduce") == 0)
        MPI_Allreduce(l->in, l->out, l->n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(l->operation, "allgather") == 0)
        MPI_Allgather(l->in, l->n, MPI_INT, l->out, l->n, MPI_INT, MPI_COMM_WORLD);
    else
        MPI_Alltoall(l->in, l->n, MPI_INT, l->out, l->n, MPI_INT, MPI_COMM_WORLD);
}

/* Sleeps instead of computing, because there may be more ranks than cores. */
static void between(int us)
{
    const struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L};
    if (us > 0)
        nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
    int r;
    MPI_Init(&argc, &argv);
    loop l = {.operation = argc > 1 ? argv[1] : "allreduce"};
    const int bytes = argc > 2 ? atoi(argv[2]) : 131072, calls = argc > 3 ? atoi(argv[3]) : 500;
    const int pause = argc > 4 ? atoi(argv[4]) : 1000;
    MPI_Comm_size(MPI_COMM_WORLD, &l.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    l.n = bytes / (int)sizeof(int);
    l.in = calloc((size_t)l.n * (size_t)l.p + 1, sizeof(int));
    l.out = calloc((size_t)l.n * (size_t)l.p + 1, sizeof(int));
    double *const took = calloc(2 * (size_t)calls, sizeof *took), *const most = took + calls;
    double aside = 0; /* microseconds of all pauses; a sleep takes longer than specified */
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; i++) {
        const double before = MPI_Wtime();
        between(pause);
        aside += 1e6 * (MPI_Wtime() - before);
        call(&l);
        took[i] = 1e6 * (MPI_Wtime() - start) - aside;
    }
    MPI_Reduce(took, most, calls, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int i = 0; r == 0 && i < calls; i++)
        printf("%d,%.1f,%.1f\n", i, most[i] - (i > 0 ? most[i - 1] : 0), most[i]);
    free(took);
    free(l.in);
    free(l.out);
    MPI_Finalize();
    return 0;
}
