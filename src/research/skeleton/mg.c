/* mg.c - multigrid as in the NAS benchmark MG (class A).
 *
 * V-cycles over levels of 2^k points in each of three dimensions.  After each step on a level,
 * every rank exchanges borders with its two neighbours in each dimension, one dimension after the
 * other; in a dimension that is not divided a rank is its own neighbour.  Where there are fewer
 * points than ranks only every second rank takes part, and sends to the others on the way back. */
#include "research/skeleton/skeleton.h"

enum { TOP = 8, AXES = 3 };
enum { BORDER = 0, HANDOVER = 6 }; /* sites: six each, by axis and direction */

typedef struct {
    atn_skeleton_run *run;
    int cut[AXES], at[AXES];
} grid;

static grid layout(atn_skeleton_run *run)
{
    grid g = {.run = run, .cut = {1, 1, 1}};
    for (int i = 0, rest = run->p; rest > 1; rest /= 2, i++)
        g.cut[AXES - 1 - i % AXES] *= 2;
    g.at[0] = run->rank % g.cut[0];
    g.at[1] = run->rank / g.cut[0] % g.cut[1];
    g.at[2] = run->rank / (g.cut[0] * g.cut[1]);
    return g;
}

/* The distance between ranks that take part. */
static int stride(const grid *g, int axis, int level) { return atn_max(1, g->cut[axis] >> level); }

static bool takes_part(const grid *g, int level)
{
    for (int a = 0; a < AXES; a++)
        if (g->at[a] % stride(g, a, level) != 0)
            return false;
    return true;
}

static int neighbour(const grid *g, int axis, int distance)
{
    int at[AXES] = {g->at[0], g->at[1], g->at[2]};
    at[axis] = atn_mod(at[axis] + distance, g->cut[axis]);
    return at[0] + g->cut[0] * (at[1] + g->cut[1] * at[2]);
}

static int face_bytes(const grid *g, int axis, int level)
{
    int points = 1;
    for (int a = 0; a < AXES; a++)
        if (a != axis)
            points *= atn_max(1, (1 << level) / g->cut[a]) + 2;
    return points * 8;
}

/* Borders of one axis: two receives from any source, then two sends. */
static void exchange(const grid *g, int axis, int level, int sites, bool takes, bool gives)
{
    const int step = stride(g, axis, level), bytes = face_bytes(g, axis, level);
    const int tag = 16 * level + 2 * axis; /* distinguishes ranks that are a level ahead */
    for (int d = 0; d < 2 && takes; d++)
        ATN_CALL(g->run, IRECV, .partner = ATN_ANY_PARTNER,
                 .from = neighbour(g, axis, d ? step : -step), .tag = tag + 1 - d, .bytes = bytes,
                 .site = sites + 2 * axis + d, .buffer = 2 * axis + d);
    for (int d = 0; d < 2 && gives; d++)
        ATN_CALL(g->run, SEND, .partner = neighbour(g, axis, d ? -step : step), .tag = tag + 1 - d,
                 .bytes = bytes, .site = sites + 2 * axis + d);
    if (takes)
        ATN_CALL(g->run, WAIT, .site = sites + 2 * axis);
}

static void borders(const grid *g, int level)
{
    for (int a = 0; a < AXES && g->run->p > 1 && takes_part(g, level); a++)
        exchange(g, a, level, BORDER, true, true);
}

/* From ranks that took part one level below to those that did not. */
static void hand_over(const grid *g, int level)
{
    for (int a = 0; a < AXES && takes_part(g, level); a++) {
        const int below = stride(g, a, level - 1);
        if (below > stride(g, a, level))
            exchange(g, a, level, HANDOVER, g->at[a] % below != 0, g->at[a] % below == 0);
    }
}

static void cycle(const grid *g)
{
    for (int k = TOP; k > 1; k--)
        borders(g, k - 1); /* restriction */
    borders(g, 1);         /* smoothing */
    for (int k = 2; k <= TOP; k++) {
        hand_over(g, k); /* interpolation */
        borders(g, k);   /* residual */
        borders(g, k);   /* smoothing */
    }
}

static void emit(atn_skeleton_run *run)
{
    const grid g = layout(run);
    borders(&g, TOP);
    ATN_CALL(run, SUM, .bytes = 16, .site = 12);
    borders(&g, TOP);
    for (int i = 0; i < run->iterations; i++) {
        cycle(&g);
        borders(&g, TOP);
    }
    ATN_CALL(run, SUM, .bytes = 16, .site = 12);
}

/* With more ranks the level of two points per dimension has too few points. */
static bool fits(int p) { return atn_is_pow2(p) && p <= 1 << 18; }

const atn_skeleton atn_skeleton_mg = {
    .name = "mg",
    .summary = "Multigrid: borders in three dimensions on every level",
    .ranks = "a power of two",
    .fits = fits,
    .iterations = 10,
    .emit = emit,
};
