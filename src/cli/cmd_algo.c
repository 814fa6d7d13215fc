/* cmd_algo.c - attune algo list | show: the catalogue of algorithms. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algo/behaviour.h"
#include "cli/lookup.h"
#include "model/expr.h"
#include "plan/repository.h"
#include "report/json.h"
#include "sched/neighbourhood.h"

/* ---- fields of a row ---- */

enum { ROOM = 1200 };

static const char *const class_docs[] = {
    [ATN_COORDINATED] = "ranks wait for others before they send",
    [ATN_STORE_FORWARD] = "data passes through other ranks",
    [ATN_DIRECT] = "each pair of ranks communicates on its own",
};
static const struct {
    unsigned bit;
    const char *name;
} need_names[] = {
    {ATN_NEEDS_COMMUTATIVE, "commutative"},   {ATN_NEEDS_POW2, "power of two"},
    {ATN_NEEDS_EVEN, "even ranks"},           {ATN_NEEDS_SIZES, "sizes first"},
    {ATN_NEEDS_COMPOSITE, "composite ranks"}, {ATN_NEEDS_TOPOLOGY, "topology"},
    {ATN_NEEDS_LATENESS, "arrivals"},         {ATN_NEEDS_SHARED, "shared memory"},
    {ATN_NEEDS_PATTERN, "pattern"},
};

static void join(char out[ROOM], const char *word, const char *between)
{
    const size_t used = strlen(out);
    snprintf(out + used, ROOM - used, "%s%s", used ? between : "", word);
}

static const char *name_of(const atn_row *row, char *room)
{
    (void)room;
    return row->name;
}

static const char *group_of(const atn_row *row, char *room)
{
    (void)room;
    return row->algo->group;
}

static const char *class_of(const atn_row *row, char *room)
{
    (void)room;
    return atn_algo_class_names[row->algo->klass];
}

static const char *needs_of(const atn_row *row, char *room)
{
    room[0] = '\0';
    for (size_t i = 0; i < sizeof need_names / sizeof *need_names; i++)
        if (row->algo->needs & need_names[i].bit)
            join(room, need_names[i].name, ", ");
    if (row->algo->most_ranks > 0) {
        char limit[32];
        snprintf(limit, sizeof limit, "p <= %d", row->algo->most_ranks);
        join(room, limit, ", ");
    }
    return room;
}

static const char *params_of(const atn_row *row, char *room)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);
    room[0] = '\0';
    for (int i = 0; i < n; i++) {
        char word[64];
        atn_algo_param_label(list[i], word, sizeof word);
        join(room, word, " ");
    }
    return room;
}

static const char *cost_of(const atn_row *row, char *room)
{
    (void)room;
    return row->algo->cost;
}

static const char *reference_of(const atn_row *row, char *room)
{
    (void)room;
    return row->algo->reference;
}

/* "ring {window=1}; ring with light barrier {sync=pair}": its variants in STAR-MPI's document. */
static const char *star_of(const atn_row *row, char *room)
{
    const size_t length = strlen(row->algo->name);
    room[0] = '\0';
    for (int i = 0; i < atn_plan_repository_entries(); i++) {
        const atn_repository_entry *const e = atn_plan_repository_entry(i);
        const bool own =
            strcspn(e->choice, "{") == length && strncmp(e->choice, row->algo->name, length) == 0;
        char word[200];
        if (!own || !atn_plan_repository_is_for(e, row->op))
            continue;
        snprintf(word, sizeof word, "%s%s%s", e->name, e->choice[length] ? " " : "",
                 e->choice + length);
        join(room, word, "; ");
    }
    return room;
}

static const char *summary_of(const atn_row *row, char *room)
{
    (void)room;
    return row->algo->summary;
}

/* narrow: also in the table format, which has to fit a screen; code: set as code in markdown, where
 * asterisks of a formula would be markup. */
