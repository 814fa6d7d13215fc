/* verify.c - executes the schedules of all ranks on symbolic values.
 *
 * This is the strictest execution: each rank runs its program in order, one step
 * (atn_sched_step_length) at a time, and a send completes only when the receive is posted.  An
 * executor that starts operations earlier waits for less, so if this execution terminates, every
 * execution does; and because dependencies order all conflicting operations, all compute the
 * same values. */
#include "sched/verify_private.h"

#include <stdlib.h>
#include <string.h>

#include "sched/check.h"
#include "sched/neighbourhood.h"
#include "sched/recut.h"

atn_status atn_sched_run_finding(run *x, int r, int op, const char *what)
{
    return atn_fail(x->err, ATN_FINDING, "rank %d, operation %d: %s", r, op, what);
}

/* ---- specification of the operation ---- */

/* On neighbours: the edge, counted by its sender, or the sender if it sends one block to all. */
static int edge_class(const atn_schedule *s, atn_side side, int j)
{
    const atn_neighbourhood *n = s->q.neighbourhood;
    const bool common = atn_sched_operation_get(s->q.op)->source == ATN_SIDE_COMMON;
    const int from =
        side == ATN_SIDE_IN ? atn_sched_neighbourhood_rank(n, s->q.r, ATN_INWARD, j) : s->q.r;

    if (common || from < 0)
        return from;
    return from * n->most +
           (side == ATN_SIDE_IN ? atn_sched_neighbourhood_mate(n, s->q.r, ATN_INWARD, j) : j);
}

int atn_sched_size_class(const atn_schedule *s, atn_space space, int block)
{
    const atn_operation_info *o = atn_sched_operation_get(s->q.op);
    const int k = block % s->split, j = block / s->split;
    const atn_side side = space == ATN_SRC ? o->source : o->result;

    if (space >= ATN_TMP) {
        const int shape = space == ATN_TMP ? s->tmp_shape[block] : block;
        return o->flags & ATN_VARYING ? shape : shape % s->split;
    }
    if (!(o->flags & ATN_VARYING))
        return k;
    switch (side) {
    case ATN_SIDE_ONE:
        return s->q.r * s->split + k;
    case ATN_SIDE_ROW:
        return (s->q.r * s->q.p + j) * s->split + k;
    case ATN_SIDE_COL:
        return (j * s->q.p + s->q.r) * s->split + k;
    case ATN_SIDE_OUT:
    case ATN_SIDE_IN:
    case ATN_SIDE_COMMON:
        return edge_class(s, side, j) * s->split + k;
    default:
        return block;
    }
}

/* ---- initial state ---- */

static bool fill_leaves(run *x, int r, atn_space space, int first, int n, int block)
{
    rank_state *k = &x->ranks[r];

    for (int i = 0; i < n; i++) {
        const int id = atn_sched_value_leaf(&x->values, r, block + i,
                                            atn_sched_size_class(k->s, space, first + i));
        if (id < 0)
            return false;
        k->cell[space][first + i] = id;
    }
    return true;
}

/* The user's data: in SRC, or where MPI_IN_PLACE (or a broadcast) puts it. */
static bool fill_inputs(run *x, int r)
{
    const atn_schedule *s = x->ranks[r].s;
    const int nsrc = atn_sched_space_blocks(s, ATN_SRC), ndst = atn_sched_space_blocks(s, ATN_DST);

    if (s->q.op == ATN_BCAST)
        return r != s->q.root || fill_leaves(x, r, ATN_DST, 0, ndst, 0);
    const atn_place place =
        s->q.in_place ? atn_sched_operation_place(s->q.op, r == s->q.root) : ATN_PLACE_NONE;
    if (place == ATN_PLACE_SAME)
        return fill_leaves(x, r, ATN_DST, 0, nsrc, 0);
    if (place == ATN_PLACE_OWN)
        return fill_leaves(x, r, ATN_DST, r * s->split, nsrc, 0);
    return fill_leaves(x, r, ATN_SRC, 0, nsrc, 0);
}

static atn_status check_alike(run *x, atn_schedule *const *schedules, int p)
{
    const atn_problem *q = &schedules[0]->q;

    if (atn_sched_on_neighbours(q->op) && (!q->neighbourhood || q->neighbourhood->p != p))
        return atn_fail(x->err, ATN_FINDING, "the neighbours of the %d ranks are not given", p);
    for (int r = 0; r < p; r++) {
        const atn_schedule *s = schedules[r];
        if (s->q.r != r || s->q.p != p || s->q.op != schedules[0]->q.op ||
            s->q.root != schedules[0]->q.root ||
            !atn_sched_neighbourhood_equal(s->q.neighbourhood, schedules[0]->q.neighbourhood))
            return atn_fail(x->err, ATN_FINDING, "rank %d has the schedule of another problem", r);
    }
    return ATN_OK;
}

