/* real.h - the real routines of the MPI library, and a tool that follows in link order.
 *
 * Attune exports both MPI_X and PMPI_X, so a call of PMPI_Bcast inside Attune would reach its own
 * entry point: interposed routines are called through atn_pmpi_real only. */
#ifndef ATN_PMPI_REAL_H
#define ATN_PMPI_REAL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "interpose/interpose.h"
#include "interpose/nonblocking.h"
#include "sched/operation.h"

/* The arguments of the nonblocking and the persistent form of a collective. */
#define ATN_STARTED(list, ...)    (ATN_LIST list, __VA_ARGS__)
#define ATN_I_FORMALS(formals)    ATN_STARTED(formals, MPI_Request *request)
#define ATN_I_ACTUALS(actuals)    ATN_STARTED(actuals, request)
#define ATN_INIT_FORMALS(formals) ATN_STARTED(formals, MPI_Info info, MPI_Request *request)
#define ATN_INIT_ACTUALS(actuals) ATN_STARTED(actuals, info, request)

typedef struct {
#define ATN_CALL(name, id, formals, actuals, ...)                                                  \
    int(*name) formals;                                                                            \
    int(*ATN_NONBLOCKING_##name) ATN_I_FORMALS(formals);                                           \
    ATN_IF_PERSISTENT(int(*ATN_PERSISTENT_##name) ATN_INIT_FORMALS(formals);)
#define ATN_CONTROL(name, formals, actuals) int(*name) formals;
#include "interpose/calls.def"
} atn_routines;

/* The routines of the MPI library.  Never NULL: each pointer finds the real routine when it is
 * first called, so no constructor has to run before. */
extern atn_routines atn_pmpi_real ATN_HIDDEN;

/* MPI_X of a tool that follows in link order (its call of PMPI_X enters Attune again); NULL:
 * none. */
extern atn_routines atn_pmpi_tool ATN_HIDDEN;

/* One bit per operation.  Work: Attune does more than call atn_pmpi_real.  Detours: MPI_X (but not
 * PMPI_X) must call a tool; all bits are set until tools have been looked up. */
#define ATN_BIT(op) (UINT64_C(1) << (op))
extern _Atomic uint64_t atn_pmpi_work ATN_HIDDEN, atn_detours ATN_HIDDEN;

/* What MPI_X tests first, in one word: bits for work or detours, above them the epoch (stage 1 of
 * comm/fastpath.h). */
extern _Atomic uint64_t atn_pmpi_gate ATN_HIDDEN;
#define ATN_GATE_EPOCH ATN_BIT(ATN_OPERATIONS)

/* What the routines that complete requests test first, in one word: requests that they have to look
 * for (nonblocking/request.h), above them calls that are timed (nonblocking/timing.h), above them
 * whether a tool may follow in link order.  0: the usual call is a jump to the MPI library. */
extern _Atomic uint64_t atn_pmpi_requests_gate ATN_HIDDEN;
#define ATN_REQUESTS_TIMED (UINT64_C(1) << 32)
#define ATN_REQUESTS_TOOL  (UINT64_C(1) << 63)

/* Looks up all of the above; may be called repeatedly and by several threads. */
void atn_pmpi_resolve(void);
/* Sets the work bits. */
void atn_pmpi_set_work(uint32_t operations);
/* Invalidates the last calls (stage 2 of comm/fastpath.h). */
void atn_pmpi_next_epoch(void);

/* Whether the program uses the MPI library that Attune is linked with (two can be loaded at once);
 * *used_p and *linked_p are file names for messages. */
bool atn_pmpi_same_mpi(const char **used_p, const char **linked_p);

#endif
