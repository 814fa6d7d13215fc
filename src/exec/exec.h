/* exec.h - carries out schedules with MPI point-to-point messages.
 *
 * One atn_exec per communicator that is served: it owns the plan cache and the scratch memory, so
 * threads on different communicators share nothing.  Calls only PMPI functions that Attune does
 * not interpose. */
#ifndef ATN_EXEC_H
#define ATN_EXEC_H

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
 * are filled in on every rank, dst.buf at the root.  MPI_IN_PLACE never appears in src.buf or
 * dst.buf: `in_place` says it, and the entry then filled in the other side's arguments. */
typedef struct {
    atn_operation op;
    atn_user src, dst;
    int root;
    MPI_Op mpi_op;
    bool in_place;
    bool wide;
} atn_call;

/* Asked for a problem; may depend on nothing but `q` and data that all ranks share.  Returns
 * whether the answer depends on `q` alone and so may be remembered. */
typedef bool (*atn_choose_fn)(void *context, const atn_problem *q, atn_choice *choice_p);

typedef struct atn_exec atn_exec;

/* `yield`: give the processor away while waiting (ranks outnumber cores). */
atn_exec *atn_exec_new(int p, int r, bool yield, atn_choose_fn choose, void *context);
void atn_exec_free(atn_exec *x); /* makes no MPI call */
/* Frees what executors share, once none of them runs any more and before MPI_Finalize. */
void atn_exec_end(int (*comm_free)(MPI_Comm *comm));
/* Where the ranks are, as all of them know it; must outlive the executor. */
void atn_exec_set_topo(atn_exec *x, const struct atn_topo *topo);
/* When ranks come to all calls, by rank, as all of them know it; copied.  Before the first plan.
 * False: no memory. */
bool atn_exec_set_lateness(atn_exec *x, const int *late);
/* Reductions whose bits depend on the order of operands are then served in the canonical one
 * (sched/canonical.h), whatever is chosen, and never by the native routine. */
void atn_exec_set_reproducible(atn_exec *x, bool reproducible);
/* Whether the call is one of these. */
bool atn_call_canonical(atn_exec *x, const atn_call *call);

/* The shared problem of a call, as all ranks see it (design: what is shared).  False when the
 * arguments are invalid (the native routine will say so). */
bool atn_call_problem(atn_exec *x, const atn_call *call, atn_problem *q_p);

/* Bytes that this rank sends (scatterv: receives) in a call of an operation whose sizes ranks do
 * not share; only for summaries of all ranks. */
int64_t atn_call_volume(atn_exec *x, const atn_call *call);

/* The plan for a call, from the cache or made now; NULL with *code_p = MPI_SUCCESS when the native
 * routine was chosen.  Needs no communicator, so the caller can create it when a plan first
 * asks. */
typedef struct atn_plan atn_plan;
atn_plan *atn_exec_plan(atn_exec *x, const atn_call *call, int *code_p);
/* The same when somebody else has chosen for the problem of the call, which is told and not
 * remembered. */
atn_plan *atn_exec_plan_as(atn_exec *x, const atn_call *call, const atn_problem *q,
                           const atn_choice *choice, int *code_p);
/* Whether the handles are predefined (or the null handle): they never change their meaning. */
bool atn_exec_named(atn_exec *x, MPI_Datatype type, MPI_Op op);
/* Whether the plan just returned serves every call that differs in the buffers alone. */
bool atn_exec_repeats(const atn_exec *x, const atn_plan *plan, const atn_call *call);
/* One buffer for both sides, without MPI_IN_PLACE, and the native routine will report it.  Where it
 * would not, the call is served like those of other ranks, which know nothing of it. */
bool atn_call_aliased(const atn_call *call);
/* Whether NULL was a choice, which holds for equal calls, and not the answer to a mistake in this
 * one, which is for the native routine to report. */
bool atn_exec_settled(const atn_exec *x);
const atn_choice *atn_plan_choice(const atn_plan *plan);
/* Runs it on the private communicator; returns an MPI error code, or ATN_DECLINED on all ranks
 * alike when the library must serve this call. */
enum { ATN_DECLINED = -1 };
int atn_exec_run(atn_exec *x, atn_plan *plan, const atn_call *call, MPI_Comm wire);

/* The plan of the call just run if it serves every call that differs in the buffers alone and is
 * not in place; NULL: it does not.  It lives until the number of evictions changes. */
atn_plan *atn_exec_repeatable(const atn_exec *x, const atn_call *call);
unsigned atn_exec_evictions(const atn_exec *x);
int atn_exec_repeat(atn_exec *x, atn_plan *plan, const void *src, void *dst, MPI_Datatype type,
                    MPI_Op op, MPI_Comm wire);

/* For a watchdog, from another thread: what is under way (NULL: nothing) and at which operation. */
typedef struct {
    const char *algorithm;
    int operation, peer;
} atn_stall;
bool atn_exec_stall(const atn_exec *x, atn_stall *stall_p);

/* Handle-keyed caches: call when the user frees a datatype or an operator. */
void atn_type_forget(MPI_Datatype type);
void atn_op_forget(MPI_Op op);
bool atn_op_commutes(MPI_Op op);
/* Whether every order of operands gives the same bits: integers, minima, maxima, bits. */
bool atn_op_is_exact(MPI_Op op, MPI_Datatype type);
/* Whether Attune knows what the operator does: it may be applied once more without being seen. */
bool atn_op_is_known(MPI_Op op);
/* The MPI library's own MPI_Type_free; set it when MPI_Type_free is interposed. */
extern int (*atn_real_type_free)(MPI_Datatype *type);

#endif
