/* levels_plan.c - clusters, their parts and the algorithms for them, or why they do not apply. */
#include <stdarg.h>
#include <stdlib.h>

#include "algo/derived.h"
#include "algo/levels.h"
#include "algo/shared.h"
#include "topo/topo.h"

/* Each pair of ranks exchanges its blocks directly, level by level. */
static bool is_direct(atn_operation op) { return op == ATN_ALLTOALLV || op == ATN_ALLTOALLW; }
static bool is_prefix(atn_operation op) { return op == ATN_SCAN || op == ATN_EXSCAN; }

/* There are few different reasons, so they are interned and never freed. */
__attribute__((format(printf, 2, 3))) static void refuse(atn_level_plan *plan, const char *format,
                                                         ...)
{
    char text[ATN_ERROR_ROOM];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const int64_t number = plan->why ? 0 : atn_intern(text);
    if (!plan->why)
        plan->why = number > 0 ? atn_interned(number) : "its levels do not apply";
}

/* ---- participants ---- */

int atn_algo_level_leader(const atn_level_plan *plan, int first, int count)
{
    if (plan->last)
        return first + count - 1;
    return plan->root >= first && plan->root < first + count ? plan->root : first;
}

static int place_of(const atn_level_plan *plan, const atn_cluster *c, int i, bool all)
{
    const atn_level_member *m = &plan->tree.members[c->member];

    return all ? c->first + i : atn_algo_level_leader(plan, m[i].first, m[i].count);
}

struct atn_topo *atn_algo_level_topo(const atn_level_plan *plan, const atn_cluster *c, bool all)
{
    const int n = all ? c->count : c->members;
    int *ranks = malloc(sizeof *ranks * (size_t)n);
    atn_topo *sub = NULL;

    for (int i = 0; ranks && i < n; i++)
        ranks[i] = plan->tree.rank[place_of(plan, c, i, all)];
    if (ranks && plan->topo)
        sub = atn_topo_sub(plan->topo, ranks, n);
    free(ranks);
    return sub;
}

static bool alike(const atn_level_plan *plan, const atn_cluster *c)
{
    const atn_level_member *m = &plan->tree.members[c->member];

    for (int i = 1; i < c->members; i++)
        if (m[i].count != m[0].count)
            return false;
    return true;
}

/* ---- selection of rows ---- */

/* The row for a part, from the word that names the cluster; *named_p: the word refers to it. */
static const atn_row *choose(const atn_level_plan *plan, const atn_problem *q, const atn_cluster *c,
                             atn_level_part part, bool *named_p)
{
    atn_operation op = atn_algo_level_operation(q->op, part);
    const atn_level_word *w = c->word < 0 ? NULL : &plan->words.v[c->word];
    const atn_row *row = NULL;

    if (op == ATN_OPERATIONS)
        return NULL;
    if (!alike(plan, c))
        op = atn_algo_level_varying(op);
    if (w && w->algo[0])
        row = atn_algo_level_row(op, w->algo);
    if (w && w->algo[0] && !row && q->op == ATN_BARRIER && part == ATN_LEVEL_UP)
        row = atn_algo_level_row(ATN_BARRIER, w->algo); /* more than needed, but available */
    *named_p = *named_p || row;
    return row ? row : atn_algo_level_default(op, c->wide);
}

static void use(atn_level_plan *plan, const atn_problem *q, const atn_cluster *c,
                atn_level_part part, const atn_row *row)
{
    atn_level_use *u = &plan->use[(c - plan->tree.clusters) * ATN_LEVEL_PARTS + (int)part];

    u->part.row = row;
    u->signals = q->op == ATN_BARRIER && row->op != ATN_BARRIER;
    atn_algo_params_default(row, &u->part.prm);
    if (c->word >= 0)
        atn_algo_level_set_params(row, &plan->words.v[c->word], &u->part.prm);
}

