/* phases_tree.c - alltoall in the minimum number of phases on a tree of equal links.
 *
 * The root is a switch next to a most loaded link; none of its branches t0, t1, ... (the largest
 * first) holds more than half of the ranks.  Messages between two branches take consecutive phases,
 * arranged like a ring of branches, so that in a phase one rank of a branch sends out of it and one
 * receives from outside.  A message inside a branch then fits into every phase in which its sender
 * is that receiver and its receiver is that sender: the path of the incoming message, continued to
 * the origin of the outgoing one, never uses a link twice in the same direction.  Senders and
 * receivers are assigned to phases such that each inner message finds its phase. */
#include <stdlib.h>
#include <string.h>

#include "algo/forest.h"
#include "algo/phases.h"

typedef struct {
    const int *ranks;
    int n;
} branch;

typedef struct {
    int p, total; /* ranks; phases */
    branch *t;
    int k;            /* branches */
    int *before;      /* ranks in the branches 1 .. i */
    int *memory;      /* ranks of all branches */
    int *send, *recv; /* phase -> rank of t0 that sends out of it, receives from outside */
    atn_phases *x;
    bool *done; /* from * p + to, inside branches */
} maker;

/* ---- the root ---- */

static int64_t load(const atn_forest *f, int v)
{
    return (int64_t)f->below[v] * (f->t->p - f->below[v]);
}

/* Ranks attached to the node itself. */
static int own_ranks(const atn_forest *f, int v)
{
    int n = f->below[v];

    for (int i = f->first[v]; i < f->first[v + 1]; i++)
        n -= f->below[f->child[i]];
    return n;
}

/* From a most loaded link, if it is not the port of a rank, to the larger side; then on while the
 * path does not branch. */
static int find_root(const atn_forest *f)
{
    int worst = 0, u, from;

    for (int v = 1; v < f->t->nnodes; v++)
        if (f->below[v] > 0 && (worst == 0 || load(f, v) > load(f, worst)))
            worst = v;
    if (worst == 0 || load(f, worst) == 0)
        return f->root;
    const bool up = f->t->p - f->below[worst] >= f->below[worst];
    u = up ? f->t->nodes[worst].parent : worst;
    from = up ? worst : f->t->nodes[worst].parent;
    for (;;) {
        const int parent = f->t->nodes[u].parent;
        int ways = own_ranks(f, u), next = -1;
        for (int i = f->first[u]; i < f->first[u + 1]; i++)
            if (f->child[i] != from) {
                ways++;
                next = f->child[i];
            }
        if (parent >= 0 && parent != from && f->below[u] < f->t->p) {
            ways++;
            next = parent;
        }
        if (ways != 1 || next < 0)
            return u;
        from = u;
        u = next;
    }
}

/* ---- branches ---- */

static int by_size(const void *x, const void *y)
{
    const branch *a = x, *b = y;
    return a->n != b->n ? b->n - a->n : (a->ranks > b->ranks) - (a->ranks < b->ranks);
}

/* The ranks attached to the root itself, each child, and the rest of the tree. */
static void find_branches(const atn_forest *f, int root, maker *m)
{
    int *to = m->memory, n;

    for (int i = f->begin[root]; i < f->begin[root] + own_ranks(f, root); i++) {
        *to = f->sorted[i];
        m->t[m->k++] = (branch){to++, 1};
    }
    for (int i = f->first[root]; i < f->first[root + 1]; i++) {
        n = atn_algo_forest_take(f, f->child[i], to, 0);
        m->t[m->k++] = (branch){to, n};
        to += n;
    }
    n = f->t->p - f->below[root];
    if (n > 0) {
        m->t[m->k++] = (branch){to, n};
        for (int i = 0; i < f->t->p; i++)
            if (i < f->begin[root] || i >= f->begin[root] + f->below[root])
                *to++ = f->sorted[i];
    }
    qsort(m->t, (size_t)m->k, sizeof *m->t, by_size);
    for (int i = 1; i < m->k; i++)
        m->before[i] = m->t[i].n + (i > 1 ? m->before[i - 1] : 0);
    m->total = m->t[0].n * (m->p - m->t[0].n);
}

/* ---- messages between branches ---- */

static int sum(const maker *m, int lo, int hi) /* ranks of the branches lo .. hi, lo >= 1 */
{
    return hi < lo ? 0 : m->before[hi] - (lo > 1 ? m->before[lo - 1] : 0);
}

static int start(const maker *m, int i, int j)
{
    return j > i ? m->t[i].n * sum(m, i + 1, j - 1) : m->total - m->t[j].n * sum(m, j + 1, i);
}

