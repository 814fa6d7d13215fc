/* exec.h - executes schedules with MPI point-to-point messages.
 *
 * One atn_exec per served communicator owns the plan cache and the scratch memory, so threads on
 * different communicators share nothing.  Calls only PMPI functions that Attune does
 * not interpose. */
#ifndef ATN_EXEC_EXEC_H
#define ATN_EXEC_EXEC_H

#include <mpi.h>

#include "plan/choice.h"

/* One side of a collective call as the user passed it. */
typedef struct {
    void *buf;
    int64_t count; /* regular operations */
    MPI_Datatype type;
    const void *counts;        /* v and w operations: int[], or MPI_Count[] when wide */
    const void *displs;        /* int[], or MPI_Aint[] when wide; NULL: consecutive */
    const MPI_Datatype *types; /* w operations: displacements are then bytes */
} atn_user;

/* A collective call.  Where MPI has one buffer (bcast) it is `dst`.  reduce: src.count, src.type
 * are set on every rank, dst.buf at the root.  MPI_IN_PLACE never appears in src.buf or dst.buf:
 * `in_place` represents it, and the entry point has set the other side's arguments.
 * Neighbourhood collectives: one entry of counts, displs and types for each neighbour, also for
 * those that are missing (MPI_PROC_NULL), which are not read; the displacements of
 * neighbor_alltoallw are MPI_Aint[], also if it is not wide. */
typedef struct {
    atn_operation op;
    atn_user src, dst;
    int root;
    MPI_Op mpi_op;
    bool in_place;
    bool wide;
} atn_call;

/* Chooses an algorithm for a problem; may depend only on `q` and data that all ranks share.
 * Returns whether the choice depends on `q` alone and may be cached. */
typedef bool (*atn_choose_fn)(void *context, const atn_problem *q, atn_choice *choice_p);

typedef struct atn_exec atn_exec;

/* `yield`: yield the processor while waiting (oversubscription). */
atn_exec *atn_exec_new(int p, int r, bool yield, atn_choose_fn choose, void *context);
void atn_exec_free(atn_exec *x); /* makes no MPI call */
/* Frees shared resources, after the last execution and before MPI_Finalize. */
void atn_exec_end(int (*comm_free)(MPI_Comm *comm));
/* The placed topology, the same on all ranks; must outlive the executor. */
void atn_exec_set_topo(atn_exec *x, const struct atn_topo *topo);
/* The virtual topology of the communicator, the same on all ranks; the executor holds it, too.
 * Call before the first plan.  Without one, neighbourhood collectives have no plans. */
void atn_exec_set_neighbourhood(atn_exec *x, const struct atn_neighbourhood *n);
/* The arrival pattern of all calls, by rank, the same on all ranks; copied.  Call before the first
 * plan.  False: no memory. */
bool atn_exec_set_lateness(atn_exec *x, const int *late);
/* The shared-memory transport of a communicator (shared.h): ranks that prove to share memory use it
 * for their messages.  Collective; NULL on ranks that share memory with no other one.
 * `wanted`: by this rank; all must agree.  `yields`: the cores of this host are oversubscribed.
 * *sharing_p: the ranks that can read each other's memory, the same on all ranks.
 * Executors of the communicator may share it. */
typedef struct atn_shared atn_shared;
struct atn_place_mpi;
atn_shared *atn_exec_shared_open(const struct atn_place_mpi *mpi, MPI_Comm comm, bool wanted,
                                 bool yields, atn_sharing *sharing_p);
/* Messages of this size and above are read from the sender's memory, where that is possible.  Each
 * sender decides by itself; 0: as by default.  m may be NULL. */
void atn_exec_shared_set_direct(atn_shared *m, int64_t bytes);
void atn_exec_shared_close(atn_shared *m); /* makes no MPI call; NULL is fine */
void atn_exec_set_shared(atn_exec *x, atn_shared *m);
/* Algorithms may then expose memory. */
void atn_exec_set_sharing(atn_exec *x, atn_sharing sharing);
/* Reductions whose bits depend on the order of operands then use the canonical order
 * (sched/canonical.h), whatever the choice, and never the native routine. */
void atn_exec_set_reproducible(atn_exec *x, bool reproducible);
/* Replaces the choice for such a problem by one that keeps the order. */
void atn_exec_keep_canonical(const atn_problem *q, atn_choice *choice);
/* Whether the call is such a reduction. */
bool atn_exec_call_canonical(atn_exec *x, const atn_call *call);

/* The problem of a call, from data that all ranks share.  False if the arguments are invalid (the
 * native routine reports it). */
bool atn_exec_call_problem(atn_exec *x, const atn_call *call, atn_problem *q_p);

/* Bytes that this rank sends (scatterv: receives) in a call whose sizes ranks do not share; only
 * for summaries over all ranks. */
