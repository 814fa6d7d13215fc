/* canonical.c - the rows that combine operands in canonical order (sched/canonical.h) and are
 * therefore interchangeable where results must be reproducible.  tests/property/test_canonical.c
 * proves that the list is correct and complete. */
#include "sched/canonical.h"
#include "algo/algo.h"

#include <string.h>

typedef struct {
    const char *row;
    const char *param, *value; /* only with this parameter; NULL: with any */
    bool pow2;                 /* only for a power of two of ranks */
} entry;

static const entry list[] = {
    {.row = "allreduce/butterfly"},
    {.row = "allreduce/circuit", .param = "ports", .value = "1", .pow2 = true},
    {.row = "allreduce/recursive_dividing", .param = "radix", .value = "2"},
    {.row = "allreduce/recursive_doubling"},
    {.row = "allreduce/recursive_multiplying", .param = "radix", .value = "2"},
    {.row = "allreduce/reduce_bcast", .param = "up", .value = "binomial", .pow2 = true},
    {.row = "allreduce/reduce_scatter_allgather", .param = "scatter", .value = "butterfly"},
    {.row = "exscan/shift_scan", .param = "scan", .value = "recursive_doubling"},
    {.row = "reduce/binomial"},
    {.row = "reduce/knomial", .param = "radix", .value = "2"},
    {.row = "reduce_scatter/butterfly"},
    {.row = "reduce_scatter/recursive_doubling"},
    {.row = "reduce_scatter/reduce_then_scatter", .param = "up", .value = "binomial", .pow2 = true},
    {.row = "reduce_scatter_block/butterfly"},
    {.row = "reduce_scatter_block/recursive_doubling"},
    {.row = "reduce_scatter_block/reduce_then_scatter",
     .param = "up",
     .value = "binomial",
     .pow2 = true},
    {.row = "scan/recursive_doubling"},
};

static bool has_value(const atn_row *row, const atn_params *prm, const entry *e)
{
    const atn_param *own[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, own);
    char text[32];

    for (int i = 0; i < n; i++)
        if (strcmp(own[i]->name, e->param) == 0)
            return strcmp(atn_algo_param_value(own[i], prm->v[i], text), e->value) == 0;
    return false;
}

bool atn_algo_is_canonical(const atn_row *row, const atn_problem *q, const atn_params *prm)
{
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(list[i].row, row->name) == 0)
            return (!list[i].pow2 || atn_is_pow2(q->p)) &&
                   (!list[i].param || has_value(row, prm, &list[i]));
    return false;
}

/* The default rows: few rounds for messages up to the size, few bytes above it. */
static const struct {
    atn_operation op;
    int64_t bytes;
    const char *small, *small_params, *large, *large_params;
} defaults[] = {
    {ATN_ALLREDUCE, 8192, "recursive_doubling", "", "butterfly", ""},
    {ATN_REDUCE, 65536, "binomial", "", "binomial", "segment=16K"},
    {ATN_REDUCE_SCATTER, 256, "recursive_doubling", "", "butterfly", ""},
    {ATN_REDUCE_SCATTER_BLOCK, 256, "recursive_doubling", "", "butterfly", ""},
    {ATN_SCAN, 0, "recursive_doubling", "", "recursive_doubling", ""},
    {ATN_EXSCAN, 0, "shift_scan", "scan=recursive_doubling", "shift_scan",
     "scan=recursive_doubling"},
};

const atn_row *atn_algo_canonical_default(const atn_problem *q, atn_params *prm)
{
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        const bool small = q->bytes <= defaults[i].bytes;
        if (defaults[i].op != q->op)
            continue;
        const atn_row *row =
            atn_algo_catalog_find(q->op, small ? defaults[i].small : defaults[i].large);
        atn_algo_params_parse(row, small ? defaults[i].small_params : defaults[i].large_params, prm,
                              NULL);
        return row;
    }
    return NULL;
}
