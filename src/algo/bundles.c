/* bundles.c - see bundles.h.
 *
 * Messages have a total order that all ranks follow: gathering, then messages between groups (from
 * each group to the next one, then to the second next, and so on), then edges inside groups, then
 * distribution.  So no two ranks wait for each other. */
#include "algo/bundles.h"

#include <stdlib.h>

#include "algo/edges.h"
#include "topo/topo.h"

/* ---- groups ---- */

/* The node of a rank's group: its host, or with `above` the switch of the host. */
static int group_node(const atn_topo *t, int rank, bool above)
{
    const int host = atn_topo_host_of(t, rank), parent = t->nodes[host].parent;
    return above && parent >= 0 ? parent : host;
}

/* Numbers groups by their smallest ranks; returns how many there are. */
static int number_groups(const atn_topo *t, bool above, int *number, int *group)
{
    int n = 0;

    for (int v = 0; v < t->nnodes; v++)
        number[v] = -1;
    for (int r = 0; r < t->p; r++) {
        int *mine = &number[group_node(t, r, above)];
        if (*mine < 0)
            *mine = n++;
        group[r] = *mine;
    }
    return n;
}

/* The group of every rank, to be freed; NULL: no memory. */
static int *make_groups(const atn_topo *t, int *n_p)
{
    int *number = malloc(sizeof *number * (size_t)t->nnodes);
    int *group = malloc(sizeof *group * (size_t)t->p);

    if (number && group) {
        *n_p = number_groups(t, false, number, group);
        if (*n_p == t->p)
            *n_p = number_groups(t, true, number, group);
    }
    free(number);
    if (number)
        return group;
    free(group);
    return NULL;
}

const char *atn_algo_bundles_refuses(const atn_problem *q)
{
    int n = 0, *group = make_groups(q->topo, &n);

    free(group);
    if (n == 1)
        return "all ranks are on one host or switch";
    return n == q->p ? "every host and every switch has one rank" : NULL;
}

/* ---- edges between groups ---- */

/* Block j of rank u is block i of rank v; `slot`: its place in the bundle. */
typedef struct {
    int other; /* group at the other end */
    int u, j, v, i, slot;
} crossing;

typedef struct {
    ATN_VEC(crossing) v; /* by group, sender, block */
    int *first;          /* of each group */
} crossings;

/* All blocks between two groups. */
typedef struct {
    const crossing *c;
    int n, blocks, from, to; /* from, to: the ranks that gather and distribute */
    bool one_from, one_to;   /* all blocks are theirs */
} bundle;

typedef struct {
    atn_builder *b;
    const atn_problem *q;
    int n, mine, *group;
    bool common, padded;
    crossings ways[ATN_WAYS_OF_EDGES];
    int *count;                     /* of each rank; zero between uses */
    int *region[ATN_WAYS_OF_EDGES]; /* scratch of each bundle */
    crossing *by_receiver;
    atn_range *list[2];
} state;

static int by_sender(const void *a, const void *b)
{
    const crossing *x = a, *y = b;
    return x->other != y->other ? x->other - y->other : x->u != y->u ? x->u - y->u : x->j - y->j;
}

static int by_receiver(const void *a, const void *b)
{
    const crossing *x = a, *y = b;
    return x->v != y->v ? x->v - y->v : x->slot != y->slot ? x->slot - y->slot : x->i - y->i;
}

static bool add_rank(state *x, int r, atn_way way)
{
    const atn_neighbourhood *n = x->q->neighbourhood;
    const int degree = atn_sched_neighbourhood_count(n, r, way);

    for (int k = 0; k < degree; k++) {
        const int peer = atn_sched_neighbourhood_rank(n, r, way, k);
        if (peer < 0 || x->group[peer] == x->mine)
            continue;
        const int mate = atn_sched_neighbourhood_mate(n, r, way, k);
        const crossing c = way == ATN_OUTWARD ? (crossing){x->group[peer], r, k, peer, mate, 0}
                                              : (crossing){x->group[peer], peer, mate, r, k, 0};
        if (!atn_push(&x->ways[way].v, c))
            return false;
    }
    return true;
}

