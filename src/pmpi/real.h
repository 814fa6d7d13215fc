/* real.h - the MPI library underneath: its own routines, and a tool that follows in link order.
 *
 * Attune exports both MPI_X and PMPI_X, so a plain call of PMPI_Bcast from inside would come back
 * to itself: everything here calls interposed routines through atn_real only. */
#ifndef ATN_REAL_H
#define ATN_REAL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "sched/operation.h"

#define ATN_HIDDEN    __attribute__((visibility("hidden")))
#define ATN_EXPORT    __attribute__((visibility("default")))
#define ATN_LIKELY(x) __builtin_expect(!!(x), 1)

typedef struct {
#define ATN_CALL(name, id, formals, actuals, ...) int(*name) formals;
#define ATN_CONTROL(name, formals, actuals)       int(*name) formals;
#include "pmpi/calls.def"
} atn_routines;

/* The routines of the MPI library.  Never NULL: each entry finds the real one when first called,
 * so no constructor has to run first. */
extern atn_routines atn_real ATN_HIDDEN;

/* MPI_X of a tool behind us in link order (it will call PMPI_X, which is us again); NULL: none. */
extern atn_routines atn_tool ATN_HIDDEN;

/* One bit per operation each.  Work: more to do than calling atn_real.  Detours: MPI_X (but not
 * PMPI_X) has to go to a tool; all set at first because tools have not been looked for. */
#define ATN_BIT(op) (UINT64_C(1) << (op))
extern _Atomic uint64_t atn_work ATN_HIDDEN, atn_detours ATN_HIDDEN;

/* All that MPI_X looks at first, in one word: bits for work or detours, above them the epoch. */
extern _Atomic uint64_t atn_gate ATN_HIDDEN;
#define ATN_GATE_EPOCH ATN_BIT(ATN_OPERATIONS)

/* Finds all of the above; any number of threads may call it any number of times. */
void atn_resolve(void);
/* Sets the operations that have work to do. */
void atn_set_work(uint32_t operations);
/* What was kept of short calls (comm.h) holds no longer. */
void atn_next_epoch(void);

/* Whether the MPI library that the program uses is the very one that Attune is linked with (two
 * can be loaded at once); *used_p and *linked_p are file names for messages. */
bool atn_same_mpi(const char **used_p, const char **linked_p);

#endif
