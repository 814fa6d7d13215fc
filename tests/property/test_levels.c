/* test_levels.c - every operation over random hierarchies: one to five levels, branches of
 * different depth, any algorithm at any level; all verified, also optimised. */
#include "algo/levels.h"
#include "all_ranks.h"
#include "sched/optimise.h"
#include "trees.h"

enum { MAX_RANKS = 26, MAX_DEPTH = 5, MAX_ROWS = 1024 };

static bool quick;

/* ---- hierarchies ---- */

static const char *const names[] = {"site", "room", NULL, "rack", NULL};

/* A host with ranks, some of them in memory domains. */
static void grow_host(plan *x, int parent, uint64_t *seed)
{
    const int host = plan_node(x, ATN_TOPO_HOST, parent, 0), parts = draw_below(seed, 3);
    int ranks = 1 + draw_below(seed, 3);

    for (int i = 0; i < parts && parts > 1; i++, ranks--) {
        const int part = plan_node(x, ATN_TOPO_PART, host, 0);
        x->nodes[part].level = (char *)"numa";
        for (int k = 1 + draw_below(seed, 2); k > 0 && x->p < MAX_RANKS; k--)
            x->node_of[x->p++] = part;
    }
    for (; ranks > 0 && x->p < MAX_RANKS; ranks--)
        x->node_of[x->p++] = host;
}

static void grow(plan *x, int v, int depth, int levels, uint64_t *seed)
{
    const int children = 1 + draw_below(seed, 3);

    for (int i = 0; i < children && x->p < MAX_RANKS; i++)
        if (levels > 1 && (i == 0 || draw_below(seed, 2))) {
            const int inner = plan_node(x, ATN_TOPO_SWITCH, v, 0);
            x->nodes[inner].level = (char *)names[depth];
            x->nodes[inner].delay_ns = draw_below(seed, 4) ? 0 : 10000000;
            grow(x, inner, depth + 1, levels - 1, seed);
        } else {
            grow_host(x, v, seed);
        }
}

static atn_topo *hierarchy(bool shuffled, uint64_t *seed)
{
    plan *x = calloc(1, sizeof *x);
    const int top = plan_node(x, ATN_TOPO_SWITCH, -1, 0);

    grow(x, top, 0, 1 + draw_below(seed, MAX_DEPTH), seed);
    if (shuffled)
        plan_shuffle(x, seed);
    atn_topo *t = plan_make(x);
    free(x);
    return t;
}

/* ---- words ---- */

static const char *own_param(const atn_algo *algo, uint64_t *seed, char out[40])
{
    const atn_param *p = algo->params;

    *out = '\0';
    if (p && p->name && p->type == ATN_INT && draw_below(seed, 2))
        snprintf(out, 40, "{%s=%d}", p->name, 2 + draw_below(seed, 2));
    return out;
}

/* "site:ring{...}" or "site:none", if the row accepts it. */
static void add_word(const atn_row *row, const char *level, char *text, size_t size, uint64_t *seed)
{
    const size_t used = strlen(text);
    const int kind = draw_below(seed, 10);
    atn_params prm;
    char param[40];

    for (int tries = 0; tries < 40 && kind < 8; tries++) {
        const atn_algo *algo =
            atn_algo_catalog_row(draw_below(seed, atn_algo_catalog_rows()))->algo;
        snprintf(text + used, size - used, "%s%s:%s%s", used ? "," : "", level,
                 kind == 0 ? "none" : algo->name, kind == 0 ? "" : own_param(algo, seed, param));
        if (atn_algo_params_parse(row, text, &prm, NULL) == ATN_OK)
            return;
    }
    text[used] = '\0';
}

static void add_words(const atn_row *row, const atn_topo *t, char *text, size_t size,
                      uint64_t *seed)
{
    static const char *const levels[] = {"site", "room", "rack", "switch", "host", "numa"};

    for (int i = 0; i < 6; i++)
        if (atn_topo_has_level(t, levels[i]))
            add_word(row, levels[i], text, size, seed);
    add_word(row, "rank", text, size, seed);
}

/* Sizes instead of a topology. */
static void add_sizes(const atn_row *row, char *text, size_t size, uint64_t *seed)
{
    int ranks = 12 + draw_below(seed, 12);
    char level[32];

    for (int i = 0; i < 4 && ranks > 2; i++) {
        ranks = 2 + draw_below(seed, ranks - 1);
        snprintf(level, sizeof level, "l%d*%d", i, ranks);
        add_word(row, level, text, size, seed);
    }
}

/* ---- one problem ---- */

typedef struct {
    const atn_row *row;
    int proofs, refusals, depths[MAX_DEPTH + 1], uneven;
    char why[ATN_ERROR_ROOM + 512];
} tally;

static bool used_rows[MAX_ROWS];

static void note(tally *t, const atn_level_plan *plan)
{
    const atn_levels *tree = &plan->tree;
    bool uneven = false;

    t->depths[atn_min(tree->depth, MAX_DEPTH)]++;
    for (int i = 0; i < tree->n; i++)
        for (int k = 1; k < tree->clusters[i].members; k++) {
            const atn_level_member *m = &tree->members[tree->clusters[i].member];
            uneven = uneven || (m[k].cluster < 0) != (m[0].cluster < 0);
        }
    t->uneven += uneven;
    for (int i = 0; i < tree->n * ATN_LEVEL_PARTS; i++)
        for (int r = 0; r < atn_algo_catalog_rows() && plan->use[i].part.row; r++)
            used_rows[r] = used_rows[r] || atn_algo_catalog_row(r) == plan->use[i].part.row;
}

