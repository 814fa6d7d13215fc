/* miniature.h - a problem with many ranks, seen on few: schedules are evaluated on a smaller
 * instance of the same tree (atn_topo_shrink), and the closed form of the choice extrapolates.
 *
 * The instance keeps rates per rank, so contention is that of all ranks; what differs is the number
 * of rounds and the bytes of messages, which closed forms have exactly. */
#ifndef ATN_PLAN_MINIATURE_H
#define ATN_PLAN_MINIATURE_H

#include "plan/choice.h"
#include "plan/form.h"
#include "topo/topo.h"

/* Up to EXACT ranks all schedules can be evaluated; ranks of a miniature, and of one in a job. */
enum { ATN_EXACT_RANKS = 64, ATN_SMALL_RANKS = 32, ATN_JOB_RANKS = 16 };
enum { ATN_SMALL_SEGMENTS = 6 };

typedef struct {
    atn_problem q;  /* of the few ranks */
    int p;          /* the ranks it stands for */
    atn_topo *topo; /* with rates for flows of all ranks */
    atn_topo *wide; /* with the rates of the links themselves, for few flows; NULL: as topo */
    int *ranks, *late;
    atn_lateness lateness;
} atn_miniature;

/* False: no memory.  q->topo must outlive it. */
bool atn_plan_miniature_begin(const atn_problem *q, int most, atn_miniature *x);
void atn_plan_miniature_end(atn_miniature *x);
/* The problem for a choice: shares of a message are as large as those of all ranks. */
atn_problem atn_plan_miniature_problem(const atn_miniature *x, const atn_choice *choice);

/* The time on all ranks of what takes `seconds` in the miniature, given the forms on few ranks and
 * on all; and the other way round.  What exceeds the form is due to its greater term. */
double atn_plan_miniature_extend(const atn_form_terms *few, const atn_form_terms *all,
                                 double seconds);
double atn_plan_miniature_reduce(const atn_form_terms *few, const atn_form_terms *all,
                                 double seconds);

#endif
