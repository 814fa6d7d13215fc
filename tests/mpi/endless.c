/* endless.c - collectives in an endless loop, for tests that kill ranks and for long runs.
 *
 *   endless [ELEMENTS [requests]]
 *
 * Blocks have about this number of elements (5000).  requests: also nonblocking calls, with Open
 * MPI on communicators that are freed after one call of each kind, and every rank prints its
 * rounds.  What the MPI library itself loses memory in is left out: in MPICH 4.0 about 400 bytes
 * for each communicator that is duplicated and freed, in Open MPI 4.1 kilobytes for each
 * persistent collective.  A wrong value ends the job. */
#include "exercise.h"
#include "operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect_none(long wrong, const char *what)
{
    if (wrong > 0)
        t_die("%ld wrong values in %s", wrong, what);
}

static void run_request(MPI_Comm comm, int kind, uint64_t seed, int elements)
{
    const t_shape shape = t_shape_random(kind, seed, t_ranks, elements);
    t_operation *const o = t_operation_new(&shape, comm, seed);
    MPI_Request request;
    t_operation_call(o, T_NONBLOCKING, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_none(t_operation_wrong(o), t_operation_text(o));
    t_operation_end(o);
}

static void run_requests(uint64_t round, int elements)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    if (T_OPEN_MPI)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int kind = 0; kind < T_WITHOUT_TOPOLOGY; kind++)
        run_request(comm, kind, round, elements);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    if (round % 200 == 0)
        printf("round %ld %llu\n", (long)getpid(), (unsigned long long)round);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int elements = argc > 1 ? atoi(argv[1]) : 5000;
    const bool requests = argc > 2 && strcmp(argv[2], "requests") == 0;
    t_start(60);
    t_exercise_begin();
    printf("pid %ld\n", (long)getpid());
    fflush(stdout);
    for (uint64_t i = 0;; i++) {
        const int which = (int)(i % T_EXERCISES);
        expect_none(t_exercise(which, MPI_COMM_WORLD, i, elements), t_exercise_name(which));
        if (requests && which == 0)
            run_requests(i / T_EXERCISES, elements);
    }
}
