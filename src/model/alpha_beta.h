/* alpha_beta.h - the time of a schedule in a full-duplex, single-port network.
 *
 * A rank sends one message at a time and receives one at a time, both in program order.  A message
 * starts when both its operations are ready (their dependencies are complete) and both ports are
 * free, and takes a + b * bytes.  A reduction takes g * bytes; the reductions of a rank are
 * sequential.  Copies are free. */
#ifndef ATN_MODEL_ALPHA_BETA_H
#define ATN_MODEL_ALPHA_BETA_H

#include "sched/schedule.h"

typedef struct {
    double a, b, g;
} atn_alpha_beta;

/* schedules[r] for every rank r; every natural block has n bytes.  *time_p: completion time of the
 * last rank, all having started at 0.  ATN_FINDING: deadlock. */
atn_status atn_model_alpha_beta_time(atn_schedule *const *schedules, int p, int64_t n,
                                     const atn_alpha_beta *m, double *time_p, atn_error *err);

#endif
