/* arrivals.c - see arrivals.h. */
#include "pmpi/select/arrivals.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "plan/lateness.h"
#include "pmpi/comm/fastpath.h"
#include "pmpi/own.h"

/* The first call of a class is never measured: it shows how the program starts, not how it runs. */
enum { MEASUREMENTS = 1, CLASSES = 8 };

typedef struct {
    const atn_call_class *of;
    int measured;
    atn_waited own;
    atn_lateness lateness;
    int *late;
    bool skewed;
} class_arrivals;

typedef struct atn_comm_arrivals {
    class_arrivals classes[CLASSES];
    int n;
    atn_waited *all;
    int *late; /* of all classes */
} atn_comm_arrivals;

/* ---- lifetime ---- */

void atn_select_arrivals_stop(atn_comm *c)
{
    if (c->arrivals == NULL)
        return;
    free(c->arrivals->all);
    free(c->arrivals->late);
    free(c->arrivals);
    c->arrivals = NULL;
}

bool atn_select_arrivals_start(atn_comm *c)
{
    c->arrivals = calloc(1, sizeof *c->arrivals);
    return c->arrivals != NULL;
}

/* ---- call classes ---- */

static const class_arrivals *find(const atn_comm *c, const atn_call_class *x)
{
    for (int i = 0; c->arrivals != NULL && i < c->arrivals->n; i++)
        if (c->arrivals->classes[i].of == x)
            return &c->arrivals->classes[i];
    return NULL;
}

/* Reductions that round keep their order of operands, whichever rank is late. */
static const atn_row *adaptive_row(const atn_call_class *x)
{
    return x->subject.stable ? NULL : atn_algo_catalog_find(x->subject.q.op, "early");
}

static class_arrivals *find_or_add(atn_comm *c, const atn_call_class *x)
{
    atn_comm_arrivals *const all = c->arrivals;
    class_arrivals *const known = (class_arrivals *)find(c, x);

    if (known != NULL || all == NULL || all->n == CLASSES || adaptive_row(x) == NULL)
        return known;
    class_arrivals *const new = &all->classes[all->n];
    *new = (class_arrivals){.of = x};
    all->n++;
    return new;
}

const atn_lateness *atn_select_arrivals_of(const atn_comm *c, const atn_call_class *x)
{
    const class_arrivals *const k = find(c, x);

    return k != NULL && k->skewed ? &k->lateness : NULL;
}

bool atn_select_arrivals_needed(const atn_comm *c, const atn_call_class *x)
{
    const class_arrivals *const k = find(c, x);

    if (k != NULL)
        return k->measured < MEASUREMENTS;
    return c->arrivals != NULL && c->arrivals->n < CLASSES && adaptive_row(x) != NULL;
}

/* ---- measurement ---- */

static bool allocate(atn_comm_arrivals *x, size_t p)
{
    if (x->all == NULL)
        x->all = calloc(p, sizeof *x->all);
    if (x->late == NULL)
        x->late = calloc(CLASSES * p, sizeof *x->late);
    return x->all != NULL && x->late != NULL;
}

/* Collective: ranks agree on memory, because a lack of it might affect only some of them.  Few
 * communicators need it. */
static bool have_room(atn_comm *c, class_arrivals *k)
{
    const atn_place_mpi mpi = atn_pmpi_own_place();
    atn_comm_arrivals *const x = c->arrivals;

    if (!atn_exec_all_have(&mpi, c->user, allocate(x, (size_t)c->p)))
        return false;
    k->late = x->late + (size_t)(k - x->classes) * (size_t)c->p;
    k->lateness = (atn_lateness){c->p, k->late};
    return true;
}

/* The first barrier ends when the last rank has entered; the second, which all ranks begin
 * together, measures how long messages take. */
static bool exchange(atn_comm *c, class_arrivals *k, int64_t entered, int64_t *all_entered_p)
{
    const int bytes = (int)sizeof k->own, steps = atn_max(1, atn_ceil_log2(c->p));
    if (atn_pmpi_own_barrier(c->user) != MPI_SUCCESS)
        return false;
    const int64_t all_entered = *all_entered_p = atn_ticks();
    if (atn_pmpi_own_barrier(c->user) != MPI_SUCCESS)
        return false;
    k->own.waited_ns += atn_ticks_ns(all_entered - entered);
    k->own.message_ns += atn_ticks_ns(atn_ticks() - all_entered) / steps;
    return have_room(c, k) &&
           atn_pmpi_own_allgather(&k->own, bytes, c->arrivals->all, c->user) == MPI_SUCCESS;
}

static void explain(const atn_comm *c, const class_arrivals *k)
{
    int last = 0, late = 0;

    for (int r = 0; r < c->p; r++) {
        last = k->late[r] > k->late[last] ? r : last;
        late += k->late[r] > 0;
    }
    atn_interpose_print_line(
        "%s on %d ranks: %d enter late, rank %d last, %d message times after the first",
        atn_sched_operation_get(k->of->subject.q.op)->name, c->p, late, last, k->late[last]);
}

/* Cached plans are for other arrivals, and ranks may cache different ones. */
static void apply(atn_comm *c, class_arrivals *k)
{
    const bool before = k->skewed;

    k->skewed = atn_plan_lateness_of(c->arrivals->all, c->p, k->late);
    if (before || k->skewed)
        atn_comm_calls_clear(c);
    if (!k->skewed)
        return;
    atn_tune_driver_apart(c->driver);
    if (atn_job_current.explain && c->r == 0)
        explain(c, k);
}

int64_t atn_select_arrivals_measure(atn_comm *c, const atn_call_class *x, int64_t entered)
{
    class_arrivals *const k = find_or_add(c, x);
    int64_t all_entered = 0;

    if (k == NULL)
        return 0;
    k->measured++;
    if (exchange(c, k, entered, &all_entered))
        apply(c, k);
    return all_entered;
}

/* ---- candidates ---- */

/* Without allocation, which might fail on one rank: all must have the same candidates. */
static void add(const atn_row *row, int64_t segment, atn_candidate_set *field)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);
    atn_choice choice = {.row = row};

    atn_algo_params_default(row, &choice.params);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->name, "segment") == 0)
            choice.params.v[i] = segment;
    atn_tune_candidate_set_add(field, &choice, -1, 0);
}

/* Also in segments below the eager limit of MPI libraries, so that no rank waits for a late one. */
void atn_select_arrivals_add(const atn_comm *c, const atn_call_class *x, atn_candidate_set *field)
{
    static const int64_t segment = 8192;

    if (atn_select_arrivals_of(c, x) == NULL)
        return;
    add(adaptive_row(x), 0, field);
    if (x->subject.q.bytes > segment)
        add(adaptive_row(x), segment, field);
}
