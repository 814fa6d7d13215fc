/* candidates.h - what is worth considering for a problem: applicable rows with sensible parameters. */
#ifndef ATN_CANDIDATES_H
#define ATN_CANDIDATES_H

#include "plan/choice.h"

/* Each applicable row of q->op but native, with its defaults and with one parameter at a time moved
 * over its sensible values (segments that cut the message, orders that the topology allows, ...);
 * segments are also combined with orders.  Duplicates after cutting into pieces are dropped.
 * Returns how many; *list_p is freed by the caller; -1: out of memory.  A function of what ranks
 * share. */
int atn_candidates(const atn_problem *q, atn_choice **list_p);

#endif
