/* bundles.h - neighbourhood exchanges between groups of ranks: the blocks from one group to another
 * are gathered by a rank of the first, sent at once, and distributed by a rank of the second.
 *
 * Groups are the hosts of the topology or, if every host has one rank, the hosts of each switch. */
#ifndef ATN_ALGO_BUNDLES_H
#define ATN_ALGO_BUNDLES_H

#include "algo/algo.h"

/* NULL, or why there are no such groups. */
const char *atn_algo_bundles_refuses(const atn_problem *q);
/* All blocks except those of edges to the rank itself. */
void atn_algo_bundles_exchange(atn_builder *b, const atn_problem *q);

#endif
