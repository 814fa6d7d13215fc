/* fold.c - the accumulator: a value and two receive buffers of the same shape, which may swap. */
#include "algo/fold.h"

static atn_ref listed(const atn_fold *f, atn_ref at)
{
    return f->list ? atn_ranges(at, f->list, f->n) : at;
}

static atn_ref scratch(atn_builder *b, const atn_fold *f)
{
    const int region = atn_tmp(b, f->shape.first, f->shape.count);
    return listed(f, atn_tmp_at(region, 0, f->shape.count));
}

atn_fold atn_algo_fold_begin(const atn_problem *q, atn_ref value)
{
    return (atn_fold){
        .value = value, .shape = value.one, .fixed = value.space == ATN_SRC, .ordered = q->ordered};
}

/* In place, SRC is a view of the result, so the first operand would overwrite the value. */
atn_fold atn_algo_fold_into(const atn_problem *q, atn_ref value, atn_ref result)
{
    atn_fold f = atn_algo_fold_begin(q, q->in_place ? result : value);

    f.has_room[0] = !q->in_place;
    f.room[0] = result;
    return f;
}

atn_fold atn_algo_fold_own(const atn_problem *q, int parent, int first, int count)
{
    const atn_ref own = atn_src(first, count);

    return parent < 0 ? atn_algo_fold_into(q, own, atn_dst(first, count))
                      : atn_algo_fold_begin(q, own);
}

void atn_algo_fold_end(atn_builder *b, const atn_fold *f, int parent)
{
    if (parent >= 0)
        atn_send(b, parent, f->value);
    else
        atn_copy(b, f->value, atn_dst(f->shape.first, f->shape.count));
}

static atn_ref part_of(const atn_fold *f, atn_ref at, int first, int count)
{
    const int begin = f->list ? 0 : at.one.first; /* lists are relative to the first block */

    at.n = 1;
    at.one = (atn_range){begin + first - f->shape.first, count};
    return at;
}

atn_ref atn_algo_fold_part(const atn_fold *f, int first, int count)
{
    return part_of(f, f->value, first, count);
}

void atn_algo_fold_narrow(atn_fold *f, int first, int count)
{
    f->value = part_of(f, f->value, first, count);
    for (int i = 0; i < 2; i++)
        f->room[i] = part_of(f, f->room[i], first, count);
    f->shape = (atn_range){first, count};
}

void atn_algo_fold_keep(atn_fold *f, const atn_range *list, int n)
{
    f->list = list;
    f->n = n;
    f->value = listed(f, f->value);
    for (int i = 0; i < 2; i++)
        f->room[i] = listed(f, f->room[i]);
}

atn_ref atn_algo_fold_room(atn_builder *b, atn_fold *f)
{
    if (!f->has_room[f->next])
        f->room[f->next] = scratch(b, f);
    f->has_room[f->next] = true;
    return f->room[f->next];
}

/* The operand becomes the accumulator; the old one becomes a receive buffer unless it is SRC. */
static void move_to_room(atn_builder *b, atn_fold *f)
{
    const atn_ref old = f->value;

    atn_reduce(b, f->value, f->room[f->next]);
    f->value = f->room[f->next];
    f->room[f->next] = old;
    f->has_room[f->next] = !f->fixed;
    f->fixed = false;
}

/* The accumulator, which must not be SRC, stays in place. */
static void add_room(atn_builder *b, atn_fold *f)
{
    if (f->fixed) {
        const atn_ref own = scratch(b, f);
        atn_copy(b, f->value, own);
        f->value = own;
        f->fixed = false;
    }
    atn_reduce(b, f->room[f->next], f->value);
}

void atn_algo_fold_take(atn_builder *b, atn_fold *f, bool below)
{
    if (f->ordered ? !below : f->fixed)
        move_to_room(b, f);
    else
        add_room(b, f);
    f->next = !f->next && !f->one_room;
}

void atn_algo_fold_recv(atn_builder *b, const atn_problem *q, atn_fold *f, int peer)
{
    atn_recv(b, peer, atn_algo_fold_room(b, f));
    atn_algo_fold_take(b, f, peer < q->r);
}

atn_ref atn_algo_fold_list(atn_builder *b, const atn_ref *operand, int n, atn_ref spare)
{
    const bool fixed = operand[n - 1].space == ATN_SRC;
    const atn_ref sum = fixed ? spare : operand[n - 1];

    if (fixed)
        atn_copy(b, operand[n - 1], sum);
    for (int i = n - 2; i >= 0; i--)
        atn_reduce(b, operand[i], sum);
    return sum;
}

void atn_algo_fold_scratch(atn_builder *b, int region, int n, atn_ref result)
{
    atn_copy(b, atn_tmp_at(region, n - 1, 1), result);
    for (int i = n - 2; i >= 0; i--)
        atn_reduce(b, atn_tmp_at(region, i, 1), result);
}

void atn_algo_fold_tree(atn_builder *b, const atn_problem *q, const atn_tree *t)
{
    const int parent = t->up < 0 ? -1 : t->edge[t->up].peer;
    atn_fold f = atn_algo_fold_own(q, parent, 0, 1);

    for (int level = t->levels - 1; level >= 0; level--) {
        const atn_edge *e = &t->edge[level];
        if (level == t->up)
            atn_algo_fold_end(b, &f, parent);
        else if (e->peer >= 0)
            atn_algo_fold_recv(b, q, &f, e->peer);
        atn_algo_rounds(b, level > 0);
    }
    if (parent < 0)
        atn_algo_fold_end(b, &f, -1);
}

void atn_algo_fold_up(atn_builder *b, const atn_problem *q, const atn_binary *t, int first,
                      int count)
{
    const bool inner = t->children > 0;
    atn_fold f = atn_algo_fold_own(q, t->parent, first, count);

    atn_algo_rounds(b, t->height - t->depth - inner);
    for (int i = 0; i < t->children; i++)
        atn_algo_fold_recv(b, q, &f, t->child[i]);
    if (t->parent >= 0)
        atn_algo_rounds(b, inner);
    atn_algo_fold_end(b, &f, t->parent);
    atn_algo_rounds(b, t->depth - 1);
}
