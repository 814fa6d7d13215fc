/* nonblocking.c - the exported nonblocking and persistent collectives; control.c has the routines
 * that start, cancel and free requests.
 *
 * MPI_X calls a tool that follows in link order, if there is one; otherwise it does the same as
 * PMPI_X. */
#include "pmpi/nonblocking/start.h"

#include "pmpi/entry/arguments.h"
#include "pmpi/nonblocking/held.h"
#include "pmpi/observe/observe.h"

/* `reported`: by its class. */
static void pass(MPI_Comm comm, atn_operation op, bool reported)
{
    atn_nonblocking_count(false);
    if ((atn_sched_operation_get(op)->flags & ATN_TYPED) != 0)
        atn_observe_nonblocking(comm, reported);
}

#define EXPORT(MPI, PMPI, name, formals, actuals)                                                  \
    ATN_EXPORT int ATN_GLUE(PMPI, name) formals { return ATN_GLUE(do_, name) actuals; }            \
    ATN_EXPORT int ATN_GLUE(MPI, name) formals                                                     \
    {                                                                                              \
        atn_pmpi_resolve();                                                                        \
        return atn_pmpi_tool.name != NULL ? atn_pmpi_tool.name actuals                             \
                                          : ATN_GLUE(do_, name) actuals;                           \
    }

/* `serve`: the function that starts the call or makes the request. */
#define FORM(name, id, formals, actuals, local, serve, ...)                                        \
    static int ATN_GLUE(do_, name) formals                                                         \
    {                                                                                              \
        atn_comm *const c = atn_nonblocking_enter(comm, ATN_##id, local);                          \
        if (c != NULL && request != NULL) {                                                        \
            const int r __attribute__((unused)) = c->r;                                            \
            int code;                                                                              \
            ATN_CALL_OF(id)                                                                        \
            __VA_ARGS__                                                                            \
            if (serve(c, &call, request, &code))                                                   \
                return code;                                                                       \
        }                                                                                          \
        pass(comm, ATN_##id, c != NULL && (local));                                                \
        const int started = atn_pmpi_real.name actuals;                                            \
        atn_nonblocking_started(started == MPI_SUCCESS ? *request : MPI_REQUEST_NULL);             \
        return started;                                                                            \
    }

#define ATN_CALL(name, id, formals, actuals, key, buffers, ...)                                    \
    FORM(ATN_NONBLOCKING_##name, id, ATN_I_FORMALS(formals), ATN_I_ACTUALS(actuals), true,         \
         atn_nonblocking_start, __VA_ARGS__)                                                       \
    EXPORT(MPI_, PMPI_, ATN_NONBLOCKING_##name, ATN_I_FORMALS(formals), ATN_I_ACTUALS(actuals))    \
    ATN_IF_PERSISTENT(FORM(ATN_PERSISTENT_##name, id, ATN_INIT_FORMALS(formals),                   \
                           ATN_INIT_ACTUALS(actuals), false, atn_nonblocking_init, __VA_ARGS__)    \
                          EXPORT(ATN_PERSISTENT_MPI, ATN_PERSISTENT_PMPI, ATN_PERSISTENT_##name,   \
                                 ATN_INIT_FORMALS(formals), ATN_INIT_ACTUALS(actuals)))
#include "interpose/calls.def"
