/* tuning.h - online tuning of nonblocking calls: their classes are their own, because what is
 * fastest when it is waited for at once need not be fastest beside computation.
 *
 * Rank 0 has the tuners; the others follow its orders (tune/order.h), which all ranks apply at the
 * same calls.  Where an order has not arrived by then, calls are held (held.h).  The functions of
 * this file need the lock of progress.h. */
#ifndef ATN_PMPI_NONBLOCKING_TUNING_H
#define ATN_PMPI_NONBLOCKING_TUNING_H

#include "pmpi/comm/state.h"
#include "pmpi/nonblocking/timing.h"

typedef struct atn_start_class atn_start_class;

typedef enum { ATN_TURN_NOW, ATN_TURN_LATER, ATN_TURN_FAILED } atn_turn_is;

/* The turn of the next call of a problem.  LATER: the order has not arrived; FAILED: it cannot be
 * followed. */
atn_turn_is atn_nonblocking_turn(atn_comm *c, const atn_call *call, const atn_problem *q,
                                 atn_start_turn *turn_p);

/* For calls that have ended (timing.h). */
void atn_nonblocking_tuning_note(const atn_timed_start *x);
/* Advances what travels between ranks. */
void atn_nonblocking_tuning_advance(void);
/* Whether any of it belongs to c. */
bool atn_nonblocking_tuning_busy(const atn_comm *c);
/* The communicator ends: nothing of it is in progress. */
void atn_nonblocking_tuning_free(atn_comm *c);

/* Number of classes of a communicator, for reports, which need them once; rank 0 has their tuners.
 */
int atn_nonblocking_classes_end(atn_comm *c);
/* Nanoseconds that tuning has cost; *lost_p: those in calls that were slower than native. */
int64_t atn_nonblocking_tuning_spent(const atn_comm *c, int64_t *lost_p);
const atn_call_class *atn_nonblocking_class_at(const atn_comm *c, int i);
/* The class of a turn, as an identity. */
const void *atn_nonblocking_class_of(const atn_start_turn *turn);

#endif
