/* test_topo_waits.c - synchronisation of phases by messages: all messages that share a link are
 * ordered, with few redundant waits, and never overlap, whatever their durations. */
#include "algo/capacity.h"
#include "algo/phases.h"
#include "algo/waits.h"
#include "all_ranks.h"
#include "trees.h"

static bool quick; /* under sanitizers */
static char why[ATN_ERROR_ROOM + 512];

static bool complain(const char *what, const atn_topo *t, int extra)
{
    snprintf(why, sizeof why, "%s (p=%d nodes=%d, %d)", what, t->p, t->nnodes, extra);
    return false;
}

/* ---- waits ---- */

/* Whether `later` waits for `earlier`, directly or indirectly. */
static bool reaches(const atn_phases *x, const atn_waits *w, int later, int earlier, int skip,
                    bool *seen)
{
    if (later == earlier)
        return true;
    if (seen[later] || x->list[later].phase <= x->list[earlier].phase)
        return false;
    seen[later] = true;
    for (int k = w->first[later]; k < w->first[later + 1]; k++)
        if (k != skip && reaches(x, w, w->on[k], earlier, skip, seen))
            return true;
    return false;
}

static bool meet(const atn_topo *t, const atn_phase_message *a, const atn_phase_message *b)
{
    int p[64], q[64];
    const int n = atn_topo_path(t, a->from, a->to, p), m = atn_topo_path(t, b->from, b->to, q);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (p[i] == q[j])
                return true;
    return false;
}

/* Any two messages on one link are ordered; redundant waits are counted. */
static bool check_waits(const atn_topo *t, int *waits, int *needless)
{
    int capacity[2 * 4096];
    bool seen[2000];
    atn_phases x;
    atn_waits w;

    atn_algo_capacities(t, false, capacity);
    bool ok = atn_algo_phases_tree(t, &x) && atn_algo_waits_begin(t, capacity, &x, &w);
    for (int i = 0; ok && i < x.n; i++)
        for (int j = 0; ok && j < i; j++) {
            memset(seen, 0, sizeof seen);
            if (meet(t, &x.list[i], &x.list[j]) && !reaches(&x, &w, i, j, -1, seen))
                ok = complain("two messages on one link are not ordered", t, i);
        }
    for (int i = 0; ok && i < x.n; i++)
        for (int k = w.first[i]; k < w.first[i + 1]; k++) {
            memset(seen, 0, sizeof seen);
            ++*waits;
            *needless += reaches(&x, &w, i, w.on[k], k, seen);
        }
    atn_algo_waits_end(&w);
    atn_algo_phases_end(&x);
    return ok;
}

static void waits_are_enough(void)
{
    uint64_t seed = 606;
    int waits = 0, needless = 0;
    bool ok = true;
    char name[120];

    for (int i = 0; ok && i < (quick ? 30 : 300); i++) {
        const int p = 2 + draw_below(&seed, 14);
        atn_topo *t = tree_random(p, 1 + draw_below(&seed, 7), 1 + i % 2, &seed);
        ok = check_waits(t, &waits, &needless);
        atn_topo_free(t);
    }
    if (ok)
        snprintf(why, sizeof why, "%d of %d waits are redundant", needless, waits);
    snprintf(name, sizeof name, "waits order all messages on a link; %d of %d are redundant",
             needless, waits);
    tap(ok && needless * 50 < waits, name, why);
}

/* ---- synchronisation in time ---- */

/* A rank waits for its dependencies and its partners, with random durations of sends: no two
 * messages may be on one link at the same time. */
typedef struct {
    double begin, end;
    int from, to;
} flight;

typedef struct {
    atn_schedule **s;
    int p;
    double **done; /* rank, operation -> completion time; < 0: not yet */
    flight *flights;
    int nflights;
    uint64_t *seed;
} flying;

static double ready_at(const flying *f, int r, int i)
{
    const atn_op *o = &f->s[r]->ops[i];
    double at = 0;

    for (int d = 0; d < o->ndeps; d++) {
        const double t = f->done[r][f->s[r]->deps[o->dep + d]];
        if (t < 0)
            return -1;
        at = t > at ? t : at;
    }
    return at;
}

static int partner_of(const flying *f, int r, int i)
{
    const atn_op *o = &f->s[r]->ops[i];
    const atn_schedule *s = f->s[o->peer];

    for (int j = 0; j < s->nops; j++)
        if (atn_sched_is_message(&s->ops[j]) && s->ops[j].kind != o->kind && s->ops[j].peer == r &&
            s->ops[j].seq == o->seq)
            return j;
    return -1;
}

