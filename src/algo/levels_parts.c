/* levels_parts.c - the algorithm for each part of an operation in each cluster. */
#include <stdlib.h>

#include "algo/levels.h"

#define NONE ATN_OPERATIONS

/* The parts of an operation: up, across, down. */
static const atn_operation parts[ATN_OPERATIONS][ATN_LEVEL_PARTS] = {
    [ATN_BARRIER] = {ATN_REDUCE, ATN_BARRIER, ATN_BCAST},
    [ATN_BCAST] = {NONE, ATN_BCAST, ATN_BCAST},
    [ATN_GATHER] = {ATN_GATHER, ATN_GATHER, NONE},
    [ATN_GATHERV] = {ATN_GATHERV, ATN_GATHERV, NONE},
    [ATN_SCATTER] = {NONE, ATN_SCATTER, ATN_SCATTER},
    [ATN_SCATTERV] = {NONE, ATN_SCATTERV, ATN_SCATTERV},
    [ATN_ALLGATHER] = {ATN_GATHER, ATN_ALLGATHER, ATN_BCAST},
    [ATN_ALLGATHERV] = {ATN_GATHERV, ATN_ALLGATHERV, ATN_BCAST},
    [ATN_ALLTOALL] = {ATN_GATHER, ATN_ALLTOALL, ATN_SCATTER},
    [ATN_ALLTOALLV] = {NONE, ATN_ALLTOALLV, NONE},
    [ATN_ALLTOALLW] = {NONE, ATN_ALLTOALLW, NONE},
    [ATN_REDUCE] = {ATN_REDUCE, ATN_REDUCE, NONE},
    [ATN_ALLREDUCE] = {ATN_REDUCE, ATN_ALLREDUCE, ATN_BCAST},
    [ATN_REDUCE_SCATTER] = {ATN_REDUCE, ATN_REDUCE_SCATTER, ATN_SCATTERV},
    [ATN_REDUCE_SCATTER_BLOCK] = {ATN_REDUCE, ATN_REDUCE_SCATTER_BLOCK, ATN_SCATTER},
    [ATN_SCAN] = {ATN_EXSCAN, NONE, ATN_BCAST},
    [ATN_EXSCAN] = {ATN_EXSCAN, NONE, ATN_BCAST},
};

atn_operation atn_algo_level_operation(atn_operation op, atn_level_part part)
{
    return parts[op][part];
}

atn_operation atn_algo_level_varying(atn_operation op)
{
    switch (op) {
    case ATN_GATHER:
        return ATN_GATHERV;
    case ATN_SCATTER:
        return ATN_SCATTERV;
    case ATN_ALLGATHER:
        return ATN_ALLGATHERV;
    case ATN_ALLTOALL:
        return ATN_ALLTOALLV;
    case ATN_REDUCE_SCATTER_BLOCK:
        return ATN_REDUCE_SCATTER;
    default:
        return op;
    }
}

/* ---- names ---- */

/* Defaults: few rounds; the fewest over long distances. */
static const struct {
    const char *near, *wide;
} defaults[ATN_OPERATIONS] = {
    [ATN_BARRIER] = {"dissemination", "dissemination"},
    [ATN_BCAST] = {"binomial", "linear"},
    [ATN_GATHER] = {"binomial", "linear"},
    [ATN_GATHERV] = {"binomial", "linear"},
    [ATN_SCATTER] = {"binomial", "linear"},
    [ATN_SCATTERV] = {"binomial", "linear"},
    [ATN_ALLGATHER] = {"bruck", "spread"},
    [ATN_ALLGATHERV] = {"bruck", "spread"},
    [ATN_ALLTOALL] = {"spread", "spread"},
    [ATN_ALLTOALLV] = {"spread", "spread"},
    [ATN_ALLTOALLW] = {"spread", "spread"},
    [ATN_REDUCE] = {"binomial", "linear"},
    [ATN_ALLREDUCE] = {"recursive_doubling", "recursive_doubling"},
    [ATN_REDUCE_SCATTER] = {"pairwise", "pairwise"},
    [ATN_REDUCE_SCATTER_BLOCK] = {"pairwise", "pairwise"},
    [ATN_EXSCAN] = {"recursive_doubling", "recursive_doubling"},
};

