/* map.h - rank mapping: local search and launcher files. */
#ifndef ATN_RESEARCH_TAULOP_MAP_H
#define ATN_RESEARCH_TAULOP_MAP_H

#include "research/taulop/derive.h"

/* Exchanges ranks of different nodes, pair by pair, while the time decreases, then restarts near
 * the best mapping while `tries` remain; the numbers of ranks per node do not change.
 * Deterministic. *seconds_p: the time of the result.  ATN_MEMORY: the mapping is unchanged. */
atn_status atn_tau_mapping_improve(const atn_traffic *t, atn_mapping *m,
                                   atn_tau_contention contention, const atn_tau_costs *costs,
                                   double bytes, int64_t tries, double *seconds_p, atn_error *err);

/* For Open MPI, rank by rank: a rankfile ("rank 3=n1 slot=0"), or a list of hosts for the
 * sequential mapper.  hosts[node]. */
void atn_tau_mapping_rankfile(FILE *f, const atn_mapping *m, const char *const *hosts);
void atn_tau_mapping_hostfile(FILE *f, const atn_mapping *m, const char *const *hosts);

#endif
