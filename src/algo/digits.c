/* digits.c - see digits.h. */
#include "algo/digits.h"

#include <stdlib.h>

#include "algo/relay.h"
#include "algo/shape.h"

static void add_digit(atn_digits *d, int radix)
{
    d->radix[d->n] = radix;
    d->weight[d->n++] = d->core;
    d->core *= radix;
}

atn_digits atn_algo_digits_equal(int p, int radix)
{
    const int each = atn_max(2, atn_min(radix, p));
    atn_digits d = {.core = 1};

    while (d.core <= p / each)
        add_digit(&d, each);
    return d;
}

atn_digits atn_algo_digits_ring(int p) { return atn_algo_digits_mesh(p, 1); }

/* The largest divisor of n whose power does not exceed n. */
static int even_side(int n, int power)
{
    int side = 1;

    for (int i = 1;; i++) {
        int64_t all = 1;
        for (int k = 0; k < power; k++)
            all *= i;
        if (all > n)
            return side;
        if (n % i == 0)
            side = i;
    }
}

atn_digits atn_algo_digits_mesh(int p, int dims)
{
    atn_digits d = {.core = 1};

    for (int left = dims; left > 0; left--)
        add_digit(&d, left == 1 ? p / d.core : even_side(p / d.core, left));
    return d;
}

const char *atn_algo_digits_no_mesh(int p, int dims)
{
    const atn_digits d = atn_algo_digits_mesh(p, dims);

    for (int i = 0; i < d.n; i++)
        if (d.radix[i] == 1)
            return "the ranks do not fill a mesh with this number of dimensions";
    return NULL;
}

const char *atn_algo_mesh_refuses(const atn_problem *q, const atn_params *prm)
{
    return atn_algo_digits_no_mesh(q->p, (int)prm->v[0]);
}

const atn_param atn_algo_mesh_params[] = {
    {"dims", ATN_INT, 2, 2, 3, ATN_LINEAR, "dimensions of the mesh", NULL},
    {0},
};

/* ---- allgather ---- */

typedef struct {
    const atn_digits *d;
    int p;
    bool near;
    atn_range *list; /* p entries */
} gathering;

/* The blocks that a core rank holds before digit i, including those of extra ranks: the blocks of
 * ranks that differ from it only in completed digits. */
static atn_ref held(const gathering *g, int rank, int i)
{
    const int w = g->d->weight[i], all = w * g->d->radix[i];
    const int first = g->near ? rank - rank % w : rank % all, step = g->near ? g->d->core : all;
    int n = 0;

    for (int x = first; x < g->p; x += step)
        g->list[n++] = (atn_range){x, g->near ? atn_min(w, g->p - x) : 1};
    return atn_ranges(atn_dst(0, 0), g->list, n);
}

static void exchange(atn_builder *b, const atn_problem *q, const gathering *g, int i)
{
    for (int step = 1; step < g->d->radix[i]; step++) {
        atn_send(b, atn_algo_digits_turn(g->d, q->r, i, step), held(g, q->r, i));
        const int from = atn_algo_digits_turn(g->d, q->r, i, -step);
        atn_recv(b, from, held(g, from, i));
        atn_round(b);
    }
}

/* All blocks except that of rank r. */
static atn_ref others(int r, int p, atn_range list[2])
{
    list[0] = (atn_range){0, r};
    list[1] = (atn_range){r + 1, p - r - 1};
    return atn_ranges(atn_dst(0, 0), list, 2);
}

static int rounds_of(const atn_digits *d)
{
    int n = 0;

    for (int i = 0; i < d->n; i++)
        n += d->radix[i] - 1;
    return n;
}

static void run_extra(atn_builder *b, const atn_problem *q, const atn_digits *d)
{
    const int proxy = q->r % d->core, turn = q->r / d->core - 1, turns = (q->p - 1) / d->core;
    atn_range list[2];

    atn_algo_rounds(b, turn);
    atn_send(b, proxy, atn_src(0, 1));
    atn_algo_rounds(b, turns + rounds_of(d));
    atn_recv(b, proxy, others(q->r, q->p, list));
    atn_algo_rounds(b, turns - turn);
}

static void run_core(atn_builder *b, const atn_problem *q, const gathering *g)
{
    const atn_digits *d = g->d;
    const int extras = (q->p - 1) / d->core;
    atn_range list[2];

    for (int i = 1; i <= extras; i++, atn_round(b))
        if (q->r + i * d->core < q->p)
            atn_recv(b, q->r + i * d->core, atn_dst(q->r + i * d->core, 1));
    for (int i = 0; i < d->n; i++)
        exchange(b, q, g, g->near ? i : d->n - 1 - i);
    for (int i = 1; i <= extras; i++, atn_round(b))
        if (q->r + i * d->core < q->p)
            atn_send(b, q->r + i * d->core, others(q->r + i * d->core, q->p, list));
}

void atn_algo_digits_allgather(atn_builder *b, const atn_problem *q, const atn_digits *d, bool near)
{
    const gathering g = {d, q->p, near, malloc(sizeof *g.list * (size_t)q->p)};

    atn_copy(b, atn_src(0, 1), atn_dst(q->r, 1));
    if (!g.list)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    else if (q->r >= d->core)
        run_extra(b, q, d);
    else
        run_core(b, q, &g);
    free(g.list);
}

/* ---- alltoall ---- */

/* Places of destinations (after the exchange: of sources) that agree with `rank` in digit i. */
static atn_comb agreeing(const atn_digits *d, int rank, int i)
{
    const int w = d->weight[i];
    return (atn_comb){rank / w % d->radix[i] * w, w, (int64_t)w * d->radix[i]};
}

void atn_algo_digits_alltoall(atn_builder *b, const atn_problem *q, const atn_digits *d)
{
    atn_relay x;
    const bool ok = atn_algo_relay_begin(&x, b, q, NULL);

    for (int i = 0; ok && i < d->n; i++, atn_algo_relay_turn(&x))
        for (int step = 1; step < d->radix[i]; step++, atn_round(b)) {
            const int to = atn_algo_digits_turn(d, q->r, i, step);
            const int from = atn_algo_digits_turn(d, q->r, i, -step);
            atn_algo_relay_send(&x, to, agreeing(d, to, i));
            atn_algo_relay_recv(&x, from, agreeing(d, from, i));
        }
    atn_algo_relay_end(&x);
}
