/* blocks.h - iterates over the blocks of a slot. */
#ifndef ATN_SCHED_BLOCKS_H
#define ATN_SCHED_BLOCKS_H

#include "sched/schedule.h"

typedef struct {
    const atn_slot *slot;
    const atn_range *range, *end;
    int k;
} atn_block_cursor;

/* `ranges` and the slot must outlive the cursor. */
static inline atn_block_cursor atn_sched_blocks_of(const atn_range *ranges, const atn_slot *slot)
{
    const atn_range *first = slot->n > 1 ? &ranges[slot->at] : &slot->one;

    return (atn_block_cursor){slot, first, first + slot->n, 0};
}

/* The next block, or -1. */
static inline int atn_sched_block_next(atn_block_cursor *c)
{
    if (c->range < c->end && c->k == c->range->count) {
        c->range++;
        c->k = 0;
    }
    return c->range < c->end ? c->range->first + c->k++ : -1;
}

#endif
