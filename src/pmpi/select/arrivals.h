/* arrivals.h - arrival patterns of call classes, for algorithms that use them (algo/early.h).
 *
 * Before candidates are chosen, and if rank 0 has advised so, a call measures arrivals: each rank
 * takes the time until all ranks have entered, and the times are exchanged, so that all ranks hold
 * the same pattern.  Later calls do not measure, so the pattern that candidates use stays fixed. */
#ifndef ATN_PMPI_SELECT_ARRIVALS_H
#define ATN_PMPI_SELECT_ARRIVALS_H

#include "pmpi/comm/state.h"
#include "tune/candidate_set.h"

/* False: no memory (part of the agreement). */
bool atn_select_arrivals_start(atn_comm *c);
void atn_select_arrivals_stop(atn_comm *c);
/* Collective: measures arrivals in a call that began at these ticks.  Returns the ticks when all
 * ranks had entered; 0: nothing was measured. */
int64_t atn_select_arrivals_measure(atn_comm *c, const atn_call_class *x, int64_t entered);
/* The arrival pattern, for schedules; NULL: unknown, or without skew. */
const atn_lateness *atn_select_arrivals_of(const atn_comm *c, const atn_call_class *x);
/* On rank 0: whether arrivals have to be measured first. */
bool atn_select_arrivals_needed(const atn_comm *c, const atn_call_class *x);
/* On rank 0, or on all ranks alike: if arrivals are skewed, adds the algorithms that use them to
 * the candidates. */
void atn_select_arrivals_add(const atn_comm *c, const atn_call_class *x, atn_candidate_set *field);

#endif
