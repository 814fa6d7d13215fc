/* waits.h - dependencies between messages of different phases that keep every link within its
 * capacity, although ranks execute the phases at their own pace.
 *
 * A link of capacity c is free again when the message that used it c messages earlier has
 * completed, so a message waits for that one, on each link of its path.  Transitive dependencies
 * are omitted. */
#ifndef ATN_ALGO_WAITS_H
#define ATN_ALGO_WAITS_H

#include "algo/phases.h"

typedef struct {
    int *first, *on; /* message i of the list waits for on[first[i] .. first[i + 1]) */
} atn_waits;

/* False: no memory. */
bool atn_algo_waits_begin(const atn_topo *t, const int *capacity, const atn_phases *x,
                          atn_waits *w);
void atn_algo_waits_end(atn_waits *w);

#endif
