/* cmd_explain.c - attune explain: which algorithm a problem should get, and why the others lose. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/forecast.h"
#include "model/figures.h"
#include "plan/planner.h"
#include "report/table.h"

#define US "%.4g" /* how microseconds are printed */

/* What a time is made of, each by itself. */
enum { LATENCY, BYTES, LINK, REDUCTION, TERMS };
static const char *const term_names[TERMS] = {"latency", "bytes", "busiest link", "reduction"};

typedef struct {
    bool known;
    double v[TERMS];
    int64_t rounds;
} terms;

typedef struct {
    const atn_args *a;
    atn_topo *topo;
    atn_machine *machine;
    atn_forecast f;
    atn_alpha_beta net;
    atn_ranking r;
} explanation;

/* ---- terms ---- */

static atn_status count(const explanation *x, const atn_choice *c, atn_figures *f, atn_error *err)
{
    const int p = x->f.q.p;
    atn_schedule **s = calloc((size_t)p, sizeof *s);
    atn_status st = s ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    for (int r = 0; r < p && !st; r++) {
        atn_problem q = x->f.q;
        q.r = r;
        q.segments = atn_segments(c->row, &q, &c->params);
        st = atn_build(c->row, &q, &c->params, &s[r], err);
    }
    st = st ? st : atn_figures_find(s, p, x->f.q.bytes, x->topo, f, err);
    for (int r = 0; s && r < p; r++)
        atn_schedule_free(s[r]);
    free(s);
    return st;
}

static terms terms_of(const explanation *x, const atn_choice *c)
{
    atn_figures f;
    atn_error err = {0};
    if (count(x, c, &f, &err))
        return (terms){.known = false};
    return (terms){.known = true,
                   .v = {(double)f.rounds * x->net.a, (double)f.path * x->net.b,
                         (double)f.busiest * x->net.b, (double)f.reduced * x->net.g},
                   .rounds = f.rounds};
}

static int greatest(const double v[TERMS])
{
    int most = 0;
    for (int i = 1; i < TERMS; i++)
        if (v[i] > v[most])
            most = i;
    return most;
}

/* The term in which it is most above the winner. */
static void why_not(const terms *mine, const terms *best, char *out, size_t size)
{
    double more[TERMS];
    char took[32], instead[32];
    *out = '\0';
    if (!mine->known || !best->known)
        return;
    for (int i = 0; i < TERMS; i++)
        more[i] = mine->v[i] - best->v[i];
    const int worst = greatest(more);
    if (more[worst] <= 0)
        snprintf(out, size, "messages wait for each other");
    else if (worst == LATENCY)
        snprintf(out, size, "%lld rounds instead of %lld", (long long)mine->rounds,
                 (long long)best->rounds);
    else
        snprintf(out, size, "%s %s instead of %s", term_names[worst],
                 atn_forecast_time(mine->v[worst], took),
                 atn_forecast_time(best->v[worst], instead));
}

/* ---- variants of an algorithm that come to the same ---- */

/* One line: prospect `at` stands for `alike` others of its row with the same form and time. */
typedef struct {
    int at, alike;
    bool chosen; /* one of them is what a job would take */
    double us;   /* as it is printed */
    char name[ATN_NAME_ROOM];
} line;

static bool nearly(double x, double y) { return fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y)); }

static bool is_alike(const atn_prospect *x, const atn_prospect *y)
{
    return x->choice.row == y->choice.row && x->evaluated == y->evaluated &&
           nearly(x->seconds, y->seconds) && nearly(x->form, y->form);
}

static line line_of(const atn_ranking *r, int i)
{
    const atn_prospect *const x = &r->v[i];
    char us[32];
    line l = {.at = i, .chosen = i == 0};
    snprintf(us, sizeof us, US, x->seconds * 1e6);
    l.us = strtod(us, NULL);
    atn_params_print(x->choice.row, &x->choice.params, l.name, sizeof l.name);
    return l;
}

/* The plainest of those alike speaks for them. */
static void join(line *old, const line *other)
{
    line both = strlen(other->name) < strlen(old->name) ? *other : *old;
    both.alike = old->alike + 1;
    both.chosen = old->chosen || other->chosen;
    *old = both;
}

/* The ranking counts what differs by little as equal and prefers what was looked at; a reader sees
 * the numbers only, so the numbers decide here. */
static int by_printed(const void *a, const void *b)
{
    const line *const x = a, *const y = b;
    if (x->us < y->us || y->us < x->us)
        return x->us < y->us ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Returns how many lines, in the order in which they are shown; room for all. */
static int fold(const atn_ranking *r, line *lines)
{
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        const line own = line_of(r, i);
        int k = 0;
        while (k < n && !is_alike(&r->v[lines[k].at], &r->v[i]))
            k++;
        if (k == n)
            lines[n++] = own;
        else
            join(&lines[k], &own);
    }
    qsort(lines, (size_t)n, sizeof *lines, by_printed);
    return n;
}

