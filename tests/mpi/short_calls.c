/* short_calls.c - short nonblocking and persistent collectives, whose requests are used again:
 * every routine that completes requests, in any order, on requests in any state.
 *
 * TEST_SERVED=1: Attune serves the calls.  Some legal calls then must work that fail natively. */
#include "completion.h"
#include "operation.h"

#include <stdlib.h>
#include <string.h>

static bool served;

/* ---- any number of calls, completed by any routine ---- */

enum { MOST = 20, ROUNDS = 300 };

typedef struct {
    int in, out, expected;
} value;

static void start_one(MPI_Comm comm, int seed, value *v, MPI_Request *request)
{
    const int root = seed % t_ranks;
    v->in = seed * (t_rank + 1);
    v->out = seed % 3 == 1 && t_rank == root ? seed : -1;
    v->expected = seed % 3 == 0 ? seed * t_ranks * (t_ranks + 1) / 2 : seed % 3 == 1 ? seed : -1;
    if (seed % 3 == 0)
        MPI_Iallreduce(&v->in, &v->out, 1, MPI_INT, MPI_SUM, comm, request);
    else if (seed % 3 == 1)
        MPI_Ibcast(&v->out, 1, MPI_INT, root, comm, request);
    else
        MPI_Ibarrier(comm, request);
}

static void all_routines(const MPI_Comm comms[2])
{
    t_rng same = t_seed(3, 1, 4), own = t_seed(1, 5, (uint64_t)t_rank);
    value v[MOST];
    MPI_Request requests[MOST];
    t_point("short calls completed by all routines in turn");
    for (int i = 0; i < ROUNDS; i++) {
        const int n = 1 + t_below(&same, i % 10 == 0 ? MOST : 4), means = i % T_MEANS;
        for (int k = 0; k < n; k++)
            start_one(comms[t_below(&same, 2)], t_below(&same, 1000), &v[k], &requests[k]);
        t_where("round %d, %d calls, %s", i, n, t_means_name(means));
        t_check(t_complete(means, n, requests, NULL, &own) == 0, "wrong answers");
        for (int k = 0; k < n; k++)
            t_check(v[k].out == v[k].expected, "%d instead of %d", v[k].out, v[k].expected);
    }
}

/* ---- statuses ---- */

static bool is_empty(const MPI_Status *status)
{
    int count = -1, cancelled = -1;
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    return status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0 &&
           !cancelled;
}

/* Statuses of nonblocking collectives are undefined in MPI except for the error. */
static void statuses(MPI_Comm comm)
{
    MPI_Request requests[3];
    MPI_Status status[3];
    t_point("the error field of a status is not changed by one wait");
    for (int i = 0; i < 20; i++) {
        memset(status, 0, sizeof status);
        status[0].MPI_ERROR = 1234;
        MPI_Ibarrier(comm, &requests[0]);
        MPI_Wait(&requests[0], &status[0]);
        t_check(status[0].MPI_ERROR == 1234 || !served, "error %d", status[0].MPI_ERROR);
        t_check(requests[0] == MPI_REQUEST_NULL, "the request is not null");
        MPI_Ibarrier(comm, &requests[0]);
        requests[1] = MPI_REQUEST_NULL;
        MPI_Ibarrier(comm, &requests[2]);
        MPI_Waitall(3, requests, status);
        t_check(is_empty(&status[1]), "the status of a null request is not empty");
        t_check(requests[0] == MPI_REQUEST_NULL && requests[2] == MPI_REQUEST_NULL,
                "a request is not null");
    }
}

/* ---- persistent requests that are inactive, after a wait ---- */

typedef struct {
    const char *name;
    bool (*ignores)(MPI_Request *request, MPI_Status *status); /* completed, nothing reported */
} routine;

static bool waits(MPI_Request *q, MPI_Status *s) { return MPI_Wait(q, s) == MPI_SUCCESS; }
static bool waits_all(MPI_Request *q, MPI_Status *s) { return MPI_Waitall(1, q, s) == MPI_SUCCESS; }
static bool waits_any(MPI_Request *q, MPI_Status *s)
{
    int index = 0;
    MPI_Waitany(1, q, &index, s);
    return index == MPI_UNDEFINED;
}
static bool waits_some(MPI_Request *q, MPI_Status *s)
{
    int count = 0, index;
    (void)s;
    MPI_Waitsome(1, q, &count, &index, MPI_STATUSES_IGNORE);
    return count == MPI_UNDEFINED;
}
static bool tests(MPI_Request *q, MPI_Status *s)
{
    int flag = 0;
    MPI_Test(q, &flag, s);
    return flag;
}
static bool tests_all(MPI_Request *q, MPI_Status *s)
{
    int flag = 0;
    MPI_Testall(1, q, &flag, s);
    return flag;
}
static bool tests_any(MPI_Request *q, MPI_Status *s)
{
    int index = 0, flag = 0;
    MPI_Testany(1, q, &index, &flag, s);
    return flag && index == MPI_UNDEFINED;
}
static bool tests_some(MPI_Request *q, MPI_Status *s)
{
    int count = 0, index;
    (void)s;
    MPI_Testsome(1, q, &count, &index, MPI_STATUSES_IGNORE);
    return count == MPI_UNDEFINED;
}
static bool gets_status(MPI_Request *q, MPI_Status *s)
{
    int flag = 0;
    MPI_Request_get_status(*q, &flag, s);
    return flag;
}

