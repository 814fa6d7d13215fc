/* tau_steps.h - the steps of traffic on a mapping: what formula and time have in common. */
#ifndef ATN_TAU_STEPS_H
#define ATN_TAU_STEPS_H

#include "research/taulop/derive.h"

/* One transfer, reduction or copy of a step, and what it uses. */
typedef struct {
    int channel, node;
    int64_t size;
} atn_use;

typedef struct {
    void *to;
    /* A step: uses by channel, node and size.  False ends the walk. */
    bool (*step)(void *to, atn_tau_kind kind, const atn_use *uses, int n);
    /* A stage of messages begins; the overhead of the slowest channel in it. */
    bool (*stage)(void *to, const atn_flow *flows, int n, int channel, int64_t size);
    bool no_transfers; /* the receiver makes them itself, from the flows */
} atn_step_visitor;

/* False: the visitor ended it, or there is no memory. */
bool atn_tau_walk(const atn_traffic *t, const atn_mapping *m, atn_tau_contention contention,
                  const atn_step_visitor *visitor);
/* Sorts, as the visitor gets them. */
void atn_uses_sort(atn_use *uses, int n);
/* End of the run of uses of the same thing that starts at i. */
int atn_uses_end(const atn_use *uses, int n, int i);

#endif
