/* Double ring allreduce: as the ring, with one half of every share sent to the right and the other
 * half to the left, so that both directions of every link are used.
 *
 *   p = 3, rank 1, first round   right: 0a to 2, 2a from 0   left: 2b to 0, 0b from 2 */
#include "algo/algo.h"
#include "algo/fold.h"

/* One of the two rings, towards rank r + way; its half of share i is part 2 * i + half. */
typedef struct {
    int way, half;
} ring;
static const ring rings[2] = {{1, 0}, {-1, 1}};

/* Its half of the share of the rank `steps` back. */
static int part(const atn_problem *q, const ring *d, int steps)
{
    return 2 * atn_mod(q->r - d->way * steps, q->p) + d->half;
}

/* Round i forwards the partial result of the previous round and receives the next one. */
static void combine(atn_builder *b, const atn_problem *q, int i)
{
    atn_fold f[2];

    for (int k = 0; k < 2; k++) {
        const ring *d = &rings[k];
        const int out = part(q, d, i + 1), in = part(q, d, i + 2);
        f[k] = atn_algo_fold_into(q, atn_src(in, 1), atn_dst(in, 1));
        atn_send(b, atn_algo_ring(q, d->way), i == 0 ? atn_src(out, 1) : atn_dst(out, 1));
        atn_recv(b, atn_algo_ring(q, -d->way), atn_algo_fold_room(b, &f[k]));
    }
    for (int k = 0; k < 2; k++)
        atn_algo_fold_take(b, &f[k], true);
}

static void spread(atn_builder *b, const atn_problem *q, int i)
{
    for (int k = 0; k < 2; k++) {
        const ring *d = &rings[k];
        atn_send(b, atn_algo_ring(q, d->way), atn_dst(part(q, d, i), 1));
        atn_recv(b, atn_algo_ring(q, -d->way), atn_dst(part(q, d, i + 1), 1));
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    (void)prm;
    atn_split(b, 2 * q->p);
    if (q->p == 1)
        atn_copy(b, atn_src(0, 2), atn_dst(0, 2));
    for (int i = 0; i < q->p - 1; i++, atn_round(b))
        combine(b, q, i);
    for (int i = 0; i < q->p - 1; i++, atn_round(b))
        spread(b, q, i);
}

const atn_algo atn_algo_allreduce_double_ring = {
    .name = "double_ring",
    .summary = "two rings in opposite directions, each with half of the message",
    .reference = "Jain, Sabharwal: Optimal bucket algorithms for large MPI collectives on torus "
                 "interconnects, 2010",
    .cost = "let(m, a + b * n / (2 * p), 2 * (p - 1) * (m + max(m, g * n / (2 * p))))",
    .needs = ATN_NEEDS_COMMUTATIVE,
    .passes = ATN_PASS_SEGMENT | ATN_PASS_SYNC | ATN_PASS_ORDER,
    .shares = true,
    .klass = ATN_STORE_FORWARD,
    .group = "contention",
    .build = build,
};
