/* cmd_refine.c - attune model refine: fits the parameters of a machine to measured calls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/stats.h"
#include "cli/forecast.h"
#include "model/estimate.h"
#include "model/model.h"
#include "model/refine.h"
#include "report/samples.h"
#include "sched/optimise.h"

enum { CHUNK = 5 }; /* samples per update, which uses their median */

/* The times of one algorithm for one problem. */
typedef struct {
    atn_schedule **schedules;
    atn_op_graph g;
    const atn_times *seconds;
    int64_t bytes;
} observation;

typedef struct {
    atn_machine *machine, *trial; /* as read, and with scaled parameters */
    atn_topo *topo;               /* NULL: unknown */
    atn_sharing sharing;
    const atn_model *model;
    atn_samples samples;
    ATN_VEC(observation) observations;
    int skipped; /* variants without a schedule here */
    const observation *now;
    atn_refiner refiner;
    int updates;
} fitting;

/* ---- observations ---- */

static void free_observation(observation *l, int p)
{
    atn_model_op_graph_free(&l->g);
    for (int r = 0; l->schedules && r < p; r++)
        atn_sched_schedule_free(l->schedules[r]);
    free(l->schedules);
}

static atn_status build_schedules(const fitting *s, const atn_task *t, const atn_choice *c,
                                  atn_schedule **schedules, atn_error *err)
{
    atn_status status = ATN_OK;
    for (int r = 0; r < t->ranks && status == ATN_OK; r++) {
        atn_problem q = {.op = c->row->op,
                         .p = t->ranks,
                         .r = r,
                         .bytes = atn_plan_shares_bytes(c->row->op) ? t->bytes : -1,
                         .topo = s->topo,
                         .shared = s->sharing};
        q.segments = atn_algo_segments(c->row, &q, &c->params);
        if (atn_algo_refuses(c->row, &q, &c->params))
            return ATN_NOT_APPLICABLE;
        status = atn_algo_build(c->row, &q, &c->params, &schedules[r], err);
        if (status == ATN_OK && s->sharing != ATN_SHARED_NONE)
            atn_sched_optimise(schedules[r]); /* as jobs execute it */
    }
    return status;
}

/* Skips algorithms that are unknown or not applicable here. */
static atn_status add_observation(fitting *s, const atn_task *t, const atn_variant *v,
                                  atn_error *err)
{
    observation l = {.seconds = &v->seconds, .bytes = t->bytes};
    atn_choice choice;
    atn_operation op;
    char *name = strdup(v->algorithm);
    atn_status status = name ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK &&
        (!atn_sched_operation_find(t->operation, &op) ||
         atn_plan_choice_read(op, name, &choice, NULL) != ATN_OK || !choice.row->algo->build))
        status = ATN_NOT_APPLICABLE;
    free(name);
    if (status == ATN_OK && !(l.schedules = calloc((size_t)t->ranks, sizeof *l.schedules)))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        status = build_schedules(s, t, &choice, l.schedules, err);
    if (status == ATN_OK)
        status = atn_model_op_graph_make(l.schedules, t->ranks, &l.g, err);
    if (status == ATN_OK) {
        atn_model_op_graph_size(&l.g, t->bytes);
        if (atn_push(&s->observations, l))
            return ATN_OK;
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    free_observation(&l, t->ranks);
    s->skipped += status == ATN_NOT_APPLICABLE;
    return status == ATN_NOT_APPLICABLE ? ATN_OK : status;
}

static atn_status prepare_observations(fitting *s, atn_error *err)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < s->samples.tasks.n; i++) {
        const atn_task *t = &s->samples.tasks.v[i];
        for (int k = 0; k < t->variants.n && status == ATN_OK; k++) {
            const atn_variant *v = &t->variants.v[k];
            if (v->seconds.n > 0 && strcmp(v->algorithm, "native") != 0)
                status = add_observation(s, t, v, err);
        }
    }
    if (status == ATN_OK && s->observations.n == 0)
        status =
            atn_fail(err, ATN_INPUT,
                     "the samples contain no algorithm with a schedule; measure with attune bench "
                     "--raw --variants native,all");
    return status;
}

/* ---- fitting ---- */

static double predict(void *context, const double *knobs)
{
    fitting *s = context;
    double seconds = 0;
    *s->trial = *s->machine;
    atn_model_machine_turn(s->trial, knobs);
    const atn_model_case c = {.g = &s->now->g, .m = s->trial, .t = s->topo};
    return s->model->evaluate(&c, &seconds, NULL) == ATN_OK ? seconds : 0;
}