const atn_row *atn_algo_level_default(atn_operation op, bool wide)
{
    return atn_algo_catalog_find(op, wide ? defaults[op].wide : defaults[op].near);
}

/* Aliases: a name may refer to the closest algorithm in a part of the operation. */
static const struct {
    atn_operation op;
    const char *name, *row;
} meanings[] = {
    {ATN_BCAST, "ring", "scatter_allgather"}, {ATN_REDUCE, "ring", "scatter_gather"},
    {ATN_BARRIER, "flat", "linear"},          {ATN_BCAST, "flat", "linear"},
    {ATN_GATHER, "flat", "linear"},           {ATN_GATHERV, "flat", "linear"},
    {ATN_SCATTER, "flat", "linear"},          {ATN_SCATTERV, "flat", "linear"},
    {ATN_ALLGATHER, "flat", "spread"},        {ATN_ALLGATHERV, "flat", "spread"},
    {ATN_ALLTOALL, "flat", "spread"},         {ATN_ALLTOALLV, "flat", "spread"},
    {ATN_ALLTOALLW, "flat", "spread"},        {ATN_REDUCE, "flat", "linear"},
};
enum { MEANINGS = sizeof meanings / sizeof *meanings };

bool atn_algo_level_is_row(const atn_algo *algo)
{
    return algo->params && algo->params[0].name && algo->params[0].type == ATN_LEVELS;
}

/* All its places would have to be as large as the largest block, which is unknown. */
static bool stores_unknown(const atn_row *row)
{
    return atn_sched_is_padded(row->op) && (row->algo->needs & ATN_NEEDS_SIZES);
}

const atn_row *atn_algo_level_row(atn_operation op, const char *name)
{
    const atn_row *row = op == NONE ? NULL : atn_algo_catalog_find(op, name);

    for (int i = 0; op != NONE && !row && i < MEANINGS; i++)
        if (meanings[i].op == op && strcmp(meanings[i].name, name) == 0)
            row = atn_algo_catalog_find(op, meanings[i].row);
    if (row && (!row->algo->build || atn_algo_level_is_row(row->algo) || stores_unknown(row)))
        return NULL;
    return row;
}

/* ---- parameters of a part's algorithm ---- */

/* Segments are common to all levels. */
static bool owns(const atn_row *row, const char *key)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);

    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->name, key) == 0)
            return strcmp(key, "segment") != 0;
    return false;
}

/* Sets "k=v" if the row has the parameter; false: it has none of that name. */
static bool set_param(const atn_row *row, const char *word, atn_params *prm, atn_error *err)
{
    char key[ATN_NAME_ROOM], *value;

    snprintf(key, sizeof key, "%s", word);
    value = strchr(key, '=');
    if (!value)
        return false;
    *value++ = '\0';
    if (!owns(row, key))
        return false;
    atn_algo_params_set(row, prm, key, value, err);
    return true;
}

void atn_algo_level_set_params(const atn_row *row, const atn_level_word *w, atn_params *prm)
{
    char text[sizeof w->params], *rest = text;

    memcpy(text, w->params, sizeof text);
    for (char *word; (word = atn_next_item(&rest, ",:")) != NULL;)
        set_param(row, word, prm, NULL);
}

/* ---- checking words ---- */

typedef struct {
    const atn_row *v[2 * ATN_LEVEL_PARTS];
    int n;
} row_list;

