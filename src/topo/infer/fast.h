/* fast.h - the search for links that only many transfers fill, at one switch. */
#ifndef ATN_INFER_FAST_H
#define ATN_INFER_FAST_H

#include "topo/infer/private.h"

enum { ATN_FULL_SET = 3 }; /* two transfers have been tried already */

/* A transfer between two branches. */
typedef struct {
    atn_flow flow;
    int from, to; /* units */
} atn_crossing;

typedef struct {
    atn_infer_state *s;
    int v, d;
    atn_unit *units;         /* d, in the order of their hosts */
    atn_crossing *set, *try; /* the set at hand, and one that is tried */
    int n, ntry;
} atn_fast_search;

/* Rate that is missing, in transfers, of `samples` measurements: the median of each transfer
 * counts, so that mishaps do not add up.  Compared with the rates of the same transfers alone;
 * where these have not been measured and are not to be (not `closely`), with what their hosts can
 * do. */
double atn_fast_missing(atn_infer_state *s, const atn_crossing *set, int n, int samples,
                        bool closely);
/* Is a link full? */
bool atn_fast_full(atn_infer_state *s, const atn_crossing *set, int n);

/* The set just fills a link: which units are on the senders' side?  Returns how many. */
int atn_fast_side(atn_fast_search *w, bool *member);

#endif
