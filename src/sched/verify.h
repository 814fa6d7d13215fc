/* verify.h - proves a schedule of all ranks together, without MPI. */
#ifndef ATN_VERIFY_H
#define ATN_VERIFY_H

#include "sched/schedule.h"

typedef struct {
    int messages;    /* in total */
    int steps;       /* of the longest rank when run strictly in order */
    int max_scratch; /* TMP blocks of the worst rank */
    int reductions;
} atn_verify_counts;

/* schedules[r] for every rank r of the same problem.  Proves: every access is inside its space;
 * SRC is never written; the k-th send of a pair meets the k-th receive and sizes agree; run in
 * order with synchronous sends, every rank finishes; dependencies order every conflicting pair;
 * every result block holds exactly what the operation says (each contribution once, in rank order
 * if the operator is not commutative, the same expression on all ranks of an allreduce, the
 * canonical one if that is asked for) and
 * nothing else is written; scratch is bounded.  ATN_FINDING with what, rank and operation. */
atn_status atn_verify(atn_schedule *const *schedules, int p, atn_verify_counts *proof_p,
                      atn_error *err);

#endif
