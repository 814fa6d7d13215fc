/* circulant.c - computes rows by depth-first search over sums of different skips: the path on which
 * a block reaches rank r in round i begins at the root, ends at r - skip[i] or before, and is the
 * longest not used by an earlier round.  The search backtracks at most once per round. */
#include "algo/circulant.h"

#include "algo/shape.h"

atn_circulant atn_algo_circulant_of(int p)
{
    atn_circulant g = {.p = p, .q = atn_ceil_log2(p)};

    for (int i = 0; i <= g.q; i++)
        g.skip[i] = atn_algo_skip(p, g.q - i);
    g.skip[g.q + 1] = p;
    return g;
}

/* The block that reaches rank v by the largest skips: the smallest of them. */
static int first_block(const atn_circulant *g, int v)
{
    int i = g->q;

    while (i > 0 && v > 0) {
        i--;
        if (g->skip[i] == v)
            return i;
        if (g->skip[i] < v)
            v -= g->skip[i];
    }
    return g->q;
}

typedef struct {
    const atn_circulant *g;
    int goal, bound;             /* paths end below the bound, which decreases every round */
    int next[ATN_MAX_SKIPS + 2]; /* unused skips, largest first: a list of index + 1 */
    int last[ATN_MAX_SKIPS + 2];
    int *row;
} search;

static void use(search *x, int skip)
{
    x->next[x->last[skip + 1]] = x->next[skip + 1];
    x->last[x->next[skip + 1]] = x->last[skip + 1];
}

/* Extends the path that has reached rank `at` with skips from e on; returns the next round. */
static int extend(search *x, int at, int e, int round)
{
    const int *skip = x->g->skip;

    for (; e >= 0 && round < x->g->q; e = x->next[e + 1] - 1) {
        if (at + skip[e] > x->goal - skip[round] || at + skip[e] >= x->bound)
            continue;
        if (at + skip[e] <= x->goal - skip[round + 1])
            round = extend(x, at + skip[e], e, round);
        if (round == x->g->q || at > x->goal - skip[round + 1])
            return round;
        x->bound = at + skip[e];
        x->row[round++] = e;
        use(x, e);
    }
    return round;
}

void atn_algo_circulant_receives(const atn_circulant *g, int v, int row[ATN_MAX_SKIPS])
{
    const int first = first_block(g, v);
    search x = {.g = g, .goal = g->p + v, .bound = 2 * g->p, .row = row};

    for (int i = 0; i <= g->q + 1; i++) {
        x.next[i] = i - 1;
        x.last[i] = i + 1;
    }
    x.next[0] = 0;
    if (first < g->q)
        use(&x, first);
    extend(&x, 0, g->q, 0);
    for (int i = 0; i < g->q; i++)
        row[i] = v == 0 ? ATN_NO_BLOCK : row[i] == g->q ? first : row[i] - g->q;
}

void atn_algo_circulant_sends(const atn_circulant *g, int v, int row[ATN_MAX_SKIPS])
{
    int theirs[ATN_MAX_SKIPS];

    for (int i = 0; i < g->q; i++) {
        atn_algo_circulant_receives(g, (v + g->skip[i]) % g->p, theirs);
        row[i] = theirs[i];
    }
}
