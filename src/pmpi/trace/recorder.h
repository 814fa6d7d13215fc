/* recorder.h - what the tracer keeps inside of a job, and the steps of every recorded call:
 *
 *   if (!atn_wants()) return the plain call, one level deeper
 *   const int64_t t = atn_enter();
 *   code = next(...);
 *   atn_record...(OP, from, ..., t, atn_leave());
 *
 * Everything below `atn_lock` is held while a call is put on record, which is never while MPI
 * works. */
#ifndef ATN_TRACE_RECORDER_H
#define ATN_TRACE_RECORDER_H

#include <pthread.h>

#include "pmpi/trace/clock.h"
#include "pmpi/trace/doors.h"
#include "trace/handles.h"
#include "trace/writer.h"

#pragma GCC visibility push(hidden)

/* A communicator; processes as ranks of MPI_COMM_WORLD. */
typedef struct {
    int number, p, r;
    bool inter;
    int *world; /* those that messages go to and come from */
    int n;
    int sources, targets; /* neighbours, where it has a topology */
} atn_traced_comm;

typedef struct {
    int number;
    bool lasts; /* nobody can free it */
    bool freed;
    uint32_t since; /* how many types had been freed when the handle got this number */
    int64_t bytes;
} atn_traced_type;

/* A request that is under way, or persistent; or a message that a probe has matched. */
typedef struct {
    uint32_t request; /* its number in the trace; 0: a persistent one at rest */
    uint32_t next;    /* in the list of free ones */
    bool any, persistent;
    int comm;            /* in comms; for `any` */
    atn_trace_what what; /* persistent: what a start does */
} atn_traced_request;

/* What a quick poll that finds something tells.  Programs ask for the same again and again, and to
 * compare is less than to keep it anew. */
typedef struct {
    MPI_Request handle;
    MPI_Status *status;
} atn_asked;

/* How quick polls stand: the lowest bits of `turn`, which counts them above. */
enum { ATN_INSIDE = 1, ATN_CLOSED = 2, ATN_POLL = 4 };

/* What every call needs stands first. */
typedef struct {
    _Alignas(64) int64_t turn; /* inside of a quick poll, none is allowed, how many there were */
    int64_t entered;           /* ticks when the last one began */
    int depth;     /* other calls of MPI that the program is inside of, where no threads are */
    bool on;       /* calls are recorded */
    bool messages; /* also those inside of collectives */
    bool threads;
    bool quick;           /* recorded, and by one thread */
    int anys;             /* requests under way that are receives from anybody */
    uint32_t types_freed; /* + 1 */
    atn_trace_hand *hand; /* the writer's */
    atn_asked test, test_any;
    MPI_Status own; /* where the program does not want one */
    atn_handles comm_of;
    ATN_VEC(atn_traced_comm) comms;
    atn_trace_writer *writer;
    int64_t polls, found;        /* in vain but not quick; quick but not in vain */
    int64_t looks, looked_ticks; /* polls in vain that were looked at, what they took */
    int p, r;
    pthread_mutex_t lock;
    atn_handles type_of, site_of, request_of, group_of;
    atn_handles comm_of_window, comm_of_file; /* their numbers */
    atn_handles message_of;
    atn_handles number_of_type; /* by name and size */
    ATN_VEC(atn_traced_type) types;
    ATN_VEC(atn_traced_request) requests;
    uint32_t free_request; /* + 1 */
    int sites, derived;
    ATN_VEC(const char *) modules;
    int numbered; /* threads that have made calls */
} atn_recorder;

extern atn_recorder atn_rec;
/* Calls of MPI that this thread is inside of.  Where only one is at a time, that stands beside the
 * rest of what a call looks at. */
extern _Thread_local int atn_thread_depth __attribute__((tls_model("initial-exec")));
static inline int *atn_depth_here(void)
{
    return ATN_RARELY(atn_rec.threads) ? &atn_thread_depth : &atn_rec.depth;
}
#define atn_depth (*atn_depth_here())
/* Its number in the trace, from 0 in the order of first calls; the last one has all further. */
extern _Thread_local uint8_t atn_thread __attribute__((tls_model("initial-exec")));
void atn_number_thread(void);

static inline bool atn_wants(void)
{
    return atn_rec.on && (atn_rec.turn & ATN_INSIDE) == 0 &&
           (atn_depth == 0 || (atn_rec.messages && atn_depth == 1));
}

static inline int64_t atn_enter(void)
{
    atn_depth++;
    return atn_now();
}
static inline int64_t atn_leave(void)
{
    const int64_t t = atn_now();
    atn_depth--;
    return t;
}

/* Polls: programs make them by the million, and most find nothing.  The processor's counter tells
 * when one begins; when it ends is looked at only if it found something, and for a share of the
 * others, because a look takes longer than everything else about a poll in vain. */
enum { ATN_POLLS_PER_LOOK = 64 };

