/* fastpath.h - the fast path: the code executed for a call that repeats an earlier one.
 *
 * A collective call passes these stages, the cheapest first, and leaves at the first that holds:
 *
 *  1. Gate (real.h).  One word: a bit for each operation that needs more than forwarding, and above
 *     the bits an epoch.  Bit clear: the native routine is called.
 *  2. Last call.  For each operation the latest call that the call cache executed, with the gate of
 *     that moment.  Whatever may invalidate it starts another epoch, so comparing the gate and the
 *     arguments is enough; the call is counted in the entry itself.  If only one thread
 *     calls MPI there is one table (atn_comm_last_calls); else each thread has its own
 *     (atn_comm_thread_last_calls) and counts at once where other threads see it.
 *  3. Communicator cache.  Per thread, eight communicators with their states, so that the usual
 *     call needs no attribute look-up.  A generation number, raised whenever a communicator is
 *     freed, makes all entries stale, because MPI reuses handles.
 *  4. Call cache.  For each communicator 64 calls, placed by operation, count, datatype and root,
 *     each with its plan or the native routine.  A hit executes the call at once.
 *  5. Selection (select/serve.h).  Rules, wisdom, model or tuner choose; the result enters the call
 *     cache.
 *
 * A *promise* (driver.h) limits how many calls of a call class stages 2 and 4 may execute before
 * the tuner must be consulted.  They only decrement it: before a decision the tuner reads from it
 * how many calls there were.  So ranks decide alike although their caches may hold different calls.
 *
 * What stages 2 and 4 may not execute: calls with the same buffer for input and output, because
 * where the native routine rejects them they have no turn (select/online.c) and so must not be
 * counted either, and where it accepts them the input has to be copied.
 *
 * Stage 2 exists beside stage 4 for its speed: without it, a native allreduce of 8 bytes takes
 * 1.085 (Open MPI) and 1.030 (MPICH) times as long as with MPI alone instead of 1.013 and 1.006
 * (bench/overhead, 2 ranks, aarch64).
 *
 * Everything in this header is inlined into the entry points (entry/collectives.c): watching native
 * calls of 0.4 microseconds must cost next to nothing. */
#ifndef ATN_PMPI_COMM_FASTPATH_H
#define ATN_PMPI_COMM_FASTPATH_H

#include "pmpi/comm/context.h"
#include "pmpi/comm/setup.h"
#include "pmpi/comm/state.h"

/* The buffers of a call that repeats another. */
typedef struct {
    bool any;
    const void *src;
    void *dst;
} atn_call_buffers;

static inline bool atn_comm_buffers_distinct(atn_call_buffers b)
{
    return b.src != b.dst || b.src == NULL;
}

/* All present, and not in place. */
static inline bool atn_comm_buffers_plain(atn_call_buffers b)
{
    return b.any && b.src != MPI_IN_PLACE && b.dst != MPI_IN_PLACE;
}

/* ---- stage 2: last call ---- */

typedef struct {
    uint64_t gate; /* of that moment.  Its epoch ends when a communicator is freed, clears its call
                      cache, is advised or waits for an agreement, and when a context begins or
                      ends; 0: empty */
    MPI_Comm comm;
    atn_call_key key;
    int64_t left, counted; /* of the promise: now, and when calls were last counted */
    int r;
    atn_comm *c;
    atn_promise *promise;
    atn_plan *plan; /* NULL: the native routine */
} atn_last_call;
extern atn_last_call atn_comm_last_calls[ATN_OPERATIONS] ATN_HIDDEN;
extern uint32_t atn_comm_last_calls_used ATN_HIDDEN; /* operations with an entry */
extern _Thread_local atn_last_call atn_comm_thread_last_calls[ATN_OPERATIONS] ATN_HIDDEN
    __attribute__((tls_model("initial-exec")));

/* Whether a call equals the entry.  `r` of the key comes from the entry.  All is compared before
 * the one branch; a root that is constant in the key is constant for the operation. */
