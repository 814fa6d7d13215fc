/* cmd_explain.c - attune explain: ranks the algorithms of a problem by predicted time. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/forecast.h"
#include "model/figures.h"
#include "plan/form.h"
#include "plan/miniature.h"
#include "plan/planner.h"
#include "plan/segment.h"
#include "plan/travel.h"
#include "plan/trial.h"

#define US "%.4g" /* format of microseconds */

/* Components of a predicted time. */
enum { LATENCY, BYTES, LINK, REDUCTION, TERMS };
static const char *const term_names[TERMS] = {"latency", "bytes", "busiest link", "reduction"};

typedef struct {
    bool known;
    double v[TERMS];
    int64_t rounds;
    int64_t messages, shared; /* of all ranks, -1: not counted; those that shared memory carries */
} terms;

typedef struct {
    const atn_args *a;
    atn_topo *topo;
    atn_neighbourhood *neighbours; /* NULL: none */
    atn_machine *machine;
    atn_forecast f;
    atn_alpha_beta net;
    atn_ranking r;
    int travelled; /* measured times of fewer ranks that correct predictions */
} explanation;

/* ---- terms ---- */

static terms terms_of_form(const explanation *x, const atn_choice *c)
{
    const atn_alpha_beta one[] = {
        {x->net.a, 0, 0}, {0, x->net.b, 0}, {0, 0, x->net.g}, {1, 0, 0}}; /* {1, 0, 0}: rounds */
    atn_form_facts facts = {0};
    atn_problem q = x->f.q;
    double v[4];
    q.segments = atn_algo_segments(c->row, &q, &c->params);
    if (atn_plan_form_times(c, &q, &facts, one, 4, v, NULL) != ATN_OK)
        return (terms){.known = false};
    return (terms){.known = true,
                   .v = {[LATENCY] = v[0], [BYTES] = v[1], [REDUCTION] = v[2]},
                   .rounds = (int64_t)v[3],
                   .messages = -1};
}

static atn_status count(const explanation *x, const atn_choice *c, atn_figures *f, atn_error *err)
{
    const int p = x->f.q.p;
    atn_schedule **s = calloc((size_t)p, sizeof *s);
    atn_status st = s ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    for (int r = 0; r < p && !st; r++) {
        atn_problem q = x->f.q;
        q.r = r;
        q.segments = atn_algo_segments(c->row, &q, &c->params);
        st = atn_algo_build(c->row, &q, &c->params, &s[r], err);
    }
    st = st ? st : atn_model_figures_find(s, p, x->f.q.bytes, x->topo, f, err);
    for (int r = 0; s && r < p; r++)
        atn_sched_schedule_free(s[r]);
    free(s);
    return st;
}

static int64_t shared_messages(const explanation *x, const atn_figures *f)
{
    const int64_t by_sharing[] = {
        [ATN_SHARED_NONE] = 0, [ATN_SHARED_HOSTS] = f->inside, [ATN_SHARED_ALL] = f->messages};
    return by_sharing[x->f.q.shared];
}

/* Schedules that the planner has not evaluated on all ranks may be too large for it, and hence for
 * their figures; whatever the planner was allowed, small ones are not. */
static bool is_too_large(const explanation *x, const atn_prospect *p)
{
    enum { SMALL = 200000 };
    const int64_t ranks = x->f.q.p;
    const int64_t segments = atn_algo_segments(p->choice.row, &x->f.q, &p->choice.params);
    return ranks > ATN_EXACT_RANKS ||
           ((!p->evaluated || p->reduced) && ranks * ranks * segments > SMALL);
}

static terms terms_of(const explanation *x, const atn_prospect *p)
{
    const atn_choice *const c = &p->choice;
    atn_figures f;
    atn_error err = {0};
    if (is_too_large(x, p))
        return terms_of_form(x, c);
    if (count(x, c, &f, &err))
        return (terms){.known = false};
    return (terms){.known = true,
                   .v = {(double)f.rounds * x->net.a, (double)f.path * x->net.b,
                         (double)f.busiest * x->net.b, (double)f.reduced * x->net.g},
                   .rounds = f.rounds,
                   .messages = f.messages,
                   .shared = shared_messages(x, &f)};
}

