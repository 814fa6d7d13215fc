/* cache.c - finds the plan of a call: first by comparing its raw arguments (raws), then by its
 * shared problem (plans).  Both tables are bounded.  The latter grows when an evicted plan is
 * needed again: a program that cycles through many different calls gets space for all of them,
 * one that never repeats a call does not.  Plans of many ranks are large, and a program may have
 * many communicators, so that the memory of all plans of the process is bounded as well. */
#include <stdlib.h>
#include <string.h>

#include "exec/exec_private.h"
#include "sched/canonical.h"
#include "sched/neighbourhood.h"

/* ---- executor ---- */

static const atn_raw_args no_args; /* of an executor without any */

atn_exec *atn_exec_new(int p, int r, bool yield, atn_choose_fn choose, void *context)
{
    atn_exec *x = calloc(1, sizeof *x);
    int *upper = NULL, found = 0;

    if (!x)
        return NULL;
    *x = (atn_exec){
        .recent = &no_args, .p = p, .r = r, .yield = yield, .choose = choose, .context = context};
    x->sets = ATN_SETS;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &found);
    x->call_mask = found ? (unsigned)*upper >> 20 : 0;
    if (!atn_is_pow2((int)x->call_mask + 1)) /* all bits of the mask set */
        x->call_mask = (1U << atn_floor_log2((int)x->call_mask + 1)) - 1;
    return x;
}

void atn_exec_set_topo(atn_exec *x, const struct atn_topo *topo) { x->topo = topo; }

void atn_exec_set_neighbourhood(atn_exec *x, const struct atn_neighbourhood *n)
{
    atn_sched_neighbourhood_free(x->neighbourhood);
    x->neighbourhood = atn_sched_neighbourhood_share(n);
    free(x->vectors); /* of earlier calls: they have entries for fewer neighbours */
    x->vectors = NULL;
}

void atn_exec_set_shared(atn_exec *x, atn_shared *m) { x->shared = m; }
void atn_exec_set_sharing(atn_exec *x, atn_sharing sharing) { x->sharing = sharing; }

bool atn_exec_set_lateness(atn_exec *x, const int *late)
{
    const size_t bytes = sizeof *late * (size_t)x->p;

    x->late = malloc(bytes);
    if (!x->late)
        return false;
    memcpy(x->late, late, bytes);
    x->lateness = (atn_lateness){x->p, x->late};
    return true;
}

void atn_exec_set_reproducible(atn_exec *x, bool reproducible) { x->reproducible = reproducible; }

void atn_exec_free(atn_exec *x)
{
    if (!x)
        return;
    for (int i = 0; x->kept && i < x->sets * ATN_WAYS; i++)
        atn_exec_plan_evict(x->kept[i].plan);
    free(x->kept);
    free(x->raws);
    free(x->starts);
    free(x->evicted);
    for (int i = 0; i < 2; i++)
        atn_exec_plan_free(x->sizes_plan[i]);
    atn_exec_buffers_free(x);
    free(x->late);
    atn_sched_neighbourhood_free(x->neighbourhood);
    free(x);
}

bool atn_exec_stall(const atn_exec *x, atn_stall *stall_p)
{
    const atn_plan *plan = x->running;
    const int at = x->current;

    if (!plan || at < 0 || at >= plan->schedule->nops)
        return false;
    *stall_p = (atn_stall){plan->choice.row->name, at, plan->schedule->ops[at].peer};
    return true;
}

bool atn_exec_settled(const atn_exec *x) { return x->settled; }

/* ---- raw arguments ---- */

