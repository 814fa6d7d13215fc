/* Exchange in a box stencil, one dimension after the other: in a graph in which ranks have all
 * 3^d - 1 neighbours of a grid of d dimensions, a rank sends only to two of them in each dimension,
 * 2 d messages in all.  Allgather: a message contains the blocks of all earlier dimensions, so the
 * volume stays the same.  Alltoall: blocks travel to their destination along one dimension after
 * the other, so a block for a corner is sent d times.  It wins with small blocks, in an allgather
 * also with medium ones.  The last dimension delivers to the result; before, blocks are stored in
 * scratch.  The cost is exact in periodic dimensions, else an upper bound.
 *
 *   box:3px3p, allgather, rank 4   with 1 and 7: one block; then with 3 and 5: three blocks */
#include "algo/stencil.h"
#include "algo/edges.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_algo_edges_own(b, q);
    atn_algo_stencil_exchange(b, q);
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    return q->neighbourhood->box.ndims > 0 ? NULL : "the graph is not the box stencil of a grid";
}

static int depth(const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    return 2 * q->neighbourhood->box.ndims;
}

/* Blocks that a rank sends. */
static int width(const atn_problem *q, const atn_params *prm)
{
    const int offsets = atn_sched_box_offsets(&q->neighbourhood->box);
    return atn_algo_edges_common(q) ? offsets - 1 : depth(q, prm) * offsets / 3;
}

const atn_algo atn_algo_neighbor_stencil = {
    .name = "stencil",
    .summary = "box stencils: two messages in each dimension, which forward other blocks",
    .reference = "Traeff, Carpen-Amarie, Hunold, Rougier: Message-combining algorithms for "
                 "isomorphic, sparse collective communication, 2016",
    .cost = "depth * a + width * b * n",
    .passes = ATN_PASS_SEGMENT,
    .klass = ATN_STORE_FORWARD,
    .group = "latency",
    .depth = depth,
    .width = width,
    .refuses = refuses,
    .build = build,
};
