/* shape.c - rings, trees and matchings. */
#include "algo/shape.h"

int atn_algo_wrap(int first, int count, int p, atn_range list[2])
{
    const int head = atn_min(count, p - first);

    list[0] = (atn_range){first, head};
    list[1] = (atn_range){0, count - head};
    return count > head ? 2 : 1;
}

void atn_algo_wrap_exchange(atn_builder *b, const atn_problem *q, int jump, int count)
{
    atn_range list[2];
    int n = atn_algo_wrap(q->r, count, q->p, list);

    atn_send(b, atn_algo_ring(q, -jump), atn_ranges(atn_dst(0, 0), list, n));
    n = atn_algo_wrap(atn_algo_ring(q, jump), count, q->p, list);
    atn_recv(b, atn_algo_ring(q, jump), atn_ranges(atn_dst(0, 0), list, n));
}

void atn_algo_rounds(atn_builder *b, int n)
{
    while (n-- > 0)
        atn_round(b);
}

/* ---- k-nomial trees ---- */

typedef struct {
    int first, count, leader;
} run;

/* The largest power of the radix below n. */
static int power_below(int n, int radix)
{
    int64_t s = 1;

    while (s * radix < n)
        s *= radix;
    return (int)s;
}

/* Part i of a run divided into parts of s ranks.  Only the last may be shorter, and the leader must
 * not be in it: where it would be, parts are counted from the end of the run. */
static run part(const run *whole, int s, int i)
{
    const int end = whole->first + whole->count;
    const bool forward = whole->leader < whole->first + whole->count / s * s;
    const int lo = forward ? whole->first + i * s : atn_max(end - (i + 1) * s, whole->first);
    const int hi = forward ? atn_min(lo + s, end) : end - i * s;
    const bool leads = whole->leader >= lo && whole->leader < hi;

    return (run){lo, hi - lo, leads ? whole->leader : lo};
}

static bool inside(const run *u, int r) { return r >= u->first && r < u->first + u->count; }

static void add_edge(atn_tree *t, const run *whole, const run *given, int r, int slot)
{
    if (r == whole->leader || r == given->leader)
        t->edge[slot] = (atn_edge){r == given->leader ? whole->leader : given->leader, given->first,
                                   given->count};
    if (r == given->leader)
        t->up = slot;
}

/* Adds the edges to the parts of the run of r, the farthest first; returns r's part. */
static run add_parts(atn_tree *t, const run *whole, int r, int level, int radix)
{
    const int s = power_below(whole->count, radix), parts = (whole->count + s - 1) / s;
    int own = 0;

    while (part(whole, s, own).leader != whole->leader)
        own++;
    run mine = part(whole, s, own);
    for (int far = parts - 1; far > 0; far--)
        for (int i = own - far; i <= own + far; i += 2 * far) {
            if (i < 0 || i >= parts)
                continue;
            const run given = part(whole, s, i);
            add_edge(t, whole, &given, r, level++);
            mine = inside(&given, r) ? given : mine;
        }
    return mine;
}

atn_tree atn_algo_tree_knomial(int p, int r, int root, int radix)
{
    const int top =
        p > 1 ? (p - 1) / power_below(p, radix) : 0; /* edges of the root at its first division */
    atn_tree t = {.levels = top, .up = -1};
    run at = {0, p, root};

    for (int s = p > 1 ? power_below(p, radix) : 1; s > 1; s /= radix)
        t.levels += radix - 1;
    for (int level = 0; level < t.levels; level++)
        t.edge[level].peer = -1;
    for (int level = 0; at.count > 1; level += level == 0 ? top : radix - 1)
        at = add_parts(&t, &at, r, level, radix);
    return t;
}

int atn_algo_heap_way(int v, int arity)
{
    int way = 0;

    for (; v > 0; v = (v - 1) / arity)
        way += (v - 1) % arity + 1;
    return way;
}

int atn_algo_heap_depth(int n, int arity)
{
    int depth = 0;

    for (int v = 0; v < n; v++)
        depth = atn_max(depth, atn_algo_heap_way(v, arity));
    return depth;
}

atn_ref atn_algo_tree_store(atn_builder *b, const atn_tree *t, atn_ref all, atn_ref one)
{
    if (t->up < 0)
        return all;
    const atn_edge *own = &t->edge[t->up];
    return own->count == 1 ? one : atn_tmp_at(atn_tmp(b, own->first, own->count), 0, own->count);
}