/* Across where the operation requires it, or at the top if a word names a row; else up and down. */
static void choose_parts(atn_level_plan *plan, const atn_problem *q, const atn_cluster *c)
{
    const atn_row *row[ATN_LEVEL_PARTS];
    bool named[ATN_LEVEL_PARTS] = {false};
    const bool everywhere = is_direct(q->op) || q->op == ATN_ALLTOALL;
    const bool worded = c->word >= 0 && plan->words.v[c->word].algo[0];
    const atn_operation op = atn_algo_level_operation(q->op, ATN_LEVEL_ACROSS);
    const bool differ = op != ATN_OPERATIONS && op != atn_algo_level_varying(op) && !alike(plan, c);

    for (int i = 0; i < ATN_LEVEL_PARTS; i++)
        row[i] = choose(plan, q, c, (atn_level_part)i, &named[i]);
    const bool inwards = named[ATN_LEVEL_UP] || named[ATN_LEVEL_DOWN];
    const bool across = row[ATN_LEVEL_ACROSS] &&
                        (everywhere || (c->depth == 0 && (!inwards || named[ATN_LEVEL_ACROSS])));
    const bool vertical = c->depth > 0 || !across;
    if (worded && !(across && named[ATN_LEVEL_ACROSS]) && !(vertical && inwards))
        refuse(plan, "level %s: %s does not support %s%s", c->level, plan->words.v[c->word].algo,
               atn_sched_operation_get(q->op)->name,
               differ ? ", where clusters differ in size" : "");
    if (across)
        use(plan, q, c, ATN_LEVEL_ACROSS, row[ATN_LEVEL_ACROSS]);
    for (int i = ATN_LEVEL_UP; i <= ATN_LEVEL_DOWN; i += ATN_LEVEL_DOWN - ATN_LEVEL_UP)
        if (vertical && row[i])
            use(plan, q, c, (atn_level_part)i, row[i]);
}

/* ---- rounds ---- */

/* The maximum over the first and the last rank. */
static void measure(atn_level_plan *plan, const atn_cluster *c, atn_level_use *u, atn_problem *q)
{
    for (int i = 0; i < 2 && !plan->why; i++) {
        atn_schedule *s = NULL;
        atn_error err = {0};
        q->r = i * (q->p - 1);
        const atn_status status = atn_algo_build(u->part.row, q, &u->part.prm, &s, &err);
        if (status == ATN_MEMORY)
            plan->why = atn_algo_no_memory;
        else if (status != ATN_OK)
            refuse(plan, "level %s: %s", c->level, err.text);
        if (status != ATN_OK)
            return;
        u->rounds = atn_max(u->rounds, s->nrounds);
        atn_sched_schedule_free(s);
    }
}

/* An earlier cluster of the same size with the same algorithm. */
static const atn_level_use *known(const atn_level_plan *plan, const atn_cluster *c,
                                  const atn_level_use *u, int part)
{
    for (const atn_cluster *o = plan->tree.clusters; o < c; o++) {
        const atn_level_use *other = atn_algo_level_use_of(plan, o, (atn_level_part)part);
        if (o->members == c->members && o->count == c->count && other->part.row == u->part.row &&
            memcmp(&other->part.prm, &u->part.prm, sizeof u->part.prm) == 0)
            return other;
    }
    return NULL;
}

/* A cluster inside a host shares memory if hosts do. */
static atn_sharing sharing(const atn_level_plan *plan, const atn_problem *q, const atn_cluster *c)
{
    if (q->shared != ATN_SHARED_HOSTS || !plan->topo)
        return q->shared == ATN_SHARED_ALL ? ATN_SHARED_ALL : ATN_SHARED_NONE;
    return atn_algo_shared_one_host(plan->topo, &plan->tree.rank[c->first], c->count)
               ? ATN_SHARED_ALL
               : ATN_SHARED_NONE;
}

static void examine(atn_level_plan *plan, const atn_problem *q, const atn_cluster *c, int part)
{
    atn_level_use *u = &plan->use[(c - plan->tree.clusters) * ATN_LEVEL_PARTS + part];
    const bool all = is_direct(q->op), placed = atn_algo_part_is_placed(&u->part);
    const bool alone = placed || u->part.row->algo->needs & ATN_NEEDS_SHARED;
    const atn_level_use *same = alone ? NULL : known(plan, c, u, part);
    atn_problem inner = {.op = u->part.row->op,
                         .p = all ? c->count : c->members,
                         .ordered = q->ordered,
                         .segments = 1};

    if (same) {
        u->rounds = same->rounds;
        return;
    }
    atn_topo *topo = placed ? atn_algo_level_topo(plan, c, all) : NULL;
    inner.topo = topo;
    inner.shared = sharing(plan, q, c);
    const char *why = atn_algo_refuses(u->part.row, &inner, &u->part.prm);
    if (placed && plan->topo && !topo)
        plan->why = atn_algo_no_memory;
    else if (why)
        refuse(plan, "level %s: %s: %s", c->level, u->part.row->name, why);
    else
        measure(plan, c, u, &inner);
    atn_topo_free(topo);
}

