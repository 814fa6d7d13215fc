/* family.h - reductions whose results must not change within a run: whether their calls begin with
 * the algorithms in canonical order (sched/canonical.h).
 *
 * These form a family: all give the same bits, so that any of them may replace another at any call.
 * Native may combine operands in another order, so that a run that begins with the family cannot
 * return to it.  Therefore the family serves only where native is not expected to be faster:
 * messages between hosts that are long enough for their bytes to take most of the time, ranks of a
 * host that the canonical tree combines first, and an algorithm of the family that takes no longer
 * than the best topology-unaware one, which is all that an MPI library can choose without a
 * topology.  Closed forms decide the latter.
 *
 * Where the numbers in host names suggest another order than that of the ranks, and the operator
 * is commutative, ranks are numbered by them (algo/order.h, `name`): this is a family of its
 * own. */
#ifndef ATN_PLAN_FAMILY_H
#define ATN_PLAN_FAMILY_H

#include "model/machine.h"
#include "plan/choice.h"

enum { ATN_FAMILY_BYTES = 65536 };

typedef enum { ATN_FAMILY_NONE, ATN_FAMILY_RANK, ATN_FAMILY_NAME } atn_family;

/* The family of a choice; a function of what ranks share, and so are the following. */
atn_family atn_plan_family_of(const atn_choice *choice, const atn_problem *q);
/* The family that a reduction on these hosts begins with. */
atn_family atn_plan_family_suited(const atn_problem *q);
/* Its default algorithm; row NULL: there is none. */
atn_choice atn_plan_family_default(atn_family family, const atn_problem *q);
/* The problem with the order of a family required, as far as problems can express it. */
atn_problem atn_plan_family_problem(atn_family family, const atn_problem *q);

/* Whether hosts and size permit it.  A function of what ranks share. */
bool atn_plan_family_may_begin(const atn_problem *q);

typedef struct {
    atn_choice best;              /* of the family, with usual segments; row NULL: none applies */
    double seconds, unrestricted; /* predicted: of it; of the best of all */
    bool begins;                  /* it is expected to be as fast */
} atn_family_forecast;

/* For the whole class of a size, so that all its calls are decided alike in a run.  Floating point:
 * one rank decides and distributes the decision. */
atn_status atn_plan_family_forecast(atn_family family, const atn_problem *q, const atn_machine *m,
                                    atn_family_forecast *forecast_p);

/* The choice, then the same with other segments, for sizes of the class; returns how many. */
enum { ATN_FAMILY_VARIANTS = 4 };
int atn_plan_family_variants(const atn_choice *choice, int64_t bytes,
                             atn_choice list[ATN_FAMILY_VARIANTS]);

#endif
