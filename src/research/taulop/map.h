/* tau_map.h - better places for ranks. */
#ifndef ATN_TAU_MAP_H
#define ATN_TAU_MAP_H

#include "research/taulop/derive.h"

/* Exchanges ranks of different nodes, pair by pair, as long as the time falls, then again from
 * places near the best, while `tries` are left; nodes keep their numbers of ranks.  The same on
 * every run.  *seconds_p: the time at the end.  ATN_MEMORY leaves the mapping as it is. */
atn_status atn_mapping_improve(const atn_traffic *t, atn_mapping *m, atn_tau_contention contention,
                               const atn_tau_costs *costs, double bytes, int64_t tries,
                               double *seconds_p, atn_error *err);

/* For Open MPI, rank by rank: a rankfile ("rank 3=n1 slot=0"), or a list of hosts for the
 * sequential mapper.  hosts[node]. */
void atn_mapping_rankfile(FILE *f, const atn_mapping *m, const char *const *hosts);
void atn_mapping_hostfile(FILE *f, const atn_mapping *m, const char *const *hosts);

#endif
