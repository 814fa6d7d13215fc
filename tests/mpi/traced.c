/* traced.c - calls that the tracer records, in a fixed order; run-trace has the list of calls that
 * the trace must contain. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 7, N = 16 };

static int p, r, right, left;
static double out[N], in[N];

/* Two messages in a ring, with all routines that complete requests. */
static void ring(MPI_Comm comm, int way)
{
    MPI_Request q[2];
    int flag = 0, index, found, indices[2];
    MPI_Irecv(in, N, MPI_DOUBLE, left, TAG, comm, &q[0]);
    MPI_Isend(out, N, MPI_DOUBLE, right, TAG, comm, &q[1]);
    switch (way) {
    case 0:
        MPI_Wait(&q[0], MPI_STATUS_IGNORE);
        MPI_Wait(&q[1], MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
        break;
    case 2:
        for (int i = 0; i < 2; i++)
            MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
        break;
    case 3:
        for (int n = 0; n < 2; n += found)
            MPI_Waitsome(2, q, &found, indices, MPI_STATUSES_IGNORE);
        break;
    case 4:
        for (int i = 0; i < 2; i++)
            for (flag = 0; !flag;)
                MPI_Test(&q[i], &flag, MPI_STATUS_IGNORE);
        break;
    case 5:
        while (!flag)
            MPI_Testall(2, q, &flag, MPI_STATUSES_IGNORE);
        break;
    }
}

/* A wildcard receive: the trace has the sender. */
static void wildcards(void)
{
    MPI_Request q;
    MPI_Isend(out, 3, MPI_DOUBLE, right, 11, MPI_COMM_WORLD, &q);
    MPI_Recv(in, N, MPI_DOUBLE, MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Irecv(in, N, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q);
    MPI_Ssend(out, 0, MPI_DOUBLE, right, 12, MPI_COMM_WORLD);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
}

/* These messages are never sent: unsuccessful tests and probes are counted, not recorded. */
static void unsuccessful(void)
{
    int flag;
    for (int i = 0; i < 50; i++)
        MPI_Iprobe(left, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* Callbacks that MPI runs inside of a test are not calls of the program. */
static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Send(out, 1, MPI_DOUBLE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int forget(void *state) { return state == NULL ? MPI_SUCCESS : MPI_ERR_OTHER; }
static int cancel(void *state, int complete) { return complete ? forget(state) : MPI_ERR_OTHER; }
static void own_request(void)
{
    MPI_Request q;
    int flag;
    MPI_Grequest_start(query, forget, cancel, NULL, &q);
    MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
    MPI_Grequest_complete(q);
    MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
}

static void both(void)
{
    MPI_Sendrecv(out, N, MPI_DOUBLE, right, TAG, in, N, MPI_DOUBLE, left, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(in, N, MPI_DOUBLE, right, TAG, left, TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Send(out, 1, MPI_DOUBLE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
}

static void persistent(void)
{
    MPI_Request q[2];
    MPI_Recv_init(in, N, MPI_DOUBLE, left, 21, MPI_COMM_WORLD, &q[0]);
    MPI_Send_init(out, N, MPI_DOUBLE, right, 21, MPI_COMM_WORLD, &q[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, q);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&q[0]);
    MPI_Request_free(&q[1]);
}

/* Halves of the ranks; the second communicator may reuse the handle of the freed one. */
static void communicators(void)
{
    MPI_Comm half, twin;
    int sum = 0, one = 1;
    MPI_Comm_split(MPI_COMM_WORLD, r % 2, r, &half);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_free(&half);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    ring(twin, 0);
    MPI_Comm_free(&twin);
}

static void collectives(void)
{
    double *const all = calloc((size_t)p * N, sizeof *all);
    MPI_Request q;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(out, N, MPI_DOUBLE, p - 1, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, in, N, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Gather(out, N, MPI_DOUBLE, all, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allgather(out, N, MPI_DOUBLE, all, N, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Iallreduce(out, in, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    free(all);
}

static void types(void)
{
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    MPI_Bcast(out, N / 2, pair, 0, MPI_COMM_WORLD);
    MPI_Type_free(&pair);
}

/* Created for every call, so that the same handle has two meanings in turn. */
static void passing_types(void)
{
    double *const all = calloc((size_t)p * 3, sizeof *all);
    for (int i = 0; i < 6; i++) {
        MPI_Datatype type;
        MPI_Type_contiguous(2 + i % 2, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        MPI_Gather(out, 1, type, all, 1, type, 0, MPI_COMM_WORLD);
        MPI_Type_free(&type);
    }
    free(all);
}

/* No further MPI call. */
static void stay(void)
{
    printf("pid %ld\n", (long)getpid());
    fflush(stdout);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    right = (r + 1) % p;
    left = (r + p - 1) % p;
    for (int way = 0; way < 6; way++)
        ring(MPI_COMM_WORLD, way);
    wildcards();
    unsuccessful();
    own_request();
    both();
    persistent();
    communicators();
    collectives();
    types();
    passing_types();
    if (argc > 1 && strcmp(argv[1], "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (argc > 1 && strcmp(argv[1], "stay") == 0)
        stay();
    if (argc > 1 && strcmp(argv[1], "leave") == 0)
        _Exit(r == 0);
    MPI_Finalize();
    return 0;
}
