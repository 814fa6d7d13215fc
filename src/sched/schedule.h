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

typedef enum { ATN_SRC, ATN_DST, ATN_TMP, ATN_SPACES } atn_space;

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
    ATN_OP_KINDS
} atn_op_kind;

/* send: reads a; recv: writes a; copy: a to b; reduce: b = a (op) c.
 * recv_reduce: b = message (op) c; `a` is scratch for the message, whose contents are undefined
 * afterwards: an executor that reads the message in place need not use it.
 * c.n == 0: the second operand is b itself.
 * `seq` numbers the messages of one (sender, receiver) pair: the k-th send matches the k-th recv.
 * `deps`: operations of this rank that must complete first; always earlier in the program. */
typedef struct {
    uint8_t kind;
    bool ssend;   /* synchronous: completes only after the receive has begun */
    int32_t peer; /* -1 for local operations */
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
static inline bool atn_sched_is_message(const atn_op *o) { return o->kind <= ATN_OP_RECV_REDUCE; }
static inline bool atn_sched_receives(const atn_op *o)
{
    return o->kind == ATN_OP_RECV || o->kind == ATN_OP_RECV_REDUCE;
}
static inline bool atn_sched_reduces(const atn_op *o)
{
    return o->kind == ATN_OP_REDUCE || o->kind == ATN_OP_RECV_REDUCE;
}
/* The second operand of a reduction. */
static inline const atn_slot *atn_sched_operand(const atn_op *o) { return o->c.n ? &o->c : &o->b; }

/* Hash of a rank's program: equal for schedules that differ only in name, problem or round
 * numbers. */
uint64_t atn_sched_schedule_hash(const atn_schedule *s);

/* Steps: the units of strictly sequential execution.  A step is a single operation, or two adjacent
 * messages in opposite directions that do not depend on each other.
 * Returns the number of operations (1 or 2) of the step that starts at operation i. */
int atn_sched_step_length(const atn_schedule *s, int i);
/* Whether sequential execution costs no concurrency: each step depends on the one before. */
bool atn_sched_is_chain(const atn_schedule *s);
/* The same for eager messages, whose sends do not wait for the receiver: no send is delayed by a
 * message that it does not depend on. */
bool atn_sched_is_orderly(const atn_schedule *s);

#endif
