/* request_edges.c - handles freed and requests kept beyond what they belong to, and messages that
 * have to advance while the program waits for collectives.  For 2 ranks and more.
 *
 * TEST_SERVED=1: Attune serves the calls.  Some legal calls then must work that fail natively. */
#include "completion.h"
#include "operation.h"

#include <stdlib.h>

static bool served;

/* ---- datatypes freed beside requests that do not use them ---- */

static int deleted;

static int on_delete(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

/* Of a type that calls back when it is really freed. */
static MPI_Datatype marked_type(int key)
{
    MPI_Datatype type;
    MPI_Type_vector(3, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_set_attr(type, key, NULL);
    return type;
}

static t_operation *open_one(MPI_Comm comm, t_form form, MPI_Request *request)
{
    const t_shape shape = {.kind = T_ALLREDUCE, .elements = 10};
    t_operation *o = t_operation_new(&shape, comm, 1);
    t_operation_call(o, form, request);
    return o;
}

static void other_types(MPI_Comm comm, t_form form)
{
    MPI_Request request;
    int key;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_delete, &key, NULL);
    t_operation *o = open_one(comm, form, &request);
    for (int i = 0; i < 5; i++) {
        MPI_Datatype type = marked_type(key);
        deleted = 0;
        MPI_Type_free(&type);
        t_check(type == MPI_DATATYPE_NULL, "the handle is not null");
        t_check(deleted == 1, "the type is kept");
    }
    if (t_form_persists(form)) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free_keyval(&key);
    t_check(t_operation_end(o) == 0, "wrong values");
}

/* ---- persistent requests that outlive their communicator ---- */

static void outlives(MPI_Comm comm, int kind, bool started_before)
{
    const t_shape shape = {.kind = kind, .elements = 9, .root = t_ranks - 1};
    MPI_Request request;
    MPI_Comm dup;
    MPI_Comm_dup(comm, &dup);
    t_operation *o = t_operation_new(&shape, dup, (uint64_t)kind);
    t_operation_call(o, T_PERSISTENT, &request);
    for (int i = started_before ? 0 : 1; i < 4; i++) {
        t_where("%s, start %d", t_operation_text(o), i);
        if (i == 1)
            MPI_Comm_free(&dup);
        t_operation_refill(o, (uint64_t)(10 * kind + i));
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        t_check(t_operation_wrong(o) == 0, "wrong values");
    }
    MPI_Request_free(&request);
    t_check(t_operation_end(o) == 0, "wrong values");
}

static void freed_communicator(MPI_Comm comm)
{
    t_point("persistent requests are started after their communicator was freed");
    if (!t_form_exists(T_PERSISTENT) || !served) {
        t_skip("this MPI has none, or crashes");
        return;
    }
    for (int kind = 0; kind < T_WITHOUT_TOPOLOGY; kind++)
        for (int before = 0; before < 2; before++)
            outlives(comm, kind, before);
}

/* ---- messages that advance in waits for collectives ---- */

enum { LARGE = 1 << 19 };

/* The partner starts the collective only when it has the message, whose transfer needs both. */
static void beside_message(MPI_Comm comm, int *data, int means, bool persists, bool receives)
{
    const t_shape shape = {.kind = T_ALLREDUCE, .elements = 2};
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, message = MPI_REQUEST_NULL;
    t_rng rng = t_seed(5, (uint64_t)means, (uint64_t)t_rank);
    t_operation *o = t_operation_new(&shape, comm, (uint64_t)means);
    if (persists)
        t_operation_call(o, T_PERSISTENT, &requests[1]);
    for (int round = 0; round < 3; round++) {
        t_where("%s, round %d", t_means_name(means), round);
        t_operation_refill(o, (uint64_t)round);
        if (t_rank == 0 && receives)
            MPI_Irecv(data, LARGE, MPI_INT, 1, 8, comm, &message);
        else if (t_rank == 0)
            MPI_Isend(data, LARGE, MPI_INT, 1, 8, comm, &message);
        else if (t_rank == 1 && receives)
            MPI_Ssend(data, LARGE, MPI_INT, 0, 8, comm);
        else if (t_rank == 1)
            MPI_Recv(data, LARGE, MPI_INT, 0, 8, comm, MPI_STATUS_IGNORE);
        if (persists)
            MPI_Start(&requests[1]);
        else
            t_operation_call(o, T_NONBLOCKING, &requests[1]);
        t_check(t_complete(means, 2, requests, (bool[]){false, persists}, &rng) == 0,
                "wrong answers");
        t_check(t_operation_wrong(o) == 0, "wrong values");
        MPI_Wait(&message, MPI_STATUS_IGNORE);
    }
    if (persists)
        MPI_Request_free(&requests[1]);
    t_check(t_operation_end(o) == 0, "wrong values");
}

static void messages_advance(MPI_Comm comm)
{
    int *data = t_alloc(LARGE * sizeof *data);
    t_point("messages advance in all routines that complete collectives");
    for (int means = 0; means < T_MEANS; means++)
        for (int i = 0; i < 4; i++)
            if (i < 2 || (t_form_exists(T_PERSISTENT) && t_means_persists(means, served)))
                beside_message(comm, data, means, i >= 2, i % 2);
    free(data);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    t_start(100);
    served = t_kind_served(T_ALLREDUCE, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    t_point("a datatype that no open call uses is freed at once");
    for (t_form form = T_NONBLOCKING; form < T_FORMS; form++)
        if (t_form_exists(form))
            other_types(comm, form);
    freed_communicator(comm);
    messages_advance(comm);
    MPI_Comm_free(&comm);
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
