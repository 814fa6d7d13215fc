/* requests.c - nonblocking and persistent collectives: results in all forms, requests in all
 * routines that take one, mixed with other requests, thousands open at once, handles freed while
 * open, first calls that must be local.
 *
 *     requests [OPEN]     OPEN: number of calls that are open at once (4000)
 *
 * TEST_SERVED=1: Attune serves the calls.  Some legal calls then must work that fail natively. */
#include "completion.h"
#include "exercise.h"
#include "operation.h"

#include <stdio.h>
#include <stdlib.h>

static bool served;

/* Starts a persistent request, too. */
static void start(t_operation *o, t_form form, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    const int code = t_operation_call(o, form, request);
    t_check(code == MPI_SUCCESS, "%s, %s returns %d", t_operation_text(o), t_form_name(form), code);
    if (t_form_persists(form))
        MPI_Start(request);
}

static void finish(t_operation *o, t_form form, MPI_Request *request)
{
    if (form != T_BLOCKING)
        MPI_Wait(request, MPI_STATUS_IGNORE);
    if (t_form_persists(form))
        MPI_Request_free(request);
    t_check(form == T_BLOCKING || *request == MPI_REQUEST_NULL, "the request is not null");
    t_where("%s, %s", t_operation_text(o), t_form_name(form));
    const long bad = t_operation_end(o);
    t_check(bad == 0, "%ld wrong ints", bad);
}

static void once(const t_shape *shape, t_form form, MPI_Comm comm, uint64_t seed)
{
    MPI_Request request;
    t_operation *o = t_operation_new(shape, comm, seed);
    t_where("%s, %s", t_operation_text(o), t_form_name(form));
    start(o, form, &request);
    finish(o, form, &request);
}

/* ---- results ---- */

static MPI_Comm ring(void)
{
    MPI_Comm comm;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &t_ranks, (int[]){1}, 0, &comm);
    return comm;
}

static MPI_Comm line(void)
{
    MPI_Comm comm;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &t_ranks, (int[]){0}, 0, &comm);
    return comm;
}

/* An irregular directed graph: r sends to 2r and 2r + 1; every process receives from others than
 * it sends to. */
static MPI_Comm graph(void)
{
    MPI_Comm comm;
    const int to[2] = {2 * t_rank % t_ranks, (2 * t_rank + 1) % t_ranks};
    const int degree = 2, weights[2] = {1, 1};
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &t_rank, &degree, to, weights, MPI_INFO_NULL, 0,
                          &comm);
    return comm;
}

/* All shapes: both layouts, in place or not, all operators, several roots. */
static void all_shapes(int kind, t_form form, MPI_Comm comm, int elements)
{
    for (int bits = 0; bits < 4; bits++)
        for (int reduction = 0; reduction < T_OPERATORS; reduction++) {
            const t_shape shape = {.kind = kind,
                                   .elements = elements + bits,
                                   .root = (bits + reduction) % t_ranks,
                                   .reduction = reduction,
                                   .in_place = bits & 1,
                                   .holes = bits & 2};
            once(&shape, form, comm, (uint64_t)(kind * 100 + bits * 10 + reduction));
        }
}

static void results(MPI_Comm comm)
{
    for (t_form form = 0; form < T_FORMS; form++) {
        char name[64];
        snprintf(name, sizeof name, "results, %s", t_form_name(form));
        t_point(name);
        if (!t_form_exists(form)) {
            t_skip("this MPI has none");
            continue;
        }
        for (int kind = 0; kind < T_WITHOUT_TOPOLOGY; kind++) {
            all_shapes(kind, form, comm, 7);
            all_shapes(kind, form, comm, 0);
        }
    }
}

static void neighbourhoods(void)
{
    MPI_Comm comms[] = {ring(), line(), graph()};
    t_point("results on topologies");
    for (size_t i = 0; i < sizeof comms / sizeof *comms; i++) {
        for (int kind = T_WITHOUT_TOPOLOGY; kind < T_KINDS; kind++)
            for (t_form form = 0; form < T_FORMS; form++)
                if (t_form_exists(form))
                    all_shapes(kind, form, comms[i], 5);
        MPI_Comm_free(&comms[i]);
    }
}

