/* Phases for the sizes of a pattern: each message, longest first, is assigned to the first phase in
 * which neither sender nor receiver nor any link between them is busy.  A phase takes as long as
 * its longest message, so long messages share phases with long ones.
 *
 * With messages of 3, 2 and 1 KB from rank 0 to 1, 2 to 1 and 2 to 3, the first and the last are in
 * phase 0.  Messages that the pattern does not have are in phases after all others, so the schedule
 * serves calls of any sizes. */
#include "algo/patterned.h"

static bool make(const atn_topo *t, const int *capacity, bool rated, const int64_t *bytes,
                 atn_phases *x)
{
    (void)rated;
    return atn_algo_phases_greedy(t, capacity, bytes, x);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_patterned_build(b, q, prm, "greedy phases", make);
}

const atn_algo atn_algo_alltoall_greedy = {
    .name = "greedy",
    .summary = "contention-free phases for the sizes of a pattern, long messages first",
    .reference = "Faraj: Automatic empirical techniques for developing efficient MPI collective "
                 "communication routines, 2006",
    .cost = "phases * (k * a + b * n)",
    .needs = ATN_NEEDS_TOPOLOGY | ATN_NEEDS_PATTERN,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .most_ranks = 1024,
    .klass = ATN_COORDINATED,
    .group = "contention",
    .params = atn_algo_patterned_params,
    .refuses = atn_algo_patterned_refuses,
    .build = build,
};
