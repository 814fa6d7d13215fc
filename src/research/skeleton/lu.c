/* lu.c - symmetric over-relaxation as in the NAS benchmark LU (class A).
 *
 * A grid of ranks over two of three dimensions.  Plane by plane, the solution runs as a wave from
 * north and west to south and east, and back; messages are tiny.  Once per step the borders are
 * exchanged with all neighbours. */
#include "research/skeleton/skeleton.h"

enum { PLANES = 62, POINTS = 64, SMALL = 40 };
enum { SOUTH, NORTH, EAST, WEST, SIDES };
/* Sites: the waves, the borders, and the integrals at the end. */
enum { WAVE, BORDER = WAVE + SIDES, INTEGRAL = BORDER + SIDES, SUMS = INTEGRAL + 4 };

typedef struct {
    atn_skeleton_run *run;
    int near[SIDES]; /* -1: the border of the grid */
    int face;        /* bytes of a border */
} grid;

static grid layout(atn_skeleton_run *run)
{
    const int wide = 1 << (atn_floor_log2(run->p) + 1) / 2, deep = run->p / wide;
    const int row = run->rank % wide, column = run->rank / wide, me = run->rank;
    return (grid){.run = run,
                  .near = {row + 1 < wide ? me + 1 : -1, row > 0 ? me - 1 : -1,
                           column + 1 < deep ? me + wide : -1, column > 0 ? me - wide : -1},
                  .face = 10 * POINTS / wide * POINTS * 8};
}

static void receive_wave(const grid *g, int side)
{
    if (g->near[side] >= 0)
        ATN_CALL(g->run, RECV, .partner = g->near[side], .tag = side ^ 1, .bytes = SMALL,
                 .site = WAVE + side, .buffer = side);
}

static void send_wave(const grid *g, int side)
{
    if (g->near[side] >= 0)
        ATN_CALL(g->run, SEND, .partner = g->near[side], .tag = side, .bytes = SMALL,
                 .site = WAVE + side);
}

static void sweep(const grid *g, int from, int also_from)
{
    for (int k = 0; k < PLANES; k++) {
        receive_wave(g, from);
        receive_wave(g, also_from);
        send_wave(g, from ^ 1);
        send_wave(g, also_from ^ 1);
    }
}

/* Sends to one side and receives from the opposite one. */
static void pass_on(const grid *g, int side, int site, int bytes)
{
    const int other = side ^ 1;
    if (g->near[other] >= 0)
        ATN_CALL(g->run, IRECV, .partner = ATN_ANY_PARTNER, .from = g->near[other],
                 .tag = 10 + side, .bytes = bytes, .site = site, .buffer = SIDES + side);
    if (g->near[side] >= 0)
        ATN_CALL(g->run, SEND, .partner = g->near[side], .tag = 10 + side, .bytes = bytes,
                 .site = site);
    if (g->near[other] >= 0)
        ATN_CALL(g->run, WAIT, .site = site);
}

static void borders(const grid *g)
{
    for (int side = 0; side < SIDES; side++)
        pass_on(g, side, BORDER + side, g->face);
}

/* Over the surface: along two edges of the grid, then from all ranks. */
static void integrate(const grid *g)
{
    if (g->near[SOUTH] < 0)
        pass_on(g, WEST, INTEGRAL, POINTS * 8);
    if (g->near[EAST] < 0)
        pass_on(g, NORTH, INTEGRAL + 1, POINTS * 8);
    pass_on(g, NORTH, INTEGRAL + 2, POINTS * 8);
    pass_on(g, WEST, INTEGRAL + 3, POINTS * 8);
    ATN_CALL(g->run, SUM, .bytes = 40, .site = SUMS);
}

static void emit(atn_skeleton_run *run)
{
    const grid g = layout(run);
    borders(&g); /* right-hand side of the exact solution, then of the first guess */
    borders(&g);
    ATN_CALL(run, SUM, .bytes = 40, .site = SUMS);
    for (int i = 0; i < run->iterations; i++) {
        sweep(&g, NORTH, WEST);
        sweep(&g, SOUTH, EAST);
        borders(&g);
    }
    integrate(&g);
}

static bool fits(int p) { return p > 1 && atn_is_pow2(p); }

const atn_skeleton atn_skeleton_lu = {
    .name = "lu",
    .summary = "Wavefronts of small messages over a grid, and borders",
    .ranks = "a power of two, at least 2",
    .fits = fits,
    .iterations = 20,
    .emit = emit,
};
