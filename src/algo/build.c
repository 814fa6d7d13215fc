/* build.c - refusals, number of segments, and building with passes. */
#include "algo/algo.h"
#include "algo/derived.h"
#include "algo/digits.h"
#include "algo/levels.h"
#include "algo/order.h"
#include "algo/shared.h"
#include "sched/canonical.h"
#include "sched/neighbourhood.h"

#include <stdlib.h>

/* ---- refusals ---- */

static bool not_commutative(const atn_problem *q) { return q->ordered; }
static bool not_pow2(const atn_problem *q) { return !atn_is_pow2(q->p); }
static bool odd(const atn_problem *q) { return q->p % 2 != 0; }
static bool prime(const atn_problem *q) { return atn_algo_digits_no_mesh(q->p, 2) != NULL; }
static bool nowhere(const atn_problem *q) { return !q->topo || q->topo->p != q->p; }

static const struct {
    unsigned need;
    bool (*lacks)(const atn_problem *q);
    const char *why;
} needs[] = {
    {ATN_NEEDS_COMMUTATIVE, not_commutative, "the operator is not commutative"},
    {ATN_NEEDS_POW2, not_pow2, "the number of ranks is not a power of two"},
    {ATN_NEEDS_EVEN, odd, "the number of ranks is odd"},
    {ATN_NEEDS_COMPOSITE, prime, "the number of ranks is not composite"},
    {ATN_NEEDS_TOPOLOGY, nowhere, "the topology is not known"},
    {ATN_NEEDS_SHARED, atn_algo_shared_lacks, "the ranks do not share memory"},
};

const char atn_algo_no_memory[] = "out of memory";

static atn_order order_of(const atn_row *row, const atn_params *prm)
{
    return (atn_order)atn_algo_params_get(row, prm, "order", ATN_ORDER_RANK);
}

static const char *refuses_order(const atn_row *row, const atn_problem *q, const atn_params *prm)
{
    const atn_order order = order_of(row, prm);

    if (order == ATN_ORDER_RANK)
        return NULL;
    if (q->ordered)
        return "another rank order would change the order of operands";
    return nowhere(q) ? "the order needs a topology" : atn_algo_order_refuses(q->topo, order);
}

static const char *find_refusal(const atn_row *row, const atn_problem *q, const atn_params *prm)
{
    const atn_algo *algo = row->algo;

    if (atn_sched_wants_canonical(q) && !atn_algo_is_canonical(row, q, prm))
        return "it combines operands in another order than ATTUNE_REPRODUCIBLE requires";
    if (algo->build && atn_sched_on_neighbours(q->op) &&
        (!q->neighbourhood || q->neighbourhood->p != q->p))
        return "the neighbours of the ranks are not known";
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if ((algo->needs & needs[i].need) && needs[i].lacks(q) &&
            !(needs[i].need == ATN_NEEDS_TOPOLOGY && atn_algo_levels_given(row, prm)))
            return needs[i].why;
    if (algo->most_ranks > 0 && q->p > algo->most_ranks)
        return "its cost grows with the square of the ranks, and they exceed its limit";
    if (q->segments > 1 && !(algo->passes & ATN_PASS_SEGMENT))
        return "it does not support segments";
    const char *why = refuses_order(row, q, prm);
    if (why || !algo->refuses)
        return why;
    atn_problem inner = *q;
    if (order_of(row, prm) != ATN_ORDER_RANK)
        inner.topo = NULL; /* refers to the original order */
    return algo->refuses(&inner, prm);
}

const char *atn_algo_refuses(const atn_row *row, const atn_problem *q, const atn_params *prm)
{
    const char *const why = find_refusal(row, q, prm);
    return why == atn_algo_no_memory ? NULL : why;
}

/* ---- building ---- */

/* The next number with at most four significant bits. */
static int round_up(int n)
{
    int step = 1;

    while (n > 16 * step)
        step *= 2;
    return (n + step - 1) / step * step;
}

/* Exposures are limited in number (sched/schedule.h), and a segment makes several. */
static int most_segments(const atn_row *row, const atn_problem *q)
{
    enum { SHARED = 256, LEVELS = 64 };
    if (row->algo->needs & ATN_NEEDS_SHARED)
        return SHARED;
    return q->shared != ATN_SHARED_NONE && strcmp(row->algo->name, "levels") == 0
               ? LEVELS
               : ATN_MAX_SEGMENTS;
}

int atn_algo_segments(const atn_row *row, const atn_problem *q, const atn_params *prm)
{
    const int64_t segment = atn_algo_params_get(row, prm, "segment", 0);

    if (segment <= 0 || q->bytes <= 0)
        return 1;
    const int64_t unit = row->algo->shares ? (q->bytes - 1) / q->p + 1 : q->bytes;
    const int64_t least = (unit - 1) / segment + 1;
    const int most = most_segments(row, q);
    return least < most ? round_up((int)least) : most;
}

