/* The phases of aapc for the sizes of a pattern: messages are divided into parts of about the mean
 * size, and the phases are repeated, each time with the messages that have another part; phases
 * without messages are omitted.  All messages of a phase then take about as long.
 *
 * Messages that the pattern does not have follow at the end, so the schedule serves calls of any
 * sizes. */
#include "algo/patterned.h"

static bool make(const atn_topo *t, const int *capacity, bool rated, const int64_t *bytes,
                 atn_phases *x)
{
    (void)capacity;
    return atn_algo_phases_cut(t, rated, bytes, x);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    atn_algo_patterned_build(b, q, prm, "cut phases", make);
}

const atn_algo atn_algo_alltoall_cut = {
    .name = "cut",
    .summary = "phases of aapc for the sizes of a pattern, repeated for parts of long messages",
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
