/* canon.c - flattens an expression into ordered terms and merges them. */
#include "research/taulop/canon.h"

#include <stdlib.h>
#include <string.h>

#include "research/taulop/cover.h"

/* ---- transmissions ---- */

static bool push_leaf(atn_terms *t, atn_tau_kind kind, int channel, atn_form coef, atn_form size,
                      atn_form tau)
{
    return atn_push(
        t, (atn_term){.kind = kind, .channel = channel, .coef = coef, .size = size, .tau = tau});
}

/* Segments of a message: k for m bytes, 2k for 2m. */
static bool segments(const atn_form *size, atn_form *count_p)
{
    atn_form symbol, factor;
    if (!atn_tau_form_single(size, &symbol, &factor))
        return false;
    if (strcmp(symbol.part[0].name, "m") == 0)
        *count_p = atn_tau_form_mul(factor, atn_tau_form_symbol("k"));
    else if (strcmp(symbol.part[0].name, "S") == 0)
        *count_p = factor;
    else
        return false;
    return true;
}

static bool expand_segments(atn_tau_transport how, atn_form count, atn_form tau, atn_terms *t)
{
    const atn_form one = atn_tau_form_int(1), two = atn_tau_form_int(2),
                   S = atn_tau_form_symbol("S");
    const atn_form twice = atn_tau_form_mul(two, tau);
    if (how == ATN_TAU_STREAM)
        return push_leaf(t, ATN_TAU_L, 0, count, S, twice);
    return push_leaf(t, ATN_TAU_L, 0, two, S, tau) &&
           push_leaf(t, ATN_TAU_L, 0, atn_tau_form_sub(count, one), S, twice);
}

int atn_tau_hops(atn_tau_transport how)
{
    return how == ATN_TAU_DIRECT ? 1 : how == ATN_TAU_BUFFERED ? 3 : 2;
}

bool atn_tau_expand(atn_tau_transport how, int channel, atn_form size, atn_form tau, atn_terms *t)
{
    const atn_form one = atn_tau_form_int(1);
    const atn_form hops = atn_tau_form_int(channel == 0 ? atn_tau_hops(how) : 2);
    atn_form count;
    if (how == ATN_TAU_KEEP)
        return push_leaf(t, ATN_TAU_T, channel, one, size, tau);
    if (!push_leaf(t, ATN_TAU_O, channel, one, size, one))
        return false;
    if (channel == 0 && (how == ATN_TAU_SEGMENTS || how == ATN_TAU_STREAM) &&
        segments(&size, &count))
        return expand_segments(how, count, tau, t);
    return push_leaf(t, ATN_TAU_L, 0, hops, size, tau) &&
           (channel == 0 || push_leaf(t, ATN_TAU_L, channel, one, size, tau));
}

/* ---- maxima ---- */

/* Whether another remaining operand covers operand i. */
static bool superfluous(const atn_terms *of, const bool *gone, int n, int i, bool slower)
{
    for (int k = 0; k < n; k++)
        if (k != i && !gone[k] && atn_tau_terms_cover(&of[k], &of[i], slower, NULL) != ATN_COVER_NO)
            return true;
    return false;
}

static int highest_channel(const atn_terms *t)
{
    int channel = -1;
    for (int i = 0; i < t->n; i++)
        channel = atn_max(channel, t->v[i].channel);
    return channel;
}

/* The operand of the slowest channel last: proofs use it as the lower bound. */
static int by_channel(const void *a, const void *b)
{
    const int x = highest_channel(a), y = highest_channel(b);
    return (x > y) - (x < y);
}

static int keep_needed(atn_terms *of, int n, bool slower)
{
    bool *gone = calloc((size_t)n + 1, sizeof *gone);
    int kept = 0;
    for (int i = 0; gone && i < n; i++)
        gone[i] = superfluous(of, gone, n, i, slower);
    for (int i = 0; i < n; i++) {
        if (gone && gone[i])
            atn_tau_terms_free(&of[i]);
        else
            of[kept++] = of[i];
    }
    free(gone);
    qsort(of, (size_t)kept, sizeof *of, by_channel);
    return kept;
}

