/* builder_private.h - internals of a builder, shared by builder.c, passes.c and finish.c.
 *
 * All positions are kept in *finest* blocks: natural blocks divided into `split` parts.  When an
 * algorithm splits further, everything emitted so far is refined (refine), so that an embedded
 * algorithm may split independently of the embedding one. */
#ifndef ATN_SCHED_BUILDER_PRIVATE_H
#define ATN_SCHED_BUILDER_PRIVATE_H

#include "sched/builder.h"

/* Natural block j of an algorithm begins at base + (index ? index[j] : j) * stride.  In groups it
 * consists of the extents first[j] .. first[j + 1] - 1 of `unit` finest blocks each, and part t of
 * the block consists of part t of every extent. */
typedef struct {
    atn_space space;
    int base, stride;
    const int *index;
    const int *first; /* NULL: one extent each */
} view;

enum { VIEW_SRC, VIEW_DST, VIEW_VEC, VIEWS };

/* The context in which an algorithm emits: its problem, its ranks and the location of its blocks.
 * A natural block is `unit` finest blocks; references count parts of unit / split. */
typedef struct frame {
    atn_problem q;
    const int *ranks; /* to ranks of the schedule; NULL: identity */
    view views[VIEWS];
    int unit, split;
    bool signals; /* messages are empty */
    int domain;   /* counts the exposures of its ranks; -1: none, nothing can be exposed */
    int first_exposure, exposures, exposed; /* numbers reserved: the first, how many, in use */
    struct frame *up;
} frame;

/* The number of an exposure in a schedule is its domain and a count inside the domain. */
enum { ATN_DOMAIN_BITS = ATN_EXPOSURE_BITS, ATN_DOMAINS = ATN_EXPOSURE_DOMAINS };

typedef struct {
    int base, unit, parts; /* finest: first block, blocks per part; number of parts */
    int ends;              /* parts of several extents: part t ends after ends[ends + t] extents of
                              `unit`; -1: one extent each */
    const frame *user;     /* the frame that allocated it; NULL: that frame has ended */
} region;

typedef struct {
    int32_t op, on;
} edge;

struct atn_builder {
    ATN_VEC(atn_op) ops; /* slots always point into `ranges` */
    ATN_VEC(atn_range) ranges;
    ATN_VEC(edge) after;        /* sorted by op */
    ATN_VEC(int32_t) tmp_shape; /* finest TMP block -> finest VEC block */
    ATN_VEC(region) regions;
    ATN_VEC(int) ends;
    atn_problem q;
    int split;
    int scope; /* first region that may be reused when its frame has ended */
    frame root;
    frame *top;
    int round, round_start; /* current round and its first operation */
    int segment_round;      /* the first round of this segment */
    bool windowed;          /* only these rounds are shown */
    atn_round_window window;
    int fence_lo, fence_hi; /* operations that all later ones wait for */
    int sync_lo, sync_hi;   /* operations that the sync messages of this round wait for */
    int next_exposure[ATN_DOMAINS];
    atn_error err; /* last: it is long, and only its status is set at first */
};

/* Extents of natural block j of a side, and where extent i of them begins (finest). */
static inline int atn_sched_view_first(const view *v, int j) { return v->first ? v->first[j] : j; }
static inline int atn_sched_view_at(const view *v, int i)
{
    return v->base + (v->index ? v->index[i] : i) * v->stride;
}
/* Extents of `unit` before part t of a region. */
static inline int atn_sched_region_extents(const atn_builder *b, const region *g, int t)
{
    return g->ends < 0 || t == 0 ? t : b->ends.v[g->ends + t - 1];
}

/* Whether operations of this round are left out. */
static inline bool atn_sched_is_left_out(const atn_builder *b)
{
    const int round = b->round - b->segment_round;
    return b->windowed && (round < b->window.first || round >= b->window.end);
}

/* A builder without entries, whose arrays may have memory; NULL: out of memory. */
atn_builder *atn_sched_pool_take(void);
/* Whether the memory of arrays is used again. */
bool atn_sched_pool_is_open(void);

/* A reference as a slot of finest blocks. */
atn_slot atn_sched_resolve(atn_builder *b, const atn_ref *ref);
/* Peer -> rank of the schedule; fails for peers that are not another rank. */
int atn_sched_peer_rank(atn_builder *b, int peer);
/* Whether two slots are the same blocks; whether they share any. */
bool atn_sched_same_slot(const atn_builder *b, const atn_slot *x, const atn_slot *y);
bool atn_sched_overlap(const atn_builder *b, const atn_slot *x, const atn_slot *y);
/* Adds the second operand to reduction `op` (-1: none), unless it is the result. */
void atn_sched_set_operand(atn_builder *b, int op, const atn_ref *with);
/* Operation op waits for all operations of earlier rounds. */
void atn_sched_emit_sync(atn_builder *b, int op);
/* Operations on shared memory, with numbers and peers of the schedule; c NULL: none. */
void atn_sched_emit_expose(atn_builder *b, int seq, int readers, const atn_ref *what);
void atn_sched_emit_read(atn_builder *b, int peer, int seq, const atn_ref *skip, const atn_ref *c,
                         const atn_ref *to, bool reduces);
void atn_sched_emit_close(atn_builder *b, int seq);
/* Appends an operation on finest slots; returns its index or -1. */
int atn_sched_emit(atn_builder *b, atn_op_kind kind, int peer, atn_slot a, atn_slot to);
void atn_sched_emit_after(atn_builder *b, int op, int lo, int hi); /* op waits for lo .. hi - 1 */

#endif
