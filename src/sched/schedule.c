/* schedule.c - queries on a schedule. */
#include "sched/schedule.h"

#include <stdlib.h>

#include "sched/neighbourhood.h"

void atn_sched_schedule_free(atn_schedule *s)
{
    if (!s)
        return;
    free(s->name);
    free(s->ops);
    free(s->ranges);
    free(s->deps);
    free(s->tmp_shape);
    atn_sched_neighbourhood_free(s->q.neighbourhood);
    free(s);
}

const atn_range *atn_sched_slot_ranges(const atn_schedule *s, const atn_slot *slot)
{
    return slot->n > 1 ? &s->ranges[slot->at] : &slot->one;
}

int atn_sched_slot_blocks(const atn_schedule *s, const atn_slot *slot)
{
    const atn_range *range = atn_sched_slot_ranges(s, slot);
    int blocks = 0;

    for (int i = 0; i < slot->n; i++)
        blocks += range[i].count;
    return blocks;
}

int atn_sched_space_blocks(const atn_schedule *s, atn_space space)
{
    const atn_operation_info *o = atn_sched_operation_get(s->q.op);

    switch (space) {
    case ATN_SRC:
        return atn_sched_has_src(&s->q) ? atn_sched_rank_blocks(&s->q, o->source) * s->split : 0;
    case ATN_DST:
        return atn_sched_has_dst(&s->q) ? atn_sched_rank_blocks(&s->q, o->result) * s->split : 0;
    case ATN_SHAPE:
        return atn_sched_vec_blocks(&s->q) * s->split;
    default:
        return s->ntmp;
    }
}

bool atn_sched_is_shared(const atn_schedule *s)
{
    for (int i = 0; i < s->nops; i++)
        if (s->ops[i].kind >= ATN_OP_EXPOSE && s->ops[i].kind <= ATN_OP_CLOSE)
            return true;
    return false;
}

/* ---- identity ---- */

