/* figures.c - counts the messages of all ranks; the alpha-beta model computes the longest path. */
#include "model/figures.h"

#include <stdlib.h>
#include <string.h>

#include "model/alpha_beta.h"
#include "model/machine.h"
#include "sched/partition.h"

static int level_index(const atn_link_levels *l, const char *name)
{
    for (int i = 0; i < l->n; i++)
        if (strcmp(l->name[i], name) == 0)
            return i;
    return -1;
}

atn_link_levels atn_model_link_levels_of(const atn_topo *t)
{
    atn_link_levels l = {.n = 0};

    for (int depth = 1; t && depth <= atn_topo_depth(t); depth++)
        for (int v = 1; v < t->nnodes && l.n < ATN_FIGURE_LEVELS; v++)
            if (t->nodes[v].depth == depth && level_index(&l, atn_topo_level_name(t, v)) < 0)
                l.name[l.n++] = atn_topo_level_name(t, v);
    return l;
}

typedef struct {
    const atn_topo *t;
    atn_link_levels levels;
    int *level;     /* of a node */
    int64_t *loads; /* of a directed link */
    int *path;
    atn_figures f;
} survey;

static bool set_up(survey *x, const atn_topo *t)
{
    *x = (survey){.t = t, .levels = atn_model_link_levels_of(t)};
    if (!t)
        return true;
    x->level = malloc(sizeof *x->level * (size_t)t->nnodes);
    x->loads = calloc((size_t)atn_topo_edges(t), sizeof *x->loads);
    x->path = malloc(sizeof *x->path * (size_t)atn_topo_longest(t));
    for (int v = 0; x->level && v < t->nnodes; v++)
        x->level[v] = level_index(&x->levels, atn_topo_level_name(t, v));
    return x->level && x->loads && x->path;
}

static void tear_down(survey *x)
{
    free(x->level);
    free(x->loads);
    free(x->path);
}

/* The node whose level a link is of: with routes, one of those that it connects, or one like it. */
static int level_node(const atn_topo *t, int edge, int from)
{
    const int node = edge / 2 - t->p;
    int v = atn_model_host_node(t, from);

    if (node < t->nnodes)
        return node;
    for (int i = atn_topo_link_height(t, edge); i > 0 && t->nodes[v].parent > 0; i--)
        v = t->nodes[v].parent;
    return v;
}

/* A message counts once for each level whose links it crosses. */
static void follow(survey *x, int from, int to, int64_t bytes)
{
    const int n = atn_topo_path(x->t, from, to, x->path), links = 2 * x->t->p;
    unsigned crossed = 0;

    x->f.inside += atn_model_host_node(x->t, from) == atn_model_host_node(x->t, to);
    for (int i = 0; i < n; i++) {
        const int edge = x->path[i], node = edge < links ? -1 : level_node(x->t, edge, from);
        if (node < 0)
            continue;
        x->loads[edge] += bytes;
        x->f.busiest = x->loads[edge] > x->f.busiest ? x->loads[edge] : x->f.busiest;
        if (x->level[node] >= 0)
            crossed |= 1u << x->level[node];
    }
    for (int i = 0; i < x->levels.n; i++)
        if (crossed & 1u << i) {
            x->f.crossing[i] += bytes;
            x->f.crossings[i]++;
        }
}

static void count(survey *x, const atn_schedule *s, int64_t n)
{
    const atn_partition t = atn_sched_partition_uniform(&s->q, s->split, n);

    for (int i = 0; i < s->nops; i++) {
        const atn_op *o = &s->ops[i];
        const bool reads = atn_sched_is_read(o);
        if (o->kind != ATN_OP_SEND && !reads)
            continue;
        const int64_t bytes = atn_sched_slot_units(&t, s, atn_sched_moved(o));
        x->f.messages++;
        x->f.bytes += bytes;
        if (x->t)
            follow(x, reads ? o->peer : s->q.r, reads ? s->q.r : o->peer, bytes);
    }
}

static atn_status find_path(atn_schedule *const *s, int p, int64_t n, atn_figures *f,
                            atn_error *err)
{
    static const atn_alpha_beta units[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int64_t *const value[] = {&f->rounds, &f->path, &f->reduced};
    atn_status status = ATN_OK;

    for (int i = 0; i < 3 && status == ATN_OK; i++) {
        double time = 0;
        status = atn_model_alpha_beta_time(s, p, n, &units[i], &time, err);
        *value[i] = (int64_t)(time + 0.5);
    }
    return status;
}

atn_status atn_model_figures_find(atn_schedule *const *schedules, int p, int64_t n,
                                  const atn_topo *t, atn_figures *figures_p, atn_error *err)
{
    survey x;
    atn_status status = set_up(&x, t) ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");

    for (int r = 0; r < p && status == ATN_OK; r++)
        count(&x, schedules[r], n);
    if (status == ATN_OK)
        status = find_path(schedules, p, n, &x.f, err);
    if (status == ATN_OK)
        *figures_p = x.f;
    tear_down(&x);
    return status;
}
