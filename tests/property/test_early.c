/* test_early.c - arrival-aware algorithms: verified for random arrival patterns, and their
 * properties for early and late ranks. */
#include "algo/early.h"
#include "all_ranks.h"
#include "trees.h"

static char why[ATN_ERROR_ROOM + 512];

static const char *const rows[] = {"bcast/early", "reduce/early", "allreduce/early"};
enum { MAX_P = 20 };

/* No rank, one, some, or all late; also by more than the limit. */
static void late_by(int p, unsigned kind, int *late)
{
    static const int most[] = {1, 3, 64, INT32_MAX};

    for (int r = 0; r < p; r++)
        late[r] = rand() % 4 < (int)(kind % 5) ? rand() % most[kind / 5 % 4] : 0;
}

/* ---- schedules ---- */

static bool prove(const atn_row *row, const atn_problem *q, const atn_params *prm,
                  in_place_ranks placed)
{
    atn_error err = {0};
    atn_status status;
    atn_schedule **s = build_all(row, q, prm, placed, &status, &err);
    const bool ok = s && atn_sched_verify(s, q->p, NULL, &err) == ATN_OK;

    if (!ok)
        snprintf(why, sizeof why, "p=%d root=%d segments=%d shape=%d: %s", q->p, q->root,
                 q->segments, (int)atn_algo_params_get(row, prm, "shape", -1), err.text);
    free_all(s, q->p);
    return ok;
}

static bool prove_random(const atn_row *row, unsigned seed)
{
    int late[MAX_P];
    atn_params prm;
    const int p = 1 + rand() % MAX_P;
    atn_topo *topo = seed % 3 == 0 ? tree_row(p) : NULL;
    const atn_lateness lateness = {p, late};
    const bool rooted = atn_sched_operation_get(row->op)->flags & ATN_ROOTED;
    const atn_problem q = {.op = row->op,
                           .p = p,
                           .root = rooted ? rand() % p : 0,
                           .segments = 1 + rand() % 3,
                           .topo = topo,
                           .lateness = &lateness};

    late_by(p, seed, late);
    bool ok =
        atn_algo_params_parse(row, seed % 2 ? "shape=chain" : "shape=tree", &prm, NULL) == ATN_OK;
    ok = ok &&
         prove(row, &q, &prm, row->op != ATN_BCAST && seed % 4 == 3 ? IN_PLACE_ALL : IN_PLACE_NONE);
    atn_topo_free(topo);
    return ok;
}

static void random_arrivals(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const atn_row *row = atn_algo_catalog_by_name(rows[i]);
        char name[80];
        bool ok = row != NULL;
        for (unsigned seed = 0; ok && seed < 600; seed++)
            ok = prove_random(row, seed);
        snprintf(name, sizeof name, "%s: verified for 600 random arrival patterns", rows[i]);
        tap(ok, name, why);
    }
}

/* ---- properties ---- */

/* Time after the first arrival at which each rank leaves, with messages that take one unit and
 * synchronous sends. */
static void leave(const atn_problem *q, const atn_early_message *list, int *at)
{
    for (int r = 0; r < q->p; r++)
        at[r] = q->lateness->late[r];
    for (int i = 0; i < q->p - 1; i++)
        at[list[i].from] = at[list[i].to] = atn_max(at[list[i].from], at[list[i].to]) + 1;
}

/* Some ranks arrive 50 messages late: one of the others leaves a broadcast later than without
 * late ranks, and reductions end as soon as the late operands can be combined. */
static bool keeps_promises(int p, int nlate)
{
    int late[MAX_P] = {0}, at[MAX_P], slots, held = 0, end = 0;
    const atn_lateness lateness = {p, late};
    atn_problem q = {.op = ATN_BCAST, .p = p, .root = rand() % p, .lateness = &lateness};

    for (int n = 0; n < nlate;) {
        const int r = rand() % p;
        n += r != q.root && late[r] == 0;
        late[r] = r != q.root ? 50 : 0;
    }
    atn_early_message *list = atn_algo_early_make(&q, ATN_EARLY_TREE, false, &slots);
    leave(&q, list, at);
    for (int r = 0; r < p; r++) {
        held += late[r] == 0 && at[r] > atn_ceil_log2(p);
        end = atn_max(end, at[r]);
    }
    free(list);
    snprintf(why, sizeof why, "p=%d: %d of %d late: %d delayed, end at %d", p, q.root, nlate, held,
             end);
    bool ok = held == 1 && end <= 50 + atn_ceil_log2(nlate + 1) + 1;

    list = atn_algo_early_make(&q, ATN_EARLY_TREE, true, &slots);
    leave(&q, list, at);
    ok = ok && at[q.root] <= 50 + atn_ceil_log2(nlate + 1);
    free(list);
    return ok;
}

static void late_ranks(void)
{
    bool ok = true;

    for (int p = 3; ok && p <= MAX_P; p++)
        for (int n = 1; ok && n <= p / 2; n++)
            ok = keeps_promises(p, n);
    tap(ok, "one early rank waits for all late ranks; the last rank has the shortest path", why);
}

/* Slots are in order of time, and no rank has two messages in one. */
static bool slots_are_good(const atn_problem *q, atn_early_shape shape, bool up)
{
    int slots = 0, last[MAX_P];
    atn_early_message *list = atn_algo_early_make(q, shape, up, &slots);
    bool ok = list != NULL;

    for (int r = 0; r < q->p; r++)
        last[r] = -1;
    for (int i = 0; ok && i < q->p - 1; i++) {
        const atn_early_message *m = &list[i];
        ok = m->slot >= 0 && m->slot < slots && m->slot > last[m->from] && m->slot > last[m->to];
        last[m->from] = last[m->to] = m->slot;
    }
    free(list);
    return ok;
}

static void good_slots(void)
{
    int late[MAX_P];
    bool ok = true;

    for (unsigned seed = 0; ok && seed < 2000; seed++) {
        const int p = 1 + rand() % MAX_P;
        const atn_lateness lateness = {p, late};
        const atn_problem q = {.p = p, .root = rand() % p, .lateness = &lateness};
        late_by(p, seed, late);
        for (int up = 0; up < 2; up++)
            ok = ok && slots_are_good(&q, ATN_EARLY_TREE, up) &&
                 slots_are_good(&q, ATN_EARLY_CHAIN, up);
        snprintf(why, sizeof why, "p=%d root=%d seed=%u", p, q.root, seed);
    }
    tap(ok, "slots: at most one message per rank in each, and none is empty", why);
}

static void last_rank(void)
{
    const int late[] = {0, 7, 3, 7};
    const atn_lateness lateness = {4, late};
    atn_problem q = {.op = ATN_ALLREDUCE, .p = 4, .lateness = &lateness};
    const int known = atn_algo_early_last(&q);

    q.p = 5; /* belongs to another communicator */
    snprintf(why, sizeof why, "%d", known);
    tap(known == 1 && atn_algo_early_last(&q) == 0, "the lowest of several last ranks is reported",
        why);
}

int main(void)
{
    srand(1);
    random_arrivals();
    late_ranks();
    good_slots();
    last_rank();
    return tap_end();
}
