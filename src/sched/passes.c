/* passes.c - embed, segment and permute: the same algorithm elsewhere, in pieces, in another order.
 * order.c holds the passes that add orderings to what was emitted. */
#include "sched/builder_private.h"

#include <stdlib.h>

/* ---- embed ---- */

/* Finest position of part `part` (of unit / split finest blocks) of one side of a frame. */
static int position(const frame *f, const view *v, int part)
{
    const int at = part * (f->unit / f->split), j = at / f->unit;

    return v->base + (v->index ? v->index[j] : j) * v->stride + at % f->unit;
}

typedef struct {
    const view *from; /* NULL: a scratch region */
    int base, each;   /* region: finest begin; finest blocks per natural block */
} origin;

static origin view_origin(const atn_builder *b, const atn_view *v, int side)
{
    const frame *f = b->top;

    if (side != VIEW_VEC && v->at.space == ATN_TMP) {
        const region *g = &b->regions.v[v->at.region];
        return (origin){NULL, g->base + v->at.one.first * g->unit, v->each * g->unit};
    }
    const int from = side == VIEW_VEC ? VIEW_VEC : v->at.space == ATN_SRC ? VIEW_SRC : VIEW_DST;
    return (origin){&f->views[from], 0, v->each * (f->unit / f->split)};
}

/* Natural block j of the embedded side -> finest position, for all n of them. */
static int *place(atn_builder *b, const atn_view *v, const origin *o, int n)
{
    int *at = malloc(sizeof *at * ((size_t)n + 1));

    for (int j = 0; at && j < n; j++) {
        const int k = v->index ? v->index[j] : j, first = v->at.one.first + k * v->each;
        at[j] = o->from ? position(b->top, o->from, first) : o->base + k * o->each;
        if (o->from && position(b->top, o->from, first + v->each - 1) - at[j] !=
                           o->each / v->each * (v->each - 1))
            atn_builder_fail(b, ATN_USAGE, "an embedded block would lie in several places");
    }
    return at;
}

/* A view for one side of the embedded frame; *index_p must live as long as the frame. */
static void embed_side(atn_builder *b, const atn_view *v, int side, int n, frame *child,
                       int **index_p)
{
    if (v->each == 0 || n == 0 || b->err.status != ATN_OK)
        return;
    const origin o = view_origin(b, v, side);
    if (child->unit != 0 && child->unit != o.each)
        atn_builder_fail(b, ATN_USAGE, "an embedded algorithm sees blocks of two sizes");
    child->unit = o.each;
    *index_p = place(b, v, &o, n);
    if (!*index_p)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    child->views[side] = (view){o.from ? o.from->space : ATN_TMP, 0, 1, *index_p};
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

static int vec_blocks(const atn_problem *q)
{
    const atn_operation_info *o = atn_operation_get(q->op);
    return atn_max(atn_side_blocks(o->source, q->p), atn_side_blocks(o->result, q->p));
}

void atn_embed_run(atn_builder *b, const atn_embed *e)
{
    const atn_operation_info *o = atn_operation_get(e->q->op);
    int *index[VIEWS] = {NULL};
    int *ranks = absolute_ranks(b->top, e);
    frame child = {.q = *e->q, .ranks = ranks, .split = 1, .up = b->top};

    if (!ranks)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    if (atn_has_src(e->q))
        embed_side(b, &e->src, VIEW_SRC, atn_side_blocks(o->source, e->q->p), &child,
                   &index[VIEW_SRC]);
    if (atn_has_dst(e->q))
        embed_side(b, &e->dst, VIEW_DST, atn_side_blocks(o->result, e->q->p), &child,
                   &index[VIEW_DST]);
    embed_side(b, &e->vec, VIEW_VEC, vec_blocks(e->q), &child, &index[VIEW_VEC]);
    if (child.unit == 0)
        child.unit = b->top->unit;
    if (b->err.status == ATN_OK) {
        b->top = &child;
        e->build(b, e->q, e->context);
        b->top = child.up;
    }
    free(ranks);
    for (int i = 0; i < VIEWS; i++)
        free(index[i]);
}

/* ---- segment ---- */

static frame piece_frame(const frame *f, int piece, int pieces)
{
    frame child = *f;

    child.unit = f->unit / pieces;
    child.split = 1;
    child.q.pieces = 1;
    for (int i = 0; i < VIEWS; i++)
        child.views[i].base += piece * child.unit;
    return child;
}

void atn_pass_segment(atn_builder *b, const atn_problem *q, int pieces, atn_build_fn build,
                      const void *context)
{
    atn_problem one = *q;

    one.pieces = 1;
    atn_split(b, pieces);
    b->top->split = 1;
    for (int k = 0; k < pieces && b->err.status == ATN_OK; k++) {
        frame child = piece_frame(b->top, k, pieces);
        child.up = b->top;
        if (k > 0)
            atn_round(b);
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
    const atn_operation_info *o = atn_operation_get(q->op);
    const int split = b->top->split;
    atn_problem inner = *q;

    if (q->ordered || q->op == ATN_SCAN || q->op == ATN_EXSCAN) {
        atn_builder_refuse(b, "another rank order would change the order of operands");
        return;
    }
    inner.r = place_in(order, q->p, q->r);
    inner.root = place_in(order, q->p, q->root);
    inner.topo = NULL; /* it speaks of the old order */
    atn_embed_run(b, &(atn_embed){
                         .q = &inner,
                         .ranks = order,
                         .src = permuted(ATN_SRC, atn_side_blocks(o->source, 2) == 2, order, split),
                         .dst = permuted(ATN_DST, atn_side_blocks(o->result, 2) == 2, order, split),
                         .vec = permuted(ATN_TMP, vec_blocks(q) > 1, order, split),
                         .build = build,
                         .context = context,
                     });
}
