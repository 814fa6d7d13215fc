/* expose.c - emission of operations on shared memory: exposures, reads, closes.
 *
 * A reader must compute the number of its peer's exposure.  The peer may have taken part in other
 * phases of a composition before, in which this rank had no part; so exposures are counted per
 * domain (the ranks of a group), and every algorithm reserves as many numbers on all ranks of its
 * group.  Members of a group embed the same algorithms in the same order, hence agree. */
#include "sched/builder_private.h"

static const atn_ref nothing = {.space = ATN_SRC};

void atn_exposures(atn_builder *b, int most)
{
    frame *f = b->top;

    if (b->err.status != ATN_OK)
        return;
    if (f->domain < 0) {
        atn_builder_fail(b, ATN_USAGE, "exposes memory in a group without a domain");
        return;
    }
    f->first_exposure = b->next_exposure[f->domain];
    f->exposures = most;
    f->exposed = 0;
    if (most > (1 << ATN_DOMAIN_BITS) - f->first_exposure)
        atn_builder_refuse(b, "it would expose memory too often");
    else
        b->next_exposure[f->domain] += most;
}

/* Number of the algorithm -> number of the schedule; -1: not reserved. */
static int number_of(atn_builder *b, int exposure)
{
    const frame *f = b->top;

    if (b->err.status != ATN_OK)
        return -1;
    if (exposure >= 0 && exposure < f->exposures)
        return f->domain << ATN_DOMAIN_BITS | (f->first_exposure + exposure);
    atn_builder_fail(b, ATN_USAGE, "refers to an exposure that was not reserved");
    return -1;
}

static bool is_empty(const atn_ref *ref)
{
    for (int i = 0; i < ref->n; i++)
        if ((ref->n > 1 ? ref->list[i] : ref->one).count != 0)
            return false;
    return true;
}

/* Without blocks, only explicit dependencies order operations. */
static int emit(atn_builder *b, atn_op_kind kind, int peer, int seq, const atn_ref *a,
                const atn_ref *to)
{
    const atn_slot from = atn_sched_resolve(b, a), into = atn_sched_resolve(b, to);
    const int op = atn_sched_emit(b, kind, peer, from, into);

    if (op >= 0)
        b->ops.v[op].seq = seq;
    return op;
}

void atn_sched_emit_expose(atn_builder *b, int seq, int readers, const atn_ref *what)
{
    emit(b, ATN_OP_EXPOSE, readers, seq, what, &nothing);
}

void atn_sched_emit_read(atn_builder *b, int peer, int seq, const atn_ref *skip, const atn_ref *c,
                         const atn_ref *to, bool reduces)
{
    const int op = emit(b, reduces ? ATN_OP_READ_REDUCE : ATN_OP_READ, peer, seq, skip, to);

    if (c)
        atn_sched_set_operand(b, op, c);
}

static int find_exposure(const atn_builder *b, int seq)
{
    int i = b->ops.n - 1;

    while (i >= 0 && (b->ops.v[i].kind != ATN_OP_EXPOSE || b->ops.v[i].seq != seq))
        i--;
    return i;
}

void atn_sched_emit_close(atn_builder *b, int seq)
{
    const int opened = find_exposure(b, seq);

    if (opened < 0) {
        atn_builder_fail(b, ATN_USAGE, "closes an exposure that was not made");
        return;
    }
    const atn_op exposed = b->ops.v[opened];
    const int op = atn_sched_emit(b, ATN_OP_CLOSE, exposed.peer, exposed.a, (atn_slot){0});
    if (op < 0)
        return;
    b->ops.v[op].seq = seq;
    atn_sched_emit_after(b, op, opened, opened + 1);
}

/* ---- the vocabulary of algorithms ---- */

int atn_expose(atn_builder *b, atn_ref what, int readers)
{
    const bool flag = b->top->signals || is_empty(&what);
    const int exposure = b->top->exposed++, seq = number_of(b, exposure), before = b->ops.n;

    if (seq < 0 || readers == 0)
        return exposure;
    atn_sched_emit_expose(b, seq, readers, flag ? &nothing : &what);
    if (flag && b->ops.n > before)
        atn_sched_emit_sync(b, before);
    return exposure;
}

static void read_blocks(atn_builder *b, int peer, int exposure, atn_range before, atn_ref to,
                        const atn_ref *operand, bool reduces)
{
    const bool flag = b->top->signals || is_empty(&to);
    const atn_ref skip = {.space = ATN_SHAPE, .n = before.count > 0, .one = before};
    const int seq = number_of(b, exposure), here = b->ops.n;

    if (seq < 0)
        return;
    atn_sched_emit_read(b, atn_sched_peer_rank(b, peer), seq, flag ? &nothing : &skip,
                        flag ? NULL : operand, flag ? &nothing : &to, reduces && !flag);
    if (flag && b->ops.n > here)
        atn_sched_emit_sync(b, here);
}

void atn_read(atn_builder *b, int peer, int exposure, atn_range before, atn_ref to)
{
    read_blocks(b, peer, exposure, before, to, NULL, false);
}

void atn_read_reduce(atn_builder *b, int peer, int exposure, atn_range before, atn_ref operand,
                     atn_ref to)
{
    read_blocks(b, peer, exposure, before, to, &operand, true);
}

void atn_await(atn_builder *b, int peer, int exposure)
{
    read_blocks(b, peer, exposure, (atn_range){0, 0}, nothing, NULL, false);
}

void atn_close(atn_builder *b, int exposure)
{
    const int seq = number_of(b, exposure);

    if (seq >= 0 && find_exposure(b, seq) >= 0)
        atn_sched_emit_close(b, seq);
}

bool atn_overlap(atn_builder *b, atn_ref x, atn_ref y)
{
    const int ranges = b->ranges.n;
    if (b->top->signals || b->err.status != ATN_OK)
        return false;
    const atn_slot a = atn_sched_resolve(b, &x), c = atn_sched_resolve(b, &y);
    const bool shares = atn_sched_overlap(b, &a, &c);

    b->ranges.n = ranges;
    return shares;
}
