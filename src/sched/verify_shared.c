/* verify_shared.c - the part of the verifier for operations on shared memory.
 *
 * The reads of an exposure see the same values whenever they are executed, because nothing writes
 * its blocks between expose and close (checked for the order of the program, which all
 * dependencies follow).  So the strict execution, in which a read waits for the exposure and a
 * close for all reads, computes what every execution computes. */
#include "sched/verify_private.h"

#include <stdlib.h>

#include "sched/access.h"

static int by_number(const void *a, const void *b)
{
    const exposure *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

static exposure *find(const run *x, int rank, int seq)
{
    const exposure wanted = {.rank = rank, .seq = seq};

    return x->exposures.n == 0
               ? NULL
               : bsearch(&wanted, x->exposures.v, (size_t)x->exposures.n, sizeof wanted, by_number);
}

/* ---- one rank: every exposure is closed, and not written before ---- */

/* y NULL: no blocks. */
static bool overlap(const atn_schedule *s, const atn_slot *x, const atn_slot *y)
{
    if (!y || x->space != y->space)
        return false;
    const atn_range *a = atn_sched_slot_ranges(s, x), *b = atn_sched_slot_ranges(s, y);
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n; j++)
            if (a[i].first < b[j].first + b[j].count && b[j].first < a[i].first + a[i].count)
                return true;
    return false;
}

static atn_status list_exposures(run *x, int r)
{
    const atn_schedule *s = x->ranks[r].s;

    for (int i = 0; i < s->nops; i++) {
        const atn_op *o = &s->ops[i];
        if (o->kind != ATN_OP_EXPOSE)
            continue;
        uint64_t *proof = s->q.op == ATN_BARRIER ? calloc((size_t)x->words, sizeof *proof) : NULL;
        const exposure e = {.rank = r, .seq = o->seq, .expose = i, .close = -1, .readers = proof};
        if ((s->q.op == ATN_BARRIER && !proof) || !atn_push(&x->exposures, e)) {
            free(proof);
            return atn_fail(x->err, ATN_MEMORY, "out of memory");
        }
    }
    return ATN_OK;
}

static atn_status close_exposure(run *x, int r, int i)
{
    const atn_schedule *s = x->ranks[r].s;
    const atn_op *o = &s->ops[i];
    exposure *e = find(x, r, o->seq);

    if (!e || e->expose > i)
        return atn_sched_run_finding(x, r, i, "closes an exposure that does not exist");
    if (e->close >= 0)
        return atn_sched_run_finding(x, r, i, "closes an exposure that is closed");
    if (!atn_sched_slots_equal(s, &o->a, &s->ops[e->expose].a) || o->peer != s->ops[e->expose].peer)
        return atn_sched_run_finding(x, r, i, "closes other blocks than were exposed");
    if (!atn_sched_waits_for(s, i, e->expose))
        return atn_sched_run_finding(x, r, i, "closes an exposure without waiting for it");
    e->close = i;
    return ATN_OK;
}

static atn_status check_writes(run *x, const exposure *e)
{
    const atn_schedule *s = x->ranks[e->rank].s;
    const atn_slot *exposed = &s->ops[e->expose].a;

    if (e->close < 0)
        return atn_sched_run_finding(x, e->rank, e->expose, "is never closed");
    for (int i = e->expose + 1; i < e->close && exposed->n > 0; i++) {
        const atn_op *o = &s->ops[i];
        if (overlap(s, exposed, atn_sched_written(o)) || overlap(s, exposed, atn_sched_room(o)))
            return atn_sched_run_finding(x, e->rank, i,
                                         "writes blocks that other ranks may be reading");
    }
    return ATN_OK;
}

/* ---- reads ---- */

/* The blocks before those read have the sizes that the reader assumes. */
static bool sizes_agree(const atn_schedule *mine, const atn_slot *skip, const atn_schedule *theirs,
                        atn_block_cursor *c)
{
    atn_block_cursor d = atn_sched_blocks_of(mine->ranges, skip);

    for (int i; (i = atn_sched_block_next(&d)) >= 0;) {
        const int j = atn_sched_block_next(c);
        if (j < 0 || atn_sched_size_class(mine, ATN_SHAPE, i) !=
                         atn_sched_size_class(theirs, (atn_space)c->slot->space, j))
            return false;
    }
    return true;
}

static atn_block_cursor exposed_blocks(const run *x, const exposure *e)
{
    const atn_schedule *s = x->ranks[e->rank].s;
    return atn_sched_blocks_of(s->ranges, &s->ops[e->expose].a);
}

static atn_status check_read(run *x, int r, int i)
{
    const atn_schedule *s = x->ranks[r].s;
    const atn_op *o = &s->ops[i];
    exposure *e = find(x, o->peer, o->seq);

    if (!e)
        return atn_sched_run_finding(x, r, i, "reads an exposure that does not exist");
    e->reads++;
    atn_block_cursor c = exposed_blocks(x, e);
    if (!sizes_agree(s, &o->a, x->ranks[e->rank].s, &c))
        return atn_sched_run_finding(x, r, i, "skips blocks that the exposure does not have");
    for (int n = atn_sched_slot_blocks(s, &o->b); n > 0; n--)
        if (atn_sched_block_next(&c) < 0)
            return atn_sched_run_finding(x, r, i, "reads blocks outside of the exposure");
    return ATN_OK;
}

