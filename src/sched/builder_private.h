/* builder_private.h - the inside of a builder, shared by builder.c, passes.c and finish.c.
 *
 * Everything is kept in *finest* blocks: natural blocks cut into `split` parts.  When an algorithm
 * asks for a finer cut, all that was emitted before is refined (refine), so an embedded algorithm
 * may split without its embedder knowing. */
#ifndef ATN_BUILDER_PRIVATE_H
#define ATN_BUILDER_PRIVATE_H

#include "sched/builder.h"

/* Natural block j of an algorithm begins at base + (index ? index[j] : j) * stride.  In groups it
 * is made of the pieces first[j] .. first[j + 1] - 1, each of them a whole `unit`, and a part of it
 * is that part of every piece. */
typedef struct {
    atn_space space;
    int base, stride;
    const int *index;
    const int *first; /* NULL: one piece each */
} view;

enum { VIEW_SRC, VIEW_DST, VIEW_VEC, VIEWS };

/* The surroundings in which an algorithm emits: its problem, who its ranks are, where its blocks
 * lie.  A natural block is `unit` finest blocks; references count parts of unit / split. */
typedef struct frame {
    atn_problem q;
    const int *ranks; /* to ranks of the schedule; NULL: the same */
    view views[VIEWS];
    int unit, split;
    bool signals; /* messages carry nothing */
    struct frame *up;
} frame;

typedef struct {
    int base, unit, parts; /* finest: where it begins, blocks per part; number of parts */
    int ends;              /* parts in several pieces: part t ends behind ends[ends + t] pieces of
                              `unit`; -1: one piece each */
    const frame *user;     /* who asked for it; NULL: the user is done */
} region;

typedef struct {
    int32_t op, on;
} edge;

struct atn_builder {
    atn_problem q;
    int split;
    ATN_VEC(atn_op) ops; /* slots always point into `ranges` */
    ATN_VEC(atn_range) ranges;
    ATN_VEC(edge) after;        /* sorted by op */
    ATN_VEC(int32_t) tmp_shape; /* finest TMP block -> finest VEC block */
    ATN_VEC(region) regions;
    ATN_VEC(int) ends;
    int scope; /* the first region that may be used again when its user is done */
    frame root;
    frame *top;
    int round, round_start; /* current round and its first operation */
    int fence_lo, fence_hi; /* operations that all later ones wait for */
    int sync_lo, sync_hi;   /* operations that the sync messages of this round wait for */
    atn_error err;
};

/* Pieces of natural block j of a side, and where piece i of them begins (finest). */
static inline int atn_view_first(const view *v, int j) { return v->first ? v->first[j] : j; }
static inline int atn_view_at(const view *v, int i)
{
    return v->base + (v->index ? v->index[i] : i) * v->stride;
}
/* Pieces of `unit` before part t of a region. */
static inline int atn_region_pieces(const atn_builder *b, const region *g, int t)
{
    return g->ends < 0 || t == 0 ? t : b->ends.v[g->ends + t - 1];
}

/* Appends an operation on finest slots; returns its index or -1. */
int atn_emit(atn_builder *b, atn_op_kind kind, int peer, atn_slot a, atn_slot to);
void atn_emit_after(atn_builder *b, int op, int lo, int hi); /* op waits for lo .. hi - 1 */

#endif
