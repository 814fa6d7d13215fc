/* builder.h - emits a schedule; the only interface that an algorithm uses.
 *
 * Errors are sticky: emitting functions return nothing, atn_builder_finish reports the first. */
#ifndef ATN_SCHED_BUILDER_H
#define ATN_SCHED_BUILDER_H

#include "sched/schedule.h"

typedef struct atn_builder atn_builder;

/* A reference to blocks, counted as the emitting algorithm counts them: natural blocks, or parts of
 * them after atn_split.  Lists are copied when an operation is emitted. */
typedef struct {
    atn_space space;
    int region; /* TMP only: the return value of atn_tmp */
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
/* Frees the builder in any case; *schedule_p is set only on success. */
atn_status atn_builder_finish(atn_builder *b, const char *name, atn_schedule **schedule_p,
                              atn_error *err);
void atn_builder_free(atn_builder *b);
/* While it is open, builders leave the memory of their arrays to later ones; for a caller that
 * builds many schedules.  Thread-local; nests. */
void atn_builder_pool_open(void);
void atn_builder_pool_close(void);
/* The algorithm does not apply to the problem (sticky). */
void atn_builder_refuse(atn_builder *b, const char *why);
/* Building failed: out of memory, or an invalid reference (sticky). */
void atn_builder_fail(atn_builder *b, atn_status status, const char *what);

/* A part of a schedule, for predictions: of every segment the rounds first .. end - 1.  What would
 * come before counts as done. */
typedef struct {
    int first, end;
} atn_round_window;
void atn_builder_show(atn_builder *b, atn_round_window window);
/* Counted from the current round on; end INT_MAX: everything is shown. */
atn_round_window atn_builder_shown(const atn_builder *b);

/* The topology of the ranks of the algorithm that emits; NULL: unknown. */
const struct atn_topo *atn_builder_topo(const atn_builder *b);

/* ---- emission ---- */

/* Divides every natural block evenly into s parts; later references count these parts. */
void atn_split(atn_builder *b, int s);
/* Scratch shaped like blocks first .. first + count - 1 of the shape vector VEC (the whole
 * message, or the per-rank vector).  Returns a region for atn_tmp_at. */
int atn_tmp(atn_builder *b, int first, int count);
/* `rows` copies of that shape as one region of rows * count blocks. */
int atn_tmp_rows(atn_builder *b, int first, int count, int rows);
int atn_tmp_like(atn_builder *b, int block, int count);       /* all shaped like one block */
int atn_tmp_of(atn_builder *b, const int32_t *blocks, int n); /* shaped like the listed blocks */

void atn_send(atn_builder *b, int peer, atn_ref from);
void atn_recv(atn_builder *b, int peer, atn_ref to);
/* A send and a receive, in the order in which neither forms a step with the preceding message; an
 * empty reference is omitted.  For programs with rounds of a single message in between. */
void atn_exchange(atn_builder *b, int to, atn_ref out, int from, atn_ref in);
void atn_copy(atn_builder *b, atn_ref from, atn_ref to);    /* omitted if both are the same */
void atn_reduce(atn_builder *b, atn_ref in, atn_ref inout); /* inout = in (op) inout */
/* out = in (op) with; in place if `with` is the same as `out` */
void atn_reduce_with(atn_builder *b, atn_ref in, atn_ref with, atn_ref out);
/* out = message (op) with; `room` is scratch for the message */
void atn_recv_reduce(atn_builder *b, int peer, atn_ref room, atn_ref with, atn_ref out);
/* Zero-byte messages that wait for all operations emitted before them. */
void atn_sync_send(atn_builder *b, int peer);
void atn_sync_recv(atn_builder *b, int peer);
/* Begins the next round.  Rounds serve drawings, passes and lock-step models. */
void atn_round(atn_builder *b);
int atn_round_now(const atn_builder *b); /* number of the current round */
/* All later operations wait for all earlier ones (unlike a round, this is an ordering). */
void atn_fence(atn_builder *b);

/* ---- shared memory (schedule.h) ---- */

/* Every rank of the problem calls it with the same number before it exposes or reads anything: none
 * exposes more often.  Exposures of a rank are then numbered from 0; a rank refers to those of
 * another by rank and number. */
void atn_exposures(atn_builder *b, int most);
/* Other ranks may read the blocks, in `readers` operations altogether (0: nothing is emitted),
 * until the exposure is closed.  Without blocks it is a flag, which is raised when all operations
 * of earlier rounds are complete.  Returns its number. */
int atn_expose(atn_builder *b, atn_ref what, int readers);
/* Copies blocks of an exposure: as many as `to` has, after those that are as large as the blocks
 * `before` of the shape vector (whole vector: first block 0, count 0 means from the beginning). */
void atn_read(atn_builder *b, int peer, int exposure, atn_range before, atn_ref to);
/* to = the blocks (op) operand; the operand may be `to` itself. */
void atn_read_reduce(atn_builder *b, int peer, int exposure, atn_range before, atn_ref operand,
                     atn_ref to);
/* Waits until the flag of a peer is raised. */
void atn_await(atn_builder *b, int peer, int exposure);
/* Waits until all reads of this rank's exposure are complete. */
void atn_close(atn_builder *b, int exposure);
/* Whether two references share blocks on this rank: the source of a call in place is its result. */
bool atn_overlap(atn_builder *b, atn_ref x, atn_ref y);

/* ---- explicit dependencies ---- */

/* The number of operations emitted so far, which is the index of the next one. */
int atn_here(const atn_builder *b);
/* The last operation waits for operation `on`; -1: no additional dependency. */
void atn_after(atn_builder *b, int on);
/* A synchronous send: it completes when the receiver has begun to receive, so operations that wait
 * for it start after the message has left. */
void atn_ssend(atn_builder *b, int peer, atn_ref from);
/* Zero-byte messages that wait only for the operations given by atn_after. */
void atn_token_send(atn_builder *b, int peer);
void atn_token_recv(atn_builder *b, int peer);

/* ---- passes ---- */

typedef void (*atn_build_fn)(atn_builder *b, const atn_problem *q, const void *context);

/* Maps the natural blocks of an embedded algorithm to blocks of the embedding one: natural block j
 * is `each` blocks of `at`, beginning at (index ? index[j] : j) * each.  With `first` it is the
 * group first[j] .. first[j + 1] - 1 of such blocks, which may be empty; groups may differ in size
 * if the embedded algorithm supports blocks of different sizes. */
typedef struct {
    atn_ref at;       /* only its space, region and first block matter */
    int each;         /* 0: the side does not exist */
    const int *index; /* or NULL */
    const int *first; /* or NULL: groups of one */
} atn_view;

/* Runs another algorithm inside this one: on a group of ranks (on_group), in another rank order
 * (permute), on other buffers (compose).  `q` is the embedded problem in terms of its own ranks. */
typedef struct {
    const atn_problem *q;
    const int *ranks;       /* embedded rank i is rank ranks[i] of the embedding; NULL: identity */
    atn_view src, dst, vec; /* vec: location of the shape vector (for TMP) */
    int domain;             /* 0: as the embedding; else a number that is unique among the groups of
                               a rank and the same on all ranks of the group, 31 at most: the group
                               counts its exposures separately */
    bool signals;           /* without blocks: messages are empty and wait for all earlier rounds of
                               this rank; a reduction gathers signals, a broadcast spreads one */
    atn_build_fn build;
    const void *context;
} atn_embed;
void atn_embed_run(atn_builder *b, const atn_embed *e);
/* Begins a scope: embedded algorithms in it reuse the scratch of earlier ones in it (none reads
 * what another has stored).  Each segment needs a scope of its own, or segments would wait for
 * each other. */
void atn_scope_begin(atn_builder *b);

/* segment: runs the build once per segment of every natural block; segments are pipelined because
 * dependencies are per block.  With one segment it runs the build unchanged. */
void atn_pass_segment(atn_builder *b, const atn_problem *q, int segments, atn_build_fn build,
                      const void *context);
/* permute: rank i of the algorithm becomes rank order[i]; per-rank blocks are permuted likewise. */
void atn_pass_permute(atn_builder *b, const atn_problem *q, const int *order, atn_build_fn build,
                      const void *context);
/* A position in the program, at the beginning of a round: throttle and synchronise apply to what
 * was emitted since, so that an embedded algorithm has its own. */
typedef struct {
    int op, round;
} atn_mark;
atn_mark atn_mark_here(const atn_builder *b);
/* throttle: messages of a round wait for those `window` rounds earlier (0: no limit). */
void atn_pass_throttle(atn_builder *b, atn_mark since, int window);
/* pair: keeps exchanges as steps (see schedule.h) where other rounds have lost one of their two
 * messages: a single message must not form a step with half of the exchange after it. */
void atn_pass_pair(atn_builder *b);
/* synchronise: not at all; pairwise (a sender waits until its receiver has reached the round);
 * or by a barrier of the algorithm's ranks before every n-th round. */
typedef enum { ATN_SYNC_NONE, ATN_SYNC_PAIR, ATN_SYNC_BARRIER } atn_sync;
void atn_pass_synchronise(atn_builder *b, atn_mark since, atn_sync how, int every);

#endif
