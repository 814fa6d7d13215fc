/* exec_private.h - internals of the executor.
 *
 * A plan is a schedule and a program.  A program is the schedule bound to sizes: slots are byte
 * offsets from the base of their space, so running it only adds pointers.  Programs of operations
 * with one shared size are kept with the plan; those of the v-operations are bound at each call. */
#ifndef ATN_EXEC_EXEC_PRIVATE_H
#define ATN_EXEC_EXEC_PRIVATE_H

#include <stdatomic.h>

#include "exec/exec.h"
#include "exec/type.h"
#include "sched/partition.h"

/* A unit: a byte, or an element of a reduction. */
typedef struct {
    int64_t stride;               /* bytes from one unit to the next */
    int64_t true_lb, true_extent; /* of a unit */
    MPI_Datatype sent_type;       /* MPI type of messages ... */
    int64_t sent_each;            /* ... and its number of elements per unit */
    MPI_Datatype type;            /* for reductions */
    MPI_Op op;
    atn_kernel kernel; /* combines units; NULL: MPI_Reduce_local, for users' operators */
    bool contiguous;
} atn_exec_unit;

typedef enum {
    X_NOTHING,
    X_SEND,
    X_RECV,
    X_RECV_REDUCE,
    X_EXCHANGE,
    X_COPY,
    X_REDUCE,
    X_EXPOSE, /* from here on: exposure.h */
    X_READ,
    X_READ_REDUCE,
    X_CLOSE
} atn_xkind;

/* Part of an operation: `units` at offset a (bytes) of its first space, b of its second and c of
 * its third; for a message in several parts b is an offset into the pack buffer; for a message that
 * is combined, a is one into the message. */
typedef struct {
    int64_t a, b, c, units;
} atn_part;

typedef struct {
    uint8_t kind; /* atn_xkind; X_EXCHANGE: this one and the next */
    uint8_t space_a, space_b, space_c;
    bool ssend;
    int32_t peer, seq;
    int32_t nparts, part;        /* more than one part: parts[part ..] */
    int32_t ncombined, combined; /* recv_reduce and reads: parts[combined ..] of the result */
    int64_t packed;              /* message in several parts: offset in the pack buffer */
    int32_t count;               /* of a message, for MPI; chain only */
    int32_t turn;                /* number among the messages in this direction of its pair */
    atn_part one;                /* the only part; else units is the sum */
} atn_xop;

typedef struct {
    ATN_VEC(atn_xop) ops;
    ATN_VEC(atn_part) parts;
    int64_t scratch_bytes;     /* TMP and the pack buffer, with alignment; 0: none */
    int64_t tmp_at, packed_at; /* offset of unit 0 of TMP and of the pack buffer */
    bool chain;                /* run strictly in order */
    bool one_send;             /* sends a single message, alone in its step */
    bool bound;
} atn_program;

/* dag executor: dependencies. */
typedef struct {
    int32_t *succ, *first_succ; /* succ[first_succ[i] .. first_succ[i + 1]) wait for i */
    int32_t *next_send; /* of each send: the next one to the same rank, or -1; NULL: independent */
} atn_dag;

/* The MPI requests of one run, or of all runs that are open at a time. */
typedef struct {
    struct atn_dag_run *of;
    int32_t op;
} atn_request_owner;
typedef struct {
    ATN_VEC(MPI_Request) requests;
    ATN_VEC(atn_request_owner) owner; /* of NULL: complete */
    ATN_VEC(int) finished;
} atn_requests;

/* The state of one run of a dag. */
typedef struct atn_dag_run {
    struct atn_run *x;
    const atn_dag *d;
    atn_requests *requests;
    int n, frontier; /* operations; the first that is not complete */
    int32_t *pending, *heap;
    int nheap;
    bool *done;
    int32_t *open;                 /* incomplete requests of each operation */
    int nopen;                     /* ... and of all */
    struct atn_dag_shared *shared; /* messages of the shared-memory transport */
    int nshared, shared_cap;
    int code; /* the error that ended it */
} atn_dag_run;

/* Applications compute between two collective calls, so the caches are cold: what a run needs is
 * first, here and in atn_exec. */
struct atn_plan {
    atn_exec_unit unit;
    atn_program program;
    atn_problem q;
    int64_t each; /* units per natural block; v-operations: undefined */
    atn_choice choice;
    atn_schedule *schedule;
    atn_dag dag;
    atn_dag_run run; /* of blocking calls, one at a time */
    atn_requests requests;
    atn_program steps; /* of executions (execution.h), where the program is a chain */
    int users;         /* executions that need it */
    bool evicted;      /* from the cache: the last user frees it */
    int64_t bytes;     /* as counted by atn_exec_plans_bytes */
    int nidle;
    struct atn_execution *idle; /* for further calls */
};

enum { ATN_RAWS = 64, ATN_TYPES = 8 };
/* Associativity of the plan cache, most recent first; initial and maximum number of sets; number of
 * keys of evicted plans that are remembered. */
enum { ATN_WAYS = 4, ATN_SETS = 16, ATN_SETS_MOST = 512, ATN_EVICTED = 512 };
/* Bytes of all plans of the process: below the first, caches get more sets; above the second, each
 * new plan replaces all of its set. */