static bool push_maximum(atn_terms *of, int n, atn_form coef, atn_terms *out)
{
    const atn_term x = {.kind = ATN_TAU_MAX,
                        .coef = coef,
                        .size = atn_tau_form_int(0),
                        .tau = atn_tau_form_int(1),
                        .of = malloc(sizeof *of * (size_t)n),
                        .nof = n};
    if (!x.of || !atn_push(out, x)) {
        free(x.of);
        return false;
    }
    memcpy(x.of, of, sizeof *of * (size_t)n);
    return true;
}

atn_status atn_tau_terms_max(atn_terms *of, int n, atn_form coef, bool slower, atn_terms *out,
                             atn_error *err)
{
    atn_status st = ATN_OK;
    bool taken = false;
    for (int i = 0; i < n && !st; i++)
        st = atn_tau_terms_merge(&of[i], err);
    if (!st)
        n = keep_needed(of, n, slower);
    if (!st && n == 1)
        st = atn_tau_terms_append(out, &of[0], coef) ? ATN_OK : ATN_MEMORY;
    else if (!st && n > 1)
        st = (taken = push_maximum(of, n, coef, out)) ? ATN_OK : ATN_MEMORY;
    for (int i = 0; i < n && !taken; i++)
        atn_tau_terms_free(&of[i]);
    return st == ATN_MEMORY ? atn_fail(err, ATN_MEMORY, "out of memory") : st;
}

/* ---- flattening ---- */

typedef struct {
    const atn_tau_rules *rules;
    atn_error *err;
} flattener;

static atn_status flatten(const flattener *f, const atn_tau *x, atn_form with, atn_form coef,
                          atn_terms *out);

static atn_status flatten_leaf(const flattener *f, const atn_tau *x, atn_form with, atn_form coef,
                               atn_terms *out)
{
    const int before = out->n;
    const atn_form tau = x->kind == ATN_TAU_O ? atn_tau_form_int(1)
                                              : atn_tau_form_mul(x->tau, with); /* R1, R3, R6 */
    const bool whole = x->kind == ATN_TAU_T
                           ? atn_tau_expand(f->rules->transport, x->channel, x->size, tau, out)
                           : push_leaf(out, x->kind, x->channel, atn_tau_form_int(1), x->size, tau);
    if (!whole)
        return atn_fail(f->err, ATN_MEMORY, "out of memory");
    for (int i = before; i < out->n; i++) {
        atn_term *t = &out->v[i];
        t->coef = atn_tau_form_mul(t->coef, coef);
        if (t->kind == ATN_TAU_O)
            t->sizeless = x->sizeless || f->rules->plain_overheads;
        if (t->sizeless)
            t->size = atn_tau_form_int(0);
        if (t->kind == ATN_TAU_O && f->rules->drop_overheads)
            t->coef = atn_tau_form_int(0);
    }
    return ATN_OK;
}

/* Each operand separately; the caller frees n + 1 lists. */
static atn_status flatten_children(const flattener *f, const atn_tau *x, atn_form with,
                                   atn_terms **lists_p)
{
    atn_status st = ATN_OK;
    atn_terms *lists = calloc((size_t)x->children.n + 1, sizeof *lists);
    if (!lists)
        return atn_fail(f->err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < x->children.n && !st; i++)
        st = flatten(f, x->children.v[i], with, atn_tau_form_int(1), &lists[i]);
    *lists_p = lists;
    return st;
}

/* A3: single transmissions of different channels; only these make a maximum. */
static bool different_channels(const atn_terms *lists, int n)
{
    int channel = -1;
    bool differ = false;
    for (int i = 0; i < n; i++) {
        if (lists[i].n != 1 || lists[i].v[0].kind != ATN_TAU_T)
            return false;
        differ = differ || (channel >= 0 && channel != lists[i].v[0].channel);
        channel = lists[i].v[0].channel;
    }
    return differ;
}

