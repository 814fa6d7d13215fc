/* entry.c - the exported collectives: MPI_X for programs, PMPI_X for tools and Fortran bindings.
 *
 * An operation that no rule touches costs one test of a bit.  MPI_X goes to a tool that follows
 * in link order, if there is one; the tool's PMPI_X call comes back to ours. */
#include "pmpi/tuned.h"

static inline void put(atn_user *u, const void *buf, int64_t count, MPI_Datatype type)
{
    *u = (atn_user){.buf = (void *)buf, .count = count, .type = type};
}
static inline void put_v(atn_user *u, const void *buf, const void *counts, const void *displs,
                         MPI_Datatype type)
{
    *u = (atn_user){.buf = (void *)buf, .counts = counts, .displs = displs, .type = type};
}
static inline void put_w(atn_user *u, const void *buf, const void *counts, const void *displs,
                         const MPI_Datatype *types)
{
    *u = (atn_user){.buf = (void *)buf,
                    .counts = counts,
                    .displs = displs,
                    .types = types,
                    .type = MPI_DATATYPE_NULL};
}
#define SIDE(side, buf, n, type)                 put(&call.side, buf, n, type);
#define SIDE_V(side, buf, counts, displs, type)  put_v(&call.side, buf, counts, displs, type);
#define SIDE_W(side, buf, counts, displs, types) put_w(&call.side, buf, counts, displs, types);
#define IN_PLACE(side, buffer, other)                                                              \
    if ((buffer) == MPI_IN_PLACE) {                                                                \
        call.in_place = true;                                                                      \
        call.side = call.other;                                                                    \
    }

#define KEY(n, datatype, operator, r)                                                              \
    ((atn_key){.count = (n), .type = (datatype), .op = (operator), .root = (r)})
#define NO_KEY                   ((atn_key){.count = -1})
#define ROOT_KEY(r)              KEY(0, MPI_DATATYPE_NULL, MPI_OP_NULL, r)
#define BUFFERS_IF(so, from, to) ((atn_buffers){.any = (so), .src = (from), .dst = (to)})
#define BUFFERS(from, to)        BUFFERS_IF(true, from, to)
#define SAME_SIDES               (sendcount == recvcount && sendtype == recvtype)
#define NO_BUFFERS               ((atn_buffers){.any = false})

static const atn_user nothing = {.type = MPI_DATATYPE_NULL};

static inline bool has(const _Atomic uint64_t *bits, atn_operation op)
{
    return (atomic_load_explicit(bits, memory_order_relaxed) & ATN_BIT(op)) != 0;
}

/* The steps of every call; everything that differs comes from the table.  What repeats an earlier
 * call is kept apart from the rest, which needs a large frame. */
#define ATN_CALL(name, id, formals, actuals, key, buffers, ...)                                    \
    static __attribute__((noinline)) int settle_##name formals                                     \
    {                                                                                              \
        atn_comm *const c = atn_comm_find(comm);                                                   \
        const int r __attribute__((unused)) = c->r;                                                \
        atn_call call = {.op = ATN_##id, .wide = ATN_WIDE, .mpi_op = MPI_OP_NULL};                 \
        call.src = call.dst = nothing;                                                             \
        __VA_ARGS__                                                                                \
        int code;                                                                                  \
        if (ATN_LIKELY(!atn_the_job.observed)) {                                                   \
            atn_turn turn;                                                                         \
            const bool served = atn_serve(c, &call, &turn, &code);                                 \
            if (turn.of == NULL) {                                                                 \
                atn_comm_know(c, &call, key, served, (buffers).any);                               \
                return atn_end(c, served ? code : atn_real.name actuals);                          \
            }                                                                                      \
            if (!served)                                                                           \
                code = atn_real.name actuals;                                                      \
            code = atn_end(c, atn_turn_done(c, &turn, code));                                      \
            atn_turn_know(c, &call, key, &turn, (buffers).any);                                    \
            return code;                                                                           \
        }                                                                                          \
        atn_observed o;                                                                            \
        if (atn_observed_begin(&o, c, &call, &code))                                               \
            return code;                                                                           \
        code = atn_real.name actuals;                                                              \
        return atn_observed_end(&o, code);                                                         \
    }                                                                                              \
    static __attribute__((noinline)) int stateless_##name formals                                  \
    {                                                                                              \
        if (!atn_the_job.observed)                                                                 \
            return atn_real.name actuals;                                                          \
        const double start = atn_stateless_begin();                                                \
        const int code = atn_real.name actuals;                                                    \
        if (code == MPI_SUCCESS)                                                                   \
            atn_stateless_end(comm, ATN_##id, start);                                              \
        return code;                                                                               \
    }                                                                                              \
    static __attribute__((noinline)) int serve_##name formals                                      \
    {                                                                                              \
        atn_short_end(ATN_##id);                                                                   \
        atn_comm *const c = atn_comm_enter(comm, ATN_##id);                                        \
        if (c == NULL)                                                                             \
            return stateless_##name actuals;                                                       \
        const int r __attribute__((unused)) = c->r;                                                \
        atn_known *const known = atn_comm_known(c, ATN_##id, key);                                 \
        if (known != NULL && atn_are_apart(buffers) &&                                             \
            (known->plan == NULL || atn_are_plain(buffers))) {                                     \
            atn_comm_passed(c, known);                                                             \
            atn_short_note(c, known);                                                              \
            return known->plan == NULL ? atn_real.name actuals : atn_repeat(c, known, buffers);    \
        }                                                                                          \
        return settle_##name actuals;                                                              \
    }                                                                                              \
    static inline int pass_##name formals                                                          \
    {                                                                                              \
        if (ATN_LIKELY(!has(&atn_work, ATN_##id)))                                                 \
            return atn_real.name actuals;                                                          \
        return serve_##name actuals;                                                               \
    }                                                                                              \
    static __attribute__((noinline)) int detour_##name formals                                     \
    {                                                                                              \
        if (atn_the_job.threads) {                                                                 \
            const atn_short *const s = &atn_thread_shorts[ATN_##id];                               \
            const int r __attribute__((unused)) = s->r;                                            \
            if (atn_are_apart(buffers) && atn_thread_passed(s, comm, key))                         \
                return atn_real.name actuals;                                                      \
        }                                                                                          \
        if (ATN_LIKELY(!has(&atn_detours, ATN_##id)))                                              \
            return pass_##name actuals;                                                            \
        atn_resolve();                                                                             \
        return atn_tool.name != NULL ? atn_tool.name actuals : pass_##name actuals;                \
    }                                                                                              \
    ATN_EXPORT int MPI_##name formals                                                              \
    {                                                                                              \
        const uint64_t gate = atomic_load_explicit(&atn_gate, memory_order_relaxed);               \
        if (ATN_LIKELY(!(gate & ATN_BIT(ATN_##id))))                                               \
            return atn_real.name actuals;                                                          \
        atn_short *const s = &atn_shorts[ATN_##id];                                                \
        const int r __attribute__((unused)) = s->r;                                                \
        if (ATN_LIKELY(atn_are_apart(buffers)) && atn_short_passed(s, gate, comm, key))            \
            return atn_real.name actuals;                                                          \
        return detour_##name actuals;                                                              \
    }                                                                                              \
    ATN_EXPORT int PMPI_##name formals { return pass_##name actuals; }
#include "pmpi/calls.def"
