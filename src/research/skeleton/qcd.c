/* qcd.c - lattice quantum chromodynamics: shifts along the rings of a four-dimensional torus.
 *
 * For every link of the lattice the staples in all other directions are gathered by shifting fields
 * back and forth.  The program has two call sites, one for each sense; the direction is a variable.
 * Directions that are not divided need no message. */
#include "research/skeleton/skeleton.h"

enum { AXES = 4, SITES = 16 * 16 * 16 * 16, LINK = 18 * 8 };
enum { UP, DOWN };

typedef struct {
    atn_skeleton_run *run;
    int cut[AXES], at[AXES];
} torus;

/* Prime factors, the largest first, each for the axis with the fewest divisions. */
static torus layout(atn_skeleton_run *run)
{
    torus t = {.run = run, .cut = {1, 1, 1, 1}};
    for (int rest = run->p, f; rest > 1; rest /= f) {
        f = rest;
        for (int d = 2; d * d <= rest; d++)
            while (f % d == 0 && f > d)
                f /= d;
        int least = 0;
        for (int a = 1; a < AXES; a++)
            least = t.cut[a] < t.cut[least] ? a : least;
        t.cut[least] *= f;
    }
    for (int a = 0, rest = run->rank; a < AXES; rest /= t.cut[a], a++)
        t.at[a] = rest % t.cut[a];
    return t;
}

static int neighbour(const torus *t, int axis, int step)
{
    int rank = 0;
    for (int a = AXES - 1; a >= 0; a--)
        rank = rank * t->cut[a] + (a == axis ? atn_mod(t->at[a] + step, t->cut[a]) : t->at[a]);
    return rank;
}

static void shift(const torus *t, int axis, int sense)
{
    const int step = sense == UP ? 1 : -1;
    if (t->cut[axis] > 1)
        ATN_CALL(t->run, SHIFT, .partner = neighbour(t, axis, step),
                 .from = neighbour(t, axis, -step), .tag = 1 + sense,
                 .bytes = SITES / t->run->p / 2 * LINK, .site = sense, .buffer = 0);
}

static void staples(const torus *t, int mu)
{
    for (int nu = 0; nu < AXES; nu++) {
        if (nu == mu)
            continue;
        shift(t, mu, DOWN);
        shift(t, nu, DOWN);
        shift(t, mu, DOWN);
        shift(t, nu, UP);
    }
}

static void emit(atn_skeleton_run *run)
{
    const torus t = layout(run);
    for (int i = 0; i < run->iterations; i++) {
        for (int half = 0; half < 2; half++)
            for (int mu = 0; mu < AXES; mu++)
                staples(&t, mu);
        for (int mu = 0; mu < AXES; mu++) /* plaquette */
            for (int nu = 0; nu < mu; nu++) {
                shift(&t, nu, DOWN);
                shift(&t, mu, DOWN);
            }
        ATN_CALL(run, SUM, .bytes = 8, .site = 2);
    }
}

static bool fits(int p) { return p <= SITES / 2; }

const atn_skeleton atn_skeleton_qcd = {
    .name = "qcd",
    .summary = "Lattice: shifts along the rings of a four-dimensional torus",
    .ranks = "at most 32768",
    .fits = fits,
    .iterations = 40,
    .emit = emit,
};
