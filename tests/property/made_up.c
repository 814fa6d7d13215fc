/* made_up.c - see made_up.h.  A plan of all ranks is drawn first: a list of steps, each of which
 * moves one block from a place where it is to another one.  Every rank then emits its part. */
#include "made_up.h"

#include <stdlib.h>

#include "sched/builder.h"

/* TMP: block is the number of a scratch block of the rank. */
typedef struct {
    atn_space space;
    int block;
} place;

/* MERGE: the receiver combines the block with `with` into `out`; `left`: it comes from lower
 * ranks. */
typedef struct {
    int from, to;
    place a, b, with, out;
    bool merges, left, fused;
} step;

typedef struct {
    int value, rank;
    place at;
} holder;

typedef struct {
    atn_problem q;
    int split;
    uint64_t *random;
    ATN_VEC(step) steps;
    ATN_VEC(holder) holders;
    ATN_VEC(holder) goals;
    ATN_VEC(int) shapes[16]; /* of the scratch blocks of each rank */
} plan;

static int below(plan *x, int n) { return (int)(atn_random(x->random) % (unsigned)n); }

static void must(bool pushed)
{
    if (!pushed)
        abort();
}

static void add_step(plan *x, step s) { must(atn_push(&x->steps, s)); }

static void holds(plan *x, int value, int rank, place at)
{
    must(atn_push(&x->holders, (holder){value, rank, at}));
}

static void needs(plan *x, int value, int rank, int block)
{
    must(atn_push(&x->goals, (holder){value, rank, {ATN_DST, block}}));
}

static place scratch(plan *x, int rank, int shape)
{
    must(atn_push(&x->shapes[rank], shape));
    return (place){ATN_TMP, x->shapes[rank].n - 1};
}

/* ---- moving blocks ---- */

static const holder *any_holder(plan *x, int value)
{
    for (int i = below(x, x->holders.n);; i = (i + 1) % x->holders.n)
        if (x->holders.v[i].value == value)
            return &x->holders.v[i];
}

static void carry(plan *x, int value, int to, place b)
{
    const holder h = *any_holder(x, value);

    add_step(x, (step){.from = h.rank, .to = to, .a = h.at, .b = b});
    holds(x, value, to, b);
}

/* Blocks that have the size of their value: see atn_tmp. */
static int shape_of(const plan *x, int value, int rank)
{
    switch (atn_sched_operation_get(x->q.op)->source) {
    case ATN_SIDE_ONE:
    case ATN_SIDE_VEC:
        return value % (x->q.p * x->split);
    case ATN_SIDE_ROW:
        return rank * x->split + value % x->split;
    default:
        return value % x->split;
    }
}

/* Goals in a random order, some of them through a third rank. */
static void reach_goals(plan *x)
{
    while (x->goals.n > 0) {
        const int i = below(x, x->goals.n);
        const holder g = x->goals.v[i];
        x->goals.v[i] = x->goals.v[--x->goals.n];
        if (below(x, 4) == 0) {
            const int third = below(x, x->q.p);
            carry(x, g.value, third, scratch(x, third, shape_of(x, g.value, third)));
        }
        carry(x, g.value, g.rank, g.at);
    }
}

/* ---- data movement: value = the number of a block of its source ---- */

static void plan_whole(plan *x, int k)
{
    holds(x, k, x->q.root, (place){ATN_DST, k});
    for (int r = 0; r < x->q.p; r++)
        if (r != x->q.root)
            needs(x, k, r, k);
}

static void plan_entries(plan *x, int k)
{
    const bool rooted = atn_sched_operation_get(x->q.op)->flags & ATN_ROOTED;

    for (int j = 0; j < x->q.p; j++) {
        const int value = j * x->split + k;
        holds(x, value, j, (place){ATN_SRC, k});
        for (int r = 0; r < x->q.p; r++)
            if (!rooted || r == x->q.root)
                needs(x, value, r, value);
    }
}

static void plan_scatter(plan *x, int k)
{
    for (int r = 0; r < x->q.p; r++) {
        holds(x, r * x->split + k, x->q.root, (place){ATN_SRC, r * x->split + k});
        needs(x, r * x->split + k, r, k);
    }
}

static void plan_exchange(plan *x, int k)
{
    for (int i = 0; i < x->q.p; i++)
        for (int j = 0; j < x->q.p; j++) {
            const int value = (i * x->q.p + j) * x->split + k;
            holds(x, value, i, (place){ATN_SRC, j * x->split + k});
            needs(x, value, j, i * x->split + k);
        }
}

/* ---- reductions: partial results of runs of ranks are combined until one is left ---- */

typedef struct {
    int rank;
    place at;
} partial;

static void merge(plan *x, partial *into, const partial *other, bool left, int k)
{
    const place b = scratch(x, into->rank, k), out = scratch(x, into->rank, k);

    add_step(x, (step){.from = other->rank,
                       .to = into->rank,
                       .a = other->at,
                       .b = b,
                       .with = into->at,
                       .out = out,
                       .merges = true,
                       .left = left,
                       .fused = left && below(x, 2)});
    into->at = out;
}