static atn_status set_up(run *x, atn_schedule *const *schedules, int p)
{
    bool ok;

    x->p = p;
    x->words = (p + 63) / 64;
    x->ranks = calloc((size_t)p, sizeof *x->ranks);
    x->queue = calloc((size_t)p, sizeof *x->queue);
    x->waiting = calloc((size_t)p, sizeof *x->waiting);
    ok = atn_sched_values_init(&x->values, p, schedules[0]->q.ordered) && x->ranks && x->queue &&
         x->waiting;
    for (int r = 0; ok && r < p; r++) {
        rank_state *k = &x->ranks[r];
        k->s = schedules[r];
        for (int i = 0; i < ATN_SPACES; i++) {
            const int n = atn_sched_space_blocks(k->s, (atn_space)i);
            k->cell[i] = malloc(sizeof *k->cell[i] * ((size_t)n + 1));
            ok = ok && k->cell[i];
            for (int c = 0; ok && c < n; c++)
                k->cell[i][c] = ATN_VALUE_NONE;
        }
        k->written = calloc((size_t)atn_sched_space_blocks(k->s, ATN_DST) + 1, 1);
        if (k->s->q.op == ATN_BARRIER)
            k->proves = calloc((size_t)(k->s->nops + 1) * (size_t)x->words, sizeof *k->proves);
        ok = ok && k->written && (k->s->q.op != ATN_BARRIER || k->proves) && fill_inputs(x, r);
    }
    return ok ? ATN_OK : atn_fail(x->err, ATN_MEMORY, "out of memory");
}

static void tear_down(run *x)
{
    for (int r = 0; x->ranks && r < x->p; r++) {
        for (int i = 0; i < ATN_SPACES; i++)
            free(x->ranks[r].cell[i]);
        free(x->ranks[r].written);
        free(x->ranks[r].proves);
    }
    free(x->ranks);
    free(x->queue);
    free(x->waiting);
    atn_sched_run_exposures_free(x);
    atn_sched_values_free(&x->values);
}

/* ---- execution ---- */

static const char ends_differ[] = "sizes differ between the two ends";
static const char counts_differ[] = "reduces different numbers of blocks";

static const char *store(run *x, int r, int space, int block, int value)
{
    rank_state *k = &x->ranks[r];

    if (value != ATN_VALUE_NONE && !(space == ATN_TMP && atn_sched_is_padded(k->s->q.op)) &&
        x->values.values.v[value].size != atn_sched_size_class(k->s, (atn_space)space, block))
        return "puts data into a block of another size";
    k->cell[space][block] = value;
    if (space == ATN_DST)
        k->written[block] = true;
    return NULL;
}

const char *atn_sched_run_move(run *x, int from, atn_block_cursor *c, int to, const atn_slot *b)
{
    atn_block_cursor t = atn_sched_blocks_of(x->ranks[to].s->ranges, b);

    if (from != to && atn_sched_slots_unlike(x->ranks[from].s, c->slot, b))
        return ends_differ;
    for (int j; (j = atn_sched_block_next(&t)) >= 0;) {
        const int i = atn_sched_block_next(c);
        if (i < 0)
            return ends_differ;
        const int value = x->ranks[from].cell[c->slot->space][i];
        if (value == ATN_VALUE_NONE)
            return "moves a block that holds nothing yet";
        const char *fault = store(x, to, b->space, j, value);
        if (fault)
            return fault;
    }
    return NULL;
}

/* A whole slot to another one, of the same rank or of another. */
static const char *move(run *x, int from, const atn_slot *a, int to, const atn_slot *b)
{
    atn_block_cursor c = atn_sched_blocks_of(x->ranks[from].s->ranges, a);
    const char *fault = atn_sched_run_move(x, from, &c, to, b);

    return fault || atn_sched_block_next(&c) < 0 ? fault : ends_differ;
}

