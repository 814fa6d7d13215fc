/* free_tree.c - the contention-free tree of minimum height: for each height h and place i, how far
 * a tree of that height with root i reaches; the tree is then constructed from the top. */
#include "algo/free_tree.h"

#include <stdlib.h>
#include <string.h>

#include "algo/derived.h"
#include "algo/walk.h"

typedef struct {
    atn_walk w;
    int p, arity, height;
    int *begins;          /* place -> start of the innermost branch that began before it */
    ATN_VEC(int *) reach; /* height, place -> last place of the highest run */
    int *limit;           /* place of a child -> last place that may follow it as a child */
    int *stack;
    int *from[ATN_MAX_ARITY]; /* child d at a place -> place of the child before it; -1: none */
} maker;

/* ---- children of one place ---- */

/* Finds the places that can be child d + 1, given those that can be child d (the last is at `hi`);
 * returns the last.  The next child must begin no later than the end of the child's run, or of a
 * branch that holds i.  The child before c is the last one whose limit is not exceeded:
 * earlier ones cannot be better. */
static int next_children(maker *m, int i, const int *reach, int d, int hi)
{
    const int *can = m->from[d], lo = i + 1 + d;
    int *now = m->from[d + 1], top = 0, last = -1, most = hi, v = m->w.node[i];

    for (int c = lo; c < m->p && c <= most + 1; c++) {
        const int before = c - 1;
        while (m->w.hi[v] <= before)
            v = m->w.up[v];
        if (c > lo && before <= hi && can[before] >= 0) {
            m->limit[before] = atn_min(reach[before] + 1, m->w.hi[v]);
            m->stack[top++] = before;
            most = atn_max(most, m->limit[before]);
        }
        while (top > 0 && m->limit[m->stack[top - 1]] < c)
            top--;
        now[c] = top > 0 && m->stack[top - 1] >= m->begins[c] ? m->stack[top - 1] : -1;
        if (now[c] >= 0)
            last = c;
    }
    return last;
}

/* Calls `visit` for every place that can be the last child, child by child, until it returns false.
 * `reach` is for the height below. */
typedef bool (*visitor)(void *context, int d, int c);

static void each_last_child(maker *m, int i, const int *reach, visitor visit, void *context)
{
    int last = i + 1;

    m->from[0][i + 1] = i;
    for (int d = 0; d < m->arity && last > 0; d++) {
        for (int c = i + 1 + d; c <= last; c++)
            if (m->from[d][c] >= 0 && visit(context, d, c))
                return;
        if (d + 1 < m->arity)
            last = next_children(m, i, reach, d, last);
    }
}

/* ---- heights ---- */

typedef struct {
    const int *reach;
    int far, stop; /* the farthest place; sufficient */
} farthest;

static bool visit_farthest(void *context, int d, int c)
{
    farthest *f = context;

    (void)d;
    f->far = atn_max(f->far, f->reach[c]);
    return f->far >= f->stop;
}

static bool add_height(maker *m)
{
    int *reach = malloc(sizeof *reach * (size_t)m->p);
    const int *below = m->reach.n > 0 ? m->reach.v[m->reach.n - 1] : NULL;

    if (!reach || !atn_push(&m->reach, reach)) {
        free(reach);
        return false;
    }
    for (int i = 0; i < m->p; i++) {
        farthest f = {below, i, m->p - 1};
        if (below && i + 1 < m->p)
            each_last_child(m, i, below, visit_farthest, &f);
        reach[i] = f.far;
    }
    return true;
}

/* ---- the tree ---- */

typedef struct {
    const int *reach;
    int j, d, c; /* goal: a last child that reaches j */
} wanted;

static bool see_wanted(void *context, int d, int c)
{
    wanted *w = context;

    if (c > w->j || w->reach[c] < w->j)
        return false;
    w->d = d;
    w->c = c;
    return true;
}

/* Attaches the children of the run i .. j; ends[c] becomes the last place of child c's run. */
static void attach(maker *m, int i, int j, int *parent, int *ends)
{
    int h = 0;

    if (i == j)
        return;
    while (m->reach.v[h][i] < j)
        h++;
    wanted w = {.reach = m->reach.v[h - 1], .j = j};
    each_last_child(m, i, w.reach, see_wanted, &w);
    for (int d = w.d, c = w.c, end = j; d >= 0; d--) {
        parent[c] = i;
        ends[c] = end;
        end = c - 1;
        c = m->from[d][c];
    }
}

static void attach_all(maker *m, int *parent, int *ends)
{
    parent[0] = -1;
    for (int i = 1; m->arity == 1 && i < m->p; i++)
        parent[i] = i - 1;
    if (m->arity == 1)
        return;
    ends[0] = m->p - 1;
    for (int i = 0; i < m->p; i++)
        attach(m, i, ends[i], parent, ends);
}

/* ---- the result ---- */

static void list_children(atn_free_tree *x, const int *height)
{
    memset(x->first, 0, sizeof *x->first * ((size_t)x->p + 2));
    for (int i = 1; i < x->p; i++)
        x->first[x->parent[i] + 2]++;
    for (int i = 0; i < x->p; i++)
        x->first[i + 2] += x->first[i + 1];
    for (int i = 1; i < x->p; i++)
        x->child[x->first[x->parent[i] + 1]++] = i;
    for (int i = 0; i < x->p; i++)
        for (int k = x->first[i] + 1; k < x->first[i + 1]; k++) {
            const int c = x->child[k];
            int at = k;
            for (; at > x->first[i] && height[x->child[at - 1]] < height[c]; at--)
                x->child[at] = x->child[at - 1];
            x->child[at] = c;
        }
}

