/* arrivals.h - when ranks come to the calls of a kind, for algorithms that care (algo/early.h).
 *
 * Before candidates are chosen some calls are meetings, when rank 0 has said so: each rank takes
 * the time until all are there, and the times are exchanged, so that all know the same.  There is
 * none afterwards, so that what candidates follow stays as it is. */
#ifndef ATN_PMPI_ARRIVALS_H
#define ATN_PMPI_ARRIVALS_H

#include "pmpi/comm.h"
#include "tune/candidate_set.h"

/* False: no memory (to be voted on). */
bool atn_arrivals_start(atn_comm *c);
void atn_arrivals_stop(atn_comm *c);
/* Collective: a meeting, in a call that began at these ticks.  The ticks when all were there; 0:
 * there was none. */
int64_t atn_arrivals_meet(atn_comm *c, const atn_kind *x, int64_t entered);
/* When ranks come, for its schedules; NULL: not known, or together. */
const atn_lateness *atn_arrivals_of(const atn_comm *c, const atn_kind *x);
/* On rank 0: whether it has to be found out first. */
bool atn_arrivals_open(const atn_comm *c, const atn_kind *x);
/* On rank 0, or on all alike: adds what follows arrivals to the candidates, if ranks come apart. */
void atn_arrivals_add(const atn_comm *c, const atn_kind *x, atn_candidate_set *field);

#endif
