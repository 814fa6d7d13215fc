/* handles.c - see handles.h.  Open addressing, linear probing. */
#include "trace/handles.h"

#include <stdlib.h>

static uint32_t home(const atn_handles *h, uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (h->cap - 1);
}

/* The slot of the key, or the free slot where it belongs. */
static uint32_t find(const atn_handles *h, uint64_t key)
{
    uint32_t at = home(h, key);
    while (h->v[at].value != 0 && h->v[at].key != key)
        at = (at + 1) & (h->cap - 1);
    return at;
}

static bool grow(atn_handles *h)
{
    const atn_handles old = *h;
    if (2 * (h->n + 1) <= h->cap)
        return true;
    h->cap = old.cap > 0 ? 2 * old.cap : 64;
    h->v = calloc(h->cap, sizeof *h->v);
    if (h->v == NULL) {
        *h = old;
        return false;
    }
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.v[i].value != 0)
            h->v[find(h, old.v[i].key)] = old.v[i];
    free(old.v);
    return true;
}

int64_t atn_trace_handles_get(const atn_handles *h, uint64_t key)
{
    return h->cap > 0 ? (int64_t)h->v[find(h, key)].value - 1 : ATN_HANDLE_NONE;
}

bool atn_trace_handles_set(atn_handles *h, uint64_t key, uint32_t value)
{
    if (!grow(h))
        return false;
    const uint32_t at = find(h, key);
    h->n += h->v[at].value == 0;
    h->v[at] = (atn_handle){.key = key, .value = value + 1};
    return true;
}

bool atn_trace_handles_add(atn_handles *h, uint64_t key, uint32_t value)
{
    if (!grow(h))
        return false;
    const uint32_t at = find(h, key);
    if (h->v[at].value != 0 && !atn_push(&h->earlier, h->v[at]))
        return false;
    return atn_trace_handles_set(h, key, value);
}

/* Moves back the entries that follow, if the removed one had displaced them. */
static void close_gap(atn_handles *h, uint32_t gap)
{
    for (uint32_t at = (gap + 1) & (h->cap - 1); h->v[at].value != 0;
         at = (at + 1) & (h->cap - 1)) {
        const uint32_t want = home(h, h->v[at].key);
        if (((at - want) & (h->cap - 1)) < ((at - gap) & (h->cap - 1)))
            continue;
        h->v[gap] = h->v[at];
        gap = at;
    }
    h->v[gap].value = 0;
}

int64_t atn_trace_handles_remove(atn_handles *h, uint64_t key)
{
    if (h->cap == 0)
        return ATN_HANDLE_NONE;
    const uint32_t at = find(h, key);
    const int64_t value = (int64_t)h->v[at].value - 1;
    if (value < 0)
        return ATN_HANDLE_NONE;
    for (int i = h->earlier.n - 1; i >= 0; i--)
        if (h->earlier.v[i].key == key) {
            h->v[at] = h->earlier.v[i];
            h->earlier.v[i] = h->earlier.v[--h->earlier.n];
            return value;
        }
    h->n--;
    close_gap(h, at);
    return value;
}

void atn_trace_handles_free(atn_handles *h)
{
    free(h->v);
    atn_vec_free(&h->earlier);
    *h = (atn_handles){0};
}