static const routine routines[] = {
    {"MPI_Wait", waits},
    {"MPI_Waitall", waits_all},
    {"MPI_Waitany", waits_any},
    {"MPI_Waitsome", waits_some},
    {"MPI_Test", tests},
    {"MPI_Testall", tests_all},
    {"MPI_Testany", tests_any},
    {"MPI_Testsome", tests_some},
    {"MPI_Request_get_status", gets_status},
};

static void inactive(MPI_Comm comm)
{
    const t_shape shape = {.kind = T_ALLREDUCE, .elements = 2};
    t_point("inactive persistent requests after a wait, in every routine");
    if (!t_form_exists(T_PERSISTENT) || (!T_OPEN_MPI && !served)) {
        t_skip("this MPI has none, or hangs");
        return;
    }
    for (size_t i = 0; i < 3 * sizeof routines / sizeof *routines; i++) {
        const routine *const f = &routines[i / 3];
        MPI_Request request;
        t_operation *o = t_operation_new(&shape, comm, i);
        t_operation_call(o, T_PERSISTENT, &request);
        for (size_t k = 0; k < 1 + i % 3; k++) { /* the last one is freed without a start */
            MPI_Status status;
            memset(&status, 0, sizeof status);
            status.MPI_SOURCE = MPI_ANY_SOURCE; /* where it is not set */
            status.MPI_TAG = MPI_ANY_TAG;
            t_where("%s, start %zu", f->name, k);
            t_operation_refill(o, 10 * i + k);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            t_check(f->ignores(&request, &status), "an inactive request is not ignored");
            t_check(is_empty(&status), "the status is not empty");
            t_check(request != MPI_REQUEST_NULL, "the request is null");
            t_check(t_operation_wrong(o) == 0, "wrong values");
        }
        MPI_Request_free(&request);
        t_check(t_operation_end(o) == 0, "wrong values");
    }
}

/* ---- progress after a long time without open calls ---- */

static void after_idleness(MPI_Comm comm)
{
    enum { N = 100000, IDLE = 5000 };
    int *in = t_alloc(N * sizeof *in), *out = t_alloc(N * sizeof *out), token = 0, flag;
    MPI_Request request;
    t_point("calls advance inside of MPI_Recv, after many calls without open ones");
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < IDLE; i++)
            MPI_Iprobe(MPI_ANY_SOURCE, 5, comm, &flag, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            in[i] = i + k;
        MPI_Iallreduce(in, out, N, MPI_INT, MPI_SUM, comm, &request);
        if (t_rank == 0)
            for (int i = 1; i < t_ranks; i++)
                MPI_Recv(&token, 1, MPI_INT, i, 6, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (t_rank > 0)
            MPI_Send(&token, 1, MPI_INT, 0, 6, comm);
        t_check(out[N - 1] == t_ranks * (N - 1 + k), "wrong values");
    }
    free(in);
    free(out);
}

/* ---- communicators that are freed again ---- */

static void many_communicators(void)
{
    value v[MOST];
    MPI_Request requests[MOST];
    t_point("communicators with unused requests are freed");
    for (int i = 0; i < 30; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int k = 0; k < i % MOST; k++)
            start_one(comm, 7 * i + k, &v[k], &requests[k]);
        MPI_Waitall(i % MOST, requests, MPI_STATUSES_IGNORE);
        for (int k = 0; k < i % MOST; k++)
            t_check(v[k].out == v[k].expected, "%d instead of %d", v[k].out, v[k].expected);
        MPI_Comm_free(&comm);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comms[2];
    MPI_Init(&argc, &argv);
    t_start(100);
    served = t_kind_served(T_ALLREDUCE, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    all_routines(comms);
    statuses(comms[0]);
    inactive(comms[1]);
    after_idleness(comms[0]);
    many_communicators();
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