int64_t atn_exec_call_volume(atn_exec *x, const atn_call *call);

/* The size that a pattern (algo/pattern.h) has for rank j: what this rank sends to it or, where
 * there is one size per rank, its block; -1: not a usable datatype. */
int64_t atn_exec_call_size(atn_exec *x, const atn_call *call, int j);

/* The plan for a call, from the cache or created now; NULL with *code_p = MPI_SUCCESS if the native
 * routine was chosen.  Needs no communicator, so the caller can create it with the first
 * plan. */
typedef struct atn_plan atn_plan;
atn_plan *atn_exec_plan(atn_exec *x, const atn_call *call, int *code_p);
/* The same for a choice that the caller has made for the problem of the call; the choice is not
 * cached. */
atn_plan *atn_exec_plan_as(atn_exec *x, const atn_call *call, const atn_problem *q,
                           const atn_choice *choice, int *code_p);
/* Stores the plan just returned for nonblocking calls with the same arguments, whose choice lasts.
 */
void atn_exec_start_remember(atn_exec *x, const atn_call *call, const atn_problem *q,
                             atn_plan *plan);
/* The stored plan; NULL: none. */
atn_plan *atn_exec_start_find(atn_exec *x, const atn_call *call);
/* Whether the handles are predefined or null: they are never reused. */
bool atn_exec_named(atn_exec *x, MPI_Datatype type, MPI_Op op);
/* Whether the plan just returned serves every call that differs only in its buffers. */
bool atn_exec_repeats(const atn_exec *x, const atn_plan *plan, const atn_call *call);
/* One buffer for both sides without MPI_IN_PLACE, which the native routine reports.  Where it does
 * not, the call is served like those of other ranks, which cannot detect it. */
bool atn_exec_call_aliased(const atn_call *call);
/* Whether NULL was a choice, which holds for equal calls, and not the result of an error in this
 * one, which the native routine reports. */
bool atn_exec_settled(const atn_exec *x);
const atn_choice *atn_exec_plan_choice(const atn_plan *plan);
/* Runs the plan on the private communicator; returns an MPI error code, or ATN_DECLINED on all
 * ranks if the library must serve this call. */
enum { ATN_DECLINED = -1 };
int atn_exec_run(atn_exec *x, atn_plan *plan, const atn_call *call, MPI_Comm comm);

/* The plan of the call just run if it serves every call that differs only in its buffers and is not
 * in place; else NULL.  It is valid until the number of evictions changes. */
atn_plan *atn_exec_repeatable(const atn_exec *x, const atn_call *call);
unsigned atn_exec_evictions(const atn_exec *x);
/* Memory of the plans of this process, on all communicators. */
int64_t atn_exec_plans_bytes(void);
int atn_exec_repeat(atn_exec *x, atn_plan *plan, const void *src, void *dst, MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm);

/* For a watchdog in another thread: the running algorithm (false: none) and its operation. */
typedef struct {
    const char *algorithm;
    int operation, peer;
} atn_stall;
bool atn_exec_stall(const atn_exec *x, atn_stall *stall_p);

/* Handle-keyed caches: call when the user frees a datatype or an operator. */
void atn_exec_type_forget(MPI_Datatype type);
void atn_exec_op_forget(MPI_Op op);
bool atn_exec_op_commutes(MPI_Op op);
/* Whether every order of operands gives the same bits: integers, minima, maxima, bits. */
bool atn_exec_op_is_exact(MPI_Op op, MPI_Datatype type);
/* Whether the operator is predefined: an additional application has no side effects. */
bool atn_exec_op_is_known(MPI_Op op);
/* The real routines; set them where they are interposed. */
extern int (*atn_real_type_free)(MPI_Datatype *type);
extern int (*atn_real_request_free)(MPI_Request *request);
extern int (*atn_real_cancel)(MPI_Request *request);
typedef struct {
    int (*test)(MPI_Request *request, int *flag, MPI_Status *status);
    int (*testall)(int n, MPI_Request requests[], int *flag, MPI_Status statuses[]);
    int (*testsome)(int n, MPI_Request requests[], int *count, int indices[],
                    MPI_Status statuses[]);
    int (*wait)(MPI_Request *request, MPI_Status *status);
    int (*waitall)(int n, MPI_Request requests[], MPI_Status statuses[]);
    int (*waitany)(int n, MPI_Request requests[], int *index, MPI_Status *status);
    int (*waitsome)(int n, MPI_Request requests[], int *count, int indices[],
                    MPI_Status statuses[]);
} atn_completions;
extern atn_completions atn_real_complete;
/* The routines of the MPI library, where the program's calls of them are interposed; `threads`:
 * several may call MPI at the same time. */
void atn_exec_complete_by(const atn_completions *routines, bool threads);
extern int (*atn_real_comm_create)(MPI_Comm comm, MPI_Group group, MPI_Comm *made);

#endif