static inline __attribute__((always_inline)) bool atn_comm_last_call_matches(
    const atn_last_call *s, uint64_t gate, MPI_Comm comm, atn_call_key k, atn_call_buffers b)
{
    const bool rooted = !__builtin_constant_p(k.root);
    return (s->gate == gate) & (s->comm == comm) & (s->key.count == k.count) &
           (s->key.type == k.type) & (s->key.op == k.op) & (!rooted | (s->key.root == k.root)) &
           atn_comm_buffers_distinct(b) & ((s->plan == NULL) | atn_comm_buffers_plain(b));
}
/* The same; a hit is counted. */
static inline __attribute__((always_inline)) bool atn_comm_last_call_hit(
    atn_last_call *s, uint64_t gate, MPI_Comm comm, atn_call_key k, atn_call_buffers b)
{
    const int64_t left = s->left;
    if (!ATN_LIKELY(atn_comm_last_call_matches(s, gate, comm, k, b) & (left > 0)))
        return false;
    s->left = left - 1;
    return true;
}
static inline __attribute__((always_inline)) bool atn_comm_thread_last_call_hit(
    const atn_last_call *s, MPI_Comm comm, atn_call_key k, atn_call_buffers b)
{
    const uint64_t gate = atomic_load_explicit(&atn_pmpi_gate, memory_order_relaxed);
    if (!atn_comm_last_call_matches(s, gate, comm, k, b) || s->promise->left <= 0)
        return false;
    s->promise->left--;
    s->c->calls++;
    return true;
}

/* Adds the hits to promises and communicators; required before numbers of calls are read. */
static inline void atn_comm_last_calls_flush(void)
{
    for (uint32_t in = atn_comm_last_calls_used; in != 0; in &= in - 1) {
        atn_last_call *const s = &atn_comm_last_calls[__builtin_ctz(in)];
        const int64_t passed = s->counted - s->left;
        if (passed == 0)
            continue;
        s->counted = s->left;
        s->promise->left -= passed;
        s->c->calls += (uint64_t)passed;
    }
}

/* Another call of the operation, which may use the same promise. */
static inline void atn_comm_last_call_clear(atn_operation op)
{
    atn_comm_last_calls_flush();
    if ((atn_comm_last_calls_used & ATN_BIT(op)) == 0)
        return;
    atn_comm_last_calls[op].gate = 0;
    atn_comm_last_calls_used &= ~(uint32_t)ATN_BIT(op);
}

/* Handles must be predefined, because freed handles are not detected here.  Calls that prediction,
 * a context or a tool must see take the longer path. */
static inline bool atn_comm_last_call_allowed(const atn_comm *c, const atn_cached_call *x)
{
    return x->predefined && c->hits == NULL && x->context == 0 && c->wake == UINT64_MAX &&
           !(atomic_load_explicit(&atn_detours, memory_order_relaxed) & ATN_BIT(x->operation));
}
static inline void atn_comm_last_call_put(atn_comm *c, const atn_cached_call *x)
{
    if (!atn_comm_last_call_allowed(c, x))
        return;
    const int64_t left = x->promise->left;
    atn_last_call *const table =
        atn_job_current.threads ? atn_comm_thread_last_calls : atn_comm_last_calls;
    table[x->operation] =
        (atn_last_call){.gate = atomic_load_explicit(&atn_pmpi_gate, memory_order_relaxed),
                        .comm = c->user,
                        .key = x->key,
                        .left = left,
                        .counted = left,
                        .r = c->r,
                        .c = c,
                        .promise = x->promise,
                        .plan = x->plan};
    if (!atn_job_current.threads)
        atn_comm_last_calls_used |= (uint32_t)ATN_BIT(x->operation);
}

/* ---- stage 3: communicator cache ---- */

enum { ATN_COMM_CACHE_BITS = 3 };
typedef struct {
    MPI_Comm comm;
    uint64_t generation; /* 0: empty */
    atn_comm *state;     /* NULL: native for life */
} atn_cached_comm;
extern _Thread_local atn_cached_comm atn_comm_cache[1 << ATN_COMM_CACHE_BITS] ATN_HIDDEN
    __attribute__((tls_model("initial-exec")));
extern _Atomic uint64_t atn_comm_generation ATN_HIDDEN;

static inline atn_cached_comm *atn_comm_cache_slot(MPI_Comm comm)
{
    const uint64_t key = (uint64_t)(uintptr_t)comm * 0x9E3779B97F4A7C15u;
    return &atn_comm_cache[key >> (64 - ATN_COMM_CACHE_BITS)];
}

