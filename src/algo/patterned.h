/* patterned.h - alltoallv, allgatherv in phases for a pattern of sizes (known_pattern.h). */
#ifndef ATN_ALGO_PATTERNED_H
#define ATN_ALGO_PATTERNED_H

#include "algo/algo.h"
#include "algo/phased.h"

/* `pattern`, then the parameters of phases as aapc has them. */
enum { ATN_PATTERNED_PATTERN, ATN_PATTERNED_SYNC, ATN_PATTERNED_BLOCK, ATN_PATTERNED_LINKS };
extern const atn_param atn_algo_patterned_params[];

const char *atn_algo_patterned_refuses(const atn_problem *q, const atn_params *prm);

/* Makes phases for the messages bytes[from * p + to]; false: no memory. */
typedef bool (*atn_patterned_fn)(const atn_topo *t, const int *capacity, bool rated,
                                 const int64_t *bytes, atn_phases *x);
/* Without a pattern all blocks have the same size.  `maker` is a name for the function. */
void atn_algo_patterned_build(atn_builder *b, const atn_problem *q, const atn_params *prm,
                              const char *maker, atn_patterned_fn make);

#endif
