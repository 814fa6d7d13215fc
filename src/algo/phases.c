/* phases.c - selects the way to compute phases; phases for messages of different size. */
#include "algo/phases.h"

#include <stdlib.h>

#include "algo/capacity.h"
#include "algo/derived.h"

static bool alike(const atn_topo *t, const int *capacity)
{
    for (int e = 0; e < atn_topo_edges(t); e++)
        if (capacity[e] != 1)
            return false;
    return true;
}

static bool make(const atn_topo *t, bool rated, atn_phases *x)
{
    int *capacity = malloc(sizeof *capacity * (size_t)atn_topo_edges(t));
    bool ok = capacity != NULL;

    if (ok) {
        atn_algo_capacities(t, rated, capacity);
        ok = !t->routes && alike(t, capacity) ? atn_algo_phases_tree(t, x)
                                              : atn_algo_phases_list(t, capacity, x);
    } else {
        *x = (atn_phases){0};
    }
    free(capacity);
    return ok;
}

static void end_kept(void *thing)
{
    atn_algo_phases_end(thing);
    free(thing);
}

/* The phases are those of all ranks, each of which would compute them. */
bool atn_algo_phases_begin(const atn_topo *t, bool rated, atn_phases *x)
{
    const atn_derived_key key = {.maker = "phases", .topo = t, .n = {rated}};
    atn_phases *kept = atn_algo_derived_find(&key);

    if (!kept) {
        if (!make(t, rated, x))
            return false;
        kept = malloc(sizeof *kept);
        if (kept)
            *kept = *x;
        if (!kept || !atn_algo_derived_keep(&key, kept, end_kept)) {
            free(kept);
            return true;
        }
    }
    *x = *kept;
    x->borrowed = true;
    return true;
}

/* ---- messages of different size ---- */

enum { MAX_PARTS = 64 };

static int parts_of(int64_t bytes, int64_t mean)
{
    return bytes == 0 ? 0 : atn_min(MAX_PARTS, (int)((bytes + mean - 1) / mean));
}

static int64_t mean_bytes(const int64_t *bytes, int n)
{
    int64_t total = 0, messages = 0;

    for (int i = 0; i < n; i++) {
        total += bytes[i];
        messages += bytes[i] > 0;
    }
    return messages > 0 ? (total + messages - 1) / messages : 1;
}

/* Repetition k of the phases: the messages that have a part k; in the last one also empty messages.
 * Empty phases are omitted. */
static void add_turn(const atn_phases *plain, const int64_t *bytes, int64_t mean, int k, bool last,
                     atn_phases *x)
{
    int phase = -1;

    for (int i = 0; i < plain->n; i++) {
        atn_phase_message m = plain->list[i];
        const int parts = parts_of(bytes[(size_t)m.from * (size_t)plain->p + (size_t)m.to], mean);
        if (last ? parts > 0 : k >= parts)
            continue;
        x->phases += m.phase != phase;
        phase = m.phase;
        m.phase = x->phases - 1;
        m.first = last ? 0 : k * x->parts / parts;
        m.count = last ? x->parts : (k + 1) * x->parts / parts - m.first;
        x->list[x->n++] = m;
    }
}

bool atn_algo_phases_cut(const atn_topo *t, bool rated, const int64_t *bytes, atn_phases *x)
{
    const int n = t->p * t->p;
    const int64_t mean = mean_bytes(bytes, n);
    int messages = 0, most = 1;
    atn_phases plain;
    bool ok = atn_algo_phases_begin(t, rated, &plain);

    for (int i = 0; i < n; i++) {
        messages += atn_max(1, parts_of(bytes[i], mean));
        most = atn_max(most, parts_of(bytes[i], mean));
    }
    *x = (atn_phases){.p = t->p, .parts = most};
    x->list = malloc(sizeof *x->list * ((size_t)messages + 1));
    ok = ok && x->list;
    for (int k = 0; ok && k <= most; k++) {
        x->empty = x->n;
        add_turn(&plain, bytes, mean, k, k == most, x);
    }
    x->empty = x->n - x->empty;
    atn_algo_phases_end(&plain);
    if (!ok)
        atn_algo_phases_end(x);
    return ok;
}
