/* scale.c - thousands of communicators: how much memory each takes.
 *
 *   scale COUNT CALLS
 *
 * Makes COUNT communicators, calls CALLS collectives on each and frees them, twice.  Prints the
 * bytes that were allocated for a communicator, on the rank with most of them, and those that the
 * second time has left: the first one may leave pools of the MPI library. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "exercise.h"

static double allocated(void)
{
    const struct mallinfo2 now = mallinfo2();
    return (double)now.uordblks + (double)now.hblkhd;
}

static double greatest(double own)
{
    double all = own;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* Copies of all ranks, and halves of them. */
static MPI_Comm make(int i)
{
    MPI_Comm comm;
    if (i % 2 == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
        MPI_Comm_split(MPI_COMM_WORLD, t_rank * 2 < t_ranks, t_rank, &comm);
    return comm;
}

/* Bytes of all communicators. */
static double use(MPI_Comm *comms, int n, int calls)
{
    enum { ALLREDUCE = 12 };
    const double before = allocated();
    for (int i = 0; i < n; i++) {
        t_where("communicator %d of %d", i, n);
        comms[i] = make(i);
        for (int k = 0; k < calls; k++)
            t_check(t_exercise(ALLREDUCE, comms[i], (uint64_t)i, 10) == 0, "wrong allreduce");
    }
    const double used = allocated() - before;
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comms[i]);
    return used;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(200);
    const int n = argc > 1 ? atoi(argv[1]) : 2000, calls = argc > 2 ? atoi(argv[2]) : 1;
    MPI_Comm *const comms = t_alloc((size_t)n * sizeof *comms);
    t_exercise_begin();
    t_point("collectives on many communicators");
    const double used = greatest(use(comms, n, calls)) / n, before = allocated();
    use(comms, n, calls);
    const double left = greatest(allocated() - before) / n;
    if (t_rank == 0)
        printf("bytes %.0f %.0f\n", used, left);
    free(comms);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
