/* test_parts.c - parts with parameters of their own: names round trip to any depth, and composites
 * with synchronised, throttled and reordered parts are verified.  One TAP line per row. */
#include "algo/levels.h"
#include "all_ranks.h"
#include "plan/neighbours.h"
#include "trees.h"

/* ---- names ---- */

static int64_t draw_value(const atn_param *p, uint64_t *seed)
{
    if (p->type == ATN_BYTES)
        return p->fallback;
    if (p->type == ATN_WORD)
        return p->min + draw_below(seed, (int)(p->max - p->min) + 1);
    return atn_min((int)p->max, (int)p->min + draw_below(seed, 4));
}

/* Random parameters; those of parts to a depth. */
static atn_algo_use draw_use(const atn_row *row, int depth, uint64_t *seed)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);
    atn_algo_use use = {.row = row};

    atn_algo_params_default(row, &use.prm);
    for (int i = 0; i < n; i++) {
        const atn_operation op = atn_algo_part_operation(row->algo, i);
        if (list[i]->type >= ATN_LEVELS || draw_below(seed, 3) == 0)
            continue;
        use.prm.v[i] = draw_value(list[i], seed);
        if (op == ATN_BARRIER || depth == 0)
            continue;
        const atn_algo_use part = atn_algo_part(op, list[i], use.prm.v[i]);
        const atn_algo_use other = draw_use(part.row, depth - 1, seed);
        use.prm.v[i] = atn_algo_part_value(list[i], &other);
    }
    return use;
}

/* The same text with other separators between the outermost parameters. */
static void use_colons(char *text)
{
    int depth = 0;

    for (; *text; text++) {
        depth += (*text == '{') - (*text == '}');
        if (depth == 0 && *text == ',')
            *text = ':';
    }
}

static bool comes_back(const atn_algo_use *use, char *why, size_t size)
{
    char name[2 * ATN_NAME_ROOM], again[2 * ATN_NAME_ROOM];
    atn_error err = {0};

    atn_algo_params_print(use->row, &use->prm, name, sizeof name);
    snprintf(why, size, "%s", name);
    if (strlen(name) >= ATN_NAME_ROOM)
        return true; /* rejected elsewhere */
    char *inside = name + strcspn(name, "{");
    if (*inside == '\0')
        return true;
    name[strlen(name) - 1] = '\0';
    for (int colons = 0; colons < 2; colons++) {
        atn_params prm;
        if (colons)
            use_colons(inside + 1);
        if (atn_algo_params_parse(use->row, inside + 1, &prm, &err) != ATN_OK)
            return snprintf(why, size, "%.200s: %.200s", name, err.text) < 0;
        atn_algo_params_print(use->row, &prm, again, sizeof again);
        if (strcmp(again, why) != 0 || memcmp(&prm, &use->prm, sizeof prm) != 0)
            return false;
    }
    return true;
}

static void names_round_trip(void)
{
    uint64_t seed = 20061118;
    char why[600] = "";
    int nested = 0;
    bool ok = true;

    for (int i = 0; ok && i < 20000; i++) {
        const atn_row *row = atn_algo_catalog_row(draw_below(&seed, atn_algo_catalog_rows()));
        const atn_algo_use use = draw_use(row, 3, &seed);
        ok = atn_algo_level_is_row(row->algo) || comes_back(&use, why, sizeof why);
        for (int k = 0; k < ATN_MAX_PARTS; k++)
            nested += row->algo->parts[k] != ATN_BARRIER && use.prm.v[k] >= ATN_NESTED;
    }
    tap(ok && nested > 500, "names with nested parameters round trip", why);
}

