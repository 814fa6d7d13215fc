/* form.h - the closed form of a choice in numbers: its cost on a network without contention. */
#ifndef ATN_FORM_H
#define ATN_FORM_H

#include "model/alpha_beta.h"
#include "plan/choice.h"

/* Seconds for q->bytes bytes when a message takes m->a + m->b per byte and a reduction m->g per
 * byte.  ATN_INPUT when the form cannot be evaluated here. */
atn_status atn_form_time(const atn_choice *choice, const atn_problem *q, const atn_alpha_beta *m,
                         double *seconds_p, atn_error *err);

#endif
