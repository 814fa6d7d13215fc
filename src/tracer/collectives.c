/* collectives.c - collectives (blocking, nonblocking, persistent), and creation and freeing of
 * communicators and types. */
#include "tracer/recent.h"
#include "tracer/rows.h"

/* ---- the arguments of a call, described by the macros of calls.def ---- */

typedef struct {
    bool given;
    const void *buf;
    int64_t count, bytes;
    MPI_Datatype type;
    atn_traced_counts each; /* of blocks of different sizes */
} side;

typedef struct {
    int root;
    MPI_Op mpi_op;
    side src, dst;
} collective;

enum { BY_COUNT = -1 }; /* bytes: count times size of the type */

static side one(const void *buf, int64_t count, MPI_Datatype type)
{
    return (side){.given = true, .buf = buf, .count = count, .bytes = BY_COUNT, .type = type};
}

/* With MPI_IN_PLACE the side that is ignored may have no counts. */
static side many(const void *buf, const void *counts, bool wide, MPI_Datatype type, int n)
{
    int64_t count = 0;
    for (int i = 0; i < n && counts != NULL; i++)
        count += atn_tracer_count(counts, wide, i);
    side s = one(buf, count, type);
    s.each = (atn_traced_counts){counts, NULL, type, n, wide};
    return s;
}

/* Under the lock, because it searches the table of types. */
static side many_types(const void *buf, const void *counts, bool wide, const MPI_Datatype *types,
                       int n)
{
    side s = {.given = true,
              .buf = buf,
              .type = MPI_DATATYPE_NULL,
              .each = {counts, types, MPI_DATATYPE_NULL, n, wide}};
    for (int i = 0; i < n && counts != NULL && types != NULL; i++) {
        const int64_t count = atn_tracer_count(counts, wide, i);
        s.count += count;
        s.bytes += count > 0 ? count * atn_tracer_find_type(types[i])->bytes : 0;
    }
    return s;
}

#define SIDE(s, buf, n, of) call.s = one(buf, n, of);
#define SIDE_V(s, buf, counts, displs, of)                                                         \
    call.s = many(buf, counts, ATN_WIDE, of, atn_tracer_find_comm(comm)->n);
#define SIDE_W(s, buf, counts, displs, of)                                                         \
    call.s = many_types(buf, counts, ATN_WIDE, of, atn_tracer_find_comm(comm)->n);
#define SIDE_TO(sum, buf, counts, of)                                                              \
    call.src = sum(buf, counts, ATN_WIDE, of, atn_tracer_find_comm(comm)->targets);
#define EDGES_OUT_V(buf, counts, displs, of) SIDE_TO(many, buf, counts, of)
#define EDGES_OUT_W(buf, counts, displs, of) SIDE_TO(many_types, buf, counts, of)
#define EDGES_IN(...)
#define EDGES_IN_V(...)
#define EDGES_IN_W(...)
#define IN_PLACE(s, buffer, other)                                                                 \
    if ((buffer) == MPI_IN_PLACE)                                                                  \
        call.s = call.other;

/* The data that this rank sends; if it sends none, the data that it receives. */
static const side *side_of(const collective *call)
{
    return call->src.given ? &call->src : &call->dst;
}

static const atn_traced_type *type_of(const side *s)
{
    static const atn_traced_type none = {.number = -1, .predefined = true};
    return s->given ? atn_tracer_find_type(s->type) : &none;
}

static atn_trace_what what_of(atn_trace_op op, const void *from, const atn_traced_comm *c,
                              const collective *call)
{
    const side *const s = side_of(call);
    const atn_traced_type *const type = type_of(s);
    return (atn_trace_what){.op = (uint8_t)op,
                            .depth = (uint8_t)atn_depth,
                            .thread = atn_tracer_thread,
                            .count = s->count,
                            .bytes = s->bytes == BY_COUNT ? s->count * type->bytes : s->bytes,
                            .buffer = (uintptr_t)s->buf,
                            .partner = call->root >= 0 ? atn_tracer_partner(c, call->root)
                                                       : ATN_TRACE_NO_RANK,
                            .tag = ATN_TRACE_NO_TAG,
                            .comm = c->number,
                            .type = type->number,
                            .site = atn_tracer_find_site(from)};
}

