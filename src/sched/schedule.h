/* schedule.h - a schedule: the operations of one rank in a collective, as data.
 *
 * Operations work on slots: ranges of blocks in a space.  SRC and DST are the user's buffers, TMP
 * is scratch.  Every natural block of the operation (see operation.def) is divided evenly into
 * `split` blocks; a partition maps blocks to bytes when a call starts, so a schedule holds no
 * pointer and no size.  The shape vector VEC determines the sizes of TMP blocks: TMP block t has
 * the size of VEC block tmp_shape[t].  VEC is the whole message, or the vector of per-rank
 * entries. */
#ifndef ATN_SCHED_SCHEDULE_H
#define ATN_SCHED_SCHEDULE_H

#include "sched/operation.h"

/* ATN_SHAPE is no memory but the shape vector itself: its blocks stand for their sizes. */
typedef enum { ATN_SRC, ATN_DST, ATN_TMP, ATN_SPACES, ATN_SHAPE = ATN_SPACES } atn_space;

typedef struct {
    int32_t first, count;
} atn_range;

/* n == 0: no data (a synchronisation message); n == 1: `one`; n > 1: ranges[at .. at + n). */
typedef struct {
    uint8_t space;
    int32_t n, at;
    atn_range one;
} atn_slot;

/* Messages first (atn_sched_is_message). */
typedef enum {
    ATN_OP_SEND,
    ATN_OP_RECV,
    ATN_OP_RECV_REDUCE,
    ATN_OP_COPY,
    ATN_OP_REDUCE,
    ATN_OP_EXPOSE,
    ATN_OP_READ,
    ATN_OP_READ_REDUCE,
    ATN_OP_CLOSE,
    ATN_OP_KINDS
} atn_op_kind;

/* send: reads a; recv: writes a; copy: a to b; reduce: b = a (op) c.
 * recv_reduce: b = message (op) c; `a` is scratch for the message, whose contents are undefined
 * afterwards: an executor that reads the message in place need not use it.
 * c.n == 0: the second operand is b itself.
 * `seq` numbers the messages of one (sender, receiver) pair: the k-th send matches the k-th recv.
 *
 * Shared memory, one writer and many readers:
 * - expose: other ranks may read a until the exposure is closed; completes immediately.  `seq`
 *   identifies the exposure among those of this rank, `peer` is the number of its reads by all
 *   ranks.  Without blocks it is a flag.
 * - read: waits for exposure `seq` of rank `peer`; b = as many of its blocks as b has, in order.
 *   A rank cannot compute where a peer's blocks lie if the two take part in different phases of a
 *   composition; therefore a read counts from the beginning of the exposure: it skips blocks with
 *   the sizes of a, which is in ATN_SHAPE.
 * - read_reduce: b = these blocks (op) c.
 * - close: waits until all reads of exposure `seq` are complete; until then, nothing may write its
 *   blocks.  a and peer are those of the exposure.
 * `deps`: operations of this rank that must complete first; always earlier in the program. */
/* The seq of an exposure is its domain, a group of ranks, above its number in it (expose.c). */
enum { ATN_EXPOSURE_BITS = 9, ATN_EXPOSURE_DOMAINS = 8 };

typedef struct {
    uint8_t kind;
    bool ssend;   /* synchronous: completes only after the receive has begun */
    int32_t peer; /* -1 for copies and reductions */
    int32_t seq;
    int32_t round;      /* for drawings and lock-step models; not an ordering */
    int32_t dep, ndeps; /* deps[dep .. dep + ndeps) */
    int32_t nafter;     /* the first nafter of these are explicit, the others inferred */
    atn_slot a, b;
    atn_slot c; /* second operand of a reduction */
} atn_op;

typedef struct {
    atn_problem q;
    char *name; /* "allreduce/ring{segment=8K}" */
    int split;  /* blocks per natural block */
    int nops, nranges, ndeps, ntmp, nrounds;
    atn_op *ops;
    atn_range *ranges;
    int32_t *deps;
    int32_t *tmp_shape;
} atn_schedule;

