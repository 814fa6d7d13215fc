/* dummy.h - messages that mean nothing, between ranks that would be idle in a phase: they stay
 * below one switch and use only links that are free. */
#ifndef ATN_DUMMY_H
#define ATN_DUMMY_H

#include "algo/phases.h"

typedef struct {
    const atn_topo *t;
    int *to, *from; /* rank -> rank, of the phase, real or not; -1: none */
    int *sorted;    /* ranks by the switch above them */
    int *above;     /* rank -> that switch */
    int *stamp;     /* edge -> phase of its latest message */
    int *path;
    int *memory;
} atn_dummies;

bool atn_dummies_begin(const atn_topo *t, atn_dummies *d);
void atn_dummies_end(atn_dummies *d);
/* Fills in `to` and `from`: first what the list has from message `lo` on, then what is idle.
 * Returns the first message of the next phase. */
int atn_dummies_fill(atn_dummies *d, const atn_phases *x, int phase, int lo);

#endif
