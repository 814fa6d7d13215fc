/* levels_tree.c - the hierarchy of clusters, from the topology or from sizes.
 *
 * Nodes of the topology with a single member are skipped; the members of nodes of a skipped level
 * belong to the enclosing cluster. */
#include <stdlib.h>

#include "algo/levels.h"
#include "topo/topo.h"

static const int64_t wide_ns = 500000; /* to the common switch: a millisecond end to end */

/* A member: a node of the topology, or a rank; with given sizes a run of ranks. */
typedef struct {
    int node;     /* -1: a rank */
    bool direct;  /* only the node's own ranks and hosts, without switches below it */
    int smallest; /* rank in it */
    int count;
} item;

typedef ATN_VEC(item) items;

typedef struct {
    const atn_topo *t;
    const atn_level_words *words;
    int *below, *smallest, *end; /* of a node: ranks, smallest rank, end of its subtree */
    int *next;                   /* of a rank: the next one of its node; p: none */
    int *first;                  /* of a node: its first rank; p: none */
    atn_levels *tree;
    ATN_VEC(atn_cluster) clusters;
    ATN_VEC(atn_level_member) members;
    int place; /* next free place */
    bool ok;
} maker;

/* ---- levels by name ---- */

static int word_of(const atn_level_words *words, const char *name)
{
    for (int i = 0; i < words->n; i++)
        if (strcmp(words->v[i].name, name) == 0)
            return i;
    return -1;
}

static const char *item_level(const maker *m, const item *x)
{
    return x->node < 0 ? "rank" : atn_topo_level_name(m->t, x->node);
}

static bool is_far(const maker *m, int v, int top)
{
    int64_t delay = 0;

    for (; v != top; v = m->t->nodes[v].parent)
        delay += m->t->nodes[v].delay_ns;
    return delay >= wide_ns;
}

/* Members may be of several kinds: the first word that names one of them applies, else the
 * outermost kind. */
static void name_cluster(const maker *m, const items *list, int top, atn_cluster *c)
{
    int kind = -1;

    c->word = -1;
    for (int i = 0; i < list->n; i++) {
        const item *x = &list->v[i];
        const int word = word_of(m->words, item_level(m, x));
        const int mine = x->node < 0 ? ATN_TOPO_PART + 1 : (int)m->t->nodes[x->node].kind;
        if (word >= 0 && (c->word < 0 || word < c->word))
            c->word = word;
        if (kind < 0 || mine < kind) {
            kind = mine;
            c->level = item_level(m, x);
        }
        c->wide = c->wide || (x->node >= 0 && is_far(m, x->node, top));
    }
    if (c->word >= 0)
        c->level = m->words->v[c->word].name;
}

/* ---- clusters ---- */

static int by_smallest(const void *x, const void *y)
{
    const item *a = x, *b = y;
    return (a->smallest > b->smallest) - (a->smallest < b->smallest);
}

static void push(maker *m, items *list, item x) { m->ok = m->ok && atn_push(list, x); }

static int add_cluster(maker *m, const items *list, int depth)
{
    atn_cluster c = {.first = m->place, .depth = depth, .member = m->members.n, .members = list->n};

    for (int i = 0; i < list->n && m->ok; i++) {
        c.count += list->v[i].count;
        m->ok = atn_push(&m->members, (atn_level_member){.count = list->v[i].count, .cluster = -1});
    }
    m->tree->depth = atn_max(m->tree->depth, depth + 1);
    m->ok = m->ok && atn_push(&m->clusters, c);
    return m->clusters.n - 1;
}

static int add_node(maker *m, int v, bool direct, int depth);
static int add_run(maker *m, int first, int count, int word, int depth);

/* `word`: the word that defined the runs. */
static int add_item(maker *m, const item *x, int word, int depth)
{
    if (x->node >= 0)
        return add_node(m, x->node, x->direct, depth);
    if (x->count > 1)
        return add_run(m, x->smallest, x->count, word + 1, depth);
    m->tree->place[x->smallest] = m->place;
    m->tree->rank[m->place++] = x->smallest;
    return -1;
}

/* Adds the contents of a cluster or, without one (id -1), of its only member. */
static void add_members(maker *m, const items *list, int id, int word, int depth)
{
    for (int i = 0; i < list->n && m->ok; i++) {
        const int first = m->place, inner = add_item(m, &list->v[i], word, depth + 1);
        if (id < 0 || !m->ok)
            continue;
        atn_level_member *member = &m->members.v[m->clusters.v[id].member + i];
        member->first = first;
        member->cluster = inner;
    }
}

/* ---- from the topology ---- */

static void list_item(maker *m, const item *x, items *list);

static bool is_none(const maker *m, const item *x)
{
    return atn_algo_level_is_none(m->words, word_of(m->words, item_level(m, x)));
}

static void list_ranks(maker *m, int v, items *list)
{
    for (int r = m->first[v]; r < m->t->p; r = m->next[r])
        push(m, list, (item){.node = -1, .smallest = r, .count = 1});
}

/* The hosts (or parts of hosts) below a node and its ranks. */
static void list_direct(maker *m, int v, items *list)
{
    int here = m->below[v];

    for (int c = v + 1; c < m->end[v]; c = m->end[c]) {
        const item x = {.node = c, .smallest = m->smallest[c], .count = m->below[c]};
        here -= x.count;
        if (m->t->nodes[c].kind != ATN_TOPO_SWITCH)
            list_item(m, &x, list);
    }
    if (here > 0)
        list_ranks(m, v, list);
}