static bool fly_one(flying *f, int r, int i)
{
    const atn_op *o = &f->s[r]->ops[i];
    const double begin = ready_at(f, r, i);

    if (f->done[r][i] >= 0 || begin < 0 || o->kind == ATN_OP_RECV)
        return false;
    if (o->kind != ATN_OP_SEND) {
        f->done[r][i] = begin;
        return true;
    }
    const int j = partner_of(f, r, i);
    const double posted = ready_at(f, o->peer, j);
    if (posted < 0)
        return false;
    const double start = posted > begin ? posted : begin;
    const double end = start + 1 + draw_below(f->seed, 1000) / 100.0;
    f->done[r][i] = f->done[o->peer][j] = end;
    if (o->a.n > 0)
        f->flights[f->nflights++] = (flight){start, end, r, o->peer};
    return true;
}

static bool collide(const atn_topo *t, const flight *a, const flight *b)
{
    const atn_phase_message x = {.from = a->from, .to = a->to}, y = {.from = b->from, .to = b->to};
    return a->begin < b->end && b->begin < a->end && meet(t, &x, &y);
}

static bool fly(flying *f, const atn_topo *t)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (int r = 0; r < f->p; r++)
            for (int i = 0; i < f->s[r]->nops; i++)
                moved = fly_one(f, r, i) || moved;
    }
    for (int i = 0; i < f->nflights; i++)
        for (int j = 0; j < i; j++)
            if (collide(t, &f->flights[i], &f->flights[j]))
                return false;
    return f->nflights == f->p * (f->p - 1);
}

static bool flies_free(const char *text, const atn_topo *t, uint64_t *seed)
{
    const atn_row *row = atn_algo_catalog_by_name("alltoall/aapc");
    const atn_problem q = {.op = row->op, .p = t->p, .segments = 1, .topo = t};
    atn_params prm;
    atn_status status;
    atn_error err = {0};
    flying f = {.p = t->p, .seed = seed};

    atn_algo_params_parse(row, text, &prm, NULL);
    f.s = build_all(row, &q, &prm, IN_PLACE_NONE, &status, &err);
    f.done = malloc(sizeof *f.done * (size_t)t->p);
    f.flights = malloc(sizeof *f.flights * (size_t)(t->p * t->p));
    for (int r = 0; r < t->p; r++) {
        f.done[r] = malloc(sizeof **f.done * (size_t)f.s[r]->nops);
        for (int i = 0; i < f.s[r]->nops; i++)
            f.done[r][i] = -1;
    }
    const bool ok = fly(&f, t);
    for (int r = 0; r < t->p; r++)
        free(f.done[r]);
    free(f.done);
    free(f.flights);
    free_all(f.s, t->p);
    return ok;
}

static void synchronised_phases_never_meet(void)
{
    static const char *const full[] = {"sync=sender", "sync=receiver", "sync=barrier",
                                       "sync=barrier_sender,block=4",
                                       "sync=barrier_receiver,block=4"};
    uint64_t seed = 1001;
    int mixed = 0;
    bool ok = true;

    for (int i = 0; ok && i < (quick ? 10 : 60); i++) {
        const int p = 2 + draw_below(&seed, 9);
        atn_topo *t = tree_random(p, 1 + draw_below(&seed, 5), 1 + i % 2, &seed);
        for (size_t k = 0; ok && k < sizeof full / sizeof *full; k++)
            if (!flies_free(full[k], t, &seed))
                ok = complain(full[k], t, (int)k);
        mixed += !flies_free("sync=none", t, &seed);
        atn_topo_free(t);
    }
    if (ok)
        snprintf(why, sizeof why, "phases do not overlap even without synchronisation");
    tap(ok && mixed > 0,
        "with full synchronisation messages on a link never overlap, whatever their durations",
        why);
}

/* ---- run time ---- */

/* The work of one of 256 ranks at the first use of a communicator. */
static void tell_times(void)
{
    static const char *const variants[] = {"sync=none", "sync=sender", "sync=receiver",
                                           "sync=sender,block=8", "sync=barrier"};
    const atn_row *row = atn_algo_catalog_by_name("alltoall/aapc");
    uint64_t seed = 42;

    for (int i = 0; i < 2; i++) {
        atn_topo *t = tree_random(256, i == 0 ? 30 : 16, 1, &seed);
        if (i == 1)
            tree_rates(t, 8, &seed);
        for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
            const atn_problem q = {.op = row->op, .p = 256, .r = 17, .segments = 1, .topo = t};
            atn_params prm;
            atn_schedule *s = NULL;
            char name[120];
            atn_algo_params_parse(row, variants[k], &prm, NULL);
            const clock_t since = clock();
            atn_algo_build(row, &q, &prm, &s, NULL);
            snprintf(name, sizeof name, "alltoall/aapc{%s}, 256 ranks, %d phases, one rank",
                     variants[k], s->nrounds);
            tell_seconds(name, since);
            atn_sched_schedule_free(s);
        }
        atn_topo_free(t);
    }
}

int main(void)
{
    quick = getenv("ATN_TEST_QUICK") != NULL;
    waits_are_enough();
    synchronised_phases_never_meet();
    if (!quick)
        tell_times();
    return tap_end();
}
