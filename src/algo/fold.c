/* fold.c - the accumulator: one block of value, one of room, which may change places. */
#include "algo/fold.h"

static atn_ref scratch(atn_builder *b) { return atn_tmp_at(atn_tmp(b, 0, 1), 0, 1); }

atn_fold atn_fold_begin(const atn_problem *q, atn_ref value)
{
    return (atn_fold){.value = value, .fixed = value.space == ATN_SRC, .ordered = q->ordered};
}

/* In place SRC is a view of the result, so the first operand would overwrite what it meets. */
atn_fold atn_fold_into(const atn_problem *q, atn_ref value, atn_ref result)
{
    atn_fold f = atn_fold_begin(q, q->in_place ? result : value);

    f.has_room = !q->in_place;
    f.room = result;
    return f;
}

atn_ref atn_fold_room(atn_builder *b, atn_fold *f)
{
    if (!f->has_room)
        f->room = scratch(b);
    f->has_room = true;
    return f->room;
}

/* The operand becomes the accumulator, and the old one, unless it is SRC, becomes room. */
static void move_to_room(atn_builder *b, atn_fold *f)
{
    const atn_ref old = f->value;

    atn_reduce(b, f->value, f->room);
    f->value = f->room;
    f->room = old;
    f->has_room = !f->fixed;
    f->fixed = false;
}

void atn_fold_take(atn_builder *b, atn_fold *f, bool below)
{
    const bool either = !f->ordered;

    if (either ? f->fixed : !below) {
        move_to_room(b, f);
        return;
    }
    if (f->fixed) {
        const atn_ref own = scratch(b);
        atn_copy(b, f->value, own);
        f->value = own;
        f->fixed = false;
    }
    atn_reduce(b, f->room, f->value);
}
