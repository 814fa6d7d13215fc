/* passes.c - embed, segment and permute: an algorithm on other blocks and ranks, per segment, or in
 * another rank order.  order.c holds the passes that add orderings to emitted operations. */
#include "sched/builder_private.h"

#include <stdlib.h>

/* ---- embed ---- */

/* The origin of a side of an embedded algorithm: a side of the embedding one, or scratch. */
typedef struct {
    const view *from; /* NULL: scratch */
    const region *scratch;
    int part;     /* finest blocks of a part of the embedding side */
    bool grouped; /* parts consist of several extents */
    int first, each;
} origin;

static origin view_origin(const atn_builder *b, const atn_view *v, int side)
{
    const frame *f = b->top;
    origin o = {.part = f->unit / f->split, .first = v->at.one.first, .each = v->each};

    if (side != VIEW_VEC && v->at.space == ATN_TMP) {
        o.scratch = &b->regions.v[v->at.region];
        o.part = o.scratch->unit;
        o.grouped = o.scratch->ends >= 0;
        return o;
    }
    const int from = side == VIEW_VEC ? VIEW_VEC : v->at.space == ATN_SRC ? VIEW_SRC : VIEW_DST;
    o.from = &f->views[from];
    o.grouped = o.from->first;
    return o;
}

typedef ATN_VEC(int) places;

static bool push_part_segments(const atn_builder *b, const origin *o, int t, places *at)
{
    const frame *f = b->top;

    if (o->scratch) {
        const int lo = atn_sched_region_extents(b, o->scratch, t);
        for (int i = lo; i < atn_sched_region_extents(b, o->scratch, t + 1); i++)
            if (!atn_push(at, o->scratch->base + i * o->part))
                return false;
        return true;
    }
    const int j = t / f->split, off = t % f->split * o->part;
    for (int i = atn_sched_view_first(o->from, j); i < atn_sched_view_first(o->from, j + 1); i++)
        if (!atn_push(at, atn_sched_view_at(o->from, i) + off))
            return false;
    return true;
}

/* The positions of run k of `each` parts of the embedding side: one, or one per extent where parts
 * consist of several extents. */
static bool push_places(atn_builder *b, const origin *o, int k, places *at)
{
    const int first = o->first + k * o->each, here = at->n;

    for (int t = first; t < first + o->each; t++)
        if (!push_part_segments(b, o, t, at))
            return false;
    if (o->grouped)
        return true;
    if (at->v[at->n - 1] - at->v[here] != (o->each - 1) * o->part)
        atn_builder_fail(b, ATN_USAGE, "an embedded block would lie in several places");
    at->n = here + 1;
    return true;
}

/* The arrays that the views of an embedded frame point to. */
typedef struct {
    places at[VIEWS], first[VIEWS];
} embedded;

/* All natural blocks of one side. */
static bool place(atn_builder *b, const atn_view *v, const origin *o, int n, places *at,
                  places *first)
{
    const bool grouped = v->first || o->grouped;
    bool ok = !grouped || atn_push(first, 0);

    for (int j = 0; ok && j < n; j++) {
        const int lo = v->first ? v->first[j] : j, hi = v->first ? v->first[j + 1] : j + 1;
        for (int i = lo; ok && i < hi; i++)
            ok = push_places(b, o, v->index ? v->index[i] : i, at);
        if (grouped)
            ok = ok && atn_push(first, at->n);
    }
    return ok;
}

/* The same blocks as by `place` where no position needs to be looked up: parts of the origin follow
 * each other, or its blocks are as far apart as they are.  False: they have to be. */
static bool find_view(const frame *f, const atn_view *v, const origin *o, view *view_p)
{
    const bool same = o->from && f->split == 1 && o->each == 1;
    const bool follow = !o->from || (o->from->stride == f->unit && !o->from->index);
    const bool listed = same && o->from->index;
    if (o->grouped || !(follow || same) || (listed && (v->index || v->first)))
        return false;
    const int step = same ? o->from->stride : o->part;
    *view_p = (view){.space = o->from ? o->from->space : ATN_TMP,
                     .base = (o->from ? o->from->base : o->scratch->base) +
                             (listed ? 0 : o->first * step),
                     .stride = o->each * step,
                     .index = listed ? o->from->index + o->first : v->index,
                     .first = v->first};
    return true;
}

/* A view for one side of the embedded frame. */
static void embed_side(atn_builder *b, const atn_view *v, int side, int n, frame *child,
                       embedded *all)
{
    if (v->each == 0 || n == 0 || b->err.status != ATN_OK)
        return;
    const origin o = view_origin(b, v, side);
    const int unit = o.grouped ? o.part : o.part * o.each;
    places *at = &all->at[side], *first = &all->first[side];
    if (child->unit != 0 && child->unit != unit)
        atn_builder_fail(b, ATN_USAGE, "an embedded algorithm sees blocks of two sizes");
    child->unit = unit;
    if (find_view(b->top, v, &o, &child->views[side]))
        return;
    if (!place(b, v, &o, n, at, first))
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    child->views[side] = (view){
        .space = o.from ? o.from->space : ATN_TMP, .stride = 1, .index = at->v, .first = first->v};
}

