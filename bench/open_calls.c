/* open_calls.c - what completion calls cost while collectives are open, on 2 ranks.
 *
 *   open_calls ROUNDS OPEN ...
 *
 * Rank 0 times blocks of MPI_Test of a request that is not complete: with 0 open collectives it is
 * a receive; else OPEN calls of MPI_Iallreduce, which rank 1 starts only afterwards, and the test
 * is one of the last of them.  "wait" is a message of 8 bytes to itself: MPI_Irecv, MPI_Isend and
 * MPI_Wait of both.  Rank 0 prints CSV: the median over rounds of the nanoseconds of one call. */
#include "pingpong.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { CALLS = 2000, MOST_OPEN = 4096, GO = 1, NEVER = 2 };

static const MPI_Comm world = MPI_COMM_WORLD;

static double time_tests(MPI_Request *q)
{
    int done = 0;
    const double began = MPI_Wtime();
    for (int i = 0; i < CALLS; i++)
        MPI_Test(q, &done, MPI_STATUS_IGNORE);
    return 1e9 * (MPI_Wtime() - began) / CALLS;
}

static double time_waits(void)
{
    double in, out = 1;
    const double began = MPI_Wtime();
    for (int i = 0; i < CALLS; i++) {
        MPI_Request receive, send;
        MPI_Irecv(&in, 1, MPI_DOUBLE, 0, GO, world, &receive);
        MPI_Isend(&out, 1, MPI_DOUBLE, 0, GO, world, &send);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
    return 1e9 * (MPI_Wtime() - began) / CALLS;
}

static double time_idle(void)
{
    MPI_Request q;
    double in;
    MPI_Irecv(&in, 1, MPI_DOUBLE, 1, NEVER, world, &q);
    const double ns = time_tests(&q);
    MPI_Cancel(&q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    return ns;
}

/* Rank 1 waits for a message, so that it drives nothing. */
static double time_open(int rank, int open)
{
    static double src[MOST_OPEN], dst[MOST_OPEN];
    static MPI_Request list[MOST_OPEN];
    double ns = 0;
    if (rank == 1)
        MPI_Recv(NULL, 0, MPI_BYTE, 0, GO, world, MPI_STATUS_IGNORE);
    for (int i = 0; i < open; i++)
        MPI_Iallreduce(&src[i], &dst[i], 1, MPI_DOUBLE, MPI_SUM, world, &list[i]);
    if (rank == 0) {
        ns = time_tests(&list[open - 1]);
        MPI_Send(NULL, 0, MPI_BYTE, 1, GO, world);
    }
    MPI_Waitall(open, list, MPI_STATUSES_IGNORE);
    return ns;
}

/* open < 0: waits */
static double time_case(int rank, int open)
{
    if (open > 0)
        return time_open(rank, open);
    return rank != 0 ? 0 : open == 0 ? time_idle() : time_waits();
}

static void run_case(int rank, int rounds, int open)
{
    double *const ns = calloc((size_t)rounds, sizeof *ns);
    time_case(rank, open);
    for (int i = 0; i < rounds; i++) {
        MPI_Barrier(world);
        ns[i] = time_case(rank, open);
    }
    const estimate e = estimate_of(ns, rounds);
    if (rank == 0)
        printf("%s,%d,%.2f,%.2f,%.2f\n", open < 0 ? "wait" : "test", open < 0 ? 0 : open, e.mid,
               e.lo, e.hi);
    fflush(stdout);
    free(ns);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    const int rounds = argc > 2 ? atoi(argv[1]) : 0;
    if (rounds < 6 || ranks != 2) {
        if (rank == 0)
            fprintf(stderr, "usage: open_calls ROUNDS(>= 6) OPEN ..., on 2 ranks\n");
        MPI_Abort(world, 2);
    }
    if (rank == 0)
        puts("call,open,ns,lo,hi");
    run_case(rank, rounds, -1);
    for (int i = 2; i < argc; i++)
        if (atoi(argv[i]) >= 0 && atoi(argv[i]) <= MOST_OPEN)
            run_case(rank, rounds, atoi(argv[i]));
    MPI_Finalize();
    return 0;
}