static unsigned put_new(atn_trace_op op, const void *from, const atn_traced_comm *c,
                        const collective *call, int64_t enter, int64_t exit)
{
    const atn_trace_what what = what_of(op, from, c, call);
    return atn_trace_put(atn_tracer_rec.writer, &what, enter, exit, 0);
}

/* Calls with several types are never repetitions: equal totals do not make them equal. */
static ATN_RARE void put_differing(const atn_recent_call *now, MPI_Comm comm,
                                   const collective *call, atn_recent_call *before, int64_t enter,
                                   int64_t exit)
{
    const side *const s = side_of(call);
    const bool simple = s->bytes == BY_COUNT || !s->given;
    if (simple && atn_tracer_record_repeated_type(type_of(s), now, before, enter, exit))
        return;
    const atn_traced_comm *const c = atn_tracer_find_comm(comm);
    const unsigned number = put_new((atn_trace_op)now->op, now->from, c, call, enter, exit);
    if (simple)
        atn_tracer_recent_store(now, c->r, type_of(s), before, number);
}

/* NULL: the sum is enough. */
static const atn_traced_counts *counts_of(atn_trace_op op, const collective *call)
{
    switch (op) {
    case ATN_TRACE_ALLTOALLV:
    case ATN_TRACE_IALLTOALLV:
    case ATN_TRACE_ALLTOALLW:
    case ATN_TRACE_IALLTOALLW:
        return &call->src.each;
    case ATN_TRACE_ALLGATHERV:
    case ATN_TRACE_IALLGATHERV:
        return &call->dst.each;
    default:
        return NULL;
    }
}

static void put(atn_trace_op op, bool starts, const void *from, MPI_Comm comm,
                const collective *call, atn_recent_call *before, int64_t enter, int64_t exit)
{
    const side *const s = side_of(call);
    const atn_recent_call now = {.from = from,
                                 .buf = s->buf,
                                 .count = s->count,
                                 .type = ATN_KEY(s->type),
                                 .comm = ATN_KEY(comm),
                                 .partner = call->root,
                                 .op = (uint8_t)op,
                                 .starts = starts};
    const atn_traced_counts *const counts = counts_of(op, call);
    if (counts != NULL)
        atn_tracer_put_row(op, comm, counts, enter);
    if (ATN_RARELY(!atn_tracer_record_repeated(&now, before, enter, exit)))
        put_differing(&now, comm, call, before, enter, exit);
}

/* ---- handlers ---- */

ATN_FAST int own_rank(MPI_Comm comm, const atn_recent_call *before)
{
    return before->comm == ATN_KEY(comm) && atn_tracer_is_valid(before)
               ? before->rank
               : atn_tracer_find_comm(comm)->r;
}

#define FILL(rank, ...)                                                                            \
    const int r __attribute__((unused)) = rank;                                                    \
    collective call = {.root = -1, .mpi_op = MPI_OP_NULL};                                         \
    __VA_ARGS__

#if MPI_VERSION >= 4
/* A persistent request. */
static void keep(atn_trace_op op, const void *from, const atn_traced_comm *c,
                 const collective *call, MPI_Request request)
{
    const atn_trace_what what = what_of(op, from, c, call);
    atn_tracer_add_persistent(request, &what, false, c->number);
}

