/* summa.c - traffic and cost of SUMMA. */
#include "research/taulop/summa.h"

#include <stdlib.h>
#include <string.h>

#include "research/taulop/canon.h"

void atn_tau_summa_free(atn_summa *s)
{
    atn_vec_free(&s->processes);
    atn_vec_free(&s->columns);
    atn_vec_free(&s->members);
}

static int channel(const atn_summa *s, int a, int b)
{
    return s->processes.v[a].node != s->processes.v[b].node;
}

/* ---- rows: to the other columns ---- */

static int overlap(const atn_summa_process *a, const atn_summa_process *b)
{
    const int top = atn_max(a->top, b->top);
    const int end = atn_min(a->top + a->height, b->top + b->height);
    return atn_max(0, end - top);
}

int atn_tau_summa_flows(const atn_summa *s, int column, atn_summa_flow *flows)
{
    const atn_summa_column *c = &s->columns.v[column];
    int n = 0;
    for (int i = c->first; i < c->first + c->n; i++)
        for (int to = 0; to < s->processes.n; to++) {
            const int from = s->members.v[i];
            const int blocks = overlap(&s->processes.v[from], &s->processes.v[to]);
            if (s->processes.v[to].column != column && blocks > 0)
                flows[n++] = (atn_summa_flow){from, to, blocks, channel(s, from, to)};
        }
    return n;
}

static bool push_item(atn_terms *t, int channel, int blocks, int tau)
{
    return blocks == 0 || atn_push(t, (atn_term){.kind = ATN_TAU_T,
                                                 .channel = channel,
                                                 .coef = atn_tau_form_int(1),
                                                 .size = atn_tau_form_int(blocks),
                                                 .tau = atn_tau_form_int(tau)});
}

/* The messages of a sender in sequence, by channel (A4, A1). */
static bool sequence(const atn_summa_flow *flows, int n, int from, atn_terms *t)
{
    int blocks[2] = {0, 0};
    for (int i = 0; i < n; i++)
        if (flows[i].from == from)
            blocks[flows[i].channel] += flows[i].blocks;
    return push_item(t, 0, blocks[0], 1) && push_item(t, 1, blocks[1], 1);
}

static void free_all(atn_terms *actors, int n)
{
    for (int i = 0; actors && i < n; i++)
        atn_tau_terms_free(&actors[i]);
    free(actors);
}

/* Concurrent actors (A5, A2), `times` times; frees them. */
static atn_status together(atn_terms *actors, int n, bool whole, int times, atn_terms *terms,
                           atn_error *err)
{
    atn_terms once = {0};
    atn_status st = actors && whole ? atn_tau_terms_progress(actors, n, &once, err) : ATN_MEMORY;
    if (!st && !atn_tau_terms_append(terms, &once, atn_tau_form_int(times)))
        st = ATN_MEMORY;
    atn_tau_terms_free(&once);
    free_all(actors, n);
    return st == ATN_MEMORY ? atn_fail(err, st, "out of memory") : st;
}

atn_status atn_tau_summa_rows(const atn_summa *s, int column, atn_terms *terms, atn_error *err)
{
    const atn_summa_column *c = &s->columns.v[column];
    const size_t p = (size_t)s->processes.n;
    atn_summa_flow *flows = malloc(sizeof *flows * p * p);
    atn_terms *actors = calloc((size_t)c->n, sizeof *actors);
    const int n = flows ? atn_tau_summa_flows(s, column, flows) : 0;
    bool whole = flows && actors;
    for (int i = 0; i < c->n && whole; i++)
        whole = sequence(flows, n, s->members.v[c->first + i], &actors[i]);
    free(flows);
    return together(actors, c->n, whole, c->width, terms, err);
}

/* ---- columns: broadcasts ---- */

/* The stages of a binomial tree over the column: transmissions between nodes hide the others
 * (A3). */
static bool broadcast(const atn_summa *s, const atn_summa_column *c, int root, atn_terms *t)
{
    int mask = 1;
    bool whole = true;
    while (mask < c->n)
        mask *= 2;
    for (mask /= 2; mask > 0 && whole; mask /= 2) {
        int count[2] = {0, 0};
        for (int r = 0; r + mask < c->n; r += 2 * mask) {
            const int from = s->members.v[c->first + (root + r) % c->n];
            const int to = s->members.v[c->first + (root + r + mask) % c->n];
            count[channel(s, from, to)]++;
        }
        whole = push_item(t, count[1] > 0, c->width, count[1] > 0 ? count[1] : count[0]);
    }
    return whole;
}

/* The member of a column that owns a row, and the end of its rows. */
static int owner(const atn_summa *s, const atn_summa_column *c, int row, int *end_p)
{
    for (int i = 0; i < c->n; i++) {
        const atn_summa_process *x = &s->processes.v[s->members.v[c->first + i]];
        if (row < x->top + x->height) {
            *end_p = x->top + x->height;
            return i;
        }
    }
    return 0;
}

/* Rows in which the roots of all columns stay the same cost the same. */
atn_status atn_tau_summa_columns(const atn_summa *s, atn_terms *terms, atn_error *err)
{
    atn_status st = ATN_OK;
    for (int row = 0, next; row < s->blocks && !st; row = next) {
        const int n = s->columns.n;
        atn_terms *actors = calloc((size_t)n, sizeof *actors);
        bool whole = actors;
        next = s->blocks;
        for (int j = 0; j < n && whole; j++) {
            int end = s->blocks;
            const int root = owner(s, &s->columns.v[j], row, &end);
            next = atn_min(next, end);
            whole = broadcast(s, &s->columns.v[j], root, &actors[j]);
        }
        st = together(actors, n, whole, next - row, terms, err);
    }
    return st;
}

atn_status atn_tau_summa_total(const atn_summa *s, atn_terms *terms_p, atn_error *err)
{
    atn_terms t = {0};
    atn_status st = ATN_OK;
    for (int j = 0; j < s->columns.n && !st; j++)
        st = atn_tau_summa_rows(s, j, &t, err);
    st = st ? st : atn_tau_summa_columns(s, &t, err);
    st = st ? st : atn_tau_terms_merge(&t, err);
    if (st)
        atn_tau_terms_free(&t);
    else
        *terms_p = t;
    return st;
}

/* Every block of A is sent to all other columns, every block of B to all others of its column. */
int64_t atn_tau_summa_volume(const atn_summa *s)
{
    int64_t blocks = 0;
    for (int j = 0; j < s->columns.n; j++) {
        const atn_summa_column *c = &s->columns.v[j];
        for (int i = c->first; i < c->first + c->n; i++)
            for (int to = 0; to < s->processes.n; to++)
                if (s->processes.v[to].column != j)
                    blocks += (int64_t)c->width *
                              overlap(&s->processes.v[s->members.v[i]], &s->processes.v[to]);
        blocks += (int64_t)s->blocks * c->width * (c->n - 1);
    }
    return blocks;
}
