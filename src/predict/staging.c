/* staging.c - see staging.h. */
#include "predict/staging.h"

static int64_t room_of(int64_t bytes) { return bytes + ATN_STAGING_HEAD; }

bool atn_predict_staging_fits(const atn_staging_room *r, int64_t bytes)
{
    return bytes >= 0 && bytes <= r->limit && room_of(bytes) <= r->limit - r->bytes;
}

void atn_predict_staging_add(atn_staging *s, atn_staging_room *r, atn_staged *m)
{
    m->next = NULL;
    if (s->last != NULL)
        s->last->next = m;
    else
        s->first = m;
    s->last = m;
    r->messages++;
    r->bytes += room_of(m->bytes);
    r->most = r->bytes > r->most ? r->bytes : r->most;
}

static bool fits(const atn_staged *m, int source, int tag)
{
    return (source == ATN_STAGED_ANY || source == m->source) &&
           (tag == ATN_STAGED_ANY || tag == m->tag);
}

atn_staged *atn_predict_staging_find(const atn_staging *s, int source, int tag)
{
    atn_staged *m = s->first;
    while (m != NULL && !fits(m, source, tag))
        m = m->next;
    return m;
}

void atn_predict_staging_take(atn_staging *s, atn_staged *m)
{
    atn_staged *before = NULL;
    for (atn_staged *x = s->first; x != m; x = x->next)
        before = x;
    if (before != NULL)
        before->next = m->next;
    else
        s->first = m->next;
    if (s->last == m)
        s->last = before;
    m->next = NULL;
}

void atn_predict_staging_leave(atn_staging_room *r, const atn_staged *m)
{
    r->messages--;
    r->bytes -= room_of(m->bytes);
}

int atn_predict_staging_count(const atn_staging *s, int source, int tag)
{
    int n = 0;
    for (const atn_staged *m = s->first; m != NULL; m = m->next)
        n += fits(m, source, tag);
    return n;
}
