/* events.c - see events.h. */
#include "model/events.h"

static bool sooner(const atn_event *a, const atn_event *b)
{
    return a->time < b->time || (!(b->time < a->time) && a->order < b->order);
}

bool atn_model_events_add(atn_events *x, double time, int kind, int id)
{
    const atn_event e = {time, x->made++, kind, id};
    if (!atn_push(&x->heap, e))
        return false;
    int i = x->heap.n - 1;
    for (; i > 0 && sooner(&e, &x->heap.v[(i - 1) / 2]); i = (i - 1) / 2)
        x->heap.v[i] = x->heap.v[(i - 1) / 2];
    x->heap.v[i] = e;
    return true;
}

atn_event atn_model_events_take(atn_events *x)
{
    atn_event *const v = x->heap.v;
    const atn_event top = v[0], last = v[--x->heap.n];
    int i = 0;
    for (int c = 1; c < x->heap.n; c = 2 * i + 1) {
        if (c + 1 < x->heap.n && sooner(&v[c + 1], &v[c]))
            c++;
        if (!sooner(&v[c], &last))
            break;
        v[i] = v[c];
        i = c;
    }
    v[i] = last;
    return top;
}
