/* operation.h - the collective operations and the problem that an algorithm is asked to solve. */
#ifndef ATN_OPERATION_H
#define ATN_OPERATION_H

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
    ATN_SIDE_COL
} atn_side;

enum { ATN_ROOTED = 1, ATN_SRC_AT_ROOT = 2, ATN_DST_AT_ROOT = 4, ATN_VARYING = 8, ATN_TYPED = 16 };

typedef struct {
    const char *name; /* "allreduce" */
    atn_side source, result;
    unsigned flags;
} atn_operation_info;

const atn_operation_info *atn_operation_get(atn_operation op);
/* In alltoallv only the two ends of a block know its size: scratch blocks are as large as the
 * largest of all, so what lies in them is followed by padding. */
bool atn_is_padded(atn_operation op);
bool atn_operation_find(const char *name, atn_operation *op_p);
/* The operations that could have been meant, for messages (atn_offer). */
const char *atn_operation_offer(const char *word, char out[ATN_ERROR_ROOM]);

struct atn_topo;

/* When ranks are expected at a call: late[r] messages of its size after the first of them. */
typedef struct {
    int p;
    const int *late;
} atn_lateness;

/* What one rank is asked to do.  A builder may read everything but `bytes`: the size reaches it
 * only as `pieces`, so that one schedule serves every size with the same number of pieces. */
typedef struct {
    atn_operation op;
    int p, r;                     /* ranks, own rank */
    int root;                     /* 0 where the operation has none */
    bool in_place;                /* this rank's SRC is its DST (scatter: DST is SRC) */
    bool ordered;                 /* the operator is not commutative: combine in rank order */
    bool canonical;               /* ... and as canonical.h says; `ordered` is then true */
    int pieces;                   /* every natural block travels as this many pieces (>= 1) */
    const struct atn_topo *topo;  /* where the p ranks are, as all share it; NULL: not known */
    const atn_lateness *lateness; /* as all share them; NULL: not known, or all come together */
    int64_t bytes; /* shared size: whole, or one block; -1 when ranks do not share it */
} atn_problem;

/* How an operation treats MPI_IN_PLACE. */
typedef enum {
    ATN_PLACE_NONE,    /* not allowed on this rank */
    ATN_PLACE_SAME,    /* SRC block i is DST block i */
    ATN_PLACE_OWN,     /* SRC is DST block r */
    ATN_PLACE_OWN_SRC, /* DST is SRC block r */
    ATN_PLACE_STAGED   /* the executor copies the input aside; builders never see it */
} atn_place;
atn_place atn_operation_place(atn_operation op, bool is_root);

/* Natural blocks of a side on p ranks: 0, 1 or p. */
int atn_side_blocks(atn_side side, int p);
/* Whether rank r has a source (result) buffer at all. */
bool atn_has_src(const atn_problem *q);
bool atn_has_dst(const atn_problem *q);

#endif
