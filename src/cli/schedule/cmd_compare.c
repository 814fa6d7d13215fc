/* cmd_compare.c - attune schedule compare: messages, bytes and rounds of algorithms. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lookup.h"
#include "model/figures.h"

/* One algorithm. */
typedef struct {
    char name[ATN_NAME_ROOM];
    const char *why; /* why it is not applicable; NULL: it is */
    atn_figures f;
} line;

typedef struct {
    const atn_args *a;
    atn_request want; /* without the choice */
    int p;
    atn_link_levels levels;
    char headings[2 * ATN_FIGURE_LEVELS][56];
    ATN_VEC(atn_choice) choices;
    ATN_VEC(line) lines;
} comparison;

/* ---- columns ---- */

enum { FIXED = 6 };
static const char *const fixed[FIXED] = {"algorithm", "messages", "bytes",
                                         "rounds",    "path",     "reduced"};

static int64_t fixed_value(const atn_figures *f, int column)
{
    const int64_t values[FIXED] = {0, f->messages, f->bytes, f->rounds, f->path, f->reduced};
    return values[column];
}

/* After the fixed columns: two for each level, the busiest link, and the remark. */
static int numbers(const comparison *c)
{
    return FIXED + (c->levels.n > 0 ? 2 * c->levels.n + 1 : 0);
}

static const char *heading(const comparison *c, int column)
{
    if (column < FIXED)
        return fixed[column];
    if (column == numbers(c))
        return "remark";
    return column < FIXED + 2 * c->levels.n ? c->headings[column - FIXED] : "busiest";
}

static int64_t value(const comparison *c, const line *x, int column)
{
    const int k = column - FIXED;
    if (k < 0)
        return fixed_value(&x->f, column);
    if (k == 2 * c->levels.n)
        return x->f.busiest;
    return k % 2 ? x->f.crossing[k / 2] : x->f.crossings[k / 2];
}

static void name_levels(comparison *c)
{
    c->levels = atn_model_link_levels_of(c->want.topo);
    for (int i = 0; i < c->levels.n; i++) {
        snprintf(c->headings[2 * i], sizeof c->headings[0], "%.40s_messages", c->levels.name[i]);
        snprintf(c->headings[2 * i + 1], sizeof c->headings[0], "%.40s_bytes", c->levels.name[i]);
    }
}

/* ---- order ---- */

static const comparison *sorted; /* qsort has no context argument */
static int sort_column;

static int by_name(const line *x, const line *y) { return strcmp(x->name, y->name); }

/* Algorithms that are not applicable come last. */
static int by_column(const void *a, const void *b)
{
    const line *x = a, *y = b;
    if (sort_column == 0)
        return by_name(x, y);
    if (!x->why != !y->why)
        return x->why ? 1 : -1;
    const int64_t p = value(sorted, x, sort_column), q = value(sorted, y, sort_column);
    return p != q ? (p > q) - (p < q) : by_name(x, y);
}

static atn_status unknown_column(const comparison *c, const char *name, atn_error *err)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char offer[ATN_ERROR_ROOM];
    const int n = atn_min(numbers(c), MOST);
    for (int i = 0; i < n; i++)
        names[i] = heading(c, i);
    return atn_fail(err, ATN_USAGE, "--sort %s: unknown column; %s", name,
                    atn_offer(name, names, n, offer));
}

static atn_status sort_lines(comparison *c, const char *name, atn_error *err)
{
    int column = 0;
    while (column < numbers(c) && strcmp(heading(c, column), name) != 0)
        column++;
    if (column == numbers(c))
        return unknown_column(c, name, err);
    sorted = c;
    sort_column = column;
    qsort(c->lines.v, (size_t)c->lines.n, sizeof *c->lines.v, by_column);
    return ATN_OK;
}

/* ---- lines ---- */

