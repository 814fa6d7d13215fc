/* stencil.c - see stencil.h. */
#include "algo/stencil.h"

#include "algo/edges.h"
#include "algo/shape.h"

/* A block is identified by the offset that it travels altogether. */
typedef struct {
    atn_builder *b;
    const atn_problem *q;
    const atn_box *box;
    bool common; /* allgather: a block travels in all directions */
    int offsets, centre, last;
    int edge[ATN_WAYS_OF_EDGES][ATN_BOX_OFFSETS]; /* by the offset of the neighbour */
    int store, stored;                            /* scratch: region, blocks in use */
    int at[ATN_BOX_OFFSETS];                      /* where in scratch */
    atn_range list[ATN_WAYS_OF_EDGES][ATN_BOX_OFFSETS];
} state;

static int opposite(const state *x, int o) { return x->offsets - 1 - o; }
static int before(const state *x, int o, int k) { return atn_sched_box_part(x->box, o, 0, k - 1); }
static int from_on(const state *x, int o, int k)
{
    return atn_sched_box_part(x->box, o, k, x->last);
}
static bool exists(const state *x, int offset)
{
    return atn_sched_box_rank(x->box, x->q->r, offset) >= 0;
}

/* Whether this rank has the block when dimensions before k are done. */
static bool has(const state *x, int o, int k)
{
    return exists(x, opposite(x, before(x, o, k))) && exists(x, from_on(x, o, k));
}

/* An allgather does not send a block for later dimensions along: it is there already. */
static bool travels(const state *x, int o, int k, int direction)
{
    return atn_sched_box_step(x->box, o, k) == direction &&
           (!x->common || from_on(x, o, k + 1) == x->centre);
}

static atn_ref sent(state *x, int k, int direction)
{
    const bool own = k == 0; /* nothing has been received */
    int n = 0;

    for (int o = 0; o < x->offsets; o++)
        if (travels(x, o, k, direction) && has(x, o, k)) {
            const int now = x->common ? before(x, o, k) : o; /* in an allgather, it is kept */
            const int source = x->common ? 0 : x->edge[ATN_OUTWARD][o];
            x->list[ATN_OUTWARD][n++] = (atn_range){own ? source : x->at[now], 1};
        }
    return atn_ranges(own ? atn_src(0, 0) : atn_tmp_at(x->store, 0, 0), x->list[ATN_OUTWARD], n);
}

static atn_ref received(state *x, int k, int direction)
{
    int n = 0;

    for (int o = 0; o < x->offsets; o++)
        if (travels(x, o, k, direction) && has(x, o, k + 1)) {
            if (k < x->last)
                x->at[o] = x->stored++;
            x->list[ATN_INWARD][n++] =
                (atn_range){k < x->last ? x->at[o] : x->edge[ATN_INWARD][opposite(x, o)], 1};
        }
    return atn_ranges(k < x->last ? atn_tmp_at(x->store, 0, 0) : atn_dst(0, 0), x->list[ATN_INWARD],
                      n);
}

/* Own blocks that do not leave in the first dimension. */
static void store_own(state *x)
{
    for (int o = 0; o < x->offsets; o++)
        if (x->common ? o == x->centre : o != x->centre && exists(x, o) && from_on(x, o, 1) == o) {
            const int source = x->common ? 0 : x->edge[ATN_OUTWARD][o];
            x->at[o] = x->stored++;
            atn_copy(x->b, atn_src(source, 1), atn_tmp_at(x->store, x->at[o], 1));
        }
}

/* Blocks in scratch whose last dimension was k. */
static void deliver(state *x, int k)
{
    for (int o = 0; k < x->last && o < x->offsets; o++)
        if (atn_sched_box_step(x->box, o, k) != 0 && before(x, o, k + 1) == o && has(x, o, k + 1))
            atn_copy(x->b, atn_tmp_at(x->store, x->at[o], 1),
                     atn_dst(x->edge[ATN_INWARD][opposite(x, o)], 1));
}

static void exchange(state *x, int k, int direction)
{
    int unit = 1;
    for (int d = x->last; d > k; d--)
        unit *= 3;
    const int to = atn_sched_box_rank(x->box, x->q->r, x->centre + direction * unit);
    const int from = atn_sched_box_rank(x->box, x->q->r, x->centre - direction * unit);
    const atn_ref none = {.n = 0}, out = to < 0 ? none : sent(x, k, direction);
    const atn_ref in = from < 0 ? none : received(x, k, direction);

    atn_algo_rounds(x->b, k > 0 || direction > 0);
    atn_exchange(x->b, to, out, from, in);
}

static void list_edges(state *x, atn_way way)
{
    const atn_neighbourhood *n = x->q->neighbourhood;

    for (int i = 0; i < atn_sched_neighbourhood_count(n, x->q->r, way); i++) {
        const int peer = atn_sched_neighbourhood_rank(n, x->q->r, way, i);
        x->edge[way][atn_sched_box_offset(x->box, x->q->r, peer)] = i;
    }
}

void atn_algo_stencil_exchange(atn_builder *b, const atn_problem *q)
{
    const atn_box *box = &q->neighbourhood->box;
    const int offsets = atn_sched_box_offsets(box);
    state x = {.b = b, .q = q, .box = box, .common = atn_algo_edges_common(q), .offsets = offsets};

    x.centre = offsets / 2;
    x.last = box->ndims - 1;
    x.store = atn_tmp_like(b, 0, offsets / 3 * (x.common ? 1 : 2 * box->ndims - 1));
    list_edges(&x, ATN_INWARD);
    list_edges(&x, ATN_OUTWARD);
    store_own(&x);
    for (int k = 0; k < box->ndims; k++) {
        exchange(&x, k, -1);
        exchange(&x, k, 1);
        deliver(&x, k);
    }
}
