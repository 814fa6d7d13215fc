/* fast.c - links that two transfers do not fill, but many do.
 *
 * Transfers that together reach less than the sum of their rates alone cross a link that is full.
 * Of such a set one after the other is left out as long as the rest still fills the link; what
 * remains are just enough transfers, all over that link, so all senders are on one side of it and
 * all receivers on the other.  Any other branch is on the senders' side if it can stand in for one
 * of them.  Sets to begin with are drawn at random, and neighbours by number are tried together,
 * because names and ranks are usually given out along the racks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/infer/private.h"

enum { MIN_UNITS = 6, ROUNDS = 8, MIN_SET = 3 };
static const double enough = 0.5; /* transfers' worth that is missing when a link is full */

typedef struct {
    atn_infer_state *s;
    int v, d, most;
    atn_unit *units; /* d, in the order of their smallest host */
    atn_flow *flows; /* of a set: between units, one each way at most */
    int *senders, *receivers; /* the units of those */
    int n;
} search;

/* ---- how much is missing? ---- */

static double expected(atn_infer_state *s, const atn_flow *f, double rate)
{
    const double limit = atn_infer_limit(s, f->from, f->to);
    return rate >= 0.8 * limit ? limit : atn_infer_base(s, f->from, f->to);
}

/* Rate that is missing, in transfers. */
static double missing(atn_infer_state *s, const atn_flow *flows, int n)
{
    double rates[n], sum = 0;
    atn_infer_sample(s, flows, n, rates);
    for (int i = 0; i < n; i++)
        sum += fmax(-0.1, 1 - rates[i] / expected(s, &flows[i], rates[i]));
    return sum;
}

/* Two measurements must agree. */
static bool is_full(atn_infer_state *s, const atn_flow *flows, int n)
{
    int yes = 0, no = 0;
    if (n < MIN_SET)
        return false;
    while (yes < 2 && no < 2 && !s->broken)
        ++*(missing(s, flows, n) > enough ? &yes : &no);
    return yes > no;
}

/* ---- a set that just fills a link ---- */

static int copy_without(const search *w, int first, int stop, search *rest)
{
    int n = 0;
    for (int i = 0; i < w->n; i++)
        if (i < first || i >= stop) {
            rest->flows[n] = w->flows[i];
            rest->senders[n] = w->senders[i];
            rest->receivers[n++] = w->receivers[i];
        }
    return rest->n = n;
}

static bool make_room(search *w, int most)
{
    const size_t n = (size_t)most;
    w->flows = malloc(sizeof *w->flows * n);
    w->senders = malloc(sizeof *w->senders * n);
    w->receivers = malloc(sizeof *w->receivers * n);
    return w->flows && w->senders && w->receivers;
}

static void free_room(search *w)
{
    free(w->flows);
    free(w->senders);
    free(w->receivers);
}

/* Takes out halves, quarters, ... single transfers while the rest still fills a link. */
static void reduce(search *w, search *rest)
{
    int pieces = 2;
    while (w->n > MIN_SET && !w->s->broken) {
        bool less = false;
        for (int i = 0; i < pieces && !less; i++) {
            copy_without(w, i * w->n / pieces, (i + 1) * w->n / pieces, rest);
            less = is_full(w->s, rest->flows, rest->n);
        }
        if (less) {
            w->n = rest->n;
            memcpy(w->flows, rest->flows, sizeof *w->flows * (size_t)w->n);
            memcpy(w->senders, rest->senders, sizeof *w->senders * (size_t)w->n);
            memcpy(w->receivers, rest->receivers, sizeof *w->receivers * (size_t)w->n);
            pieces = atn_max(2, pieces - 1);
        } else if (pieces < w->n) {
            pieces = atn_min(2 * pieces, w->n);
        } else {
            return;
        }
    }
}

/* ---- who is on the senders' side? ---- */

static bool among(const int *units, int n, int u)
{
    for (int i = 0; i < n; i++)
        if (units[i] == u)
            return true;
    return false;
}

/* Any transfers as many as these: when they are as slow, the machines are the limit, not a link. */
static bool machines_are_busy(search *w, search *other)
{
    int order[w->d];
    for (int i = 0; i < w->d; i++)
        order[i] = i;
    for (int k = 0; k < 2; k++) {
        atn_infer_shuffle(w->s, order, w->d);
        for (int i = 0; i < w->n; i++)
            other->flows[i] =
                (atn_flow){w->units[order[i]].send, w->units[order[(i + w->n) % w->d]].recv};
        if (!is_full(w->s, other->flows, w->n))
            return false;
    }
    return true;
}

