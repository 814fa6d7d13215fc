/* levels_matrix.c - layout of the blocks that a leader stores for others. */
#include "algo/levels_matrix.h"

#include <stdlib.h>

/* Outer clusters precede inner ones, so the last match is the smallest. */
static void set_rows(const atn_level_run *x, atn_matrix *m)
{
    const atn_levels *tree = &x->plan->tree;

    for (int i = 1; i < tree->n; i++) {
        const atn_cluster *c = &tree->clusters[i];
        if (!atn_algo_level_leads(x, c))
            continue;
        for (int k = c->first; k < c->first + c->count; k++) {
            m->skip[k - m->first] = c->first;
            m->skips[k - m->first] = c->count;
        }
    }
}

bool atn_algo_matrix_begin(const atn_level_run *x, atn_matrix *m)
{
    const atn_cluster *largest = atn_algo_level_largest(x, true);

    *m = (atn_matrix){.first = 0};
    if (!largest)
        return true;
    const size_t n = (size_t)largest->count;
    m->at = malloc(3 * n * sizeof *m->at);
    if (!m->at)
        return false;
    m->first = largest->first;
    m->count = largest->count;
    m->skip = m->at + n;
    m->skips = m->skip + n;
    set_rows(x, m);
    for (int i = 0; i < m->count; i++) {
        m->at[i] = m->blocks;
        m->blocks += x->q->p - m->skips[i];
    }
    return true;
}

void atn_algo_matrix_end(atn_matrix *m) { free(m->at); }

atn_groups atn_algo_groups_begin(const atn_matrix *m)
{
    atn_groups g = {.m = m};

    g.ok = atn_push(&g.first, 0);
    return g;
}

static void add(atn_groups *g, int a, int b)
{
    const atn_matrix *m = g->m;
    int at = b;

    if (m) {
        const int row = a - m->first;
        at = m->at[row] + (b < m->skip[row] ? b : b - m->skips[row]);
    }
    g->ok = g->ok && atn_push(&g->index, at);
}

static bool chosen(const atn_matrix_group *x, int b)
{
    return x->outside != (b >= x->b && b < x->b + x->nb);
}

void atn_algo_groups_add(atn_groups *g, int p, const atn_matrix_group *x)
{
    if (x->by_b) {
        for (int b = x->b; b < x->b + x->nb; b++)
            for (int a = x->a; a < x->a + x->na; a++)
                add(g, a, b);
    } else {
        for (int a = x->a; a < x->a + x->na; a++)
            for (int b = 0; b < p; b++)
                if (chosen(x, b))
                    add(g, a, b);
    }
    g->ok = g->ok && atn_push(&g->first, g->index.n);
}

void atn_algo_groups_end(atn_groups *g)
{
    atn_vec_free(&g->index);
    atn_vec_free(&g->first);
}