#define PERSISTENT(name, id, formals, actuals, ...)                                                \
    int ATN_GLUE(atn_tracer_, ATN_PERSISTENT_##name)(                                              \
        int (*next)(ATN_FORMALS(formals), MPI_Info, MPI_Request *), const void *from,              \
        ATN_FORMALS(formals), MPI_Info info, MPI_Request *request)                                 \
    {                                                                                              \
        const bool wanted = atn_tracer_is_recorded();                                              \
        atn_depth++;                                                                               \
        const int code = next(ATN_ACTUALS(actuals), info, request);                                \
        atn_depth--;                                                                               \
        if (wanted && code == MPI_SUCCESS) {                                                       \
            atn_tracer_lock();                                                                     \
            const atn_traced_comm *const c = atn_tracer_find_comm(comm);                           \
            FILL(c->r, __VA_ARGS__)                                                                \
            keep(ATN_TRACE_START_##id, from, c, &call, *request);                                  \
            atn_tracer_unlock();                                                                   \
        }                                                                                          \
        return code;                                                                               \
    }
#else
#define PERSISTENT(...)
#endif

#define ATN_COLLECTIVE(name, id, formals, actuals, key, buffers, ...)                              \
    int atn_tracer_##name(int(*next) formals, const void *from, ATN_FORMALS(formals))              \
    {                                                                                              \
        atn_recent_call *const before = atn_tracer_recent_find(from, ATN_MIX actuals);             \
        ATN_RECORD_CALL(next actuals,                                                              \
                        FILL(own_rank(comm, before), __VA_ARGS__)                                  \
                            put(ATN_TRACE_##id, false, from, comm, &call, before, enter, exit);)   \
    }                                                                                              \
    int ATN_GLUE(atn_tracer_, ATN_NONBLOCKING_##name)(                                             \
        int (*next)(ATN_FORMALS(formals), MPI_Request *), const void *from, ATN_FORMALS(formals),  \
        MPI_Request *request)                                                                      \
    {                                                                                              \
        atn_recent_call *const before = atn_tracer_recent_find(from, ATN_MIX actuals);             \
        ATN_RECORD_CALL(                                                                           \
            next(ATN_ACTUALS(actuals), request),                                                   \
            FILL(own_rank(comm, before), __VA_ARGS__)                                              \
                put(ATN_TRACE_I##id, true, from, comm, &call, before, enter, exit);                \
            atn_tracer_add_request(*request, atn_tracer_rec.cursor->requests, false, -1);)         \
    }                                                                                              \
    PERSISTENT(name, id, formals, actuals, __VA_ARGS__)
#include "tracer/collectives.def"

/* ---- communicators and types ---- */

void atn_tracer_record_plain(atn_trace_op op, const void *from, int64_t enter, int64_t exit)
{
    const atn_traced_comm none = {.number = -1};
    const collective call = {.root = -1};
    atn_tracer_lock();
    put_new(op, from, &none, &call, enter, exit);
    atn_tracer_unlock();
}

#define ATN_COMM_MAKER(name, formals, actuals)                                                     \
    int atn_tracer_##name(int(*next) formals, const void *from, ATN_FORMALS(formals))              \
    {                                                                                              \
        const bool wanted = atn_tracer_is_recorded();                                              \
        const int64_t enter = atn_tracer_enter();                                                  \
        const int code = next actuals;                                                             \
        const int64_t exit = atn_tracer_leave();                                                   \
        if (atn_tracer_rec.on && code == MPI_SUCCESS)                                              \
            atn_tracer_add_comm(*made);                                                            \
        if (wanted && code == MPI_SUCCESS)                                                         \
            atn_tracer_record_plain(ATN_TRACE_COMM_CREATE, from, enter, exit);                     \
        return code;                                                                               \
    }
#include "tracer/routines.def"

/* The handle is removed before the real routine, because MPI may then reuse it in another
 * thread. */
static int free_comm(int (*next)(MPI_Comm *), const void *from, MPI_Comm *comm)
{
    const bool wanted = atn_tracer_is_recorded();
    if (atn_tracer_rec.on && comm != NULL && *comm != MPI_COMM_NULL)
        atn_tracer_remove_comm(*comm);
    const int64_t enter = atn_tracer_enter();
    const int code = next(comm);
    const int64_t exit = atn_tracer_leave();
    if (wanted && code == MPI_SUCCESS)
        atn_tracer_record_plain(ATN_TRACE_COMM_FREE, from, enter, exit);
    return code;
}

int atn_tracer_Comm_free(int (*next)(MPI_Comm *), const void *from, MPI_Comm *comm)
{
    return free_comm(next, from, comm);
}

int atn_tracer_Comm_disconnect(int (*next)(MPI_Comm *), const void *from, MPI_Comm *comm)
{
    return free_comm(next, from, comm);
}

int atn_tracer_Type_free(int (*next)(MPI_Datatype *), const void *from, MPI_Datatype *type)
{
    (void)from;
    if (atn_tracer_rec.on && type != NULL)
        atn_tracer_remove_type(*type);
    ATN_PASS(next(type));
}
