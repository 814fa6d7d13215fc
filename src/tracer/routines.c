/* routines.c - the entry points of the tracer; resolves the real routines. */
#include "tracer/routines.h"

#include <pthread.h>
#include <stddef.h>

atn_tracer_routines atn_tracer_mpi, atn_tracer_pmpi;

#define RESOLVE(name) ATN_RESOLVE(atn_tracer_, "the tracer", name)

static void resolve_once(void)
{
    RESOLVE(Finalize)
#define ATN_ROUTINE(name, formals, actuals) RESOLVE(name)
#include "tracer/routines.def"
#define ATN_COLLECTIVE(name, id, formals, actuals, ...)                                            \
    RESOLVE(name) RESOLVE(ATN_NONBLOCKING_##name) ATN_IF_MPI4(RESOLVE(ATN_PERSISTENT_##name))
#include "tracer/collectives.def"
}

__attribute__((constructor)) void atn_tracer_resolve(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, resolve_once);
}

ATN_ENTRY_POINTS_FINALIZE(atn_tracer_)
#define ATN_TESTER(name, formals, actuals)
#define ATN_ROUTINE(name, formals, actuals) ATN_ENTRY_POINTS(atn_tracer_, name, formals, actuals)
#include "tracer/routines.def"
#define ATN_COLLECTIVE(name, id, formals, actuals, ...)                                            \
    ATN_ENTRY_POINTS(atn_tracer_, name, formals, actuals)                                          \
    ATN_ENTRY_POINTS(atn_tracer_, ATN_NONBLOCKING_##name,                                          \
                     (ATN_FORMALS(formals), MPI_Request * request),                                \
                     (ATN_ACTUALS(actuals), request))                                              \
    ATN_IF_MPI4(ATN_ENTRY_POINTS(atn_tracer_, ATN_PERSISTENT_##name,                               \
                                 (ATN_FORMALS(formals), MPI_Info info, MPI_Request * request),     \
                                 (ATN_ACTUALS(actuals), info, request)))
#include "tracer/collectives.def"
