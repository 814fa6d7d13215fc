/* persistent.c - persistent collectives: reuse with other contents, inactive requests, MPI_Startall
 * mixed with messages, several started in any order together with nonblocking calls.
 *
 * TEST_SERVED=1: Attune serves the calls.  Some legal calls then must work that fail natively. */
#include "completion.h"
#include "operation.h"

#include <stdlib.h>

static bool served;

static void starts_are_local(MPI_Comm comm)
{
    int token = 0;
    t_point("the start of a persistent request returns before other ranks start");
    for (int kind = 0; kind < T_WITHOUT_TOPOLOGY; kind++) {
        const t_shape shape = {.kind = kind, .elements = 16000, .root = kind % t_ranks};
        MPI_Request request;
        t_operation *o = t_operation_new(&shape, comm, (uint64_t)kind);
        t_where("%s", t_operation_text(o));
        t_operation_call(o, T_PERSISTENT, &request);
        if (t_rank > 0)
            MPI_Recv(&token, 1, MPI_INT, t_rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Start(&request);
        if (t_rank + 1 < t_ranks)
            MPI_Send(&token, 1, MPI_INT, t_rank + 1, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
        t_check(t_operation_end(o) == 0, "wrong values");
    }
}

enum { REUSES = 100 };

static void reuse(MPI_Comm comm)
{
    t_point("persistent requests of all kinds, reused with other contents");
    for (int kind = 0; kind < T_WITHOUT_TOPOLOGY; kind++) {
        const t_shape shape = t_shape_random(kind, 8, t_ranks, 50);
        if (!t_kind_persists(kind, served))
            continue;
        MPI_Request request;
        t_operation *o = t_operation_new(&shape, comm, (uint64_t)kind);
        t_operation_call(o, T_PERSISTENT, &request);
        for (int i = 0; i < (kind == T_ALLREDUCE ? REUSES : REUSES / 10); i++) {
            t_where("%s, start %d", t_operation_text(o), i);
            t_operation_refill(o, (uint64_t)(100 * kind + i));
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            t_check(request != MPI_REQUEST_NULL, "the request is null");
            t_check(t_operation_wrong(o) == 0, "wrong values");
        }
        MPI_Request_free(&request);
        t_check(t_operation_end(o) == 0, "wrong values");
    }
}

static bool is_empty(const MPI_Status *status)
{
    int count = -1, cancelled = -1;
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    return status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0 &&
           !cancelled;
}

/* A wait for an inactive request returns at once, with an empty status. */
static void check_inactive(MPI_Request *request)
{
    MPI_Status status;
    int done = 0, index = 0;
    t_where("waiting for an inactive persistent request");
    MPI_Wait(request, &status);
    t_check(is_empty(&status), "MPI_Wait: the status is not empty");
    MPI_Test(request, &done, &status);
    t_check(done && is_empty(&status), "MPI_Test: not done or the status is not empty");
    MPI_Request_get_status(*request, &done, &status);
    t_check(done && is_empty(&status), "MPI_Request_get_status: the status is not empty");
    MPI_Waitall(1, request, &status);
    MPI_Waitany(1, request, &index, &status);
    t_check(index == MPI_UNDEFINED, "MPI_Waitany: index %d", index);
    MPI_Testany(1, request, &index, &done, &status);
    t_check(done && index == MPI_UNDEFINED, "MPI_Testany: index %d", index);
    MPI_Testsome(1, request, &done, &index, &status);
    t_check(done == MPI_UNDEFINED, "MPI_Testsome: count %d", done);
    t_check(*request != MPI_REQUEST_NULL, "the request is null");
}

static void inactive(MPI_Comm comm)
{
    t_point("inactive persistent requests in waits and tests");
    if (!T_OPEN_MPI && !served) {
        t_skip("MPICH 4.0 hangs");
        return;
    }
    const t_shape shape = {.kind = T_ALLREDUCE, .elements = 10};
    MPI_Request request;
    t_operation *o = t_operation_new(&shape, comm, 1);
    t_operation_call(o, T_PERSISTENT, &request);
    check_inactive(&request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_inactive(&request);
    MPI_Request_free(&request);
    t_check(request == MPI_REQUEST_NULL, "the request is not null");
    t_check(t_operation_end(o) == 0, "wrong values");
}

static void startall(MPI_Comm comm)
{
    enum { N = 6 };
    const int next = (t_rank + 1) % t_ranks, before = (t_rank + t_ranks - 1) % t_ranks;
    int out[2], in[2];
    const bool persists[N] = {true, true, true, true, true, true};
    MPI_Request requests[N];
    t_operation *o[2];
    t_rng rng = t_seed(1, 2, (uint64_t)t_rank);
    t_point("MPI_Startall of collectives mixed with messages");
    for (int k = 0; k < 2; k++) {
        const t_shape shape = {.kind = k ? T_ALLTOALL : T_ALLREDUCE, .elements = 30};
        MPI_Send_init(&out[k], 1, MPI_INT, next, k, comm, &requests[3 * k]);
        o[k] = t_operation_new(&shape, comm, (uint64_t)k);
        t_operation_call(o[k], T_PERSISTENT, &requests[3 * k + 1]);
        MPI_Recv_init(&in[k], 1, MPI_INT, before, k, comm, &requests[3 * k + 2]);
    }
    for (int i = 0; i < 2 * T_MEANS; i++) {
        if (!t_means_persists(i % T_MEANS, served))
            continue;
        t_where("%s", t_means_name(i % T_MEANS));
        for (int k = 0; k < 2; k++) {
            out[k] = 100 * t_rank + 10 * k + i;
            t_operation_refill(o[k], (uint64_t)(i + k));
        }
        MPI_Startall(N, requests);
        t_check(t_complete(i % T_MEANS, N, requests, persists, &rng) == 0, "wrong answers");
        for (int k = 0; k < 2; k++) {
            t_check(in[k] == 100 * before + 10 * k + i, "received %d", in[k]);
            t_check(t_operation_wrong(o[k]) == 0, "wrong values");
        }
    }
    for (int k = 0; k < N; k++)
        MPI_Request_free(&requests[k]);
    for (int k = 0; k < 2; k++)
        t_check(t_operation_end(o[k]) == 0, "wrong values");
}

/* Several requests of one communicator, started in the same order on all ranks. */
static void several_open(MPI_Comm comm)
{
    enum { N = 12 };
    MPI_Request requests[N];
    bool persists[N];
    t_operation *o[N];
    t_rng rng = t_seed(3, 2, (uint64_t)t_rank);
    t_point("persistent requests started in any order, together with nonblocking calls");
    for (int i = 0; i < N; i++) {
        const t_shape shape = t_shape_random((5 * i + 1) % T_WITHOUT_TOPOLOGY, 3, t_ranks, 40);
        o[i] = t_operation_new(&shape, comm, (uint64_t)i);
        persists[i] = i % 3 != 0 && t_kind_persists(shape.kind, served);
        if (persists[i])
            t_operation_call(o[i], T_PERSISTENT, &requests[i]);
    }
    for (int round = 0; round < 8; round++) {
        if (!t_means_persists(round, served))
            continue;
        t_where("round %d", round);
        for (int k = 0; k < N; k++) {
            const int i = k * 5 % N; /* every one, in another order */
            t_operation_refill(o[i], (uint64_t)(100 * round + i));
            if (persists[i])
                MPI_Start(&requests[i]);
            else
                t_operation_call(o[i], T_NONBLOCKING, &requests[i]);
        }
        t_check(t_complete(round, N, requests, persists, &rng) == 0, "wrong answers");
        for (int i = 0; i < N; i++)
            t_check(t_operation_wrong(o[i]) == 0, "%s: wrong values", t_operation_text(o[i]));
    }
    for (int i = 0; i < N; i++) {
        if (persists[i])
            MPI_Request_free(&requests[i]);
        t_operation_end(o[i]);
    }
}

/* An inactive persistent request may remain when MPI_Finalize is called. */
static void leave_one(void)
{
    static MPI_Request request;
    static t_operation *o; /* has the buffers of the request */
    const t_shape shape = {.kind = T_ALLREDUCE, .elements = 10};
    t_point("an inactive request remains until MPI_Finalize");
    o = t_operation_new(&shape, MPI_COMM_WORLD, 1);
    t_operation_call(o, T_PERSISTENT, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    t_check(t_operation_wrong(o) == 0, "wrong values");
}

static void run(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    starts_are_local(comm);
    reuse(comm);
    inactive(comm);
    startall(comm);
    several_open(comm);
    leave_one();
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_start(100);
    served = t_kind_served(T_ALLREDUCE, MPI_COMM_WORLD);
    if (t_form_exists(T_PERSISTENT)) {
        run();
    } else {
        t_point("persistent requests");
        t_skip("this MPI has none");
    }
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