static bool complain(tally *t, const atn_problem *q, const atn_params *prm, const char *what)
{
    char name[ATN_NAME_ROOM];
    char *tree = atn_topo_print(q->topo);

    atn_algo_params_print(t->row, prm, name, sizeof name);
    snprintf(t->why, sizeof t->why, "%s p=%d root=%d%s segments=%d: %.240s\n%.480s", name, q->p,
             q->root, q->ordered ? " ordered" : "", q->segments, what, tree);
    for (char *at = t->why; (at = strchr(at, '\n')) != NULL; at++)
        *at = ';';
    free(tree);
    return false;
}

static bool prove(tally *t, const atn_problem *q, const atn_params *prm, in_place_ranks placed)
{
    atn_level_plan *plan = atn_algo_level_plan_new(q, prm);
    atn_error err = {0};
    atn_status status;

    if (atn_algo_refuses(t->row, q, prm)) {
        t->refusals++;
        atn_algo_level_plan_free(plan);
        return true;
    }
    atn_schedule **s = build_all(t->row, q, prm, placed, &status, &err);
    if (s)
        status = atn_sched_verify(s, q->p, NULL, &err);
    for (int r = 0; status == ATN_OK && r < q->p; r++)
        status = atn_sched_optimise(s[r]);
    if (status == ATN_OK)
        status = atn_sched_verify(s, q->p, NULL, &err);
    free_all(s, q->p);
    if (status == ATN_OK)
        note(t, plan);
    atn_algo_level_plan_free(plan);
    t->proofs++;
    return status == ATN_OK || complain(t, q, prm, err.text);
}

/* Printed parameters parse to the same values. */
static bool reads_back(const atn_row *row, const atn_params *prm)
{
    char name[ATN_NAME_ROOM];
    atn_params again;

    atn_algo_params_print(row, prm, name, sizeof name);
    char *open = strchr(name, '{');
    if (!open)
        return true;
    name[strlen(name) - 1] = '\0';
    return atn_algo_params_parse(row, open + 1, &again, NULL) == ATN_OK &&
           memcmp(&again, prm, sizeof again) == 0;
}

static bool try_one(tally *t, uint64_t *seed)
{
    const bool typed = atn_sched_operation_get(t->row->op)->flags & ATN_TYPED;
    const bool rooted = atn_sched_operation_get(t->row->op)->flags & ATN_ROOTED;
    const bool in_rank_order = t->row->op == ATN_SCAN || t->row->op == ATN_EXSCAN;
    const bool ordered = typed && draw_below(seed, 3) == 0;
    atn_topo *topo = hierarchy(!ordered && !in_rank_order, seed);
    char text[ATN_NAME_ROOM] = "";
    atn_params prm;
    atn_problem q = {.op = t->row->op,
                     .p = topo->p,
                     .root = rooted ? draw_below(seed, topo->p) : 0,
                     .ordered = ordered,
                     .shared = draw_below(seed, 2) ? ATN_SHARED_ALL : ATN_SHARED_HOSTS,
                     .segments = 1,
                     .topo = topo};

    if (t->row->algo->passes & ATN_PASS_SEGMENT)
        q.segments = 1 + draw_below(seed, 3);
    if (draw_below(seed, 5) == 0)
        add_sizes(t->row, text, sizeof text, seed);
    else
        add_words(t->row, topo, text, sizeof text, seed);
    bool ok = atn_algo_params_parse(t->row, text, &prm, NULL) == ATN_OK;
    ok = ok && (reads_back(t->row, &prm) || complain(t, &q, &prm, "does not read back"));
    ok = ok && prove(t, &q, &prm, (in_place_ranks)draw_below(seed, in_rank_order ? 3 : 2));
    atn_topo_free(topo);
    return ok;
}

static void check_row(const atn_row *row, uint64_t *seed)
{
    const int wanted = quick ? 15 : 150;
    tally t = {.row = row};
    bool ok = true;
    char name[200];

    for (int tries = 0; ok && tries < 20 * wanted && t.proofs < wanted; tries++)
        ok = try_one(&t, seed);
    if (ok && t.proofs < wanted)
        snprintf(t.why, sizeof t.why, "too many problems are refused");
    ok = ok && t.proofs >= wanted;
    snprintf(name, sizeof name,
             "%s: %d proofs (by depth: %d %d %d %d %d; %d with branches of different depth), %d "
             "refusals",
             row->name, t.proofs, t.depths[1], t.depths[2], t.depths[3], t.depths[4], t.depths[5],
             t.uneven, t.refusals);
    tap(ok && (quick || (t.depths[1] && t.depths[2] && t.depths[3] && t.depths[4] && t.depths[5] &&
                         t.uneven)),
        name, t.why);
}

static void tell_rows(void)
{
    int n = 0, all = 0;

    for (int r = 0; r < atn_algo_catalog_rows(); r++) {
        const atn_row *row = atn_algo_catalog_row(r);
        if (!row->algo->build || atn_algo_level_is_row(row->algo))
            continue;
        all++;
        n += used_rows[r];
        if (!used_rows[r])
            printf("# never used in a hierarchy: %s\n", row->name);
    }
    printf("# %d of %d rows were used in hierarchies\n", n, all);
}

int main(void)
{
    uint64_t seed = 88172645463325252u;

    quick = getenv("ATN_TEST_QUICK") != NULL;
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        if (atn_algo_level_is_row(atn_algo_catalog_row(i)->algo))
            check_row(atn_algo_catalog_row(i), &seed);
    tell_rows();
    return tap_end();
}
