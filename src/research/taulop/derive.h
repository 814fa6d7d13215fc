/* tau_derive.h - the tau-Lop cost of any schedule on any mapping, as a formula and as a time.
 *
 * Transmissions of a stage move in lock-step, transfer by transfer: inside a node into a buffer and
 * out of it; between nodes to the card, across, from the card.  The transfers of a step that use
 * the same memory or the same card run at a time (messages of different sizes: until the shorter
 * ends); the step costs what the busiest of them costs, the stage its steps and an overhead. */
#ifndef ATN_TAU_DERIVE_H
#define ATN_TAU_DERIVE_H

#include "research/taulop/canon.h"
#include "research/taulop/traffic.h"

/* Which transfers across the network run at a time. */
typedef enum {
    ATN_TAU_TO_NODE, /* those that reach the same node */
    ATN_TAU_NETWORK  /* all */
} atn_tau_contention;

typedef struct {
    atn_tau_contention contention;
    /* WHOLE; or SEGMENTS, STREAM: a stage in memory by (3.2), or by (3.7) where a rank sends and
     * receives, and what goes over the network not interleaved with it (5.12). */
    atn_tau_transport transport;
    bool overheads, sized; /* with o, and with its sizes */
    bool copies;           /* with copies inside ranks */
    bool slower;           /* the platform axiom: the network is slower than memory */
    atn_form block;        /* what a natural block of the operation is called: m, or m/8 */
} atn_tau_view;

/* Canonical. */
atn_status atn_tau_derive(const atn_traffic *t, const atn_mapping *m, const atn_tau_view *view,
                          atn_terms *terms_p, atn_error *err);

/* Seconds when a natural block has so many bytes, overheads and copies included.  The same steps
 * with numbers: for equal sizes it is the value of the formula; a longer message beside shorter
 * ones goes on at its own pace, L(long, 1) - L(short, 1).  < 0: no memory. */
double atn_tau_time(const atn_traffic *t, const atn_mapping *m, atn_tau_contention contention,
                    const atn_tau_costs *costs, double bytes);

#endif
