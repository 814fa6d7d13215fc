/* Contention-free alltoall in phases (all-to-all personalised communication, AAPC): the messages of
 * a phase never share a link of the topology, and the most loaded link is used in every phase, so
 * no alltoall can be faster (see phases.h).  Ranks that run ahead would mix phases; `sync` selects
 * the synchronisation (see phased.h). */
#include "algo/algo.h"
#include "algo/capacity.h"
#include "algo/phased.h"

#include <stdlib.h>

enum { SYNC, BLOCK, LINKS };

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_phased how = {(atn_phased_sync)prm->v[SYNC], (int)prm->v[BLOCK]};
    const bool rated = prm->v[LINKS] == 0;
    int *capacity = malloc(sizeof *capacity * (size_t)atn_topo_edges(q->topo));
    atn_phases x = {0};

    if (capacity && atn_algo_phases_begin(q->topo, rated, &x)) {
        atn_algo_capacities(q->topo, rated, capacity);
        atn_algo_phased_emit(b, q, &x, capacity, &how);
    } else {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    }
    atn_algo_phases_end(&x);
    free(capacity);
}

static const char *refuses(const atn_problem *q, const atn_params *prm)
{
    const bool varying = atn_sched_operation_get(q->op)->flags & ATN_VARYING;

    return prm->v[SYNC] == ATN_PHASED_DUMMY && varying
               ? "messages that mean nothing need blocks of equal size"
               : NULL;
}

static const char *const link_words[] = {"rated", "equal", NULL};

static const atn_param params[] = {
    {"sync", ATN_WORD, ATN_PHASED_NONE, ATN_PHASED_NONE, ATN_PHASED_BARRIER_RECEIVER, ATN_LINEAR,
     "synchronisation of phases: none; dummy messages of idle ranks; messages wait until earlier "
     "ones on the same link are sent, or received; barriers; barriers between blocks",
     atn_algo_phased_words},
    {"block", ATN_INT, 1, 1, 1 << 20, ATN_LOG2,
     "consecutive phases without synchronisation, or without barriers", NULL},
    {"links", ATN_WORD, 0, 0, 1, ATN_LINEAR,
     "links carry messages of a phase in proportion to their rate, or one each", link_words},
    {0},
};

const atn_algo atn_algo_alltoall_aapc = {
    .name = "aapc",
    .summary = "contention-free phases on the topology, as few as the most loaded link allows",
    .reference = "Faraj, Patarasuk, Yuan: A message scheduling scheme for all-to-all personalized "
                 "communication on Ethernet switched clusters, 2007",
    .cost = "phases * (k * a + b * n)",
    .needs = ATN_NEEDS_TOPOLOGY,
    .passes = ATN_PASS_SEGMENT,
    .segments_inside = true,
    .most_ranks = 1024,
    .klass = ATN_COORDINATED,
    .group = "contention",
    .params = params,
    .refuses = refuses,
    .build = build,
};
