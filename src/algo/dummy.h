/* dummy.h - dummy messages between ranks that would be idle in a phase: they stay below one switch
 * and use only idle links. */
#ifndef ATN_ALGO_DUMMY_H
#define ATN_ALGO_DUMMY_H

#include "algo/phases.h"

typedef struct {
    const atn_topo *t;
    int *to, *from; /* rank -> rank in the phase, with or without data; -1: none */
    int *sorted;    /* ranks sorted by the switch above them */
    int *above;     /* rank -> switch above it */
    int *stamp;     /* edge -> phase of its latest message */
    int *path;
    int *memory;
} atn_dummies;

bool atn_algo_dummies_begin(const atn_topo *t, atn_dummies *d);
void atn_algo_dummies_end(atn_dummies *d);
/* Sets `to` and `from`: first the messages of the phase, from message `lo` of the list on, then
 * those of idle ranks.  Returns the first message of the next phase. */
int atn_algo_dummies_fill(atn_dummies *d, const atn_phases *x, int phase, int lo);

#endif
