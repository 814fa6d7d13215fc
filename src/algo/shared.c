/* shared.c - see shared.h. */
#include "algo/shared.h"
#include "topo/topo.h"

static int host_of(const atn_topo *t, int rank)
{
    int v = t->node_of[rank];

    while (t->nodes[v].kind == ATN_TOPO_PART && t->nodes[v].parent >= 0)
        v = t->nodes[v].parent;
    return v;
}

bool atn_algo_shared_one_host(const atn_topo *t, const int *ranks, int n)
{
    for (int i = 1; i < n; i++)
        if (host_of(t, ranks[i]) != host_of(t, ranks[0]))
            return false;
    return true;
}

bool atn_algo_shared_lacks(const atn_problem *q)
{
    const atn_topo *t = q->topo;

    if (q->shared != ATN_SHARED_HOSTS)
        return q->shared == ATN_SHARED_NONE;
    if (!t || t->p != q->p)
        return true;
    for (int r = 1; r < q->p; r++)
        if (host_of(t, r) != host_of(t, 0))
            return true;
    return false;
}

/* `reduce` puts the lower rank on the left, so the fold begins with the last rank. */
void atn_algo_shared_fold(atn_builder *b, const atn_problem *q, int exposure, atn_range before,
                          atn_ref own, atn_ref to)
{
    const int last = q->p - 1;
    atn_ref sum = q->r == last ? own : to; /* the last rank combines its operand where it lies */

    if (q->r == 0 && last == 0)
        atn_copy(b, own, to);
    else if (q->r != last)
        atn_read(b, last, exposure, before, to);
    for (int i = last - 1; i >= 0; i--) {
        if (i == q->r)
            atn_reduce(b, own, to);
        else
            atn_read_reduce(b, i, exposure, before, sum, to);
        sum = to;
    }
}

atn_ref atn_algo_shared_room(atn_builder *b, atn_ref exposed, atn_ref result, int first, int count)
{
    return atn_overlap(b, exposed, result) ? atn_tmp_at(atn_tmp(b, first, count), 0, count)
                                           : result;
}

int atn_algo_shared_children(int v, int p, int degree)
{
    const int64_t first = (int64_t)degree * v + 1;

    return first >= p ? 0 : (int)(first + degree <= p ? degree : p - first);
}

int atn_algo_shared_height(int p, int degree)
{
    int height = 0;

    for (int v = p - 1; v > 0; v = (v - 1) / degree)
        height++;
    return height;
}