static inline int64_t atn_enter_poll(void)
{
    atn_depth++;
    return atn_ticks();
}
/* ns that a poll took; it has just found something. */
static inline int64_t atn_poll_took(int64_t enter)
{
    const int64_t took = atn_ticks() - enter;
    return took > 0 ? atn_took_ns(took) : 0;
}

/* A call that is not recorded. */
#define ATN_PASS(call)                                                                             \
    do {                                                                                           \
        atn_depth++;                                                                               \
        const int passed = call;                                                                   \
        atn_depth--;                                                                               \
        return passed;                                                                             \
    } while (0)

/* Of a call that is made by the million: what is rare about it should not slow it down. */
#define ATN_RARE  __attribute__((noinline, cold))
#define ATN_QUICK static inline __attribute__((always_inline))

static inline void atn_lock(void)
{
    if (atn_rec.threads) {
        pthread_mutex_lock(&atn_rec.lock);
        atn_number_thread();
    }
}
static inline void atn_unlock(void)
{
    if (atn_rec.threads)
        pthread_mutex_unlock(&atn_rec.lock);
}

/* All that a routine does: calls what is behind it, and notes it under the lock when that was well,
 * with `enter` and `exit`. */
#define ATN_RECORD_CALL(invoked, ...)                                                              \
    if (!atn_wants())                                                                              \
        ATN_PASS(invoked);                                                                         \
    const int64_t enter = atn_enter();                                                             \
    const int code = invoked;                                                                      \
    const int64_t exit = atn_leave();                                                              \
    if (code == MPI_SUCCESS) {                                                                     \
        atn_lock();                                                                                \
        __VA_ARGS__                                                                                \
        atn_unlock();                                                                              \
    }                                                                                              \
    return code;

static inline void atn_count_any(int more)
{
    __atomic_store_n(&atn_rec.anys, atn_rec.anys + more, __ATOMIC_RELAXED);
}
/* Also without the lock: those of the calling thread were counted before. */
static inline bool atn_any_under_way(void)
{
    return __atomic_load_n(&atn_rec.anys, __ATOMIC_RELAXED) > 0;
}

static inline void atn_look_at_poll(int64_t enter)
{
    atn_rec.looks++;
    atn_rec.looked_ticks += atn_ticks() - enter;
}
/* A poll that found nothing. */
static inline void atn_count_poll(int64_t enter)
{
    atn_lock();
    if (ATN_RARELY(atn_rec.polls++ % ATN_POLLS_PER_LOOK == 0))
        atn_look_at_poll(enter);
    atn_unlock();
}

/* The same in as few steps as possible, for those that programs make most: one word tells whether
 * a poll may be quick, counts it, and while it lasts keeps what it calls from being recorded. */
ATN_QUICK bool atn_is_quick(void) { return atn_rec.quick && atn_rec.depth == 0; }
/* All of it by one pointer and through memory: registers would have to be saved and restored. */
ATN_QUICK atn_recorder *atn_poller(void)
{
    atn_recorder *rec = &atn_rec;
    __asm__("" : "+r"(rec));
    return rec;
}
ATN_QUICK bool atn_polls_quickly(const atn_recorder *rec)
{
    return (rec->turn & (ATN_INSIDE | ATN_CLOSED)) == 0 && rec->depth == 0;
}
ATN_QUICK int64_t atn_begin_poll(atn_recorder *rec)
{
    const int64_t turn = rec->turn;
    rec->entered = atn_ticks();
    rec->turn = turn + ATN_INSIDE;
    return turn + ATN_POLL;
}
ATN_QUICK MPI_Status *atn_ask(atn_recorder *rec, atn_asked *asked, MPI_Request handle,
                              MPI_Status *status)
{
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &rec->own : status;
    if (ATN_RARELY(asked->handle != handle || asked->status != s))
        *asked = (atn_asked){handle, s};
    return s;
}
ATN_QUICK int atn_poll_in_vain(const atn_recorder *rec, int64_t turn)
{
    if (ATN_RARELY(turn % (ATN_POLL * ATN_POLLS_PER_LOOK) == 0))
        atn_look_at_poll(rec->entered);
    return MPI_SUCCESS;
}
/* From now on, or no longer. */
static inline void atn_allow_quick_polls(bool allowed)
{
    atn_rec.turn = allowed ? atn_rec.turn & ~(int64_t)ATN_CLOSED : atn_rec.turn | ATN_CLOSED;
}

/* In vain. */
static inline int64_t atn_polls(void)
{
    return atn_rec.polls + atn_rec.turn / ATN_POLL - atn_rec.found;
}
/* What all of them took, by those that were looked at. */
static inline int64_t atn_polls_ns(void)
{
    const double ns = (double)atn_ticks_ns(atn_rec.looked_ticks);
    const double each = atn_rec.looks > 0 ? ns / (double)atn_rec.looks : 0;
    return each > 0 ? (int64_t)(each * (double)atn_polls()) : 0;
}

static inline uint64_t atn_handle_key(uintptr_t handle) { return handle; }
#define ATN_KEY(handle) atn_handle_key((uintptr_t)(handle))

/* ---- calls that repeat an earlier one ---- */