/* A part of levels with parts: three depths of braces. */
static void levels_round_trip(void)
{
    static const char text[] =
        "allreduce/levels{switch:reduce_bcast{up=chain{order=dfs},down=scatter_allgather{allgather="
        "ring{sync=barrier,every=2}}},host:rabenseifner{gather=mesh{dims=3}},segment=8K}";
    char inside[ATN_NAME_ROOM], again[ATN_NAME_ROOM];
    const atn_row *row = atn_algo_catalog_by_name("allreduce/levels");
    atn_params prm;
    atn_error err = {0};

    snprintf(inside, sizeof inside, "%s", strchr(text, '{') + 1);
    inside[strlen(inside) - 1] = '\0';
    const bool read = atn_algo_params_parse(row, inside, &prm, &err) == ATN_OK;
    if (read)
        atn_algo_params_print(row, &prm, again, sizeof again);
    tap(read && strcmp(again, text) == 0, "nested parameters of levels round trip", err.text);
}

/* What is wrong is named. */
static void mistakes_are_named(void)
{
    static const char *const cases[][2] = {
        {"gather=mesh{dims=9}", "allgather/mesh: dims=9 is invalid; allowed: 2 to 3"},
        {"gather=mesh{dims=3",
         "allreduce/rabenseifner: the braces of 'gather=mesh{dims=3' do not match"},
        {"gather=mash{dims=3}", "allreduce/rabenseifner: gather=mash is invalid; allowed: "},
        {"gather=ring{segment=8K}", "allreduce/rabenseifner: gather=ring{segment=8K}: segment is "},
        {"gather=ring{sync=all}", "allgather/ring: sync=all is invalid; allowed: none, pair or"},
        {"guests=odd{x=1}", "allreduce/rabenseifner: guests=odd{x=1} is invalid; allowed: "},
        {"gather={dims=3}", "allreduce/rabenseifner: gather= is invalid; allowed: "},
    };
    const atn_row *row = atn_algo_catalog_by_name("allreduce/rabenseifner");
    bool ok = true;
    char why[ATN_ERROR_ROOM + 8] = "";

    for (size_t i = 0; ok && i < sizeof cases / sizeof *cases; i++) {
        atn_params prm;
        atn_error err = {0};
        ok = atn_algo_params_parse(row, cases[i][0], &prm, &err) == ATN_INPUT &&
             strncmp(err.text, cases[i][1], strlen(cases[i][1])) == 0;
        snprintf(why, sizeof why, "%s", err.text);
    }
    tap(ok, "mistakes in nested parameters are named", why);
}

/* ---- tuning ---- */

static bool is_next_to(const atn_problem *q, const char *text, const char *other)
{
    static atn_choice list[ATN_NEIGHBOURS];
    char copy[ATN_NAME_ROOM], name[ATN_NAME_ROOM];
    atn_choice from;

    snprintf(copy, sizeof copy, "%s", text);
    if (atn_plan_choice_read(q->op, copy, &from, NULL) != ATN_OK)
        return false;
    const int n = atn_plan_neighbours(q, &from, list);
    for (int i = 0; i < n; i++) {
        atn_plan_choice_print(&list[i], name);
        if (strcmp(name, other) == 0)
            return true;
    }
    return false;
}

static void tuning_refines_parts(void)
{
    static const char *const cases[][2] = {
        {"rabenseifner{gather=mesh}", "rabenseifner{gather=mesh{dims=3}}"},
        {"rabenseifner{gather=ring}", "rabenseifner{gather=ring{order=lr1}}"},
        {"allgather_reduce{gather=spread}", "allgather_reduce{gather=spread{sync=pair}}"},
        {"allgather_reduce{gather=spread{sync=barrier}}",
         "allgather_reduce{gather=spread{sync=barrier,every=2}}"},
    };
    atn_topo *topo = tree_row(16);
    const atn_problem q = {
        .op = ATN_ALLREDUCE, .p = 16, .bytes = 65536, .segments = 1, .topo = topo};
    char why[ATN_NAME_ROOM] = "";

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!is_next_to(&q, cases[i][0], cases[i][1]))
            snprintf(why, sizeof why, "%s", cases[i][1]);
    atn_topo_free(topo);
    tap(why[0] == '\0', "tuning refines parameters of parts", why);
}

