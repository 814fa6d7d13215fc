/* twins.h - choices that let all ranks do the same under different names: a radix beyond the number
 * of ranks, a window wider than there are rounds.  To measure both is a waste, and a race between
 * them never ends. */
#ifndef ATN_PLAN_TWINS_H
#define ATN_PLAN_TWINS_H

#include "plan/choice.h"

/* A choice and what is known of its schedules, found out when it is needed. */
typedef struct {
    atn_choice choice;
    uint64_t simple; /* one rank, in one piece; 0: not looked at yet */
    uint64_t one;    /* one rank, in all segments */
    uint64_t all;    /* all ranks, in a few segments */
} atn_twin;

/* Whether every rank does the same for the problem with either.  `steps` of work (trial.h) may be
 * made, and are reduced by those that were; when they are used up all choices differ.  A function
 * of what ranks share. */
bool atn_plan_are_twins(atn_twin *a, atn_twin *b, const atn_problem *q, int64_t *steps);

/* The simpler name of two twins: fewer parameters that differ from their defaults; of one row the
 * smaller values, of two rows the one that needs less, then the name that comes first. */
bool atn_plan_is_simpler(const atn_choice *a, const atn_choice *b);
/* Gives the choice the simplest name of its row for what it does: each parameter its default, or
 * else its smallest value, as far as that changes nothing.  Sizes of segments stay. */
void atn_plan_simplify(const atn_problem *q, atn_choice *choice, int64_t *steps);

#endif