/* ---- what is written ---- */

static const atn_column columns[] = {
    {"algorithm", ATN_CELL_TEXT},      {"alike", ATN_CELL_NUMBER},
    {"predicted_us", ATN_CELL_NUMBER}, {"ratio", ATN_CELL_NUMBER},
    {"form_us", ATN_CELL_NUMBER},      {"by", ATN_CELL_TEXT},
    {"dominated_by", ATN_CELL_TEXT},   {"why", ATN_CELL_TEXT},
};

/* `first` is the line at the top, whose time consists of `best`. */
static void put_line(const explanation *x, const line *l, const line *first, const terms *best,
                     atn_table *t)
{
    const atn_prospect *const p = &x->r.v[l->at], *const top = &x->r.v[first->at];
    const terms own = l == first ? *best : terms_of(x, &p->choice);
    char why[120] = "best";
    if (l != first && l->chosen)
        snprintf(why, sizeof why, "chosen: hardly slower");
    else if (l != first && nearly(p->seconds, top->seconds))
        snprintf(why, sizeof why, "as fast");
    else if (l != first)
        why_not(&own, best, why, sizeof why);
    atn_cell(t, "%s", l->name);
    atn_cell(t, "%d", l->alike);
    atn_cell(t, US, p->seconds * 1e6);
    atn_cell(t, "%.3g", l->us / first->us);
    atn_cell(t, US, p->form * 1e6);
    atn_cell(t, "%s", p->beyond ? "at least" : p->evaluated ? "schedule" : "form");
    atn_cell(t, "%s", own.known ? term_names[greatest(own.v)] : "");
    atn_cell(t, "%s", why);
}

/* Of the line at the top. */
static void tell_formula(const explanation *x, const line *first, const terms *best)
{
    const atn_choice *c = &x->r.v[first->at].choice;
    char a[32], size[32], part[32];
    char *text = atn_cost_text(c->row, &c->params);
    fprintf(x->a->out, "\ncost without contention: %s\n", text ? text : "not known");
    fprintf(x->a->out, "with p = %d, n = %s, k = %d, a = %s, b = %.4g ns, g = %.4g ns\n", x->f.q.p,
            atn_format_size(x->f.q.bytes, size), atn_segments(c->row, &x->f.q, &c->params),
            atn_forecast_time(x->net.a, a), x->net.b * 1e9, x->net.g * 1e9);
    if (best->known) {
        fputs("each by itself:", x->a->out);
        for (int i = 0; i < TERMS; i++)
            if (best->v[i] > 0)
                fprintf(x->a->out, " %s %s%s", term_names[i], atn_forecast_time(best->v[i], part),
                        i == greatest(best->v) ? " (dominates)" : "");
        fputc('\n', x->a->out);
    }
    const char *asked = atn_arg_text(x->a, "model");
    fprintf(x->a->out, "machine: %s; model: %s; %d of %d candidates by their schedules\n",
            x->machine->origin,
            asked ? asked : atn_planner_model(x->machine, x->topo, x->f.q.p)->name, x->r.evaluated,
            x->r.n);
    free(text);
}

/* Candidates that are left out because a simpler name stands for the same schedules. */
static void tell_twins(const explanation *x)
{
    const atn_ranking *const r = &x->r;
    const int most = atn_min(r->n, (int)atn_arg_int(x->a, "top"));
    for (int i = 0; i < most && r->twins > 0; i++) {
        int n = 0;
        char name[ATN_NAME_ROOM];
        for (int k = r->n; k < r->n + r->twins; k++) {
            if (r->v[k].does != r->v[i].does)
                continue;
            atn_params_print(r->v[k].choice.row, &r->v[k].choice.params, name, sizeof name);
            fprintf(x->a->out, "%s%s", n++ ? ", " : "same schedules: ", name);
        }
        atn_params_print(r->v[i].choice.row, &r->v[i].choice.params, name, sizeof name);
        if (n > 0)
            fprintf(x->a->out, " as %s\n", name);
    }
}

/* Once, and apart from what programs read. */
static void tell_assumption(const explanation *x)
{
    if (!atn_arg_given(x->a, "machine"))
        fputs("attune: no --machine is named, so a built-in one with slow hosts and Gigabit "
              "Ethernet is assumed; 'attune measure' measures yours\n",
              stderr);
}