static const struct {
    const char *name;
    bool narrow, code;
    const char *(*text)(const atn_row *row, char *room); /* may use room; NULL: nothing */
} fields[] = {
    {"name", true, true, name_of},
    {"group", true, false, group_of},
    {"class", false, false, class_of},
    {"needs", true, false, needs_of},
    {"params", false, true, params_of},
    {"cost", false, true, cost_of},
    {"reference", false, false, reference_of},
    {"star-mpi", false, false, star_of},
    {"summary", true, false, summary_of},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* ---- list ---- */

typedef struct {
    const atn_row *only; /* one row; NULL: all */
    int op;              /* one operation; ATN_OPERATIONS: all */
} selection;

static bool selected(const selection *which, int op, const atn_row *row)
{
    return op == (int)row->op && (!which->only || which->only == row) &&
           (which->op == ATN_OPERATIONS || which->op == op);
}

static void put_row(atn_table *t, const atn_row *row, bool narrow, bool markdown)
{
    for (int i = 0; i < FIELDS; i++) {
        if (narrow && !fields[i].narrow)
            continue;
        char room[ROOM];
        const char *text = fields[i].text(row, room);
        const bool quote = markdown && fields[i].code && text && *text;
        atn_report_cell(t, quote ? "`%s`" : "%s", text ? text : "");
    }
}

static atn_status write_rows(const atn_args *a, const selection *which, atn_error *err)
{
    const char *format = atn_cli_arg_format(a);
    const bool narrow = strcmp(format, "table") == 0, markdown = strcmp(format, "markdown") == 0;
    atn_column heads[FIELDS];
    atn_table t = {.columns = heads};
    for (int i = 0; i < FIELDS; i++)
        if (fields[i].narrow || !narrow)
            heads[t.ncolumns++] = (atn_column){fields[i].name, ATN_CELL_TEXT};
    for (int op = 0; op < ATN_OPERATIONS; op++)
        for (int r = 0; r < atn_algo_catalog_rows(); r++)
            if (selected(which, op, atn_algo_catalog_row(r)))
                put_row(&t, atn_algo_catalog_row(r), narrow, markdown);
    const atn_status st = atn_report_table_write(a->out, &t, format, a->terminal, err);
    atn_report_table_free(&t);
    return st;
}

static const char document_head[] =
    "# Algorithms\n\n"
    "Generated by `attune algo list --format markdown`; do not edit. The cost is the time of one "
    "call in a\n"
    "full-duplex, single-port network: `p` ranks, `n` bytes (the whole message, or one block), `a` "
    "per\n"
    "message, `b` per byte, `g` per reduced byte, `k` segments; `bcast(down, p, n)` is the cost of "
    "the\n"
    "bcast that `down` names. `attune algo show NAME` describes one in detail.\n\n"
    "Parameters select variants: `segment` enables pipelining, `window` bounds the number of "
    "rounds\n"
    "in progress, `sync` synchronises ranks. Direct alltoallv and alltoallw send no empty "
    "messages; the others\n"
    "first agree on the largest block.\n\n"
    "The column star-mpi has the names and parameters of the algorithms in the repository of "
    "STAR-MPI\n"
    "(Faraj, Yuan, Lowenthal: STAR-MPI: self tuned adaptive routines for MPI collective "
    "operations, 2006).\n";

/* docs/algorithms.md, with a section per operation. */
static atn_status write_document(const atn_args *a, const selection *which, atn_error *err)
{
    atn_status st = ATN_OK;
    fputs(document_head, a->out);
    for (int op = 0; op < ATN_OPERATIONS && !st; op++) {
        const selection section = {.op = op};
        if (which->op != ATN_OPERATIONS && which->op != op)
            continue;
        fprintf(a->out, "\n## %s\n\n", atn_sched_operation_get((atn_operation)op)->name);
        st = write_rows(a, &section, err);
    }
    return st;
}

static int list(const atn_args *a, atn_error *err)
{
    selection which = {.op = ATN_OPERATIONS};
    const char *name = atn_cli_arg_text(a, "operation");
    if (name) {
        atn_operation op;
        const atn_status st = atn_cli_lookup_operation(name, &op, err);
        if (st)
            return st;
        which.op = (int)op;
    }
    return strcmp(atn_cli_arg_format(a), "markdown") == 0 ? write_document(a, &which, err)
                                                          : write_rows(a, &which, err);
}

/* ---- show ---- */

enum { EXAMPLE_RANKS = 16, EXAMPLE_BYTES = 65536, COMMON = 8, VARIABLES = COMMON + ATN_MAX_PARAMS };

static const char *const example_grids[] = {"cart:4px4p", "box:4px4p"};

/* The cost at p = 16 and 64 KB for given a, b, g; `grid`: on neighbours. */
static bool cost_at(const atn_choice *choice, const atn_neighbourhood *grid, const double abg[3],
                    double *cost_p)
{
    const atn_problem q = {
        .op = choice->row->op, .p = EXAMPLE_RANKS, .bytes = EXAMPLE_BYTES, .neighbourhood = grid};
    const double k = atn_algo_segments(choice->row, &q, &choice->params);
    atn_variable vars[VARIABLES] = {{"p", EXAMPLE_RANKS}, {"n", EXAMPLE_BYTES}, {"k", k},
                                    {"a", abg[0]},        {"b", abg[1]},        {"g", abg[2]}};
    const atn_algo *algo = choice->row->algo;
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(choice->row, list);
    vars[6] = (atn_variable){"depth", algo->depth ? algo->depth(&q, &choice->params) : 0};
    vars[7] = (atn_variable){"width", algo->width ? algo->width(&q, &choice->params) : 0};
    for (int i = 0; i < n; i++)
        vars[COMMON + i] = (atn_variable){
            list[i]->name, (double)atn_algo_param_number(list[i], choice->params.v[i])};
    char *text = atn_algo_cost_text(choice->row, &choice->params);
    const bool ok = text && atn_model_expr_eval(text, vars, COMMON + n, cost_p, NULL) == ATN_OK;
    free(text);
    return ok;
}

/* The first of the grids on which the algorithm sends anything; NULL: other operations. */
static const char *example_grid(const atn_choice *choice, atn_neighbourhood **grid_p)
{
    const atn_algo *const algo = choice->row->algo;
    for (size_t i = 0; atn_sched_on_neighbours(choice->row->op) && i < 2; i++) {
        atn_problem q = {.op = choice->row->op, .p = EXAMPLE_RANKS};
        if (atn_sched_neighbourhood_parse(example_grids[i], q.p, grid_p, NULL) != ATN_OK)
            return NULL;
        q.neighbourhood = *grid_p;
        if (!algo->depth || algo->depth(&q, &choice->params) > 0)
            return example_grids[i];
        atn_sched_neighbourhood_free(*grid_p);
        *grid_p = NULL;
    }
    return NULL;
}

/* "30 a + 122880 b + 61440 g": the value of the formula. */
static void print_example(FILE *f, const atn_choice *choice)
{
    static const double units[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    atn_neighbourhood *grid = NULL;
    bool first = true;
    const char *const word = example_grid(choice, &grid);
    if (word)
        fprintf(f, "%13son %s, n=64K:", "", word);
    else
        fprintf(f, "%13sat p=%d, n=64K:", "", EXAMPLE_RANKS);
    for (int i = 0; i < 3; i++) {
        double share;
        if (!cost_at(choice, grid, units[i], &share) || share == 0)
            continue;
        fprintf(f, "%s %.10g %c", first ? "" : " +", share, "abg"[i]);
        first = false;
    }
    fputs(first ? " 0\n" : "\n", f);
    atn_sched_neighbourhood_free(grid);
}

static void print_params(FILE *f, const atn_row *row)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);
    for (int i = 0; i < n; i++) {
        char label[64], allowed[ATN_ERROR_ROOM];
        atn_algo_param_label(list[i], label, sizeof label);
        atn_algo_param_allowed(list[i], allowed);
        fprintf(f, "%s%s (%s): %s\n", i ? "             " : "parameters   ", label, allowed,
                list[i]->doc);
    }
}

