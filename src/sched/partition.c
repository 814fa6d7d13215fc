/* partition.c - see partition.h. */
#include "sched/partition.h"

atn_partition atn_sched_partition_uniform(const atn_problem *q, int split, int64_t each)
{
    const atn_operation_info *o = atn_sched_operation_get(q->op);
    const int src = atn_sched_rank_blocks(q, o->source), dst = atn_sched_rank_blocks(q, o->result);

    return (atn_partition){
        .src = {.n = src, .each = each},
        .dst = {.n = dst, .each = each},
        .vec = {.n = atn_sched_vec_blocks(q), .each = each},
        .split = split,
    };
}

static int64_t units_of(const atn_blocks *z, int split, int block)
{
    const int j = block / split, k = block % split;
    const int64_t len = z->lens ? z->lens[j] : z->each;

    return atn_sched_cut(len, k + 1, split) - atn_sched_cut(len, k, split);
}

static int64_t block_units(const atn_partition *t, const atn_schedule *s, atn_space space,
                           int block)
{
    if (space == ATN_TMP)
        return units_of(&t->vec, t->split, s->tmp_shape[block]);
    if (space == ATN_SHAPE)
        return units_of(&t->vec, t->split, block);
    return units_of(space == ATN_SRC ? &t->src : &t->dst, t->split, block);
}

int64_t atn_sched_slot_units(const atn_partition *t, const atn_schedule *s, const atn_slot *slot)
{
    const atn_range *r = atn_sched_slot_ranges(s, slot);
    int64_t units = 0;

    for (int i = 0; i < slot->n; i++)
        for (int k = 0; k < r[i].count; k++)
            units += block_units(t, s, (atn_space)slot->space, r[i].first + k);
    return units;
}
