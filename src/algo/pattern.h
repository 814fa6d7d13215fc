/* pattern.h - how many bytes ranks exchange in operations whose sizes differ between ranks, call
 * after call: made by whoever knows a program, for schedules that are generated for it, and for
 * tuning.
 *
 *   attune-pattern 1
 *   # comments and empty lines are skipped
 *   ranks 3
 *   call            a matrix follows, a line per sender; several calls may follow each other
 *   0 8K 16
 *   4K 0 0
 *   1 1M 0
 *   call allgatherv x20     twenty times; one line with a size for each rank
 *   8K 4K 0
 *
 * Without an operation it is alltoallv.  gatherv, scatterv, allgatherv and reduce_scatter have one
 * line, alltoallv and alltoallw a matrix.
 * A pattern orders messages; it never decides which of them exist. */
#ifndef ATN_PATTERN_H
#define ATN_PATTERN_H

#include "sched/operation.h"

enum { ATN_PATTERN_VERSION = 1 };

typedef struct {
    int p, calls;
    int64_t *bytes;    /* call, sender, receiver; what a rank keeps is 0.  Of one line: sender 0 */
    atn_operation *op; /* of each call */
    int64_t *times;    /* that a call is made */
} atn_patterns;

/* `file` is used in messages ("file:line: ..."). */
atn_status atn_patterns_parse(const char *text, const char *file, atn_patterns *x, atn_error *err);
void atn_patterns_free(atn_patterns *x);
static inline const int64_t *atn_pattern(const atn_patterns *x, int call)
{
    return x->bytes + (size_t)call * (size_t)x->p * (size_t)x->p;
}

/* Whether an operation has one size for each rank, not for each pair. */
bool atn_pattern_is_line(atn_operation op);
/* Calls that share a schedule: like[i] is the first call of the operation whose pattern differs
 * from that of call i by at most `percent` of the bytes of either.  Returns how many different ones
 * there are. */
int atn_patterns_group(const atn_patterns *x, int percent, int *like);

#endif