static int greatest(const double v[TERMS])
{
    int most = 0;
    for (int i = 1; i < TERMS; i++)
        if (v[i] > v[most])
            most = i;
    return most;
}

/* The term with the largest excess over the best candidate. */
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
                 atn_cli_forecast_time(mine->v[worst], took),
                 atn_cli_forecast_time(best->v[worst], instead));
}

/* ---- equivalent variants of an algorithm ---- */

/* One line: prospect `at` represents `alike` others of its row with the same form and time. */
typedef struct {
    int at, alike;
    bool chosen; /* a job would select one of them */
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
    atn_algo_params_print(x->choice.row, &x->choice.params, l.name, sizeof l.name);
    return l;
}

/* The shortest name represents equivalent variants. */
static void join(line *old, const line *other)
{
    line both = strlen(other->name) < strlen(old->name) ? *other : *old;
    both.alike = old->alike + 1;
    both.chosen = old->chosen || other->chosen;
    *old = both;
}

/* The ranking treats small differences as equal and prefers evaluated schedules; here, lines are
 * ordered by the numbers that are printed. */
static int by_printed(const void *a, const void *b)
{
    const line *const x = a, *const y = b;
    if (x->us < y->us || y->us < x->us)
        return x->us < y->us ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Returns the number of lines, in the order of output; `lines` has room for all. */
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

/* ---- output ---- */

static const atn_column columns[] = {
    {"algorithm", ATN_CELL_TEXT},  {"alike", ATN_CELL_NUMBER},   {"predicted_us", ATN_CELL_NUMBER},
    {"ratio", ATN_CELL_NUMBER},    {"form_us", ATN_CELL_NUMBER}, {"by", ATN_CELL_TEXT},
    {"messages", ATN_CELL_NUMBER}, {"shared", ATN_CELL_NUMBER},  {"dominated_by", ATN_CELL_TEXT},
    {"why", ATN_CELL_TEXT},
};

/* How the time was obtained. */
static const char *source_of(const atn_prospect *p)
{
    if (p->travelled)
        return "wisdom";
    if (!p->evaluated)
        return "form";
    return p->beyond ? "at least" : p->reduced ? "fewer ranks" : "schedule";
}

static void put_number(atn_table *t, bool known, int64_t n)
{
    if (known)
        atn_report_cell(t, "%" PRId64, n);
    else
        atn_report_cell(t, "%s", "");
}

/* `first` is the first line, whose terms are `best`. */
static void put_line(const explanation *x, const line *l, const line *first, const terms *best,
                     atn_table *t)
{
    const atn_prospect *const p = &x->r.v[l->at], *const top = &x->r.v[first->at];
    const terms own = l == first ? *best : terms_of(x, p);
    char why[120] = "best";
    if (l != first && l->chosen)
        snprintf(why, sizeof why, "selected: difference below 2 %%");
    else if (l != first && nearly(p->seconds, top->seconds))
        snprintf(why, sizeof why, "same time");
    else if (l != first)
        why_not(&own, best, why, sizeof why);
    atn_report_cell(t, "%s", l->name);
    atn_report_cell(t, "%d", l->alike);
    atn_report_cell(t, US, p->seconds * 1e6);
    atn_report_cell(t, "%.3g", l->us / first->us);
    atn_report_cell(t, US, p->form * 1e6);
    atn_report_cell(t, "%s", source_of(p));
    put_number(t, own.known && own.messages >= 0, own.messages);
    put_number(t, own.known && own.messages >= 0, own.shared);
    atn_report_cell(t, "%s", own.known ? term_names[greatest(own.v)] : "");
    atn_report_cell(t, "%s", why);
}

static void print_transport(const explanation *x, const terms *best)
{
    const int64_t all = best->messages, shared = best->shared;
    if (!best->known || all < 0)
        return;
    if (shared == 0 || shared == all)
        fprintf(x->a->out, "transport: %s (%" PRId64 " messages)\n",
                shared == 0 ? "MPI" : "shared memory", all);
    else
        fprintf(x->a->out,
                "transport: shared memory inside hosts (%" PRId64 " of %" PRId64
                " messages), MPI between hosts\n",
                shared, all);
}

/* Cost of the first line. */
static void print_formula(const explanation *x, const line *first, const terms *best)
{
    const atn_choice *c = &x->r.v[first->at].choice;
    char a[32], size[32], part[32];
    char *text = atn_algo_cost_text(c->row, &c->params);
    fprintf(x->a->out, "\ncost without contention: %s\n", text ? text : "unknown");
    fprintf(x->a->out, "with p = %d, n = %s, k = %d, a = %s, b = %.4g ns, g = %.4g ns\n", x->f.q.p,
            atn_format_size(x->f.q.bytes, size), atn_algo_segments(c->row, &x->f.q, &c->params),
            atn_cli_forecast_time(x->net.a, a), x->net.b * 1e9, x->net.g * 1e9);
    if (best->known) {
        fputs("terms:", x->a->out);
        for (int i = 0; i < TERMS; i++)
            if (best->v[i] > 0)
                fprintf(x->a->out, " %s %s%s", term_names[i],
                        atn_cli_forecast_time(best->v[i], part),
                        i == greatest(best->v) ? " (dominates)" : "");
        fputc('\n', x->a->out);
    }
    const char *const given = atn_cli_arg_text(x->a, "model");
    fprintf(x->a->out, "machine: %s; model: %s; schedules of %d of %d candidates evaluated\n",
            x->machine->origin,
            given ? given : atn_plan_planner_model(x->machine, x->topo, x->f.q.p)->name,
            x->r.evaluated, x->r.n);
    free(text);
}

static void print_wisdom(const explanation *x)
{
    const char *const file = atn_cli_arg_text(x->a, "wisdom");
    if (file != NULL && x->travelled > 0)
        fprintf(x->a->out, "wisdom: %s; %d measured times of fewer ranks correct predictions\n",
                file, x->travelled);
    else if (file != NULL)
        fprintf(x->a->out, "wisdom: %s; no measured times of similar sizes on 8 to %d ranks\n",
                file, x->f.q.p);
}

/* Candidates that are omitted because a simpler name has the same schedules. */
static void print_twins(const explanation *x)
{
    const atn_ranking *const r = &x->r;
    const int most = atn_min(r->n, (int)atn_cli_arg_int(x->a, "top"));
    for (int i = 0; i < most && r->twins > 0; i++) {
        int n = 0;
        char name[ATN_NAME_ROOM];
        for (int k = r->n; k < r->n + r->twins; k++) {
            if (r->v[k].does != r->v[i].does)
                continue;
            atn_algo_params_print(r->v[k].choice.row, &r->v[k].choice.params, name, sizeof name);
            fprintf(x->a->out, "%s%s", n++ ? ", " : "same schedules: ", name);
        }
        atn_algo_params_print(r->v[i].choice.row, &r->v[i].choice.params, name, sizeof name);
        if (n > 0)
            fprintf(x->a->out, " as %s\n", name);
    }
}

/* On standard error, so that machine-readable output stays clean. */
static void report_assumption(const explanation *x)
{
    if (!atn_cli_arg_given(x->a, "machine"))
        fputs("attune: without --machine, a built-in machine with slow hosts and Gigabit Ethernet "
              "is assumed; 'attune measure' measures this one\n",
              stderr);
}

static atn_status write_all(const explanation *x, atn_error *err)
{
    line *const lines = malloc(sizeof *lines * (size_t)x->r.n);
    if (lines == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const int shown = atn_min(fold(&x->r, lines), (int)atn_cli_arg_int(x->a, "top"));
    const terms best = terms_of(x, &x->r.v[lines[0].at]);
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    for (int i = 0; i < shown; i++)
        put_line(x, &lines[i], &lines[0], &best, &t);
    report_assumption(x);
    const atn_status st = atn_cli_arg_table(x->a, &t, err);
    if (!st && strcmp(atn_cli_arg_format(x->a), "table") == 0) {
        print_formula(x, &lines[0], &best);
        print_wisdom(x);
        print_transport(x, &best);
        print_twins(x);
    }
    free(lines);
    return st;
}

/* ---- the command ---- */

/* Rules of all places: the file is named, so it is taken to be of this machine. */
static atn_status correct(explanation *x, atn_error *err)
{
    const char *const file = atn_cli_arg_text(x->a, "wisdom");
    atn_rules *rules = NULL;
    const atn_status st = file ? atn_plan_rules_read(file, &rules, err) : ATN_OK;
    if (rules != NULL)
        x->travelled = atn_plan_travel_apply(rules, &x->f.q, x->machine, &x->r);
    atn_plan_rules_free(rules);
    return st;
}

/* ---- segments ---- */

static const char *const segment_words[] = {"usual", "search", NULL};

/* The first of its row, which is the fastest. */
static bool is_first(const atn_ranking *r, int i)
{
    for (int k = 0; k < i; k++)
        if (r->v[k].choice.row == r->v[i].choice.row)
            return false;
    return true;
}

static void search_one(const explanation *x, const atn_model *model, atn_prospect *p)
{
    atn_segment_search s = {.q = &x->f.q,
                            .m = x->machine,
                            .model = model,
                            .few = ATN_FEW_SEGMENTS,
                            .budget = INT64_MAX,
                            .tries = INT_MAX};
    atn_choice c = p->choice;
    double seconds = 0;
    if (atn_plan_segment_find(&s, &c, &seconds) != ATN_OK || seconds >= p->seconds)
        return;
    const terms form = terms_of_form(x, &c);
    p->choice = c;
    p->seconds = seconds;
    p->form = form.known ? form.v[LATENCY] + form.v[BYTES] + form.v[REDUCTION] : p->form;
    p->evaluated = true;
    p->beyond = false;
    p->does = 0; /* no other has its schedule */
}

/* The segment that minimises the time of each pipelined algorithm. */
static atn_status search_segments(explanation *x, const atn_model *model, atn_error *err)
{
    if (strcmp(atn_cli_arg_text(x->a, "segment"), "search") != 0)
        return ATN_OK;
    if (x->f.q.p > ATN_EXACT_RANKS)
        return atn_fail(err, ATN_USAGE,
                        "--segment search: schedules of %d ranks are too large; at most %d ranks",
                        x->f.q.p, ATN_EXACT_RANKS);
    for (int i = 0; i < x->r.n; i++)
        if (is_first(&x->r, i) && atn_plan_segment_applies(x->r.v[i].choice.row))
            search_one(x, model, &x->r.v[i]);
    atn_plan_ranking_sort(&x->r);
    return ATN_OK;
}

static atn_status plan(explanation *x, atn_error *err)
{
    const char *name = atn_cli_arg_text(x->a, "model");
    const atn_model *model = name ? atn_model_find(name) : NULL;
    if (name && !model)
        return atn_model_unknown_model("model", name, err);
    x->net = atn_plan_planner_network(&x->f.q, x->machine);
    const atn_status st = atn_plan_planner_rank(&x->f.q, x->machine, model,
                                                atn_cli_arg_int(x->a, "budget"), &x->r, err);
    if (!st && x->r.n == 0)
        return atn_fail(err, ATN_FINDING, "%s: no algorithm other than native is applicable",
                        x->a->operands[0]);
    return st ? st : search_segments(x, model, err);
}

static atn_status find_neighbours(const atn_args *a, explanation *x, atn_error *err)
{
    const atn_request want = {.neighbours = atn_cli_arg_text(a, "neighbors"), .topo = x->topo};
    const atn_operation_info *o = atn_sched_operation_get(x->f.q.op);
    const bool has = o->flags & ATN_ON_NEIGHBOURS;
    if (has != (want.neighbours != NULL))
        return atn_fail(err, ATN_USAGE, "%s has %s; %s --neighbors", o->name,
                        has ? "neighbours" : "no neighbours", has ? "add" : "omit");
    const atn_status st =
        atn_cli_request_neighbours(&want, x->f.q.op, x->f.q.p, &x->neighbours, err);
    x->f.q.neighbourhood = x->neighbours;
    return st;
}

static int explain(const atn_args *a, atn_error *err)
{
    explanation x = {.a = a};
    atn_status st = ATN_OK;
    if (atn_cli_arg_given(a, "topology"))
        st = atn_cli_lookup_topology(atn_cli_arg_text(a, "topology"), &x.topo, err);
    st = st ? st : atn_cli_forecast_place(a, &x.topo, err);
    st = st ? st : atn_cli_forecast_load(a, x.topo, &x.machine, err);
    st = st ? st : atn_cli_forecast_parse(a->operands[0], x.topo, &x.f, err);
    st = st ? st : find_neighbours(a, &x, err);
    st = st ? st : atn_cli_forecast_sharing(x.machine, x.topo, &x.f.q.shared, err);
    st = st ? st : plan(&x, err);
    st = st ? st : correct(&x, err);
    st = st ? st : write_all(&x, err);
    atn_plan_ranking_free(&x.r);
    atn_model_machine_free(x.machine);
    atn_topo_free(x.topo);
    atn_sched_neighbourhood_free(x.neighbours);
    return st;
}

static const atn_option options[] = {
    ATN_OPTION_MACHINE(ATN_DOC_MACHINE),
    ATN_OPTION_TOPOLOGY("Topology, such as 4x4@100M; see 'attune help topology'"),
    ATN_OPTION_MAP,
    ATN_OPTION_NEIGHBORS,
    ATN_TEXT("model", "NAME", NULL,
             "Model that evaluates schedules; default: taulop inside a host, else links"),
    ATN_TEXT("wisdom", "FILE", NULL,
             "Wisdom of this machine: times measured on fewer ranks correct predictions"),
    ATN_WORD(
        "segment", "HOW", "usual", segment_words,
        "Segment sizes of pipelines: the usual ones, or search for the best of each algorithm"),
    ATN_INT("top", "N", "10", 1, 10000, "Number of candidates to show"),
    ATN_INT("budget", "N", "40000000", 0, 0,
            "Maximum number of steps, of about 30 ns, to evaluate schedules; inside a job: "
            "12800000 / ranks for 16 to 64 ranks"),
    {0},
};

const atn_command atn_cmd_explain = {
    .noun = "explain",
    ATN_OPERANDS("PROBLEM", 1, 1),
    .help = "Rank the algorithms for a problem by predicted time, with reasons",
    .detail =
        "PROBLEM is operation:ranks:bytes, followed by datatype and operator of a reduction or by "
        "the root of a rooted operation: allreduce:32:64K:f64:sum, bcast:16:1M. With --topology, "
        "ranks may be empty. The size is that of the message, or of the block of each rank or "
        "pair.\n\n"
        "Closed forms order the candidates; the schedules of the best are evaluated on the machine "
        "and the topology. For more than 64 ranks, those of a smaller instance of the topology are "
        "evaluated and the closed form extrapolates; 'by' is then 'fewer ranks' instead of "
        "'schedule' and messages are not counted. With --wisdom, 'wisdom' marks times of "
        "algorithms "
        "that were measured on fewer ranks: the prediction was multiplied by measured over "
        "predicted time there, those of other algorithms by the mean. 'alike' counts variants of "
        "the same algorithm "
        "with the same form and "
        "time; 'ratio' is the time relative to the best; 'form_us' is the time without contention; "
        "'dominated_by' is the largest of latency, bytes on the longest path, bytes over the "
        "busiest link, and reduction; 'messages' counts those of all ranks, reads of shared memory "
        "included, and 'shared' those through shared memory, which connects the ranks of a host "
        "unless ATTUNE_TRANSPORT is mpi; 'why' is the term in which the candidate exceeds the "
        "best. "
        "The evaluation of a candidate stops at twice the time of the best. A few sizes of "
        "segments "
        "are evaluated, and for the best candidate sizes in between; with --segment search the "
        "size that minimises the time of each algorithm is found. Candidates with equal "
        "schedules on all ranks are listed once, by the simplest name. The table is sorted by "
        "predicted_us, then by name. ATTUNE_SELECT=model selects in the same way inside a job; "
        "among candidates that differ by less than about 2 % it prefers one whose schedule was "
        "evaluated, and 'why' marks the selected one if it is not the first.",
    .examples = ATN_NOTES(
        {"attune explain allreduce:32:64K:f64:sum", "Rank allreduce algorithms on 32 ranks"},
        {"attune explain bcast::1M --topology 4x4@100M --machine cluster.machine",
         "Rank broadcasts on a measured machine"}),
    .options = options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = explain,
};
