/* trial.h - one choice made ready to be timed: its schedules on all ranks, joined to a graph, for
 * any machine. */
#ifndef ATN_TRIAL_H
#define ATN_TRIAL_H

#include "model/model.h"
#include "plan/choice.h"

/* Up to so many pieces are built; a pipeline takes the same time for each further one, which two
 * short ones tell. */
enum { ATN_FEW_PIECES = 16, ATN_TRIAL_PARTS = 2 };

typedef struct {
    int p;
    atn_schedule **s;
    atn_graph g;
} atn_trial_part;

typedef struct {
    const atn_topo *topo;
    int pieces, nparts;
    atn_trial_part part[ATN_TRIAL_PARTS]; /* as a whole; or of few pieces, and of half as many */
} atn_trial;

typedef enum { ATN_TRIAL_FITS, ATN_TRIAL_LARGE, ATN_TRIAL_RING } atn_trial_size;

/* budget: operations that may be built, reduced by those that were.  ATN_NOT_APPLICABLE when it
 * does not suffice; *size_p then tells what was found: ATN_TRIAL_RING when each rank sends to one
 * other only, which along the wires meets nobody.  q->topo must outlive it. */
atn_status atn_trial_make(const atn_choice *choice, const atn_problem *q, int64_t *budget,
                          atn_trial *x, atn_trial_size *size_p, atn_error *err);
void atn_trial_free(atn_trial *x);
/* Predicted seconds. */
atn_status atn_trial_time(const atn_trial *x, const atn_machine *m, const atn_model *model,
                          double *seconds_p, atn_error *err);

#endif
