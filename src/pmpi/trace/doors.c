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
#define ATN_CALL(name, id, formals, actuals, ...) FIND(name) FIND(ATN_LATER_##name)
#include "pmpi/calls.def"
}

__attribute__((constructor)) void atn_doors_find(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_once);
}

/* Before the constructor has run, the entry itself looks. */
#define DOOR(doors, name)                                                                          \
    (ATN_LIKELY((doors).name != NULL) ? (doors).name : (atn_doors_find(), (doors).name))
#define EXPORTS(name, formals, actuals)                                                            \
    ATN_EXPORT int ATN_GLUE(MPI_, name)(ATN_FORMALS(formals))                                      \
    {                                                                                              \
        return ATN_GLUE(atn_do_, name)(DOOR(atn_behind, name), __builtin_return_address(0),        \
                                       ATN_ACTUALS(actuals));                                      \
    }                                                                                              \
    ATN_EXPORT int ATN_GLUE(PMPI_, name)(ATN_FORMALS(formals))                                     \
    {                                                                                              \
        return ATN_GLUE(atn_do_, name)(DOOR(atn_pbehind, name), __builtin_return_address(0),       \
                                       ATN_ACTUALS(actuals));                                      \
    }

#define ATN_POINT(name, formals, actuals) EXPORTS(name, formals, actuals)
#include "pmpi/trace/points.def"
#define ATN_CALL(name, id, formals, actuals, ...)                                                  \
    EXPORTS(name, formals, actuals)                                                                \
    EXPORTS(ATN_LATER_##name, (ATN_FORMALS(formals), MPI_Request * request),                       \
            (ATN_ACTUALS(actuals), request))
#include "pmpi/calls.def"
