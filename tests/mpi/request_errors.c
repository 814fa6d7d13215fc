/* request_errors.c - erroneous nonblocking and persistent collectives, MPI_Cancel and
 * MPI_Request_free of one that the program has not completed: the same error class as natively,
 * through the same error handler, and a correct result afterwards.  For 2 ranks and more. */
#include "exercise.h"
#include "operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- routines: those that the program calls, and those in the file of the MPI library ---- */

#define ROUTINES(X)                                                                                \
    X(Ibarrier)                                                                                    \
    X(Ibcast)                                                                                      \
    X(Igather)                                                                                     \
    X(Iallgatherv)                                                                                 \
    X(Ireduce)                                                                                     \
    X(Iallreduce)                                                                                  \
    X(Wait)                                                                                        \
    X(Cancel)                                                                                      \
    X(Request_free)                                                                                \
    X(Start)                                                                                       \
    X(Startall)                                                                                    \
    X(Waitall)                                                                                     \
    X(Waitany)                                                                                     \
    X(Waitsome)                                                                                    \
    X(Test)                                                                                        \
    X(Testall)

typedef struct {
#define FIELD(name) __typeof__(&MPI_##name) name;
    ROUTINES(FIELD)
#undef FIELD
#ifdef T_INIT
    __typeof__(&T_INIT(Bcast)) Bcast_init;
    __typeof__(&T_INIT(Allreduce)) Allreduce_init;
#endif
} routines;

static routines called, real;

#define TEXT(...)    TEXT_OF(__VA_ARGS__)
#define TEXT_OF(...) #__VA_ARGS__

static void find_routines(void)
{
#define FIND(name)                                                                                 \
    called.name = MPI_##name;                                                                      \
    *(void **)&real.name = t_real_routine("PMPI_" #name);
    ROUTINES(FIND)
#undef FIND
#ifdef T_INIT
    called.Bcast_init = T_INIT(Bcast);
    called.Allreduce_init = T_INIT(Allreduce);
    *(void **)&real.Bcast_init = t_real_routine("P" TEXT(T_INIT(Bcast)));
    *(void **)&real.Allreduce_init = t_real_routine("P" TEXT(T_INIT(Allreduce)));
#endif
}

/* ---- erroneous calls ---- */

static int in[64], out[64], counts[64], displs[64];
static MPI_Request request;

static int negative_count(const routines *f, MPI_Comm comm)
{
    return f->Ibcast(in, -1, MPI_INT, 0, comm, &request);
}
static int negative_reduce(const routines *f, MPI_Comm comm)
{
    return f->Iallreduce(in, out, -5, MPI_INT, MPI_SUM, comm, &request);
}
static int root_too_large(const routines *f, MPI_Comm comm)
{
    return f->Ibcast(in, 1, MPI_INT, t_ranks, comm, &request);
}
static int root_negative(const routines *f, MPI_Comm comm)
{
    return f->Igather(in, 1, MPI_INT, out, 1, MPI_INT, -7, comm, &request);
}
static int reduce_root(const routines *f, MPI_Comm comm)
{
    return f->Ireduce(in, out, 1, MPI_INT, MPI_SUM, 1000, comm, &request);
}
static int null_type(const routines *f, MPI_Comm comm)
{
    return f->Ibcast(in, 1, MPI_DATATYPE_NULL, 0, comm, &request);
}
static int null_operator(const routines *f, MPI_Comm comm)
{
    return f->Iallreduce(in, out, 1, MPI_INT, MPI_OP_NULL, comm, &request);
}
static int wrong_operator(const routines *f, MPI_Comm comm)
{
    return f->Iallreduce(in, out, 1, MPI_DOUBLE, MPI_BAND, comm, &request);
}
static int aliased(const routines *f, MPI_Comm comm)
{
    return f->Iallreduce(in, in, 4, MPI_INT, MPI_SUM, comm, &request);
}
static int negative_block(const routines *f, MPI_Comm comm)
{
    counts[0] = counts[1] = -1;
    const int code = f->Iallgatherv(in, 1, MPI_INT, out, counts, displs, MPI_INT, comm, &request);
    counts[0] = counts[1] = 1;
    return code;
}
#ifdef T_INIT
static int persistent_negative_count(const routines *f, MPI_Comm comm)
{
    return f->Bcast_init(in, -1, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
}
static int persistent_root(const routines *f, MPI_Comm comm)
{
    return f->Bcast_init(in, 1, MPI_INT, t_ranks, comm, MPI_INFO_NULL, &request);
}
static int persistent_null_type(const routines *f, MPI_Comm comm)
{
    return f->Bcast_init(in, 1, MPI_DATATYPE_NULL, 0, comm, MPI_INFO_NULL, &request);
}
static int persistent_null_operator(const routines *f, MPI_Comm comm)
{
    return f->Allreduce_init(in, out, 1, MPI_INT, MPI_OP_NULL, comm, MPI_INFO_NULL, &request);
}
#endif
static int null_comm(const routines *f, MPI_Comm comm)
{
    (void)comm;
    return f->Ibarrier(MPI_COMM_NULL, &request);
}

/* Only errors that the native routine detects: others make it crash. */
static const struct {
    const char *name;
    int (*call)(const routines *f, MPI_Comm comm);
    bool open_mpi, mpich;
} wrongs[] = {
    {"negative count", negative_count, true, true},
    {"negative count in a reduction", negative_reduce, true, false},
    {"root too large", root_too_large, true, true},
    {"negative root", root_negative, true, true},
    {"root too large in a reduction", reduce_root, true, true},
    {"null datatype", null_type, true, true},
    {"null operator", null_operator, true, true},
    {"operator not valid for the type", wrong_operator, true, true},
    {"aliased send and receive buffers", aliased, false, true},
    {"negative count of a block", negative_block, false, true},
#ifdef T_INIT
    {"persistent, negative count", persistent_negative_count, true, true},
    {"persistent, root too large", persistent_root, true, true},
    {"persistent, null datatype", persistent_null_type, true, true},
    {"persistent, null operator", persistent_null_operator, true, true},
#endif
    {"null communicator", null_comm, true, true},
};
enum { WRONGS = sizeof wrongs / sizeof *wrongs };

static bool noticed(int i) { return T_OPEN_MPI ? wrongs[i].open_mpi : wrongs[i].mpich; }

/* ---- handlers ---- */

static MPI_Comm handled_comm;
static int handled, handled_by_world;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    handled++;
    handled_comm = *comm;
}

static void on_world_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled_by_world++;
}

