/* routines.h - the real routines that the stager calls, and its handlers of the interposed ones
 * (interpose/interpose.h). */
#ifndef ATN_STAGER_ROUTINES_H
#define ATN_STAGER_ROUTINES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "interpose/interpose.h"

typedef struct {
    int (*Finalize)(void);
    int (*Pcontrol)(const int level, ...);
    int (*Comm_create)(MPI_Comm comm, MPI_Group group, MPI_Comm *made);
    int (*Comm_free)(MPI_Comm *comm);
#define ATN_ROUTINE(name, formals, actuals) int(*name) formals;
#include "stager/routines.def"
} atn_stager_routines;

/* The MPI_X and the PMPI_X that follow in link order.  atn_stager_resolve fills them; calling it
 * again has no effect. */
extern atn_stager_routines atn_stager_mpi ATN_HIDDEN, atn_stager_pmpi ATN_HIDDEN;
void atn_stager_resolve(void);

#define ATN_ROUTINE(name, formals, actuals) ATN_HANDLER(atn_stager_, name, formals)
#include "stager/routines.def"
int atn_stager_Finalize(int (*next)(void), const void *from);

#endif
