/* verify.c - executes the schedules of all ranks on symbolic values.
 *
 * This is the strictest execution: each rank runs its program in order, one step
 * (atn_sched_step_length) at a time, and a send completes only when the receive is posted.  An
 * executor that starts operations earlier waits for less, so if this execution terminates, every
 * execution does; and because dependencies order all conflicting operations, all compute the
 * same values. */
#include "sched/verify.h"

#include <stdlib.h>
#include <string.h>

#include "sched/blocks.h"
#include "sched/canonical.h"
#include "sched/check.h"
#include "sched/recut.h"
#include "sched/value.h"

typedef struct {
    const atn_schedule *s;
    int *cell[ATN_SPACES]; /* value of each block */
    bool *written;         /* DST blocks */
    int pc, length;        /* current step; length 0: not yet posted */
    bool done[2];          /* which operations of the step are complete */
    int steps;
    uint64_t *proves; /* barrier: the ranks that have entered when an operation completes */
} rank_state;

typedef struct {
    rank_state *ranks;
    int p, words;
    atn_value_table values;
    int *queue, head, tail, queued; /* ranks that may be able to proceed */
    bool *waiting;
    atn_verify_counts proof;
    atn_error *err;
} run;

static atn_status finding(run *x, int r, int op, const char *what)
{
    return atn_fail(x->err, ATN_FINDING, "rank %d, operation %d: %s", r, op, what);
}

/* ---- specification of the operation ---- */

/* Blocks of equal class have equal sizes in every call. */
static int size_class(const atn_schedule *s, atn_space space, int block)
{
    const atn_operation_info *o = atn_sched_operation_get(s->q.op);
    const int k = block % s->split, j = block / s->split;
    const atn_side side = space == ATN_SRC ? o->source : o->result;

    if (space == ATN_TMP)
        return o->flags & ATN_VARYING ? s->tmp_shape[block] : s->tmp_shape[block] % s->split;
    if (!(o->flags & ATN_VARYING))
        return k;
    switch (side) {
    case ATN_SIDE_ONE:
        return s->q.r * s->split + k;
    case ATN_SIDE_ROW:
        return (s->q.r * s->q.p + j) * s->split + k;
    case ATN_SIDE_COL:
        return (j * s->q.p + s->q.r) * s->split + k;
    default:
        return block;
    }
}

typedef struct {
    int block;  /* of the source side */
    int lo, hi; /* contributing ranks */
} goal;

/* The value that block `d` of the result must hold. */
static goal expected(const atn_schedule *s, int d)
{
    const atn_operation_info *o = atn_sched_operation_get(s->q.op);
    const int k = d % s->split, j = d / s->split, r = s->q.r, p = s->q.p;

    if (s->q.op == ATN_SCAN || s->q.op == ATN_EXSCAN)
        return (goal){d, 0, s->q.op == ATN_SCAN ? r + 1 : r};
    if (o->flags & ATN_TYPED)
        return (goal){o->result == ATN_SIDE_ONE ? r * s->split + k : d, 0, p};
    switch (o->source) {
    case ATN_SIDE_ONE:
        return (goal){k, j, j + 1};
    case ATN_SIDE_ROW:
        return (goal){r * s->split + k, j, j + 1};
    case ATN_SIDE_VEC:
        return (goal){r * s->split + k, s->q.root, s->q.root + 1};
    default:
        return (goal){d, s->q.root, s->q.root + 1}; /* bcast */
    }
}

/* ---- initial state ---- */