static void all_roots(MPI_Comm comm)
{
    static const int kinds[] = {T_BCAST, T_GATHER, T_GATHERV, T_SCATTER, T_SCATTERV, T_REDUCE};
    t_point("all roots at once");
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const int n = KINDS * t_ranks;
    t_operation **o = t_alloc((size_t)n * sizeof *o);
    MPI_Request *requests = t_alloc((size_t)n * sizeof *requests);
    t_rng rng = t_seed(4, 4, (uint64_t)t_rank);
    for (int i = 0; i < n; i++) {
        const t_shape shape = {.kind = kinds[i % KINDS], .elements = 20, .root = i / KINDS};
        o[i] = t_operation_new(&shape, comm, (uint64_t)i);
        start(o[i], T_NONBLOCKING, &requests[i]);
    }
    t_check(t_complete(0, n, requests, NULL, &rng) == 0, "wrong answers");
    for (int i = 0; i < n; i++) {
        t_where("%s", t_operation_text(o[i]));
        t_check(t_operation_end(o[i]) == 0, "wrong values");
    }
    free(o);
    free(requests);
}

static void large(MPI_Comm comm)
{
    t_point("large messages");
    for (int kind = 1; kind < T_WITHOUT_TOPOLOGY; kind++) {
        t_shape shape = {.kind = kind, .elements = 120000 / t_ranks, .root = t_ranks - 1};
        shape.reduction = kind % 2 ? T_USER_ORDERED : T_SUM;
        shape.holes = kind % 2;
        once(&shape, T_NONBLOCKING, comm, (uint64_t)kind);
    }
    const t_shape huge[] = {{.kind = T_BCAST, .elements = 1 << 20},
                            {.kind = T_ALLREDUCE, .elements = (1 << 18) + 3}};
    once(&huge[0], T_NONBLOCKING, comm, 1);
    once(&huge[1], T_NONBLOCKING, comm, 2);
    if (t_form_exists(T_PERSISTENT))
        once(&huge[1], T_PERSISTENT, comm, 3);
}

/* ---- arrays of requests ---- */

enum { SLOTS = 24, TAG = 7 };

/* A third collectives, a third messages between neighbours, a third MPI_REQUEST_NULL. */
typedef struct {
    t_operation *o[SLOTS];
    int out[SLOTS], in[SLOTS];
    MPI_Request requests[SLOTS];
} slots;

static void open_slots(slots *s, MPI_Comm comm, uint64_t seed)
{
    const int next = (t_rank + 1) % t_ranks, before = (t_rank + t_ranks - 1) % t_ranks;
    for (int i = 0; i < SLOTS; i++) {
        s->requests[i] = MPI_REQUEST_NULL;
        s->o[i] = NULL;
        s->out[i] = 1000 * t_rank + i;
        s->in[i] = -1;
        if (i % 4 == 0) {
            const t_shape shape =
                t_shape_random((int)((seed + (uint64_t)i) % T_WITHOUT_TOPOLOGY), seed, t_ranks, 30);
            s->o[i] = t_operation_new(&shape, comm, seed + (uint64_t)i);
            start(s->o[i], T_NONBLOCKING, &s->requests[i]);
        } else if (i % 4 == 1) {
            MPI_Irecv(&s->in[i], 1, MPI_INT, before, TAG + i, comm, &s->requests[i]);
        } else if (i % 4 == 2) {
            MPI_Isend(&s->out[i], 1, MPI_INT, next, TAG + i - 1, comm, &s->requests[i]);
        }
    }
}

static void close_slots(slots *s)
{
    const int before = (t_rank + t_ranks - 1) % t_ranks;
    for (int i = 0; i < SLOTS; i++) {
        if (s->o[i])
            t_check(t_operation_end(s->o[i]) == 0, "wrong values");
        else if (i % 4 == 1)
            t_check(s->in[i] == 1000 * before + i + 1, "received %d", s->in[i]);
    }
}