static atn_status count(const comparison *c, const atn_request *want, atn_figures *f,
                        atn_error *err)
{
    const int64_t n = want->q.bytes > 0 ? want->q.bytes : atn_cli_arg_int(c->a, "bytes");
    atn_set set;
    atn_status st = atn_cli_request_build(c->a, want, c->p, &set, err);
    if (st)
        return st;
    st = atn_model_figures_find(set.v, set.p, n, want->topo, f, err);
    atn_cli_set_free(&set);
    return st;
}

static atn_status add_line(comparison *c, const atn_choice *choice, atn_error *err)
{
    atn_request want = c->want;
    atn_problem *q = &want.q;
    line x = {.why = NULL};
    atn_status st = atn_cli_request_operation(c->a, choice->row->op, &want, err);
    if (st)
        return st;
    want.choice = *choice;
    q->p = c->p;
    q->segments = atn_algo_segments(choice->row, q, &choice->params);
    atn_neighbourhood *n;
    st = atn_cli_request_neighbours(&want, choice->row->op, c->p, &n, err);
    if (st)
        return st;
    q->neighbourhood = n;
    x.why = atn_algo_refuses(choice->row, q, &choice->params);
    atn_sched_neighbourhood_free(n);
    q->neighbourhood = NULL; /* each schedule has its own */
    atn_algo_params_print(choice->row, &choice->params, x.name, sizeof x.name);
    if (!x.why)
        st = count(c, &want, &x.f, err);
    if (!st && !atn_push(&c->lines, x))
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    return st;
}

static atn_status write_lines(comparison *c, atn_error *err)
{
    const int n = numbers(c);
    atn_column columns[FIXED + 2 * ATN_FIGURE_LEVELS + 2];
    atn_table t = {.columns = columns, .ncolumns = n + 1};
    for (int i = 0; i <= n; i++)
        columns[i] =
            (atn_column){heading(c, i), i == 0 || i == n ? ATN_CELL_TEXT : ATN_CELL_NUMBER};
    for (int k = 0; k < c->lines.n; k++) {
        const line *x = &c->lines.v[k];
        atn_report_cell(&t, "%s", x->name);
        for (int i = 1; i < n; i++)
            if (x->why)
                atn_report_cell(&t, "%s", "");
            else
                atn_report_cell(&t, "%" PRId64, value(c, x, i));
        atn_report_cell(&t, "%s", x->why ? x->why : "");
    }
    return atn_cli_arg_table(c->a, &t, err);
}

/* ---- operands ---- */

