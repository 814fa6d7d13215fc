/* fast.h - the search for links that only many transfers fill, at one switch. */
#ifndef ATN_TOPO_INFER_FAST_H
#define ATN_TOPO_INFER_FAST_H

#include "topo/infer/private.h"

enum { ATN_FULL_SET = 3 }; /* two transfers have been tried already */

/* A transfer between two branches. */
typedef struct {
    atn_infer_flow flow;
    int from, to; /* units */
} atn_crossing;

typedef struct {
    atn_infer_state *s;
    int v, d;
    const int *branch_of;    /* of v, by host */
    atn_branch *units;       /* d, in the order of their hosts */
    atn_crossing *set, *try; /* the set at hand, and one that is tried */
    int n, ntry;
} atn_fast_search;

/* Part of its rate alone that each transfer reaches, the median of `samples` measurements, so that
 * mishaps do not add up. */
void atn_topo_fast_parts(const atn_fast_search *w, const atn_crossing *set, int n, int samples,
                         double *part);
/* Rate that is missing, in transfers. */
double atn_topo_fast_missing(const atn_fast_search *w, const atn_crossing *set, int n, int samples);
/* Is it more than `border`? */
bool atn_topo_fast_misses(const atn_fast_search *w, const atn_crossing *set, int n, double border);

/* The set just saturates a link, with `missing` rate: finds the units on the senders' side.
 * Returns how many. */
int atn_topo_fast_side(atn_fast_search *w, double missing, bool *member);

#endif
