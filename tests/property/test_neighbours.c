/* test_neighbours.c - every row of the neighbourhood collectives on grids and graphs: proven for
 * 2 to 33 ranks, grids of all kinds of dimensions, box stencils, random graphs and topologies. */
#include "all_ranks.h"
#include "trees.h"

enum { LEAST = 2, MOST = 33, QUICK_MOST = 12, MAX_WORDS = 40, WORD = 600 };

typedef struct {
    const atn_row *row;
    int proofs, refusals;
    char why[ATN_ERROR_ROOM + WORD + 200];
} tally;

/* ---- virtual topologies of p ranks ---- */

typedef struct {
    char v[MAX_WORDS][WORD];
    int n;
} words;

static void add_word(words *w, const char *format, int a, int b, int c)
{
    snprintf(w->v[w->n++], WORD, format, a, b, c);
}

/* Lines, grids of two and three dimensions with and without dimensions of one and two ranks. */
static void add_grids(words *w, int p)
{
    static const char *const two[] = {"cart:%dx%d", "cart:%dpx%d", "cart:%dx%dp", "cart:%dpx%dp"};
    static const char *const three[] = {"cart:%dx%dx%dp", "cart:%dpx%dpx%dp"};
    int a = 2;

    add_word(w, "cart:%d", p, 0, 0);
    add_word(w, "cart:%dp", p, 0, 0);
    add_word(w, "cart:1px%dpx1", p, 0, 0);
    add_word(w, "cart:1px1px%dp", p, 0, 0);
    while (a < p && p % a != 0)
        a++;
    for (int i = 0; a < p && i < 4; i++)
        add_word(w, two[i], a, p / a, 0);
    for (int i = 0; p % 4 == 0 && i < 2; i++)
        add_word(w, three[i], 2, p / 4, 2);
}

/* Box stencils of two and three dimensions; those with periodic dimensions of two ranks are other
 * graphs. */
static void add_boxes(words *w, int p)
{
    static const char *const two[] = {"box:%dx%d", "box:%dpx%d", "box:%dpx%dp"};
    static const char *const three[] = {"box:%dx%dx%d", "box:%dpx%dx%dp", "box:%dpx%dpx%dp"};

    for (int a = 2; a <= 3; a++) {
        for (int i = 0; p % a == 0 && p > a && i < 3; i++)
            add_word(w, two[i], a, p / a, 0);
        for (int i = 0; p % (3 * a) == 0 && p > 3 * a && i < 3; i++)
            add_word(w, three[i], 3, a, p / (3 * a));
    }
}

static void add_graphs(words *w, int p)
{
    static const int degrees[] = {0, 1, 2, 5, 9};

    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
        add_word(w, "random:%d:%d", degrees[i], 31 * p + (int)i, 0);
}

/* ---- one problem ---- */

static bool complain(tally *t, const atn_problem *q, const char *word, const char *what)
{
    snprintf(t->why, sizeof t->why, "%s p=%d %s segments=%d: %s", t->row->name, q->p, word,
             q->segments, what);
    return false;
}

static bool prove(tally *t, const atn_problem *q, const atn_params *prm, const char *word)
{
    atn_error err = {0};
    atn_status status;

    if (atn_algo_refuses(t->row, q, prm)) {
        t->refusals++;
        return true;
    }
    atn_schedule **s = build_all(t->row, q, prm, IN_PLACE_NONE, &status, &err);
    if (s)
        status = atn_sched_verify(s, q->p, NULL, &err);
    free_all(s, q->p);
    t->proofs++;
    return status == ATN_OK || complain(t, q, word, err.text);
}

