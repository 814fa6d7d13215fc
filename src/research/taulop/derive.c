/* derive.c - the steps of a traffic as a formula. */
#include "research/taulop/derive.h"

#include <stdlib.h>
#include <string.h>

#include "research/taulop/steps.h"

typedef struct {
    const atn_traffic *t;
    const atn_mapping *m;
    const atn_tau_view *view;
    atn_terms terms;
    atn_status status;
    atn_error *err;
} writer;

static bool failed(writer *w)
{
    w->status = atn_fail(w->err, ATN_MEMORY, "out of memory");
    return false;
}

static atn_form size_form(const writer *w, int64_t size)
{
    return atn_tau_form_mul(atn_tau_form_fraction(size, w->t->parts), w->view->block);
}

/* ---- concurrent uses of one resource ---- */

/* Sizes ascend: all uses until the shortest ends, the others until the next one ends (A2). */
static bool add_load(const writer *w, atn_tau_kind kind, const atn_tau_use *u, int n,
                     atn_terms *terms)
{
    int64_t done = 0;
    for (int i = 0; i < n; i++) {
        if (u[i].size == done && (i > 0 || u[n - 1].size > 0))
            continue;
        const atn_term t = {.kind = kind,
                            .channel = u->channel,
                            .coef = atn_tau_form_int(1),
                            .size = size_form(w, u[i].size - done),
                            .tau = atn_tau_form_int(n - i)};
        if (!atn_push(terms, t))
            return false;
        done = u[i].size;
    }
    return true;
}

static bool same_load(const atn_tau_use *a, int na, const atn_tau_use *b, int nb)
{
    if (na != nb || a->channel != b->channel)
        return false;
    for (int i = 0; i < na; i++)
        if (a[i].size != b[i].size)
            return false;
    return true;
}

/* Whether an earlier resource has the same load as the one at i. */
static bool seen(const atn_tau_use *uses, int n, int i, int end)
{
    for (int k = 0, e; k < i; k = e) {
        e = atn_tau_uses_end(uses, n, k);
        if (same_load(&uses[k], e - k, &uses[i], end - i))
            return true;
    }
    return false;
}

typedef ATN_VEC(atn_terms) operands;

static bool add_maximum(writer *w, operands *of)
{
    const atn_status st = of->n == 0 ? ATN_OK
                                     : atn_tau_terms_max(of->v, of->n, atn_tau_form_int(1),
                                                         w->view->slower, &w->terms, w->err);
    atn_vec_free(of);
    w->status = w->status ? w->status : st;
    return w->status == ATN_OK;
}

static bool step(void *to, atn_tau_kind kind, const atn_tau_use *uses, int n)
{
    writer *w = to;
    operands of = {0};
    bool whole = true;
    if (kind == ATN_TAU_C && !w->view->copies)
        return true;
    for (int i = 0, end; i < n && whole; i = end) {
        atn_terms load = {0};
        end = atn_tau_uses_end(uses, n, i);
        if (!seen(uses, n, i, end))
            whole = add_load(w, kind, &uses[i], end - i, &load) && atn_push(&of, load);
    }
    return add_maximum(w, &of) && (whole || failed(w));
}

/* ---- segments ---- */

/* The messages of a stage at one node. */
typedef struct {
    int sends, receives, inside;
    bool both; /* a rank sends and receives inside the node */
    int64_t *sizes;
} node_work;