typedef struct {
    const atn_algo *algo;
    const atn_params *prm;
} job;

static void run_job(atn_builder *b, const atn_problem *q, const void *context)
{
    const job *j = context;
    j->algo->build(b, q, j->prm);
}

static void run_segments(atn_builder *b, const atn_problem *q, const void *context)
{
    const job *j = context;
    atn_pass_segment(b, q, j->algo->segments_inside ? 1 : q->segments, run_job, context);
}

static void run_ordered(atn_builder *b, const atn_problem *q, atn_order order, const job *j)
{
    int *ranks = malloc(sizeof *ranks * (size_t)q->p);

    if (ranks && atn_algo_order_ranks(q->topo, order, q->root, ranks))
        atn_pass_permute(b, q, ranks, run_segments, j);
    else
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    free(ranks);
}

static void run_passes(atn_builder *b, const atn_row *row, const atn_problem *q,
                       const atn_params *prm)
{
    const job j = {row->algo, prm};
    const atn_order order = order_of(row, prm);
    const atn_mark since = atn_mark_here(b);

    if (order != ATN_ORDER_RANK)
        run_ordered(b, q, order, &j);
    else
        run_segments(b, q, &j);
    atn_pass_throttle(b, since, (int)atn_algo_params_get(row, prm, "window", 0));
    if (row->algo->passes & ATN_PASS_SYNC) /* other rows may have their own `sync` */
        atn_pass_synchronise(b, since,
                             (atn_sync)atn_algo_params_get(row, prm, "sync", ATN_SYNC_NONE),
                             (int)atn_algo_params_get(row, prm, "every", 1));
}

/* window NULL: all rounds. */
static atn_status build_named(const char *name, const atn_row *row, const atn_problem *q,
                              const atn_params *prm, const atn_round_window *window,
                              atn_schedule **schedule_p, atn_error *err)
{
    atn_builder *b = atn_builder_new(q);
    if (!b)
        return atn_fail(err, ATN_MEMORY, "%s: out of memory", name);
    if (window != NULL)
        atn_builder_show(b, *window);
    atn_algo_derived_open(q->topo); /* segments share what is derived from the topology */
    run_passes(b, row, q, prm);
    atn_algo_derived_close();
    return atn_builder_finish(b, name, schedule_p, err);
}

atn_status atn_algo_build(const atn_row *row, const atn_problem *q, const atn_params *prm,
                          atn_schedule **schedule_p, atn_error *err)
{
    char name[ATN_NAME_ROOM];

    atn_algo_params_print(row, prm, name, sizeof name);
    atn_algo_derived_open(q->topo);
    const char *why = row->algo->build ? atn_algo_refuses(row, q, prm) : "it has no schedule";
    const atn_status status =
        why ? ATN_NOT_APPLICABLE : build_named(name, row, q, prm, NULL, schedule_p, err);
    atn_algo_derived_close();
    if (why == NULL)
        return status;
    return atn_fail(err, ATN_NOT_APPLICABLE, "%s is not applicable: %s", name, why);
}

atn_status atn_algo_build_unchecked(const atn_row *row, const atn_problem *q, const atn_params *prm,
                                    atn_schedule **schedule_p, atn_error *err)
{
    return build_named(row->name, row, q, prm, NULL, schedule_p, err);
}

atn_status atn_algo_build_rounds(const atn_row *row, const atn_problem *q, const atn_params *prm,
                                 atn_round_window window, atn_schedule **schedule_p, atn_error *err)
{
    return build_named(row->name, row, q, prm, &window, schedule_p, err);
}

void atn_algo_embed_algo(atn_builder *b, const atn_embed *e, const atn_algo *algo,
                         const atn_params *prm)
{
    atn_params own = {{0}};
    atn_embed inner = *e;
    int n = 0;

    for (const atn_param *param = algo->params; param && param->name; param++)
        own.v[n++] = param->fallback;
    const job j = {algo, prm ? prm : &own};
    inner.build = run_job;
    inner.context = &j;
    atn_embed_run(b, &inner);
}

/* ---- parts ---- */

static void run_part(atn_builder *b, const atn_problem *q, const void *context)
{
    const atn_algo_use *part = context;

    run_passes(b, part->row, q, &part->prm);
}

void atn_algo_embed_part(atn_builder *b, const atn_embed *e, const atn_algo_use *part)
{
    const atn_topo *outer = atn_builder_topo(b);
    const bool lacks = !e->q->topo && outer && atn_algo_part_is_placed(part);
    atn_topo *sub = lacks && e->ranks ? atn_topo_sub(outer, e->ranks, e->q->p) : NULL;
    atn_problem q = *e->q;
    atn_embed inner = *e;

    if (lacks)
        q.topo = e->ranks ? sub : outer;
    inner.q = &q;
    inner.build = run_part;
    inner.context = part;
    if (lacks && !q.topo)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    else
        atn_embed_run(b, &inner);
    atn_topo_free(sub);
}