/* A call as the program made it, and the number that the block in hand has for it.  Programs need
 * the cache for themselves: looking here takes one line of it, which is fetched while MPI works;
 * finding out all about a call takes many. */
typedef struct {
    _Alignas(64) const void *from;
    const void *buf;
    int64_t count;
    uint64_t type, comm; /* handles */
    int partner, tag;    /* partner: a root, too */
    int rank;            /* of this process in the communicator */
    uint32_t epoch;
    uint32_t types_freed; /* then; 0: its type lasts */
    uint16_t number;
    uint8_t op;
    bool starts; /* a request */
} atn_again;

enum { ATN_RECENT_BITS = 9 };
extern atn_again atn_recent[1 << ATN_RECENT_BITS];

/* Of some arguments that tell calls apart. */
#define ATN_MIX(...) ATN_MIX_(__VA_ARGS__, 0, 0, 0, 0)
#define ATN_MIX_(a, b, c, d, ...)                                                                  \
    (ATN_KEY(a) ^ ATN_KEY(b) << 24 ^ ATN_KEY(c) << 12 ^ ATN_KEY(d) << 6)

/* Before a call: where it stands if it repeats one. */
ATN_QUICK atn_again *atn_expect(const void *from, uint64_t mixed)
{
    const uint64_t h = ((uintptr_t)from ^ mixed) * UINT64_C(0x9e3779b97f4a7c15);
    atn_again *const before = &atn_recent[h >> (64 - ATN_RECENT_BITS)];
    __builtin_prefetch(before);
    __builtin_prefetch(atn_rec.hand, 1);
    return before;
}
ATN_QUICK bool atn_is_valid(const atn_again *before)
{
    return atn_is_quick() && before->epoch == atn_rec.hand->epoch;
}
ATN_QUICK bool atn_has_type(const atn_again *before)
{
    return before->types_freed == 0 || before->types_freed == atn_rec.types_freed;
}
/* Under the lock.  False: it is not the same as the one before, or must go the long way. */
ATN_QUICK bool atn_repeats(const atn_again *a, const atn_again *before, int64_t enter, int64_t exit)
{
    return before->from == a->from && before->buf == a->buf && before->count == a->count &&
           before->type == a->type && before->comm == a->comm && before->partner == a->partner &&
           before->tag == a->tag && before->op == a->op && atn_is_valid(before) &&
           atn_has_type(before) &&
           atn_trace_repeat(atn_rec.hand, before->number, a->starts, enter, exit);
}
/* Types were freed meanwhile: the same once more, if the handle still means what it did. */
static inline bool atn_repeats_with(const atn_traced_type *t, const atn_again *a, atn_again *before,
                                    int64_t enter, int64_t exit)
{
    if (before->type != a->type || atn_has_type(before) || t->since > before->types_freed)
        return false;
    before->types_freed = atn_rec.types_freed;
    return atn_repeats(a, before, enter, exit);
}
static inline void atn_remember(const atn_again *a, int rank, const atn_traced_type *t,
                                atn_again *before, unsigned number)
{
    if (number == 0 || !atn_is_quick())
        return;
    *before = *a;
    before->rank = rank;
    before->number = (uint16_t)number;
    before->epoch = atn_rec.hand->epoch;
    before->types_freed = t->lasts ? 0 : atn_rec.types_freed;
}

/* ---- under the lock ---- */

/* Known, or found out now; never NULL, but with number -1 when there is no memory. */
const atn_traced_comm *atn_find_comm(MPI_Comm comm);
/* By its number; -1: none. */
const atn_traced_comm *atn_comm_at(int number);
const atn_traced_type *atn_find_type(MPI_Datatype type);
int atn_find_site(const void *address);
/* A rank of a communicator as rank of MPI_COMM_WORLD. */
int atn_partner(const atn_traced_comm *c, int rank);

/* Forgets all; gives the memory back. */
void atn_tables_free(void);

/* ---- takes the lock ---- */

/* A new communicator.  Its id counts those of the same group, which all its ranks make in the same
 * order. */
void atn_know_comm(MPI_Comm comm);
void atn_forget_comm(MPI_Comm comm);
void atn_forget_type(MPI_Datatype type);

/* ---- requests, under the lock ---- */

/* `comm`: in the table, for receives from anybody. */
void atn_add_request(MPI_Request handle, uint32_t request, bool any, int comm);
void atn_add_persistent(MPI_Request handle, const atn_trace_what *what, bool any, int comm);
/* NULL: not one that was recorded. */
atn_traced_request *atn_find_request(MPI_Request handle);
void atn_drop_request(MPI_Request handle);
/* What a probe has matched; its receive takes it, and so knows the sender.  False: not known. */
void atn_add_message(MPI_Message handle, const atn_trace_what *what);
bool atn_take_message(MPI_Message handle, atn_trace_what *what);

/* ---- recording ---- */

/* A call about which nothing but its times is known. */
void atn_record_plain(atn_trace_op op, const void *from, int64_t enter, int64_t exit);

#pragma GCC visibility pop

#endif
