/* binary.c - binary trees. */
#include "algo/binary.h"

/* ---- complete ---- */

static void add_child(atn_binary *t, int child) { t->child[t->children++] = child; }

atn_binary atn_algo_binary_complete(int p, int r, int root)
{
    const int v = atn_mod(r - root, p);
    atn_binary t = {.parent = v == 0 ? -1 : ((v - 1) / 2 + root) % p,
                    .depth = atn_floor_log2(v + 1),
                    .height = atn_floor_log2(p)};

    for (int child = 2 * v + 2; child > 2 * v; child--)
        if (child < p)
            add_child(&t, (child + root) % p);
    return t;
}

/* ---- in-order ---- */

/* Ranks first .. end - 1. */
typedef struct {
    int first, end;
} run;

static int middle(run u) { return u.first + (u.end - u.first) / 2; }

static void add_run(atn_binary *t, run u)
{
    if (u.first < u.end)
        add_child(t, middle(u));
}

static void add_sides(atn_binary *t, run u, int head)
{
    const run lower = {u.first, head}, upper = {head + 1, u.end};
    const bool lower_first = head - u.first < u.end - head - 1;

    add_run(t, lower_first ? lower : upper);
    add_run(t, lower_first ? upper : lower);
}

/* From the head of a run down to rank r. */
static atn_binary descend(run u, int head, int r)
{
    atn_binary t = {.parent = -1};

    while (r != head) {
        t.parent = head;
        t.depth++;
        u = r < head ? (run){u.first, head} : (run){head + 1, u.end};
        head = middle(u);
    }
    add_sides(&t, u, head);
    t.first = u.first;
    t.end = u.end;
    return t;
}

atn_binary atn_algo_binary_inorder(int p, int r, int root)
{
    const int longer = atn_max(root, p - 1 - root);
    atn_binary t = descend((run){0, p}, root, r);

    t.height = longer == 0 ? 0 : 1 + atn_floor_log2(longer);
    return t;
}
