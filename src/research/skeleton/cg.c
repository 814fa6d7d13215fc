/* cg.c - conjugate gradients as in the NAS benchmark CG (class A).
 *
 * The matrix is distributed over a grid of ranks with as many columns as rows, or twice as many.  A
 * matrix-vector product is summed along the rows by recursive halving and then exchanged with its
 * transpose; scalars are summed along the rows by recursive doubling. */
#include "research/skeleton/skeleton.h"

enum { UNKNOWNS = 14000, INNER = 25, MAX_LEVELS = 16 };
enum { RHO0, Q_SUM, Q_SWAP, D, RHO, R_SUM, R_SWAP, RESIDUAL, NORM0, NORM }; /* sites */
enum { BUF_RHO, BUF_D, BUF_RESIDUAL, BUF_NORM, BUF_Q, BUF_R = BUF_Q + MAX_LEVELS + 1 };

typedef struct {
    atn_skeleton_run *run;
    int levels, rows;
    int partner[MAX_LEVELS]; /* in the row */
    int mirror;              /* rank of the transpose */
} grid;

static grid layout(atn_skeleton_run *run)
{
    const int all = atn_floor_log2(run->p), me = run->rank;
    grid g = {.run = run, .levels = (all + 1) / 2, .rows = 1 << all / 2};
    const int columns = 1 << g.levels, column = me % columns;
    for (int i = 0; i < g.levels; i++)
        g.partner[i] = me - column + (column ^ (columns >> (i + 1)));
    if (columns == g.rows)
        g.mirror = me % g.rows * g.rows + me / g.rows;
    else
        g.mirror = 2 * (me / 2 % g.rows * g.rows + me / 2 / g.rows) + me % 2;
    return g;
}

static void swap(const grid *g, int site, int partner, int tag, int bytes, int buffer)
{
    ATN_CALL(g->run, IRECV, .partner = partner, .tag = tag, .bytes = bytes, .site = site,
             .buffer = buffer);
    ATN_CALL(g->run, SEND, .partner = partner, .tag = tag, .bytes = bytes, .site = site);
    ATN_CALL(g->run, WAIT, .site = site);
}

static void sum_scalar(const grid *g, int site, int numbers, int buffer)
{
    for (int i = 0; i < g->levels; i++)
        swap(g, site, g->partner[i], i + 1, numbers * 8, buffer);
}

static void sum_vector(const grid *g, int sum, int exchange, int buffer)
{
    const int bytes = UNKNOWNS / g->rows * 8;
    for (int i = g->levels - 1; i >= 0; i--)
        swap(g, sum, g->partner[i], i + 1, bytes >> (g->levels - i), buffer + 1 + i);
    if (g->levels > 0)
        swap(g, exchange, g->mirror, 1, bytes >> g->levels, buffer);
}

static void solve(const grid *g)
{
    sum_scalar(g, RHO0, 1, BUF_RHO);
    for (int i = 0; i < INNER; i++) {
        sum_vector(g, Q_SUM, Q_SWAP, BUF_Q);
        sum_scalar(g, D, 1, BUF_D);
        sum_scalar(g, RHO, 1, BUF_RHO);
    }
    sum_vector(g, R_SUM, R_SWAP, BUF_R);
    sum_scalar(g, RESIDUAL, 1, BUF_RESIDUAL);
}

static void emit(atn_skeleton_run *run)
{
    const grid g = layout(run);
    solve(&g);
    sum_scalar(&g, NORM0, 2, BUF_NORM);
    ATN_CALL(run, SUM, .bytes = 8, .site = NORM);
    for (int i = 0; i < run->iterations; i++) {
        solve(&g);
        sum_scalar(&g, NORM, 2, BUF_NORM);
    }
}

const atn_skeleton atn_skeleton_cg = {
    .name = "cg",
    .summary = "Conjugate gradients: sums along rows, exchange with the transpose",
    .ranks = "a power of two",
    .fits = atn_is_pow2,
    .iterations = 15,
    .emit = emit,
};