static row_list rows_for(atn_operation op, const char *name)
{
    row_list list = {.n = 0};

    for (int i = 0; i < ATN_LEVEL_PARTS; i++) {
        const atn_operation part = parts[op][i];
        const atn_operation both[] = {part, part == NONE ? NONE : atn_algo_level_varying(part)};
        for (int k = 0; k < (both[0] == both[1] ? 1 : 2); k++) {
            const atn_row *row = atn_algo_level_row(both[k], name);
            if (row)
                list.v[list.n++] = row;
        }
    }
    return list;
}

static bool is_among(const char *name, const char *const *names, int n)
{
    while (n > 0 && strcmp(names[n - 1], name) != 0)
        n--;
    return n > 0;
}

static atn_status unknown_algo(const atn_row *row, const atn_level_word *w, atn_error *err)
{
    const char *names[256];
    char offer[ATN_ERROR_ROOM];
    int n = 0;

    for (int i = 0; i < atn_algo_catalog_rows() && n < 256; i++) {
        const char *const name = atn_algo_catalog_row(i)->algo->name;
        if (rows_for(row->op, name).n > 0 && !is_among(name, names, n))
            names[n++] = name;
    }
    return atn_fail(err, ATN_INPUT, "%s: no part of %s has an algorithm \"%s\" for level %s; %s",
                    row->name, atn_sched_operation_get(row->op)->name, w->algo, w->name,
                    atn_offer(w->algo, names, n, offer));
}

static atn_status check_params(const atn_row *row, const atn_level_word *w, const row_list *rows,
                               atn_error *err)
{
    char text[sizeof w->params], *rest = text;

    memcpy(text, w->params, sizeof text);
    for (char *word; (word = atn_next_item(&rest, ",:")) != NULL;) {
        bool known = false;
        for (int i = 0; i < rows->n; i++) {
            atn_error bad = {0};
            atn_params prm;
            atn_algo_params_default(rows->v[i], &prm);
            known = set_param(rows->v[i], word, &prm, &bad) || known;
            if (bad.status != ATN_OK)
                return atn_fail(err, ATN_INPUT, "%s: level %s: %s", row->name, w->name, bad.text);
        }
        if (!known)
            return atn_fail(err, ATN_INPUT,
                            "%s: level %s: %s has no parameter '%s'; parameters of all "
                            "levels, such as segment=8K, follow the levels",
                            row->name, w->name, w->algo, word);
    }
    return ATN_OK;
}

atn_status atn_algo_levels_check(const atn_row *row, const char *text, atn_error *err)
{
    atn_level_words words;
    char bad[ATN_LEVEL_NAME] = "";
    atn_status status = ATN_OK;

    if (!atn_algo_level_words_read(text, &words, bad))
        return atn_fail(err, ATN_INPUT,
                        "%s: '%s' is invalid; write each level once, as LEVEL:ALGORITHM, "
                        "LEVEL:none, or all levels with sizes as LEVEL*RANKS:ALGORITHM",
                        row->name, bad);
    for (int i = 0; i < words.n && status == ATN_OK; i++) {
        const atn_level_word *w = &words.v[i];
        const row_list rows = rows_for(row->op, w->algo);
        if (w->algo[0] == '\0' || atn_algo_level_is_none(&words, i))
            continue;
        status = rows.n > 0 ? check_params(row, w, &rows, err) : unknown_algo(row, w, err);
    }
    return status;
}

bool atn_algo_levels_given(const atn_row *row, const atn_params *prm)
{
    atn_level_words words;
    char bad[ATN_LEVEL_NAME];

    return atn_algo_level_is_row(row->algo) &&
           atn_algo_level_words_read(atn_interned(prm->v[0]), &words, bad) && words.given;
}

const atn_param atn_algo_levels_params[] = {
    {"levels", ATN_LEVELS, 0, 0, 0, ATN_LINEAR,
     "algorithms between the clusters of a level, such as site:flat,host:binomial; `none`: skip "
     "the level; LEVEL*RANKS: clusters of that size, independent of the topology",
     NULL},
    {0},
};
