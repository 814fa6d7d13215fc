/* candidates.c - see candidates.h. */
#include "plan/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "algo/derived.h"
#include "algo/levels.h"
#include "algo/order.h"
#include "plan/twins.h"
#include "topo/topo.h"

enum { MAX_VALUES = 16 };
static const int64_t usual_segment = 8192;

typedef struct {
    int64_t v[MAX_VALUES];
    int n;
} values;

enum { ORDERS = ATN_ORDER_DFS + 1 };

typedef struct {
    const atn_problem *q;
    ATN_VEC(atn_twin) list;
    int first;     /* of the present row */
    int64_t steps; /* budget for comparing schedules */
    bool ok;
    int alike[ORDERS]; /* the first order with the same sequence of ranks */
} search;

/* A row's parameters: its own first, then those of its passes by name (-1: it
 * has none). */
typedef struct {
    const atn_row *row;
    const atn_param *list[ATN_MAX_PARAMS];
    int n, own, segment, order, window, sync, every;
} shape;

static int index_of(const shape *s, const char *name)
{
    for (int i = s->own; i < s->n; i++)
        if (strcmp(s->list[i]->name, name) == 0)
            return i;
    return -1;
}

static shape shape_of(const atn_row *row)
{
    shape s = {.row = row};
    s.n = atn_algo_row_params(row, s.list);
    while (row->algo->params && row->algo->params[s.own].name)
        s.own++;
    s.segment = index_of(&s, "segment");
    s.order = index_of(&s, "order");
    s.window = index_of(&s, "window");
    s.sync = index_of(&s, "sync");
    s.every = index_of(&s, "every");
    return s;
}

/* ---- values worth trying ---- */

static void put(values *to, int64_t v)
{
    for (int i = 0; i < to->n; i++)
        if (to->v[i] == v)
            return;
    if (to->n < MAX_VALUES)
        to->v[to->n++] = v;
}

/* Few to many segments, between a packet and the eager limits of MPI libraries;
 * and the sizes that suit most networks. */
static values segments(int64_t bytes)
{
    static const int64_t least = 1024, most = 65536, usual[] = {4096, 8192}, parts[] = {8, 32, 128};
    values out = {.n = 0};
    for (int i = 0; i < 3; i++) {
        int64_t v = least;
        while (v < most && v < bytes / parts[i])
            v *= 2;
        if (v < bytes)
            put(&out, v);
    }
    for (int i = 0; i < 2; i++)
        if (usual[i] < bytes)
            put(&out, usual[i]);
    return out;
}

/* ---- orders of ranks ---- */

static bool sequence(const atn_problem *q, int order, int *ranks)
{
    for (int i = 0; i < q->p; i++)
        ranks[i] = i;
    return order == ATN_ORDER_RANK ||
           (q->topo != NULL && atn_algo_order_ranks(q->topo, (atn_order)order, q->root, ranks));
}

/* Rank order often follows the topology. */
static void compare_orders(search *s)
{
    const size_t p = (size_t)s->q->p;
    int *ranks = malloc(ORDERS * p * sizeof *ranks);
    for (int x = 0; x < ORDERS; x++) {
        s->alike[x] = x;
        if (ranks == NULL || !sequence(s->q, x, ranks + (size_t)x * p))
            continue;
        for (int y = x - 1; y >= 0; y--)
            if (s->alike[y] == y &&
                memcmp(ranks + (size_t)x * p, ranks + (size_t)y * p, p * sizeof *ranks) == 0)
                s->alike[x] = y;
    }
    free(ranks);
}

/* Rank order, and the topology-aware order where it differs: from the root, or
 * around a ring. */
static values orders(const search *s)
{
    static const int rooted[] = {ATN_ORDER_DFS}, rings[] = {ATN_ORDER_LR1, ATN_ORDER_LR3};
    const bool has_root = atn_sched_operation_get(s->q->op)->flags & ATN_ROOTED;
    const int *along = has_root ? rooted : rings, n = has_root ? 1 : 2;
    values out = {.v = {ATN_ORDER_RANK}, .n = 1};
    for (int i = 0; i < n && s->q->topo != NULL; i++)
        if (s->alike[along[i]] != ATN_ORDER_RANK)
            put(&out, along[i]);
    return out;
}

/* ---- parameters of an algorithm's own ---- */

static values own_values(const atn_param *p)
{
    values out = {.n = 0};
    if (p->type == ATN_WORD)
        for (int64_t v = p->min; v <= p->max; v++)
            put(&out, v);
    else if (p->scale == ATN_LOG2)
        for (int64_t v = p->min > 0 ? p->min : 1; v <= p->max && v <= 4; v *= 2)
            put(&out, v);
    else
        for (int64_t v = p->min; v <= p->max && v <= p->min + 4; v++)
            put(&out, v);
    return out;
}

