/* pattern.h - communication patterns: the block sizes of v-operations in consecutive calls of a
 * program, for generating schedules and for tuning.
 *
 *   attune-pattern 1
 *   # comments and empty lines are skipped
 *   ranks 3
 *   call            followed by a matrix, one line per sender; any number of calls
 *   0 8K 16
 *   4K 0 0
 *   1 1M 0
 *   call allgatherv x20     made twenty times; one line with a size for each rank
 *   8K 4K 0
 *   call alltoallv pairs    only pairs of ranks with data: sender, then RECEIVER:SIZE ...
 *   0 1:8K 2:16
 *   2 1:1M
 *
 * The default operation is alltoallv.  gatherv, scatterv, allgatherv and reduce_scatter have one
 * line, alltoallv and alltoallw a matrix.
 * A pattern affects the order of messages, never which messages exist. */
#ifndef ATN_ALGO_PATTERN_H
#define ATN_ALGO_PATTERN_H

#include "sched/operation.h"

enum { ATN_PATTERN_VERSION = 1 };

typedef struct {
    int p, calls;
    int64_t *bytes;    /* [call][sender][receiver]; a rank's own block is 0; one line: sender 0 */
    atn_operation *op; /* of each call */
    int64_t *times;    /* repetitions of each call */
} atn_patterns;

/* `file` is used in messages ("file:line: ..."). */
atn_status atn_algo_patterns_parse(const char *text, const char *file, atn_patterns *x,
                                   atn_error *err);
void atn_algo_patterns_free(atn_patterns *x);
static inline const int64_t *atn_algo_pattern(const atn_patterns *x, int call)
{
    return x->bytes + (size_t)call * (size_t)x->p * (size_t)x->p;
}

/* Whether an operation has one size per rank instead of one per pair. */
bool atn_algo_pattern_is_line(atn_operation op);
/* Groups calls that share a schedule: like[i] is the first call of the operation whose pattern
 * differs from that of call i by at most `percent` of the bytes of either.  Returns the number of
 * groups. */
int atn_algo_patterns_group(const atn_patterns *x, int percent, int *like);

#endif