/* Of a table with ATN_RAWS entries. */
static atn_raw_args *raw_slot(atn_raw_args *table, const atn_call *call)
{
    const uint64_t h = ((uint64_t)call->src.count * 31 + (uint64_t)call->dst.count) * 17 +
                       (uint64_t)(uintptr_t)call->dst.type + (uint64_t)call->root * 7 +
                       (uint64_t)call->op;
    return &table[(h * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
}

static bool raw_matches(const atn_raw_args *w, const atn_call *call)
{
    return w->used && w->operation == call->op && w->src_count == call->src.count &&
           w->dst_count == call->dst.count && w->src_type == call->src.type &&
           w->dst_type == call->dst.type && w->op == call->mpi_op && w->root == call->root &&
           w->in_place == call->in_place && (w->named || w->epoch == atn_exec_handles_epoch());
}

/* The sides whose arguments are significant on this rank. */
static void significant(const atn_call *call, const atn_problem *q, bool side_p[2])
{
    const atn_place place =
        call->in_place ? atn_sched_operation_place(call->op, q->r == q->root) : ATN_PLACE_NONE;

    side_p[0] = atn_sched_has_src(q) && place != ATN_PLACE_SAME && place != ATN_PLACE_OWN;
    side_p[1] = atn_sched_has_dst(q) && place != ATN_PLACE_OWN_SRC;
}

bool atn_exec_named(atn_exec *x, MPI_Datatype type, MPI_Op op)
{
    atn_operator operator;
    atn_type info;

    if (type == MPI_DATATYPE_NULL)
        return true;
    if (!atn_exec_type_of(x, type, &info) || !info.named)
        return false;
    return op == MPI_OP_NULL ||
           (atn_exec_operator_query(op, type, &info, &operator) && operator.named);
}

/* Whether every handle of the call is predefined. */
static bool is_named(atn_exec *x, const atn_call *call, const atn_problem *q)
{
    bool used[2];

    if (atn_sched_operation_get(call->op)->flags & ATN_TYPED)
        return atn_exec_named(x, call->src.type, call->mpi_op);
    significant(call, q, used);
    return (!used[0] || atn_exec_named(x, call->src.type, MPI_OP_NULL)) &&
           (!used[1] || atn_exec_named(x, call->dst.type, MPI_OP_NULL));
}

/* Whether the program can use the user's buffers directly. */
static bool is_direct(atn_exec *x, const atn_call *call, const atn_problem *q)
{
    const bool copied = call->in_place &&
                        atn_sched_operation_place(call->op, x->r == call->root) == ATN_PLACE_STAGED;
    bool used[2];

    if (copied || atn_exec_is_varying(q))
        return false;
    if (atn_sched_operation_get(call->op)->flags & ATN_TYPED)
        return true;
    significant(call, q, used);
    return (!used[0] || atn_exec_user_contiguous(x, &call->src, q->p)) &&
           (!used[1] || atn_exec_user_contiguous(x, &call->dst, q->p));
}

/* NULL: no memory, or other arguments matter as well. */
static const atn_raw_args *remember(atn_exec *x, atn_raw_args **table, const atn_call *call,
                                    const atn_problem *q, atn_plan *plan)
{
    if (!*table)
        *table = calloc(ATN_RAWS, sizeof **table);
    if (!*table || atn_exec_is_varying(q))
        return NULL;
    atn_raw_args *const slot = raw_slot(*table, call);
    *slot = (atn_raw_args){
        .used = true,
        .named = is_named(x, call, q),
        .direct = x->direct,
        .epoch = atn_exec_handles_epoch(),
        .plan = plan,
        .operation = (uint8_t)call->op,
        .src_count = call->src.count,
        .dst_count = call->dst.count,
        .src_type = call->src.type,
        .dst_type = call->dst.type,
        .op = call->mpi_op,
        .root = call->root,
        .in_place = call->in_place,
    };
    return slot;
}

/* ---- the problem ---- */

static atn_exec_unit unit_of(atn_exec *x, const atn_call *call)
{
    atn_type t = {0};

    if (!(atn_sched_operation_get(call->op)->flags & ATN_TYPED))
        return (atn_exec_unit){
            .stride = 1, .sent_type = MPI_BYTE, .sent_each = 1, .contiguous = true};
    atn_exec_type_of(x, call->src.type, &t);
    return (atn_exec_unit){
        .stride = t.contiguous ? t.size : t.extent,
        .true_lb = t.contiguous ? 0 : t.true_lb,
        .true_extent = t.contiguous ? t.size : t.true_extent,
        .sent_type = t.contiguous ? MPI_BYTE : call->src.type,
        .sent_each = t.contiguous ? t.size : 1,
        .type = MPI_DATATYPE_NULL, /* set by each call: atn_exec_plan_handles */
        .op = MPI_OP_NULL,
        .contiguous = t.contiguous,
    };
}

typedef struct {
    int64_t bytes, units, stride, size_key;
    uint64_t late;
    uintptr_t row;
    int32_t op, root, in_place, ordered;
    atn_params params;
} plan_key;
_Static_assert(sizeof(plan_key) == 5 * sizeof(int64_t) + sizeof(uintptr_t) + 4 * sizeof(int32_t) +
                                       sizeof(atn_params),
               "hashed as bytes: no padding");

/* Hash of the arrival pattern as seen by the algorithm. */
static uint64_t late_key(const atn_problem *q, const atn_choice *choice)
{
    if (!q->lateness || !(choice->row->algo->needs & ATN_NEEDS_LATENESS))
        return 0;
    return atn_hash(q->lateness->late, sizeof *q->lateness->late * (size_t)q->p, 1);
}

static uint64_t key_of(const atn_problem *q, const atn_choice *choice, const atn_exec_unit *u,
                       int64_t units)
{
    plan_key k;

    memset(&k, 0, sizeof k);
    k.bytes = q->bytes;
    k.units = units;
    k.stride = u->stride;
    k.size_key = u->contiguous ? u->sent_each : -u->true_lb * 31 - u->true_extent;
    k.late = late_key(q, choice);
    k.row = (uintptr_t)choice->row;
    k.op = (int32_t)q->op;
    k.root = q->root;
    k.in_place = q->in_place;
    k.ordered = q->ordered;
    k.params = choice->params;
    return atn_hash(&k, sizeof k, 1);
}

/* ---- cached plans ---- */

static atn_kept *set_of(const atn_exec *x, uint64_t key)
{
    return &x->kept[key % (uint64_t)x->sets * ATN_WAYS];
}

static atn_plan *find_plan(const atn_exec *x, uint64_t key)
{
    const atn_kept *set = x->kept ? set_of(x, key) : NULL;

    for (int i = 0; set && i < ATN_WAYS && set[i].plan; i++)
        if (set[i].key == key)
            return set[i].plan;
    return NULL;
}

static void forget_plan(atn_raw_args *table, const atn_plan *plan)
{
    for (int i = 0; table && i < ATN_RAWS; i++)
        if (table[i].plan == plan)
            table[i].used = false;
}

static void evict(atn_exec *x, atn_kept *old)
{
    forget_plan(x->raws, old->plan);
    forget_plan(x->starts, old->plan);
    if (!x->evicted)
        x->evicted = calloc(ATN_EVICTED, sizeof *x->evicted);
    if (x->evicted)
        x->evicted[old->key % ATN_EVICTED] = old->key;
    x->evictions++;
    atn_exec_plan_evict(old->plan);
    old->plan = NULL;
}

/* Doubles the number of sets: each is split into two; plans keep their addresses. */
static void widen(atn_exec *x)
{
    const int before = x->sets * ATN_WAYS;
    atn_kept *old = x->kept, *wider = calloc(2 * (size_t)before, sizeof *wider);

    if (!wider)
        return;
    x->kept = wider;
    x->sets *= 2;
    for (int i = 0; i < before; i++)
        if (old[i].plan) {
            atn_kept *to = set_of(x, old[i].key);
            while (to->plan)
                to++;
            *to = old[i];
        }
    free(old);
}

static bool have_kept(atn_exec *x)
{
    if (!x->kept)
        x->kept = calloc((size_t)x->sets * ATN_WAYS, sizeof *x->kept);
    return x->kept != NULL;
}

static int plans_in(const atn_kept *set)
{
    int n = 0;

    while (n < ATN_WAYS && set[n].plan)
        n++;
    return n;
}

static void keep_plan(atn_exec *x, uint64_t key, atn_plan *plan)
{
    const bool again = x->evicted && x->evicted[key % ATN_EVICTED] == key;

    if (plans_in(set_of(x, key)) == ATN_WAYS && again && x->sets < ATN_SETS_MOST &&
        atn_exec_plans_bytes() < ATN_PLANS_GROW)
        widen(x);
    atn_kept *set = set_of(x, key);
    int n = plans_in(set);
    while (n == ATN_WAYS || (n > 0 && atn_exec_plans_bytes() > ATN_PLANS_MOST))
        evict(x, &set[--n]);
    memmove(set + 1, set, (ATN_WAYS - 1) * sizeof *set);
    set[0] = (atn_kept){key, plan};
}

static atn_plan *plan_for(atn_exec *x, const atn_call *call, const atn_problem *q,
                          const atn_choice *choice, int *code_p)
{
    const atn_exec_unit unit = unit_of(x, call);
    const int64_t units = atn_exec_is_varying(q)                                ? 0
                          : (atn_sched_operation_get(q->op)->flags & ATN_TYPED) ? call->src.count
                                                                                : q->bytes;
    const uint64_t key = key_of(q, choice, &unit, units);
    atn_plan *plan = find_plan(x, key);

    if (plan)
        return plan;
    if (!have_kept(x)) {
        *code_p = MPI_ERR_NO_MEM;
        return NULL;
    }
    plan = atn_exec_plan_new(q, choice, &unit, units, code_p);
    if (plan)
        keep_plan(x, key, plan);
    return plan;
}

static atn_plan *with_handles(atn_plan *plan, const atn_call *call)
{
    if (plan)
        atn_exec_plan_handles(plan, call->src.type, call->mpi_op);
    return plan;
}

/* All choices pass through here, so that every one keeps results reproducible. */
void atn_exec_keep_canonical(const atn_problem *q, atn_choice *choice)
{
    if (atn_sched_wants_canonical(q) &&
        !(choice->row && atn_algo_is_canonical(choice->row, q, &choice->params)))
        choice->row = atn_algo_canonical_default(q, &choice->params);
}

/* The slow path, for a call that is not cached. */
static __attribute__((noinline)) atn_plan *new_plan(atn_exec *x, const atn_call *call, int *code_p)
{
    atn_choice choice = {0};
    atn_plan *plan = NULL;
    atn_problem q;

    x->settled = atn_exec_call_problem(x, call, &q);
    if (!x->settled)
        return NULL;
    const bool lasting = x->settled = x->choose(x->context, &q, &choice);
    atn_exec_keep_canonical(&q, &choice);
    x->direct = is_direct(x, call, &q);
    if (choice.row && choice.row->algo->build) {
        plan = plan_for(x, call, &q, &choice, code_p);
        if (!plan)
            return NULL;
    }
    const atn_raw_args *const slot = lasting ? remember(x, &x->raws, call, &q, plan) : NULL;
    if (slot)
        x->recent = slot;
    return with_handles(plan, call);
}

/* Open MPI accepts most such calls, often made by a single rank such as the root of a scatter. */
static bool is_reported(const atn_call *call)
{
#ifdef OPEN_MPI
    return call->op == ATN_REDUCE || (call->op == ATN_ALLREDUCE && call->src.count > 1);
#elif defined(SMPI_H)
    (void)call; /* only with smpi/pedantic */
    return false;
#else
    return !(atn_sched_operation_get(call->op)->flags & (ATN_VARYING | ATN_ON_NEIGHBOURS));
#endif
}

bool atn_exec_call_aliased(const atn_call *call)
{
    return atn_exec_one_buffer(call) && call->src.count > 0 && call->dst.count > 0 &&
           is_reported(call);
}

atn_plan *atn_exec_plan(atn_exec *x, const atn_call *call, int *code_p)
{
    *code_p = MPI_SUCCESS;
    x->settled = !atn_exec_call_aliased(call);
    if (!x->settled)
        return NULL;
    if (!raw_matches(x->recent, call)) {
        x->recent = x->raws ? raw_slot(x->raws, call) : &no_args;
        if (!raw_matches(x->recent, call))
            return new_plan(x, call, code_p);
    }
    x->direct = x->recent->direct;
    return with_handles(x->recent->plan, call);
}

atn_plan *atn_exec_plan_as(atn_exec *x, const atn_call *call, const atn_problem *q,
                           const atn_choice *choice, int *code_p)
{
    *code_p = MPI_SUCCESS;
    x->direct = is_direct(x, call, q);
    if (!choice->row->algo->build)
        return NULL;
    return with_handles(plan_for(x, call, q, choice, code_p), call);
}

void atn_exec_start_remember(atn_exec *x, const atn_call *call, const atn_problem *q,
                             atn_plan *plan)
{
    remember(x, &x->starts, call, q, plan);
}

atn_plan *atn_exec_start_find(atn_exec *x, const atn_call *call)
{
    const atn_raw_args *const w = x->starts ? raw_slot(x->starts, call) : &no_args;

    if (!raw_matches(w, call))
        return NULL;
    x->direct = w->direct;
    return with_handles(w->plan, call);
}

bool atn_exec_repeats(const atn_exec *x, const atn_plan *plan, const atn_call *call)
{
    return x->direct && !call->in_place && plan->program.scratch_bytes <= ATN_KEEP_BYTES;
}

atn_plan *atn_exec_repeatable(const atn_exec *x, const atn_call *call)
{
    const atn_raw_args *w = x->recent;
    const bool so = raw_matches(w, call) && w->plan && w->direct && !w->in_place &&
                    w->plan->program.scratch_bytes <= ATN_KEEP_BYTES;

    return so ? w->plan : NULL;
}

unsigned atn_exec_evictions(const atn_exec *x) { return x->evictions; }
