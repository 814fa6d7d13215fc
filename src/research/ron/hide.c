/* hide.c - see hide.h. */
#include "research/ron/hide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "research/ron/text.h"

/* ---- evaluation ---- */

/* A rank's sums so far. */
typedef struct {
    const atn_ron_send *last;
    int64_t intervals, changes;
    double left, cached_left;
} rank_sums;

static void add(rank_sums *x, const atn_ron_send *s, const atn_ron_hide_rules *rules)
{
    const double available = s->compute / rules->cpu - (double)x->last->bytes / rules->rate;
    const bool hit = s->offer == s->partner, stays = s->partner == x->last->partner;
    const bool moved = s->offer != ATN_RON_NO_OFFER && !hit;
    const double left = rules->delay - (hit ? fmin(rules->delay, fmax(0.0, available)) : 0.0);

    x->intervals++;
    x->left += left;
    x->changes += !stays;
    x->cached_left += !stays ? left : moved ? rules->delay : 0.0;
}

static void add_rank(const rank_sums *x, double delay, atn_ron_hidden *h)
{
    if (x->intervals == 0)
        return;
    const double ratio = x->left / ((double)x->intervals * delay);
    h->least = h->ranks == 0 ? ratio : fmin(h->least, ratio);
    h->most = h->ranks == 0 ? ratio : fmax(h->most, ratio);
    h->mean += ratio;
    h->ranks++;
    h->intervals += x->intervals;
    if (x->changes > 0) {
        h->cached += x->cached_left / ((double)x->changes * delay);
        h->cached_ranks++;
    }
}

atn_status atn_ron_hide(const atn_ron_send *sends, int n, const atn_ron_hide_rules *rules,
                        atn_ron_hidden *hidden_p, atn_error *err)
{
    atn_ron_hidden h = {0};
    int p = 0;

    for (int i = 0; i < n; i++)
        p = atn_max(p, sends[i].rank + 1);
    rank_sums *of = calloc((size_t)p + 1, sizeof *of);
    if (!of)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < n; i++) {
        rank_sums *x = &of[sends[i].rank];
        if (x->last) {
            add(x, &sends[i], rules);
            h.hits += sends[i].offer == sends[i].partner;
        }
        x->last = &sends[i];
    }
    for (int r = 0; r < p; r++)
        add_rank(&of[r], rules->delay, &h);
    free(of);
    if (h.ranks == 0)
        return atn_fail(err, ATN_INPUT,
                        "no rank sends twice, so there are no intervals between sends");
    h.mean /= h.ranks;
    h.cached /= h.cached_ranks > 0 ? h.cached_ranks : 1;
    *hidden_p = h;
    return ATN_OK;
}

/* ---- text ---- */

enum { RANK, COMPUTE, BYTES, PARTNER, NEEDED, SITE = NEEDED, OFFER, COLUMNS, MAX_RANKS = 1 << 24 };
static const char *const names[] = {"rank", "compute_us", "bytes", "partner", "site", "predicted"};

typedef struct {
    int at[COLUMNS]; /* index of a column; -1: missing */
    int n;
    atn_ron_sends sends;
} reader;

static atn_status read_heading(reader *r, const atn_text_line *l)
{
    for (int c = 0; c < COLUMNS; c++)
        r->at[c] = -1;
    for (int i = 0; i < l->n; i++) {
        const char *near = NULL;
        for (int c = 0; c < COLUMNS && !near; c++)
            if (r->at[c] < 0 && strcmp(l->word[i], names[c]) == 0) {
                near = names[c];
                r->at[c] = i;
            }
        if (!near)
            return atn_ron_text_refuse(
                l, "unknown or duplicate column in a list of sends:", l->word[i],
                "write rank,compute_us,bytes,partner[,site][,predicted]");
    }
    for (int c = 0; c < NEEDED; c++)
        if (r->at[c] < 0)
            return atn_ron_text_refuse(l, "missing column", names[c], "add it");
    r->n = l->n;
    return ATN_OK;
}

static atn_status read_values(const reader *r, const atn_text_line *l, double *compute_us,
                              int64_t v[COLUMNS])
{
    static const int64_t limits[] = {MAX_RANKS, 0, INT64_MAX, MAX_RANKS, INT32_MAX, MAX_RANKS};
    atn_status st = atn_ron_text_number(l, r->at[COMPUTE], names[COMPUTE], compute_us);
    if (!st && *compute_us < 0)
        st = atn_ron_text_refuse(l, names[COMPUTE], l->word[r->at[COMPUTE]],
                                 "write a time of 0 or more");
    for (int c = 0; c < COLUMNS && !st; c++) {
        const bool none = c == OFFER && r->at[c] >= 0 && strcmp(l->word[r->at[c]], "-") == 0;
        if (c != COMPUTE && r->at[c] >= 0 && !none)
            st = atn_ron_text_whole(l, r->at[c], names[c], limits[c], &v[c]);
    }
    return st;
}

static atn_status read_send(void *to, const atn_text_line *l)
{
    reader *r = to;
    double compute_us = 0;
    int64_t v[COLUMNS] = {[OFFER] = ATN_RON_NO_OFFER};

    if (l->line == 1)
        return read_heading(r, l);
    if (l->n != r->n)
        return atn_ron_text_refuse(l, "too few or too many values, after", l->word[l->n - 1],
                                   "restore the line");
    const atn_status st = read_values(r, l, &compute_us, v);
    const atn_ron_send s = {.rank = (int)v[RANK],
                            .partner = (int)v[PARTNER],
                            .offer = (int)v[OFFER],
                            .compute = compute_us * 1e-6,
                            .bytes = v[BYTES],
                            .site = (int)v[SITE]};
    if (!st && !atn_push(&r->sends, s))
        return atn_fail(l->err, ATN_MEMORY, "out of memory");
    return st;
}

atn_status atn_ron_sends_read(const char *path, atn_ron_sends *sends_p, bool *has_offers_p,
                              atn_error *err)
{
    reader r = {.n = 0};
    const atn_status status = atn_ron_text_read(path, read_send, &r, err);

    if (status) {
        atn_vec_free(&r.sends);
        return status;
    }
    *sends_p = r.sends;
    *has_offers_p = r.at[OFFER] >= 0;
    return ATN_OK;
}