/* ---- candidates ---- */

/* Candidates of a row that build the same schedules, as far as can be decided
 * without building. */
static bool same(const search *s, const shape *f, atn_choice x, atn_choice y)
{
    if (atn_algo_segments(x.row, s->q, &x.params) != atn_algo_segments(y.row, s->q, &y.params) ||
        (f->order >= 0 && s->alike[x.params.v[f->order]] != s->alike[y.params.v[f->order]]))
        return false;
    if (f->segment >= 0)
        x.params.v[f->segment] = y.params.v[f->segment] = 0;
    if (f->order >= 0)
        x.params.v[f->order] = y.params.v[f->order] = 0;
    return memcmp(&x.params, &y.params, sizeof x.params) == 0;
}

/* Without segments all variants of a size of segment are the same. */
static bool differ_in_segment(const shape *f, atn_choice x, const atn_choice *y)
{
    x.params.v[f->segment] = y->params.v[f->segment];
    return memcmp(&x.params, &y->params, sizeof x.params) == 0;
}

static void know_simple(const search *s, const shape *f, atn_twin *x)
{
    for (int i = s->first; i < s->list.n && f->segment >= 0 && x->simple == 0; i++)
        if (differ_in_segment(f, s->list.v[i].choice, &x->choice))
            x->simple = s->list.v[i].simple;
}

/* One of the row that is the same under another name; NULL: none. */
static atn_twin *find_twin(search *s, const shape *f, atn_twin *x)
{
    for (int i = s->first; i < s->list.n; i++)
        if (same(s, f, s->list.v[i].choice, x->choice))
            return &s->list.v[i];
    know_simple(s, f, x);
    for (int i = s->first; i < s->list.n; i++)
        if (atn_plan_are_twins(&s->list.v[i], x, s->q, &s->steps))
            return &s->list.v[i];
    return NULL;
}

static void add(search *s, const shape *f, const atn_choice *c)
{
    atn_twin x = {.choice = *c};
    if (atn_plan_choice_refuses(c, s->q) != NULL)
        return;
    atn_twin *const twin = find_twin(s, f, &x);
    if (twin == NULL)
        s->ok = s->ok && atn_push(&s->list, x);
    else if (atn_plan_is_simpler(&x.choice, &twin->choice))
        twin->choice = x.choice;
}

static void add_segments(search *s, const shape *f, atn_choice c)
{
    const values sizes = segments(s->q->bytes);
    add(s, f, &c);
    for (int i = 0; i < sizes.n && f->segment >= 0; i++) {
        c.params.v[f->segment] = sizes.v[i];
        add(s, f, &c);
    }
}

static void add_with(search *s, const shape *f, atn_choice c, int param, int64_t value)
{
    if (param < 0)
        return;
    c.params.v[param] = value;
    add(s, f, &c);
}

/* Ways to synchronise ranks; `every` is the interval of global synchronisation.
 */
static void add_steps(search *s, const shape *f, atn_choice c)
{
    add_with(s, f, c, f->window, 1);
    add_with(s, f, c, f->window, 4);
    add_with(s, f, c, f->sync, ATN_SYNC_PAIR);
    add_with(s, f, c, f->sync, ATN_SYNC_BARRIER);
    if (f->sync >= 0) {
        c.params.v[f->sync] = ATN_SYNC_BARRIER;
        add_with(s, f, c, f->every, 4);
    }
}

/* A word selects a variant: as it is, with default segments, and with the
 * algorithm's numbers. */
static void add_word(search *s, const shape *f, atn_choice c)
{
    add(s, f, &c);
    add_with(s, f, c, f->segment, usual_segment);
    for (int i = 0; i < f->own; i++)
        if (f->list[i]->type == ATN_INT)
            add_with(s, f, c, i, 4);
}

static void add_own(search *s, const shape *f, const atn_choice *c)
{
    bool words = false;
    for (int i = 0; i < f->own; i++)
        words = words || f->list[i]->type == ATN_WORD;
    for (int i = 0; i < f->own; i++) {
        const bool word = f->list[i]->type == ATN_WORD;
        const values own = own_values(f->list[i]);
        atn_choice other = *c;
        for (int k = 0; k < own.n && (word || !words); k++) {
            other.params.v[i] = own.v[k];
            if (word) {
                add_word(s, f, other);
                continue;
            }
            atn_choice simple = other;
            if (atn_plan_choice_refuses(&simple, s->q) == NULL)
                atn_plan_simplify(s->q, &simple, &s->steps);
            add_segments(s, f, simple);
        }
    }
}

