/* events.h - what happens at which time, in a heap; equal times in the order of their creation. */
#ifndef ATN_MODEL_EVENTS_H
#define ATN_MODEL_EVENTS_H

#include <math.h>

#include "base/base.h"

typedef struct {
    double time;
    int order, kind, id; /* kind and id: of the caller */
} atn_event;

typedef struct {
    ATN_VEC(atn_event) heap;
    int made;
} atn_events;

/* False: no memory. */
bool atn_model_events_add(atn_events *x, double time, int kind, int id);
/* Removes the first; there must be one. */
atn_event atn_model_events_take(atn_events *x);

/* The time of the first; infinite if there is none. */
static inline double atn_model_events_next(const atn_events *x)
{
    return x->heap.n > 0 ? x->heap.v[0].time : INFINITY;
}

#endif