static void examine_all(atn_level_plan *plan, const atn_problem *q)
{
    for (int i = 0; i < plan->tree.n && !plan->why; i++) {
        const atn_cluster *c = &plan->tree.clusters[i];
        choose_parts(plan, q, c);
        for (int part = 0; part < ATN_LEVEL_PARTS && !plan->why; part++) {
            const atn_level_use *u = atn_algo_level_use_of(plan, c, (atn_level_part)part);
            int *most = &plan->rounds[c->depth * ATN_LEVEL_PARTS + part];
            if (!u->part.row)
                continue;
            examine(plan, q, c, part);
            *most = atn_max(*most, u->rounds);
        }
    }
}

/* ---- plan ---- */

static void check_names(atn_level_plan *plan)
{
    const atn_level_words *w = &plan->words;

    for (int i = 0; i < w->n && !w->given; i++)
        if (strcmp(w->v[i].name, "rank") != 0 && !atn_topo_has_level(plan->topo, w->v[i].name))
            refuse(plan, "the topology has no level %s; it has:%srank", w->v[i].name,
                   plan->topo->levels);
}

static bool fill(atn_level_plan *plan, const atn_problem *q)
{
    const bool rooted = atn_sched_operation_get(q->op)->flags & ATN_ROOTED;

    if (!atn_algo_levels_begin(plan->topo, q->p, &plan->words, &plan->tree))
        return false;
    const size_t n = (size_t)plan->tree.n + 1;
    plan->root = rooted ? plan->tree.place[q->root] : -1;
    plan->last = is_prefix(q->op);
    plan->use = calloc(n * ATN_LEVEL_PARTS, sizeof *plan->use);
    plan->rounds = calloc(((size_t)plan->tree.depth + 1) * ATN_LEVEL_PARTS, sizeof *plan->rounds);
    if (!plan->use || !plan->rounds)
        return false;
    if ((q->ordered || is_prefix(q->op)) && !atn_algo_levels_sorted(&plan->tree))
        refuse(plan,
               "clusters are not runs of consecutive ranks, and the order of operands matters");
    examine_all(plan, q);
    return true;
}

static void end_plan(atn_level_plan *plan)
{
    if (!plan)
        return;
    atn_algo_levels_end(&plan->tree);
    free(plan->use);
    free(plan->rounds);
    free(plan);
}

static atn_level_plan *make_plan(const atn_problem *q, const atn_params *prm)
{
    atn_level_plan *plan = calloc(1, sizeof *plan);
    char bad[ATN_LEVEL_NAME];

    if (!plan)
        return NULL;
    plan->topo = q->topo && q->topo->p == q->p ? q->topo : NULL;
    if (!atn_algo_level_words_read(atn_interned(prm->v[0]), &plan->words, bad))
        refuse(plan, "its levels are invalid");
    else if (!plan->words.given && !plan->topo)
        refuse(plan, "the topology is not known");
    else
        check_names(plan);
    if (plan->why || fill(plan, q))
        return plan;
    end_plan(plan);
    return NULL;
}

static void end_kept(void *plan) { end_plan(plan); }

atn_level_plan *atn_algo_level_plan_new(const atn_problem *q, const atn_params *prm)
{
    const atn_derived_key key = {.maker = "levels",
                                 .topo = q->topo,
                                 .n = {q->op, q->p, q->root, q->ordered, prm->v[0], q->shared}};
    atn_level_plan *plan = atn_algo_derived_find(&key);

    if (!plan) {
        plan = make_plan(q, prm);
        if (plan && plan->why != atn_algo_no_memory)
            plan->kept = atn_algo_derived_keep(&key, plan, end_kept);
    }
    return plan;
}

void atn_algo_level_plan_free(atn_level_plan *plan)
{
    if (plan && !plan->kept)
        end_plan(plan);
}

int atn_algo_levels_depth(const atn_problem *q)
{
    const atn_level_words none = {.n = 0};
    atn_levels tree;

    if (!q->topo || q->topo->p != q->p || !atn_algo_levels_begin(q->topo, q->p, &none, &tree))
        return 0;
    const int depth = tree.depth;
    atn_algo_levels_end(&tree);
    return depth;
}

const char *atn_algo_levels_refuses(const atn_problem *q, const atn_params *prm)
{
    atn_level_plan *plan = atn_algo_level_plan_new(q, prm);
    const char *why = plan ? plan->why : atn_algo_no_memory;

    atn_algo_level_plan_free(plan);
    return why;
}
