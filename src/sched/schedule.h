/* schedule.h - a schedule: what one rank does in a collective, as data.
 *
 * Operations work on slots: ranges of blocks in a space.  SRC and DST are the user's buffers, TMP
 * is scratch.  Every natural block of the operation (see operation.def) is cut evenly into `split`
 * blocks; a partition maps blocks to bytes when a call starts, so a schedule holds no pointer and
 * no size.  The shape vector VEC says how large TMP blocks are: TMP block t has the size of VEC
 * block tmp_shape[t].  VEC is the whole message, or the vector of per-rank entries. */
#ifndef ATN_SCHEDULE_H
#define ATN_SCHEDULE_H

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

typedef enum { ATN_OP_SEND, ATN_OP_RECV, ATN_OP_COPY, ATN_OP_REDUCE, ATN_OP_KINDS } atn_op_kind;

/* send: a is read, recv: a is written, copy: a to b, reduce: b = a (op) b.
 * `seq` numbers the messages of one (sender, receiver) pair: the k-th send meets the k-th recv.
 * `deps`: operations of this rank that must have completed; always earlier in the program. */
typedef struct {
    uint8_t kind;
    bool ssend;   /* completes only when the receiver has it (a send that must have left) */
    int32_t peer; /* -1 for local operations */
    int32_t seq;
    int32_t round;      /* for drawing and lock-step models; not an ordering */
    int32_t dep, ndeps; /* deps[dep .. dep + ndeps) */
    int32_t nafter;     /* of these the first nafter were asked for, not inferred */
    atn_slot a, b;
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

void atn_schedule_free(atn_schedule *s); /* NULL is fine */

/* The ranges of a slot, and the number of blocks in it. */
const atn_range *atn_slot_ranges(const atn_schedule *s, const atn_slot *slot);
int atn_slot_blocks(const atn_schedule *s, const atn_slot *slot);
/* Blocks in a space of this rank. */
int atn_space_blocks(const atn_schedule *s, atn_space space);
static inline bool atn_is_message(const atn_op *o) { return o->kind <= ATN_OP_RECV; }

/* What a rank does, as a number: the same for schedules that differ in name, problem or the numbers
 * of their rounds only. */
uint64_t atn_schedule_hash(const atn_schedule *s);

/* Steps: how a strictly sequential executor runs the program.  A step is two adjacent messages,
 * one in each direction, neither depending on the other, or a single operation.
 * Returns the number of operations (1 or 2) of the step that starts at operation i. */
int atn_step_length(const atn_schedule *s, int i);
/* Whether sequential execution loses nothing: each step waits for the one before it anyway. */
bool atn_is_chain(const atn_schedule *s);
/* The same for small messages, whose sends do not wait for the receiver: no send has to wait for a
 * message that it does not need. */
bool atn_is_orderly(const atn_schedule *s);

#endif
