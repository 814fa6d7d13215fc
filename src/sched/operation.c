/* operation.c - the table of operations. */
#include "sched/operation.h"

#include <string.h>

#include "sched/neighbourhood.h"

static const atn_operation_info infos[ATN_OPERATIONS] = {
#define ATN_OPERATION(id, name, source, result, flags)                                             \
    [ATN_##id] = {#name, ATN_SIDE_##source, ATN_SIDE_##result, flags},
#include "sched/operation.def"
#undef ATN_OPERATION
};

const atn_operation_info *atn_sched_operation_get(atn_operation op) { return &infos[op]; }

bool atn_sched_is_padded(atn_operation op)
{
    const bool apart = infos[op].source == ATN_SIDE_ROW || (infos[op].flags & ATN_ON_NEIGHBOURS);
    return apart && (infos[op].flags & ATN_VARYING);
}

bool atn_sched_operation_find(const char *name, atn_operation *op_p)
{
    for (int i = 0; i < ATN_OPERATIONS; i++)
        if (strcmp(infos[i].name, name) == 0) {
            *op_p = (atn_operation)i;
            return true;
        }
    return false;
}

const char *atn_sched_operation_offer(const char *word, char out[ATN_ERROR_ROOM])
{
    const char *names[ATN_OPERATIONS];
    for (int i = 0; i < ATN_OPERATIONS; i++)
        names[i] = infos[i].name;
    return atn_offer(word, names, ATN_OPERATIONS, out);
}

int atn_sched_side_blocks(atn_side side, int p)
{
    switch (side) {
    case ATN_SIDE_NONE:
        return 0;
    case ATN_SIDE_WHOLE:
    case ATN_SIDE_ONE:
    case ATN_SIDE_OUT:
    case ATN_SIDE_IN:
    case ATN_SIDE_COMMON:
        return 1;
    default:
        return p;
    }
}

int atn_sched_rank_blocks(const atn_problem *q, atn_side side)
{
    if (side != ATN_SIDE_OUT && side != ATN_SIDE_IN)
        return atn_sched_side_blocks(side, q->p);
    const atn_way way = side == ATN_SIDE_OUT ? ATN_OUTWARD : ATN_INWARD;
    return q->neighbourhood ? atn_sched_neighbourhood_count(q->neighbourhood, q->r, way) : 0;
}

int atn_sched_vec_blocks(const atn_problem *q)
{
    const atn_operation_info *o = &infos[q->op];
    return atn_max(atn_sched_side_blocks(o->source, q->p), atn_sched_side_blocks(o->result, q->p));
}

bool atn_sched_has_src(const atn_problem *q)
{
    const atn_operation_info *o = &infos[q->op];
    return o->source != ATN_SIDE_NONE && (!(o->flags & ATN_SRC_AT_ROOT) || q->r == q->root);
}

bool atn_sched_has_dst(const atn_problem *q)
{
    const atn_operation_info *o = &infos[q->op];
    return o->result != ATN_SIDE_NONE && (!(o->flags & ATN_DST_AT_ROOT) || q->r == q->root);
}

atn_place atn_sched_operation_place(atn_operation op, bool is_root)
{
    const atn_operation_info *o = &infos[op];
    if (((o->flags & ATN_ROOTED) && !is_root) || (o->flags & ATN_ON_NEIGHBOURS))
        return ATN_PLACE_NONE;
    if (o->source == ATN_SIDE_WHOLE)
        return ATN_PLACE_SAME;
    if (o->source == ATN_SIDE_ONE)
        return ATN_PLACE_OWN;
    if (o->flags & ATN_SRC_AT_ROOT)
        return ATN_PLACE_OWN_SRC;
    return o->source == ATN_SIDE_NONE ? ATN_PLACE_NONE : ATN_PLACE_STAGED;
}
