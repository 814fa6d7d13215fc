/* lesson.h - between planner, wisdom and tuner: candidates from a ranking, rules from what was
 * learned.
 *
 * One rank makes the candidates, because predictions are floating point, and tells the others. */
#ifndef ATN_LESSON_H
#define ATN_LESSON_H

#include "plan/planner.h"
#include "plan/rules.h"
#include "tune/tuner.h"

typedef struct {
    int n;
    atn_candidate is[ATN_TUNE_CANDIDATES];
    atn_choice choice[ATN_TUNE_CANDIDATES];
    int wise;        /* what wisdom says, among them; -1: nothing */
    int64_t wise_ps; /* and how long it takes; -1: unknown */
    bool at_once;    /* planned before the first call: what it begins with is the model's choice */
} atn_candidate_set;

enum { ATN_SET_NATIVE = 0 };

/* Adds a candidate, unless it is there or there is no room.  Its index; -1: no room. */
int atn_candidate_set_add(atn_candidate_set *field, const atn_choice *choice, int64_t predicted_ps,
                          int error);
/* Native, what wisdom says (NULL: nothing), and the best of the ranking (NULL: none).  `error` is
 * how wrong the model may be, per mille. */
void atn_candidate_set_make(atn_operation op, const atn_ranking *ranking, int error,
                            const atn_rule *wise, atn_candidate_set *field_p);

/* The rule that serves the next job; false: nothing was measured.  `bytes` is any size of the
 * tuner's class, `date` seconds since 1970, `place` as in rules. */
bool atn_tuned_rule(const atn_tuner *t, const atn_candidate_set *field, int p, int64_t bytes,
                    int64_t date, int64_t place, atn_rule *rule_p);

#endif
