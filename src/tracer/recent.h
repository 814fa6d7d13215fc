/* recent.h - a cache of recent calls.
 *
 * A call that repeats an earlier one is recorded by the number of its signature in the current
 * block. The application needs the processor's cache for itself, so this takes one cache line,
 * prefetched while MPI runs; describing a call from the tables takes many. */
#ifndef ATN_TRACER_RECENT_H
#define ATN_TRACER_RECENT_H

#include "tracer/recorder.h"

#pragma GCC visibility push(hidden)

/* The arguments of a call, and the number of its signature in the current block. */
typedef struct {
    _Alignas(64) const void *from;
    const void *buf;
    int64_t count;
    uint64_t type, comm; /* handles */
    int partner, tag;    /* partner: or root */
    int rank;            /* of this process in the communicator */
    uint32_t epoch;
    uint32_t types_freed; /* at that time; 0: the type is predefined */
    uint16_t number;
    uint8_t op;
    bool starts; /* a request */
} atn_recent_call;

enum { ATN_RECENT_BITS = 9 };
extern atn_recent_call atn_tracer_recent[1 << ATN_RECENT_BITS];

/* A hash of some arguments. */
#define ATN_MIX(...) ATN_MIX_(__VA_ARGS__, 0, 0, 0, 0)
#define ATN_MIX_(a, b, c, d, ...)                                                                  \
    (ATN_KEY(a) ^ ATN_KEY(b) << 24 ^ ATN_KEY(c) << 12 ^ ATN_KEY(d) << 6)

/* Before a call: the entry that it has if it repeats an earlier one. */
ATN_FAST atn_recent_call *atn_tracer_recent_find(const void *from, uint64_t mixed)
{
    const uint64_t h = ((uintptr_t)from ^ mixed) * UINT64_C(0x9e3779b97f4a7c15);
    atn_recent_call *const before = &atn_tracer_recent[h >> (64 - ATN_RECENT_BITS)];
    __builtin_prefetch(before);
    __builtin_prefetch(atn_tracer_rec.cursor, 1);
    return before;
}
ATN_FAST bool atn_tracer_is_fast(void) { return atn_tracer_rec.fast && atn_tracer_rec.depth == 0; }
ATN_FAST bool atn_tracer_is_valid(const atn_recent_call *before)
{
    return atn_tracer_is_fast() && before->epoch == atn_tracer_rec.cursor->epoch;
}
ATN_FAST bool atn_tracer_has_type(const atn_recent_call *before)
{
    return before->types_freed == 0 || before->types_freed == atn_tracer_rec.types_freed;
}
/* Under the lock.  False: the call differs from the entry, or has to be described from the
 * tables. */
ATN_FAST bool atn_tracer_record_repeated(const atn_recent_call *call, const atn_recent_call *before,
                                         int64_t enter, int64_t exit)
{
    return before->from == call->from && before->buf == call->buf && before->count == call->count &&
           before->type == call->type && before->comm == call->comm &&
           before->partner == call->partner && before->tag == call->tag && before->op == call->op &&
           atn_tracer_is_valid(before) && atn_tracer_has_type(before) &&
           atn_trace_repeat(atn_tracer_rec.cursor, before->number, call->starts, enter, exit);
}
/* Types were freed since: repeats the call if the handle still has the same meaning. */
static inline bool atn_tracer_record_repeated_type(const atn_traced_type *t,
                                                   const atn_recent_call *call,
                                                   atn_recent_call *before, int64_t enter,
                                                   int64_t exit)
{
    if (before->type != call->type || atn_tracer_has_type(before) || t->since > before->types_freed)
        return false;
    before->types_freed = atn_tracer_rec.types_freed;
    return atn_tracer_record_repeated(call, before, enter, exit);
}
static inline void atn_tracer_recent_store(const atn_recent_call *call, int rank,
                                           const atn_traced_type *t, atn_recent_call *before,
                                           unsigned number)
{
    if (number == 0 || !atn_tracer_is_fast())
        return;
    *before = *call;
    before->rank = rank;
    before->number = (uint16_t)number;
    before->epoch = atn_tracer_rec.cursor->epoch;
    before->types_freed = t->predefined ? 0 : atn_tracer_rec.types_freed;
}

#pragma GCC visibility pop

#endif