static void put_link(search *w)
{
    int side[w->d], n = 0;
    for (int u = 0; u < w->d; u++) {
        bool with = among(w->senders, w->n, u);
        if (!with && !among(w->receivers, w->n, u)) {
            const int old = w->flows[0].from;
            w->flows[0].from = w->units[u].send;
            with = is_full(w->s, w->flows, w->n);
            w->flows[0].from = old;
        }
        if (with)
            side[n++] = w->units[u].node;
    }
    if (n >= 2 && w->d - n >= 2)
        atn_guess_join(&w->s->guess, w->v, side, n);
}

/* ---- sets to begin with ---- */

/* Units in `chosen` send to others, drawn at random. */
static void pair_up(search *w, const int *chosen, int n)
{
    int others[w->d], m = 0;
    for (int u = 0; u < w->d; u++)
        if (!among(chosen, n, u))
            others[m++] = u;
    atn_infer_shuffle(w->s, others, m);
    w->n = atn_min(w->most, atn_min(n, m));
    for (int i = 0; i < w->n; i++) {
        w->senders[i] = chosen[i];
        w->receivers[i] = others[i];
        w->flows[i] = (atn_flow){w->units[chosen[i]].send, w->units[others[i]].recv};
    }
}

/* True when it led to a link. */
static bool try_set(search *w, const int *chosen, int n)
{
    pair_up(w, chosen, n);
    if (w->n < MIN_SET || missing(w->s, w->flows, w->n) <= enough ||
        !is_full(w->s, w->flows, w->n))
        return false;
    search rest = *w;
    const int before = w->d;
    bool found = false;
    if (make_room(&rest, w->d)) {
        reduce(w, &rest);
        if (!machines_are_busy(w, &rest) && is_full(w->s, w->flows, w->n)) {
            int near[w->s->guess.nnodes];
            put_link(w);
            found = atn_guess_near(&w->s->guess, w->v, near) != before;
        }
    } else {
        w->s->broken = w->s->no_memory = true;
    }
    free_room(&rest);
    return found;
}

static bool try_random(search *w)
{
    int order[w->d];
    for (int i = 0; i < w->d; i++)
        order[i] = i;
    for (int k = 0; k < ROUNDS && !w->s->broken; k++) {
        atn_infer_shuffle(w->s, order, w->d);
        if (try_set(w, order, w->d / 2))
            return true;
    }
    return false;
}

/* Blocks of neighbours, and every so manieth unit, in sizes d / 2, d / 3, ... */
static bool try_neighbours(search *w)
{
    int block[w->d], comb[w->d];
    for (int parts = 2; w->d / parts >= MIN_SET && !w->s->broken; parts += atn_max(1, parts / 2))
        for (int k = 0; k < parts; k++) {
            int nb = 0, nc = 0;
            for (int u = k * w->d / parts; u < (k + 1) * w->d / parts; u++)
                block[nb++] = u;
            for (int u = k; u < w->d; u += parts)
                comb[nc++] = u;
            if (try_set(w, block, nb) || try_set(w, comb, nc))
                return true;
        }
    return false;
}

/* ---- all switches ---- */

static int by_host(const void *a, const void *b)
{
    const atn_unit *x = a, *y = b;
    return x->send - y->send;
}

/* True when a link was found at v. */
static bool search_at(atn_infer_state *s, int v)
{
    atn_unit units[s->guess.nnodes];
    search w = {.s = s, .v = v, .units = units, .most = 4 * s->max_flows};
    w.d = atn_infer_units(s, v, 0, units);
    if (w.d < MIN_UNITS)
        return false;
    qsort(units, (size_t)w.d, sizeof *units, by_host);
    s->searched_fast = true;
    bool found = false;
    if (make_room(&w, w.d))
        found = try_random(&w) || try_neighbours(&w);
    else
        s->broken = s->no_memory = true;
    free_room(&w);
    return found;
}

void atn_infer_fast(atn_infer_state *s)
{
    for (int v = s->hosts; v < s->guess.nnodes && !s->broken; v++)
        while (atn_is_switch(&s->guess, v) && search_at(s, v) && !s->broken)
            ;
}
