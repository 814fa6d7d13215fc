/* waits.h - which messages of which phases must wait for each other so that no link is used by too
 * many at once, although ranks go through the phases at their own pace.
 *
 * A link of capacity c has room again when the message that used it c messages earlier is through,
 * so a message waits for that one, on each link of its way.  What follows from other waits is left
 * out. */
#ifndef ATN_WAITS_H
#define ATN_WAITS_H

#include "algo/phases.h"

typedef struct {
    int *first, *on; /* message i of the list waits for on[first[i] .. first[i + 1]) */
} atn_waits;

/* False: no memory. */
bool atn_waits_begin(const atn_topo *t, const int *capacity, const atn_phases *x, atn_waits *w);
void atn_waits_end(atn_waits *w);

#endif
