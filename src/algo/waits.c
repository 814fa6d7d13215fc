/* waits.c - the messages of every link in the order of phases; then removal of implied waits. */
#include "algo/waits.h"

#include <stdlib.h>
#include <string.h>

enum { LOOK = 64 }; /* maximum number of messages visited by the search for an implication */

typedef struct {
    const atn_topo *t;
    const atn_phases *x;
    const int *capacity;
    int64_t *load;
    int **last; /* edge -> its latest messages, a ring buffer of its capacity */
    int *users; /* edge -> messages so far */
    int *path;
    int *first;
    ATN_VEC(int) on;
    int *seen, mark; /* message -> search that has visited it */
    bool no_memory;
} maker;

/* ---- links ---- */

static void wait_for(maker *m, int i, int on)
{
    for (int k = m->first[i]; k < m->on.n; k++)
        if (m->on.v[k] == on)
            return;
    m->no_memory = !atn_push(&m->on, on) || m->no_memory;
}

/* The waits of message i on each link of its path. */
static void find_waits(maker *m, int i)
{
    const int length = atn_topo_path(m->t, m->x->list[i].from, m->x->list[i].to, m->path);

    m->first[i] = m->on.n;
    for (int k = 0; k < length; k++) {
        const int e = m->path[k];
        if (m->capacity[e] >= m->load[e])
            continue;
        int *last = &m->last[e][m->users[e] % m->capacity[e]];
        if (m->users[e]++ >= m->capacity[e])
            wait_for(m, i, *last);
        *last = i;
    }
}

/* ---- implications ---- */

static int phase(const maker *m, int i) { return m->x->list[i].phase; }

/* Whether message i also waits for `on` indirectly, as far as a short search shows. */
static bool implied(maker *m, int i, int on)
{
    int stack[LOOK], top = 0, looked = 0;

    m->mark++;
    for (int k = m->first[i]; k < m->on.n && top < LOOK; k++)
        if (phase(m, m->on.v[k]) > phase(m, on))
            stack[top++] = m->on.v[k];
    while (top > 0 && looked++ < LOOK) {
        const int at = stack[--top];
        for (int k = m->first[at]; k < m->first[at + 1]; k++) {
            const int next = m->on.v[k];
            if (next == on)
                return true;
            if (phase(m, next) > phase(m, on) && m->seen[next] != m->mark && top < LOOK) {
                m->seen[next] = m->mark;
                stack[top++] = next;
            }
        }
    }
    return false;
}

static void drop_implied(maker *m, int i)
{
    for (int k = m->on.n - 1; k >= m->first[i]; k--)
        if (implied(m, i, m->on.v[k]))
            m->on.v[k] = m->on.v[--m->on.n];
}

/* ---- all messages ---- */

static bool maker_begin(maker *m)
{
    const size_t edges = (size_t)atn_topo_edges(m->t), n = (size_t)m->x->n + 1;

    m->load = malloc(sizeof *m->load * edges);
    m->users = calloc(edges, sizeof *m->users);
    m->last = calloc(edges, sizeof *m->last);
    m->path = malloc(sizeof *m->path * (size_t)atn_topo_longest(m->t));
    m->first = malloc(sizeof *m->first * (n + 1));
    m->seen = calloc(n, sizeof *m->seen);
    if (!m->load || !m->users || !m->last || !m->path || !m->first || !m->seen)
        return false;
    atn_topo_loads(m->t, m->load);
    for (size_t e = 0; e < edges && !m->no_memory; e++) {
        m->load[e] *= m->x->parts;
        if (m->capacity[e] < m->load[e]) {
            m->last[e] = malloc(sizeof **m->last * (size_t)m->capacity[e]);
            m->no_memory = !m->last[e];
        }
    }
    return !m->no_memory;
}

static void maker_end(maker *m)
{
    for (int e = 0; m->last && e < atn_topo_edges(m->t); e++)
        free(m->last[e]);
    free(m->load);
    free(m->users);
    free(m->last);
    free(m->path);
    free(m->seen);
}

bool atn_algo_waits_begin(const atn_topo *t, const int *capacity, const atn_phases *x, atn_waits *w)
{
    maker m = {.t = t, .x = x, .capacity = capacity};
    bool ok = maker_begin(&m);

    for (int i = 0; ok && i < x->n; i++) {
        find_waits(&m, i);
        drop_implied(&m, i);
        m.first[i + 1] = m.on.n;
        ok = !m.no_memory;
    }
    if (ok && x->n == 0)
        m.first[0] = 0;
    *w = (atn_waits){m.first, m.on.v};
    if (!ok)
        atn_algo_waits_end(w);
    maker_end(&m);
    return ok;
}

void atn_algo_waits_end(atn_waits *w)
{
    free(w->first);
    free(w->on);
    *w = (atn_waits){0};
}
