/* recorder.h - the state of the tracer, and the steps of every recorded call:
 *
 *   if (!atn_tracer_is_recorded()) call the real routine, one level deeper
 *   const int64_t t = atn_tracer_enter();
 *   code = next(...);
 *   atn_record...(OP, from, ..., t, atn_tracer_leave());
 *
 * atn_tracer_lock protects everything that recording changes; it is never held while MPI runs. */
#ifndef ATN_TRACER_RECORDER_H
#define ATN_TRACER_RECORDER_H

#include <pthread.h>

#include "trace/handles.h"
#include "trace/writer.h"
#include "tracer/clock.h"
#include "tracer/routines.h"

#pragma GCC visibility push(hidden)

/* A communicator; processes are ranks of MPI_COMM_WORLD. */
typedef struct {
    int number, p, r;
    bool inter;
    int *world; /* the ranks that messages are sent to and received from */
    int n;
    int sources, targets; /* neighbours in a topology */
} atn_traced_comm;

typedef struct {
    int number;
    bool predefined;
    bool freed;
    uint32_t since; /* types_freed when the handle got this number */
    int64_t bytes;
} atn_traced_type;

/* An active or persistent request, or a message that a probe has matched. */
typedef struct {
    uint32_t request; /* its number in the trace; 0: persistent and inactive */
    uint32_t next;    /* in the list of free entries */
    bool any, persistent;
    int comm;            /* index in comms; for `any` */
    atn_trace_what what; /* persistent: the call that a start makes */
} atn_traced_request;

/* The arguments of the last test on the fast path.  Programs mostly repeat them, and comparing is
 * faster than storing. */
typedef struct {
    MPI_Request handle;
    MPI_Status *status;
} atn_test_arguments;

/* The fields that every call reads come first. */
typedef struct {
    _Alignas(64) int64_t poll_state; /* flags and counter, see polls.h */
    int64_t entered;                 /* ticks at the start of the last test on the fast path */
    int depth;                       /* nesting of MPI calls, in single-threaded programs */
    bool on;                         /* calls are recorded */
    bool messages;                   /* also those inside of collectives */
    bool threads;                    /* MPI_THREAD_MULTIPLE */
    bool fast;                       /* calls are recorded, by one thread */
    int anys;                        /* active receives with a wildcard */
    uint32_t types_freed;            /* + 1 */
    atn_trace_cursor *cursor;        /* the writer's current block */
    atn_test_arguments test, test_any;
    MPI_Status own_status; /* where the program ignores it */
    atn_handles comm_of;
    ATN_VEC(atn_traced_comm) comms;
    atn_trace_writer *writer;
    int64_t polls;              /* unsuccessful tests and probes off the fast path */
    int64_t found;              /* successful ones on the fast path */
    int64_t timed, timed_ticks; /* unsuccessful ones that were timed, and their total time */
    int p, r;
    pthread_mutex_t lock;
    atn_handles type_of, site_of, request_of, group_of;
    atn_handles comm_of_window, comm_of_file; /* numbers of communicators */
    atn_handles message_of;
    atn_handles number_of_type; /* by name and size */
    ATN_VEC(atn_traced_type) types;
    ATN_VEC(atn_traced_request) requests;
    uint32_t free_request; /* + 1 */
    int sites, derived;
    ATN_VEC(const char *) modules;
    int numbered; /* threads that have called MPI */
} atn_recorder;

extern atn_recorder atn_tracer_rec;

/* Nesting of MPI calls in this thread.  Single-threaded programs use atn_tracer_rec.depth, which
 * is in the cache line that every call reads. */
extern _Thread_local int atn_tracer_thread_depth __attribute__((tls_model("initial-exec")));
static inline int *atn_tracer_depth_here(void)
{
    return ATN_RARELY(atn_tracer_rec.threads) ? &atn_tracer_thread_depth : &atn_tracer_rec.depth;
}
#define atn_depth (*atn_tracer_depth_here())
/* The number of this thread in the trace, in the order of first calls; threads above the maximum
 * share the last number. */
extern _Thread_local uint8_t atn_tracer_thread __attribute__((tls_model("initial-exec")));
void atn_tracer_number_thread(void);

enum { ATN_POLL_ACTIVE = 1 }; /* bit of poll_state: inside of a test on the fast path */