static uint64_t mix(uint64_t hash, int64_t x)
{
    hash = (hash ^ (uint64_t)x) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t mix_slot(uint64_t hash, const atn_schedule *s, const atn_slot *slot)
{
    const atn_range *const range = atn_sched_slot_ranges(s, slot);

    hash = mix(hash, slot->n == 0 ? 0 : (int64_t)slot->n * 256 + slot->space);
    for (int i = 0; i < slot->n; i++)
        hash = mix(hash, ((int64_t)range[i].first << 32) + range[i].count);
    return hash;
}

/* Dependencies are a set: their order does not matter. */
static uint64_t mix_op(uint64_t hash, const atn_schedule *s, const atn_op *o)
{
    uint64_t deps = 0;

    for (int i = 0; i < o->ndeps; i++)
        deps += mix(1, s->deps[o->dep + i]);
    hash = mix(hash, (int64_t)o->peer * 256 + o->kind * 2 + o->ssend);
    hash = mix(mix(hash, o->seq), (int64_t)deps);
    hash = atn_sched_written(o) == &o->b ? mix_slot(hash, s, &o->b) : hash;
    hash = o->c.n == 0 ? hash : mix_slot(hash, s, &o->c);
    return mix_slot(hash, s, &o->a);
}

uint64_t atn_sched_schedule_hash(const atn_schedule *s)
{
    uint64_t hash = mix(mix(mix(1, s->split), s->nops), s->ntmp);

    for (int i = 0; i < s->ntmp; i++)
        hash = mix(hash, s->tmp_shape[i]);
    for (int i = 0; i < s->nops; i++)
        hash = mix_op(hash, s, &s->ops[i]);
    return hash;
}

/* ---- steps ---- */

bool atn_sched_waits_for(const atn_schedule *s, int op, int on)
{
    const atn_op *o = &s->ops[op];

    for (int d = 0; d < o->ndeps; d++)
        if (s->deps[o->dep + d] == on)
            return true;
    return false;
}

/* Two adjacent messages in opposite directions that do not depend on each other. */
static bool can_pair(const atn_schedule *s, int i)
{
    const atn_op *o = &s->ops[i], *next = o + 1;

    return i + 1 < s->nops && atn_sched_is_message(o) && atn_sched_is_message(next) &&
           atn_sched_receives(o) != atn_sched_receives(next) && !atn_sched_waits_for(s, i + 1, i);
}

/* An exchange of one round stays together: if its first message were paired with the one before,
 * both partners could wait for each other's second message. */
int atn_sched_step_length(const atn_schedule *s, int i)
{
    const atn_op *o = &s->ops[i];

    if (!can_pair(s, i))
        return 1;
    return o[0].round != o[1].round && can_pair(s, i + 1) && o[1].round == o[2].round ? 1 : 2;
}

/* The latest step that operation i waits for, directly or through operations that never wait. */
static int latest_step(const atn_schedule *s, const int *step_of, int i)
{
    int latest = -1;
    for (int d = 0; d < s->ops[i].ndeps; d++)
        latest = atn_max(latest, step_of[s->deps[s->ops[i].dep + d]]);
    return latest;
}

static bool receives_from_several(const atn_schedule *s)
{
    int peer = -1;

    for (int i = 0; i < s->nops; i++) {
        const bool receives = atn_sched_receives(&s->ops[i]) || atn_sched_is_read(&s->ops[i]);
        if (!receives || s->ops[i].peer == peer)
            continue;
        if (peer >= 0)
            return true;
        peer = s->ops[i].peer;
    }
    return false;
}

/* step_of[i]: the step that operation i belongs to or, for an operation that never waits for
 * another rank, the latest step that it waits for (-1: none).  Segments from several ranks are not
 * in lock-step: one may be on its way inwards while the preceding one is not yet back. */
bool atn_sched_is_chain(const atn_schedule *s)
{
    int *step_of = calloc((size_t)s->nops + 1, sizeof *step_of);
    int step = -1;
    bool chain = step_of != NULL && (s->q.segments <= 1 || !receives_from_several(s));

    for (int i = 0, n; chain && i < s->nops; i += n) {
        n = atn_sched_step_length(s, i);
        if (!atn_sched_is_waiting(&s->ops[i])) {
            step_of[i] = latest_step(s, step_of, i);
            continue;
        }
        bool waits = step < 0;
        for (int k = i; k < i + n; k++)
            waits = waits || latest_step(s, step_of, k) == step;
        step++;
        for (int k = i; k < i + n; k++)
            step_of[k] = step;
        chain = waits;
    }
    free(step_of);
    return chain;
}

/* For these purposes an exposure is a send to every rank; a read and a close are receives. */
static bool gives(const atn_op *o) { return o->kind == ATN_OP_SEND || o->kind == ATN_OP_EXPOSE; }
static bool takes(const atn_op *o) { return atn_sched_is_waiting(o) && o->kind != ATN_OP_SEND; }

/* The receives that an operation depends on, one bit each.  A message from a rank that this one has
 * sent to may be a reply, which depends on that send as well. */
static uint64_t needs(const atn_schedule *s, const uint64_t *masks, int i)
{
    const atn_op *o = &s->ops[i];
    uint64_t mask = 0;

    for (int d = 0; d < o->ndeps; d++)
        mask |= masks[s->deps[o->dep + d]];
    for (int k = i - 1; takes(o) && k >= 0; k--)
        if (s->ops[k].kind == ATN_OP_EXPOSE ||
            (s->ops[k].kind == ATN_OP_SEND && s->ops[k].peer == o->peer))
            return mask | masks[k];
    return mask;
}

bool atn_sched_is_orderly(const atn_schedule *s)
{
    enum { MAX_OPS = 256, MAX_HEARD = 64 };
    uint64_t masks[MAX_OPS], received = 0;
    int receives = 0;

    if (s->nops > MAX_OPS || s->q.segments > 1)
        return false;
    for (int i = 0, n; i < s->nops; i += n) {
        const uint64_t before = received;
        n = atn_sched_step_length(s, i);
        for (int k = i; k < i + n; k++) {
            masks[k] = needs(s, masks, k);
            if (gives(&s->ops[k]) && (masks[k] & before) != before)
                return false;
            if (takes(&s->ops[k]) && receives == MAX_HEARD)
                return false;
            if (takes(&s->ops[k])) {
                masks[k] |= UINT64_C(1) << receives++;
                received |= masks[k];
            }
        }
    }
    return true;
}
