/* partition.c - see partition.h. */
#include "sched/partition.h"

atn_partition atn_partition_uniform(const atn_problem *q, int split, int64_t each)
{
    const atn_operation_info *o = atn_operation_get(q->op);
    const int src = atn_side_blocks(o->source, q->p), dst = atn_side_blocks(o->result, q->p);

    return (atn_partition){
        .src = {.n = src, .each = each},
        .dst = {.n = dst, .each = each},
        .vec = {.n = atn_max(src, dst), .each = each},
        .split = split,
    };
}

atn_extent atn_blocks_at(const atn_blocks *z, int split, int block)
{
    const int j = block / split, k = block % split;
    const int64_t len = z->lens ? z->lens[j] : z->each, lo = atn_cut(len, k, split);
    int64_t off = 0;

    if (z->offs)
        off = z->offs[j];
    else if (!z->lens)
        off = j * z->each;
    else
        for (int i = 0; i < j; i++)
            off += z->lens[i];
    return (atn_extent){off + lo, atn_cut(len, k + 1, split) - lo};
}

int64_t atn_block_units(const atn_partition *t, const atn_schedule *s, atn_space space, int block)
{
    if (space == ATN_TMP)
        return atn_blocks_at(&t->vec, t->split, s->tmp_shape[block]).len;
    return atn_blocks_at(space == ATN_SRC ? &t->src : &t->dst, t->split, block).len;
}

int64_t atn_slot_units(const atn_partition *t, const atn_schedule *s, const atn_slot *slot)
{
    const atn_range *r = atn_slot_ranges(s, slot);
    int64_t units = 0;

    for (int i = 0; i < slot->n; i++)
        for (int k = 0; k < r[i].count; k++)
            units += atn_block_units(t, s, (atn_space)slot->space, r[i].first + k);
    return units;
}
