/* Mesh alltoall: ranks form a mesh of nearly equal sides.  Along the first dimension a rank sends
 * to each other rank the blocks for all ranks of that rank's line; along the next all blocks it
 * then holds, and so on.  The number of messages is about the sum of the sides, and a block is sent
 * once per dimension.
 *
 *   p = 6 as 2 x 3, rank 0   to 1: blocks 1, 3, 5   to 2: 2 of ranks 0 and 1   to 4: 4 of both */
#include "algo/algo.h"
#include "algo/digits.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_digits mesh = atn_algo_digits_mesh(q->p, (int)prm->v[0]);
    atn_algo_digits_alltoall(b, q, &mesh);
}

const atn_algo atn_algo_alltoall_mesh = {
    .name = "mesh",
    .summary = "exchange along the rows of a mesh of ranks, then along its columns",
    .reference = "Faraj, Yuan: Automatic generation and tuning of MPI collective communication "
                 "routines, 2005",
    .cost = ATN_MESH_SIDES("let(z, p / x / y, (x - 1) * (a + b * n * p / x)"
                           " + (y - 1) * (a + b * n * p / y) + (z - 1) * (a + b * n * p / z))"),
    .needs = ATN_NEEDS_COMPOSITE | ATN_NEEDS_SIZES,
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .params = atn_algo_mesh_params,
    .refuses = atn_algo_mesh_refuses,
    .build = build,
};
