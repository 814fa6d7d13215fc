/* box.c - see box.h. */
#include "sched/box.h"

#include "sched/neighbourhood.h"

/* ---- offsets ---- */

int atn_sched_box_offsets(const atn_box *x)
{
    int n = 1;

    for (int d = 0; d < x->ndims; d++)
        n *= 3;
    return n;
}

int atn_sched_box_step(const atn_box *x, int offset, int d)
{
    for (int k = x->ndims - 1; k > d; k--)
        offset /= 3;
    return offset % 3 - 1;
}

int atn_sched_box_part(const atn_box *x, int offset, int first, int last)
{
    int part = 0;

    for (int d = 0; d < x->ndims; d++)
        part = 3 * part + 1 + (d >= first && d <= last ? atn_sched_box_step(x, offset, d) : 0);
    return part;
}

int atn_sched_box_rank(const atn_box *x, int r, int offset)
{
    int rank = 0;

    for (int d = x->ndims - 1, stride = 1; d >= 0; d--) {
        const int size = x->dims[d], to = r % size + offset % 3 - 1;
        if (!x->periodic[d] && (to < 0 || to >= size))
            return -1;
        rank += atn_mod(to, size) * stride;
        stride *= size;
        r /= size;
        offset /= 3;
    }
    return rank;
}

int atn_sched_box_offset(const atn_box *x, int from, int to)
{
    int offset = 0;

    for (int d = x->ndims - 1, weight = 1; d >= 0; d--, weight *= 3) {
        const int size = x->dims[d];
        int step = to % size - from % size;
        if (x->periodic[d] && (step == size - 1 || step == 1 - size))
            step = step > 0 ? -1 : 1;
        if (step < -1 || step > 1)
            return -1;
        offset += (step + 1) * weight;
        from /= size;
        to /= size;
    }
    return offset;
}

/* ---- recognition ---- */

/* All neighbours of the rank are in the box, and as many as the box has there. */
static bool fits_rank(const atn_neighbourhood *n, const atn_box *x, int r)
{
    const int degree = atn_sched_neighbourhood_count(n, r, ATN_OUTWARD);
    int missing = -1; /* the rank itself */

    for (int o = 0; o < atn_sched_box_offsets(x); o++)
        missing += atn_sched_box_rank(x, r, o) >= 0;
    for (int i = 0; i < degree; i++) {
        const int v = atn_sched_neighbourhood_rank(n, r, ATN_OUTWARD, i);
        if (v < 0 || atn_sched_box_offset(x, r, v) < 0)
            return false;
        missing -= v != r;
    }
    return missing == 0;
}

static bool fits(const atn_neighbourhood *n, const atn_box *x)
{
    for (int r = 0; r < n->p; r++)
        if (!fits_rank(n, x, r))
            return false;
    return true;
}

/* Dimensions of `ranks` ranks with `edges` edges, those of ranks to themselves included: the edges
 * of the box are the products of those of its dimensions, which leaves few candidates.  Periodic
 * dimensions of two ranks would have the same neighbour twice. */
static bool search(const atn_neighbourhood *n, int ranks, int64_t edges, atn_box *x)
{
    const int d = x->ndims;

    if (ranks == 1)
        return edges == 1 && d >= 2 && fits(n, x);
    x->ndims = d + 1;
    for (int size = 2; d < ATN_BOX_DIMS && size <= ranks; size++)
        for (int periodic = 0; ranks % size == 0 && periodic < 2; periodic++) {
            const int all = 3 * size - (periodic ? 0 : 2);
            x->dims[d] = size;
            x->periodic[d] = periodic;
            if (edges % all == 0 && size > 1 + periodic && search(n, ranks / size, edges / all, x))
                return true;
        }
    x->ndims = d;
    return false;
}

static int64_t count_edges(const atn_neighbourhood *n)
{
    int64_t edges = n->p;

    for (int r = 0; r < n->p; r++)
        for (int i = 0; i < atn_sched_neighbourhood_count(n, r, ATN_OUTWARD); i++)
            edges += atn_sched_neighbourhood_rank(n, r, ATN_OUTWARD, i) != r;
    return edges;
}

atn_box atn_sched_box_find(const atn_neighbourhood *n)
{
    atn_box x = {0};

    return !n->grid && !n->repeats && search(n, n->p, count_edges(n), &x) ? x : (atn_box){0};
}
