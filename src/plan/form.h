/* form.h - the closed form of a choice in numbers: its cost on a network without contention. */
#ifndef ATN_PLAN_FORM_H
#define ATN_PLAN_FORM_H

#include "algo/free_tree.h"
#include "model/alpha_beta.h"
#include "plan/choice.h"

/* Properties of the topology of a problem that forms use, computed on demand.  All zero: none
 * computed yet. */
typedef struct {
    double phases;
    struct {
        int slots, height; /* slots 0: not computed */
    } tree[ATN_MAX_ARITY + 1];
} atn_form_facts;

/* Seconds for q->bytes bytes on each of n networks, where a message takes a + b per byte and a
 * reduction g per byte.  ATN_INPUT when the form cannot be evaluated here. */
atn_status atn_plan_form_times(const atn_choice *choice, const atn_problem *q,
                               atn_form_facts *facts, const atn_alpha_beta *m, int n,
                               double *seconds, atn_error *err);

/* A closed form in two terms: what messages take without bytes, and the rest. */
typedef struct {
    double latency, bytes;
} atn_form_terms;
/* The form of a choice for any problem, kept for later ones.  NULL: it has none, or no memory. */
typedef struct atn_cost_form atn_cost_form;
atn_cost_form *atn_plan_form_open(const atn_choice *choice);
void atn_plan_form_close(atn_cost_form *f); /* NULL is fine */
/* Its terms, where the latency is that of a single segment; *more_p is what further ones add to it.
 * False: it cannot be evaluated here. */
bool atn_plan_form_terms(atn_cost_form *f, const atn_problem *q, atn_form_facts *facts,
                         const atn_alpha_beta *m, atn_form_terms *terms_p, double *more_p);

#endif
