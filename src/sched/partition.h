/* partition.h - sizes and offsets of blocks, bound when a call starts. */
#ifndef ATN_SCHED_PARTITION_H
#define ATN_SCHED_PARTITION_H

#include "sched/schedule.h"

/* One side of a call.  Sizes and offsets are in units: bytes, or elements of a reduction. */
typedef struct {
    int n;               /* natural blocks */
    int64_t each;        /* units per natural block when lens is NULL */
    const int64_t *lens; /* or the units of each */
    const int64_t *offs; /* where each begins; NULL: consecutive */
} atn_blocks;

typedef struct {
    atn_blocks src, dst, vec; /* vec: the shape vector that scratch blocks refer to */
    int split;
} atn_partition;

typedef struct {
    int64_t off, len; /* units */
} atn_extent;

/* Units before part k when `units` are divided evenly into `split` parts. */
static inline int64_t atn_sched_cut(int64_t units, int k, int split)
{
    return units / split * k + units % split * k / split;
}

/* Uniform partition of a problem: every natural block has `each` units. */
atn_partition atn_sched_partition_uniform(const atn_problem *q, int split, int64_t each);

int64_t atn_sched_slot_units(const atn_partition *t, const atn_schedule *s, const atn_slot *slot);

#endif
