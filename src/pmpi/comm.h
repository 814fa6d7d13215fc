/* comm.h - what Attune knows about a communicator.
 *
 * A communicator is COUNTING while its first calls stay native, then one vote makes it SERVED or
 * NATIVE for the rest of its life.  Every step depends only on the sequence of collective calls
 * on it, which its ranks share. */
#ifndef ATN_COMM_H
#define ATN_COMM_H

#include <stdatomic.h>

#include "exec/exec.h"
#include "pmpi/context.h"
#include "pmpi/job.h"
#include "tune/drivers/driver.h"

typedef enum { ATN_STAGE_COUNTING, ATN_STAGE_NATIVE, ATN_STAGE_SERVED } atn_stage;

/* The arguments that, on one communicator, settle the choice for an operation. */
typedef struct {
    int64_t count; /* -1: the arguments that settle it are not all here */
    MPI_Datatype type;
    MPI_Op op;
    int root;
} atn_key;

/* Calls and what was chosen for them, so that a program that repeats itself is not looked at
 * again: each has one place in a table. */
enum { ATN_KNOWN_BITS = 6, ATN_KNOWN = 1 << ATN_KNOWN_BITS };
typedef struct {
    atn_key key;
    uint64_t context;
    unsigned freed; /* handles freed until then, because they are reused */
    unsigned era;   /* of the promise */
    uint8_t operation;
    bool named;           /* no handle that could be freed */
    atn_promise *promise; /* how often this holds; NULL: empty */
    atn_plan *plan;       /* NULL: the native routine */
} atn_known;

/* The places of repeated calls, for foresight: the latest of `n`. */
enum { ATN_TRAIL = 256 };
typedef struct {
    unsigned n;
    uint8_t place[ATN_TRAIL];
} atn_trail;

/* What a repeated call brings along. */
typedef struct {
    bool any;
    const void *src;
    void *dst;
} atn_buffers;

typedef struct atn_comm {
    MPI_Comm user;
    MPI_Comm wire; /* private copy that carries the messages; MPI_COMM_NULL until needed */
    atn_exec *exec;
    struct atn_topo *topo;   /* where its ranks are; NULL: not known */
    const atn_rules *wisdom; /* that holds there; NULL: none */
    int p, r;
    atn_stage stage;
    bool outside;         /* NATIVE: has processes of other jobs; else some rank has no room */
    bool reserved;        /* counts against the limit of private communicators */
    uint64_t calls, wake; /* wake: the call at which it must hear of an agreement */
    atn_known known[ATN_KNOWN];
    atn_promise always;          /* of what nobody tunes */
    struct atn_planned *planned; /* what the model chose so far; NULL: nothing */
    const atn_call *call;        /* being served */
    bool ending;                 /* atn_planned_end waits for the end of the call */
    int failed;                  /* error that choosing for the call ended with */
    unsigned evictions;          /* of the executor when the plans above were known */
    atn_driver *driver;          /* what learns; NULL: nobody */
    struct atn_comers *comers;   /* when its ranks come; NULL: nobody asks */
    uint64_t asked, context;     /* by info key: of this rank, and agreed; 0: none */
    uint64_t history;            /* the latest calls, if contexts are made of them */
    uint32_t before;             /* operations that were called before it was set up */
    atn_trail *trail;            /* NULL: nobody foresees */
    struct atn_foreseeing *foreseeing;
    /* For the watchdog, which looks on from its own thread: odd beat while inside a call. */
    _Atomic unsigned beat;
    _Atomic int op, root;
    const atn_row *_Atomic row;   /* NULL: the native routine */
    unsigned seen;                /* the watchdog's own notes: the beat ... */
    int still;                    /* ... and for how many seconds it has not changed */
    struct atn_comm *prev, *next; /* all live ones; by creation of the private communicator */
} atn_comm;

/* Counts freed datatypes and operators; starts at 1. */
extern _Atomic unsigned atn_freed ATN_HIDDEN;

static inline atn_known *atn_known_place(atn_comm *c, atn_operation op, const atn_key *k)
{
    const uint64_t h = ((uint64_t)k->count << 16 ^ (uint64_t)k->root << 5 ^ (uint64_t)op) +
                       (uint64_t)(uintptr_t)k->type;
    return &c->known[(h * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - ATN_KNOWN_BITS)];
}

