/* Circulant broadcast: in every round a rank sends one piece to the rank one skip further on and
 * receives one from the rank one skip before; skips are p halved again and again (see circulant.h).
 * k pieces need k - 1 + ceil(log2 p) rounds, the fewest possible, for any number of ranks.
 *
 *   p = 5, 2 pieces   0->3: 0   0->1: 1, 3->4: 0   0->2: 1, 4->1: 0   0->3: 1, 1->4: 1, 4->2: 0 */
#include "algo/circulant.h"
#include "algo/algo.h"
#include "algo/shape.h"

typedef struct {
    int k, q, late; /* pieces, rounds of a turn, rounds of the first turn that are left out */
} timing;

/* The piece of a row in a round, if there is one. */
static atn_ref piece(const timing *t, const int *row, int round)
{
    const int i = row[round % t->q] - t->late + round / t->q * t->q;
    return atn_dst(atn_min(i, t->k - 1), i >= 0);
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    const atn_circulant g = atn_circulant_of(q->p);
    const int k = q->pieces, rounds = g.q > 0 ? k - 1 + g.q : 0;
    const timing t = {k, g.q, g.q > 0 ? (g.q - rounds % g.q) % g.q : 0};
    int in[ATN_MAX_SKIPS], out[ATN_MAX_SKIPS];

    (void)prm;
    atn_split(b, k);
    atn_circulant_receives(&g, atn_relative(q), in);
    atn_circulant_sends(&g, atn_relative(q), out);
    for (int round = t.late; round < t.late + rounds; round++, atn_round(b)) {
        const int skip = g.skip[round % g.q];
        atn_exchange(b, atn_ring(q, skip), piece(&t, out, round), atn_ring(q, -skip),
                     piece(&t, in, round));
    }
}

const atn_algo atn_algo_bcast_circulant = {
    .name = "circulant",
    .summary = "pieces jump by halves of the ring: the fewest rounds for any number of ranks",
    .reference = "Traff: Optimal broadcast schedules in logarithmic time with applications to "
                 "broadcast, all-broadcast, reduction and all-reduction, 2024",
    .cost = "min(p - 1, 1) * (k - 1 + ceil(log2(p))) * (a + b * n / k)",
    .passes = ATN_PASS_SEGMENT | ATN_PASS_ORDER,
    .pieces_inside = true,
    .klass = ATN_COORDINATED,
    .group = "bandwidth",
    .build = build,
};