/* Places in the bundles: one for each edge, or (allgather) for each sender. */
static void number_slots(const state *x, crossings *w)
{
    int at = 0;

    for (int g = 0; g <= x->n; g++) {
        w->first[g] = at;
        for (int slot = 0; at < w->v.n && w->v.v[at].other == g; at++) {
            crossing *c = &w->v.v[at];
            const bool same = x->common && at > w->first[g] && c[-1].u == c->u;
            c->slot = same ? c[-1].slot : slot++;
        }
    }
}

static bool list_crossings(state *x, atn_way way)
{
    crossings *w = &x->ways[way];
    bool ok = true;

    for (int r = 0; ok && r < x->q->p; r++)
        if (x->group[r] == x->mine)
            ok = add_rank(x, r, way);
    w->first = malloc(sizeof *w->first * ((size_t)x->n + 1));
    x->region[way] = malloc(sizeof *x->region[way] * ((size_t)x->n + 1));
    if (!ok || !w->first || !x->region[way])
        return false;
    if (w->v.n > 1)
        qsort(w->v.v, (size_t)w->v.n, sizeof *w->v.v, by_sender);
    number_slots(x, w);
    return true;
}

/* The rank with most blocks; among several, one that depends on the other group, to spread them. */
static int choose(state *x, const bundle *m, bool sends, int other)
{
    int most = 0, ties = 0, turn, chosen = -1;

    for (int k = 0; k < m->n; k++) {
        const int n = ++x->count[sends ? m->c[k].u : m->c[k].v];
        ties = n > most ? 1 : n == most ? ties + 1 : ties;
        most = atn_max(most, n);
    }
    turn = other % ties;
    for (int r = 0; r < x->q->p; r++) {
        if (x->count[r] == most && turn-- == 0)
            chosen = r;
        x->count[r] = 0;
    }
    return chosen;
}

static bool all_of(const bundle *m, bool sends, int rank)
{
    for (int k = 0; k < m->n; k++)
        if ((sends ? m->c[k].u : m->c[k].v) != rank)
            return false;
    return true;
}

static bundle bundle_of(state *x, atn_way way, int other)
{
    const crossings *w = &x->ways[way];
    const int lo = w->first[other], n = w->first[other + 1] - lo;
    const bool out = way == ATN_OUTWARD;
    bundle m = {.c = w->v.v + lo, .n = n, .from = -1, .to = -1};

    if (n == 0)
        return m;
    m.blocks = m.c[n - 1].slot + 1;
    m.from = choose(x, &m, true, out ? other : x->mine);
    m.to = choose(x, &m, false, out ? x->mine : other);
    m.one_from = all_of(&m, true, m.from);
    m.one_to = all_of(&m, false, m.to);
    return m;
}

/* Whether the message between groups leaves from SRC, or arrives in DST.  Places of scratch may be
 * larger than blocks; then both ends use the same. */
static bool from_source(const state *x, const bundle *m)
{
    return m->one_from && (!x->padded || m->one_to);
}
static bool to_result(const state *x, const bundle *m)
{
    return m->one_to && (!x->padded || m->one_from);
}

/* ---- blocks ---- */

/* n blocks between SRC or DST (`list[0]`) and scratch (`list[1]`), one by one where places are
 * larger than blocks. */
static void copy_blocks(state *x, atn_ref user, int region, int n, bool in)
{
    const int step = x->padded ? 1 : n;

    for (int i = 0; i < n; i += step) {
        const atn_ref near = atn_ranges(user, x->list[0] + i, step);
        const atn_ref far = atn_ranges(atn_tmp_at(region, 0, 0), x->list[1] + i, step);
        atn_copy(x->b, in ? near : far, in ? far : near);
    }
}

