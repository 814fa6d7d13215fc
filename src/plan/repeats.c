/* repeats.c - see repeats.h. */
#include "plan/repeats.h"

#include <stdlib.h>

/* Rounds alternate between two partners at most; the most that may differ at an end of a run. */
enum { PERIOD = 2, MOST_ODD = 2 };

/* What the rank does in a round: partners and number of blocks, but not which blocks. */
static uint64_t add_op(const atn_schedule *s, const atn_op *o, uint64_t hash)
{
    const int blocks = atn_sched_slot_blocks(s, atn_sched_moved(o));
    const int32_t what[] = {o->kind, atn_sched_is_message(o) ? o->peer : -1, blocks};
    return atn_hash(what, sizeof what, hash);
}

/* Of the rounds of the first segment; NULL: no memory. */
static uint64_t *hash_rounds(const atn_schedule *s, int rounds)
{
    uint64_t *const hash = calloc((size_t)rounds + 1, sizeof *hash);
    for (int i = 0; hash && i < s->nops && s->ops[i].round < rounds; i++)
        hash[s->ops[i].round] = add_op(s, &s->ops[i], hash[s->ops[i].round]);
    return hash;
}

/* Where the run ends that begins with a round. */
static int end_of_run(const uint64_t *hash, int rounds, int first)
{
    int end = atn_min(first + PERIOD, rounds);
    while (end < rounds && hash[end] != 0 && hash[end] == hash[end - PERIOD])
        end++;
    return end;
}

static int find_runs(const uint64_t *hash, int rounds, atn_round_run runs[ATN_REPEAT_RUNS])
{
    int n = 0, covered = 0;
    for (int i = 0; i < rounds && i - covered <= MOST_ODD; i++) {
        const int end = end_of_run(hash, rounds, i);
        if (end - i < ATN_REPEAT_LEAST)
            continue;
        if (n == ATN_REPEAT_RUNS)
            return 0;
        if (n > 0)
            runs[n - 1].end = i;
        const int period = hash[i + PERIOD] == hash[i + PERIOD + 1] ? 1 : PERIOD;
        runs[n] = (atn_round_run){n > 0 ? i : 0, end, period};
        n++;
        covered = end;
        i = end - 1;
    }
    if (n == 0 || rounds - covered > MOST_ODD)
        return 0;
    runs[n - 1].end = rounds;
    return n;
}

/* Rounds of segments that algorithms make themselves need not be alike, and work on shared memory
 * spans rounds. */
static bool may_repeat(const atn_choice *c, const atn_schedule *s)
{
    return s->q.shared == ATN_SHARED_NONE &&
           (s->q.segments <= 1 || !c->row->algo->segments_inside) &&
           atn_algo_params_get(c->row, &c->params, "sync", 0) == 0;
}

int atn_plan_repeats_find(const atn_choice *c, const atn_schedule *s,
                          atn_round_run runs[ATN_REPEAT_RUNS])
{
    const int segments = atn_max(s->q.segments, 1), rounds = s->nrounds / segments;
    if (!may_repeat(c, s) || s->nrounds % segments != 0 || rounds < ATN_REPEAT_LEAST)
        return 0;
    uint64_t *const hash = hash_rounds(s, rounds);
    const int n = hash ? find_runs(hash, rounds, runs) : 0;
    free(hash);
    return n;
}