static inline bool atn_key_same(const atn_key *x, const atn_key *y)
{
    return x->count == y->count && x->type == y->type && x->op == y->op && x->root == y->root;
}

/* NULL: it has to be looked at. */
static inline atn_known *atn_comm_known(atn_comm *c, atn_operation op, atn_key k)
{
    atn_known *const known = atn_known_place(c, op, &k);
    const atn_promise *const promise = known->promise;
    const bool same =
        promise != NULL && known->operation == op && atn_key_same(&known->key, &k) &&
        promise->left > 0 && promise->era == known->era && known->context == atn_context &&
        (known->named || known->freed == atomic_load_explicit(&atn_freed, memory_order_relaxed));
    return same ? known : NULL;
}

static inline void atn_comm_passed(atn_comm *c, const atn_known *known)
{
    atn_trail *const trail = c->trail;
    known->promise->left--;
    if (!ATN_LIKELY(trail == NULL))
        trail->place[trail->n++ % ATN_TRAIL] = (uint8_t)(known - c->known);
}

/* Notes what serves equal calls; `promise` says how often. */
atn_known *atn_comm_note(atn_comm *c, const atn_call *call, const atn_key *k, atn_plan *plan,
                         atn_promise *promise);
/* What is known holds no longer. */
void atn_comm_forget(atn_comm *c);

/* The latest known call of each operation that is left to the native routine: watching calls of 0.4
 * microseconds must cost next to nothing, so all that can change it is one number, and calls are
 * counted beside what they are compared with.  Where several threads call MPI each has its own, and
 * counts at once where others see it. */
typedef struct {
    uint64_t gate; /* of that moment, with its epoch, which ends when a communicator goes, forgets,
                      is advised or waits for an agreement, and when a context begins or ends;
                      0: empty */
    MPI_Comm comm;
    atn_key key;
    int64_t left, lent; /* of the promise: now, and when calls were counted last */
    int r;
    atn_comm *c;
    atn_promise *promise;
} atn_short;
extern atn_short atn_shorts[ATN_OPERATIONS] ATN_HIDDEN;
extern uint32_t atn_lending ATN_HIDDEN; /* operations that have one */
extern _Thread_local atn_short atn_thread_shorts[ATN_OPERATIONS] ATN_HIDDEN
    __attribute__((tls_model("initial-exec")));

/* Whether the call is that one.  `r` of the key is the short one's.  All is compared, then there is
 * one branch; what is constant in the key is so for the operation. */
static inline __attribute__((always_inline)) bool atn_short_is(const atn_short *s, uint64_t gate,
                                                               MPI_Comm comm, atn_key k)
{
    const bool rooted = !__builtin_constant_p(k.root);
    return (s->gate == gate) & (s->comm == comm) & (s->key.count == k.count) &
           (s->key.type == k.type) & (s->key.op == k.op) & (!rooted | (s->key.root == k.root));
}
/* The same; then it has been counted. */
static inline __attribute__((always_inline)) bool atn_short_passed(atn_short *s, uint64_t gate,
                                                                   MPI_Comm comm, atn_key k)
{
    const int64_t left = s->left;
    if (!ATN_LIKELY(atn_short_is(s, gate, comm, k) & (left > 0)))
        return false;
    s->left = left - 1;
    return true;
}
static inline __attribute__((always_inline)) bool atn_thread_passed(const atn_short *s,
                                                                    MPI_Comm comm, atn_key k)
{
    const uint64_t gate = atomic_load_explicit(&atn_gate, memory_order_relaxed);
    if (!atn_short_is(s, gate, comm, k) || s->promise->left <= 0)
        return false;
    s->promise->left--;
    s->c->calls++;
    return true;
}

/* Before anybody looks at numbers of calls: short ones so far are counted where they belong. */
static inline void atn_shorts_settle(void)
{
    for (uint32_t in = atn_lending; in != 0; in &= in - 1) {
        atn_short *const s = &atn_shorts[__builtin_ctz(in)];
        const int64_t passed = s->lent - s->left;
        if (passed == 0)
            continue;
        s->lent = s->left;
        s->promise->left -= passed;
        s->c->calls += (uint64_t)passed;
    }
}

/* Another call of the operation, which may live on the same promise. */
static inline void atn_short_end(atn_operation op)
{
    atn_shorts_settle();
    if ((atn_lending & ATN_BIT(op)) == 0)
        return;
    atn_shorts[op].gate = 0;
    atn_lending &= ~(uint32_t)ATN_BIT(op);
}

