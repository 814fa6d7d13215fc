/* derive.h - the tau-Lop cost of any schedule on any rank mapping, as a formula and as a time.
 *
 * Transmissions of a stage proceed in lock-step, transfer by transfer: inside a node into a buffer
 * and out of it; between nodes to the network card, across, and from the card.  Transfers of a step
 * that use the same memory or card are concurrent (different sizes: until the shorter ends).  A
 * step costs as much as its busiest resource, a stage its steps and one overhead. */
#ifndef ATN_RESEARCH_TAULOP_DERIVE_H
#define ATN_RESEARCH_TAULOP_DERIVE_H

#include "research/taulop/canon.h"
#include "research/taulop/traffic.h"

/* Which transfers across the network contend. */
typedef enum {
    ATN_TAU_TO_NODE, /* those to the same node */
    ATN_TAU_NETWORK  /* all */
} atn_tau_contention;

typedef struct {
    atn_tau_contention contention;
    /* WHOLE, DIRECT, BUFFERED: a message in memory is two, one or three transfers; or SEGMENTS,
     * STREAM: a stage in memory by (3.2), or by (3.7) where a rank sends and receives; network
     * transfers are not interleaved with it (5.12). */
    atn_tau_transport transport;
    bool overheads, sized; /* include o, and its sizes */
    bool copies;           /* include copies inside ranks */
    bool slower;           /* the platform axiom: the network is slower than memory */
    atn_form block;        /* size of a natural block of the operation: m, or m/8 */
} atn_tau_view;

/* Canonical. */
atn_status atn_tau_derive(const atn_traffic *t, const atn_mapping *m, const atn_tau_view *view,
                          atn_terms *terms_p, atn_error *err);

/* Seconds for natural blocks of `bytes`, with overheads and copies.  For messages of equal size it
 * is the value of the formula; a longer message among shorter ones continues alone with
 * L(long, 1) - L(short, 1).  < 0: out of memory. */
double atn_tau_time(const atn_traffic *t, const atn_mapping *m, atn_tau_contention contention,
                    const atn_tau_costs *costs, double bytes);

#endif