static void set_handlers(MPI_Comm comm)
{
    MPI_Errhandler own, world;
    MPI_Comm_create_errhandler(on_error, &own);
    MPI_Comm_create_errhandler(on_world_error, &world);
    MPI_Comm_set_errhandler(comm, own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, world);
    MPI_Errhandler_free(&own);
    MPI_Errhandler_free(&world);
}

/* What an erroneous call does. */
typedef struct {
    int class, handled, handled_by_world;
} answer;

static answer answer_of(int code)
{
    answer a = {.class = -1, .handled = handled, .handled_by_world = handled_by_world};
    MPI_Error_class(code, &a.class);
    handled = handled_by_world = 0;
    return a;
}

static void compare(answer got, answer want)
{
    t_check(want.class != MPI_SUCCESS, "natively, the call succeeds");
    t_check(got.class == want.class, "error class %d, natively %d", got.class, want.class);
    t_check(got.handled == want.handled, "%d calls of the handler, natively %d", got.handled,
            want.handled);
    t_check(got.handled_by_world == want.handled_by_world,
            "%d calls of the handler of MPI_COMM_WORLD, natively %d", got.handled_by_world,
            want.handled_by_world);
}

static void next_is_right(MPI_Comm comm, uint64_t seed)
{
    MPI_Request next;
    const t_shape shape = {.kind = T_ALLREDUCE, .elements = 20};
    t_operation *o = t_operation_new(&shape, comm, seed);
    t_operation_call(o, T_NONBLOCKING, &next);
    MPI_Wait(&next, MPI_STATUS_IGNORE);
    t_check(t_operation_end(o) == 0, "the next call has wrong values");
    t_check(t_exercise(12, comm, seed, 20) == 0, "the next blocking call has wrong values");
}

static void erroneous_calls(MPI_Comm comm)
{
    t_point("error classes and handlers of erroneous calls are as natively");
    for (int i = 0; i < WRONGS; i++) {
        if (!noticed(i))
            continue;
        t_where("%s", wrongs[i].name);
        const answer want = answer_of(wrongs[i].call(&real, comm));
        const answer got = answer_of(wrongs[i].call(&called, comm));
        compare(got, want);
        t_check(got.handled == 0 || handled_comm == comm, "the handler was given another one");
        next_is_right(comm, (uint64_t)i);
    }
}

/* ---- active requests ---- */

