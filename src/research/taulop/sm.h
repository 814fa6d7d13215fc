/* tau_sm.h - the pipelined broadcast of Open MPI's "sm" component, whose transfers have one writer
 * and several readers at a time, so that it is no schedule of messages. */
#ifndef ATN_TAU_SM_H
#define ATN_TAU_SM_H

#include "research/taulop/terms.h"

/* p ranks in a tree of degree g, k segments.  A rank copies its father's segment into its own
 * buffer, then to its user; the next segment follows two stages later; a rank of the deepest level
 * copies to its user at once.  Number of stages. */
int atn_tau_sm_stages(int p, int g, int k);
/* Ranks that copy in each stage: tau[atn_tau_sm_stages].  (The closed forms of the literature hold
 * only for trees whose deepest level has an odd number; this is right for all.) */
void atn_tau_sm_copies(int p, int g, int k, int *tau);
/* The sum of L0(S, tau) over the stages; false: out of memory. */
bool atn_tau_sm_terms(int p, int g, int k, atn_terms *terms);

#endif