static double median_of(const double *v, int n)
{
    double copy[CHUNK];
    memcpy(copy, v, (size_t)n * sizeof *copy);
    return atn_median(copy, n).mid;
}

/* Of all samples; 0: out of memory. */
static double measured_time(const observation *l)
{
    double *copy = malloc((size_t)l->seconds->n * sizeof *copy), mid = 0;
    if (copy) {
        memcpy(copy, l->seconds->v, (size_t)l->seconds->n * sizeof *copy);
        mid = atn_median(copy, l->seconds->n).mid;
    }
    free(copy);
    return mid;
}

/* Mean of max(p, m) / min(p, m) over the observations, with the current factors. */
static double mean_error(fitting *s)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < s->observations.n; i++) {
        s->now = &s->observations.v[i];
        const double measured = measured_time(s->now), p = predict(s, s->refiner.knob);
        if (p <= 0 || measured <= 0)
            continue;
        sum += atn_mu(p, measured);
        n++;
    }
    return n ? sum / n : 0;
}

/* In the order of the job, in which variants were interleaved. */
static void refine_all(fitting *s)
{
    bool more = true;
    for (int at = 0; more; at += CHUNK) {
        more = false;
        for (int i = 0; i < s->observations.n; i++) {
            const atn_times *t = s->observations.v[i].seconds;
            if (at >= t->n)
                continue;
            s->now = &s->observations.v[i];
            atn_model_refiner_learn(&s->refiner, predict, s,
                                    median_of(t->v + at, atn_min(CHUNK, t->n - at)));
            s->updates++;
            more = true;
        }
    }
}

/* ---- least squares ---- */

static double predict_with(void *context, const atn_machine *m, int i)
{
    const fitting *s = context;
    const atn_model_case c = {.g = &s->observations.v[i].g, .m = m, .t = s->topo};
    double seconds = 0;
    return s->model->evaluate(&c, &seconds, NULL) == ATN_OK ? seconds : -1;
}

/* The transfer times of every measured size. */
static atn_status estimate_all(fitting *s, atn_error *err)
{
    const int n = s->observations.n;
    double *seconds = malloc(((size_t)n + 1) * sizeof *seconds);
    if (!seconds)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; i < n; i++) {
        seconds[i] = measured_time(&s->observations.v[i]);
        atn_model_estimate_size(s->machine, s->observations.v[i].bytes);
    }
    s->updates = atn_model_estimate(s->machine, predict_with, s, seconds, n);
    free(seconds);
    return s->updates >= 0 ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

static atn_status has_tables(const fitting *s, atn_error *err)
{
    if (strncmp(s->model->name, "taulop", strlen("taulop")) != 0)
        return atn_fail(err, ATN_USAGE,
                        "--ols estimates the transfers of tau-Lop; omit --model %s or --ols",
                        s->model->name);
    for (int c = -1; (c = atn_model_machine_next(s->machine, c)) >= 0;)
        if (s->machine->channel[c].transfer.nsizes == 0)
            return atn_fail(err, ATN_INPUT,
                            "%s: channel %s has no table transfer to start from; measure it with "
                            "attune measure",
                            s->machine->origin, s->machine->channel[c].name);
    return ATN_OK;
}

/* ---- the command ---- */

