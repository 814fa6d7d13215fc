/* random.c - ATTUNE_SELECT=random:SEED: an arbitrary applicable algorithm at every call.
 *
 * The draw is a hash of seed, operation, call index and communicator size, and nothing else, so
 * all ranks draw the same.  Meant for tests of agreement: neighbouring calls differ. */
#include <stdlib.h>
#include <string.h>

#include "plan/rules_private.h"

/* More segments than this make a test slow without making it better. */
enum { MOST_PIECES = 64 };

static const atn_row *draw_row(const atn_problem *q, uint64_t *state)
{
    const int rows = atn_algo_catalog_rows();
    atn_choice nothing;
    atn_plan_choose_nothing(q, &nothing);
    const atn_row *chosen = nothing.row;
    uint64_t seen = 1;
    for (int i = 0; i < rows; i++) {
        const atn_row *row = atn_algo_catalog_row(i);
        atn_choice plain = {.row = row};
        if (row->op != q->op || row->algo->build == NULL)
            continue;
        atn_algo_params_default(row, &plain.params);
        if (atn_plan_choice_refuses(&plain, q) == NULL && atn_random(state) % ++seen == 0)
            chosen = row;
    }
    return chosen;
}

static int64_t draw_value(const atn_param *param, uint64_t *state)
{
    const uint64_t x = atn_random(state);
    if (x % 4 == 0)
        return param->fallback;
    if (param->scale == ATN_LINEAR)
        return param->min + (int64_t)((x >> 8) % ((uint64_t)(param->max - param->min) + 1));
    int64_t value = param->min > 0 ? param->min : 1;
    for (uint64_t steps = (x >> 8) % 40; steps > 0 && value <= param->max / 2; steps--)
        value *= 2;
    return value;
}

void atn_plan_choose_random(uint64_t seed, const atn_problem *q, uint64_t call,
                            atn_choice *choice_p)
{
    const uint64_t key[] = {(uint64_t)q->op, call, (uint64_t)q->p};
    uint64_t state = atn_hash(key, sizeof key, seed);
    atn_choice choice = {.row = draw_row(q, &state)};
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(choice.row, list);
    for (int i = 0; i < n; i++)
        choice.params.v[i] = draw_value(list[i], &state);
    if (atn_plan_choice_refuses(&choice, q) != NULL ||
        atn_algo_segments(choice.row, q, &choice.params) > MOST_PIECES)
        atn_algo_params_default(choice.row, &choice.params);
    if (atn_plan_choice_refuses(&choice, q) != NULL) /* its defaults may do without an order */
        atn_plan_choose_nothing(q, &choice);
    *choice_p = choice;
}

bool atn_plan_select_learns(const char *select)
{
    return strcmp(select, "online") == 0 || strcmp(select, "star") == 0 ||
           strcmp(select, "star-grouped") == 0;
}

atn_status atn_plan_select_parse(const char *text, atn_rules *rules, atn_error *err)
{
    static const char prefix[] = "random:";
    int64_t seed;
    if (strcmp(text, "rules") == 0)
        return ATN_OK;
    if (strcmp(text, "model") == 0 || atn_plan_select_learns(text)) {
        rules->model = true;
        return ATN_OK;
    }
    if (strncmp(text, prefix, sizeof prefix - 1) != 0 ||
        !atn_plan_count_parse(text + sizeof prefix - 1, &seed))
        return atn_fail(err, ATN_INPUT,
                        "ATTUNE_SELECT=%.60s: must be \"rules\", \"model\", \"online\", \"star\", "
                        "\"star-grouped\" or \"random:SEED\" with a whole number as SEED",
                        text);
    rules->random = true;
    rules->seed = (uint64_t)seed;
    return ATN_OK;
}