atn_ref atn_algo_tree_part(const atn_tree *t, atn_ref store, int first, int count)
{
    store.one = (atn_range){first - (t->up < 0 ? 0 : t->edge[t->up].first), count};
    return store;
}

void atn_algo_tree_bcast(atn_builder *b, const atn_tree *t)
{
    for (int level = 0; level < t->levels; level++) {
        atn_algo_rounds(b, level > 0);
        if (level == t->up)
            atn_recv(b, t->edge[level].peer, atn_dst(0, 1));
        else if (t->edge[level].peer >= 0)
            atn_send(b, t->edge[level].peer, atn_dst(0, 1));
    }
}

void atn_algo_tree_collect(atn_builder *b, const atn_tree *t, atn_ref store)
{
    for (int level = t->levels - 1; level >= 0; level--) {
        const atn_edge *e = &t->edge[level];
        if (level == t->up)
            atn_send(b, e->peer, store);
        else if (e->peer >= 0)
            atn_recv(b, e->peer, atn_algo_tree_part(t, store, e->first, e->count));
        atn_algo_rounds(b, level > 0);
    }
}

static void gather(atn_builder *b, const atn_problem *q, const atn_tree *t)
{
    const atn_ref store = atn_algo_tree_store(b, t, atn_dst(0, q->p), atn_src(0, 1));

    atn_copy(b, atn_src(0, 1), atn_algo_tree_part(t, store, q->r, 1));
    atn_algo_tree_collect(b, t, store);
}

static void scatter(atn_builder *b, const atn_problem *q, const atn_tree *t)
{
    const atn_ref store = atn_algo_tree_store(b, t, atn_src(0, q->p), atn_dst(0, 1));

    for (int level = 0; level < t->levels; level++) {
        const atn_edge *e = &t->edge[level];
        atn_algo_rounds(b, level > 0);
        if (level == t->up)
            atn_recv(b, e->peer, store);
        else if (e->peer >= 0)
            atn_send(b, e->peer, atn_algo_tree_part(t, store, e->first, e->count));
    }
    atn_copy(b, atn_algo_tree_part(t, store, q->r, 1), atn_dst(0, 1));
}

void atn_algo_tree_blocks(atn_builder *b, const atn_problem *q, const atn_tree *t)
{
    if (atn_sched_operation_get(q->op)->source == ATN_SIDE_ONE)
        gather(b, q, t);
    else
        scatter(b, q, t);
}

/* ---- chains ---- */

atn_spot atn_algo_chain_spot(int v, int p, int chains)
{
    const int length = (p - 1) / chains;               /* of a short chain */
    const int bound = (p - 1) % chains * (length + 1); /* ranks in the long ones */

    if (v <= bound)
        return (atn_spot){(v - 1) / (length + 1), (v - 1) % (length + 1)};
    return (atn_spot){(p - 1) % chains + (v - 1 - bound) / length, (v - 1 - bound) % length};
}

/* ---- direct exchanges ---- */

static atn_ref block_for(const atn_problem *q, int rank)
{
    return atn_src(atn_sched_operation_get(q->op)->source == ATN_SIDE_ONE ? 0 : rank, 1);
}

void atn_algo_direct(atn_builder *b, const atn_problem *q, int to, int from)
{
    atn_send(b, to, block_for(q, to));
    atn_recv(b, from, atn_dst(from, 1));
}

void atn_algo_direct_own(atn_builder *b, const atn_problem *q)
{
    atn_copy(b, block_for(q, q->r), atn_dst(q->r, 1));
}

/* ---- matchings ---- */

int atn_algo_match_rounds(int p) { return p == 1 ? 0 : p % 2 == 0 ? p - 1 : p; }

/* All but the last of an even number of ranks are on a circle; in a round those whose positions add
 * up to the round's number are matched, and the remaining one is matched with the last rank.  With
 * an odd number there is no last rank. */
int atn_algo_match(int p, int r, int round)
{
    const int circle = p % 2 == 0 ? p - 1 : p;

    if (r == circle) /* the position x with 2 x = round */
        return round % 2 == 0 ? round / 2 : (round + circle) / 2;
    const int partner = atn_mod(round - r, circle);
    if (partner != r)
        return partner;
    return p % 2 == 0 ? circle : -1;
}

int atn_algo_bine(int p, int r, int i)
{
    const int power = 1 << (i + 1), jump = (i % 2 == 0 ? 1 + power : 1 - power) / 3;

    return atn_mod(r % 2 == 0 ? r + jump : r - jump, p);
}