static atn_status check_count(run *x, const exposure *e)
{
    const atn_op *o = &x->ranks[e->rank].s->ops[e->expose];

    if (o->peer == e->reads && e->reads > 0)
        return ATN_OK;
    return atn_fail(x->err, ATN_FINDING,
                    "rank %d, operation %d: announces %d reads of exposure %d, but there are %d",
                    e->rank, e->expose, o->peer, o->seq, e->reads);
}

/* ---- all ranks ---- */

static atn_status number_exposures(run *x)
{
    atn_status status = ATN_OK;

    for (int r = 0; status == ATN_OK && r < x->p; r++)
        status = list_exposures(x, r);
    if (status != ATN_OK || x->exposures.n == 0)
        return status;
    qsort(x->exposures.v, (size_t)x->exposures.n, sizeof *x->exposures.v, by_number);
    for (int i = 1; i < x->exposures.n; i++)
        if (by_number(&x->exposures.v[i - 1], &x->exposures.v[i]) == 0)
            return atn_sched_run_finding(x, x->exposures.v[i].rank, x->exposures.v[i].expose,
                                         "has the number of another exposure");
    return ATN_OK;
}

static atn_status match_rank(run *x, int r)
{
    const atn_schedule *s = x->ranks[r].s;
    atn_status status = ATN_OK;

    for (int i = 0; status == ATN_OK && i < s->nops; i++) {
        if (s->ops[i].kind == ATN_OP_CLOSE)
            status = close_exposure(x, r, i);
        else if (atn_sched_is_read(&s->ops[i]))
            status = check_read(x, r, i);
    }
    return status;
}

atn_status atn_sched_run_exposures(run *x)
{
    atn_status status = number_exposures(x);

    for (int r = 0; status == ATN_OK && r < x->p; r++)
        status = match_rank(x, r);
    for (int i = 0; status == ATN_OK && i < x->exposures.n; i++)
        status = check_count(x, &x->exposures.v[i]);
    for (int i = 0; status == ATN_OK && i < x->exposures.n; i++)
        status = check_writes(x, &x->exposures.v[i]);
    return status;
}

void atn_sched_run_exposures_free(run *x)
{
    for (int i = 0; i < x->exposures.n; i++)
        free(x->exposures.v[i].readers);
    atn_vec_free(&x->exposures);
}

/* ---- execution ---- */

static uint64_t *proof_of(const run *x, int r, int op)
{
    return &x->ranks[r].proves[(size_t)op * (size_t)x->words];
}

/* Ranks that wait for the exposure may proceed. */
static void expose(run *x, int r, exposure *e)
{
    e->open = true;
    if (e->readers)
        atn_sched_run_record(x, r, e->expose, NULL);
    for (int i = 0; i < x->p; i++) {
        const rank_state *k = &x->ranks[i];
        const atn_op *o = k->pc < k->s->nops ? &k->s->ops[k->pc] : NULL;
        if (o && atn_sched_is_read(o) && o->peer == r && o->seq == e->seq)
            atn_sched_run_enqueue(x, i);
    }
}

static const char *read_blocks(run *x, int r, exposure *e)
{
    const int op = x->ranks[r].pc;
    const atn_op *o = &x->ranks[r].s->ops[op];
    atn_block_cursor c = exposed_blocks(x, e);
    const char *fault;

    for (int n = atn_sched_slot_blocks(x->ranks[r].s, &o->a); n > 0; n--)
        atn_sched_block_next(&c);
    fault = o->kind == ATN_OP_READ ? atn_sched_run_move(x, e->rank, &c, r, &o->b)
                                   : atn_sched_run_combine(x, e->rank, &c, r, o);
    if (e->readers) {
        atn_sched_run_record(x, r, op, proof_of(x, e->rank, e->expose));
        for (int w = 0; w < x->words; w++)
            e->readers[w] |= proof_of(x, r, op)[w];
    }
    x->proof.messages++;
    if (++e->done == e->reads)
        atn_sched_run_enqueue(x, e->rank);
    return fault;
}

atn_status atn_sched_run_shared(run *x, int r, bool *done_p)
{
    rank_state *k = &x->ranks[r];
    const atn_op *o = &k->s->ops[k->pc];
    exposure *e = find(x, atn_sched_is_read(o) ? o->peer : r, o->seq);
    const char *fault = NULL;

    *done_p = o->kind == ATN_OP_EXPOSE || (o->kind == ATN_OP_CLOSE ? e->done == e->reads : e->open);
    if (!*done_p)
        return ATN_OK;
    if (o->kind == ATN_OP_EXPOSE)
        expose(x, r, e);
    else if (o->kind == ATN_OP_CLOSE && e->readers)
        atn_sched_run_record(x, r, k->pc, e->readers);
    else if (atn_sched_is_read(o))
        fault = read_blocks(x, r, e);
    k->steps += o->kind != ATN_OP_EXPOSE;
    return fault ? atn_sched_run_finding(x, r, k->pc, fault) : ATN_OK;
}