/* The last rank starts late, so that the requests of the others are active. */
static void start(const routines *f, MPI_Comm comm, bool persistent)
{
    in[0] = t_rank + 1;
    out[0] = 0;
    if (t_rank == t_ranks - 1)
        usleep(20000);
#ifdef T_INIT
    if (persistent) {
        f->Allreduce_init(in, out, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
        f->Start(&request);
        return;
    }
#endif
    (void)persistent;
    f->Iallreduce(in, out, 1, MPI_INT, MPI_SUM, comm, &request);
}

/* Misuses of requests that have ended: only Open MPI frees them. */
typedef struct {
    const char *name;
    bool cancel, ended;
} misuse_kind;

static const misuse_kind misuses[] = {
    {"MPI_Request_free of an active call answers as natively", false, false},
    {"MPI_Cancel of an active call answers as natively", true, false},
    {"MPI_Request_free of a call that has ended answers as natively", false, true},
    {"MPI_Cancel of a call that has ended answers as natively", true, true},
};

static answer misuse(const routines *f, MPI_Comm comm, const misuse_kind *m)
{
    int flag = 0;
    start(f, comm, false);
    while (m->ended && !flag)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    const answer a = answer_of(m->cancel ? f->Cancel(&request) : f->Request_free(&request));
    if (a.class == MPI_SUCCESS)
        return a;
    t_check(request != MPI_REQUEST_NULL, "the request is null");
    MPI_Status status = {0};
    int cancelled = 0;
    t_check(f->Wait(&request, &status) == MPI_SUCCESS, "the wait fails");
    MPI_Test_cancelled(&status, &cancelled);
    t_check(!cancelled, "the call was cancelled");
    t_check(out[0] == t_ranks * (t_ranks + 1) / 2, "the result is %d", out[0]);
    return a;
}

/* The last rank's call may end in its start. */
static void misused_requests(MPI_Comm comm)
{
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        const misuse_kind *m = &misuses[i];
        const bool frees = T_OPEN_MPI && !m->cancel && (m->ended || t_rank == t_ranks - 1);
        t_point(m->name);
        for (int round = 0; round < 3; round++) {
            const answer want = misuse(&real, comm, m), got = misuse(&called, comm, m);
            if (!frees)
                compare(got, want);
            else if (m->ended)
                t_check(got.class == MPI_SUCCESS && want.class == MPI_SUCCESS,
                        "error class %d, natively %d", got.class, want.class);
            next_is_right(comm, (uint64_t)round);
        }
    }
}

/* ---- wrong arguments of routines that start and complete requests ---- */

static int flag, indices[1];

static int waitall_negative(const routines *f) { return f->Waitall(-1, &request, NULL); }
static int waitany_negative(const routines *f)
{
    return f->Waitany(-1, &request, &flag, MPI_STATUS_IGNORE);
}
static int waitsome_negative(const routines *f)
{
    return f->Waitsome(-1, &request, &flag, indices, MPI_STATUSES_IGNORE);
}
static int testall_negative(const routines *f)
{
    return f->Testall(-1, &request, &flag, MPI_STATUSES_IGNORE);
}
static int startall_negative(const routines *f) { return f->Startall(-1, &request); }
static int wait_null(const routines *f) { return f->Wait(NULL, MPI_STATUS_IGNORE); }
static int waitall_null(const routines *f) { return f->Waitall(1, NULL, MPI_STATUSES_IGNORE); }
static int test_null(const routines *f) { return f->Test(&request, NULL, MPI_STATUS_IGNORE); }
static int start_null(const routines *f) { return f->Start(NULL); }
static int startall_null(const routines *f) { return f->Startall(1, NULL); }
static int free_null(const routines *f) { return f->Request_free(NULL); }
static int cancel_null(const routines *f) { return f->Cancel(NULL); }

static const struct {
    const char *name;
    int (*call)(const routines *f);
} wrong_arguments[] = {
    {"MPI_Waitall, negative count", waitall_negative},
    {"MPI_Waitany, negative count", waitany_negative},
    {"MPI_Waitsome, negative count", waitsome_negative},
    {"MPI_Testall, negative count", testall_negative},
    {"MPI_Startall, negative count", startall_negative},
    {"MPI_Wait, null pointer", wait_null},
    {"MPI_Waitall, null pointer", waitall_null},
    {"MPI_Test, null pointer", test_null},
    {"MPI_Start, null pointer", start_null},
    {"MPI_Startall, null pointer", startall_null},
    {"MPI_Request_free, null pointer", free_null},
    {"MPI_Cancel, null pointer", cancel_null},
};

