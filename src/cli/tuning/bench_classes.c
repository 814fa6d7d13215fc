/* bench_classes.c - compares classes of algorithms under arrival skew. */
#include <stdlib.h>
#include <string.h>

#include "algo/behaviour.h"
#include "cli/tuning/bench.h"
#include "plan/choice.h"

enum { CLASSES = ATN_DIRECT + 1, MOST_RANKS = 16 };

static const atn_column columns[] = {
    {"class", ATN_CELL_TEXT},
    {"rows", ATN_CELL_NUMBER},
    {"mean_vs_native", ATN_CELL_NUMBER},
    {"interval", ATN_CELL_TEXT},
    {"best_vs_native", ATN_CELL_NUMBER},
    {"best", ATN_CELL_TEXT},
};

/* With its parameters.  What needs more than a number of ranks, such as a topology, has the class
 * of its row; the schedules of a few ranks show that of the others. */
static int class_with(const atn_bench_row *r, const atn_choice *c)
{
    const atn_problem q = {.op = c->row->op,
                           .p = atn_min(r->task->ranks, MOST_RANKS),
                           .bytes = r->task->bytes,
                           .shared = ATN_SHARED_ALL};
    atn_class class = c->row->algo->klass;
    if (atn_algo_refuses(c->row, &q, &c->params) == NULL)
        atn_algo_class_of(c->row, &q, &c->params, &class, NULL);
    return (int)class;
}

/* The class of an algorithm; -1: native, or not in the catalogue. */
static int class_of(const atn_bench_row *r)
{
    char name[ATN_NAME_ROOM];
    atn_operation op;
    atn_choice c;
    snprintf(name, sizeof name, "%s", r->algorithm);
    if (strcmp(name, "native") == 0 || strcmp(r->variant, "best") == 0 ||
        !atn_sched_operation_find(r->task->operation, &op) ||
        atn_plan_choice_read(op, name, &c, NULL) != ATN_OK || !c.row->algo->build)
        return -1;
    return class_with(r, &c);
}

static void put_class(atn_table *t, int class, const atn_bench_rows *rows, const int *classes,
                      atn_estimate *room)
{
    const atn_bench_row *best = NULL;
    int n = 0;
    for (int i = 0; i < rows->n; i++) {
        const atn_bench_row *const r = &rows->v[i];
        if (classes[i] != class || !(r->vs_native.mid > 0))
            continue;
        room[n++] = r->vs_native;
        if (best == NULL || r->vs_native.mid < best->vs_native.mid)
            best = r;
    }
    if (n == 0)
        return;
    const atn_estimate mean = atn_geometric_mean(room, n);
    atn_report_cell(t, "%s", atn_algo_class_names[class]);
    atn_report_cell(t, "%d", n);
    atn_report_cell(t, "%.3f", mean.mid);
    atn_report_cell(t, "%.3f .. %.3f", mean.lo, mean.hi);
    atn_report_cell(t, "%.3f", best->vs_native.mid);
    atn_report_cell(t, "%s/%s", best->task->operation, best->algorithm);
}

atn_status atn_cli_bench_classes(const atn_args *a, const atn_bench_rows *rows, atn_error *err)
{
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    ATN_VEC(atn_estimate) room = {0};
    ATN_VEC(int) classes = {0};
    const char *const format = atn_cli_arg_format(a);
    if (strcmp(format, "table") != 0 && strcmp(format, "markdown") != 0)
        return ATN_OK; /* machine-readable formats have one table */
    for (int i = 0; i < rows->n; i++)
        if (!atn_push(&room, (atn_estimate){0}) || !atn_push(&classes, class_of(&rows->v[i])))
            t.failed = true;
    for (int class = 0; class < CLASSES && !t.failed && rows->n > 0; class ++)
        put_class(&t, class, rows, classes.v, room.v);
    fputs("\nClasses of algorithms, relative to native\n", a->out);
    const atn_status status = atn_report_table_write(a->out, &t, format, a->terminal, err);
    atn_report_table_free(&t);
    atn_vec_free(&room);
    atn_vec_free(&classes);
    return status;
}