enum { ATN_PLANS_GROW = 4 << 20, ATN_PLANS_MOST = 16 << 20 };

typedef struct {
    uint64_t key;
    atn_plan *plan; /* NULL: free */
} atn_kept;

/* The arguments of a call that determine its plan, compared before anything is computed. */
typedef struct {
    int64_t src_count, dst_count;
    MPI_Datatype src_type, dst_type;
    MPI_Op op;
    int32_t root;
    uint8_t operation;
    bool in_place;
    bool used, named; /* named: no handle in it can be freed */
    bool direct;      /* the user's buffers are used directly */
    uint64_t epoch;
    atn_plan *plan; /* NULL: native */
} atn_raw_args;

typedef struct {
    MPI_Datatype handle;
    bool used;
    uint64_t epoch;
    atn_type info;
} atn_type_entry;

struct atn_exec {
    int p, r;
    bool yield;
    bool reproducible;        /* reductions that round are combined in the canonical order */
    bool direct;              /* property of the plan just returned */
    bool settled;             /* the last result holds for every call with the same arguments */
    unsigned call, call_mask; /* numbers calls, for tags */
    _Atomic int nopen;        /* executions (execution.h) */
    struct atn_execution *first_open, *last_open; /* in the order of calls */
    volatile int current;                         /* current operation, for a watchdog */
    const atn_plan *running;
    struct atn_shared *shared; /* NULL: all messages by MPI */
    atn_sharing sharing;       /* for algorithms that expose memory */
    char *scratch;             /* TMP and pack buffer */
    size_t scratch_bytes;
    unsigned evictions;         /* evicted plans */
    const atn_raw_args *recent; /* the entry that matched last */
    char *stage[2];             /* packed SRC and DST */
    size_t stage_bytes[2];
    atn_choose_fn choose;
    void *context;
    const struct atn_topo *topo;
    const struct atn_neighbourhood *neighbourhood; /* NULL: none */
    atn_lateness lateness;
    int *late; /* its data; NULL: unknown */
    /* Tables that exist when they are first needed: many communicators need none. */
    atn_kept *kept; /* ATN_WAYS of each set */
    int sets;
    uint64_t *evicted;    /* ATN_EVICTED */
    atn_raw_args *raws;   /* ATN_RAWS */
    atn_raw_args *starts; /* the same for nonblocking calls */
    atn_type_entry types[ATN_TYPES];
    atn_plan *sizes_plan[2]; /* exchange the sizes of gatherv and scatterv */
    int64_t *vectors;        /* sizes and offsets of v-operations: see vector() in side.c */
};

/* The context of a run. */
typedef struct atn_run {
    atn_exec *x;
    const atn_plan *plan;
    const atn_program *program;
    const atn_exec_unit *unit;
    uint64_t shared_call; /* its number among the calls that may use shared memory */
    bool shares;          /* uses shared memory; no other run does so at the same time */
    MPI_Comm comm;
    unsigned number; /* of the call */
    int tag0;
    char *base[ATN_SPACES];
    char *packed;
} atn_run;

/* bind.c */
bool atn_exec_program_bind(atn_program *g, const atn_schedule *s, const atn_partition *t,
                           const atn_exec_unit *u);
void atn_exec_program_free(atn_program *g);
/* data.c: local data movement */
void atn_exec_buffers_free(atn_exec *x);
char *atn_exec_reserve(char **buf, size_t *have, int64_t want);
/* Packs or unpacks n elements of `type` at `user` to or from `bytes` packed bytes. */
int atn_exec_pack(bool pack, char *user, int n, MPI_Datatype type, char *packed, int bytes);
/* out = in (op) operand; operand and out may be the same. */
int atn_exec_reduce_units(const atn_exec_unit *u, const void *in, const void *operand, void *out,
                          int64_t units);
/* recv_reduce and reads: combines or copies `bytes` of the message at `at`: whole units. */
int atn_exec_combine(const atn_run *x, const atn_xop *o, const char *data, int64_t at,
                     int64_t bytes);
