/* order_lr3.c - the ring with the shortest maximum distance between neighbours.
 *
 * On a contention-free ring every branch is an array: its ranks are consecutive.  The relevant
 * property of an array is the height of its two ends: the switches between an end and the top of
 * the branch, including the top.  Below a switch, arrays and hosts (height 0) follow each other;
 * between neighbours of heights b and a lie b + a + 1 switches.
 *
 * For a limit, from 1 upwards, the possible pairs of heights of arrays within the limit are
 * computed from the leaves to the root.  Lower is always better, so only Pareto-optimal pairs are
 * kept.  A switch orders its branches by dynamic programming over the number of branches of each
 * kind placed so far (branches with the same pairs are of one kind) and the heights of the two
 * outer ends; it minimises the hosts needed between two branches that are too high to be
 * neighbours.  Remaining hosts become ends of height 0. */
#include "algo/order_lr3.h"

#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"

enum { MAX_CELLS = 1 << 22, NEVER = UINT16_MAX };

typedef struct {
    int a, b;
} pair;
_Static_assert(sizeof(pair) == 2 * sizeof(int), "compared as bytes: no padding");

/* The pairs of all switches are consecutive; kinds of branches refer to them. */
typedef struct {
    const atn_forest *f;
    int limit;
    ATN_VEC(pair) pairs;
    int *first, *count; /* node -> its pairs */
    bool no_memory, too_large;
} search;

typedef struct {
    const pair *pairs;
    int npairs;
    int all, n; /* branches of this kind; those considered by the dynamic programming */
    int stride; /* of its count in a state */
} kind;

/* One switch. */
typedef struct {
    int machines, branches;
    kind *kinds;
    int nkinds, heights; /* heights: one more than the maximum */
    int states;
    uint16_t *least; /* (state, height of the first end, of the last) -> hosts in between */
} table;

static uint16_t *least_at(const table *s, int state, int x, int y)
{
    return &s->least[((size_t)state * (size_t)s->heights + (size_t)x) * (size_t)s->heights +
                     (size_t)y];
}

/* ---- kinds of branches ---- */

static bool same_pairs(const kind *k, const pair *pairs, int n)
{
    return k->npairs == n && memcmp(k->pairs, pairs, sizeof *pairs * (size_t)n) == 0;
}

static int kind_of(const search *x, const table *s, int v)
{
    for (int i = 0; i < s->nkinds; i++)
        if (same_pairs(&s->kinds[i], &x->pairs.v[x->first[v]], x->count[v]))
            return i;
    return s->nkinds;
}

static void find_kinds(const search *x, int v, table *s)
{
    const atn_forest *f = x->f;

    for (int i = f->first[v]; i < f->first[v + 1]; i++) {
        const int c = f->child[i];
        if (!atn_algo_forest_switch(f, c)) {
            s->machines++;
            continue;
        }
        const int k = kind_of(x, s, c);
        if (k == s->nkinds)
            s->kinds[s->nkinds++] =
                (kind){.pairs = &x->pairs.v[x->first[c]], .npairs = x->count[c]};
        s->kinds[k].all++;
        s->branches++;
    }
}

static int highest(const kind *k)
{
    int h = 0;

    for (int i = 0; i < k->npairs; i++)
        h = atn_max(h, atn_max(k->pairs[i].a, k->pairs[i].b));
    return h;
}

/* Branches so low that two of them may always be neighbours: only the two ends of a run of them
 * matter, and there is at most one run more than other branches. */
static void bound_kinds(const search *x, table *s)
{
    double states = 1;

    for (int i = 0; i < s->nkinds; i++) {
        kind *k = &s->kinds[i];
        const int h = highest(k), runs = s->branches - k->all + 1;
        k->n = 2 * h + 1 <= x->limit ? atn_min(k->all, 2 * runs) : k->all;
        k->stride = (int)states;
        s->heights = atn_max(s->heights, h + 1);
        states *= k->n + 1;
        if (states * s->heights * s->heights > MAX_CELLS)
            states = MAX_CELLS;
    }
    s->states = (int)states;
}

/* ---- dynamic programming over the branches of a switch ---- */

static int standing(const kind *k, int state) { return state / k->stride % (k->n + 1); }

static int between(const search *x, int b, int a) { return b + a + 1 > x->limit; }

static void extend(const search *x, table *s, int state, int from, int y)
{
    const int had = *least_at(s, state, from, y);

    for (int i = 0; i < s->nkinds && had != NEVER; i++) {
        const kind *k = &s->kinds[i];
        if (standing(k, state) == k->n)
            continue;
        for (int j = 0; j < k->npairs; j++) {
            uint16_t *now = least_at(s, state + k->stride, from, k->pairs[j].b);
            const int need = had + between(x, y, k->pairs[j].a);
            if (need < *now)
                *now = (uint16_t)need;
        }
    }
}

