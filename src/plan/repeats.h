/* repeats.h - rounds that are alike.
 *
 * In rings every rank does the same in all rounds: two numbers of rounds show what each further one
 * takes, as segments of pipelines do (trial.h). */
#ifndef ATN_PLAN_REPEATS_H
#define ATN_PLAN_REPEATS_H

#include "plan/choice.h"

/* Runs of rounds at most: scatter, then gather; the shortest run that is worth it. */
enum { ATN_REPEAT_RUNS = 2, ATN_REPEAT_LEAST = 12 };

/* period: rounds after which partners are the same again. */
typedef struct {
    int first, end, period;
} atn_round_run;

/* The runs that the rounds of a segment consist of, but for a few rounds at their ends; 0: its
 * rounds differ, or are few.  s: of any rank. */
int atn_plan_repeats_find(const atn_choice *c, const atn_schedule *s,
                          atn_round_run runs[ATN_REPEAT_RUNS]);

#endif