/* A persistent request exists, and a call is open. */
static void wrong_completions(MPI_Comm comm)
{
    MPI_Request kept = MPI_REQUEST_NULL;
    t_point("wrong arguments of routines that start and complete requests");
    if (t_form_exists(T_PERSISTENT)) {
        start(&called, comm, true);
        kept = request;
        MPI_Wait(&kept, MPI_STATUS_IGNORE);
    }
    start(&called, comm, false);
    for (size_t i = 0; i < sizeof wrong_arguments / sizeof *wrong_arguments; i++) {
        t_where("%s", wrong_arguments[i].name);
        const answer want = answer_of(wrong_arguments[i].call(&real));
        compare(answer_of(wrong_arguments[i].call(&called)), want);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (kept != MPI_REQUEST_NULL)
        MPI_Request_free(&kept);
    t_check(out[0] == t_ranks * (t_ranks + 1) / 2, "the result is %d", out[0]);
}

/* Handles are used again: requests of the program that have ended can be cancelled and freed. */
static void own_requests(MPI_Comm comm)
{
    t_point("requests for messages are cancelled and freed as before");
    for (int round = 0; round < 20; round++) {
        MPI_Request own[2];
        int flag = 0;
        start(&called, comm, false);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Irecv(NULL, 0, MPI_INT, 0, round, MPI_COMM_SELF, &own[0]);
        MPI_Irecv(NULL, 0, MPI_INT, 0, round, MPI_COMM_SELF, &own[1]);
        MPI_Send(NULL, 0, MPI_INT, 0, round, MPI_COMM_SELF);
        while (!flag)
            MPI_Request_get_status(own[0], &flag, MPI_STATUS_IGNORE);
        t_check(MPI_Cancel(&own[0]) == MPI_SUCCESS, "no request is cancelled after it has ended");
        t_check(MPI_Request_free(&own[0]) == MPI_SUCCESS, "no request is freed");
        t_check(MPI_Cancel(&own[1]) == MPI_SUCCESS, "no request is cancelled");
        MPI_Wait(&own[1], MPI_STATUS_IGNORE);
        t_check(handled + handled_by_world == 0, "a handler was called");
    }
}

/* ---- completion by another handler ---- */

/* The error handler may be replaced between the start and the wait. */
static void replaced_handler(MPI_Comm comm)
{
    t_point("an error handler set while a call is open is used by the next call");
    for (int persistent = 0; persistent < (t_form_exists(T_PERSISTENT) ? 2 : 1); persistent++) {
        start(&called, comm, persistent);
        MPI_Errhandler before;
        MPI_Comm_get_errhandler(comm, &before);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        MPI_Request open = request;
        t_check(negative_count(&called, comm) != MPI_SUCCESS, "no error");
        t_check(handled == 0, "the old handler was called");
        MPI_Comm_set_errhandler(comm, before);
        MPI_Errhandler_free(&before);
        MPI_Wait(&open, MPI_STATUS_IGNORE);
        t_check(out[0] == t_ranks * (t_ranks + 1) / 2, "the result is %d", out[0]);
        if (persistent)
            MPI_Request_free(&open);
    }
}

/* The receive buffer is smaller than the message: an error that only the transfer detects.  The MPI
 * libraries return different classes.  A single message between 2 ranks, so no rank waits for
 * another one forever. */
static void truncation(void)
{
    MPI_Comm comm;
    t_point("an error in the transfer is returned by the wait");
    MPI_Comm_split(MPI_COMM_WORLD, t_rank < 2, t_rank, &comm);
    set_handlers(comm);
    if (t_rank < 2) {
        MPI_Ibcast(in, t_rank == 0 ? 16 : 8, MPI_INT, 0, comm, &request);
        const answer got = answer_of(MPI_Wait(&request, MPI_STATUS_IGNORE));
        t_check((got.class == MPI_SUCCESS) == (t_rank == 0), "error class %d", got.class);
        t_check(request == MPI_REQUEST_NULL, "the request is not null");
        const bool served = getenv("TEST_SERVED") != NULL;
        t_check(got.handled + got.handled_by_world == (t_rank == 1) &&
                    (!served || got.handled_by_world == 0),
                "%d calls of the handler, %d of that of MPI_COMM_WORLD", got.handled,
                got.handled_by_world);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    t_start(60);
    t_exercise_begin();
    find_routines();
    for (int i = 0; i < 64; i++)
        counts[i] = 1, displs[i] = i % t_ranks;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    set_handlers(comm);
    t_point("the first calls");
    next_is_right(comm, 99);
    erroneous_calls(comm);
    misused_requests(comm);
    wrong_completions(comm);
    own_requests(comm);
    replaced_handler(comm);
    truncation();
    next_is_right(comm, 100);
    MPI_Comm_free(&comm);
    t_exercise_end();
    const int code = t_finish();
    MPI_Finalize();
    return code;
}