static void fill(const search *x, table *s)
{
    memset(s->least, 0xff,
           sizeof *s->least * (size_t)s->states * (size_t)s->heights * (size_t)s->heights);
    for (int i = 0; i < s->nkinds; i++)
        for (int j = 0; j < s->kinds[i].npairs; j++)
            *least_at(s, s->kinds[i].stride, s->kinds[i].pairs[j].a, s->kinds[i].pairs[j].b) = 0;
    for (int state = 1; state < s->states; state++)
        for (int from = 0; from < s->heights; from++)
            for (int y = 0; y < s->heights; y++)
                extend(x, s, state, from, y);
}

/* False: no memory, too large, or a branch has no array within the limit. */
static bool solve(search *x, int v, table *s)
{
    const int children = x->f->first[v + 1] - x->f->first[v];

    *s = (table){.kinds = calloc((size_t)children + 1, sizeof *s->kinds)};
    if (!s->kinds) {
        x->no_memory = true;
        return false;
    }
    find_kinds(x, v, s);
    for (int i = 0; i < s->nkinds; i++)
        if (s->kinds[i].npairs == 0)
            return false;
    bound_kinds(x, s);
    const double cells = (double)s->states * s->heights * s->heights;
    if (s->branches > 0 && (cells >= MAX_CELLS || s->branches >= NEVER)) {
        x->too_large = true;
        return false;
    }
    s->least = malloc(sizeof *s->least * ((size_t)cells + 1));
    x->no_memory = x->no_memory || !s->least;
    if (s->least && s->branches > 0)
        fill(x, s);
    return s->least != NULL;
}

static void table_free(table *s)
{
    free(s->kinds);
    free(s->least);
}

/* Hosts left over when all branches are placed between ends of heights i and j; negative:
 * impossible. */
static int left_over(const table *s, int i, int j)
{
    const int need = *least_at(s, s->states - 1, i, j);

    return need == NEVER ? -1 : s->machines - need;
}

/* ---- pairs of a switch ---- */

static void keep(search *x, int v, int a, int b)
{
    pair *list = &x->pairs.v[x->first[v]];
    int n = 0;

    if (a >= x->limit || b >= x->limit)
        return;
    for (int i = 0; i < x->count[v]; i++)
        if (list[i].a <= a && list[i].b <= b)
            return;
    for (int i = 0; i < x->count[v]; i++)
        if (list[i].a < a || list[i].b < b)
            list[n++] = list[i];
    x->pairs.n = x->first[v] + n;
    x->no_memory = !atn_push(&x->pairs, (pair){a, b}) || x->no_memory;
    x->count[v] = x->pairs.n - x->first[v];
}

static int by_height(const void *x, const void *y)
{
    return ((const pair *)x)->a - ((const pair *)y)->a;
}

static void find_pairs(search *x, int v, const table *s)
{
    x->first[v] = x->pairs.n;
    x->count[v] = 0;
    if (s->branches == 0)
        keep(x, v, 1, 1);
    for (int i = 0; s->branches > 0 && i < s->heights; i++)
        for (int j = 0; j < s->heights; j++) {
            const int left = left_over(s, i, j);
            if (left >= 0)
                keep(x, v, left > 1 ? 1 : i + 1, left > 0 ? 1 : j + 1);
            if (left == 1)
                keep(x, v, 1, j + 1);
        }
    if (x->count[v] > 1)
        qsort(&x->pairs.v[x->first[v]], (size_t)x->count[v], sizeof(pair), by_height);
}

/* The two ends of the root's array are neighbours too. */
static bool closes(const search *x, const table *s, pair *ends_p)
{
    if (s->branches == 0 || (s->branches == 1 && s->machines > 0)) {
        if (s->branches == 1)
            *ends_p = s->kinds[0].pairs[0];
        return true;
    }
    for (int i = 0; i < s->heights; i++)
        for (int j = 0; j < s->heights; j++) {
            if (left_over(s, i, j) >= between(x, j, i)) {
                *ends_p = (pair){i, j};
                return true;
            }
        }
    return false;
}

/* ---- the order itself ---- */

typedef struct {
    int kind;
    pair ends;
    bool machine; /* preceded by a host */
} stand;

/* The last branch in a state with outer ends from and *y_p; steps back over it. */
static stand step_back(const search *x, const table *s, int *state_p, int from, int *y_p)
{
    const int state = *state_p, least = *least_at(s, state, from, *y_p);

    for (int i = 0; i < s->nkinds; i++) {
        const kind *k = &s->kinds[i];
        if (standing(k, state) == 0)
            continue;
        const int before = state - k->stride;
        for (int j = 0; j < k->npairs; j++) {
            const pair e = k->pairs[j];
            if (e.b == *y_p && before == 0 && e.a == from) {
                *state_p = 0;
                return (stand){i, e, false};
            }
            for (int y = 0; e.b == *y_p && before > 0 && y < s->heights; y++)
                if (*least_at(s, before, from, y) + between(x, y, e.a) == least) {
                    *state_p = before;
                    *y_p = y;
                    return (stand){i, e, between(x, y, e.a)};
                }
        }
    }
    *state_p = 0; /* unreachable: every state has a predecessor */
    return (stand){0};
}

/* The output: the hosts and the branches of each kind in order. */
typedef struct {
    search *x;
    int *ranks, n;
} writer;

