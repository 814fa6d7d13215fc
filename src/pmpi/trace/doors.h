/* doors.h - the tracer stands before every other library: what is behind it.
 *
 * MPI_X goes on to the MPI_X that follows in link order (Attune's, a tool's, the MPI library's) and
 * PMPI_X to the PMPI_X that follows.  Each call passes through atn_do_X, which gets the routine
 * behind it and the address it was called from. */
#ifndef ATN_TRACE_DOORS_H
#define ATN_TRACE_DOORS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "pmpi/trace/later.h"

#define ATN_HIDDEN    __attribute__((visibility("hidden")))
#define ATN_EXPORT    __attribute__((visibility("default")))
#define ATN_LIKELY(x) __builtin_expect(!!(x), 1)
#define ATN_RARELY(x) __builtin_expect(!!(x), 0)

/* Adds to a list in parentheses. */
#define ATN_LIST(...)   __VA_ARGS__
#define ATN_FORMALS(f)  ATN_LIST f
#define ATN_ACTUALS(a)  ATN_LIST a
#define ATN_GLUE(a, b)  ATN_GLUE_(a, b)
#define ATN_GLUE_(a, b) a##b

/* Persistent collectives came with MPI 4. */
#if MPI_VERSION >= 4
#define ATN_PERSISTENT(...) __VA_ARGS__
#else
#define ATN_PERSISTENT(...)
#endif

/* Said where they are declared, too: else every use looks them up in the table of the linker. */
#pragma GCC visibility push(hidden)

typedef struct {
    int (*Init)(int *argc, char ***argv);
    int (*Init_thread)(int *argc, char ***argv, int required, int *provided);
    int (*Finalize)(void);
#define ATN_POINT(name, formals, actuals) int(*name) formals;
#include "pmpi/trace/points.def"
#define ATN_COLLECTIVE(name, id, formals, actuals, ...)                                            \
    int(*name) formals;                                                                            \
    int (*ATN_LATER_##name)(ATN_FORMALS(formals), MPI_Request * request);                          \
    ATN_PERSISTENT(                                                                                \
        int (*ATN_KEPT_##name)(ATN_FORMALS(formals), MPI_Info info, MPI_Request * request);)
#include "pmpi/trace/collectives.def"
} atn_doors;

/* What follows MPI_X, and what follows PMPI_X.  Filled by atn_doors_find, any number of times. */
extern atn_doors atn_behind, atn_pbehind;
void atn_doors_find(void);

/* Before the constructor has run, the entry itself looks. */
#define ATN_DOOR(doors, name)                                                                      \
    (ATN_LIKELY((doors).name != NULL) ? (doors).name : (atn_doors_find(), (doors).name))
#define ATN_EXPORTS(name, formals, actuals)                                                        \
    ATN_EXPORT int ATN_GLUE(MPI_, name)(ATN_FORMALS(formals))                                      \
    {                                                                                              \
        return ATN_GLUE(atn_do_, name)(ATN_DOOR(atn_behind, name), __builtin_return_address(0),    \
                                       ATN_ACTUALS(actuals));                                      \
    }                                                                                              \
    ATN_EXPORT int ATN_GLUE(PMPI_, name)(ATN_FORMALS(formals))                                     \
    {                                                                                              \
        return ATN_GLUE(atn_do_, name)(ATN_DOOR(atn_pbehind, name), __builtin_return_address(0),   \
                                       ATN_ACTUALS(actuals));                                      \
    }

/* Of polls.  They look for their door only where they are not quick, which is before it is found,
 * and for where they were called from only if that is recorded: kept in a register it would have to
 * be saved and restored. */
#if defined(__x86_64__) || (defined(__aarch64__) && !defined(__ARM_FEATURE_PAC_DEFAULT))
#define ATN_FROM() (((const void *const *)__builtin_frame_address(0))[1])
#else
#define ATN_FROM() __builtin_return_address(0)
#endif
#define ATN_EXPORTS_POLL(name, poll, formals, actuals)                                             \
    ATN_EXPORT int MPI_##name(ATN_FORMALS(formals))                                                \
    {                                                                                              \
        return poll(&atn_behind, ATN_ACTUALS(actuals));                                            \
    }                                                                                              \
    ATN_EXPORT int PMPI_##name(ATN_FORMALS(formals))                                               \
    {                                                                                              \
        return poll(&atn_pbehind, ATN_ACTUALS(actuals));                                           \
    }

/* What is done about a call: the same for both names of a routine.  Polls are exported where they
 * are recorded, without a step between. */
#define ATN_POLLS(name, formals, actuals)
#define ATN_POINT(name, formals, actuals)                                                          \
    int atn_do_##name(int(*next) formals, const void *from, ATN_FORMALS(formals));
#include "pmpi/trace/points.def"
#define ATN_COLLECTIVE(name, id, formals, actuals, ...)                                            \
    int atn_do_##name(int(*next) formals, const void *from, ATN_FORMALS(formals));                 \
    int ATN_GLUE(atn_do_, ATN_LATER_##name)(int (*next)(ATN_FORMALS(formals), MPI_Request *),      \
                                            const void *from, ATN_FORMALS(formals),                \
                                            MPI_Request *request);                                 \
    ATN_PERSISTENT(int ATN_GLUE(atn_do_, ATN_KEPT_##name)(                                         \
                       int (*next)(ATN_FORMALS(formals), MPI_Info, MPI_Request *),                 \
                       const void *from, ATN_FORMALS(formals), MPI_Info info,                      \
                       MPI_Request *request);)
#include "pmpi/trace/collectives.def"

#pragma GCC visibility pop

#endif
