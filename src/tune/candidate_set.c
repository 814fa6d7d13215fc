/* candidate_set.c - see candidate_set.h. */
#include "tune/candidate_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/patterns.h"
#include "plan/repository.h"
#include "plan/wisdom.h"
#include "tune/tuners.h"

/* Names are the same for neighbouring sizes, indices are not. */
static uint64_t identity(const atn_choice *choice)
{
    char name[ATN_NAME_ROOM];
    atn_algo_params_print(choice->row, &choice->params, name, sizeof name);
    return atn_hash(name, strlen(name), 0);
}

/* Algorithms with the same objective have the same number: that of STAR-MPI, or else of the row. */
static int group_of(const atn_choice *choice)
{
    const char *group = choice->row->algo->group;
    const int number = atn_plan_repository_group(choice);
    return number > 0 ? number : (int)(atn_hash(group, strlen(group), 0) & INT32_MAX);
}

static int find_choice(const atn_candidate_set *set, const atn_choice *choice)
{
    for (int i = 0; i < set->n; i++)
        if (atn_plan_same_choice(&set->choice[i], choice))
            return i;
    return -1;
}

int atn_tune_candidate_set_add(atn_candidate_set *set, const atn_choice *choice,
                               int64_t predicted_ps, int error)
{
    int i = find_choice(set, choice);
    if (i < 0 && set->n < ATN_TUNE_CANDIDATES) {
        i = set->n++;
        set->choice[i] = *choice;
        set->is[i] = (atn_candidate){
            .id = identity(choice), .predicted_ps = -1, .error = error, .group = group_of(choice)};
    }
    if (i >= 0 && set->is[i].predicted_ps < 0)
        set->is[i].predicted_ps = predicted_ps;
    return i;
}

void atn_tune_candidate_set_make(atn_operation op, int error, const atn_rule *wisdom,
                                 atn_candidate_set *set_p)
{
    atn_choice native = {.row = atn_algo_catalog_native(op)};
    atn_algo_params_default(native.row, &native.params);
    *set_p = (atn_candidate_set){.from_wisdom = -1, .wisdom_ps = -1};
    atn_tune_candidate_set_add(set_p, &native, -1, error);
    if (wisdom != NULL) {
        set_p->from_wisdom = atn_tune_candidate_set_add(set_p, &wisdom->use, -1, error);
        set_p->wisdom_ps = wisdom->time_ps;
    }
}

/* ---- text ---- */

int atn_tune_candidate_set_print(const atn_candidate_set *set, char *text)
{
    char name[ATN_NAME_ROOM];
    int n = sprintf(text, "%d %" PRId64 " %d\n", set->from_wisdom, set->wisdom_ps, set->at_once);
    for (int i = 0; i < set->n; i++) {
        atn_plan_choice_print(&set->choice[i], name);
        n += sprintf(text + n, "%" PRId64 " %d %s\n", set->is[i].predicted_ps, set->is[i].error,
                     name);
    }
    return n;
}

static bool read_candidate(atn_operation op, char *line, atn_candidate_set *set)
{
    char *end;
    atn_choice choice;
    const int64_t predicted_ps = strtoll(line, &end, 10);
    const int error = (int)strtol(end, &end, 10);
    return *end == ' ' && atn_plan_choice_read(op, end + 1, &choice, NULL) == ATN_OK &&
           atn_plan_pattern_is_known(&choice) &&
           atn_tune_candidate_set_add(set, &choice, predicted_ps, error) >= 0;
}

bool atn_tune_candidate_set_read(atn_operation op, char *text, atn_candidate_set *set_p)
{
    char *rest = text, *end;
    *set_p = (atn_candidate_set){.from_wisdom = (int)strtol(strsep(&rest, "\n"), &end, 10)};
    set_p->wisdom_ps = strtoll(end, &end, 10);
    set_p->at_once = strtol(end, NULL, 10) != 0;
    while (rest != NULL && *rest != '\0')
        if (!read_candidate(op, strsep(&rest, "\n"), set_p)) {
            set_p->n = 0;
            return false;
        }
    return true;
}

/* ---- rules ---- */

bool atn_tune_tuned_rule(const atn_tuner *t, const atn_candidate_set *set, int p, int64_t bytes,
                         int64_t date, int64_t place, atn_rule *rule_p)
{
    atn_tuner_result result;
    atn_tune_tuner_result(t, &result);
    if (result.samples == 0)
        return false;
    atn_rule rule = atn_plan_rule_blank(set->choice[result.best].row->op);
    rule.ranks = (atn_span){p, (int64_t)p + 1};
    rule.bytes = atn_tune_size_span(atn_plan_shares_bytes(rule.op) ? bytes : -1);
    rule.use = set->choice[result.best];
    rule.time_ps = result.best_ps;
    rule.ci_ps = result.best_ci_ps;
    rule.samples = result.samples;
    rule.date = date;
    rule.place = place;
    if (result.next >= 0) {
        rule.next = set->choice[result.next];
        rule.next_ps = result.next_ps;
    }
    *rule_p = rule;
    return true;
}