static atn_status write_all(const explanation *x, atn_error *err)
{
    line *const lines = malloc(sizeof *lines * (size_t)x->r.n);
    if (lines == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const int shown = atn_min(fold(&x->r, lines), (int)atn_arg_int(x->a, "top"));
    const terms best = terms_of(x, &x->r.v[lines[0].at].choice);
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    for (int i = 0; i < shown; i++)
        put_line(x, &lines[i], &lines[0], &best, &t);
    tell_assumption(x);
    const atn_status st = atn_table_write(x->a->out, &t, atn_arg_format(x->a), x->a->terminal, err);
    atn_table_free(&t);
    if (!st && strcmp(atn_arg_format(x->a), "table") == 0) {
        tell_formula(x, &lines[0], &best);
        tell_twins(x);
    }
    free(lines);
    return st;
}

/* ---- the command ---- */

static atn_status plan(explanation *x, atn_error *err)
{
    const char *name = atn_arg_text(x->a, "model");
    const atn_model *model = name ? atn_model_find(name) : NULL;
    if (name && !model)
        return atn_unknown_model("model", name, err);
    x->net = atn_planner_network(&x->f.q, x->machine);
    const atn_status st =
        atn_planner_rank(&x->f.q, x->machine, model, atn_arg_int(x->a, "budget"), &x->r, err);
    if (!st && x->r.n == 0)
        return atn_fail(err, ATN_FINDING, "%s: no algorithm but native applies", x->a->operands[0]);
    return st;
}

static int explain(const atn_args *a, atn_error *err)
{
    explanation x = {.a = a};
    atn_status st = ATN_OK;
    if (atn_arg_given(a, "topology"))
        st = atn_lookup_topology(atn_arg_text(a, "topology"), &x.topo, err);
    st = st ? st : atn_forecast_place(a, &x.topo, err);
    st = st ? st : atn_forecast_load(a, x.topo, &x.machine, err);
    st = st ? st : atn_forecast_parse(a->operands[0], x.topo, &x.f, err);
    st = st ? st : plan(&x, err);
    st = st ? st : write_all(&x, err);
    atn_ranking_free(&x.r);
    atn_machine_free(x.machine);
    atn_topo_free(x.topo);
    return st;
}

static const atn_option options[] = {
    {.name = "machine",
     .argument = "FILE",
     .doc = "Measured parameters; without it a built-in machine with Gigabit Ethernet",
     .type = ATN_OPT_FILE},
    {.name = "topology",
     .argument = "FILE|STRING",
     .doc = "Where the ranks are, such as 4x4@100M; see 'attune topo'",
     .type = ATN_OPT_FILE},
    {.name = "map",
     .argument = "ORDER",
     .doc = "Ranks on the hosts of the topology: sequential, roundrobin, or hosts in order",
     .type = ATN_OPT_TEXT},
    {.name = "model",
     .argument = "NAME",
     .doc = "Model that evaluates schedules; default: taulop inside a host, else links",
     .type = ATN_OPT_TEXT},
    {.name = "top",
     .argument = "N",
     .fallback = "10",
     .doc = "How many candidates to show",
     .type = ATN_OPT_INT,
     .min = 1,
     .max = 10000},
    {.name = "budget",
     .argument = "N",
     .fallback = "40000000",
     .doc = "Steps of about 10 ns that may be taken to look at schedules; inside a job: 12800000 / "
            "ranks",
     .type = ATN_OPT_INT},
    {0},
};

const atn_command atn_cmd_explain = {
    .noun = "explain",
    .operands = "PROBLEM",
    .min_operands = 1,
    .max_operands = 1,
    .help = "Rank the algorithms for a problem by predicted time, with reasons",
    .detail =
        "PROBLEM is operation:ranks:bytes, then type and operator of a reduction or the root "
        "of a rooted operation: allreduce:32:64K:f64:sum, bcast:16:1M. Ranks may be left "
        "empty with --topology. The size is that of the message, or of the block of each "
        "rank or pair.\n\n"
        "Closed forms put the candidates in order; the schedules of the best are evaluated "
        "on the machine and the topology. 'alike' counts variants of the same algorithm with the "
        "same form and time, 'ratio' is the time against the best, 'form_us' "
        "the time without contention, 'dominated_by' the greatest of latency, bytes on the "
        "longest path, bytes over the busiest link and reduction, 'why' what the candidate "
        "loses by; what takes more than twice as long as the best is not looked at to its end. "
        "Names of the same schedules on all ranks are listed once, by the simplest name. "
        "The table is sorted by predicted_us, then by name. ATTUNE_SELECT=model chooses the same "
        "way inside a job; among candidates that differ by less than about 2 % it prefers one "
        "whose "
        "schedule was evaluated, and 'why' says which one is chosen if it is not the first.",
    .options = options,
    .formats = atn_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = explain,
};
