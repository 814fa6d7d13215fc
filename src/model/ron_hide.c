/* ron_hide.c - see ron_hide.h. */
#include "model/ron_hide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/ron_text.h"

/* ---- evaluation ---- */

/* A rank's sums so far. */
typedef struct {
    const atn_ron_send *last;
    int64_t intervals, changes;
    double left, cached_left;
} account;

static void add(account *x, const atn_ron_send *s, const atn_ron_hide_rules *rules)
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

static void close_account(const account *x, double delay, atn_ron_hidden *h)
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
    account *of = calloc((size_t)p + 1, sizeof *of);
    if (!of)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < n; i++) {
        account *x = &of[sends[i].rank];
        if (x->last) {
            add(x, &sends[i], rules);
            h.hits += sends[i].offer == sends[i].partner;
        }
        x->last = &sends[i];
    }
    for (int r = 0; r < p; r++)
        close_account(&of[r], rules->delay, &h);
    free(of);
    if (h.ranks == 0)
        return atn_fail(err, ATN_INPUT, "no rank sends twice: there is nothing between sends");
    h.mean /= h.ranks;
    h.cached /= h.cached_ranks > 0 ? h.cached_ranks : 1;
    *hidden_p = h;
    return ATN_OK;
}

/* ---- text ---- */

typedef struct {
    bool offers;
    atn_ron_sends sends;
} reader;

enum { RANK, COMPUTE, BYTES, PARTNER, OFFER, WORDS, MAX_RANKS = 1 << 24 };
static const char *const heading[] = {"rank", "compute_us", "bytes", "partner", "predicted"};

static atn_status read_heading(reader *r, const atn_text_line *l)
{
    for (int i = 0; i < l->n; i++)
        if (i >= WORDS || strcmp(l->word[i], heading[i]) != 0)
            return atn_text_refuse(l, "not the heading of a list of sends:", l->word[i],
                                   "write rank,compute_us,bytes,partner[,predicted]");
    if (l->n < OFFER)
        return atn_text_refuse(l, "a heading that ends with", l->word[l->n - 1],
                               "write rank,compute_us,bytes,partner[,predicted]");
    r->offers = l->n == WORDS;
    return ATN_OK;
}

static atn_status read_send(void *to, const atn_text_line *l)
{
    reader *r = to;
    double compute = 0;
    int64_t rank = 0, bytes = 0, partner = 0, offer = ATN_RON_NO_OFFER;

    if (l->line == 1)
        return read_heading(r, l);
    if (l->n != OFFER + r->offers)
        return atn_text_refuse(l, "too few or too many values, after", l->word[l->n - 1],
                               "restore the line");
    atn_status st = atn_text_whole(l, RANK, "rank", MAX_RANKS, &rank);
    st = st ? st : atn_text_number(l, COMPUTE, "compute_us", &compute);
    st = st ? st : atn_text_whole(l, BYTES, "bytes", INT64_MAX, &bytes);
    st = st ? st : atn_text_whole(l, PARTNER, "partner", MAX_RANKS, &partner);
    if (!st && r->offers && strcmp(l->word[OFFER], "-") != 0)
        st = atn_text_whole(l, OFFER, "predicted", MAX_RANKS, &offer);
    if (!st && compute < 0)
        st = atn_text_refuse(l, "compute_us", l->word[COMPUTE], "no time is negative");
    const atn_ron_send s = {(int)rank, (int)partner, (int)offer, compute * 1e-6, bytes};
    if (!st && !atn_push(&r->sends, s))
        st = atn_fail(l->err, ATN_MEMORY, "out of memory");
    return st;
}

atn_status atn_ron_sends_read(const char *path, atn_ron_sends *sends_p, bool *has_offers_p,
                              atn_error *err)
{
    reader r = {.offers = false};
    const atn_status status = atn_text_read(path, read_send, &r, err);

    if (status) {
        atn_vec_free(&r.sends);
        return status;
    }
    *sends_p = r.sends;
    *has_offers_p = r.offers;
    return ATN_OK;
}
