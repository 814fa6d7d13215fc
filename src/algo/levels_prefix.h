/* levels_prefix.h - hierarchical prefix reductions, for scan and exscan.
 *
 * Up: an exscan among the last ranks of the members of a cluster gives each the prefix of the
 * preceding members; the last one then has the total of the cluster.  Down: the prefix of the
 * cluster is broadcast, and each leader combines it with the prefix of its member. */
#ifndef ATN_ALGO_LEVELS_PREFIX_H
#define ATN_ALGO_LEVELS_PREFIX_H

#include "algo/levels.h"

/* *before_p: the prefix of all lower ranks.  False: there is none. */
bool atn_algo_level_prefix(atn_level_run *x, atn_ref *before_p);

#endif
