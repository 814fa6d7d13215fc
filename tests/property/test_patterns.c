/* test_patterns.c - rows made for patterns of sizes, on random topologies and patterns: they serve
 * calls of all sizes; pairs of the pattern come first, in phases without contention, and messages
 * without data have no tokens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/contention.h"
#include "algo/known_pattern.h"
#include "all_ranks.h"
#include "plan/choice.h"
#include "sched/verify.h"
#include "trees.h"

enum { MOST = 16 };

static bool quick;
static char why[300];

/* A sparse pattern under a new name. */
static int draw_pattern(const char *name, int p, bool line, uint64_t *seed)
{
    atn_pair list[MOST * MOST];
    int n = 0;

    for (int from = 0; from < p; from++)
        for (int to = line ? -1 : 0; to < (line ? 0 : p); to++)
            if (to != from && draw_below(seed, 3) == 0)
                list[n++] = (atn_pair){from, to, 1 + draw_below(seed, 100000)};
    return atn_algo_known_keep(name, p, line, list, n) ? n : -1;
}

static bool has(const atn_known_pattern *x, int from, int to)
{
    for (int i = 0; i < x->n; i++)
        if (x->pairs[i].from == from && (x->pairs[i].to < 0 || x->pairs[i].to == to))
            return true;
    return false;
}

/* No message of the pattern is sent after one that it does not have. */
static bool in_order(atn_schedule *const *s, const atn_known_pattern *x)
{
    for (int r = 0; r < x->p; r++)
        for (int i = 0, rest = 0; i < s[r]->nops; i++) {
            const atn_op *const o = &s[r]->ops[i];
            if (o->kind != ATN_OP_SEND || o->a.n == 0)
                continue;
            const bool expected = has(x, r, o->peer);
            if (expected && rest) {
                snprintf(why, sizeof why, "rank %d sends to %d after others", r, o->peer);
                return false;
            }
            rest = rest || !expected;
        }
    return true;
}

static bool check(const atn_choice *c, const atn_problem *like, const atn_known_pattern *x)
{
    atn_schedule **s = calloc((size_t)x->p, sizeof *s);
    atn_contention found = {0};
    atn_error err = {0};
    bool ok = s != NULL;

    for (int r = 0; ok && r < x->p; r++) {
        atn_problem q = *like;
        q.r = r;
        ok = atn_algo_build(c->row, &q, &c->params, &s[r], &err) == ATN_OK;
    }
    ok = ok && atn_sched_verify(s, x->p, NULL, &err) == ATN_OK &&
         atn_algo_contention_find(s, x->p, like->topo, true, &found, &err) == ATN_OK;
    if (!ok)
        snprintf(why, sizeof why, "%s, p=%d: %.200s", c->row->name, x->p, err.text);
    else if (!found.by_round)
        ok = (snprintf(why, sizeof why, "%s, p=%d: contention", c->row->name, x->p), false);
    ok = ok && in_order(s, x);
    for (int r = 0; s && r < x->p; r++)
        atn_sched_schedule_free(s[r]);
    free(s);
    return ok;
}

static bool check_row(atn_operation op, const char *row, const char *sync, const char *pattern,
                      const atn_topo *t, bool in_place)
{
    const atn_problem q = {
        .op = op, .p = t->p, .segments = 1, .topo = t, .in_place = in_place, .bytes = -1};
    char params[64];
    atn_choice c;
    atn_error err = {0};

    snprintf(params, sizeof params, "pattern=%s,%s", pattern, sync);
    if (atn_plan_choice_parse(op, row, params, &c, &err) != ATN_OK)
        return (snprintf(why, sizeof why, "%.200s", err.text), false);
    return check(&c, &q, atn_algo_known_find(atn_intern(pattern)));
}

static void rows_serve_every_call(void)
{
    static const char *const rows[] = {"greedy", "cut"};
    static const char *const syncs[] = {"sync=none", "sync=sender,block=3", "sync=receiver",
                                        "sync=barrier,block=4", "sync=barrier_sender,block=4"};
    static const atn_operation ops[] = {ATN_ALLTOALLV, ATN_ALLTOALLW, ATN_ALLGATHERV};
    uint64_t seed = 2026;
    bool ok = true;

    for (int i = 0; ok && i < (quick ? 8 : 60); i++) {
        const atn_operation op = ops[i % 3];
        const int p = 1 + draw_below(&seed, MOST - 1);
        atn_topo *t = tree_random(p, 1 + draw_below(&seed, 6), 1 + i % 3, &seed);
        char name[24];
        snprintf(name, sizeof name, "random-%d", i);
        ok = draw_pattern(name, p, op == ATN_ALLGATHERV, &seed) >= 0;
        for (int k = 0; ok && k < 10; k++)
            ok = check_row(op, rows[k % 2], syncs[k / 2], name, t, false) &&
                 (op != ATN_ALLGATHERV || check_row(op, rows[k % 2], syncs[k / 2], name, t, true));
        atn_topo_free(t);
    }
    tap(ok, "greedy and cut phases serve every call, pairs of the pattern first", why);
}

/* Tokens, beyond those of the pairs with data, would be messages for nothing. */
static void no_tokens_without_data(void)
{
    uint64_t seed = 5;
    atn_topo *t = tree_random(12, 3, 2, &seed);
    const atn_problem q = {.op = ATN_ALLTOALLV, .p = 12, .segments = 1, .topo = t, .bytes = -1};
    atn_schedule *s = NULL;
    atn_choice c;
    int tokens = 0;
    bool ok = atn_algo_known_keep("nothing", 12, false, NULL, 0) &&
              atn_plan_choice_parse(ATN_ALLTOALLV, "greedy", "pattern=nothing,sync=sender", &c,
                                    NULL) == ATN_OK &&
              atn_algo_build(c.row, &q, &c.params, &s, NULL) == ATN_OK;
    for (int i = 0; ok && i < s->nops; i++)
        tokens += atn_sched_is_message(&s->ops[i]) && s->ops[i].a.n == 0;
    tap(ok && tokens == 0, "pairs without data need no tokens", "tokens were sent");
    atn_sched_schedule_free(s);
    atn_topo_free(t);
}

static void names_keep_their_pattern(void)
{
    const atn_pair one = {0, 1, 5}, other = {0, 1, 6};
    const bool ok = atn_algo_known_keep("name", 3, false, &one, 1) &&
                    atn_algo_known_keep("name", 3, false, &one, 1) &&
                    !atn_algo_known_keep("name", 3, false, &other, 1) &&
                    atn_algo_known_find(atn_intern("name"))->pairs[0].bytes == 5;
    tap(ok, "a name keeps its pattern", "it was replaced");
}

int main(void)
{
    quick = getenv("ATN_TEST_QUICK") != NULL;
    rows_serve_every_call();
    no_tokens_without_data();
    names_keep_their_pattern();
    return tap_end();
}
