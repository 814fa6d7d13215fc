/* Recursive halving: partners half the ranks apart exchange the halves of the vector that the other
 * is responsible for and combine; then within each half, and so on, down to one block.
 *
 *   p = 4, rank 1   with 3: send 2-3, receive 0-1   with 0: send 0, receive 1 */
#include "algo/algo.h"
#include "algo/shape.h"

/* What a rank has combined so far: blocks first .. first + count - 1, in SRC or in scratch. */
typedef struct {
    atn_ref at;
    int first;
} partial;

static atn_ref part(const partial *u, int first, int count)
{
    atn_ref ref = u->at;
    ref.one = (atn_range){first - u->first, count};
    return ref;
}

/* Received blocks are combined where they arrive the first time, later where the sum lies. */
static void halve(atn_builder *b, const atn_problem *q, int half, partial *sum, partial *room)
{
    const int partner = q->r ^ half, mine = q->r & -half, theirs = partner & -half;
    const bool fixed = sum->at.space == ATN_SRC;

    if (half * 4 >= q->p) /* the first two rounds make room, the others find it */
        *room = (partial){atn_tmp_at(atn_tmp(b, mine, half), 0, half), mine};
    atn_send(b, partner, part(sum, theirs, half));
    atn_recv(b, partner, part(room, mine, half));
    if (fixed) {
        atn_reduce(b, part(sum, mine, half), part(room, mine, half));
        *sum = *room;
    } else {
        atn_reduce(b, part(room, mine, half), part(sum, mine, half));
    }
}

static void build(atn_builder *b, const atn_problem *q, const atn_params *prm)
{
    partial sum = {atn_src(0, q->p), 0}, room = {0};

    (void)prm;
    for (int half = q->p / 2; half > 0; half /= 2) {
        atn_rounds(b, half < q->p / 2);
        halve(b, q, half, &sum, &room);
    }
    atn_copy(b, part(&sum, q->r, 1), atn_dst(0, 1));
}

const atn_algo atn_algo_reduce_scatter_recursive_halving = {
    .name = "recursive_halving",
    .summary = "partners exchange and combine halves of the vector, then quarters, ...",
    .reference = "Thakur, Rabenseifner, Gropp: Optimization of collective communication "
                 "operations in MPICH, 2005",
    .cost = "log2(p) * a + (p - 1) * (b + g) * n",
    .needs = ATN_NEEDS_COMMUTATIVE | ATN_NEEDS_POW2,
    .passes = ATN_PASS_ORDER,
    .klass = ATN_COORDINATED,
    .group = "latency",
    .build = build,
};