/* Handles must be predefined, because it is not asked whether others were freed; what foresight, a
 * context or a tool wants to know takes the longer way. */
static inline bool atn_short_may(const atn_comm *c, const atn_known *known)
{
    return known->plan == NULL && known->named && c->trail == NULL && known->context == 0 &&
           c->wake == UINT64_MAX &&
           !(atomic_load_explicit(&atn_detours, memory_order_relaxed) & ATN_BIT(known->operation));
}
static inline void atn_short_note(atn_comm *c, const atn_known *known)
{
    if (!atn_short_may(c, known))
        return;
    const int64_t left = known->promise->left;
    atn_short *const shorts = atn_the_job.threads ? atn_thread_shorts : atn_shorts;
    shorts[known->operation] =
        (atn_short){.gate = atomic_load_explicit(&atn_gate, memory_order_relaxed),
                    .comm = c->user,
                    .key = known->key,
                    .left = left,
                    .lent = left,
                    .r = c->r,
                    .c = c,
                    .promise = known->promise};
    if (!atn_the_job.threads)
        atn_lending |= (uint32_t)ATN_BIT(known->operation);
}

/* Notes what became of a call.  `whole`: the key and the buffers are all that there is to it. */
void atn_comm_know(atn_comm *c, const atn_call *call, atn_key k, bool served, bool whole);

/* Not one buffer for both.  Such calls are looked at each time: where the native routine reports
 * them they have no turn (tuned.c), so they may not be counted either, because ranks may know
 * different calls; where it bears them the input has to be put aside. */
static inline bool atn_are_apart(atn_buffers b) { return b.src != b.dst || b.src == NULL; }

/* All there, and not in place. */
static inline bool atn_are_plain(atn_buffers b)
{
    return b.any && b.src != MPI_IN_PLACE && b.dst != MPI_IN_PLACE;
}

/* Around what may stall; root -1: none or unknown. */
static inline void atn_beat_begin(atn_comm *c, atn_operation op, int root)
{
    atomic_store(&c->op, (int)op);
    atomic_store(&c->root, root);
    atomic_store(&c->row, NULL);
    atomic_fetch_add(&c->beat, 1);
}
static inline void atn_beat_end(atn_comm *c) { atomic_fetch_add(&c->beat, 1); }

/* Per thread: communicators seen lately, so that the usual call needs no attribute look-up.  Any
 * communicator that goes away makes all entries stale, because MPI reuses handles. */
enum { ATN_CACHE_BITS = 3 };
typedef struct {
    MPI_Comm comm;
    uint64_t generation; /* 0: empty */
    atn_comm *state;     /* NULL: native for life */
} atn_cached;
extern _Thread_local atn_cached atn_cache[1 << ATN_CACHE_BITS] ATN_HIDDEN
    __attribute__((tls_model("initial-exec")));
extern _Atomic uint64_t atn_generation ATN_HIDDEN;

static inline atn_cached *atn_cache_slot(MPI_Comm comm)
{
    const uint64_t key = (uint64_t)(uintptr_t)comm * 0x9E3779B97F4A7C15u;
    return &atn_cache[key >> (64 - ATN_CACHE_BITS)];
}

/* The ranks of a communicator as ranks of MPI_COMM_WORLD, MPI_UNDEFINED where a process is none of
 * its; the caller frees them.  NULL: no memory. */
int *atn_world_ranks(MPI_Comm comm, int p);
/* Finds out where its ranks are; false: no memory (to be voted on). */
bool atn_comm_place(atn_comm *c);

/* Fills the slot; NULL when the communicator is native for life or not valid. */
atn_comm *atn_comm_look(MPI_Comm comm, atn_cached *slot);
/* A call on a communicator that is not served (yet); the state when it now takes part. */
atn_comm *atn_comm_warm(atn_comm *c, atn_operation op);

static inline atn_comm *atn_comm_find(MPI_Comm comm)
{
    atn_cached *const slot = atn_cache_slot(comm);
    const uint64_t now = atomic_load_explicit(&atn_generation, memory_order_relaxed);
    return ATN_LIKELY(slot->comm == comm && slot->generation == now) ? slot->state
                                                                     : atn_comm_look(comm, slot);
}

/* Hears of agreements that are due (tuned.c). */
void atn_tuned_wake(atn_comm *c);