/* Lists the blocks of sender u from crossing k on: in SRC, and their places.  Returns how many. */
static int list_sent(state *x, const bundle *m, int k, int *end_p)
{
    const int u = m->c[k].u;
    int n = 0;

    for (; k < m->n && m->c[k].u == u; k++)
        if (n == 0 || !x->common) {
            x->list[0][n] = (atn_range){x->common ? 0 : m->c[k].j, 1};
            x->list[1][n++] = (atn_range){m->c[k].slot, 1};
        }
    *end_p = k;
    return n;
}

/* The same for a receiver, of crossings sorted by it: in DST. */
static int list_received(state *x, const crossing *c, int k, int end, int *next_p)
{
    const int v = c[k].v;
    int n = 0;

    for (; k < end && c[k].v == v; k++)
        if (n == 0 || c[k].slot != c[k - 1].slot) {
            x->list[0][n] = (atn_range){c[k].i, 1};
            x->list[1][n++] = (atn_range){c[k].slot, 1};
        }
    *next_p = k;
    return n;
}

/* Further edges from the same rank to this one. */
static void repeat(state *x, const crossing *c, int n)
{
    for (int k = 1, first = 0; k < n; k++) {
        first = c[k].slot == c[k - 1].slot && c[k].v == c[k - 1].v ? first : k;
        if (first != k && c[k].v == x->q->r)
            atn_copy(x->b, atn_dst(c[first].i, 1), atn_dst(c[k].i, 1));
    }
}

/* ---- phases ---- */

/* A rank sends its n blocks to the one that gathers. */
static void send_blocks(state *x, int to, int n)
{
    if (!x->padded) {
        atn_send(x->b, to, atn_ranges(atn_src(0, 0), x->list[0], n));
        return;
    }
    const int region = atn_tmp_like(x->b, 0, n);
    for (int i = 0; i < n; i++)
        x->list[1][i] = (atn_range){i, 1};
    copy_blocks(x, atn_src(0, 0), region, n, true);
    atn_send(x->b, to, atn_tmp_at(region, 0, n));
}

static void gather(state *x, int other)
{
    const bundle m = bundle_of(x, ATN_OUTWARD, other);
    const int r = x->q->r;
    int *region = &x->region[ATN_OUTWARD][other];

    if (m.n == 0 || (r == m.from && from_source(x, &m)))
        return;
    if (r == m.from)
        *region = atn_tmp_like(x->b, 0, m.blocks);
    for (int k = 0, end; k < m.n; k = end) {
        const int u = m.c[k].u, n = list_sent(x, &m, k, &end);
        if (u == r && r != m.from)
            send_blocks(x, m.from, n);
        else if (u == r)
            copy_blocks(x, atn_src(0, 0), *region, n, true);
        else if (r == m.from)
            atn_recv(x->b, u, atn_ranges(atn_tmp_at(*region, 0, 0), x->list[1], n));
    }
}

static int sort_received(state *x, const bundle *m)
{
    for (int k = 0; k < m->n; k++)
        x->by_receiver[k] = m->c[k];
    qsort(x->by_receiver, (size_t)m->n, sizeof *x->by_receiver, by_receiver);
    return m->n;
}

/* One message to the group `shift` further on, and one from the group `shift` back. */
static void cross(state *x, int shift)
{
    const int next = atn_mod(x->mine + shift, x->n), last = atn_mod(x->mine - shift, x->n);
    const bundle out = bundle_of(x, ATN_OUTWARD, next), in = bundle_of(x, ATN_INWARD, last);
    atn_ref from = {.n = 0}, to = {.n = 0};
    atn_range *sent = malloc(sizeof *sent * ((size_t)out.n + 1));
    int end, n;

    if (!sent) {
        atn_builder_fail(x->b, ATN_MEMORY, "out of memory");
        return;
    }
    if (out.from == x->q->r && from_source(x, &out)) {
        n = list_sent(x, &out, 0, &end);
        for (int i = 0; i < n; i++)
            sent[i] = x->list[0][i];
        from = atn_ranges(atn_src(0, 0), sent, n);
    } else if (out.from == x->q->r) {
        from = atn_tmp_at(x->region[ATN_OUTWARD][next], 0, out.blocks);
    }
    if (in.to == x->q->r && to_result(x, &in)) {
        n = list_received(x, x->by_receiver, 0, sort_received(x, &in), &end);
        to = atn_ranges(atn_dst(0, 0), x->list[0], n);
    } else if (in.to == x->q->r) {
        x->region[ATN_INWARD][last] = atn_tmp_like(x->b, 0, in.blocks);
        to = atn_tmp_at(x->region[ATN_INWARD][last], 0, in.blocks);
    }
    atn_exchange(x->b, out.to, from, in.from, to);
    free(sent);
}

