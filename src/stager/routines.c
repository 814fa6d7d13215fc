/* routines.c - the entry points of the stager; resolves the real routines. */
#include "stager/routines.h"

#include <pthread.h>
#include <stddef.h>

atn_stager_routines atn_stager_mpi, atn_stager_pmpi;

#define RESOLVE(name) ATN_RESOLVE(atn_stager_, "staging", name)

static void resolve_once(void)
{
    RESOLVE(Finalize)
    RESOLVE(Pcontrol)
    RESOLVE(Comm_create)
    RESOLVE(Comm_free)
#define ATN_ROUTINE(name, formals, actuals) RESOLVE(name)
#include "stager/routines.def"
}

__attribute__((constructor)) void atn_stager_resolve(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, resolve_once);
}

ATN_ENTRY_POINTS_FINALIZE(atn_stager_)
#define ATN_ROUTINE(name, formals, actuals) ATN_ENTRY_POINTS(atn_stager_, name, formals, actuals)
#include "stager/routines.def"
