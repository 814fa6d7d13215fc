/* shape.c - rings, trees and matchings. */
#include "algo/shape.h"

int atn_wrap(int first, int count, int p, atn_range list[2])
{
    const int head = atn_min(count, p - first);

    list[0] = (atn_range){first, head};
    list[1] = (atn_range){0, count - head};
    return count > head ? 2 : 1;
}

void atn_rounds(atn_builder *b, int n)
{
    while (n-- > 0)
        atn_round(b);
}

/* ---- binomial tree ---- */

typedef struct {
    int first, count, leader;
} run;

/* Cuts a run into what the leader keeps and what it gives away. */
static void cut(const run *whole, run *kept, run *given)
{
    const int keep = 1 << (atn_ceil_log2(whole->count) - 1), give = whole->count - keep;

    if (whole->leader < whole->first + keep) {
        *kept = (run){whole->first, keep, whole->leader};
        *given = (run){whole->first + keep, give, whole->first + keep};
    } else {
        *kept = (run){whole->first + give, keep, whole->leader};
        *given = (run){whole->first, give, whole->first};
    }
}

static bool inside(const run *u, int r) { return r >= u->first && r < u->first + u->count; }

atn_tree atn_tree_binomial(int p, int r, int root)
{
    atn_tree t = {.levels = atn_ceil_log2(p), .up = -1};
    run at = {0, p, root};

    for (int level = 0; level < t.levels; level++) {
        atn_edge *e = &t.edge[level];
        run kept, given;
        e->peer = -1;
        if (at.count == 1)
            continue;
        cut(&at, &kept, &given);
        if (r == at.leader) {
            *e = (atn_edge){given.leader, given.first, given.count};
        } else if (r == given.leader) {
            *e = (atn_edge){at.leader, given.first, given.count};
            t.up = level;
        }
        at = inside(&given, r) ? given : kept;
    }
    return t;
}

atn_ref atn_tree_store(atn_builder *b, const atn_tree *t, atn_ref all, atn_ref one)
{
    if (t->up < 0)
        return all;
    const atn_edge *own = &t->edge[t->up];
    return own->count == 1 ? one : atn_tmp_at(atn_tmp(b, own->first, own->count), 0, own->count);
}

atn_ref atn_tree_part(const atn_tree *t, atn_ref store, int first, int count)
{
    store.one = (atn_range){first - (t->up < 0 ? 0 : t->edge[t->up].first), count};
    return store;
}

/* ---- matchings ---- */

int atn_match_rounds(int p) { return p == 1 ? 0 : p % 2 == 0 ? p - 1 : p; }

/* Tournament: all but the last of an even number of players sit on a circle; in a round those
 * whose places add up to the round's number meet, and the one left alone meets the last player.
 * With an odd number there is no last player. */
static int tournament(int p, int r, int round)
{
    const int circle = p % 2 == 0 ? p - 1 : p;

    if (r == circle) /* who sits at x with 2 x = round? */
        return round % 2 == 0 ? round / 2 : (round + circle) / 2;
    const int partner = atn_mod(round - r, circle);
    if (partner != r)
        return partner;
    return p % 2 == 0 ? circle : -1;
}

int atn_match(int p, int r, int round)
{
    return atn_is_pow2(p) ? r ^ (round + 1) : tournament(p, r, round);
}