/* The state by attribute, made if necessary; fills the slot.  NULL: the communicator is native for
 * life or not valid. */
atn_comm *atn_comm_lookup(MPI_Comm comm, atn_cached_comm *slot);

static inline atn_comm *atn_comm_find(MPI_Comm comm)
{
    atn_cached_comm *const slot = atn_comm_cache_slot(comm);
    const uint64_t now = atomic_load_explicit(&atn_comm_generation, memory_order_relaxed);
    return ATN_LIKELY(slot->comm == comm && slot->generation == now) ? slot->state
                                                                     : atn_comm_lookup(comm, slot);
}

/* Counts a call.  NULL: call the native routine, nothing else is to be done. */
static inline atn_comm *atn_comm_enter(MPI_Comm comm, atn_operation op)
{
    atn_comm *const c = atn_comm_find(comm);
    if (c == NULL)
        return NULL;
    if (!ATN_LIKELY(++c->calls < c->wake))
        atn_comm_hooked->wake(c, op);
    return ATN_LIKELY(c->stage == ATN_COMM_SERVED) ? c : atn_comm_enter_unserved(c, op);
}

/* ---- stage 4: call cache ---- */

/* Number of freed datatypes and operators; starts at 1. */
extern _Atomic unsigned atn_comm_handles_freed ATN_HIDDEN;

static inline atn_cached_call *atn_comm_call_slot(atn_comm *c, atn_operation op,
                                                  const atn_call_key *k)
{
    const uint64_t h = ((uint64_t)k->count << 16 ^ (uint64_t)k->root << 5 ^ (uint64_t)op) +
                       (uint64_t)(uintptr_t)k->type;
    return &c->cached[(h * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - ATN_CALL_CACHE_BITS)];
}

static inline bool atn_comm_call_key_equal(const atn_call_key *x, const atn_call_key *y)
{
    return x->count == y->count && x->type == y->type && x->op == y->op && x->root == y->root;
}

/* NULL: selection has to be consulted. */
static inline atn_cached_call *atn_comm_call_find(atn_comm *c, atn_operation op, atn_call_key k)
{
    atn_cached_call *const x = atn_comm_call_slot(c, op, &k);
    const atn_promise *const promise = x->promise;
    const bool same =
        promise != NULL && x->operation == op && atn_comm_call_key_equal(&x->key, &k) &&
        promise->left > 0 && promise->era == x->era && x->context == atn_comm_context &&
        (x->predefined ||
         x->freed == atomic_load_explicit(&atn_comm_handles_freed, memory_order_relaxed));
    return same ? x : NULL;
}

static inline void atn_comm_call_count(atn_comm *c, const atn_cached_call *x)
{
    atn_hit_log *const hits = c->hits;
    x->promise->left--;
    if (!ATN_LIKELY(hits == NULL))
        hits->entry[hits->n++ % ATN_HIT_LOG] = (uint8_t)(x - c->cached);
}

/* Execute the plan of an entry with other buffers. */
static inline int atn_comm_plan_repeat(atn_comm *c, atn_plan *plan, const atn_call_key *k,
                                       atn_call_buffers b)
{
    const int code = atn_exec_repeat(c->exec, plan, b.src, b.dst, k->type, k->op, c->private_comm);
    return ATN_LIKELY(code == MPI_SUCCESS) ? code : atn_comm_raise(c, code);
}
static inline int atn_comm_call_repeat(atn_comm *c, const atn_cached_call *x, atn_call_buffers b)
{
    return atn_comm_plan_repeat(c, x->plan, &x->key, b);
}
static inline int atn_comm_last_call_repeat(const atn_last_call *s, atn_call_buffers b)
{
    return atn_comm_plan_repeat(s->c, s->plan, &s->key, b);
}

/* Stores what executes equal calls (plan NULL: the native routine), limited by the promise. */
atn_cached_call *atn_comm_call_put(atn_comm *c, const atn_call *call, const atn_call_key *k,
                                   atn_plan *plan, atn_promise *promise);
/* Empties the call cache of c, and all last calls with it. */
void atn_comm_calls_clear(atn_comm *c);

#endif
