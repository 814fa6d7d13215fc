/* Circulant broadcast: in every round a rank sends one segment to the rank one skip further on and
 * receives one from the rank one skip before; skips are p halved repeatedly (see circulant.h).  k
 * segments need k - 1 + ceil(log2 p) rounds, the minimum, for any number of ranks.
 *
 *   p = 5, 2 segments   0->3: 0   0->1: 1, 3->4: 0   0->2: 1, 4->1: 0   0->3: 1, 1->4: 1, 4->2:
 * 0 */
#include "algo/circulant.h"
#include "algo/algo.h"
#include "algo/shape.h"

typedef struct {
    int k, q, late; /* segments, rounds of a period, omitted rounds of the first period */
} timing;

/* The segment of a row in a round, if any. */
static atn_ref segment(const timing *t, const int *row, int round)
{
    const int i = row[round % t->q] - t->late + round / t->q * t->q;
    return atn_dst(atn_min(i, t->k - 1), i >= 0);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_circulant g = atn_algo_circulant_of(q->p);
    const int k = q->segments, rounds = g.q > 0 ? k - 1 + g.q : 0;
    const timing t = {k, g.q, g.q > 0 ? (g.q - rounds % g.q) % g.q : 0};
    int in[ATN_MAX_SKIPS], out[ATN_MAX_SKIPS];

    (void)prm;
    atn_split(b, k);
    atn_algo_circulant_receives(&g, atn_algo_relative(q), in);
    atn_algo_circulant_sends(&g, atn_algo_relative(q), out);
    for (int round = t.late; round < t.late + rounds; round++, atn_round(b)) {
        const int skip = g.skip[round % g.q];
        atn_exchange(b, atn_algo_ring(q, skip), segment(&t, out, round), atn_algo_ring(q, -skip),
                     segment(&t, in, round));
    }
}

const atn_algo atn_algo_bcast_circulant = {
    .name = "circulant",
    .summary = "round-optimal pipelined broadcast on a circulant graph, for any number of ranks",
    .reference = "Traff: Optimal broadcast schedules in logarithmic time with applications to "
                 "broadcast, all-broadcast, reduction and all-reduction, 2024",
    .cost = "min(p - 1, 1) * (k - 1 + ceil(log2(p))) * (a + b * n / k)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .segments_inside = true,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .build = build,
};
