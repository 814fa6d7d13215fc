/* operation.h - the collective operations, and the problem that an algorithm solves. */
#ifndef ATN_SCHED_OPERATION_H
#define ATN_SCHED_OPERATION_H

#include "base/base.h"

typedef enum {
#define ATN_OPERATION(id, name, source, result, flags) ATN_##id,
#include "sched/operation.def"
#undef ATN_OPERATION
    ATN_OPERATIONS
} atn_operation;

typedef enum {
    ATN_SIDE_NONE,
    ATN_SIDE_WHOLE,
    ATN_SIDE_ONE,
    ATN_SIDE_VEC,
    ATN_SIDE_ROW,
    ATN_SIDE_COL,
    ATN_SIDE_OUT,
    ATN_SIDE_IN,
    ATN_SIDE_COMMON
} atn_side;

enum {
    ATN_ROOTED = 1,
    ATN_SRC_AT_ROOT = 2,
    ATN_DST_AT_ROOT = 4,
    ATN_VARYING = 8,
    ATN_TYPED = 16,
    ATN_MUTUAL = 32,
    ATN_ON_NEIGHBOURS = 64
};

typedef struct {
    const char *name; /* "allreduce" */
    atn_side source, result;
    unsigned flags;
} atn_operation_info;

const atn_operation_info *atn_sched_operation_get(atn_operation op);
static inline bool atn_sched_is_mutual(atn_operation op)
{
    return (atn_sched_operation_get(op)->flags & ATN_MUTUAL) != 0;
}
static inline bool atn_sched_on_neighbours(atn_operation op)
{
    return (atn_sched_operation_get(op)->flags & ATN_ON_NEIGHBOURS) != 0;
}
/* In alltoallv, and on neighbours, only the sender and the receiver of a block have its size:
 * scratch blocks are as large as the largest block, so their contents are followed by padding. */
bool atn_sched_is_padded(atn_operation op);
bool atn_sched_operation_find(const char *name, atn_operation *op_p);
/* Suggestions for an unknown operation, for messages (atn_offer). */
const char *atn_sched_operation_offer(const char *word, char out[ATN_ERROR_ROOM]);

struct atn_topo;
struct atn_neighbourhood;

/* Expected arrival pattern: rank r enters the call late[r] message times after the first rank. */
typedef struct {
    int p;
    const int *late;
} atn_lateness;

/* The ranks that can read each other's memory. */
typedef enum {
    ATN_SHARED_NONE,
    ATN_SHARED_HOSTS, /* those of each host of the topology */
    ATN_SHARED_ALL    /* all ranks of the problem */
} atn_sharing;

/* The problem of one rank.  A builder may read everything but `bytes`: it sees the size only as
 * `segments`, so that one schedule serves all sizes with the same number of segments. */
typedef struct {
    atn_operation op;
    int p, r;                     /* ranks, own rank */
    int root;                     /* 0 where the operation has none */
    bool in_place;                /* this rank's SRC is its DST (scatter: DST is SRC) */
    bool ordered;                 /* the operator is not commutative: combine in rank order */
    bool canonical;               /* ... in the order of canonical.h; implies `ordered` */
    atn_sharing shared;           /* the same on all ranks */
    int segments;                 /* every natural block is sent in this many segments (>= 1) */
    const struct atn_topo *topo;  /* of the p ranks, the same on all ranks; NULL: unknown */
    const atn_lateness *lateness; /* the same on all ranks; NULL: unknown or simultaneous */
    const struct atn_neighbourhood *neighbourhood; /* of the p ranks, the same on all of them; NULL:
                                                      the operation has none */
    int64_t bytes; /* shared size: whole, or one block; -1 if the ranks' sizes differ */
} atn_problem;

/* The meaning of MPI_IN_PLACE. */
typedef enum {
    ATN_PLACE_NONE,    /* not allowed on this rank */
    ATN_PLACE_SAME,    /* SRC block i is DST block i */
    ATN_PLACE_OWN,     /* SRC is DST block r */
    ATN_PLACE_OWN_SRC, /* DST is SRC block r */
    ATN_PLACE_STAGED   /* the executor copies the input; builders see a normal call */
} atn_place;
atn_place atn_sched_operation_place(atn_operation op, bool is_root);

/* Natural blocks of a side on p ranks: 0, 1 or p; 1 where the number depends on the rank. */
int atn_sched_side_blocks(atn_side side, int p);
/* Natural blocks of a side of this rank. */
int atn_sched_rank_blocks(const atn_problem *q, atn_side side);
/* Natural blocks of the shape vector (schedule.h). */
int atn_sched_vec_blocks(const atn_problem *q);
/* Whether the rank has a source (result) buffer. */
bool atn_sched_has_src(const atn_problem *q);
bool atn_sched_has_dst(const atn_problem *q);

#endif
