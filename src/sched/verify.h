/* verify.h - proves the schedules of all ranks correct, without MPI. */
#ifndef ATN_SCHED_VERIFY_H
#define ATN_SCHED_VERIFY_H

#include "sched/schedule.h"

typedef struct {
    int messages;    /* in total, with reads of shared memory */
    int steps;       /* maximum over ranks, in strictly sequential execution */
    int max_scratch; /* TMP blocks, maximum over ranks */
    int reductions;
} atn_verify_counts;

/* schedules[r] for every rank r of the same problem.  Proves:
 *  - every access lies inside its space, and SRC is never written;
 *  - the k-th send of a pair matches the k-th receive, and their sizes agree;
 *  - every exposure is closed once, has as many reads as announced, all inside it, and nothing
 *    writes its blocks meanwhile;
 *  - executed in order with synchronous sends, every rank terminates;
 *  - dependencies order every conflicting pair of operations;
 *  - every result block holds exactly the value that the operation defines: each contribution once,
 *    in rank order if the operator is not commutative, the same expression on all ranks of an
 *    allreduce, the canonical expression if requested; nothing else is written;
 *  - scratch is bounded.
 * ATN_FINDING with the defect, the rank and the operation. */
atn_status atn_sched_verify(atn_schedule *const *schedules, int p, atn_verify_counts *proof_p,
                            atn_error *err);

#endif