/* The concurrent terms of each channel, as operands of a maximum. */
static atn_status join_channels(const flattener *f, const atn_terms *all, atn_form coef,
                                atn_terms *out)
{
    atn_terms by[ATN_TAU_CHANNELS] = {{0}}, of[ATN_TAU_CHANNELS];
    int n = 0;
    bool whole = true;
    for (int i = 0; i < all->n && whole; i++) {
        const atn_terms one = {.v = &all->v[i], .n = 1};
        whole = atn_tau_terms_append(&by[all->v[i].channel], &one, atn_tau_form_int(1));
    }
    for (int c = 0; c < ATN_TAU_CHANNELS; c++)
        if (by[c].n)
            of[n++] = by[c];
    if (whole)
        return atn_tau_terms_max(of, n, coef, f->rules->slower, out, f->err);
    for (int i = 0; i < n; i++)
        atn_tau_terms_free(&of[i]);
    return atn_fail(f->err, ATN_MEMORY, "out of memory");
}

static atn_status flatten_join(const flattener *f, const atn_tau *x, atn_form with, atn_form coef,
                               atn_terms *out)
{
    atn_terms *lists = NULL, all = {0};
    atn_status st = flatten_children(f, x, with, &lists);
    if (!st)
        st = atn_tau_terms_progress(lists, x->children.n, &all, f->err);
    if (!st && different_channels(lists, x->children.n))
        st = join_channels(f, &all, coef, out);
    else if (!st && !atn_tau_terms_append(out, &all, coef))
        st = atn_fail(f->err, ATN_MEMORY, "out of memory");
    for (int i = 0; lists && i < x->children.n; i++)
        atn_tau_terms_free(&lists[i]);
    free(lists);
    atn_tau_terms_free(&all);
    return st;
}

static atn_status flatten_max(const flattener *f, const atn_tau *x, atn_form with, atn_form coef,
                              atn_terms *out)
{
    atn_terms *lists = NULL;
    atn_status st = flatten_children(f, x, with, &lists);
    if (!st)
        st = atn_tau_terms_max(lists, x->children.n, coef, f->rules->slower, out, f->err);
    else
        for (int i = 0; lists && i < x->children.n; i++)
            atn_tau_terms_free(&lists[i]);
    free(lists);
    return st;
}

static atn_status flatten(const flattener *f, const atn_tau *x, atn_form with, atn_form coef,
                          atn_terms *out)
{
    atn_status st = ATN_OK;
    switch (x->kind) {
    case ATN_TAU_SUM:
        for (int i = 0; i < x->children.n && !st; i++)
            st = flatten(f, x->children.v[i], with, coef, out);
        return st;
    case ATN_TAU_TIMES:
        return flatten(f, x->children.v[0], with, atn_tau_form_mul(coef, x->tau), out);
    case ATN_TAU_WITH:
        if (atn_tau_form_is(&x->tau, 0))
            return ATN_OK;
        return flatten(f, x->children.v[0], atn_tau_form_mul(with, x->tau), coef, out);
    case ATN_TAU_JOIN:
        return flatten_join(f, x, with, coef, out);
    case ATN_TAU_MAX:
        return flatten_max(f, x, with, coef, out);
    default:
        return flatten_leaf(f, x, with, coef, out);
    }
}

atn_status atn_tau_terms(const atn_tau *x, const atn_tau_rules *rules, atn_terms *terms_p,
                         atn_error *err)
{
    static const atn_tau_rules none;
    const flattener f = {rules ? rules : &none, err};
    atn_terms t = {0};
    atn_status st = flatten(&f, x, atn_tau_form_int(1), atn_tau_form_int(1), &t);
    st = st ? st : atn_tau_terms_merge(&t, err);
    if (st)
        atn_tau_terms_free(&t);
    else
        *terms_p = t;
    return st;
}