const char *atn_sched_run_combine(run *x, int from, atn_block_cursor *c, int to, const atn_op *o)
{
    rank_state *k = &x->ranks[to];
    const atn_slot *with = atn_sched_operand(o);
    atn_block_cursor t = atn_sched_blocks_of(k->s->ranges, &o->b);
    atn_block_cursor u = atn_sched_blocks_of(k->s->ranges, with);

    x->proof.reductions++;
    for (int j; (j = atn_sched_block_next(&t)) >= 0;) {
        const int i = atn_sched_block_next(c), n = atn_sched_block_next(&u);
        const char *why;
        if (i < 0 || n < 0)
            return counts_differ;
        const int in = x->ranks[from].cell[c->slot->space][i], other = k->cell[with->space][n];
        if (in == ATN_VALUE_NONE || other == ATN_VALUE_NONE)
            return "reduces a block that holds nothing yet";
        const int value = atn_sched_value_combine(&x->values, in, other, &why);
        if (value < 0)
            return why;
        why = store(x, to, o->b.space, j, value);
        if (why)
            return why;
    }
    return atn_sched_block_next(&u) < 0 ? NULL : counts_differ;
}

static const char *combine(run *x, int r, const atn_op *o)
{
    atn_block_cursor c = atn_sched_blocks_of(x->ranks[r].s->ranges, &o->a);
    const char *fault = atn_sched_run_combine(x, r, &c, r, o);

    return fault || atn_sched_block_next(&c) < 0 ? fault : counts_differ;
}

static void forget(rank_state *k, const atn_slot *slot)
{
    atn_block_cursor c = atn_sched_blocks_of(k->s->ranges, slot);

    for (int i = atn_sched_block_next(&c); i >= 0; i = atn_sched_block_next(&c))
        k->cell[slot->space][i] = ATN_VALUE_NONE;
}

/* Moves the data of a message; a receiver that reduces them does not keep them. */
static const char *deliver(run *x, int from, const atn_op *send, int to, const atn_op *recv)
{
    const char *fault = move(x, from, &send->a, to, &recv->a);

    if (fault || !atn_sched_room(recv))
        return fault;
    fault = combine(x, to, recv);
    forget(&x->ranks[to], &recv->a);
    return fault;
}

void atn_sched_run_record(run *x, int r, int i, const uint64_t *received)
{
    rank_state *k = &x->ranks[r];
    uint64_t *mine = &k->proves[(size_t)i * (size_t)x->words];
    const atn_op *o = &k->s->ops[i];

    mine[r / 64] |= UINT64_C(1) << r % 64;
    for (int w = 0; w < x->words; w++) {
        for (int d = 0; d < o->ndeps; d++)
            mine[w] |= k->proves[(size_t)k->s->deps[o->dep + d] * (size_t)x->words + (size_t)w];
        mine[w] |= received ? received[w] : 0;
    }
}

void atn_sched_run_enqueue(run *x, int r)
{
    if (x->waiting[r])
        return;
    x->waiting[r] = true;
    x->queue[x->tail] = r;
    x->tail = (x->tail + 1) % x->p;
    x->queued++;
}

/* Matches message operation i of rank r with its partner if the partner has posted it. */
static atn_status try_match(run *x, int r, int i, bool *matched_p)
{
    rank_state *me = &x->ranks[r];
    const atn_op *o = &me->s->ops[me->pc + i];
    rank_state *you = &x->ranks[o->peer];

    *matched_p = false;
    for (int j = 0; j < you->length; j++) {
        const atn_op *c = &you->s->ops[you->pc + j];
        if (you->done[j] || !atn_sched_is_message(c) || c->peer != r ||
            atn_sched_receives(c) == atn_sched_receives(o))
            continue;
        if (c->seq != o->seq)
            return atn_sched_run_finding(x, r, me->pc + i, "matches a message with another number");
        const bool sends = o->kind == ATN_OP_SEND;
        const int from = sends ? r : o->peer, to = sends ? o->peer : r;
        const char *fault = deliver(x, from, sends ? o : c, to, sends ? c : o);
        if (fault)
            return atn_sched_run_finding(x, r, me->pc + i, fault);
        if (me->proves) {
            const int mine = me->pc + i, yours = you->pc + j, sent = sends ? mine : yours;
            atn_sched_run_record(x, from, sent, NULL);
            atn_sched_run_record(x, to, sends ? yours : mine,
                                 &x->ranks[from].proves[(size_t)sent * (size_t)x->words]);
        }
        me->done[i] = you->done[j] = *matched_p = true;
        x->proof.messages++;
        atn_sched_run_enqueue(x, o->peer);
        return ATN_OK;
    }
    return ATN_OK;
}

