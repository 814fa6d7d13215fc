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

/* Blocks in order, all before `block`. */
static int64_t units_before(const atn_blocks *z, int split, int block)
{
    return block / split * z->each + atn_sched_cut(z->each, block % split, split);
}

/* Of blocks of the same length, without a look at each of them; -1: they differ. */
static int64_t uniform_units(const atn_partition *t, atn_space space, const atn_range *r)
{
    const atn_blocks *const z = space == ATN_SRC ? &t->src : space == ATN_DST ? &t->dst : &t->vec;
    if (z->lens != NULL || (space == ATN_TMP && z->each % t->split != 0))
        return -1;
    if (space == ATN_TMP)
        return r->count * (z->each / t->split);
    return units_before(z, t->split, r->first + r->count) - units_before(z, t->split, r->first);
}

int64_t atn_sched_slot_units(const atn_partition *t, const atn_schedule *s, const atn_slot *slot)
{
    const atn_range *r = atn_sched_slot_ranges(s, slot);
    const atn_space space = (atn_space)slot->space;
    int64_t units = 0;

    for (int i = 0; i < slot->n; i++) {
        const int64_t all = uniform_units(t, space, &r[i]);
        units += all >= 0 ? all : 0;
        for (int k = 0; k < r[i].count && all < 0; k++)
            units += block_units(t, s, space, r[i].first + k);
    }
    return units;
}
