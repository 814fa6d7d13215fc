/* steps.h - the steps of a traffic on a rank mapping, shared by formula and time. */
#ifndef ATN_RESEARCH_TAULOP_STEPS_H
#define ATN_RESEARCH_TAULOP_STEPS_H

#include "research/taulop/derive.h"

/* One transfer, reduction or copy of a step, and the resource it uses. */
typedef struct {
    int channel, node;
    int64_t size;
} atn_tau_use;

typedef struct {
    void *to;
    /* A step: uses sorted by channel, node and size.  False ends the walk. */
    bool (*step)(void *to, atn_tau_kind kind, const atn_tau_use *uses, int n);
    /* A stage of messages begins; the overhead of the slowest channel in it. */
    bool (*stage)(void *to, const atn_tau_flow *flows, int n, int channel, int64_t size);
    bool no_transfers; /* the visitor derives them from the flows */
    int hops;          /* transfers of a message inside a node; 0: two */
} atn_step_visitor;

/* False: the visitor ended the walk, or out of memory. */
bool atn_tau_walk(const atn_traffic *t, const atn_mapping *m, atn_tau_contention contention,
                  const atn_step_visitor *visitor);
/* Sorts uses for a visitor. */
void atn_tau_uses_sort(atn_tau_use *uses, int n);
/* End of the uses of one resource that start at i. */
int atn_tau_uses_end(const atn_tau_use *uses, int n, int i);

#endif
