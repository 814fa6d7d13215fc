/* verify_result.c - the last part of a verification: what every rank must hold at the end. */
#include "sched/canonical.h"
#include "sched/neighbourhood.h"
#include "sched/verify_private.h"

typedef struct {
    int block;  /* of the source side */
    int lo, hi; /* contributing ranks */
} goal;

/* On neighbours: the block that the matching edge sends; none if the source is missing. */
static goal from_source(const atn_schedule *s, int d)
{
    const atn_neighbourhood *n = s->q.neighbourhood;
    const int k = d % s->split, j = d / s->split;
    const int from = atn_sched_neighbourhood_rank(n, s->q.r, ATN_INWARD, j);

    if (from < 0)
        return (goal){d, 0, 0};
    const bool common = atn_sched_operation_get(s->q.op)->source == ATN_SIDE_COMMON;
    const int sent = common ? 0 : atn_sched_neighbourhood_mate(n, s->q.r, ATN_INWARD, j);
    return (goal){sent * s->split + k, from, from + 1};
}

/* The value that block `d` of the result must hold. */
static goal expected(const atn_schedule *s, int d)
{
    const atn_operation_info *o = atn_sched_operation_get(s->q.op);
    const int k = d % s->split, j = d / s->split, r = s->q.r, p = s->q.p;

    if (s->q.op == ATN_SCAN || s->q.op == ATN_EXSCAN)
        return (goal){d, 0, s->q.op == ATN_SCAN ? r + 1 : r};
    if (o->flags & ATN_TYPED)
        return (goal){o->result == ATN_SIDE_ONE ? r * s->split + k : d, 0, p};
    if (o->flags & ATN_ON_NEIGHBOURS)
        return from_source(s, d);
    switch (o->source) {
    case ATN_SIDE_ONE:
        return (goal){k, j, j + 1};
    case ATN_SIDE_ROW:
        return (goal){r * s->split + k, j, j + 1};
    case ATN_SIDE_VEC:
        return (goal){r * s->split + k, s->q.root, s->q.root + 1};
    default:
        return (goal){d, s->q.root, s->q.root + 1}; /* bcast */
    }
}

/* Where result block d of a rank lies (scatter in place leaves it in the source). */
static int result_value(const rank_state *k, int d)
{
    const atn_schedule *s = k->s;

    if (s->q.in_place &&
        atn_sched_operation_place(s->q.op, s->q.r == s->q.root) == ATN_PLACE_OWN_SRC)
        return k->cell[ATN_SRC][s->q.r * s->split + d];
    return k->cell[ATN_DST][d];
}

static atn_status check_results(run *x, int r)
{
    const rank_state *k = &x->ranks[r];
    const int n = atn_sched_space_blocks(k->s, ATN_DST);

    for (int d = 0; d < n; d++) {
        const goal g = expected(k->s, d);
        if (g.lo == g.hi) { /* exscan on rank 0, a missing source: the block stays unchanged */
            if (k->written[d])
                return atn_fail(x->err, ATN_FINDING,
                                "rank %d: writes result block %d, which must stay unchanged", r, d);
            continue;
        }
        const int value = result_value(k, d);
        if (!atn_sched_value_is(&x->values, value, g.block, g.lo, g.hi))
            return atn_fail(x->err, ATN_FINDING, "rank %d: result block %d does not hold %s", r, d,
                            g.hi - g.lo > 1 ? "every contribution exactly once"
                                            : "the data it should");
        if (k->s->q.op == ATN_ALLREDUCE && value != result_value(&x->ranks[0], d))
            return atn_fail(x->err, ATN_FINDING,
                            "rank %d: result block %d is computed in another order than on rank 0",
                            r, d);
        if (atn_sched_wants_canonical(&k->s->q) &&
            !atn_sched_has_canonical(&x->values, &k->s->q, value))
            return atn_fail(x->err, ATN_FINDING,
                            "rank %d: result block %d is not in the canonical order", r, d);
    }
    return ATN_OK;
}

/* Barrier: on every rank, some operation must prove that each other rank has entered. */
static atn_status check_barrier(run *x, int r)
{
    const rank_state *k = &x->ranks[r];

    for (int j = 0; j < x->p; j++) {
        bool proven = j == r;
        for (int i = 0; i < k->s->nops && !proven; i++)
            proven = k->proves[(size_t)i * (size_t)x->words + (size_t)j / 64] >> j % 64 & 1;
        if (!proven)
            return atn_fail(x->err, ATN_FINDING, "rank %d may leave before %d has entered", r, j);
    }
    return ATN_OK;
}

atn_status atn_sched_run_result(run *x, int r)
{
    return x->ranks[r].proves ? check_barrier(x, r) : check_results(x, r);
}
