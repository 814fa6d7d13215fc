/* doors.c - the exported routines, and how those behind them are found. */
#include "pmpi/messages/doors.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

atn_doors atn_behind, atn_pbehind;

static void *behind(const char *name)
{
    void *const next = dlsym(RTLD_NEXT, name);
    if (next == NULL)
        fprintf(stderr, "attune: the MPI library has no %s, which staging needs\n", name);
    return next;
}

#define FIND(name)                                                                                 \
    *(void **)&atn_behind.name = behind("MPI_" #name);                                             \
    *(void **)&atn_pbehind.name = behind("PMPI_" #name);

static void find_once(void)
{
    FIND(Init)
    FIND(Init_thread)
    FIND(Finalize)
    FIND(Pcontrol)
    FIND(Comm_create)
    FIND(Comm_free)
#define ATN_POINT(name, formals, actuals) FIND(name)
#include "pmpi/messages/points.def"
}

__attribute__((constructor)) void atn_doors_find(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_once);
}

/* Before the constructor has run, the entry itself looks. */
#define DOOR(doors, name)                                                                          \
    (ATN_LIKELY((doors).name != NULL) ? (doors).name : (atn_doors_find(), (doors).name))
#define EXPORT(MPI_, doors, name, formals, actuals)                                                \
    ATN_EXPORT int MPI_##name formals                                                              \
    {                                                                                              \
        return atn_on_##name(DOOR(doors, name), __builtin_return_address(0),                       \
                             ATN_ACTUALS(actuals));                                                \
    }
#define ATN_POINT(name, formals, actuals)                                                          \
    EXPORT(MPI_, atn_behind, name, formals, actuals)                                               \
    EXPORT(PMPI_, atn_pbehind, name, formals, actuals)
#include "pmpi/messages/points.def"
