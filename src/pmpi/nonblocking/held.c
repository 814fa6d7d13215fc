/* held.c - see held.h. */
#include "pmpi/nonblocking/held.h"

#include <stdlib.h>

#include "exec/execution.h"
#include "exec/wait.h"
#include "pmpi/nonblocking/native.h"
#include "pmpi/select/serve.h"

typedef struct held_call {
    atn_comm *c;
    atn_open_request *q;
    atn_call call;
    void *arrays[2];    /* of the call */
    MPI_Comm *made;     /* of MPI_Comm_idup, which is not a collective to tune; else NULL */
    MPI_Request native; /* MPI_REQUEST_NULL: not begun */
    struct held_call *next;
} held_call;

static held_call *first, *last; /* in the order of starts */

_Atomic int64_t atn_nonblocking_started_by[2];

atn_starts atn_nonblocking_starts(void)
{
    return (atn_starts){.served = atomic_load(&atn_nonblocking_started_by[1]),
                        .native = atomic_load(&atn_nonblocking_started_by[0])};
}

bool atn_nonblocking_holds(const atn_comm *c) { return c->held > 0; }

static atn_start_choice undecided(const atn_comm *c, const atn_call *call, atn_turn_is is)
{
    return (atn_start_choice){.is = is,
                              .code = MPI_SUCCESS,
                              .q = {.op = call->op, .p = c->p, .bytes = -1},
                              .turn = {.use.row = atn_algo_catalog_native(call->op), .block = -1}};
}

static atn_start_choice choose(atn_comm *c, const atn_call *call)
{
    atn_start_choice x = undecided(c, call, ATN_TURN_NOW);
    if (!atn_exec_call_aliased(call) && atn_nonblocking_observed == NULL &&
        (x.plan = atn_exec_start_find(c->exec, call)) != NULL)
        return x;
    x.turn.why = atn_select_started_problem(c, call, &x.q);
    if (x.turn.why != ATN_WHY_SERVED)
        return x;
    const bool lasts = atn_select_started_for_good(c, call, &x.q, &x.turn.use, &x.turn.why);
    if (!lasts)
        x.is = atn_nonblocking_turn(c, call, &x.q, &x.turn);
    if (x.is == ATN_TURN_NOW)
        x.plan = atn_select_started_plan(c, call, &x.q, &x.turn.use, &x.code);
    if (lasts)
        atn_select_started_remember(c, call, &x.q, x.plan);
    if (x.is == ATN_TURN_FAILED)
        x.code = MPI_ERR_NO_MEM;
    return x;
}

atn_start_choice atn_nonblocking_choose(atn_comm *c, const atn_call *call)
{
    return atn_nonblocking_holds(c) ? undecided(c, call, ATN_TURN_LATER) : choose(c, call);
}

static void free_call(held_call *h)
{
    free(h->arrays[0]);
    free(h->arrays[1]);
    free(h);
}

static void append(atn_comm *c, held_call *h, atn_open_request *q)
{
    h->c = c;
    h->q = q;
    h->native = MPI_REQUEST_NULL;
    *(last != NULL ? &last->next : &first) = h;
    last = h;
    c->held++;
    c->wake = 0; /* blocking calls wait for it */
    atn_pmpi_next_epoch();
    atomic_fetch_add(&atn_exec_all_open, 1);
}

bool atn_nonblocking_hold(atn_comm *c, const atn_call *call, atn_open_request *q)
{
    held_call *const h = calloc(1, sizeof *h);
    if (h == NULL)
        return false;
    if (!q->persistent && !atn_exec_call_copy(c->exec, call, &h->call, h->arrays)) {
        free_call(h);
        return false;
    }
    append(c, h, q);
    return true;
}

bool atn_nonblocking_hold_dup(atn_comm *c, MPI_Comm *made, MPI_Request *request, int *code_p)
{
    held_call *const h = calloc(1, sizeof *h);
    atn_open_request *const q = h != NULL ? atn_nonblocking_request_new(c, false, code_p) : NULL;
    if (q == NULL) {
        *code_p = h != NULL ? *code_p : MPI_ERR_NO_MEM;
        free(h);
        return false;
    }
    *request = q->handle;
    q->execution = NULL;
    h->made = made;
    append(c, h, q);
    return true;
}

bool atn_nonblocking_held_any(void) { return first != NULL; }

bool atn_nonblocking_held_busy(const atn_comm *c)
{
    const held_call *h = first;
    while (h != NULL && h->c != c)
        h = h->next;
    return h != NULL;
}

static void launch(held_call *h)
{
    atn_execution *const e = h->q->execution;
    const bool persistent = h->q->persistent;
    atn_exec_launch(e, atn_nonblocking_request_done, h->q);
    if (!persistent)
        atn_exec_dismiss(e);
}

/* SimGrid does not have it, and holds no calls. */
static int duplicate(held_call *h)
{
#ifdef SMPI_H
    (void)h;
    return MPI_ERR_INTERN;
#else
    return atn_pmpi_real.Comm_idup(h->c->user, h->made, &h->native);
#endif
}

static int begin_natively(held_call *h)
{
    const int code =
        h->made != NULL ? duplicate(h) : atn_nonblocking_native(&h->call, h->c->user, &h->native);
    h->c->held -= code == MPI_SUCCESS;
    return code;
}

/* The execution of a nonblocking call, if it is not native. */
static void prepare(held_call *h, atn_start_choice *x)
{
    atn_nonblocking_time_as(h->q->handle, &x->q, &x->turn);
    if (x->plan != NULL)
        h->q->execution =
            atn_exec_prepare(h->c->exec, x->plan, &h->call, h->c->private_comm, &x->code);
}

/* Whether it is no longer held: an execution from now on, or failed. */
static bool begin(held_call *h)
{
    atn_start_choice x = {.is = ATN_TURN_NOW, .code = MPI_SUCCESS};
    const bool tuned = !h->q->persistent && h->made == NULL;
    if (tuned)
        x = choose(h->c, &h->call);
    if (x.is == ATN_TURN_LATER)
        return false;
    if (tuned)
        prepare(h, &x);
    if (h->made == NULL)
        atn_nonblocking_count(h->q->execution != NULL);
    if (h->q->execution != NULL)
        launch(h);
    else if (x.code == MPI_SUCCESS && (x.code = begin_natively(h)) == MPI_SUCCESS)
        return false;
    else
        atn_nonblocking_request_done(h->q, x.code);
    h->c->held--;
    return true;
}

/* Of a call that the native routine executes: whether it has ended. */
static bool test(held_call *h)
{
    int done = 0;
    const int code = atn_real_complete.test(&h->native, &done, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && !done)
        return false;
    atn_nonblocking_request_done(h->q, code);
    return true;
}

/* Calls of other communicators may begin although this one has to wait. */
static bool is_blocked(const held_call *h)
{
    for (const held_call *i = first; i != h; i = i->next)
        if (i->c == h->c && i->native == MPI_REQUEST_NULL)
            return true;
    return false;
}

static bool advance(held_call *h)
{
    if (h->native != MPI_REQUEST_NULL)
        return test(h);
    return !is_blocked(h) && begin(h);
}

void atn_nonblocking_held_advance(void)
{
    held_call *before = NULL;
    for (held_call *h = first, *next; h != NULL; h = next) {
        next = h->next;
        if (!advance(h)) {
            before = h;
            continue;
        }
        *(before != NULL ? &before->next : &first) = next;
        if (last == h)
            last = before;
        atomic_fetch_sub(&atn_exec_all_open, 1);
        free_call(h);
    }
}