static void plan_reduction(plan *x, int k)
{
    partial live[16];
    int n = x->q.p;

    for (int r = 0; r < n; r++)
        live[r] = (partial){r, {ATN_SRC, k}};
    for (; n > 1; n--) {
        const int i = below(x, n - 1);
        const bool left = below(x, 2); /* the lower run is sent */
        partial one = live[left ? i + 1 : i];
        merge(x, &one, &live[left ? i : i + 1], left, k);
        live[i] = one;
        for (int j = i + 1; j < n - 1; j++)
            live[j] = live[j + 1];
    }
    holds(x, k, live[0].rank, live[0].at);
    for (int r = 0; r < x->q.p; r++)
        if (x->q.op == ATN_ALLREDUCE || r == x->q.root)
            needs(x, k, r, k);
}

static const struct {
    atn_operation op;
    void (*plan)(plan *x, int k);
} kinds[] = {
    {ATN_BCAST, plan_whole},         {ATN_GATHER, plan_entries},     {ATN_GATHERV, plan_entries},
    {ATN_ALLGATHER, plan_entries},   {ATN_ALLGATHERV, plan_entries}, {ATN_SCATTER, plan_scatter},
    {ATN_SCATTERV, plan_scatter},    {ATN_ALLTOALL, plan_exchange},  {ATN_REDUCE, plan_reduction},
    {ATN_ALLREDUCE, plan_reduction},
};

static void draw_plan(plan *x, int p)
{
    const int kind = below(x, (int)(sizeof kinds / sizeof *kinds));
    const unsigned flags = atn_sched_operation_get(kinds[kind].op)->flags;

    x->split = 1 + below(x, 2);
    x->q = (atn_problem){.op = kinds[kind].op,
                         .p = p,
                         .root = flags & ATN_ROOTED ? below(x, p) : 0,
                         .ordered = flags & ATN_TYPED && below(x, 2),
                         .segments = 1};
    for (int k = 0; k < x->split; k++)
        kinds[kind].plan(x, k);
    reach_goals(x);
}

/* ---- emission ---- */

static atn_ref ref_of(place at, const int *regions)
{
    if (at.space == ATN_TMP)
        return atn_tmp_at(regions[at.block], 0, 1);
    return at.space == ATN_SRC ? atn_src(at.block, 1) : atn_dst(at.block, 1);
}

static void emit_merge(atn_builder *b, const step *s, bool local, const int *regions)
{
    const atn_ref in = ref_of(local ? s->a : s->b, regions), with = ref_of(s->with, regions),
                  out = ref_of(s->out, regions);

    if (!local && s->fused) {
        atn_recv_reduce(b, s->from, in, with, out);
        return;
    }
    if (!local)
        atn_recv(b, s->from, in);
    if (s->left)
        atn_reduce_with(b, in, with, out);
    else
        atn_reduce_with(b, with, in, out);
}

static void emit(atn_builder *b, const step *s, int r, const int *regions)
{
    if (s->from == r && s->to != r)
        atn_send(b, s->to, ref_of(s->a, regions));
    else if (s->to == r && s->merges)
        emit_merge(b, s, s->from == r, regions);
    else if (s->to == r && s->from == r)
        atn_copy(b, ref_of(s->a, regions), ref_of(s->b, regions));
    else if (s->to == r)
        atn_recv(b, s->from, ref_of(s->b, regions));
}

static atn_schedule *emit_rank(plan *x, int r, bool shuffled, atn_error *err)
{
    atn_problem q = x->q;
    int regions[1024], order[1024];
    const int n = atn_min(x->steps.n, 1024);
    atn_schedule *s = NULL;

    q.r = r;
    atn_builder *b = atn_builder_new(&q);
    atn_split(b, x->split);
    for (int i = 0; i < x->shapes[r].n && i < 1024; i++)
        regions[i] = atn_tmp(b, x->shapes[r].v[i], 1);
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = 1; i < n && shuffled; i++)
        if (below(x, 4) == 0) {
            const int was = order[i];
            order[i] = order[i - 1];
            order[i - 1] = was;
        }
    for (int i = 0; i < n; i++)
        emit(b, &x->steps.v[order[i]], r, regions);
    atn_builder_finish(b, "random", &s, err);
    return s;
}

atn_schedule **make_up(int p, bool shuffled, uint64_t *random, atn_error *err)
{
    plan x = {.random = random};
    atn_schedule **s = calloc((size_t)p, sizeof *s);
    bool ok = true;

    draw_plan(&x, p);
    for (int r = 0; r < p; r++) {
        s[r] = emit_rank(&x, r, shuffled, err);
        ok = ok && s[r];
    }
    for (int r = 0; r < p; r++) {
        if (!ok)
            atn_sched_schedule_free(s[r]);
        atn_vec_free(&x.shapes[r]);
    }
    atn_vec_free(&x.steps);
    atn_vec_free(&x.holders);
    atn_vec_free(&x.goals);
    if (ok)
        return s;
    free(s);
    return NULL;
}