static void write_array(writer *w, int v, pair ends, bool ring);

static int next_child(const writer *w, int v, int *at, int wanted, const table *s)
{
    const atn_forest *f = w->x->f;

    for (; *at < f->first[v + 1]; ++*at) {
        const int c = f->child[*at];
        if (atn_algo_forest_switch(f, c) ? wanted >= 0 && kind_of(w->x, s, c) == wanted
                                         : wanted < 0)
            return f->child[(*at)++];
    }
    return -1;
}

static void write_machines(writer *w, int v, int *at, int n)
{
    for (int i = 0; i < n; i++) {
        const int c = next_child(w, v, at, -1, NULL);
        if (c >= 0)
            w->n = atn_algo_forest_take(w->x->f, c, w->ranks, w->n);
    }
}

/* Branches not considered by the dynamic programming follow the first of their
 * kind. */
static void write_branches(writer *w, int v, table *s, const stand *stands, int n, int *machine)
{
    int *at = malloc(sizeof *at * ((size_t)s->nkinds + 1));

    w->x->no_memory = w->x->no_memory || !at;
    for (int i = 0; at && i < s->nkinds; i++)
        at[i] = w->x->f->first[v];
    for (int i = n - 1; at && i >= 0; i--) {
        kind *k = &s->kinds[stands[i].kind];
        const int copies = 1 + k->all - k->n;
        k->n = k->all;
        write_machines(w, v, machine, stands[i].machine);
        for (int c = 0; c < copies; c++)
            write_array(w, next_child(w, v, &at[stands[i].kind], stands[i].kind, s), stands[i].ends,
                        false);
    }
    free(at);
}

/* The outer ends of the branches that give a pair of the switch. */
static pair inner_ends(const table *s, pair ends)
{
    for (int i = 0; i < s->heights; i++)
        for (int j = 0; j < s->heights; j++) {
            const int left = left_over(s, i, j);
            const int a = left > 1 || (left == 1 && ends.a == 1) ? 1 : i + 1;
            const int b = left > 1 || (left == 1 && ends.a != 1) ? 1 : j + 1;
            if (left >= 0 && a == ends.a && b == ends.b)
                return (pair){i, j};
        }
    return (pair){0, 0};
}

static void write_switch(writer *w, int v, table *s, pair ends, bool ring)
{
    stand *stands = malloc(sizeof *stands * ((size_t)s->branches + 1));
    const pair inner = ring ? ends : inner_ends(s, ends);
    int n = 0, machine = w->x->f->first[v], state = s->states - 1, y = inner.b, used = 0;

    w->x->no_memory = w->x->no_memory || !stands;
    while (stands && state > 0) {
        stands[n] = step_back(w->x, s, &state, inner.a, &y);
        used += stands[n++].machine;
    }
    const int left = s->machines - used;
    const int before = !ring && left > 0 && ends.a == 1 ? 1 : 0;
    write_machines(w, v, &machine, before);
    if (stands)
        write_branches(w, v, s, stands, n, &machine);
    write_machines(w, v, &machine, s->machines);
    free(stands);
}

static void write_array(writer *w, int v, pair ends, bool ring)
{
    table s;

    if (v < 0 || w->x->no_memory)
        return;
    if (solve(w->x, v, &s) && (!ring || closes(w->x, &s, &ends))) {
        if (s.branches == 0)
            w->n = atn_algo_forest_take(w->x->f, v, w->ranks, w->n);
        else
            write_switch(w, v, &s, ends, ring);
    }
    table_free(&s);
}

/* ---- search for the limit ---- */

/* Children follow their parents. */
static bool feasible(search *x)
{
    const atn_forest *f = x->f;
    bool ok = true;

    x->pairs.n = 0;
    for (int v = f->t->nnodes - 1; ok && v >= f->root; v--) {
        table s;
        pair ends;
        if (!atn_algo_forest_switch(f, v) || f->below[v] == 0)
            continue;
        ok = solve(x, v, &s);
        if (ok && v == f->root)
            ok = closes(x, &s, &ends);
        else if (ok)
            find_pairs(x, v, &s);
        ok = ok && !x->no_memory && (v == f->root || x->count[v] > 0);
        table_free(&s);
    }
    return ok;
}

const char *atn_algo_order_shortest(const atn_forest *f, int *ranks)
{
    const int most = 2 * atn_topo_depth(f->t) + 2;
    search x = {.f = f, .first = malloc(sizeof(int) * 2 * (size_t)f->t->nnodes)};
    const char *why = NULL;

    x.no_memory = !x.first;
    x.count = x.first ? x.first + f->t->nnodes : NULL;
    for (x.limit = 1; !x.no_memory && !x.too_large && x.limit <= most && !feasible(&x); x.limit++)
        ;
    if (x.too_large)
        why = "a switch joins too many different branches for an exact search";
    if (!why && !x.no_memory && ranks)
        write_array(&(writer){&x, ranks, 0}, f->root, (pair){0, 0}, true);
    if (x.no_memory)
        why = atn_algo_no_memory;
    free(x.first);
    atn_vec_free(&x.pairs);
    return why;
}
