/* order.c - see order.h. */
#include "tune/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

atn_call_order atn_tune_order_of(const atn_choice *serve, int64_t pause)
{
    return (atn_call_order){.serve = *serve, .timed = {*serve, *serve}, .pause = pause};
}

const atn_choice *atn_tune_order_choice(const atn_call_order *o, int64_t i, int *block_p)
{
    int64_t end = o->pause;
    *block_p = -1;
    for (int k = 0; k < 2 && i >= o->pause; k++) {
        end += o->calls[k];
        if (i < end) {
            *block_p = k;
            return &o->timed[k];
        }
    }
    return &o->serve;
}

int64_t atn_tune_order_sums_at(const atn_call_order *o)
{
    return o->pause >= ATN_ORDER_MOST ? INT64_MAX : o->pause + o->calls[0] + o->calls[1] + o->grace;
}

/* Where calls stay open for long, so do consultations. */
static int ahead(int grace) { return ATN_ORDER_AHEAD * (grace > 0 ? grace : 1); }

int64_t atn_tune_order_end(const atn_call_order *o)
{
    const int64_t at = atn_tune_order_sums_at(o);
    return at == INT64_MAX ? at : at + ahead(o->grace);
}

/* ---- on rank 0 ---- */

/* Untimed calls that precede the next timed one, which *step_p describes; at most about this
 * many, else step_p->block is -1. */
static int64_t calls_before(atn_tuner *t, int64_t most, atn_step *step_p)
{
    int64_t calls = 0;
    for (;;) {
        const int64_t untimed = atn_tune_tuner_untimed(t);
        if (untimed >= ATN_ORDER_MOST)
            return ATN_ORDER_MOST;
        atn_tune_tuner_skip(t, untimed);
        calls += untimed;
        if (calls >= most)
            return calls;
        *step_p = atn_tune_tuner_step(t, ATN_TUNE_WEIGHT);
        if (step_p->block >= 0)
            return calls;
        calls++;
    }
}

static void add_call(atn_call_order *o, const atn_candidate_set *set, const atn_step *step)
{
    o->timed[step->block] = set->choice[step->candidate];
    o->calls[step->block]++;
}

/* A round that the account does not cover yet is reconsidered after some calls, because the time
 * that passes is extrapolated from them. */
atn_call_order atn_tune_order_next(atn_tuner *t, const atn_candidate_set *set, int grace)
{
    enum { MOST_PAUSE = 1 << 10 };
    atn_step step = {.block = -1};
    atn_call_order o = atn_tune_order_of(&set->choice[atn_tune_tuner_incumbent(t)], 0);
    o.pause = calls_before(t, MOST_PAUSE, &step);
    o.grace = grace;
    if (step.block < 0)
        return o;
    add_call(&o, set, &step);
    while (!step.agree) {
        step = atn_tune_tuner_step(t, ATN_TUNE_WEIGHT);
        add_call(&o, set, &step);
    }
    for (int i = 0; i < grace + ahead(grace); i++)
        atn_tune_tuner_step(t, ATN_TUNE_WEIGHT);
    return o;
}

/* ---- text ---- */

void atn_tune_order_print(const atn_call_order *o, char text[ATN_ORDER_TEXT])
{
    const atn_choice *const list[] = {&o->serve, &o->timed[0], &o->timed[1]};
    char name[ATN_NAME_ROOM];
    int n = snprintf(text, ATN_ORDER_TEXT, "%" PRId64 " %d %d %d\n", o->pause, o->calls[0],
                     o->calls[1], o->grace);
    for (int i = 0; i < 3; i++) {
        atn_plan_choice_print(list[i], name);
        n += snprintf(text + n, (size_t)(ATN_ORDER_TEXT - n), "%s\n", name);
    }
}

static bool read_numbers(const char *line, atn_call_order *o)
{
    return sscanf(line, "%" SCNd64 " %d %d %d", &o->pause, &o->calls[0], &o->calls[1], &o->grace) ==
           4;
}

bool atn_tune_order_read(atn_operation op, char *text, atn_call_order *o_p)
{
    char *rest = text;
    atn_choice *const list[] = {&o_p->serve, &o_p->timed[0], &o_p->timed[1]};
    if (!read_numbers(strsep(&rest, "\n"), o_p))
        return false;
    for (int i = 0; i < 3; i++)
        if (rest == NULL || atn_plan_choice_read(op, strsep(&rest, "\n"), list[i], NULL) != ATN_OK)
            return false;
    return true;
}
