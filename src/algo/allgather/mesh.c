/* Mesh allgather: ranks form a mesh of nearly equal sides; they exchange along the first dimension,
 * then all blocks they hold along the second, and so on.  A compromise between direct exchange (few
 * hops) and recursive multiplying (few messages); messages stay within rows and columns.
 *
 *   p = 6 as 2 x 3   rows 0-1 2-3 4-5: a block each   columns 0-2-4 1-3-5: two blocks each */
#include "algo/algo.h"
#include "algo/digits.h"

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_digits mesh = atn_algo_digits_mesh(q->p, (int)prm->v[0]);
    atn_algo_digits_allgather(b, q, &mesh, true);
}

const atn_algo atn_algo_allgather_mesh = {
    .name = "mesh",
    .summary = "exchange along the rows of a mesh of ranks, then along its columns",
    .reference = "Faraj, Yuan: Automatic generation and tuning of MPI collective communication "
                 "routines, 2005",
    .cost = "(p - 1) * b * n + a * " ATN_MESH_SIDES("(x + y + p / x / y - 3)"),
    .needs = ATN_NEEDS_COMPOSITE,
    .passes = ATN_PASS_WINDOW | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .params = atn_algo_mesh_params,
    .refuses = atn_algo_mesh_refuses,
    .build = build,
};
