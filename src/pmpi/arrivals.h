/* arrivals.h - when ranks come to the calls of a kind, for algorithms that care (algo/early.h).
 *
 * Calls at which rank 0 is asked for advice are meetings: each rank takes the time until all are
 * there, and the times are exchanged, so that all know the same.  No call is asked about any more
 * once its candidates are chosen, so that what they follow stays as it is. */
#ifndef ATN_PMPI_ARRIVALS_H
#define ATN_PMPI_ARRIVALS_H

#include "pmpi/comm.h"
#include "tune/lesson.h"

/* False: no memory (to be voted on). */
bool atn_arrivals_start(atn_comm *c);
void atn_arrivals_stop(atn_comm *c);
/* Collective: rank 0 is about to be asked about the kind, in a call that began at these ticks. */
void atn_arrivals_meet(atn_comm *c, const atn_kind *x, int64_t entered);
/* When ranks come, for its schedules; NULL: not known, or together. */
const atn_lateness *atn_arrivals_of(const atn_comm *c, const atn_kind *x);
/* Whether it has to be found out first. */
bool atn_arrivals_open(const atn_comm *c, const atn_kind *x);
/* On rank 0: adds what follows arrivals to the candidates, if ranks come apart. */
void atn_arrivals_add(const atn_comm *c, const atn_kind *x, atn_field *field);

#endif
