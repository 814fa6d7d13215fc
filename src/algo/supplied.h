/* supplied.h - user-supplied algorithms: schedules as text (docs/schedule-format.md), each for one
 * operation and one number of ranks.  They are the rows `file` of all operations, with the name of
 * the file as parameter.
 *
 * A schedule is verified when it is added, in all variants in which it will run: for
 * non-commutative operators (or it refuses them), with MPI_IN_PLACE, with other roots. */
#ifndef ATN_ALGO_SUPPLIED_H
#define ATN_ALGO_SUPPLIED_H

#include "algo/algo.h"

/* The outcome of a proof, so that one rank can verify a file for all. */
typedef struct {
    bool ordered; /* supports non-commutative operators */
    bool aside;   /* in place, the operand must be copied before the result is written */
} atn_supplied_proof;

/* Adds the text of a file.  ATN_INPUT: it is not a schedule for the operation; ATN_FINDING: it does
 * not implement the operation; both with position and reason.  With a proof it is not verified
 * again. */
atn_status atn_algo_supplied_add(atn_operation op, const char *name, const char *text,
                                 const atn_supplied_proof *proof, atn_error *err);
/* The text added for the operation under this name; NULL: none. */
const char *atn_algo_supplied_text(atn_operation op, const char *name, atn_supplied_proof *proof_p);

#endif
