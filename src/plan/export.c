/* export.c - what rules choose, range by range, in the words of another library. */
#include <stdlib.h>
#include <string.h>

#include "plan/export_private.h"
#include "plan/rules_private.h"
#include "plan/wisdom.h"

static const atn_foreign foreign[] = {
#define ATN_FOREIGN(op, algorithm, param, lo, hi, openmpi, fan, mpich, guard)                      \
    {ATN_##op, algorithm, param, lo, hi, openmpi, fan, mpich, ATN_GUARD_##guard},
#include "plan/foreign.def"
#undef ATN_FOREIGN
};
enum { FOREIGN = sizeof foreign / sizeof foreign[0] };

/* All parameters but the row's own, and `segment` where the library has it, have their defaults. */
static bool usual_params(const atn_foreign *row, const atn_choice *use, atn_library library)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(use->row, list);
    for (int i = 0; i < n; i++) {
        const bool own = row->param != NULL && strcmp(row->param, list[i]->name) == 0;
        const bool exported = library == ATN_FOR_OPENMPI && strcmp(list[i]->name, "segment") == 0;
        if (own && (use->params.v[i] < row->lo || use->params.v[i] > row->hi))
            return false;
        if (!own && !exported && use->params.v[i] != list[i]->fallback)
            return false;
    }
    return true;
}

static const atn_foreign *find_foreign(const atn_choice *use, int p, atn_library library)
{
    for (int i = 0; i < FOREIGN; i++) {
        const atn_foreign *row = &foreign[i];
        const bool has = library == ATN_FOR_OPENMPI ? row->openmpi != 0 : row->mpich != NULL;
        const bool guarded = row->guard == ATN_GUARD_POW2 && !atn_is_pow2(p);
        if (row->op == use->row->op && strcmp(row->algorithm, use->row->algo->name) == 0 && has &&
            !guarded && usual_params(row, use, library))
            return row;
    }
    return NULL;
}

static bool note_missing(atn_exporter *x, const atn_choice *use)
{
    char name[ATN_WORD_ROOM];
    for (int i = 0; i < x->missing.n; i++)
        if (atn_plan_same_choice(&x->missing.v[i], use))
            return true;
    atn_plan_choice_print(use, name);
    fprintf(x->e->notes_to,
            "attune: %s has no counterpart of %s/%s; its own decision applies there\n",
            x->library == ATN_FOR_OPENMPI ? "Open MPI" : "MPICH",
            atn_sched_operation_get(use->row->op)->name, name);
    return atn_push(&x->missing, *use);
}

/* ---- ranges ---- */

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sizes at which the rules may choose something else. */
static bool find_borders(const atn_rules *rules, atn_operation op, atn_sizes *list)
{
    if (!atn_push(list, atn_plan_shares_bytes(op) ? 0 : -1))
        return false;
    for (int i = 0; i < rules->list.n; i++) {
        const atn_span bytes = rules->list.v[i].bytes;
        if (rules->list.v[i].op != op)
            continue;
        if (bytes.lo > 0 && !atn_push(list, bytes.lo))
            return false;
        if (bytes.lo >= 0 && bytes.hi != INT64_MAX && !atn_push(list, bytes.hi))
            return false;
    }
    qsort(list->v, (size_t)list->n, sizeof list->v[0], ascending);
    return true;
}

static bool same_answer(const atn_range_of_sizes *a, const atn_range_of_sizes *b)
{
    return a->row == b->row && (a->row == NULL || atn_plan_same_choice(&a->use, &b->use));
}

static bool add_range(atn_exporter *x, atn_operation op, int p, int64_t from,
                      atn_ranges_of_sizes *list)
{
    const atn_problem q = {.op = op, .p = p, .segments = 1, .bytes = from};
    atn_range_of_sizes range = {.from = from};
    atn_plan_rules_choose(x->rules, &q, 0, &range.use, NULL);
    const bool native = range.use.row->algo->build == NULL;
    range.row = native ? NULL : find_foreign(&range.use, p, x->library);
    if (range.row == NULL && !native && !note_missing(x, &range.use))
        return false;
    if (list->n > 0 && same_answer(&list->v[list->n - 1], &range))
        return true;
    return atn_push(list, range);
}

bool atn_plan_export_ranges(atn_exporter *x, atn_operation op, int p, atn_ranges_of_sizes *list_p)
{
    atn_sizes borders = {0};
    bool done = find_borders(x->rules, op, &borders);
    list_p->n = 0;
    for (int i = 0; done && i < borders.n; i++)
        if (i == 0 || borders.v[i] != borders.v[i - 1])
            done = add_range(x, op, p, borders.v[i], list_p);
    atn_vec_free(&borders);
    return done;
}

bool atn_plan_same_ranges(const atn_ranges_of_sizes *a, const atn_ranges_of_sizes *b)
{
    for (int i = 0; i < a->n && i < b->n; i++)
        if (a->v[i].from != b->v[i].from || !same_answer(&a->v[i], &b->v[i]))
            return false;
    return a->n == b->n;
}

bool atn_plan_says_something(const atn_ranges_of_sizes *list)
{
    for (int i = 0; i < list->n; i++)
        if (list->v[i].row != NULL)
            return true;
    return false;
}

int64_t atn_plan_library_bytes(atn_operation op, int p, int64_t bytes)
{
    const uint32_t blocks = 1u << ATN_ALLGATHER | 1u << ATN_ALLGATHERV | 1u << ATN_ALLTOALL |
                            1u << ATN_GATHER | 1u << ATN_SCATTER | 1u << ATN_REDUCE_SCATTER |
                            1u << ATN_REDUCE_SCATTER_BLOCK;
    if (bytes <= 0)
        return 0;
    return (blocks & (1u << op)) == 0 ? bytes : bytes > INT64_MAX / p ? INT64_MAX : bytes * p;
}