/* ---- schedules ---- */

typedef struct {
    int proofs, refusals;
    char why[ATN_ERROR_ROOM + 400];
} tally;

static bool prove(tally *t, const atn_row *row, const atn_problem *q, const atn_params *prm,
                  in_place_ranks placed)
{
    atn_error err = {0};
    atn_status status;
    char name[ATN_NAME_ROOM];

    if (atn_algo_refuses(row, q, prm)) {
        t->refusals++;
        return true;
    }
    atn_schedule **s = build_all(row, q, prm, placed, &status, &err);
    if (s)
        status = atn_sched_verify(s, q->p, NULL, &err);
    free_all(s, q->p);
    atn_algo_params_print(row, prm, name, sizeof name);
    if (status != ATN_OK)
        snprintf(t->why, sizeof t->why, "%s p=%d root=%d: %s", name, q->p, q->root, err.text);
    t->proofs += status == ATN_OK;
    return status == ATN_OK;
}

static bool prove_sizes(tally *t, const atn_row *row, const atn_params *prm)
{
    static const int sizes[] = {2, 3, 4, 6, 8, 9, 12, 16, 27};
    const bool pipelines = row->algo->passes & ATN_PASS_SEGMENT;
    bool ok = true;

    for (size_t i = 0; ok && i < sizeof sizes / sizeof *sizes; i++) {
        const int p = sizes[i];
        atn_topo *topo = tree_row(p);
        const bool rooted = atn_sched_operation_get(row->op)->flags & ATN_ROOTED;
        const atn_problem q = {.op = row->op,
                               .p = p,
                               .root = rooted ? p / 2 : 0,
                               .segments = pipelines && p == 6 ? 3 : 1,
                               .topo = topo};
        ok = topo && prove(t, row, &q, prm, IN_PLACE_NONE) &&
             (p > 9 || prove(t, row, &q, prm, IN_PLACE_ALL));
        atn_topo_free(topo);
    }
    return ok;
}

/* A part with every word and every pass; mirrored parts have only parameters of their own. */
static void prove_row(const atn_row *row)
{
    static const char *const passes[] = {"window=1",  "sync=pair", "sync=barrier,every=2",
                                         "order=lr1", "dims=3",    "radix=3",
                                         "arity=3",   "chains=2"};
    const atn_param *list[ATN_MAX_PARAMS];
    atn_params prm;
    tally t = {0};
    bool ok = true;
    char name[100];

    atn_algo_row_params(row, list);
    atn_algo_params_default(row, &prm);
    for (int i = 0; i < ATN_MAX_PARTS; i++)
        for (int64_t w = 0; row->algo->parts[i] != ATN_BARRIER && w <= list[i]->max; w++)
            for (size_t k = 0; ok && k < sizeof passes / sizeof *passes; k++) {
                atn_algo_use part = atn_algo_part(row->algo->parts[i], list[i], w);
                atn_params with = prm;
                if (atn_algo_params_parse(part.row, passes[k], &part.prm, NULL) != ATN_OK)
                    continue;
                with.v[i] = atn_algo_part_value(list[i], &part);
                ok = prove_sizes(&t, row, &with);
            }
    snprintf(name, sizeof name, "%s: %d proofs, %d refusals", row->name, t.proofs, t.refusals);
    tap(ok && (t.proofs > 0 || row->op == ATN_EXSCAN), name, t.why); /* scans have none */
}

static bool has_parts(const atn_row *row)
{
    for (int i = 0; i < ATN_MAX_PARTS; i++)
        if (row->algo->parts[i] != ATN_BARRIER)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    (void)argc;
    names_round_trip();
    levels_round_trip();
    mistakes_are_named();
    tuning_refines_parts();
    for (int i = 0; i < atn_algo_catalog_rows(); i++)
        if (has_parts(atn_algo_catalog_row(i)) && wanted(atn_algo_catalog_row(i), argv))
            prove_row(atn_algo_catalog_row(i));
    return tap_end();
}
