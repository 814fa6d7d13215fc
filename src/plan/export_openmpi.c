/* export_openmpi.c - dynamic rules of Open MPI's coll_tuned, the classic format of version 4.1.
 *
 *   number of collectives
 *   for each: its number, how many numbers of ranks
 *     for each: ranks from which on it holds, how many sizes
 *       for each: bytes from which on it holds, algorithm (0: fixed decision), fan-out, segment */
#include <stdlib.h>

#include "plan/export_private.h"

/* Numbers of the collectives in coll_tuned. */
static const int numbers[ATN_OPERATIONS] = {
    [ATN_ALLGATHER] = 0,       [ATN_ALLGATHERV] = 1,
    [ATN_ALLREDUCE] = 2,       [ATN_ALLTOALL] = 3,
    [ATN_ALLTOALLV] = 4,       [ATN_ALLTOALLW] = 5,
    [ATN_BARRIER] = 6,         [ATN_BCAST] = 7,
    [ATN_EXSCAN] = 8,          [ATN_GATHER] = 9,
    [ATN_GATHERV] = 10,        [ATN_REDUCE] = 11,
    [ATN_REDUCE_SCATTER] = 12, [ATN_REDUCE_SCATTER_BLOCK] = 13,
    [ATN_SCAN] = 14,           [ATN_SCATTER] = 15,
    [ATN_SCATTERV] = 16,
};

/* Numbers of algorithms that take operands out of order, which the library then does whatever the
 * operator. */
static const uint32_t disorder[ATN_OPERATIONS] = {
    [ATN_ALLREDUCE] = 1u << 4 | 1u << 5,
    [ATN_REDUCE] = 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5,
    [ATN_REDUCE_SCATTER] = 1u << 2 | 1u << 3,
};

static bool is_disordered(atn_operation op, const atn_ranges_of_sizes *list)
{
    for (int i = 0; i < list->n; i++)
        if (list->v[i].row != NULL && (disorder[op] >> list->v[i].row->openmpi & 1) != 0)
            return true;
    return false;
}

static void print_range(FILE *f, atn_operation op, int p, const atn_range_of_sizes *range)
{
    const atn_foreign *row = range->row;
    const atn_choice *use = &range->use;
    const int64_t bytes = atn_plan_library_bytes(op, p, range->from);
    int64_t fan = 0, segment = 0;
    if (row != NULL && row->fan != NULL)
        fan = atn_algo_params_get(use->row, &use->params, row->fan, 0);
    if (row != NULL)
        segment = atn_algo_params_get(use->row, &use->params, "segment", 0);
    fprintf(f, "%lld %d %lld %lld", (long long)bytes, row != NULL ? row->openmpi : 0,
            (long long)fan, (long long)segment);
    fprintf(f, "%s%s\n", row != NULL ? " # " : "", row != NULL ? row->algorithm : "");
}

static void print_ranks(FILE *f, atn_operation op, int p, const atn_ranges_of_sizes *list)
{
    fprintf(f, "%d # ranks\n%d # sizes\n", p, list->n);
    for (int i = 0; i < list->n; i++)
        print_range(f, op, p, &list->v[i]);
}

/* Rules of an operation into `f`; how many numbers of ranks they begin at, 0: it has none; -1: no
 * memory.  Sizes of all blocks grow with the ranks, so that each number of ranks has its own. */
static int print_operation(atn_exporter *x, atn_operation op, FILE *f)
{
    atn_ranges_of_sizes before = {0}, now = {0};
    int n = 0;
    bool done = true, something = false, disordered = false;
    for (int p = 1; done && p <= x->e->ranks; p++) {
        done = atn_plan_export_ranges(x, op, p, &now);
        const bool grows = now.n > 1 && atn_plan_library_bytes(op, p, 1) != 1;
        if (!done || (p > 1 && !grows && atn_plan_same_ranges(&now, &before)))
            continue;
        print_ranks(f, op, p, &now);
        something |= atn_plan_says_something(&now);
        disordered |= is_disordered(op, &now);
        n++;
        const atn_ranges_of_sizes swap = before;
        before = now;
        now = swap;
    }
    if (done && atn_plan_says_something(&before)) {
        const atn_ranges_of_sizes end = {.v = &(atn_range_of_sizes){0}, .n = 1};
        print_ranks(f, op, x->e->ranks + 1, &end);
        n++;
    }
    if (disordered)
        fprintf(
            x->e->notes_to,
            "attune: Open MPI will take operands of %s out of order, whatever the operator; keep "
            "these rules from programs whose operators do not commute\n",
            atn_sched_operation_get(op)->name);
    atn_vec_free(&before);
    atn_vec_free(&now);
    return !done ? -1 : something ? n : 0;
}

typedef struct {
    char *text;
    int ranks; /* how many numbers of them */
} section;

static bool make_section(atn_exporter *x, atn_operation op, section *s)
{
    size_t size;
    FILE *f = atn_open_text(&s->text, &size);
    if (f == NULL)
        return false;
    s->ranks = print_operation(x, op, f);
    return fclose(f) == 0 && s->ranks >= 0;
}

atn_status atn_plan_export_openmpi(const atn_export *e, const atn_rules *rules, atn_error *err)
{
    atn_exporter x = {.e = e, .rules = rules, .library = ATN_FOR_OPENMPI};
    section sections[ATN_OPERATIONS] = {{0}};
    int n = 0;
    bool done = true;
    for (int op = 0; op < ATN_OPERATIONS && done; op++) {
        done = make_section(&x, (atn_operation)op, &sections[op]);
        n += sections[op].ranks > 0;
    }
    if (done)
        fprintf(e->f, "%d # collectives; made from %s\n", n, e->notes);
    for (int op = 0; op < ATN_OPERATIONS; op++) {
        if (done && sections[op].ranks > 0)
            fprintf(e->f, "%d # %s\n%d # numbers of ranks\n%s", numbers[op],
                    atn_sched_operation_get((atn_operation)op)->name, sections[op].ranks,
                    sections[op].text);
        free(sections[op].text);
    }
    atn_vec_free(&x.missing);
    return done ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}
