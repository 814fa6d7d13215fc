/* bt.c - the multi-partition solvers of the NAS benchmarks BT and SP (class A).
 *
 * c * c ranks have c cells each, one in every slice of every dimension.  A step exchanges the faces
 * with six neighbours concurrently and then solves along each dimension, cell by cell to the
 * successor and back to the predecessor.  Faces and solvers have communicators of their own.  SP
 * sends the points of the cell, BT always as many as the largest cell has. */
#include "research/skeleton/skeleton.h"

enum { POINTS = 64, AXES = 3, RHS = 1, SOLVE = 2 };
enum { FACE = 0, FORWARD = 6, BACKWARD = 9 }; /* sites */

typedef struct {
    atn_skeleton_run *run;
    int cells, i, j;
    int next[AXES], previous[AXES];
    bool exact; /* sizes of messages */
} grid;

static int rank_at(int cells, int i, int j)
{
    return atn_mod(i, cells) + cells * atn_mod(j, cells);
}

static grid layout(atn_skeleton_run *run, bool exact)
{
    int c = 1;
    while (c * c < run->p)
        c++;
    const int i = run->rank % c, j = run->rank / c;
    return (grid){
        .run = run,
        .cells = c,
        .i = i,
        .j = j,
        .exact = exact,
        .next = {rank_at(c, i + 1, j), rank_at(c, i, j + 1), rank_at(c, i - 1, j + 1)},
        .previous = {rank_at(c, i - 1, j), rank_at(c, i, j - 1), rank_at(c, i + 1, j - 1)}};
}

/* Points of the cell in slice `stage` of `axis`, along another axis. */
static int extent(const grid *g, int axis, int stage, int along)
{
    const int c = g->cells;
    const int cell[AXES] = {atn_mod(stage - g->i, c), atn_mod(g->j - stage, c), stage};
    const int at[AXES] = {(g->i + cell[axis]) % c, atn_mod(g->j - cell[axis], c), cell[axis]};
    const bool larger = !g->exact || at[along] < POINTS % c;
    return POINTS / c + (larger && POINTS % c > 0);
}

static int solve_bytes(const grid *g, int axis, int stage, int numbers)
{
    return numbers * 8 * extent(g, axis, stage, (axis + 1) % AXES) *
           extent(g, axis, stage, (axis + 2) % AXES);
}

/* All cells of the axis but the last have a face towards the next rank, all but the first one
 * towards the previous rank. */
static int face_bytes(const grid *g, int axis, bool next)
{
    int bytes = 0;
    for (int s = !next; s < g->cells - next; s++)
        bytes += 2 * solve_bytes(g, axis, s, 5);
    return bytes;
}

static void face(const grid *g, atn_skeleton_kind kind, int axis, bool next)
{
    const bool sends = kind == ATN_SKELETON_ISEND;
    const int side = 2 * axis + !next;
    atn_skeleton_call_add(g->run,
                          (atn_skeleton_call){.kind = kind,
                                              .partner = next ? g->next[axis] : g->previous[axis],
                                              .comm = RHS,
                                              .tag = sends ? side : side ^ 1,
                                              .bytes = face_bytes(g, axis, next),
                                              .site = FACE + side,
                                              .buffer = side + 8 * sends});
}

static void faces(const grid *g)
{
    for (int i = 0; i < 2 * AXES; i++)
        face(g, ATN_SKELETON_IRECV, i / 2, i % 2 == 0);
    for (int i = 0; i < 2 * AXES; i++)
        face(g, ATN_SKELETON_ISEND, i / 2, i % 2 == 0);
    ATN_CALL(g->run, WAIT, .site = FACE);
}

/* A stage waits for the previous stage on a neighbour and for its own last message. */
static void stage(const grid *g, int axis, int s, int bytes, int site, bool first, bool last)
{
    const bool forward = site < BACKWARD;
    if (!first) {
        ATN_CALL(g->run, IRECV, .partner = forward ? g->previous[axis] : g->next[axis],
                 .comm = SOLVE, .tag = site, .bytes = bytes, .site = site, .buffer = 16 + axis);
        ATN_CALL(g->run, WAIT, .site = site);
    }
    if (!last)
        ATN_CALL(g->run, ISEND, .partner = forward ? g->next[axis] : g->previous[axis],
                 .comm = SOLVE, .tag = site, .bytes = bytes, .site = site,
                 .buffer = 20 + axis + 8 * (s % 2));
}

static void solve(const grid *g, int axis)
{
    const int end = g->cells - 1;
    for (int s = 0; s <= end; s++)
        stage(g, axis, s, solve_bytes(g, axis, s, 22), FORWARD + axis, s == 0, s == end);
    for (int s = end; s >= 0; s--)
        stage(g, axis, s, solve_bytes(g, axis, s, 10), BACKWARD + axis, s == end, s == 0);
    ATN_CALL(g->run, WAIT, .site = BACKWARD + axis);
}

static void emit(atn_skeleton_run *run, bool exact)
{
    const grid g = layout(run, exact);
    for (int i = 0; i < run->iterations && run->p > 1; i++) {
        faces(&g);
        for (int a = 0; a < AXES; a++)
            solve(&g, a);
    }
    ATN_CALL(run, SUM, .bytes = 40, .site = 12);
}

static void emit_bt(atn_skeleton_run *run) { emit(run, false); }
static void emit_sp(atn_skeleton_run *run) { emit(run, true); }

static bool fits(int p)
{
    int c = 1;
    while (c * c < p && c < POINTS)
        c++;
    return c * c == p;
}

const atn_skeleton atn_skeleton_bt = {
    .name = "bt",
    .summary = "Multi-partition solver: six faces, then cell by cell along each dimension",
    .ranks = "a square, at most 4096",
    .fits = fits,
    .iterations = 40,
    .emit = emit_bt,
};

const atn_skeleton atn_skeleton_sp = {
    .name = "sp",
    .summary = "As bt, with message sizes of the actual cells",
    .ranks = "a square, at most 4096",
    .fits = fits,
    .iterations = 40,
    .emit = emit_sp,
};
