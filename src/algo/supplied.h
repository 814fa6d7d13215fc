/* supplied.h - algorithms that users bring along: schedules as text (docs/schedule-format.md), each
 * for one operation and one number of ranks.  They are the rows `file` of all operations, with the
 * name of the file as parameter.
 *
 * A schedule is proven when it is added, in all variants in which it will run: for operators that
 * do not commute (or it refuses these), with MPI_IN_PLACE, with another root. */
#ifndef ATN_SUPPLIED_H
#define ATN_SUPPLIED_H

#include "algo/algo.h"

/* What a proof found out, so that one rank may prove it for all. */
typedef struct {
    bool ordered; /* it serves operators that do not commute */
    bool aside;   /* in place, the operand must be put aside before the result is written */
} atn_supplied_proof;

/* Adds the text of a file.  ATN_INPUT: it is not readable as a schedule for the operation;
 * ATN_FINDING: it does not do what its problem asks; err says where and why.  With a verdict it is
 * not proven again. */
atn_status atn_supplied_add(atn_operation op, const char *name, const char *text,
                            const atn_supplied_proof *verdict, atn_error *err);
/* What was added for the operation under the name; NULL: nothing. */
const char *atn_supplied_text(atn_operation op, const char *name, atn_supplied_proof *verdict_p);

#endif