int atn_exec_run_local(const atn_run *x, const atn_xop *o);
int atn_exec_pack_parts(const atn_run *x, const atn_xop *o);   /* parts -> pack buffer */
int atn_exec_unpack_parts(const atn_run *x, const atn_xop *o); /* pack buffer -> parts */
/* A message has arrived at its place: unpacks or combines it. */
int atn_exec_message_done(const atn_run *x, const atn_xop *o);
static inline bool atn_exec_receives(const atn_xop *o)
{
    return o->kind == X_RECV || o->kind == X_RECV_REDUCE;
}
/* The data of a message: in place, or in the pack buffer. */
static inline char *atn_exec_message(const atn_run *x, const atn_xop *o)
{
    return o->nparts > 1 ? x->packed + o->packed : x->base[o->space_a] + o->one.a;
}
/* One buffer for both sides without MPI_IN_PLACE, which MPI forbids. */
static inline bool atn_exec_one_buffer(const atn_call *call)
{
    return call->src.buf == call->dst.buf && call->src.buf && !call->in_place;
}
/* user.c: arguments of a call */
bool atn_exec_type_of(atn_exec *x, MPI_Datatype type, atn_type *info_p);
int64_t atn_exec_count_at(const atn_call *call, const atn_user *u, int j);
/* Packed bytes of natural block j of a side; -1: not a usable datatype. */
int64_t atn_exec_user_bytes(atn_exec *x, const atn_call *call, const atn_user *u, int j);
/* Whether a side of n natural blocks can be used in place. */
bool atn_exec_user_contiguous(atn_exec *x, const atn_user *u, int n);
/* Whether block j of a side belongs to a missing neighbour: it is neither read nor written. */
bool atn_exec_user_missing(const atn_exec *x, const atn_call *call, const atn_user *u, int j);
/* The blocks of the call's input on this rank, in an alltoall on all ranks or on neighbours. */
int atn_exec_call_blocks(const atn_exec *x, const atn_call *call);
/* Whether the type is one of those of the call. */
bool atn_exec_call_names(const atn_exec *x, const atn_call *call, MPI_Datatype type);
/* Copies the arrays of a side to *kept_p, because language bindings pass temporary ones; false: no
 * memory. */
bool atn_exec_user_keep(const atn_exec *x, const atn_call *call, atn_user *u, bool source,
                        void **kept_p);
/* Byte offset of natural block j in the user's buffer. */
int64_t atn_exec_user_offset(atn_exec *x, const atn_call *call, const atn_user *u, int j);

/* side.c: buffers bound for one call */
typedef struct {
    char *base[2];           /* SRC, DST */
    bool unpack;             /* DST is packed and must be unpacked */
    atn_partition partition; /* v-operations only */
} atn_sides;
int atn_exec_sides_bind(atn_exec *x, const atn_plan *plan, const atn_call *call, atn_sides *s);
int atn_exec_sides_unbind(atn_exec *x, const atn_plan *plan, const atn_call *call, atn_sides *s);
/* The sizes of all ranks' blocks for gatherv and scatterv (exchanged first). */
int64_t *atn_exec_vec_lens(atn_exec *x);

/* plan.c */
enum { ATN_KEEP_BYTES = 64 << 20 }; /* limit for buffers kept between calls */
void atn_exec_plan_handles(atn_plan *plan, MPI_Datatype type, MPI_Op op);
atn_plan *atn_exec_plan_new(const atn_problem *q, const atn_choice *choice,
                            const atn_exec_unit *unit, int64_t each, int *code_p);
void atn_exec_plan_free(atn_plan *plan);
static inline bool atn_exec_is_varying(const atn_problem *q)
{
    return atn_sched_operation_get(q->op)->flags & ATN_VARYING;
}
/* The program of executions, bound when first needed; NULL: no memory. */
const atn_program *atn_exec_plan_steps(atn_plan *plan);
/* Whether ranks exchange sizes before a call of the algorithm. */
bool atn_exec_exchanges_sizes(const atn_row *row);
/* Numbers a call: its tags, and the call of shared memory. */
void atn_exec_run_number(atn_exec *x, atn_run *run);
/* Scratch memory of x for the program of a run; false: no memory. */
bool atn_exec_run_place(atn_exec *x, atn_run *run);
/* execution.c */
/* Before a blocking call on x: waits for executions that it could disturb. */
void atn_exec_settle(atn_exec *x);
void atn_exec_executions_free(struct atn_execution *kept);
/* Frees the plan, or lets its last user do so. */
void atn_exec_plan_evict(atn_plan *plan);
/* chain.c, dag.c */
int atn_exec_run_chain(atn_run *x);
/* Whether a chain has only short messages in shared memory; a property of executor and plan. */
bool atn_exec_chain_is_short(const atn_exec *x, const atn_plan *plan);
/* Runs a short chain from operation *at_p on, as far as possible; looks for each message at most
 * `polls` times. */
int atn_exec_chain_advance(const atn_run *x, int *at_p, int polls);
int atn_exec_run_dag(atn_run *x, atn_dag_run *g);
bool atn_exec_dag_init(atn_dag *d, const atn_schedule *s);
void atn_exec_dag_free(atn_dag *d);
/* A run, step by step.  The requests may be those of several runs. */
bool atn_exec_dag_run_init(atn_dag_run *g, const atn_dag *d, const atn_schedule *s,
                           atn_requests *requests);
void atn_exec_dag_run_free(atn_dag_run *g);
int atn_exec_dag_begin(atn_dag_run *g, atn_run *x);
static inline bool atn_exec_dag_is_done(const atn_dag_run *g) { return g->frontier >= g->n; }
/* Advances messages in shared memory and starts what is ready; never waits. */
int atn_exec_dag_advance(atn_dag_run *g);
/* After an error: nothing writes to the user's buffers any more. */
void atn_exec_dag_cancel(atn_dag_run *g);
/* Tests all requests once and completes their operations; never waits.  Returns the number of
 * completed ones; an error is stored in the run that it concerns. */
int atn_exec_requests_test(atn_requests *q);
void atn_exec_requests_free(atn_requests *q);

#endif
