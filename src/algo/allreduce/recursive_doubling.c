/* Recursive doubling: partners that differ in one bit exchange what they have combined so far, so
 * that all have everything after log2 p rounds.  What a rank has combined is always a run of
 * consecutive ranks, so every operator is served.  Beyond a power of two, the first ranks work in
 * pairs of which the upper one sits out.
 *
 *   p = 6   1->0 3->2   (01)-(23) 4-5   (01)-4 (23)-5   0->1 2->3 */
#include "algo/algo.h"
#include "algo/fold.h"
#include "algo/shape.h"

/* Rank number i among those that do not sit out, and back. */
static int player(int i, int pairs) { return i < pairs ? 2 * i : i + pairs; }
static int number(int r, int pairs) { return r < 2 * pairs ? r / 2 : r - pairs; }

static void play(atn_builder *b, const atn_problem *q, int core, int pairs)
{
    atn_fold f = atn_fold_into(q, atn_src(0, 1), atn_dst(0, 1));
    const bool paired = q->r < 2 * pairs;

    if (paired)
        atn_fold_recv(b, q, &f, q->r + 1);
    for (int bit = 1; bit < core; bit *= 2) {
        const int peer = player(number(q->r, pairs) ^ bit, pairs);
        atn_round(b);
        atn_send(b, peer, f.value);
        atn_fold_recv(b, q, &f, peer);
    }
    atn_copy(b, f.value, atn_dst(0, 1));
    atn_round(b);
    if (paired)
        atn_send(b, q->r + 1, atn_dst(0, 1));
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const int core = atn_pow2_below(q->p), pairs = q->p - core;

    (void)prm;
    if (q->r >= 2 * pairs || q->r % 2 == 0) {
        play(b, q, core, pairs);
        return;
    }
    atn_send(b, q->r - 1, atn_src(0, 1));
    atn_rounds(b, atn_floor_log2(core) + 1);
    atn_recv(b, q->r - 1, atn_dst(0, 1));
}

const atn_algo atn_algo_allreduce_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "partners that differ in one bit exchange and combine all they have",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "(floor(log2(p)) + 1 - pow2(p)) * (a + b * n + g * n) + (1 - pow2(p)) * (a + b * n)",
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