/* With its parameters, as the schedules of a few ranks show it. */
static atn_class class_with(const atn_choice *c)
{
    const atn_problem q = {
        .op = c->row->op, .p = 8, .bytes = 65536, .segments = 1, .shared = ATN_SHARED_ALL};
    atn_class class = c->row->algo->klass;
    if (c->row->algo->build && atn_algo_refuses(c->row, &q, &c->params) == NULL)
        atn_algo_class_of(c->row, &q, &c->params, &class, NULL);
    return class;
}

static void print_page(FILE *f, const atn_choice *choice)
{
    const atn_row *row = choice->row;
    const atn_class class = class_with(choice);
    char room[ROOM];
    atn_algo_params_print(row, &choice->params, room, sizeof room);
    fprintf(f, "%s: %s\n\n", room, row->algo->summary);
    for (int i = 1; i < FIELDS - 1; i++) {
        const bool is_class = fields[i].text == class_of;
        const char *text = is_class ? atn_algo_class_names[class] : fields[i].text(row, room);
        if (!text || !*text || fields[i].text == params_of)
            continue;
        fprintf(f, "%-12s %s", fields[i].name, text);
        if (is_class)
            fprintf(f, " (%s)", class_docs[class]);
        fputc('\n', f);
        if (fields[i].text == cost_of)
            print_example(f, choice);
    }
    print_params(f, row);
}