static void add(maker *m, int phase, int from, int to)
{
    m->x->list[m->x->n++] = (atn_phase_message){phase, from, to, 0, 1};
}

void atn_algo_rotate(int senders, int receivers, int n, int *from_p, int *to_p)
{
    int d = senders;

    for (int c = receivers; c != 0;) {
        const int rest = d % c;
        d = c;
        c = rest;
    }
    const int turn = n / (senders / d * receivers);
    *from_p = (n + turn) % senders;
    *to_p = n % receivers;
}

/* The rank of a branch that receives in a phase, from any sender: counted back from the last phase,
 * so that all senders agree on it. */
static int designated(const maker *m, int j, int phase)
{
    return m->t[j].ranks[atn_mod(phase - m->total, m->t[j].n)];
}

static void leave_largest(maker *m, int j)
{
    const branch *t0 = &m->t[0];
    const int first = start(m, 0, j);

    for (int n = 0; n < t0->n * m->t[j].n; n++) {
        int from, to;
        atn_algo_rotate(t0->n, m->t[j].n, n, &from, &to);
        m->send[first + n] = from;
        add(m, first + n, t0->ranks[from], designated(m, j, first + n));
    }
}

/* In each round of as many phases as t0 has ranks, senders and receivers are shifted relative to
 * each other by one more. */
static void enter_largest(maker *m, int i)
{
    const branch *t0 = &m->t[0], *ti = &m->t[i];
    const int first = start(m, i, 0);

    for (int n = 0; n < ti->n * t0->n; n++) {
        const int phase = first + n;
        m->recv[phase] = (m->send[phase] + phase / t0->n + 1) % t0->n;
        add(m, phase, ti->ranks[n / t0->n], t0->ranks[m->recv[phase]]);
    }
}

static void cross(maker *m, int i, int j)
{
    const branch *ti = &m->t[i], *tj = &m->t[j];
    const int first = start(m, i, j);

    for (int n = 0; n < ti->n * tj->n; n++)
        add(m, first + n, ti->ranks[n / tj->n], tj->ranks[n % tj->n]);
}

/* ---- messages inside branches ---- */

static void add_inner(maker *m, int phase, int from, int to)
{
    bool *done = &m->done[(size_t)from * (size_t)m->p + (size_t)to];

    if (from == to || *done)
        return;
    *done = true;
    add(m, phase, from, to);
}

static void inside_largest(maker *m)
{
    const branch *t0 = &m->t[0];

    for (int phase = 0; phase < t0->n * (t0->n - 1); phase++)
        add_inner(m, phase, t0->ranks[m->recv[phase]], t0->ranks[m->send[phase]]);
}

static void inside(maker *m, int i)
{
    const branch *ti = &m->t[i];
    const int to = m->t[i - 1].n, first = start(m, i, i - 1);

    for (int n = 0; n < ti->n * to; n++)
        add_inner(m, first + n, designated(m, i, first + n), ti->ranks[n / to]);
}

/* ---- interface ---- */

static void assign(maker *m)
{
    for (int j = 1; j < m->k; j++)
        leave_largest(m, j);
    for (int i = 1; i < m->k; i++)
        enter_largest(m, i);
    inside_largest(m);
    for (int i = 1; i < m->k; i++) {
        inside(m, i);
        for (int j = 1; j < m->k; j++)
            if (j != i)
                cross(m, i, j);
    }
}

static bool maker_begin(const atn_forest *f, maker *m)
{
    const size_t p = (size_t)m->p;

    m->t = malloc(sizeof *m->t * (p + 1));
    m->before = calloc(p + 1, sizeof *m->before);
    m->memory = malloc(sizeof *m->memory * p);
    m->done = calloc(p * p, sizeof *m->done);
    m->x->list = malloc(sizeof *m->x->list * (p * p));
    if (!m->t || !m->before || !m->memory || !m->done || !m->x->list)
        return false;
    find_branches(f, find_root(f), m);
    m->send = malloc(sizeof *m->send * 2 * ((size_t)m->total + 1));
    m->recv = m->send ? m->send + m->total : NULL;
    return m->send != NULL;
}

bool atn_algo_phases_tree(const atn_topo *t, atn_phases *x)
{
    maker m = {.p = t->p, .x = x};
    atn_forest f;

    *x = (atn_phases){.p = t->p, .parts = 1};
    bool ok = atn_algo_forest_begin(t, &f) && maker_begin(&f, &m);
    if (ok && m.k > 1)
        assign(&m);
    ok = ok && atn_algo_phases_sort(x);
    atn_algo_forest_end(&f);
    free(m.t);
    free(m.before);
    free(m.memory);
    free(m.done);
    free(m.send);
    if (!ok)
        atn_algo_phases_end(x);
    return ok;
}
