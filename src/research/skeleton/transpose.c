/* transpose.c - a spectral transform on a grid of ranks, as in weather models.
 *
 * Fields are transposed among the ranks of a row (Fourier transform) and of a column (Legendre
 * transform), forward and backward, once for the state and once for its tendencies.  A transpose
 * loops over the other ranks of its row or column, so one call site has many partners. */
#include "research/skeleton/skeleton.h"

enum { LATITUDES = 64, LONGITUDES = 128, LAYERS = 18 };
enum { ROW = 1, COLUMN = 2 }; /* communicators */
enum { ROUTINES = 4 }; /* sites: Fourier and Legendre, forward and backward; then tendencies */

typedef struct {
    atn_skeleton_run *run;
    int columns, rows; /* of the grid */
    int x, y;
} grid;

static grid layout(atn_skeleton_run *run)
{
    grid g = {.run = run, .rows = 1};
    for (int r = 1; r * r <= run->p; r++)
        g.rows = run->p % r == 0 ? r : g.rows;
    g.columns = run->p / g.rows;
    g.x = run->rank % g.columns;
    g.y = run->rank / g.columns;
    return g;
}

static int rank_in(const grid *g, int comm, int i)
{
    return comm == ROW ? g->y * g->columns + i : i * g->columns + g->x;
}

/* With a power of two ranks exchange in pairs, else along a ring with distance `step`. */
static void transpose(const grid *g, int comm, int site, bool back, int fields)
{
    const int n = comm == ROW ? g->columns : g->rows, me = comm == ROW ? g->x : g->y;
    const bool pairs = atn_is_pow2(n);
    const int bytes = fields * LAYERS * LATITUDES * LONGITUDES / g->run->p / n * 8;
    for (int i = 1; i < n; i++) {
        const int step = back ? n - i : i;
        const int to = pairs ? me ^ step : (me + step) % n;
        const int from = pairs ? me ^ step : atn_mod(me - step, n);
        ATN_CALL(g->run, IRECV, .partner = rank_in(g, comm, from), .comm = comm, .tag = site,
                 .bytes = bytes, .site = site, .buffer = 0);
        ATN_CALL(g->run, SEND, .partner = rank_in(g, comm, to), .comm = comm, .tag = site,
                 .bytes = bytes, .site = site);
        ATN_CALL(g->run, WAIT, .site = site);
    }
}

static void round_trip(const grid *g, int sites, int fields)
{
    transpose(g, ROW, sites, false, fields);
    transpose(g, COLUMN, sites + 1, false, fields);
    transpose(g, COLUMN, sites + 2, true, fields);
    transpose(g, ROW, sites + 3, true, fields);
}

static void emit(atn_skeleton_run *run)
{
    const grid g = layout(run);
    for (int i = 0; i < run->iterations; i++) {
        round_trip(&g, 0, 3);
        round_trip(&g, ROUTINES, 5);
        if (i % 10 == 0) /* energy */
            ATN_CALL(run, SUM, .bytes = 64, .site = 2 * ROUTINES);
    }
}

static bool fits(int p) { return p <= LATITUDES * LONGITUDES; }

const atn_skeleton atn_skeleton_transpose = {
    .name = "transpose",
    .summary = "Spectral transform: transposes along rows and columns of a grid",
    .ranks = "at most 8192",
    .fits = fits,
    .iterations = 60,
    .emit = emit,
};