static void mixed_arrays(MPI_Comm comm)
{
    t_point("arrays mixed with other requests and MPI_REQUEST_NULL");
    for (int means = 0; means < T_MEANS; means++)
        for (int round = 0; round < 3; round++) {
            slots s;
            t_rng rng = t_seed((uint64_t)means, (uint64_t)round, (uint64_t)t_rank);
            t_where("%s, round %d", t_means_name(means), round);
            open_slots(&s, comm, (uint64_t)(means * 3 + round));
            t_check(t_complete(means, SLOTS, s.requests, NULL, &rng) == 0, "wrong answers");
            close_slots(&s);
        }
}

/* Statuses of messages stay right beside those of collectives. */
static void statuses(MPI_Comm comm)
{
    MPI_Status status[3];
    MPI_Request requests[3];
    int out = t_rank, in[2] = {0, 0}, sum = 0, count = 0;
    t_point("statuses of messages beside collectives");
    MPI_Irecv(in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[0]);
    MPI_Iallreduce(&out, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
    MPI_Isend(&out, 1, MPI_INT, (t_rank + 1) % t_ranks, 40 + t_rank, comm, &requests[2]);
    MPI_Waitall(3, requests, status);
    const int before = (t_rank + t_ranks - 1) % t_ranks;
    MPI_Get_count(&status[0], MPI_INT, &count);
    t_check(status[0].MPI_SOURCE == before && status[0].MPI_TAG == 40 + before && count == 1,
            "source %d, tag %d, count %d", status[0].MPI_SOURCE, status[0].MPI_TAG, count);
    t_check(in[0] == before && sum == t_ranks * (t_ranks - 1) / 2, "%d, sum %d", in[0], sum);
}

/* ---- many open calls ---- */

static void many(MPI_Comm comm, int n)
{
    char name[64];
    snprintf(name, sizeof name, "%d calls open at once, waited for in reverse order", n);
    t_point(name);
    t_operation **o = t_alloc((size_t)n * sizeof *o);
    MPI_Request *requests = t_alloc((size_t)n * sizeof *requests);
    for (int i = 0; i < n; i++) {
        const t_shape shape = {
            .kind = i % T_WITHOUT_TOPOLOGY, .elements = i % 5, .root = i % t_ranks};
        o[i] = t_operation_new(&shape, comm, (uint64_t)i);
        start(o[i], T_NONBLOCKING, &requests[i]);
    }
    for (int i = n - 1; i >= 0; i--) {
        t_where("call %d of %d: %s", i, n, t_operation_text(o[i]));
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        t_check(t_operation_end(o[i]) == 0, "wrong values");
    }
    free(o);
    free(requests);
}

/* ---- handles freed while a call is open ---- */

/* The last rank starts after the others have freed the handle. */
static void last_starts_late(MPI_Comm comm, bool before)
{
    if ((t_rank == t_ranks - 1) == before)
        MPI_Barrier(comm);
}

static void free_types_and_operators(MPI_Comm comm)
{
    t_point("datatype and operator freed while open");
    if (T_OPEN_MPI && !served) {
        t_skip("Open MPI crashes");
        return;
    }
    for (int kind = 1; kind < T_WITHOUT_TOPOLOGY; kind++)
        for (t_form form = T_NONBLOCKING; form < T_FORMS; form++) {
            const t_shape shape = {.kind = kind,
                                   .elements = 3000,
                                   .root = kind % t_ranks,
                                   .reduction = kind % 2 ? T_USER_SUM : T_USER_ORDERED,
                                   .holes = true};
            MPI_Request request;
            if (!t_form_exists(form))
                continue;
            t_operation *o = t_operation_new(&shape, comm, (uint64_t)kind);
            t_where("%s, %s", t_operation_text(o), t_form_name(form));
            if (t_form_persists(form))
                start(o, form, &request);
            last_starts_late(MPI_COMM_WORLD, true);
            if (!t_form_persists(form))
                start(o, form, &request);
            t_operation_free_handles(o);
            last_starts_late(MPI_COMM_WORLD, false);
            finish(o, form, &request);
        }
}

static void free_communicator(void)
{
    t_point("communicator freed while open");
    if (T_OPEN_MPI && !served) {
        t_skip("Open MPI crashes");
        return;
    }
    for (int kind = 0; kind < T_WITHOUT_TOPOLOGY; kind++) {
        const t_shape shape = {.kind = kind, .elements = 500, .root = kind % t_ranks};
        MPI_Request request;
        MPI_Comm dup;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        t_operation *o = t_operation_new(&shape, dup, (uint64_t)kind);
        t_where("%s", t_operation_text(o));
        start(o, T_NONBLOCKING, &request);
        MPI_Comm_free(&dup);
        t_check(dup == MPI_COMM_NULL, "the communicator is not null");
        t_check(t_exercise(12, MPI_COMM_WORLD, 3, 10) == 0, "wrong result of another call");
        finish(o, T_NONBLOCKING, &request);
    }
}

/* ---- local starts ---- */

/* Ranks start one after the other: each only after the call of the one before has returned. */
static void first_calls_are_local(void)
{
    int token = 0;
    t_point("the first call on a communicator returns before other ranks start");
    for (int kind = 0; kind < T_WITHOUT_TOPOLOGY; kind++)
        for (int down = 0; down < 2; down++) {
            const t_shape shape = {.kind = kind, .elements = 16000, .root = kind % t_ranks};
            const int step = down ? -1 : 1, first = down ? t_ranks - 1 : 0;
            MPI_Comm comm;
            MPI_Request request;
            MPI_Comm_split(MPI_COMM_WORLD, 0, kind % 2 ? -t_rank : t_rank, &comm);
            t_operation *o = t_operation_new(&shape, comm, (uint64_t)kind);
            t_where("%s", t_operation_text(o));
            if (t_rank != first)
                MPI_Recv(&token, 1, MPI_INT, t_rank - step, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            start(o, T_NONBLOCKING, &request);
            if (t_rank + step >= 0 && t_rank + step < t_ranks)
                MPI_Send(&token, 1, MPI_INT, t_rank + step, 1, MPI_COMM_WORLD);
            finish(o, T_NONBLOCKING, &request);
            MPI_Comm_free(&comm);
        }
}

/* ---- other communicators ---- */

static void intercommunicator(void)
{
    int mine = t_rank, got = -1, color = t_rank % 2;
    MPI_Comm half, inter;
    MPI_Request requests[3];
    t_point("intercommunicators");
    if (t_ranks < 2) {
        t_skip("needs 2 ranks");
        return;
    }
    MPI_Comm_split(MPI_COMM_WORLD, color, t_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - color, 5, &inter);
    int other = 0, sum = 0, expected = 0, from = -1;
    MPI_Comm_remote_size(inter, &other);
    MPI_Comm_rank(half, &got);
    for (int q = 1 - color; q < t_ranks; q += 2)
        expected += q;
    const int root = color == 1 ? 0 : got == 0 ? MPI_ROOT : MPI_PROC_NULL;
    from = color == 0 ? 4711 : -1;
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter, &requests[0]);
    MPI_Ibarrier(inter, &requests[1]);
    MPI_Ibcast(&from, 1, MPI_INT, root, inter, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    t_check(sum == expected, "sum %d instead of %d of %d ranks", sum, expected, other);
    t_check(from == 4711, "bcast %d", from);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void alone(void)
{
    t_point("MPI_COMM_SELF");
    for (int kind = 0; kind < T_WITHOUT_TOPOLOGY; kind++)
        for (t_form form = 0; form < T_FORMS; form++) {
            t_shape shape = {.kind = kind, .elements = 9, .holes = kind % 2};
            if (t_form_exists(form))
                once(&shape, form, MPI_COMM_SELF, (uint64_t)kind);
        }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    t_start(100);
    const int open = argc > 1 ? atoi(argv[1]) : 4000;
    served = getenv("TEST_SERVED") != NULL;
    t_exercise_begin();
    first_calls_are_local();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    results(comm);
    neighbourhoods();
    all_roots(comm);
    large(comm);
    mixed_arrays(comm);
    statuses(comm);
    many(comm, 64);
    many(comm, open);
    free_types_and_operators(comm);
    free_communicator();
    intercommunicator();
    alone();
    MPI_Comm_free(&comm);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
