/* candidate_set.h - between planner, wisdom and tuner: candidates, and rules from the results of a
 * tuner.
 *
 * One rank makes the set, because predictions are floating point, and distributes it. */
#ifndef ATN_TUNE_CANDIDATE_SET_H
#define ATN_TUNE_CANDIDATE_SET_H

#include "plan/rules.h"
#include "tune/tuner.h"

typedef struct {
    int n;
    atn_candidate is[ATN_TUNE_CANDIDATES];
    atn_choice choice[ATN_TUNE_CANDIDATES];
    int from_wisdom;   /* the choice of wisdom among them; -1: none */
    int64_t wisdom_ps; /* its time; -1: unknown */
    bool at_once;      /* planned before the first call: it begins with the choice of the model */
} atn_candidate_set;

enum { ATN_SET_NATIVE = 0 };
/* Bytes of a set as text: a line about the set and one for each candidate. */
enum { ATN_SET_LINE = ATN_NAME_ROOM + 48, ATN_SET_TEXT = (1 + ATN_TUNE_CANDIDATES) * ATN_SET_LINE };

/* Adds a candidate unless it is present.  Returns its index; -1: no room. */
int atn_tune_candidate_set_add(atn_candidate_set *set, const atn_choice *choice,
                               int64_t predicted_ps, int error);
/* Native and the choice of wisdom (NULL: none).  `error` is the error of the model, per mille. */
void atn_tune_candidate_set_make(atn_operation op, int error, const atn_rule *wisdom,
                                 atn_candidate_set *set_p);

/* The candidate that serves first. */
static inline int atn_tune_candidate_set_start(const atn_candidate_set *set)
{
    return set->from_wisdom >= 0 ? set->from_wisdom : ATN_SET_NATIVE;
}

/* As text for other ranks, because some parameters are numbers of one process; the length without
 * the end. */
int atn_tune_candidate_set_print(const atn_candidate_set *set, char *text);
/* The text is cut in place.  False: it cannot be read here; the set is empty. */
bool atn_tune_candidate_set_read(atn_operation op, char *text, atn_candidate_set *set_p);

/* The rule for the next job; false: nothing was measured.  `bytes` is any size of the
 * tuner's class, `date` seconds since 1970, `place` as in rules. */
bool atn_tune_tuned_rule(const atn_tuner *t, const atn_candidate_set *set, int p, int64_t bytes,
                         int64_t date, int64_t place, atn_rule *rule_p);

#endif
