/* two_trees.c - see two_trees.h. */
#include "algo/two_trees.h"

#include <stdlib.h>
#include <string.h>

#include "algo/derived.h"

/* ---- the trees: places 1 .. n in order below place 0 ---- */

/* Place of a rank in a tree; also the inverse, because mirroring is its own inverse. */
static int place_of(const atn_two_trees *t, int tree, int v)
{
    if (tree == 0 || v == 0)
        return v;
    return t->n % 2 == 0 ? t->n + 1 - v : v == 1 ? t->n : v - 1;
}

static int rank_at(const atn_two_trees *t, int tree, int place)
{
    if (tree == 0 || place == 0)
        return place;
    return t->n % 2 == 0 ? t->n + 1 - place : place == t->n ? 1 : place + 1;
}

static int low_bit(int x) { return x & -x; }

int atn_algo_two_trees_parent(const atn_two_trees *t, int tree, int v)
{
    const int x = place_of(t, tree, v), bit = low_bit(x), up = (x ^ bit) | bit << 1;

    return rank_at(t, tree, up <= t->n ? up : x ^ bit);
}

/* A right subtree that does not fit at full height is lower. */
int atn_algo_two_trees_child(const atn_two_trees *t, int tree, int v, int i)
{
    const int x = place_of(t, tree, v);
    int step = low_bit(x) / 2;

    if (x == 0)
        return i == 0 && t->n > 0 ? rank_at(t, tree, 1 << atn_floor_log2(t->n)) : 0;
    while (i == 1 && x + step > t->n)
        step /= 2;
    return step == 0 ? 0 : rank_at(t, tree, i == 0 ? x - step : x + step);
}

static int sibling(const atn_two_trees *t, int tree, int v)
{
    const int parent = atn_algo_two_trees_parent(t, tree, v);
    const int first = atn_algo_two_trees_child(t, tree, parent, 0);

    return first == v ? atn_algo_two_trees_child(t, tree, parent, 1) : first;
}

/* ---- colours ---- */

enum { NONE = 2 };

/* Siblings in either tree must differ.  They form paths (or rings of even length) that change trees
 * at every rank. */
static void paint(atn_two_trees *t, int v, int colour)
{
    for (int first = 0; first < 2; first++) {
        int at = v, now = colour, tree = first;
        t->colour[v] = (unsigned char)colour;
        for (int next; (next = sibling(t, tree, at)) > 0 && t->colour[next] == NONE; at = next) {
            now = 1 - now;
            t->colour[next] = (unsigned char)now;
            tree = 1 - tree;
        }
    }
}

/* The edges out of rank 0 differ if the ranks that they lead to have the same colour. */
static void paint_all(atn_two_trees *t)
{
    memset(t->colour, NONE, (size_t)t->n + 1);
    for (int tree = 0; tree < 2 && t->n > 0; tree++)
        if (t->colour[atn_algo_two_trees_child(t, tree, 0, 0)] == NONE)
            paint(t, atn_algo_two_trees_child(t, tree, 0, 0), 0);
    for (int v = 1; v <= t->n; v++)
        if (t->colour[v] == NONE)
            paint(t, v, 0);
}

/* ---- slots ---- */

/* The first slot of the edge's colour after the parent has received the segment.  -1: not known
 * yet. */
static int slot_of(atn_two_trees *t, int tree, int v)
{
    if (t->slot[tree][v] >= 0)
        return t->slot[tree][v];
    const int parent = atn_algo_two_trees_parent(t, tree, v), colour = t->colour[v] ^ tree;
    const int after = parent == 0 ? 0 : slot_of(t, tree, parent) + 1;

    return t->slot[tree][v] = after + (after % 2 != colour);
}

static bool make(atn_two_trees *t, int p)
{
    const size_t room = (size_t)p, slots = 2 * room * sizeof *t->slot[0];

    *t = (atn_two_trees){.n = p - 1, .memory = malloc(slots + room)};
    if (!t->memory)
        return false;
    t->slot[0] = t->memory;
    t->slot[1] = t->slot[0] + room;
    t->colour = (unsigned char *)(t->slot[1] + room);
    paint_all(t);
    memset(t->memory, -1, slots);
    for (int tree = 0; tree < 2; tree++)
        for (int v = 1; v < p; v++)
            t->slots = atn_max(t->slots, slot_of(t, tree, v) + 1);
    return true;
}

static void end_kept(void *thing)
{
    atn_algo_two_trees_end(thing);
    free(thing);
}

bool atn_algo_two_trees_begin(atn_two_trees *t, const atn_problem *q)
{
    const atn_derived_key key = {.maker = "two trees", .topo = q->topo, .n = {q->p}};
    atn_two_trees *kept = atn_algo_derived_find(&key);

    if (kept == NULL) {
        if (!make(t, q->p))
            return false;
        kept = malloc(sizeof *kept);
        if (kept != NULL)
            *kept = *t;
        if (kept == NULL || !atn_algo_derived_keep(&key, kept, end_kept)) {
            free(kept);
            return true;
        }
    }
    *t = *kept;
    t->memory = NULL;
    return true;
}

void atn_algo_two_trees_end(atn_two_trees *t) { free(t->memory); }

int atn_algo_two_trees_depth(const atn_problem *q, const atn_params *prm)
{
    atn_two_trees t;
    const int slots = atn_algo_two_trees_begin(&t, q) ? t.slots - (q->p == 3) : -1;

    (void)prm;
    atn_algo_two_trees_end(&t);
    return slots;
}