/* Hosts beside switches form a cluster of their own: they are as close to each other as those below
 * one of the switches. */
static void list_members(maker *m, int v, items *list)
{
    const int before = list->n;

    for (int c = v + 1; c < m->end[v]; c = m->end[c])
        if (m->t->nodes[c].kind == ATN_TOPO_SWITCH)
            list_item(m, &(item){.node = c, .smallest = m->smallest[c], .count = m->below[c]},
                      list);
    const int switches = list->n;
    list_direct(m, v, list);
    item own = {.node = v, .direct = true, .smallest = m->t->p};
    if (switches == before || list->n - switches < 2 || is_none(m, &own))
        return;
    for (int i = switches; i < list->n; i++) {
        own.count += list->v[i].count;
        own.smallest = atn_min(own.smallest, list->v[i].smallest);
    }
    list->n = switches;
    push(m, list, own);
}

/* Lists a member, or its contents where its level is skipped. */
static void list_item(maker *m, const item *x, items *list)
{
    if (is_none(m, x))
        list_members(m, x->node, list);
    else if (x->count > 0)
        push(m, list, *x);
}

static void list_node(maker *m, int v, bool direct, items *list)
{
    list->n = 0;
    if (direct)
        list_direct(m, v, list);
    else
        list_members(m, v, list);
}

/* Returns the cluster of the ranks below a node; -1 for a single rank. */
static int add_node(maker *m, int v, bool direct, int depth)
{
    items list = {0};
    int id = -1;

    list_node(m, v, direct, &list);
    while (list.n == 1 && list.v[0].node >= 0) {
        v = list.v[0].node;
        list_node(m, v, list.v[0].direct, &list);
    }
    qsort(list.v, (size_t)list.n, sizeof *list.v, by_smallest);
    if (list.n > 1) {
        id = add_cluster(m, &list, depth);
        if (m->ok)
            name_cluster(m, &list, v, &m->clusters.v[id]);
    }
    add_members(m, &list, id, -1, depth);
    atn_vec_free(&list);
    return id;
}

/* ---- given sizes ---- */

/* Skips words that have no effect on a run of `count` ranks. */
static int next_word(const atn_level_words *w, int word, int count)
{
    while (word < w->n &&
           (atn_algo_level_is_none(w, word) || w->v[word].size == 0 || w->v[word].size >= count))
        word++;
    return word;
}

static int add_run(maker *m, int first, int count, int word, int depth)
{
    const atn_level_words *w = m->words;
    items list = {0};
    int id = -1;

    word = next_word(w, word, count);
    const int size = word < w->n ? w->v[word].size : 1;
    for (int at = first; at < first + count; at += size)
        push(m, &list,
             (item){.node = -1, .smallest = at, .count = atn_min(size, first + count - at)});
    if (list.n > 1)
        id = add_cluster(m, &list, depth);
    if (id >= 0 && m->ok) {
        m->clusters.v[id].word = word < w->n ? word : word_of(w, "rank");
        m->clusters.v[id].level = word < w->n ? w->v[word].name : "rank";
    }
    add_members(m, &list, id, word, depth);
    atn_vec_free(&list);
    return id;
}

/* ---- tree ---- */

static bool survey(maker *m)
{
    const atn_topo *t = m->t;
    const size_t n = (size_t)t->nnodes;

    m->below = malloc((4 * n + (size_t)t->p) * sizeof *m->below);
    if (!m->below)
        return false;
    m->smallest = m->below + n;
    m->end = m->smallest + n;
    m->first = m->end + n;
    m->next = m->first + n;
    atn_topo_below(t, m->below);
    for (int v = 0; v < t->nnodes; v++) {
        m->smallest[v] = m->first[v] = t->p;
        m->end[v] = v + 1;
    }
    for (int r = t->p - 1; r >= 0; r--) {
        m->next[r] = m->first[t->node_of[r]];
        m->smallest[t->node_of[r]] = m->first[t->node_of[r]] = r;
    }
    for (int v = t->nnodes - 1; v > 0; v--) {
        const int up = t->nodes[v].parent;
        m->smallest[up] = atn_min(m->smallest[up], m->smallest[v]);
        m->end[up] = atn_max(m->end[up], m->end[v]);
    }
    return true;
}

bool atn_algo_levels_begin(const atn_topo *t, int p, const atn_level_words *words,
                           atn_levels *tree_p)
{
    maker m = {.t = words->given ? NULL : t, .words = words, .tree = tree_p};

    *tree_p = (atn_levels){.p = p, .rank = malloc(2 * sizeof *tree_p->rank * (size_t)p)};
    tree_p->place = tree_p->rank ? tree_p->rank + p : NULL;
    m.ok = tree_p->rank && (!m.t || survey(&m));
    if (m.ok && m.t)
        add_node(&m, 0, false, 0);
    else if (m.ok)
        add_run(&m, 0, p, 0, 0);
    tree_p->clusters = m.clusters.v;
    tree_p->n = m.clusters.n;
    tree_p->members = m.members.v;
    free(m.below);
    if (!m.ok)
        atn_algo_levels_end(tree_p);
    return m.ok;
}

void atn_algo_levels_end(atn_levels *tree)
{
    free(tree->rank);
    free(tree->clusters);
    free(tree->members);
    *tree = (atn_levels){.p = 0};
}

bool atn_algo_levels_sorted(const atn_levels *tree)
{
    for (int i = 0; i < tree->p; i++)
        if (tree->rank[i] != i)
            return false;
    return true;
}