void atn_sched_schedule_free(atn_schedule *s); /* NULL is fine */

/* The ranges of a slot, and the number of blocks in it. */
const atn_range *atn_sched_slot_ranges(const atn_schedule *s, const atn_slot *slot);
int atn_sched_slot_blocks(const atn_schedule *s, const atn_slot *slot);
/* Blocks in a space of this rank. */
int atn_sched_space_blocks(const atn_schedule *s, atn_space space);
/* Kinds of operations. */
static inline bool atn_sched_is_message(const atn_op *o) { return o->kind <= ATN_OP_RECV_REDUCE; }
static inline bool atn_sched_receives(const atn_op *o)
{
    return o->kind == ATN_OP_RECV || o->kind == ATN_OP_RECV_REDUCE;
}
static inline bool atn_sched_is_local(const atn_op *o)
{
    return o->kind == ATN_OP_COPY || o->kind == ATN_OP_REDUCE;
}
static inline bool atn_sched_is_read(const atn_op *o)
{
    return o->kind == ATN_OP_READ || o->kind == ATN_OP_READ_REDUCE;
}
static inline bool atn_sched_reduces(const atn_op *o)
{
    return o->kind == ATN_OP_REDUCE || o->kind == ATN_OP_RECV_REDUCE ||
           o->kind == ATN_OP_READ_REDUCE;
}
/* Whether it waits for another rank. */
static inline bool atn_sched_is_waiting(const atn_op *o)
{
    return atn_sched_is_message(o) || atn_sched_is_read(o) || o->kind == ATN_OP_CLOSE;
}
/* Whether the schedule needs shared memory. */
bool atn_sched_is_shared(const atn_schedule *s);

/* What an operation reads or writes on its own rank; NULL: nothing.  `source`: the blocks that it
 * sends, copies, combines or exposes; `room`: scratch for a message that it reduces; `operand`: of
 * reductions only, the second one. */
static inline const atn_slot *atn_sched_source(const atn_op *o)
{
    return atn_sched_receives(o) || atn_sched_is_read(o) ? NULL : &o->a;
}
static inline const atn_slot *atn_sched_room(const atn_op *o)
{
    return o->kind == ATN_OP_RECV_REDUCE ? &o->a : NULL;
}
static inline const atn_slot *atn_sched_operand(const atn_op *o) { return o->c.n ? &o->c : &o->b; }
static inline const atn_slot *atn_sched_written(const atn_op *o)
{
    if (o->kind == ATN_OP_RECV)
        return &o->a;
    return atn_sched_is_local(o) || atn_sched_is_read(o) || atn_sched_reduces(o) ? &o->b : NULL;
}
/* The slot with the size of the data that it moves. */
static inline const atn_slot *atn_sched_moved(const atn_op *o)
{
    return atn_sched_is_read(o) ? &o->b : &o->a;
}

/* Whether operation `on` is a dependency of operation `op`. */
bool atn_sched_waits_for(const atn_schedule *s, int op, int on);

/* Hash of a rank's program: equal for schedules that differ only in name, problem or round
 * numbers. */
uint64_t atn_sched_schedule_hash(const atn_schedule *s);

/* Steps: the units of strictly sequential execution.  A step is one operation, or two adjacent
 * messages in opposite directions that do not depend on each other, preferably of one round.
 * Returns the number of operations (1 or 2) of the step that starts at operation i. */
int atn_sched_step_length(const atn_schedule *s, int i);
/* Whether sequential execution costs no concurrency: each step depends on the one before. */
bool atn_sched_is_chain(const atn_schedule *s);
/* The same for eager messages, whose sends do not wait for the receiver: no send is delayed by a
 * message that it does not depend on. */
bool atn_sched_is_orderly(const atn_schedule *s);

#endif
