/* doors.c - the exported routines, and how those behind them are found. */
#include "pmpi/trace/doors.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

atn_doors atn_behind, atn_pbehind;

static void *behind(const char *name)
{
    void *const next = dlsym(RTLD_NEXT, name);
    if (next == NULL)
        fprintf(stderr, "attune: the MPI library has no %s, which the tracer needs\n", name);
    return next;
}

#define ATN_TEXT(x)  ATN_TEXT_(x)
#define ATN_TEXT_(x) #x
#define FIND(name)                                                                                 \
    *(void **)&atn_behind.name = behind("MPI_" ATN_TEXT(name));                                    \
    *(void **)&atn_pbehind.name = behind("PMPI_" ATN_TEXT(name));

static void find_once(void)
{
    FIND(Init)
    FIND(Init_thread)
    FIND(Finalize)
#define ATN_POINT(name, formals, actuals) FIND(name)
#include "pmpi/trace/points.def"
#define ATN_COLLECTIVE(name, id, formals, actuals, ...)                                            \
    FIND(name) FIND(ATN_LATER_##name) ATN_PERSISTENT(FIND(ATN_KEPT_##name))
#include "pmpi/trace/collectives.def"
}

__attribute__((constructor)) void atn_doors_find(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_once);
}

#define ATN_POLLS(name, formals, actuals)
#define ATN_POINT(name, formals, actuals) ATN_EXPORTS(name, formals, actuals)
#include "pmpi/trace/points.def"
#define ATN_COLLECTIVE(name, id, formals, actuals, ...)                                            \
    ATN_EXPORTS(name, formals, actuals)                                                            \
    ATN_EXPORTS(ATN_LATER_##name, (ATN_FORMALS(formals), MPI_Request * request),                   \
                (ATN_ACTUALS(actuals), request))                                                   \
    ATN_PERSISTENT(ATN_EXPORTS(ATN_KEPT_##name,                                                    \
                               (ATN_FORMALS(formals), MPI_Info info, MPI_Request * request),       \
                               (ATN_ACTUALS(actuals), info, request)))
#include "pmpi/trace/collectives.def"
