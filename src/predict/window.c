/* window.c - a window of symbols, all of which are offered.
 *
 * A symbol that is not in the window always enters.  The symbol with the least key leaves, the
 * oldest of several.  A window of one symbol offers the last one for all keys. */
#include <stdlib.h>

#include "predict/memory.h"

typedef struct {
    int symbol;
    int64_t entered, used, count;
} kept;

typedef struct {
    atn_victim victim;
    int room;
    int64_t clock;
    ATN_VEC(kept) kept;
    ATN_VEC(int64_t) requests; /* by symbol, since the beginning */
} window;

static void *make(const atn_predictor_choice *c, const atn_predict_rules *rules)
{
    (void)rules;
    window *w = calloc(1, sizeof *w);
    if (w)
        *w = (window){.victim = c->row->victim, .room = c->size > 0 ? c->size : 1};
    return w;
}

static void release(void *memory)
{
    window *w = memory;
    atn_vec_free(&w->kept);
    atn_vec_free(&w->requests);
    free(w);
}

static bool offers(const void *memory, int ahead, int count, atn_symbols *out)
{
    const window *w = memory;
    (void)ahead, (void)count;
    for (int i = 0; i < w->kept.n; i++)
        if (!atn_push(out, w->kept.v[i].symbol))
            return false;
    return true;
}

static int64_t key(const window *w, const kept *x)
{
    switch (w->victim) {
    case ATN_VICTIM_LRU:
        return x->used;
    case ATN_VICTIM_LFU:
        return x->count;
    case ATN_VICTIM_LFU_PERFECT:
        return w->requests.v[x->symbol];
    case ATN_VICTIM_FIFO:
        break;
    }
    return x->entered;
}

static kept *least(window *w)
{
    kept *victim = &w->kept.v[0];
    for (int i = 1; i < w->kept.n; i++) {
        kept *x = &w->kept.v[i];
        const int64_t a = key(w, x), b = key(w, victim);
        if (a < b || (a == b && x->entered < victim->entered))
            victim = x;
    }
    return victim;
}

static bool count_request(window *w, int symbol)
{
    while (w->requests.n <= symbol)
        if (!atn_push(&w->requests, 0))
            return false;
    w->requests.v[symbol]++;
    return true;
}

static bool update(void *memory, int symbol)
{
    window *w = memory;
    const int64_t now = w->clock++;
    const kept fresh = {.symbol = symbol, .entered = now, .used = now, .count = 1};
    if (!count_request(w, symbol))
        return false;
    for (int i = 0; i < w->kept.n; i++)
        if (w->kept.v[i].symbol == symbol) {
            w->kept.v[i].used = now;
            w->kept.v[i].count++;
            return true;
        }
    if (w->kept.n < w->room)
        return atn_push(&w->kept, fresh);
    *least(w) = fresh;
    return true;
}

static void measure(const void *memory, atn_predict_size *size, int64_t *held_p)
{
    const window *w = memory;
    size->longest = atn_max(size->longest, w->kept.n);
    *held_p += w->kept.n;
}

const atn_predict_memory atn_window_memory = {
    .make = make, .offers = offers, .update = update, .measure = measure, .free = release};