/* ---- hosts with several ranks ---- */

/* Algorithms among the leaders of hosts besides the default one: for long
 * messages. */
static const char *const between_hosts[ATN_OPERATIONS][2] = {
    [ATN_BCAST] = {"scatter_allgather", "double_tree"},
    [ATN_REDUCE] = {"rabenseifner", "scatter_gather"},
    [ATN_ALLREDUCE] = {"recursive_dividing", "ring"},
    [ATN_ALLGATHER] = {"recursive_doubling", "ring"},
    [ATN_ALLGATHERV] = {"recursive_doubling", "ring"},
    [ATN_REDUCE_SCATTER] = {"recursive_halving", "ring"},
    [ATN_REDUCE_SCATTER_BLOCK] = {"recursive_halving", "ring"},
};

static bool hosts_have_several(const atn_topo *t)
{
    for (int r = 1; r < t->p; r++)
        if (atn_topo_host_of(t, r) == atn_topo_host_of(t, 0))
            return true;
    return false;
}

static void add_levels(search *s, const shape *f, atn_choice c, const char *text)
{
    const int64_t number =
        atn_algo_levels_check(f->row, text, NULL) == ATN_OK ? atn_intern(text) : -1;
    if (number <= 0)
        return;
    c.params.v[0] = number;
    add(s, f, &c);
    add_with(s, f, c, f->segment, usual_segment);
}

/* One leader of each host, and no others between them and all hosts. */
static void add_leaders(search *s, const shape *f, const atn_choice *c)
{
    const bool switches = atn_topo_has_level(s->q->topo, "switch");
    if (!hosts_have_several(s->q->topo))
        return;
    if (switches)
        add_levels(s, f, *c, "switch:none");
    for (int i = 0; i < 2 && between_hosts[s->q->op][i] != NULL; i++) {
        char text[64];
        snprintf(text, sizeof text, "%shost:%s", switches ? "switch:none," : "",
                 between_hosts[s->q->op][i]);
        add_levels(s, f, *c, text);
    }
}

static void add_row(search *s, const atn_row *row)
{
    const shape f = shape_of(row);
    values along = orders(s);
    s->first = s->list.n;
    atn_choice c = {.row = row};
    atn_algo_params_default(row, &c.params);
    if (f.order < 0)
        along.n = 1;
    for (int i = 0; i < along.n; i++) {
        if (f.order >= 0)
            c.params.v[f.order] = along.v[(i + 1) % along.n];
        add_segments(s, &f, c);
    }
    if (f.order >= 0) /* the first topology-aware order, if there is one */
        c.params.v[f.order] = along.v[along.n > 1];
    if (strcmp(row->algo->group, "latency") != 0) /* small messages are not in each other's way */
        add_steps(s, &f, c);
    if (atn_algo_level_is_row(row->algo))
        add_leaders(s, &f, &c);
    else
        add_own(s, &f, &c);
}

/* On a single level, `levels` only duplicates another row; without arrival
 * skew, so do rows for late ranks, and without a pattern those made for one. */
static bool is_another(const atn_problem *q, const atn_row *row)
{
    return (atn_algo_level_is_row(row->algo) && atn_algo_levels_depth(q) < 2) ||
           (row->algo->needs & ATN_NEEDS_LATENESS && !q->lateness) ||
           (row->algo->needs & ATN_NEEDS_PATTERN) != 0;
}

int atn_plan_candidates(const atn_problem *q, atn_choice **list_p)
{
    return atn_plan_candidates_within(q, 40000000, list_p);
}

int atn_plan_candidates_within(const atn_problem *q, int64_t steps, atn_choice **list_p)
{
    search s = {.q = q, .steps = steps, .ok = true};

    compare_orders(&s);
    atn_algo_derived_open(q->topo);
    for (int i = 0; i < atn_algo_catalog_rows() && s.ok; i++) {
        const atn_row *row = atn_algo_catalog_row(i);
        if (row->op == q->op && row->algo->build && !is_another(q, row))
            add_row(&s, row);
    }
    atn_algo_derived_close();
    const int n = s.list.n;
    atn_choice *const list = s.ok ? malloc(((size_t)n + 1) * sizeof *list) : NULL;
    for (int i = 0; i < n && list != NULL; i++)
        list[i] = s.list.v[i].choice;
    atn_vec_free(&s.list);
    *list_p = list;
    return list != NULL ? n : -1;
}
