/* state.h - the state that Attune attaches to a communicator.
 *
 * A communicator is COUNTING while its first calls stay native; then one agreement makes it SERVED
 * or NATIVE for the rest of its life.  Every step depends only on the sequence of collective calls
 * on it, which its ranks share. */
#ifndef ATN_PMPI_COMM_STATE_H
#define ATN_PMPI_COMM_STATE_H

#include <stdatomic.h>

#include "exec/exec.h"
#include "pmpi/job/job.h"
#include "tune/drivers/driver.h"

typedef enum { ATN_COMM_COUNTING, ATN_COMM_NATIVE, ATN_COMM_SERVED } atn_comm_stage;

/* The virtual topology (neighbours.h): not read yet; none; some rank sends several blocks to the
 * same rank; none does. */
typedef enum {
    ATN_NEIGHBOURS_UNREAD,
    ATN_NEIGHBOURS_NONE,
    ATN_NEIGHBOURS_REPEATED,
    ATN_NEIGHBOURS_DISTINCT
} atn_neighbours;

/* The arguments that, on one communicator, determine the choice for an operation. */
typedef struct {
    int64_t count; /* -1: other arguments matter as well */
    MPI_Datatype type;
    MPI_Op op;
    int root;
} atn_call_key;

/* A call and what executes calls with equal arguments: an entry of the call cache (fastpath.h). */
enum { ATN_CALL_CACHE_BITS = 6, ATN_CALL_CACHE = 1 << ATN_CALL_CACHE_BITS };
typedef struct {
    atn_call_key key;
    uint64_t context;
    unsigned freed; /* number of freed handles at that time, because handles are reused */
    unsigned era;   /* of the promise */
    uint8_t operation;
    bool predefined;      /* datatype and operator cannot be freed */
    atn_promise *promise; /* number of calls that the entry may serve; NULL: empty entry */
    atn_plan *plan;       /* NULL: the native routine */
} atn_cached_call;

/* The call cache of communicators without one: always empty. */
extern atn_cached_call atn_comm_no_calls[ATN_CALL_CACHE] ATN_HIDDEN;

/* Entries of the call cache that repeated calls have hit, for call prediction: the latest of `n`.
 */
enum { ATN_HIT_LOG = 256 };
typedef struct {
    unsigned n;
    uint8_t entry[ATN_HIT_LOG];
} atn_hit_log;

typedef struct atn_comm {
    MPI_Comm user;         /* MPI_COMM_NULL: freed */
    _Atomic int holders;   /* the program's handle, and persistent requests */
    MPI_Comm private_comm; /* carries Attune's messages; MPI_COMM_NULL until it is needed */
    MPI_Comm self;         /* of requests (nonblocking/request.h); MPI_COMM_NULL until needed */
    struct atn_open_request *spare; /* requests for further calls */
    int nspare;
    uint64_t started;                /* nonblocking and persistent calls that could be served */
    struct atn_start_tuning *starts; /* tuning of nonblocking calls; NULL: none yet */
    int held;                        /* nonblocking calls that have not begun, see held.h */
    atn_exec *exec;
    atn_shared *shared;          /* memory of its ranks on this host; NULL: none */
    struct atn_topo *topo;       /* of its ranks; NULL: unknown */
    struct atn_topo *first_topo; /* which a sketch has replaced; the current call may use it */
    const atn_rules *wisdom;     /* for its rank mapping; NULL: none */
    const char *place;           /* name of its rank mapping in wisdom; NULL: there is no wisdom */
    int p, r;
    atn_comm_stage stage;
    atn_neighbours neighbours;
    bool foreign;         /* NATIVE because of processes of other jobs; else for lack of memory */
    bool reserved;        /* counts against the limit of private communicators */
    bool unused;          /* set up when it was made, and no nonblocking call was started */
    uint64_t calls, wake; /* wake: the call at which an agreement must be completed */
    atn_cached_call *cached;       /* ATN_CALL_CACHE of them; before set-up, atn_comm_no_calls */
    atn_promise always;            /* of calls that are not tuned */
    struct atn_model_plans *model; /* what the model chose so far; NULL: nothing */
    const atn_call *call;          /* being served */
    bool ending;                   /* atn_select_model_end must run after the call */
    int failed;                    /* error code of the selection for the call */
    unsigned evictions;            /* of the executor when the call cache was last valid */
    atn_driver *driver;            /* of its tuners; NULL: no online tuning */
    struct atn_comm_arrivals *arrivals; /* arrival patterns; NULL: none */
    uint64_t requested_context;         /* by info key, on this rank; 0: none */
    uint64_t context;                   /* by info key, as agreed; 0: none */
    uint64_t history;                   /* the latest calls, if contexts are derived from them */
    uint32_t before;                    /* operations that were called before set-up */
    atn_hit_log *hits;                  /* NULL: not recorded */
    struct atn_call_prediction *prediction;
    /* For the watchdog, which reads them from its own thread: the beat is odd inside a call. */
    _Atomic unsigned beat;
    _Atomic int op, root;
    const atn_row *_Atomic row;   /* NULL: the native routine */
    unsigned seen;                /* written by the watchdog: the last beat ... */
    int still;                    /* ... and the number of seconds without a change */
    struct atn_comm *prev, *next; /* all live states, ordered by creation of private_comm */
} atn_comm;

/* What higher layers attach to a communicator.  The job has one table. */
typedef struct {
    atn_choose_fn choose;        /* selection for the executor; its context is the state */
    bool (*attach)(atn_comm *c); /* before the agreement on c; false: no memory */
    /* Whether the communicator must be set up at the first call of the operation. */
    bool (*is_urgent)(const atn_comm *c, atn_operation op);
    void (*set_context)(atn_comm *c, uint64_t context); /* ranks agreed on an info key */
    void (*wake)(atn_comm *c, atn_operation op);        /* c->calls has reached c->wake */
    void (*detach)(atn_comm *c);  /* before c is freed, on all its ranks: may communicate */
    void (*release)(atn_comm *c); /* frees memory; makes no MPI call */
} atn_comm_hooks;
extern const atn_comm_hooks *atn_comm_hooked ATN_HIDDEN;

/* Before and after a step that may stall; root -1: none or unknown. */
static inline void atn_comm_beat_begin(atn_comm *c, atn_operation op, int root)
{
    atomic_store(&c->op, (int)op);
    atomic_store(&c->root, root);
    atomic_store(&c->row, NULL);
    atomic_fetch_add(&c->beat, 1);
}
static inline void atn_comm_beat_end(atn_comm *c) { atomic_fetch_add(&c->beat, 1); }

/* Raises an error of Attune through the user's error handler, as the native routine would.  Returns
 * the code. */
int atn_comm_raise(const atn_comm *c, int code);

/* ---- lifetime ---- */

/* Frees what a state has besides itself and the executor; makes no MPI call. */
void atn_comm_state_empty(atn_comm *c);
/* A new state without agreement; NULL: no memory. */
atn_comm *atn_comm_adopt(MPI_Comm comm);
/* MPI_Comm_free begins and has ended: in between, attribute callbacks of the user may still use the
 * communicator natively, or free others.  free_end takes what free_begin returned. */
MPI_Comm atn_comm_free_begin(MPI_Comm comm);
void atn_comm_free_end(MPI_Comm before);

/* Persistent requests hold their communicator: the last holder frees the state. */
void atn_comm_hold(atn_comm *c);
void atn_comm_release(atn_comm *c);

/* Creates the attribute key; false: MPI cannot. */
bool atn_comms_open(const atn_comm_hooks *hooks);
/* Frees all private communicators and states. */
void atn_comms_stop(void);

#endif