/* Counts a call.  NULL: call the native routine, there is nothing else to do. */
static inline atn_comm *atn_comm_enter(MPI_Comm comm, atn_operation op)
{
    atn_comm *const c = atn_comm_find(comm);
    if (c == NULL)
        return NULL;
    if (!ATN_LIKELY(++c->calls < c->wake))
        atn_tuned_wake(c);
    return ATN_LIKELY(c->stage == ATN_STAGE_SERVED) ? c : atn_comm_warm(c, op);
}

/* What the model chooses for a problem that no rule covers; collective now and then, in the same
 * calls on all ranks.  Whether it holds for equal problems from now on; c->failed when this rank
 * cannot follow the others. */
bool atn_planned_choose(atn_comm *c, const atn_problem *q, atn_choice *choice_p);
/* After a call for which c->ending was set; returns the code of the call. */
int atn_planned_end(atn_comm *c, int code);
static inline int atn_end(atn_comm *c, int code)
{
    return ATN_LIKELY(!c->ending) ? code : atn_planned_end(c, code);
}
/* Makes room for plans, if they are wanted; false: no memory (to be voted on). */
bool atn_planned_start(atn_comm *c);
/* Ends what is under way, before the communicator goes. */
void atn_planned_stop(atn_comm *c);
void atn_planned_free(struct atn_planned *p);

/* The atn_choose_fn of every communicator; the context is its state. */
bool atn_choose(void *context, const atn_problem *q, atn_choice *choice_p);

/* Raises an error of Attune through the user's handler, as the native routine would. */
int atn_raise(atn_comm *c, int code);

/* Carries out the call; false: call the native routine instead. */
bool atn_serve(atn_comm *c, const atn_call *call, atn_turn *turn, int *code_p);
/* Its second half: runs a plan, on the private communicator that is made now if need be. */
bool atn_serve_plan(atn_comm *c, atn_plan *plan, const atn_call *call, int *code_p);
/* The same again with other buffers. */
static inline int atn_repeat(atn_comm *c, const atn_known *known, atn_buffers b)
{
    const int code = atn_exec_repeat(c->exec, known->plan, b.src, b.dst, known->key.type,
                                     known->key.op, c->wire);
    return ATN_LIKELY(code == MPI_SUCCESS) ? code : atn_raise(c, code);
}
/* The same with report, check and watchdog around it; a call that goes to the native routine must
 * be ended with atn_observed_end. */
typedef struct {
    atn_comm *c;
    const atn_call *call;
    atn_choice choice;
    atn_turn turn;
    bool declined; /* a plan could not serve this call on all ranks */
    double start;
} atn_observed;
bool atn_observed_begin(atn_observed *o, atn_comm *c, const atn_call *call, int *code_p);
int atn_observed_end(atn_observed *o, int code);
/* A call on a communicator without a state, if it succeeds, for the report; times of atn_now_seconds. */
double atn_stateless_begin(void);
void atn_stateless_end(MPI_Comm comm, atn_operation op, double start);

/* Tells the report what the tuners of a communicator know; before they go, and at the end. */
void atn_tuned_facts(atn_comm *c);
/* Says once why reductions are not reproducible although they should be (reproducible.c). */
typedef enum {
    ATN_LOST_INTER,
    ATN_LOST_OUTSIDE,
    ATN_LOST_ROOM,
    ATN_LOST_ARGUMENTS,
    ATN_LOST_NONBLOCKING
} atn_lost;
void atn_irreproducible(atn_lost why, MPI_Comm comm);
/* The program starts a nonblocking or persistent reduction; Attune starts its own through atn_real
 * (tools/check_interposed). */
void atn_saw_later(MPI_Comm comm);

/* Makes the private communicator when it is first needed (collective); false: this communicator
 * is native from now on. */
bool atn_comm_wire(atn_comm *c);

/* ---- life ---- */

/* The keyval, and MPI_COMM_WORLD, which the job vote covers. */
bool atn_comms_start(void);
/* Frees all private communicators and states. */
void atn_comms_stop(void);
/* The user's free begins, and has ended: in between attribute callbacks of the user may still use
 * the communicator, natively, or free others.  Give `dead` what `dying` returned. */
MPI_Comm atn_comm_dying(MPI_Comm comm);
void atn_comm_dead(MPI_Comm before);
/* Calls `visit` for every live state while none can go away. */
void atn_comms_visit(void (*visit)(atn_comm *c));

#endif
