/* alpha_beta.h - the time of a schedule in a full-duplex, single-port network.
 *
 * A rank sends one message at a time and receives one at a time, both in the order of its program.
 * A message starts when both its operations are ready (what they wait for is done) and both ports
 * are free, and takes a + b * bytes.  A reduction takes g * bytes of its rank, one after the other;
 * copies are free. */
#ifndef ATN_ALPHA_BETA_H
#define ATN_ALPHA_BETA_H

#include "sched/schedule.h"

typedef struct {
    double a, b, g;
} atn_alpha_beta;

/* schedules[r] for every rank r; every natural block has n bytes.  *time_p: when the last rank is
 * done, all having begun at 0.  ATN_FINDING when operations wait for each other for ever. */
atn_status atn_alpha_beta_time(atn_schedule *const *schedules, int p, int64_t n,
                               const atn_alpha_beta *m, double *time_p, atn_error *err);

#endif