static atn_status push_choice(comparison *c, const atn_choice *choice, atn_error *err)
{
    return atn_push(&c->choices, *choice) ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

static atn_status push_all(comparison *c, atn_operation op, atn_error *err)
{
    atn_status st = ATN_OK;
    for (int i = 0; i < atn_algo_catalog_rows() && !st; i++) {
        atn_choice choice = {.row = atn_algo_catalog_row(i)};
        if (choice.row->op != op || !choice.row->algo->build)
            continue;
        atn_algo_params_default(choice.row, &choice.params);
        st = push_choice(c, &choice, err);
    }
    return st;
}

static atn_status push_everything(comparison *c, atn_error *err)
{
    atn_status st = ATN_OK;
    const bool neighbours = atn_cli_arg_given(c->a, "neighbors");
    for (int op = 0; op < ATN_OPERATIONS && !st; op++)
        if (atn_sched_on_neighbours((atn_operation)op) == neighbours)
            st = push_all(c, (atn_operation)op, err);
    return st;
}

/* An operation selects all its algorithms. */
static atn_status push_operand(comparison *c, const char *name, atn_error *err)
{
    atn_choice choice;
    atn_operation op;
    if (strcmp(name, "all") == 0)
        return push_everything(c, err);
    if (!strchr(name, '/')) {
        const atn_status st = atn_cli_lookup_operation(name, &op, err);
        return st ? st : push_all(c, op, err);
    }
    const atn_status st = atn_cli_lookup_choice(name, &choice, err);
    if (!st && !choice.row->algo->build)
        return atn_fail(err, ATN_INPUT, "%s has no schedule", choice.row->name);
    return st ? st : push_choice(c, &choice, err);
}

static atn_status read_operands(comparison *c, atn_error *err)
{
    atn_status st = ATN_OK;
    for (int i = 0; i < c->a->noperands && !st; i++)
        st = push_operand(c, c->a->operands[i], err);
    return st;
}

/* --param applies to every algorithm that has the parameter; at least one must. */
static atn_status set_param(comparison *c, const char *text, atn_error *err)
{
    char word[ATN_NAME_ROOM];
    int set = 0;
    snprintf(word, sizeof word, "%s", text);
    char *to = strchr(word, '=');
    if (!to)
        return atn_fail(err, ATN_USAGE, "--param %s: must have the form name=value", word);
    *to++ = '\0';
    for (int i = 0; i < c->choices.n; i++) {
        atn_choice *choice = &c->choices.v[i];
        if (atn_algo_params_get(choice->row, &choice->params, word, -1) < 0)
            continue;
        const atn_status st = atn_algo_params_set(choice->row, &choice->params, word, to, err);
        if (st)
            return st;
        set++;
    }
    return set ? ATN_OK
               : atn_fail(err, ATN_USAGE, "--param %s: no algorithm has this parameter", word);
}

static atn_status set_params(comparison *c, atn_error *err)
{
    atn_status st = ATN_OK;
    for (int i = 0; i < atn_cli_arg_count(c->a, "param") && !st; i++)
        st = set_param(c, atn_cli_arg_nth(c->a, "param", i), err);
    return st;
}

static int compare(const atn_args *a, atn_error *err)
{
    comparison c = {.a = a};
    atn_status st = read_operands(&c, err);
    st = st ? st : set_params(&c, err);
    st = st ? st : atn_cli_request_topology(a, &c.want, err);
    if (!st)
        st = atn_cli_request_ranks(&c.want, (int)atn_cli_arg_int(a, "ranks"),
                                   atn_cli_arg_given(a, "ranks"), &c.p, err);
    name_levels(&c);
    for (int i = 0; i < c.choices.n && !st; i++)
        st = add_line(&c, &c.choices.v[i], err);
    st = st ? st : sort_lines(&c, atn_cli_arg_text(a, "sort"), err);
    st = st ? st : write_lines(&c, err);
    atn_vec_free(&c.choices);
    atn_vec_free(&c.lines);
    atn_cli_request_end(&c.want);
    return st;
}

/* ---- descriptor ---- */

static const atn_option options[] = {
    ATN_OPTION_RANKS(1),
    ATN_TEXT("sort", "COLUMN", "algorithm", "Sort by this column, smallest first"),
    {0},
};

const atn_command atn_cmd_schedule_compare = {
    .noun = "schedule",
    .verb = "compare",
    ATN_OPERANDS("OPERATION|NAME ...", 1, 64),
    .help = "Compare algorithms by messages, bytes and rounds",
    .detail =
        "An operation selects all its algorithms with default parameters, 'all' selects all "
        "operations (with --neighbors, those on neighbours); algorithms may be named individually, "
        "as in allreduce/ring{segment=8K}. "
        "Nothing is measured: figures are counted in the schedules of all ranks. 'messages' and "
        "'bytes' are totals over all ranks; 'rounds', 'path' and 'reduced' are the messages, bytes "
        "and reduced bytes on the respective longest path in a full-duplex, single-port "
        "network.\n\n"
        "With --topology, each level has two columns: the messages that cross its links, and their "
        "bytes. 'busiest' is the number of bytes over the busiest link in one direction. 'remark' "
        "states why an algorithm is not applicable.",
    .examples = ATN_NOTES({"attune schedule compare allreduce -p 16 --sort rounds",
                           "Compare all allreduce algorithms"},
                          {"attune schedule compare bcast --topology 4x4@100M --bytes 1M",
                           "Count the bytes over each level of links"},
                          {"attune schedule compare neighbor_alltoall --neighbors cart:4x4p",
                           "Compare algorithms on a grid of 16 ranks"}),
    .options = options,
    .shared = atn_cli_schedule_options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = compare,
};
