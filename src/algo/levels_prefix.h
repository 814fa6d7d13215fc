/* levels_prefix.h - prefixes over levels, for scan and exscan.
 *
 * Inwards, the last ranks of the members of a cluster find what the members before theirs amount
 * to (exscan), and the last of them what the cluster does.  Outwards again, each passes on what
 * comes before its cluster (broadcast), and adds what comes before its member in it. */
#ifndef ATN_LEVELS_PREFIX_H
#define ATN_LEVELS_PREFIX_H

#include "algo/levels.h"

/* *before_p: the operands of all ranks below, if the result is true (it has such). */
bool atn_level_prefix(atn_level_run *x, atn_ref *before_p);

#endif