static void json_params(atn_json *j, const atn_row *row)
{
    const atn_param *list[ATN_MAX_PARAMS];
    const int n = atn_algo_row_params(row, list);
    atn_report_json_open(j, "params", '[');
    for (int i = 0; i < n; i++) {
        char value[32], allowed[ATN_ERROR_ROOM];
        atn_algo_param_allowed(list[i], allowed);
        atn_report_json_open(j, NULL, '{');
        atn_report_json_text(j, "name", list[i]->name);
        atn_report_json_text(j, "default", atn_algo_param_value(list[i], list[i]->fallback, value));
        atn_report_json_text(j, "allowed", allowed);
        atn_report_json_text(j, "doc", list[i]->doc);
        atn_report_json_close(j, '}');
    }
    atn_report_json_close(j, ']');
}

static void print_json(FILE *f, const atn_row *row)
{
    char room[ROOM];
    atn_json j = {.f = f};
    atn_report_json_open(&j, NULL, '{');
    atn_report_json_int(&j, "version", 1); /* docs/schema/algo-show.json */
    for (int i = 0; i < FIELDS; i++) {
        if (fields[i].text == params_of)
            json_params(&j, row);
        else
            atn_report_json_text(&j, fields[i].name, fields[i].text(row, room));
    }
    atn_report_json_close(&j, '}');
}

static int show(const atn_args *a, atn_error *err)
{
    atn_choice choice;
    const atn_status st = atn_cli_lookup_choice(a->operands[0], &choice, err);
    if (st)
        return st;
    if (strcmp(atn_cli_arg_format(a), "csv") == 0)
        return write_rows(a, &(selection){choice.row, ATN_OPERATIONS}, err);
    if (strcmp(atn_cli_arg_format(a), "json") == 0)
        print_json(a->out, choice.row);
    else
        print_page(a->out, &choice);
    return ATN_OK;
}

/* ---- descriptors ---- */

static const atn_option list_options[] = {
    ATN_TEXT("operation", "NAME", NULL, "Only algorithms of this operation, such as allreduce"),
    {0},
};

const atn_command atn_cmd_algo_list = {
    .noun = "algo",
    .verb = "list",
    .help = "List the algorithms of every collective operation",
    .examples = ATN_NOTES({"attune algo list --operation allreduce", "List one operation"}),
    .options = list_options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = list,
};

static const char *const show_formats[] = {"table", "csv", "json", NULL};

const atn_command atn_cmd_algo_show = {
    .noun = "algo",
    .verb = "show",
    ATN_OPERANDS("NAME", 1, 1),
    .help = "Describe an algorithm: idea, reference, requirements, parameters, cost",
    .examples = ATN_NOTES({"attune algo show allreduce/ring", "Describe an algorithm"}),
    .formats = show_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = show,
};
