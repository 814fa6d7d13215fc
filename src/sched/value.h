/* value.h - symbolic contents of blocks, as computed by the verifier.
 *
 * A value is a contribution (rank, block), or a combination of two values of the same block.
 * Equal expressions are the same value (hash-consing), so comparing results is comparing ids. */
#ifndef ATN_SCHED_VALUE_H
#define ATN_SCHED_VALUE_H

#include "base/base.h"

enum { ATN_VALUE_NONE = -1 };

typedef struct {
    int left, right; /* -1: a contribution */
    int block;       /* source block */
    int size;        /* size class: a value fits only blocks of the same class */
    int lo, hi;      /* contributing ranks lie in lo .. hi - 1 */
    int set;         /* the exact set of ranks: words of `sets` from this index */
} atn_value;

typedef struct {
    int p, words;
    bool ordered;
    ATN_VEC(atn_value) values;
    ATN_VEC(uint64_t) sets;
    int *table; /* hash of (left, right) or (rank, block) -> value */
    int slots;
} atn_value_table;

bool atn_sched_values_init(atn_value_table *v, int p, bool ordered);
void atn_sched_values_free(atn_value_table *v);
/* The contribution of `rank` for `block`; -1: out of memory. */
int atn_sched_value_leaf(atn_value_table *v, int rank, int block, int size);
/* in (op) inout; -1 with the reason in *why_p when it is not allowed. */
int atn_sched_value_combine(atn_value_table *v, int in, int inout, const char **why_p);
/* Whether the value holds exactly the contributions of ranks lo .. hi - 1 for `block`. */
bool atn_sched_value_is(const atn_value_table *v, int value, int block, int lo, int hi);

#endif
