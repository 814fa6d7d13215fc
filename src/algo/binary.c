/* binary.c - binary trees. */
#include "algo/binary.h"

/* ---- complete ---- */

static void add_child(atn_binary *t, int child) { t->child[t->children++] = child; }

atn_binary atn_binary_complete(int p, int r, int root)
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

/* ---- in order ---- */

/* Ranks first .. end - 1; who leads such a run, given that it is not empty. */
typedef struct {
    int first, end;
} run;
typedef int (*lead_fn)(run u);

static int middle(run u) { return u.first + (u.end - u.first) / 2; }
/* Its lower subtree is full. */
static int last_power(run u) { return u.first - 1 + (1 << atn_floor_log2(u.end - u.first)); }

static void add_run(atn_binary *t, run u, lead_fn lead)
{
    if (u.first < u.end)
        add_child(t, lead(u));
}

static void add_sides(atn_binary *t, run u, int head, lead_fn lead)
{
    const run lower = {u.first, head}, upper = {head + 1, u.end};
    const bool lower_first = head - u.first < u.end - head - 1;

    add_run(t, lower_first ? lower : upper, lead);
    add_run(t, lower_first ? upper : lower, lead);
}

/* From the head of a run down to rank r. */
static atn_binary descend(run u, int head, int r, lead_fn lead)
{
    atn_binary t = {.parent = -1};

    while (r != head) {
        t.parent = head;
        t.depth++;
        u = r < head ? (run){u.first, head} : (run){head + 1, u.end};
        head = lead(u);
    }
    add_sides(&t, u, head, lead);
    t.first = u.first;
    t.end = u.end;
    return t;
}

atn_binary atn_binary_inorder(int p, int r, int root)
{
    const int longer = atn_max(root, p - 1 - root);
    atn_binary t = descend((run){0, p}, root, r, middle);

    t.height = longer == 0 ? 0 : 1 + atn_floor_log2(longer);
    return t;
}

/* ---- two trees ---- */

/* Ranks other than the root, in their order, have the numbers 0 .. m - 1; the other tree counts
 * them backwards or, where that would not turn leaves into inner ranks, one further. */
static int number_of(int r, int root, int m, bool other)
{
    const int i = r < root ? r : r - 1;
    return !other ? i : m % 2 == 0 ? m - 1 - i : (i + 1) % m;
}

static int rank_of(int number, int root, int m, bool other)
{
    const int i = !other ? number : m % 2 == 0 ? m - 1 - number : atn_mod(number - 1, m);
    return i < root ? i : i + 1;
}

atn_binary atn_binary_double(int p, int r, int root, bool other)
{
    const int m = p - 1;
    const run all = {0, m};
    atn_binary t = {.parent = -1};

    if (r != root)
        t = descend(all, last_power(all), number_of(r, root, m, other), last_power);
    else if (m > 0)
        add_child(&t, last_power(all));
    for (int i = 0; i < t.children; i++)
        t.child[i] = rank_of(t.child[i], root, m, other);
    if (r != root) {
        t.parent = t.parent < 0 ? root : rank_of(t.parent, root, m, other);
        t.depth++;
    }
    t.height = m == 0 ? 0 : 1 + atn_floor_log2(m);
    return t;
}