static int by_size(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static bool receives_inside(const writer *w, const atn_tau_flow *flows, int n, int rank)
{
    for (int i = 0; i < n; i++)
        if (flows[i].to == rank && w->m->node_of[flows[i].from] == w->m->node_of[rank])
            return true;
    return false;
}

static node_work work_of(const writer *w, const atn_tau_flow *flows, int n, int node,
                         int64_t *sizes)
{
    node_work x = {.sizes = sizes};
    for (int i = 0; i < n; i++) {
        const bool from = w->m->node_of[flows[i].from] == node;
        const bool to = w->m->node_of[flows[i].to] == node;
        x.sends += from;
        x.receives += to;
        if (!from || !to)
            continue;
        x.both = x.both || receives_inside(w, flows, n, flows[i].from);
        sizes[x.inside++] = flows[i].size;
    }
    qsort(sizes, (size_t)x.inside, sizeof *sizes, by_size);
    return x;
}

/* (3.7): 2k segment transfers per message; else (3.2). */
static bool add_segments(const writer *w, const node_work *x, atn_form size, atn_form tau,
                         atn_terms *terms)
{
    const int before = terms->n;
    const atn_tau_transport how = x->both ? ATN_TAU_STREAM : w->view->transport;
    if (!atn_tau_expand(how, 0, size, tau, terms))
        return false;
    for (int i = before; i < terms->n; i++) {
        atn_term *t = &terms->v[i];
        if (t->kind == ATN_TAU_O) {
            t->coef = atn_tau_form_int(0); /* counted by the stage */
        } else if (x->both) {
            t->coef = atn_tau_form_mul(t->coef, atn_tau_form_int(2));
            t->tau = tau;
        }
    }
    return true;
}

static bool add_node(writer *w, const atn_tau_flow *flows, int n, int node, operands *of)
{
    int64_t *sizes = malloc(sizeof *sizes * ((size_t)n + 1)), done = 0;
    const node_work x = sizes ? work_of(w, flows, n, node, sizes) : (node_work){0};
    const int all = atn_max(x.sends, x.receives);
    atn_terms terms = {0};
    bool whole = sizes;
    for (int i = 0; i < x.inside && whole; i++)
        if (sizes[i] > done) {
            whole = add_segments(w, &x, size_form(w, sizes[i] - done), atn_tau_form_int(all - i),
                                 &terms);
            done = sizes[i];
        }
    whole = whole && (terms.n == 0 || atn_push(of, terms));
    if (!whole)
        atn_tau_terms_free(&terms);
    free(sizes);
    return whole;
}

/* (5.12): network transfers, not interleaved with those inside nodes. */
static bool add_network(writer *w, const atn_tau_flow *flows, int n)
{
    atn_tau_use *uses = malloc(sizeof *uses * ((size_t)n + 1));
    bool whole = uses;
    for (int turn = 0; turn < 3 && whole; turn++) {
        int used = 0;
        for (int i = 0; i < n; i++) {
            const int from = w->m->node_of[flows[i].from], to = w->m->node_of[flows[i].to];
            const int card = w->view->contention == ATN_TAU_NETWORK ? 0 : to;
            if (from != to)
                uses[used++] = (atn_tau_use){turn == 1,
                                             turn == 0   ? from
                                             : turn == 1 ? card
                                                         : to,
                                             flows[i].size};
        }
        atn_tau_uses_sort(uses, used);
        whole = used == 0 || step(w, ATN_TAU_L, uses, used);
    }
    free(uses);
    return whole;
}

static bool segmented_stage(writer *w, const atn_tau_flow *flows, int n)
{
    operands of = {0};
    bool whole = true;
    for (int node = 0; node < w->m->nodes && whole; node++)
        whole = add_node(w, flows, n, node, &of);
    return add_maximum(w, &of) && (whole || failed(w)) && (add_network(w, flows, n) || failed(w));
}

/* ---- stages ---- */

static bool is_segmented(const atn_tau_view *view)
{
    return view->transport == ATN_TAU_SEGMENTS || view->transport == ATN_TAU_STREAM;
}

static bool stage(void *to, const atn_tau_flow *flows, int n, int channel, int64_t size)
{
    writer *w = to;
    const bool sized = w->view->sized;
    const atn_term o = {.kind = ATN_TAU_O,
                        .channel = channel,
                        .sizeless = !sized,
                        .coef = atn_tau_form_int(1),
                        .size = sized ? size_form(w, size) : atn_tau_form_int(0),
                        .tau = atn_tau_form_int(1)};
    if (w->view->overheads && !atn_push(&w->terms, o))
        return failed(w);
    return !is_segmented(w->view) || segmented_stage(w, flows, n);
}

atn_status atn_tau_derive(const atn_traffic *t, const atn_mapping *m, const atn_tau_view *view,
                          atn_terms *terms_p, atn_error *err)
{
    writer w = {.t = t, .m = m, .view = view, .err = err};
    const atn_step_visitor v = {.to = &w,
                                .step = step,
                                .stage = stage,
                                .no_transfers = is_segmented(view),
                                .hops = atn_tau_hops(view->transport)};
    if (!atn_tau_walk(t, m, view->contention, &v) && !w.status)
        failed(&w);
    if (!w.status)
        w.status = atn_tau_terms_merge(&w.terms, err);
    if (w.status)
        atn_tau_terms_free(&w.terms);
    else
        *terms_p = w.terms;
    return w.status;
}