static bool fill_leaves(run *x, int r, atn_space space, int first, int n, int block)
{
    rank_state *k = &x->ranks[r];

    for (int i = 0; i < n; i++) {
        const int id =
            atn_sched_value_leaf(&x->values, r, block + i, size_class(k->s, space, first + i));
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
    for (int r = 0; r < p; r++) {
        const atn_schedule *s = schedules[r];
        if (s->q.r != r || s->q.p != p || s->q.op != schedules[0]->q.op ||
            s->q.root != schedules[0]->q.root)
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
    atn_sched_values_free(&x->values);
}

/* ---- execution ---- */

static atn_block_cursor at_start(const atn_schedule *s, const atn_slot *slot)
{
    return atn_sched_blocks_of(s->ranges, slot);
}

static const char *store(run *x, int r, int space, int block, int value)
{
    rank_state *k = &x->ranks[r];

    if (value != ATN_VALUE_NONE && !(space == ATN_TMP && atn_sched_is_padded(k->s->q.op)) &&
        x->values.values.v[value].size != size_class(k->s, (atn_space)space, block))
        return "puts data into a block of another size";
    k->cell[space][block] = value;
    if (space == ATN_DST)
        k->written[block] = true;
    return NULL;
}

/* Copies a slot's values to another slot, of the same rank or of another one. */
static const char *move(run *x, int from, const atn_slot *a, int to, const atn_slot *b)
{
    atn_block_cursor s = at_start(x->ranks[from].s, a), t = at_start(x->ranks[to].s, b);

    if (from != to && atn_sched_slots_unlike(x->ranks[from].s, a, b))
        return "sizes differ between the two ends";
    for (;;) {
        const int i = atn_sched_block_next(&s), j = atn_sched_block_next(&t);
        if (i < 0 && j < 0)
            return NULL;
        if (i < 0 || j < 0)
            return "sizes differ between the two ends";
        const int value = x->ranks[from].cell[a->space][i];
        if (value == ATN_VALUE_NONE)
            return "moves a block that holds nothing yet";
        const char *fault = store(x, to, b->space, j, value);
        if (fault)
            return fault;
    }
}

static const char *combine(run *x, int r, const atn_op *o)
{
    rank_state *k = &x->ranks[r];
    const atn_slot *with = atn_sched_operand(o);
    atn_block_cursor s = at_start(k->s, &o->a), u = at_start(k->s, with), t = at_start(k->s, &o->b);

    x->proof.reductions++;
    for (;;) {
        const int i = atn_sched_block_next(&s), c = atn_sched_block_next(&u),
                  j = atn_sched_block_next(&t);
        const char *why = "reduces different numbers of blocks";
        if (i < 0 && c < 0 && j < 0)
            return NULL;
        if (i < 0 || c < 0 || j < 0)
            return why;
        const int in = k->cell[o->a.space][i], other = k->cell[with->space][c];
        if (in == ATN_VALUE_NONE || other == ATN_VALUE_NONE)
            return "reduces a block that holds nothing yet";
        const int value = atn_sched_value_combine(&x->values, in, other, &why);
        if (value < 0)
            return why;
        why = store(x, r, o->b.space, j, value);
        if (why)
            return why;
    }
}

static void forget(rank_state *k, const atn_slot *slot)
{
    atn_block_cursor c = at_start(k->s, slot);

    for (int i = atn_sched_block_next(&c); i >= 0; i = atn_sched_block_next(&c))
        k->cell[slot->space][i] = ATN_VALUE_NONE;
}

/* Moves the data of a message; a receiver that reduces them does not keep them. */
static const char *deliver(run *x, int from, const atn_op *send, int to, const atn_op *recv)
{
    const char *fault = move(x, from, &send->a, to, &recv->a);

    if (fault || recv->kind != ATN_OP_RECV_REDUCE)
        return fault;
    fault = combine(x, to, recv);
    forget(&x->ranks[to], &recv->a);
    return fault;
}

/* Barrier: an operation proves the entry of its own rank and what its dependencies prove. */
static void record_proof(run *x, int r, int i, const uint64_t *received)
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

static void enqueue(run *x, int r)
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
            return finding(x, r, me->pc + i, "matches a message with another number");
        const bool sends = o->kind == ATN_OP_SEND;
        const int from = sends ? r : o->peer, to = sends ? o->peer : r;
        const char *fault = deliver(x, from, sends ? o : c, to, sends ? c : o);
        if (fault)
            return finding(x, r, me->pc + i, fault);
        if (me->proves) {
            const int mine = me->pc + i, yours = you->pc + j, sent = sends ? mine : yours;
            record_proof(x, from, sent, NULL);
            record_proof(x, to, sends ? yours : mine,
                         &x->ranks[from].proves[(size_t)sent * (size_t)x->words]);
        }
        me->done[i] = you->done[j] = *matched_p = true;
        x->proof.messages++;
        enqueue(x, o->peer);
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
        record_proof(x, r, k->pc, NULL);
    return fault ? finding(x, r, k->pc, fault) : ATN_OK;
}

/* Advances a rank as far as possible. */
static atn_status advance(run *x, int r)
{
    rank_state *k = &x->ranks[r];
    atn_status status = ATN_OK;

    while (status == ATN_OK && k->pc < k->s->nops) {
        if (!atn_sched_is_message(&k->s->ops[k->pc])) {
            status = run_local(x, r);
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

static atn_status execute(run *x)
{
    atn_status status = ATN_OK;

    for (int r = 0; r < x->p; r++)
        enqueue(x, r);
    while (status == ATN_OK && x->queued > 0) {
        const int r = x->queue[x->head];
        x->head = (x->head + 1) % x->p;
        x->queued--;
        x->waiting[r] = false;
        status = advance(x, r);
    }
    for (int r = 0; status == ATN_OK && r < x->p; r++) {
        const rank_state *k = &x->ranks[r];
        if (k->pc < k->s->nops) {
            const int i = k->pc + (k->done[0] ? 1 : 0);
            status = atn_fail(x->err, ATN_FINDING,
                              "deadlock: rank %d waits forever in operation %d (%s rank %d, "
                              "message %d)",
                              r, i, k->s->ops[i].kind == ATN_OP_SEND ? "send to" : "receive from",
                              k->s->ops[i].peer, k->s->ops[i].seq);
        }
        x->proof.steps = atn_max(x->proof.steps, k->steps);
    }
    return status;
}

/* ---- results ---- */

/* Where result block d of a rank lies (scatter in place leaves it in the source). */
static int result_value(const rank_state *k, int d)
{
    const atn_schedule *s = k->s;

    if (s->q.in_place &&
        atn_sched_operation_place(s->q.op, s->q.r == s->q.root) == ATN_PLACE_OWN_SRC)
        return k->cell[ATN_SRC][s->q.r * s->split + d];
    return k->cell[ATN_DST][d];
}

static atn_status check_results(run *x, int r)
{
    const rank_state *k = &x->ranks[r];
    const int n = atn_sched_space_blocks(k->s, ATN_DST);

    for (int d = 0; d < n; d++) {
        const goal g = expected(k->s, d);
        if (g.lo == g.hi) { /* exscan on rank 0: the buffer is left unchanged */
            if (k->written[d])
                return atn_fail(x->err, ATN_FINDING,
                                "rank %d: writes result block %d, which must stay unchanged", r, d);
            continue;
        }
        const int value = result_value(k, d);
        if (!atn_sched_value_is(&x->values, value, g.block, g.lo, g.hi))
            return atn_fail(x->err, ATN_FINDING, "rank %d: result block %d does not hold %s", r, d,
                            g.hi - g.lo > 1 ? "every contribution exactly once"
                                            : "the data it should");
        if (k->s->q.op == ATN_ALLREDUCE && value != result_value(&x->ranks[0], d))
            return atn_fail(x->err, ATN_FINDING,
                            "rank %d: result block %d is computed in another order than on rank 0",
                            r, d);
        if (atn_sched_wants_canonical(&k->s->q) &&
            !atn_sched_has_canonical(&x->values, &k->s->q, value))
            return atn_fail(x->err, ATN_FINDING,
                            "rank %d: result block %d is not in the canonical order", r, d);
    }
    return ATN_OK;
}

/* Barrier: on every rank, some operation must prove that each other rank has entered. */
static atn_status check_barrier(run *x, int r)
{
    const rank_state *k = &x->ranks[r];

    for (int j = 0; j < x->p; j++) {
        bool proven = j == r;
        for (int i = 0; i < k->s->nops && !proven; i++)
            proven = k->proves[(size_t)i * (size_t)x->words + (size_t)j / 64] >> j % 64 & 1;
        if (!proven)
            return atn_fail(x->err, ATN_FINDING, "rank %d may leave before %d has entered", r, j);
    }
    return ATN_OK;
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
        status = execute(&x);
    for (int r = 0; status == ATN_OK && r < p; r++)
        status = x.ranks[r].proves ? check_barrier(&x, r) : check_results(&x, r);
    if (status == ATN_OK && proof_p)
        *proof_p = x.proof;
    tear_down(&x);
    atn_sched_recut_free(alike, p);
    return status;
}