static inline bool atn_tracer_is_recorded(void)
{
    return atn_tracer_rec.on && (atn_tracer_rec.poll_state & ATN_POLL_ACTIVE) == 0 &&
           (atn_depth == 0 || (atn_tracer_rec.messages && atn_depth == 1));
}

static inline int64_t atn_tracer_enter(void)
{
    atn_depth++;
    return atn_tracer_now();
}
static inline int64_t atn_tracer_leave(void)
{
    const int64_t t = atn_tracer_now();
    atn_depth--;
    return t;
}

/* Calls the real routine without recording. */
#define ATN_PASS(call)                                                                             \
    do {                                                                                           \
        atn_depth++;                                                                               \
        const int passed = call;                                                                   \
        atn_depth--;                                                                               \
        return passed;                                                                             \
    } while (0)

/* Keeps rare cases out of the code of frequent calls. */
#define ATN_RARE __attribute__((noinline, cold))
#define ATN_FAST static inline __attribute__((always_inline))

static inline void atn_tracer_lock(void)
{
    if (atn_tracer_rec.threads) {
        pthread_mutex_lock(&atn_tracer_rec.lock);
        atn_tracer_number_thread();
    }
}
static inline void atn_tracer_unlock(void)
{
    if (atn_tracer_rec.threads)
        pthread_mutex_unlock(&atn_tracer_rec.lock);
}

/* The body of a handler: calls the real routine and, if it succeeds, runs the statements under the
 * lock with the times `enter` and `exit`. */
#define ATN_RECORD_CALL(invoked, ...)                                                              \
    if (!atn_tracer_is_recorded())                                                                 \
        ATN_PASS(invoked);                                                                         \
    const int64_t enter = atn_tracer_enter();                                                      \
    const int code = invoked;                                                                      \
    const int64_t exit = atn_tracer_leave();                                                       \
    if (code == MPI_SUCCESS) {                                                                     \
        atn_tracer_lock();                                                                         \
        __VA_ARGS__                                                                                \
        atn_tracer_unlock();                                                                       \
    }                                                                                              \
    return code;

static inline void atn_tracer_count_any(int more)
{
    __atomic_store_n(&atn_tracer_rec.anys, atn_tracer_rec.anys + more, __ATOMIC_RELAXED);
}
/* Valid without the lock, too: requests of the calling thread were counted earlier. */
static inline bool atn_tracer_any_active(void)
{
    return __atomic_load_n(&atn_tracer_rec.anys, __ATOMIC_RELAXED) > 0;
}

/* ---- tables (tables.c), under the lock ---- */

/* Added on first use; never NULL, but with number -1 when there is no memory. */
const atn_traced_comm *atn_tracer_find_comm(MPI_Comm comm);
/* By its number; -1: none. */
const atn_traced_comm *atn_tracer_comm_at(int number);
const atn_traced_type *atn_tracer_find_type(MPI_Datatype type);
int atn_tracer_find_site(const void *address);
/* A rank of a communicator as rank of MPI_COMM_WORLD. */
int atn_tracer_partner(const atn_traced_comm *c, int rank);
void atn_tracer_tables_free(void);

/* ---- tables; these take the lock ---- */

/* The id of a new communicator counts those of the same group, which all of its ranks create in the
 * same order. */
void atn_tracer_add_comm(MPI_Comm comm);
void atn_tracer_remove_comm(MPI_Comm comm);
void atn_tracer_remove_type(MPI_Datatype type);

/* ---- requests (requests.c), under the lock ---- */

/* `comm`: number of the communicator, for receives with a wildcard. */
void atn_tracer_add_request(MPI_Request handle, uint32_t request, bool any, int comm);
void atn_tracer_add_persistent(MPI_Request handle, const atn_trace_what *what, bool any, int comm);
/* A message that a probe has matched, and so its sender. */
void atn_tracer_add_message(MPI_Message handle, const atn_trace_what *what);
/* Copies sender, tag and communicator of the message, if it is in the table, and removes it. */
void atn_tracer_take_message(MPI_Message handle, atn_trace_what *what);

/* ---- recording (collectives.c) ---- */

/* A call of which only the times are recorded. */
void atn_tracer_record_plain(atn_trace_op op, const void *from, int64_t enter, int64_t exit);

#pragma GCC visibility pop

#endif
