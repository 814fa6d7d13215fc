/* patterns.h - recurring patterns of sizes in alltoallv, alltoallw and allgatherv, and algorithms
 * made for them (algo/known_pattern.h).
 *
 * Each rank has a hash of its own sizes, and the driver agrees on whether those of all ranks recur
 * (tune/drivers/patterns.c).  Then the sizes of all ranks are collected on rank 0 along a tree and
 * distributed, once for each pattern of a call class.  In allgatherv every rank has them.  A
 * pattern of that name is the same on all ranks of the communicator, or none of them uses it. */
#ifndef ATN_PMPI_SELECT_PATTERNS_H
#define ATN_PMPI_SELECT_PATTERNS_H

#include "pmpi/comm/state.h"
#include "tune/drivers/driver.h"

/* The pattern of a call whose sizes all ranks share, if all ranks of the job have it from the start
 * of the job: the same on all ranks; 0: none. */
uint64_t atn_select_patterns_of_call(const atn_comm *c, const atn_call *call);
/* Takes note of the sizes of a call of the class. */
void atn_select_patterns_note(const atn_comm *c, const atn_call *call, atn_call_class *x);
/* Collective; see atn_driver_setup. */
void atn_select_patterns_recognise(void *context, atn_call_class *x, uint64_t hash);
/* Whether a choice names no pattern, or one that all ranks have and that the class has or, before
 * its first call, may have. */
bool atn_select_patterns_serves(const atn_call_class *x, const atn_choice *choice);
/* Adds candidates made for the pattern of the class. */
void atn_select_patterns_add(const atn_call_class *x, atn_candidate_set *field);

#endif
