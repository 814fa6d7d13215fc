/* doors.h - what stands behind this library, and what it does about each call.
 *
 * MPI_X goes on to the MPI_X that follows in link order (Attune's, a tool's, the MPI library's) and
 * PMPI_X to the PMPI_X that follows.  Each call passes through atn_on_X, which gets the routine
 * behind it and the address it was called from. */
#ifndef ATN_MESSAGES_DOORS_H
#define ATN_MESSAGES_DOORS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#define ATN_HIDDEN     __attribute__((visibility("hidden")))
#define ATN_EXPORT     __attribute__((visibility("default")))
#define ATN_LIKELY(x)  __builtin_expect(!!(x), 1)
#define ATN_LIST(...)  __VA_ARGS__
#define ATN_FORMALS(f) ATN_LIST f
#define ATN_ACTUALS(a) ATN_LIST a

typedef struct {
    int (*Init)(int *argc, char ***argv);
    int (*Init_thread)(int *argc, char ***argv, int required, int *provided);
    int (*Finalize)(void);
    int (*Pcontrol)(const int level, ...);
    int (*Comm_create)(MPI_Comm comm, MPI_Group group, MPI_Comm *made);
    int (*Comm_free)(MPI_Comm *comm);
#define ATN_POINT(name, formals, actuals) int(*name) formals;
#include "pmpi/messages/points.def"
} atn_doors;

/* What follows MPI_X, and what follows PMPI_X.  Filled by atn_doors_find, any number of times. */
extern atn_doors atn_behind ATN_HIDDEN, atn_pbehind ATN_HIDDEN;
void atn_doors_find(void);

#define ATN_POINT(name, formals, actuals)                                                          \
    int atn_on_##name(int(*next) formals, const void *from, ATN_FORMALS(formals));
#include "pmpi/messages/points.def"

#endif
