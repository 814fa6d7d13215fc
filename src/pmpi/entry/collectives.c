/* collectives.c - the exported collectives: MPI_X for programs, PMPI_X for tools and Fortran
 * bindings.  The stages that a call passes are described in comm/fastpath.h.
 *
 * MPI_X calls a tool that follows in link order, if there is one; the tool's call of PMPI_X then
 * enters here again. */
#include "pmpi/comm/fastpath.h"
#include "pmpi/entry/arguments.h"
#include "pmpi/observe/observe.h"
#include "pmpi/select/model.h"
#include "pmpi/select/online.h"
#include "pmpi/select/serve.h"

#define KEY(n, datatype, operator, r)                                                              \
    ((atn_call_key){.count = (n), .type = (datatype), .op = (operator), .root = (r)})
#define NO_KEY                   ((atn_call_key){.count = -1})
#define ROOT_KEY(r)              KEY(0, MPI_DATATYPE_NULL, MPI_OP_NULL, r)
#define BUFFERS_IF(so, from, to) ((atn_call_buffers){.any = (so), .src = (from), .dst = (to)})
#define BUFFERS(from, to)        BUFFERS_IF(true, from, to)
#define SAME_SIDES               (sendcount == recvcount && sendtype == recvtype)
#define NO_BUFFERS               ((atn_call_buffers){.any = false})

static inline bool has(const _Atomic uint64_t *bits, atn_operation op)
{
    return (atomic_load_explicit(bits, memory_order_relaxed) & ATN_BIT(op)) != 0;
}

/* The steps of every call; everything that differs comes from the table.  From the bottom to the
 * top: MPI_X tests gate and last call; `detour` forwards to tools; `serve` tests the caches of
 * communicators and calls; `settle`, which alone needs a large stack frame, consults selection;
 * `stateless` forwards calls on communicators without a state. */
#define ATN_CALL(name, id, formals, actuals, key, buffers, ...)                                    \
    static __attribute__((noinline)) int settle_##name formals                                     \
    {                                                                                              \
        atn_comm *const c = atn_comm_find(comm);                                                   \
        const int r __attribute__((unused)) = c->r;                                                \
        ATN_CALL_OF(id)                                                                            \
        __VA_ARGS__                                                                                \
        int code;                                                                                  \
        if (ATN_LIKELY(!atn_job_current.observed)) {                                               \
            atn_turn turn;                                                                         \
            const bool served = atn_select_serve(c, &call, &turn, &code);                          \
            if (turn.of == NULL) {                                                                 \
                atn_select_remember(c, &call, key, served, (buffers).any);                         \
                return atn_select_end(c, served ? code : atn_pmpi_real.name actuals);              \
            }                                                                                      \
            if (!served)                                                                           \
                code = atn_pmpi_real.name actuals;                                                 \
            code = atn_select_end(c, atn_select_online_done(c, &turn, code));                      \
            atn_select_online_remember(c, &call, key, &turn, (buffers).any);                       \
            return code;                                                                           \
        }                                                                                          \
        atn_observed_call o;                                                                       \
        if (atn_observe_begin(&o, c, &call, &code))                                                \
            return code;                                                                           \
        code = atn_pmpi_real.name actuals;                                                         \
        return atn_observe_end(&o, code);                                                          \
    }                                                                                              \
    static __attribute__((noinline)) int stateless_##name formals                                  \
    {                                                                                              \
        if (!atn_job_current.observed)                                                             \
            return atn_pmpi_real.name actuals;                                                     \
        const double start = atn_observe_stateless_begin();                                        \
        const int code = atn_pmpi_real.name actuals;                                               \
        if (code == MPI_SUCCESS)                                                                   \
            atn_observe_stateless_end(comm, ATN_##id, start);                                      \
        return code;                                                                               \
    }                                                                                              \
    static __attribute__((noinline)) int serve_##name formals                                      \
    {                                                                                              \
        atn_comm_last_call_clear(ATN_##id);                                                        \
        atn_comm *const c = atn_comm_enter(comm, ATN_##id);                                        \
        if (c == NULL)                                                                             \
            return stateless_##name actuals;                                                       \
        const int r __attribute__((unused)) = c->r;                                                \
        atn_cached_call *const hit = atn_comm_call_find(c, ATN_##id, key);                         \
        if (hit != NULL && atn_comm_buffers_distinct(buffers) &&                                   \
            (hit->plan == NULL || atn_comm_buffers_plain(buffers))) {                              \
            atn_comm_call_count(c, hit);                                                           \
            atn_comm_last_call_put(c, hit);                                                        \
            return hit->plan == NULL ? atn_pmpi_real.name actuals                                  \
                                     : atn_comm_call_repeat(c, hit, buffers);                      \
        }                                                                                          \
        return settle_##name actuals;                                                              \
    }                                                                                              \
    static inline int pass_##name formals                                                          \
    {                                                                                              \
        if (ATN_LIKELY(!has(&atn_pmpi_work, ATN_##id)))                                            \
            return atn_pmpi_real.name actuals;                                                     \
        return serve_##name actuals;                                                               \
    }                                                                                              \
    static __attribute__((noinline)) int detour_##name formals                                     \
    {                                                                                              \
        if (atn_job_current.threads) {                                                             \
            const atn_last_call *const s = &atn_comm_thread_last_calls[ATN_##id];                  \
            const int r __attribute__((unused)) = s->r;                                            \
            if (atn_comm_thread_last_call_hit(s, comm, key, buffers))                              \
                return s->plan == NULL ? atn_pmpi_real.name actuals                                \
                                       : atn_comm_last_call_repeat(s, buffers);                    \
        }                                                                                          \
        if (ATN_LIKELY(!has(&atn_detours, ATN_##id)))                                              \
            return pass_##name actuals;                                                            \
        atn_pmpi_resolve();                                                                        \
        return atn_pmpi_tool.name != NULL ? atn_pmpi_tool.name actuals : pass_##name actuals;      \
    }                                                                                              \
    ATN_EXPORT int MPI_##name formals                                                              \
    {                                                                                              \
        const uint64_t gate = atomic_load_explicit(&atn_pmpi_gate, memory_order_relaxed);          \
        if (ATN_LIKELY(!(gate & ATN_BIT(ATN_##id))))                                               \
            return atn_pmpi_real.name actuals;                                                     \
        atn_last_call *const s = &atn_comm_last_calls[ATN_##id];                                   \
        const int r __attribute__((unused)) = s->r;                                                \
        if (ATN_LIKELY(atn_comm_last_call_hit(s, gate, comm, key, buffers)))                       \
            return ATN_LIKELY(s->plan == NULL) ? atn_pmpi_real.name actuals                        \
                                               : atn_comm_last_call_repeat(s, buffers);            \
        return detour_##name actuals;                                                              \
    }                                                                                              \
    ATN_EXPORT int PMPI_##name formals { return pass_##name actuals; }
#include "interpose/calls.def"