static void find_slots(atn_free_tree *x)
{
    x->slot[0] = 0;
    for (int i = 0; i < x->p; i++)
        for (int k = x->first[i]; k < x->first[i + 1]; k++) {
            x->slot[x->child[k]] = x->slot[i] + 1 + k - x->first[i];
            x->slots = atn_max(x->slots, x->slot[x->child[k]]);
        }
}

static void finish(const maker *m, atn_free_tree *x, int *height)
{
    memset(height, 0, sizeof *height * (size_t)x->p);
    for (int i = x->p - 1; i > 0; i--)
        height[x->parent[i]] = atn_max(height[x->parent[i]], height[i] + 1);
    x->height = height[0];
    memcpy(x->rank, m->w.rank, sizeof *x->rank * (size_t)x->p);
    for (int i = 0; i < x->p; i++)
        x->place[x->rank[i]] = i;
    list_children(x, height);
    find_slots(x);
}

/* ---- memory ---- */

static bool maker_begin(const atn_topo *t, int root, int arity, maker *m)
{
    const size_t p = (size_t)t->p;

    *m = (maker){.p = t->p, .arity = arity};
    m->begins = malloc(sizeof *m->begins * p * ((size_t)arity + 3));
    if (!atn_algo_walk_begin(t, root, &m->w) || !m->begins)
        return false;
    m->limit = m->begins + p;
    m->stack = m->limit + p;
    for (int d = 0; d < arity; d++)
        m->from[d] = m->stack + p * (size_t)(d + 1);
    for (int c = 0; c < m->p; c++) {
        int v = m->w.node[c];
        while (v >= 0 && m->w.lo[v] == c)
            v = m->w.up[v];
        m->begins[c] = v >= 0 ? m->w.lo[v] : 0;
    }
    return true;
}

static void maker_end(maker *m)
{
    atn_algo_walk_end(&m->w);
    free(m->begins);
    for (int h = 0; h < m->reach.n; h++)
        free(m->reach.v[h]);
    atn_vec_free(&m->reach);
}

static bool make(const atn_topo *t, int root, int arity, atn_free_tree *x)
{
    const size_t p = (size_t)t->p;
    int *work = malloc(sizeof *work * p);
    maker m;
    bool ok = maker_begin(t, root, arity, &m) && work;

    *x = (atn_free_tree){.p = t->p, .memory = malloc(sizeof(int) * (6 * p + 2))};
    ok = ok && x->memory;
    while (ok && arity > 1 && (m.reach.n == 0 || m.reach.v[m.reach.n - 1][0] < m.p - 1))
        ok = add_height(&m);
    if (ok) {
        x->rank = x->memory;
        x->place = x->rank + p;
        x->parent = x->place + p;
        x->child = x->parent + p;
        x->slot = x->child + p;
        x->first = x->slot + p;
        attach_all(&m, x->parent, work);
        finish(&m, x, work);
    } else {
        atn_algo_free_tree_end(x);
    }
    maker_end(&m);
    free(work);
    return ok;
}

static void end_kept(void *thing)
{
    atn_algo_free_tree_end(thing);
    free(thing);
}

/* A borrowed tree owns no memory. */
static void borrow(const atn_free_tree *kept, atn_free_tree *x)
{
    *x = *kept;
    x->memory = NULL;
}

bool atn_algo_free_tree_begin(const atn_topo *t, int root, int arity, atn_free_tree *x)
{
    const atn_derived_key key = {.maker = "free tree", .topo = t, .n = {root, arity}};
    atn_free_tree *kept = atn_algo_derived_find(&key);
    if (kept == NULL) {
        if (!make(t, root, arity, x))
            return false;
        kept = malloc(sizeof *kept);
        if (kept != NULL)
            *kept = *x;
        if (kept == NULL || !atn_algo_derived_keep(&key, kept, end_kept)) {
            free(kept);
            return true;
        }
    }
    borrow(kept, x);
    return true;
}

void atn_algo_free_tree_end(atn_free_tree *x)
{
    free(x->memory);
    x->memory = NULL;
}

/* ---- algorithms ---- */

const char *atn_algo_free_tree_refuses(const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    return q->topo && q->topo->routes
               ? "contention-free trees are known for trees only, and the network has other routes"
               : NULL;
}

const atn_param atn_algo_free_tree_params[] = {
    {"arity", ATN_INT, 2, 1, ATN_MAX_ARITY, ATN_LOG2, "maximum number of children per rank", NULL},
    {0},
};

void atn_algo_free_tree_run(atn_builder *b, const atn_problem *q, const atn_params *prm,
                            void (*emit)(atn_builder *b, const atn_problem *q,
                                         const atn_free_tree *t))
{
    atn_free_tree t;

    if (atn_algo_free_tree_begin(q->topo, q->root, (int)prm->v[0], &t))
        emit(b, q, &t);
    else
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    atn_algo_free_tree_end(&t);
}