static atn_status run_local(run *x, int r)
{
    rank_state *k = &x->ranks[r];
    const atn_op *o = &k->s->ops[k->pc];
    const char *fault = o->kind == ATN_OP_COPY ? move(x, r, &o->a, r, &o->b) : combine(x, r, o);

    if (k->proves)
        atn_sched_run_record(x, r, k->pc, NULL);
    return fault ? atn_sched_run_finding(x, r, k->pc, fault) : ATN_OK;
}

/* An operation that is not a message. */
static atn_status run_alone(run *x, int r, bool *done_p)
{
    const atn_op *o = &x->ranks[r].s->ops[x->ranks[r].pc];

    return atn_sched_is_local(o) ? run_local(x, r) : atn_sched_run_shared(x, r, done_p);
}

/* Advances a rank as far as possible. */
static atn_status advance(run *x, int r)
{
    rank_state *k = &x->ranks[r];
    atn_status status = ATN_OK;

    while (status == ATN_OK && k->pc < k->s->nops) {
        if (!atn_sched_is_message(&k->s->ops[k->pc])) {
            bool done = true;
            status = run_alone(x, r, &done);
            if (!done)
                return status;
            k->pc++;
            continue;
        }
        if (k->length == 0) {
            k->length = atn_sched_step_length(k->s, k->pc);
            k->done[0] = k->done[1] = false;
        }
        for (int i = 0; status == ATN_OK && i < k->length; i++) {
            bool matched = k->done[i];
            if (!matched)
                status = try_match(x, r, i, &matched);
        }
        if (!k->done[0] || (k->length == 2 && !k->done[1]))
            return status;
        k->pc += k->length;
        k->length = 0;
        k->steps++;
    }
    return status;
}

static atn_status deadlock(run *x, int r)
{
    static const char *const what[ATN_OP_KINDS] = {
        [ATN_OP_SEND] = "send to rank %d, message %d",
        [ATN_OP_RECV] = "receive from rank %d, message %d",
        [ATN_OP_RECV_REDUCE] = "receive from rank %d, message %d",
        [ATN_OP_READ] = "read from rank %d, exposure %d",
        [ATN_OP_READ_REDUCE] = "read from rank %d, exposure %d",
        [ATN_OP_CLOSE] = "close after %d reads, exposure %d",
    };
    const rank_state *k = &x->ranks[r];
    const int i = k->pc + (k->length > 0 && k->done[0] ? 1 : 0);
    const atn_op *o = &k->s->ops[i];
    char where[80];

    snprintf(where, sizeof where, what[o->kind], o->peer, o->seq);
    return atn_fail(x->err, ATN_FINDING, "deadlock: rank %d waits forever in operation %d (%s)", r,
                    i, where);
}

static atn_status execute(run *x)
{
    atn_status status = ATN_OK;

    for (int r = 0; r < x->p; r++)
        atn_sched_run_enqueue(x, r);
    while (status == ATN_OK && x->queued > 0) {
        const int r = x->queue[x->head];
        x->head = (x->head + 1) % x->p;
        x->queued--;
        x->waiting[r] = false;
        status = advance(x, r);
    }
    for (int r = 0; status == ATN_OK && r < x->p; r++) {
        const rank_state *k = &x->ranks[r];
        if (k->pc < k->s->nops)
            status = deadlock(x, r);
        x->proof.steps = atn_max(x->proof.steps, k->steps);
    }
    return status;
}

atn_status atn_sched_verify(atn_schedule *const *schedules, int p, atn_verify_counts *proof_p,
                            atn_error *err)
{
    run x = {.err = err};
    atn_schedule **alike = NULL;
    atn_status status = check_alike(&x, schedules, p);

    if (status == ATN_OK)
        status = atn_sched_recut(schedules, p, &alike, err);
    if (status == ATN_OK)
        status = set_up(&x, alike ? alike : schedules, p);
    for (int r = 0; status == ATN_OK && r < p; r++) {
        status = atn_sched_check(x.ranks[r].s, err);
        x.proof.max_scratch = atn_max(x.proof.max_scratch, x.ranks[r].s->ntmp);
    }
    if (status == ATN_OK)
        status = atn_sched_run_exposures(&x);
    if (status == ATN_OK)
        status = execute(&x);
    for (int r = 0; status == ATN_OK && r < p; r++)
        status = atn_sched_run_result(&x, r);
    if (status == ATN_OK && proof_p)
        *proof_p = x.proof;
    tear_down(&x);
    atn_sched_recut_free(alike, p);
    return status;
}
