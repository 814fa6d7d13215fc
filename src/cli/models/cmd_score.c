/* cmd_score.c - attune model score: compares predictions with samples of 'attune bench'. */
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "cli/forecast.h"
#include "plan/planner.h"
#include "report/samples.h"
#include "report/score.h"

typedef struct {
    const atn_args *a;
    atn_machine *machine;
    atn_topo *topo; /* NULL: not given */
    atn_sharing sharing;
    atn_samples samples;
    const atn_model *model[ATN_SCORE_MODELS];
    atn_score score;
} scoring;

/* ---- input ---- */

static atn_status use_model(scoring *s, const atn_model *model, const char *word, atn_error *err)
{
    if (!model)
        return atn_model_unknown_model("models", word, err);
    if (s->score.nmodels == ATN_SCORE_MODELS)
        return atn_fail(err, ATN_USAGE, "--models: at most %d", ATN_SCORE_MODELS);
    s->model[s->score.nmodels] = model;
    s->score.model[s->score.nmodels++] = model->name;
    return ATN_OK;
}

static atn_status read_models(scoring *s, atn_error *err)
{
    const char *given = atn_cli_arg_text(s->a, "models");
    char words[256], *save = NULL;
    atn_status st = given ? atn_check_list("--models", given, ATN_USAGE, err) : ATN_OK;
    for (int i = 0; !given && i < atn_models() && !st; i++)
        if (!atn_model_at(i)->circuits) /* no measurements exist for these */
            st = use_model(s, atn_model_at(i), "", err);
    snprintf(words, sizeof words, "%s", given ? given : "");
    for (char *w = strtok_r(words, ",", &save); w && !st; w = strtok_r(NULL, ",", &save))
        st = use_model(s, atn_model_find(w), w, err);
    return st;
}

static atn_status read_topology(scoring *s, atn_error *err)
{
    const char *name = atn_cli_arg_text(s->a, "topology");
    atn_status st = name ? atn_cli_lookup_topology(name, &s->topo, err) : ATN_OK;
    if (!st && s->topo && s->topo->p != s->samples.ranks)
        st = atn_fail(err, ATN_INPUT, "%s has %d ranks, but the samples have %d", name, s->topo->p,
                      s->samples.ranks);
    return st;
}

static atn_status read_all(scoring *s, atn_error *err)
{
    atn_status st = read_models(s, err);
    for (int i = 0; i < s->a->noperands && !st; i++)
        st = atn_report_samples_read(s->a->operands[i], &s->samples, err);
    st = st ? st : read_topology(s, err);
    st = st ? st : atn_cli_forecast_load(s->a, s->topo, &s->machine, err);
    return st ? st : atn_cli_forecast_sharing(s->machine, s->topo, &s->sharing, err);
}

/* ---- predicting ---- */

/* A model without a prediction for an algorithm leaves a gap. */
static void predict(const scoring *s, const atn_choice *c, const atn_problem *q, atn_score_row *x)
{
    for (int k = 0; k < s->score.nmodels; k++) {
        int64_t budget = INT64_MAX;
        atn_error err = {0};
        if (atn_plan_planner_time(c, q, s->machine, s->model[k], &budget, &x->predicted[k], &err))
            x->predicted[k] = 0;
    }
}

static atn_status add_variant(scoring *s, const atn_task *t, const atn_variant *v, atn_error *err)
{
    atn_score_row x = {.bytes = t->bytes, .algorithm = v->algorithm};
    atn_problem q = {
        .p = t->ranks, .bytes = t->bytes, .topo = s->topo, .segments = 1, .shared = s->sharing};
    atn_choice c = {0};
    char name[ATN_NAME_ROOM];
    snprintf(x.operation, sizeof x.operation, "%s", t->operation);
    snprintf(name, sizeof name, "%s", v->algorithm);
    if (!atn_sched_operation_find(t->operation, &q.op))
        return atn_fail(err, ATN_INPUT, "the samples contain an unknown operation '%s'",
                        t->operation);
    const atn_status st = atn_plan_choice_read(q.op, name, &c, err);
    if (st || !c.row->algo->build)
        return st;
    x.measured = atn_median(v->seconds.v, v->seconds.n).mid;
    x.chosen = v->role == ATN_ROLE_ATTUNE;
    q.segments = atn_algo_segments(c.row, &q, &c.params);
    if (!x.chosen)
        predict(s, &c, &q, &x);
    return atn_push(&s->score.rows, x) ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

static atn_status add_tasks(scoring *s, atn_error *err)
{
    atn_status st = ATN_OK;
    for (int i = 0; i < s->samples.tasks.n; i++) {
        const atn_task *t = &s->samples.tasks.v[i];
        for (int k = 0; k < t->variants.n && !st; k++)
            if (t->bytes >= atn_cli_arg_int(s->a, "from") && t->variants.v[k].seconds.n > 0)
                st = add_variant(s, t, &t->variants.v[k], err);
    }
    if (!st && s->score.rows.n == 0)
        st =
            atn_fail(err, ATN_INPUT,
                     "the samples contain nothing to predict: only native, or smaller than --from");
    return st;
}

static int score(const atn_args *a, atn_error *err)
{
    scoring s = {.a = a, .score.within = atn_cli_arg_number(a, "within")};
    atn_status st = read_all(&s, err);
    st = st ? st : add_tasks(&s, err);
    if (!st)
        st = (atn_cli_arg_given(a, "rows") ? atn_report_score_write_rows
                                           : atn_report_score_write_merits)(
            a->out, &s.score, atn_cli_arg_format(a), a->terminal, err);
    atn_vec_free(&s.score.rows);
    atn_report_samples_free(&s.samples);
    atn_model_machine_free(s.machine);
    atn_topo_free(s.topo);
    return st;
}

/* ---- descriptor ---- */

static const atn_option options[] = {
    ATN_OPTION_MACHINE(ATN_DOC_MACHINE),
    ATN_OPTION_TOPOLOGY("Topology of the job"),
    ATN_TEXT("models", "LIST", NULL, "Models, separated by commas; default: all"),
    ATN_SIZE("from", "SIZE", "0", "Ignore smaller messages"),
    ATN_NUMBER("within", "RHO", "0.2", 0, 1000,
               "Relative error of predictions counted as accurate"),
    ATN_FLAG("rows", "Show every algorithm instead of the summary"),
    {0},
};

const atn_command atn_cmd_model_score = {
    .noun = "model",
    .verb = "score",
    ATN_OPERANDS("SAMPLES ...", 1, 64),
    .help = "Compare predictions with measured times",
    .detail =
        "SAMPLES are files of 'attune bench --raw'. Every algorithm in them except native is "
        "predicted with every model. 'mu' is the mean proportional error, max(predicted, measured) "
        "/ min(predicted, measured), 'worst' the largest; 'bias' is the geometric mean of "
        "predicted over measured. 'price' is the cost of selection by the model: the measured time "
        "of the algorithm with the least predicted time, divided by that of the fastest algorithm, "
        "averaged over operations and sizes; 'dearest' is the largest of these. 'rho' is the mean "
        "relative error, |predicted - measured| / measured, and 'within' the part of the "
        "predictions whose relative error is at most --within: those with a proportional error up "
        "to 1 + RHO if they are too high, 1 / (1 - RHO) if too low. If the samples "
        "contain the variant 'attune' of 'attune bench --machine', the line 'planner' has this "
        "figure for its selections.",
    .examples = ATN_NOTES({"attune model score bench.samples --machine cluster.machine",
                           "Evaluate the models on benchmark samples"}),
    .options = options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = score,
};