/* A rank receives its n blocks from the one that distributes. */
static void receive_blocks(state *x, int from, int n)
{
    if (!x->padded) {
        atn_recv(x->b, from, atn_ranges(atn_dst(0, 0), x->list[0], n));
        return;
    }
    const int region = atn_tmp_like(x->b, 0, n);
    for (int i = 0; i < n; i++)
        x->list[1][i] = (atn_range){i, 1};
    atn_recv(x->b, from, atn_tmp_at(region, 0, n));
    copy_blocks(x, atn_dst(0, 0), region, n, false);
}

static void distribute(state *x, int other)
{
    const bundle m = bundle_of(x, ATN_INWARD, other);
    const int r = x->q->r, end = m.n > 0 ? sort_received(x, &m) : 0;
    const int region = x->region[ATN_INWARD][other];

    for (int k = 0, next; k < end && !to_result(x, &m); k = next) {
        const int v = x->by_receiver[k].v, n = list_received(x, x->by_receiver, k, end, &next);
        if (v == r && r != m.to)
            receive_blocks(x, m.to, n);
        else if (v == r)
            copy_blocks(x, atn_dst(0, 0), region, n, false);
        else if (r == m.to)
            atn_send(x->b, v, atn_ranges(atn_tmp_at(region, 0, 0), x->list[1], n));
    }
    repeat(x, x->by_receiver, end);
}

/* ---- all phases ---- */

static bool begin(state *x, atn_builder *b, const atn_problem *q)
{
    *x = (state){.b = b,
                 .q = q,
                 .common = atn_algo_edges_common(q),
                 .padded = atn_sched_is_padded(q->op),
                 .count = calloc((size_t)q->p, sizeof *x->count)};
    x->group = make_groups(q->topo, &x->n);
    if (!x->count || !x->group)
        return false;
    x->mine = x->group[q->r];
    if (!list_crossings(x, ATN_INWARD) || !list_crossings(x, ATN_OUTWARD))
        return false;
    const size_t most = (size_t)atn_max(x->ways[0].v.n, x->ways[1].v.n) + 1;
    x->by_receiver = malloc(sizeof *x->by_receiver * most);
    x->list[0] = malloc(sizeof *x->list[0] * most);
    x->list[1] = malloc(sizeof *x->list[1] * most);
    return x->by_receiver && x->list[0] && x->list[1];
}

static void end(state *x)
{
    for (int w = 0; w < ATN_WAYS_OF_EDGES; w++) {
        atn_vec_free(&x->ways[w].v);
        free(x->ways[w].first);
        free(x->region[w]);
        free(x->list[w]);
    }
    free(x->count);
    free(x->group);
    free(x->by_receiver);
}

void atn_algo_bundles_exchange(atn_builder *b, const atn_problem *q)
{
    state x;

    if (begin(&x, b, q)) {
        for (int s = 1; s < x.n; s++)
            gather(&x, atn_mod(x.mine + s, x.n));
        atn_round(b);
        for (int s = 1; s < x.n; s++)
            cross(&x, s);
        atn_algo_edges_exchange(b, q, x.group, true, false);
        atn_round(b);
        for (int s = 1; s < x.n; s++)
            distribute(&x, atn_mod(x.mine - s, x.n));
    } else {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    }
    end(&x);
}
