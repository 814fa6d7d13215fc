/* builder.h - emits a schedule.  An algorithm sees only this.
 *
 * Errors stick to the builder; emitting functions return nothing and atn_builder_finish tells. */
#ifndef ATN_BUILDER_H
#define ATN_BUILDER_H

#include "sched/schedule.h"

typedef struct atn_builder atn_builder;

/* A reference to blocks, in the unit of the algorithm that speaks: natural blocks, or parts of
 * them after atn_split.  Made by the functions below; lists are copied when an operation is
 * emitted. */
typedef struct {
    atn_space space;
    int region; /* TMP only: what atn_tmp returned */
    int n;
    atn_range one;
    const atn_range *list; /* n > 1 */
} atn_ref;

static inline atn_ref atn_src(int first, int count)
{
    return (atn_ref){.space = ATN_SRC, .n = 1, .one = {first, count}};
}
static inline atn_ref atn_dst(int first, int count)
{
    return (atn_ref){.space = ATN_DST, .n = 1, .one = {first, count}};
}
static inline atn_ref atn_tmp_at(int region, int first, int count)
{
    return (atn_ref){.space = ATN_TMP, .region = region, .n = 1, .one = {first, count}};
}
/* Several ranges of one space (and region); `list` must live until the operation is emitted. */
static inline atn_ref atn_ranges(atn_ref like, const atn_range *list, int n)
{
    like.n = n;
    like.list = list;
    if (n == 1)
        like.one = list[0];
    return like;
}

atn_builder *atn_builder_new(const atn_problem *q);
/* Takes the builder apart whatever happens; *schedule_p is set only on success. */
atn_status atn_builder_finish(atn_builder *b, const char *name, atn_schedule **schedule_p,
                              atn_error *err);
void atn_builder_free(atn_builder *b);
/* The algorithm says no while building (sticks to the builder). */
void atn_builder_refuse(atn_builder *b, const char *why);
/* It cannot go on: out of memory, or a reference that makes no sense (sticks as well). */
void atn_builder_fail(atn_builder *b, atn_status status, const char *what);

/* ---- what algorithms call ---- */

/* Cut every natural block evenly into s parts; from here on references count such parts. */
void atn_split(atn_builder *b, int s);
/* Scratch shaped like blocks first .. first + count - 1 of the shape vector VEC (the whole
 * message, or the per-rank vector).  Returns a region for atn_tmp_at. */
int atn_tmp(atn_builder *b, int first, int count);
/* The same `rows` times over, as one region of rows * count blocks. */
int atn_tmp_rows(atn_builder *b, int first, int count, int rows);
int atn_tmp_like(atn_builder *b, int block, int count);       /* all shaped like one block */
int atn_tmp_of(atn_builder *b, const int32_t *blocks, int n); /* shaped like those of a list */

void atn_send(atn_builder *b, int peer, atn_ref from);
void atn_recv(atn_builder *b, int peer, atn_ref to);
/* Both, in the order in which neither forms a step with a message before; a reference without
 * blocks is left out.  For programs in which rounds with one message come in between. */
void atn_exchange(atn_builder *b, int to, atn_ref out, int from, atn_ref in);
void atn_copy(atn_builder *b, atn_ref from, atn_ref to);    /* nothing when they are the same */
void atn_reduce(atn_builder *b, atn_ref in, atn_ref inout); /* inout = in (op) inout */
/* Zero-byte messages; they wait for everything that this rank emitted before. */
void atn_sync_send(atn_builder *b, int peer);
void atn_sync_recv(atn_builder *b, int peer);
/* Next round: for drawing, for passes, for lock-step models. */
void atn_round(atn_builder *b);
int atn_round_now(const atn_builder *b); /* the number of the current one */
/* What follows waits for everything emitted so far (an ordering, unlike a round). */
void atn_fence(atn_builder *b);

/* For algorithms whose messages wait for less than everything before them.  A place is the number
 * of operations emitted so far, so it names the one that comes next. */
int atn_here(const atn_builder *b);
/* The last operation waits for operation `on`; -1: for nothing more. */
void atn_after(atn_builder *b, int on);
/* A send that completes when its receiver has begun to receive: what waits for it knows that the
 * message has left. */
void atn_ssend(atn_builder *b, int peer, atn_ref from);
/* Zero-byte messages that wait only for what atn_after says. */
void atn_token_send(atn_builder *b, int peer);
void atn_token_recv(atn_builder *b, int peer);

/* ---- passes ---- */

typedef void (*atn_build_fn)(atn_builder *b, const atn_problem *q, const void *context);

/* Where the natural blocks of an embedded algorithm lie in the blocks of the embedding one:
 * natural block j is `each` blocks of `at`, beginning at (index ? index[j] : j) * each.
 * With `first` it is a group of those, first[j] .. first[j + 1] - 1, perhaps of none; groups may
 * differ in size, if what is embedded serves blocks of different sizes. */
typedef struct {
    atn_ref at;       /* only the space, region and first block count */
    int each;         /* 0: the side does not exist */
    const int *index; /* or NULL */
    const int *first; /* or NULL: one each */
} atn_view;

/* Runs another algorithm inside this one: on a group of ranks (on_group), in another rank order
 * (permute), on other buffers (compose).  `q` is the embedded problem in its own ranks. */
typedef struct {
    const atn_problem *q;
    const int *ranks;       /* embedded rank i is rank ranks[i] of the embedding; NULL: the same */
    atn_view src, dst, vec; /* vec: where the shape vector lies (for TMP) */
    bool signals;           /* messages carry nothing and wait for all earlier rounds of this rank;
                               there are no blocks: a reduction gathers signals, a broadcast spreads
                               one */
    atn_build_fn build;
    const void *context;
} atn_embed;
void atn_embed_run(atn_builder *b, const atn_embed *e);
/* A scope: scratch that embedded algorithms ask for in it is used again by later ones in the same
 * scope (nothing that one of them stores is read by another).  In pieces each piece needs a scope
 * of its own, else they would wait for each other. */
void atn_scope_begin(atn_builder *b);

/* segment: runs the build once per piece of every natural block; pieces pipeline because
 * dependencies are per block. */
void atn_pass_segment(atn_builder *b, const atn_problem *q, int pieces, atn_build_fn build,
                      const void *context);
/* permute: algorithm rank i becomes rank order[i]; per-rank blocks move along. */
void atn_pass_permute(atn_builder *b, const atn_problem *q, const int *order, atn_build_fn build,
                      const void *context);
/* throttle: messages of a round wait for those of the round `window` before (0: no limit). */
void atn_pass_throttle(atn_builder *b, int window);
/* pair: exchanges stay steps (see schedule.h) where rounds have lost one of their two messages, so
 * that one message alone must not join half of the exchange behind it. */
void atn_pass_pair(atn_builder *b);
/* synchronise: none; pair-wise (a sender waits until its receiver has reached the round);
 * or a barrier before every n-th round. */
typedef enum { ATN_SYNC_NONE, ATN_SYNC_PAIR, ATN_SYNC_BARRIER } atn_sync;
void atn_pass_synchronise(atn_builder *b, atn_sync how, int every);

#endif