static atn_status open_fit(const atn_args *a, fitting *s, atn_error *err)
{
    const char *topology = atn_cli_arg_text(a, "topology");
    s->model = atn_model_find(atn_cli_arg_text(a, "model"));
    s->trial = atn_model_machine_new();
    if (s->model == NULL)
        return atn_model_unknown_model("model", atn_cli_arg_text(a, "model"), err);
    if (s->trial == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = atn_model_machine_read(a->operands[0], &s->machine, err);
    for (int i = 1; i < a->noperands && status == ATN_OK; i++)
        status = atn_report_samples_read(a->operands[i], &s->samples, err);
    if (status == ATN_OK && topology != NULL)
        status = atn_cli_lookup_topology(topology, &s->topo, err);
    if (status == ATN_OK && s->topo && s->topo->p != s->samples.ranks)
        status = atn_fail(err, ATN_INPUT,
                          "%s has %d ranks, but the samples have %d; add the order of ranks",
                          topology, s->topo->p, s->samples.ranks);
    if (status == ATN_OK)
        status = atn_cli_forecast_sharing(s->machine, s->topo, &s->sharing, err);
    if (status == ATN_OK)
        s->machine->unshared = s->sharing == ATN_SHARED_NONE;
    return status;
}

static void close_fit(fitting *s)
{
    for (int i = 0; i < s->observations.n; i++)
        free_observation(&s->observations.v[i], s->samples.ranks);
    atn_vec_free(&s->observations);
    atn_report_samples_free(&s->samples);
    atn_topo_free(s->topo);
    atn_model_machine_free(s->trial);
    atn_model_machine_free(s->machine);
}

static void report(const fitting *s, double before, double after)
{
    char name[64];
    fprintf(stderr, "%d %s from %d variants; mean error of %s: %.3f before, %.3f after\n",
            s->updates, s->refiner.n > 0 ? "updates" : "equations", s->observations.n,
            s->model->name, before, after);
    if (s->skipped > 0)
        fprintf(stderr, "%d variants skipped: no applicable schedule\n", s->skipped);
    for (int i = 0; i < s->refiner.n; i++) {
        atn_model_machine_knob_name(s->machine, i, name, sizeof name);
        fprintf(stderr, "  %-20s factor %.3f\n", name, exp(s->refiner.knob[i]));
    }
}

static atn_status write_machine(const atn_args *a, const fitting *s, double error, atn_error *err)
{
    char note[160], date[32];
    const time_t now = time(NULL);
    struct tm when;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &when));
    *s->trial = *s->machine;
    atn_model_machine_turn(s->trial, s->refiner.knob);
    snprintf(note, sizeof note, "%s, %d %s, mean error %.3f of %s", date, s->updates,
             s->refiner.n > 0 ? "updates" : "equations", error, s->model->name);
    char *text = atn_model_machine_note(s->trial, "refined", note)
                     ? atn_model_machine_print(s->trial)
                     : NULL;
    if (text == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    fputs(text, a->out);
    free(text);
    return ATN_OK;
}

/* Factors of all parameters, or every transfer time by itself. */
static atn_status fit(const atn_args *a, fitting *s, atn_error *err)
{
    const bool ols = atn_cli_arg_given(a, "ols");
    const double forget = (double)atn_cli_arg_int(a, "remember");
    if (!ols)
        atn_model_refiner_begin(&s->refiner, atn_model_machine_knobs(s->machine), 1 - 1 / forget,
                                0.5);
    atn_status status = ols ? has_tables(s, err) : ATN_OK;
    const double before = status == ATN_OK ? mean_error(s) : 0;
    if (status == ATN_OK && ols)
        status = estimate_all(s, err);
    else if (status == ATN_OK)
        refine_all(s);
    if (status != ATN_OK)
        return status;
    const double after = mean_error(s);
    report(s, before, after);
    return write_machine(a, s, after, err);
}

static int refine(const atn_args *a, atn_error *err)
{
    fitting s = {.machine = NULL};
    atn_status status = open_fit(a, &s, err);
    if (status == ATN_OK)
        status = prepare_observations(&s, err);
    if (status == ATN_OK)
        status = fit(a, &s, err);
    close_fit(&s);
    return status;
}

static const atn_option options[] = {
    ATN_OPTION_TOPOLOGY("Topology of the job; default: each rank on its own host of one switch"),
    ATN_TEXT("model", "NAME", "taulop", "Model whose predictions are fitted (docs/models.md)"),
    ATN_INT("remember", "N", "200", 10, 1000000,
            "Number of updates after which an old one has little weight"),
    ATN_FLAG("ols", "Estimate the transfer times L(m, tau) one by one, by ordinary least squares"),
    {0},
};

const atn_command atn_cmd_model_refine = {
    .noun = "model",
    .verb = "refine",
    ATN_OPERANDS("MACHINE SAMPLES ...", 2, 64),
    .help = "Fit the parameters of a machine to measured calls",
    .detail =
        "SAMPLES are files of 'attune bench --raw'. Every five samples of an algorithm give one "
        "update: the overheads and transfer times of each channel and the cost of reductions are "
        "multiplied by factors, which recursive least squares with forgetting determines. The new "
        "machine is written to standard output or -o FILE, the factors to standard error.\n\n"
        "With --ols, every value of the tables of transfer times is estimated by itself: each "
        "value of the machine and the median time of each algorithm and size is one equation, "
        "whose errors ordinary least squares minimise. Measured sizes are added to the tables.",
    .examples = ATN_NOTES({"attune model refine cluster.machine bench.samples -o refined.machine",
                           "Fit a machine to benchmark samples"}),
    .options = options,
    .flags = ATN_CMD_OUTPUT,
    .run = refine,
};
