/* arrivals.c - see arrivals.h. */
#include "pmpi/arrivals.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "plan/lateness.h"

/* The first call of a kind, which is never a meeting, tells how the program began, not how it
 * works. */
enum { MEETINGS = 1, KINDS = 8 };

typedef struct {
    const atn_kind *of;
    int met;
    atn_waited own;
    atn_lateness lateness;
    int *late;
    bool apart;
} comer;

typedef struct atn_comers {
    comer kinds[KINDS];
    int n;
    atn_waited *all;
    int *late; /* of all kinds */
} atn_comers;

/* ---- life ---- */

void atn_arrivals_stop(atn_comm *c)
{
    if (c->comers == NULL)
        return;
    free(c->comers->all);
    free(c->comers->late);
    free(c->comers);
    c->comers = NULL;
}

/* All memory is taken before the vote: nobody can be left behind later. */
bool atn_arrivals_start(atn_comm *c)
{
    const size_t p = (size_t)c->p;
    atn_comers *const x = c->comers = calloc(1, sizeof *x);

    if (x == NULL)
        return false;
    x->all = calloc(p, sizeof *x->all);
    x->late = calloc(KINDS * p, sizeof *x->late);
    return x->all != NULL && x->late != NULL;
}

/* ---- kinds ---- */

static const comer *find(const atn_comm *c, const atn_kind *x)
{
    for (int i = 0; c->comers != NULL && i < c->comers->n; i++)
        if (c->comers->kinds[i].of == x)
            return &c->comers->kinds[i];
    return NULL;
}

/* Sums that round keep their order of operands, whoever is late. */
static const atn_row *follower(const atn_kind *x)
{
    return x->subject.stable ? NULL : atn_catalog_find(x->subject.q.op, "early");
}

static comer *enlist(atn_comm *c, const atn_kind *x)
{
    atn_comers *const all = c->comers;
    comer *const known = (comer *)find(c, x);

    if (known != NULL || all == NULL || all->n == KINDS || follower(x) == NULL)
        return known;
    comer *const new = &all->kinds[all->n];
    *new = (comer){.of = x, .late = all->late + (size_t)all->n * (size_t)c->p};
    new->lateness = (atn_lateness){c->p, new->late};
    all->n++;
    return new;
}

const atn_lateness *atn_arrivals_of(const atn_comm *c, const atn_kind *x)
{
    const comer *const k = find(c, x);

    return k != NULL && k->apart ? &k->lateness : NULL;
}

bool atn_arrivals_open(const atn_comm *c, const atn_kind *x)
{
    const comer *const k = find(c, x);

    if (k != NULL)
        return k->met < MEETINGS;
    return c->comers != NULL && c->comers->n < KINDS && follower(x) != NULL;
}

/* ---- meetings ---- */

/* The barrier ends for all when the last one has come; another, which all begin together, tells how
 * long messages take. */
static bool exchange(atn_comm *c, comer *k, int64_t entered, int64_t *there_p)
{
    const int bytes = (int)sizeof k->own, steps = atn_max(1, atn_ceil_log2(c->p));
    if (atn_real.Barrier(c->user) != MPI_SUCCESS)
        return false;
    const int64_t there = *there_p = atn_ticks();
    if (atn_real.Barrier(c->user) != MPI_SUCCESS)
        return false;
    k->own.waited_ns += atn_ticks_ns(there - entered);
    k->own.message_ns += atn_ticks_ns(atn_ticks() - there) / steps;
    return atn_real.Allgather(&k->own, bytes, MPI_BYTE, c->comers->all, bytes, MPI_BYTE, c->user) ==
           MPI_SUCCESS;
}

static void explain(const atn_comm *c, const comer *k)
{
    int last = 0, late = 0;

    for (int r = 0; r < c->p; r++) {
        last = k->late[r] > k->late[last] ? r : last;
        late += k->late[r] > 0;
    }
    atn_say("%s on %d ranks: %d come late, rank %d last, %d messages after the first",
            atn_operation_get(k->of->subject.q.op)->name, c->p, late, last, k->late[last]);
}

/* Plans that are known follow other arrivals, and ranks may know different ones. */
static void follow(atn_comm *c, comer *k)
{
    const bool were = k->apart;

    k->apart = atn_lateness_of(c->comers->all, c->p, k->late);
    if (were || k->apart)
        atn_comm_forget(c);
    if (!k->apart)
        return;
    atn_driver_apart(c->driver);
    if (atn_the_job.explain && c->r == 0)
        explain(c, k);
}

int64_t atn_arrivals_meet(atn_comm *c, const atn_kind *x, int64_t entered)
{
    comer *const k = enlist(c, x);
    int64_t there = 0;

    if (k == NULL)
        return 0;
    k->met++;
    if (exchange(c, k, entered, &there))
        follow(c, k);
    return there;
}

/* ---- candidates ---- */

/* Without memory, which one rank may lack: all must have the same candidates. */
static void add(const atn_row *row, int64_t segment, atn_candidate_set *field)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_row_params(row, list);
    atn_choice choice = {.row = row};

    atn_params_default(row, &choice.params);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->name, "segment") == 0)
            choice.params.v[i] = segment;
    atn_candidate_set_add(field, &choice, -1, 0);
}

/* In pieces that MPI libraries send at once, so that nobody stays for one who is late. */
void atn_arrivals_add(const atn_comm *c, const atn_kind *x, atn_candidate_set *field)
{
    static const int64_t piece = 8192;

    if (atn_arrivals_of(c, x) == NULL)
        return;
    add(follower(x), 0, field);
    if (x->subject.q.bytes > piece)
        add(follower(x), piece, field);
}
