/* canonical.c - see canonical.h. */
#include "sched/canonical.h"

/* The largest power of two below n. */
static int pow2_under(int n) { return 1 << atn_floor_log2(n - 1); }

/* The first ranks are paired, so that the number of groups is a power of two. */
static int group_of(int p, int r)
{
    const int pairs = p - (1 << atn_floor_log2(p));
    return r < 2 * pairs ? r / 2 : r - pairs;
}

static int first_of(int p, int group)
{
    const int pairs = p - (1 << atn_floor_log2(p));
    return group + atn_min(group, pairs);
}

static int cut_halves(int p, int lo, int hi)
{
    const int first = group_of(p, lo), end = group_of(p, hi - 1) + 1;
    return end - first == 1 ? lo + 1 : first_of(p, (first + end) / 2);
}

/* The side of the root has a power of two of ranks. */
static int cut_binomial(int root, int lo, int hi)
{
    const int s = pow2_under(hi - lo), leader = root >= lo && root < hi ? root : lo;
    return leader < lo + (hi - lo) / s * s ? lo + s : hi - s;
}

static int cut_of(const atn_problem *q, int lo, int hi)
{
    switch (q->op) {
    case ATN_REDUCE:
        return cut_binomial(q->root, lo, hi);
    case ATN_SCAN:
    case ATN_EXSCAN:
        return hi - pow2_under(hi - lo);
    default:
        return cut_halves(q->p, lo, hi);
    }
}

/* The value of a run for the block and size class of `like`; -1: out of memory. */
static int value_of(atn_value_table *v, const atn_problem *q, int lo, int hi, const atn_value *like)
{
    const char *why;

    if (hi - lo == 1)
        return atn_sched_value_leaf(v, lo, like->block, like->size);
    const int cut = cut_of(q, lo, hi);
    const int left = value_of(v, q, lo, cut, like), right = value_of(v, q, cut, hi, like);
    return left < 0 || right < 0 ? -1 : atn_sched_value_combine(v, left, right, &why);
}

bool atn_sched_has_canonical(atn_value_table *v, const atn_problem *q, int value)
{
    const atn_value like = v->values.v[value]; /* a copy: values move when others are added */
    return value_of(v, q, like.lo, like.hi, &like) == value;
}