/* Embedded rank -> rank of the schedule. */
static int *absolute_ranks(const frame *f, const atn_embed *e)
{
    int *ranks = malloc(sizeof *ranks * ((size_t)e->q->p + 1));

    for (int i = 0; ranks && i < e->q->p; i++) {
        const int outer = e->ranks ? e->ranks[i] : i;
        ranks[i] = f->ranks ? f->ranks[outer] : outer;
    }
    return ranks;
}

static void embed_sides(atn_builder *b, const atn_embed *e, frame *child, embedded *all)
{
    const atn_operation_info *o = atn_sched_operation_get(e->q->op);

    if (child->signals) {
        child->unit = 1;
        return;
    }
    if (atn_sched_has_src(e->q))
        embed_side(b, &e->src, VIEW_SRC, atn_sched_rank_blocks(e->q, o->source), child, all);
    if (atn_sched_has_dst(e->q))
        embed_side(b, &e->dst, VIEW_DST, atn_sched_rank_blocks(e->q, o->result), child, all);
    embed_side(b, &e->vec, VIEW_VEC, atn_sched_vec_blocks(e->q), child, all);
    if (child->unit == 0)
        child->unit = b->top->unit;
}

/* Releases the scratch of an embedded algorithm: no other one reads it. */
static void release_scratch(atn_builder *b, const frame *user)
{
    for (int i = 0; i < b->regions.n; i++)
        if (b->regions.v[i].user == user)
            b->regions.v[i].user = NULL;
}

/* The same ranks count on; a part of them needs its own count, since others may expose more. */
static int domain_of(const frame *f, const atn_embed *e)
{
    if (e->domain > 0)
        return e->domain < ATN_DOMAINS ? e->domain : -1;
    return e->q->p == f->q.p ? f->domain : -1;
}

void atn_embed_run(atn_builder *b, const atn_embed *e)
{
    int *ranks = absolute_ranks(b->top, e);
    embedded all = {0};
    frame child = {.q = *e->q,
                   .ranks = ranks,
                   .split = 1,
                   .signals = e->signals || b->top->signals,
                   .domain = domain_of(b->top, e),
                   .up = b->top};

    if (!ranks)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    embed_sides(b, e, &child, &all);
    if (b->err.status == ATN_OK) {
        b->top = &child;
        e->build(b, e->q, e->context);
        b->top = child.up;
        release_scratch(b, &child);
    }
    free(ranks);
    for (int i = 0; i < VIEWS; i++) {
        atn_vec_free(&all.at[i]);
        atn_vec_free(&all.first[i]);
    }
}

/* ---- segment ---- */

static frame segment_frame(const frame *f, int segment, int segments)
{
    frame child = *f;

    child.unit = f->unit / segments;
    child.split = 1;
    child.exposures = child.exposed = 0;
    child.q.segments = 1;
    for (int i = 0; i < VIEWS; i++)
        child.views[i].base += segment * child.unit;
    return child;
}

void atn_pass_segment(atn_builder *b, const atn_problem *q, int segments, atn_build_fn build,
                      const void *context)
{
    atn_problem one = *q;

    if (segments <= 1) {
        build(b, q, context);
        return;
    }
    one.segments = 1;
    atn_split(b, segments);
    b->top->split = 1;
    for (int k = 0; k < segments && b->err.status == ATN_OK; k++) {
        frame child = segment_frame(b->top, k, segments);
        child.up = b->top;
        if (k > 0)
            atn_round(b);
        b->segment_round = b->round;
        b->top = &child;
        build(b, &one, context);
        b->top = child.up;
    }
}

/* ---- permute ---- */

static atn_view permuted(atn_space space, bool per_rank, const int *order, int split)
{
    return (atn_view){.at = {.space = space}, .each = split, .index = per_rank ? order : NULL};
}

static int place_in(const int *order, int p, int rank)
{
    int i = 0;
    while (i < p && order[i] != rank)
        i++;
    return i;
}

void atn_pass_permute(atn_builder *b, const atn_problem *q, const int *order, atn_build_fn build,
                      const void *context)
{
    const atn_operation_info *o = atn_sched_operation_get(q->op);
    const int split = b->top->split;
    atn_problem inner = *q;

    if (q->ordered || q->op == ATN_SCAN || q->op == ATN_EXSCAN) {
        atn_builder_refuse(b, "another rank order would change the order of operands");
        return;
    }
    if (q->neighbourhood) {
        atn_builder_refuse(b, "another rank order would change the neighbours");
        return;
    }
    inner.r = place_in(order, q->p, q->r);
    inner.root = place_in(order, q->p, q->root);
    inner.topo = NULL; /* refers to the original order */
    inner.lateness = NULL;
    atn_embed_run(
        b, &(atn_embed){
               .q = &inner,
               .ranks = order,
               .src = permuted(ATN_SRC, atn_sched_side_blocks(o->source, 2) == 2, order, split),
               .dst = permuted(ATN_DST, atn_sched_side_blocks(o->result, 2) == 2, order, split),
               .vec = permuted(ATN_TMP, atn_sched_vec_blocks(q) > 1, order, split),
               .build = build,
               .context = context,
           });
}