static bool prove_word(tally *t, int p, const char *word, const atn_topo *topo)
{
    static const char *const params[] = {"", "window=2", "window=5"};
    const bool pipelines = t->row->algo->passes & ATN_PASS_SEGMENT;
    atn_neighbourhood *n = NULL;
    atn_error err = {0};
    bool ok = true;

    if (atn_sched_neighbourhood_parse(word, p, &n, &err) != ATN_OK)
        return complain(t, &(atn_problem){.p = p}, word, err.text);
    for (size_t i = 0; ok && i < sizeof params / sizeof *params; i++) {
        atn_params prm;
        if (atn_algo_params_parse(t->row, params[i], &prm, NULL) != ATN_OK)
            continue;
        for (int k = 1; ok && k <= (pipelines ? 3 : 1); k += 2) {
            const atn_problem q = {
                .op = t->row->op, .p = p, .segments = k, .topo = topo, .neighbourhood = n};
            ok = prove(t, &q, &prm, word);
        }
    }
    atn_sched_neighbourhood_free(n);
    return ok;
}

static bool prove_p(tally *t, int p)
{
    uint64_t seed = 4711 + (uint64_t)p;
    static words w;
    bool ok = true;

    w.n = 0;
    add_grids(&w, p);
    add_boxes(&w, p);
    add_graphs(&w, p);
    for (int i = 0; ok && i < w.n; i++) {
        atn_topo *topo = tree_random(p, 4, 5, &seed);
        ok = topo && prove_word(t, p, w.v[i], topo);
        atn_topo_free(topo);
    }
    return ok;
}

static void prove_row(const atn_row *row, int most)
{
    tally t = {.row = row};
    bool ok = true;
    char name[200];

    for (int p = LEAST; ok && p <= most; p++)
        ok = prove_p(&t, p);
    snprintf(name, sizeof name, "%s: %d proofs, %d refusals", row->name, t.proofs, t.refusals);
    tap(ok && t.proofs > 25, name, ok ? "too few proofs" : t.why);
}

/* ---- the rounds of edges ---- */

/* No rank sends or receives twice in a round, and both ends of an edge agree. */
static bool rounds_fit(const atn_neighbourhood *n, int r, atn_way way)
{
    bool *used = calloc((size_t)n->rounds + 1, sizeof *used);
    bool ok = used != NULL;

    for (int i = 0; ok && i < atn_sched_neighbourhood_count(n, r, way); i++) {
        const int peer = atn_sched_neighbourhood_rank(n, r, way, i);
        const int round = atn_sched_neighbourhood_round(n, r, way, i);
        const int mate = atn_sched_neighbourhood_mate(n, r, way, i);
        const atn_way back = way == ATN_INWARD ? ATN_OUTWARD : ATN_INWARD;
        if (peer < 0 || peer == r) {
            ok = round < 0;
            continue;
        }
        ok = round >= 0 && round < n->rounds && !used[round] &&
             atn_sched_neighbourhood_rank(n, peer, back, mate) == r &&
             atn_sched_neighbourhood_mate(n, peer, back, mate) == i &&
             atn_sched_neighbourhood_round(n, peer, back, mate) == round;
        used[round] = true;
    }
    free(used);
    return ok;
}

static void rounds_are_proper(void)
{
    const char *why = "";
    static words w;

    for (int p = 1; p <= MOST; p++) {
        w.n = 0;
        add_grids(&w, p);
        add_boxes(&w, p);
        add_graphs(&w, p);
        for (int i = 0; i < w.n; i++) {
            atn_neighbourhood *n = NULL;
            bool ok = atn_sched_neighbourhood_parse(w.v[i], p, &n, NULL) == ATN_OK;
            for (int r = 0; ok && r < p; r++)
                ok = rounds_fit(n, r, ATN_INWARD) && rounds_fit(n, r, ATN_OUTWARD);
            why = ok && n->rounds <= 2 * atn_max(n->most, 1) ? why : w.v[i];
            atn_sched_neighbourhood_free(n);
        }
    }
    tap(why[0] == '\0', "in every round, ranks send and receive at most once", why);
}

int main(int argc, char **argv)
{
    const int most = getenv("ATN_TEST_QUICK") != NULL ? QUICK_MOST : MOST;

    (void)argc;
    rounds_are_proper();
    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        const atn_row *row = atn_algo_catalog_row(i);
        if (wanted(row, argv) && atn_sched_on_neighbours(row->op))
            prove_row(row, most);
    }
    return tap_end();
}
