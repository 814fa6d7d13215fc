/* routines.h - the real routines that the tracer calls, and its handlers of the interposed ones
 * (interpose/interpose.h). */
#ifndef ATN_TRACER_ROUTINES_H
#define ATN_TRACER_ROUTINES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "interpose/interpose.h"
#include "interpose/nonblocking.h"

/* MPI 4 added persistent collectives. */
#if MPI_VERSION >= 4
#define ATN_IF_MPI4(...) __VA_ARGS__
#else
#define ATN_IF_MPI4(...)
#endif

/* Declared as hidden, too: otherwise every use goes through the global offset table. */
#pragma GCC visibility push(hidden)

typedef struct {
    int (*Finalize)(void);
#define ATN_ROUTINE(name, formals, actuals) int(*name) formals;
#include "tracer/routines.def"
#define ATN_COLLECTIVE(name, id, formals, actuals, ...)                                            \
    int(*name) formals;                                                                            \
    int (*ATN_NONBLOCKING_##name)(ATN_FORMALS(formals), MPI_Request * request);                    \
    ATN_IF_MPI4(                                                                                   \
        int (*ATN_PERSISTENT_##name)(ATN_FORMALS(formals), MPI_Info info, MPI_Request * request);)
#include "tracer/collectives.def"
} atn_tracer_routines;

/* The MPI_X and the PMPI_X that follow in link order.  atn_tracer_resolve fills them; calling it
 * again has no effect. */
extern atn_tracer_routines atn_tracer_mpi, atn_tracer_pmpi;
void atn_tracer_resolve(void);

/* Tests and probes have no handler: their entry points (ATN_ENTRY_POINTS_TEST) are the functions
 * that record them.  These resolve the real routine only off the fast path, and read their return
 * address only when they record a call: in a register it would have to be saved and restored. */
#if defined(__x86_64__) || (defined(__aarch64__) && !defined(__ARM_FEATURE_PAC_DEFAULT))
#define ATN_FROM() (((const void *const *)__builtin_frame_address(0))[1])
#else
#define ATN_FROM() __builtin_return_address(0)
#endif
#define ATN_ENTRY_POINTS_TEST(name, poll, formals, actuals)                                        \
    ATN_EXPORT int MPI_##name(ATN_FORMALS(formals))                                                \
    {                                                                                              \
        return poll(&atn_tracer_mpi, ATN_ACTUALS(actuals));                                        \
    }                                                                                              \
    ATN_EXPORT int PMPI_##name(ATN_FORMALS(formals))                                               \
    {                                                                                              \
        return poll(&atn_tracer_pmpi, ATN_ACTUALS(actuals));                                       \
    }

#define ATN_TESTER(name, formals, actuals)
#define ATN_ROUTINE(name, formals, actuals) ATN_HANDLER(atn_tracer_, name, formals)
#include "tracer/routines.def"
#define ATN_COLLECTIVE(name, id, formals, actuals, ...)                                            \
    ATN_HANDLER(atn_tracer_, name, formals)                                                        \
    ATN_HANDLER(atn_tracer_, ATN_NONBLOCKING_##name,                                               \
                (ATN_FORMALS(formals), MPI_Request * request))                                     \
    ATN_IF_MPI4(ATN_HANDLER(atn_tracer_, ATN_PERSISTENT_##name,                                    \
                            (ATN_FORMALS(formals), MPI_Info info, MPI_Request * request)))
#include "tracer/collectives.def"
int atn_tracer_Finalize(int (*next)(void), const void *from);

#pragma GCC visibility pop

#endif
