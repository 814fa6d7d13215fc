/* cmd_refine.c - attune model refine: parameters of a machine, moved to where calls show them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/stats.h"
#include "cli/lookup.h"
#include "model/model.h"
#include "model/refine.h"
#include "report/samples.h"

enum { CHUNK = 5 }; /* samples whose median is one lesson */

/* What one algorithm took for one problem. */
typedef struct {
    atn_schedule **schedules;
    atn_op_graph g;
    const atn_times *seconds;
} lesson;

typedef struct {
    atn_machine *machine, *trial; /* as read, and with its knobs turned */
    atn_topo *topo;               /* NULL: not known */
    const atn_model *model;
    atn_samples samples;
    ATN_VEC(lesson) lessons;
    int left_out; /* variants that have no schedule here */
    const lesson *now;
    atn_refiner refiner;
    int learnt;
} school;

/* ---- lessons ---- */

static void free_lesson(lesson *l, int p)
{
    atn_op_graph_free(&l->g);
    for (int r = 0; l->schedules && r < p; r++)
        atn_schedule_free(l->schedules[r]);
    free(l->schedules);
}

static atn_status build_schedules(const school *s, const atn_task *t, const atn_choice *c,
                                  atn_schedule **schedules, atn_error *err)
{
    atn_status status = ATN_OK;
    for (int r = 0; r < t->ranks && status == ATN_OK; r++) {
        atn_problem q = {.op = c->row->op,
                         .p = t->ranks,
                         .r = r,
                         .bytes = atn_shares_bytes(c->row->op) ? t->bytes : -1,
                         .topo = s->topo};
        q.segments = atn_segments(c->row, &q, &c->params);
        if (atn_refuses(c->row, &q, &c->params))
            return ATN_NOT_APPLICABLE;
        status = atn_build(c->row, &q, &c->params, &schedules[r], err);
    }
    return status;
}

/* Adds a lesson, if the algorithm is known and serves the problem here. */
static atn_status add_lesson(school *s, const atn_task *t, const atn_variant *v, atn_error *err)
{
    lesson l = {.seconds = &v->seconds};
    atn_choice choice;
    atn_operation op;
    char *name = strdup(v->algorithm);
    atn_status status = name ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK &&
        (!atn_operation_find(t->operation, &op) ||
         atn_choice_read(op, name, &choice, NULL) != ATN_OK || !choice.row->algo->build))
        status = ATN_NOT_APPLICABLE;
    free(name);
    if (status == ATN_OK && !(l.schedules = calloc((size_t)t->ranks, sizeof *l.schedules)))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        status = build_schedules(s, t, &choice, l.schedules, err);
    if (status == ATN_OK)
        status = atn_op_graph_make(l.schedules, t->ranks, &l.g, err);
    if (status == ATN_OK) {
        atn_op_graph_size(&l.g, t->bytes);
        if (atn_push(&s->lessons, l))
            return ATN_OK;
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    free_lesson(&l, t->ranks);
    s->left_out += status == ATN_NOT_APPLICABLE;
    return status == ATN_NOT_APPLICABLE ? ATN_OK : status;
}

static atn_status prepare_lessons(school *s, atn_error *err)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < s->samples.tasks.n; i++) {
        const atn_task *t = &s->samples.tasks.v[i];
        for (int k = 0; k < t->variants.n && status == ATN_OK; k++) {
            const atn_variant *v = &t->variants.v[k];
            if (v->seconds.n > 0 && strcmp(v->algorithm, "native") != 0)
                status = add_lesson(s, t, v, err);
        }
    }
    if (status == ATN_OK && s->lessons.n == 0)
        status = atn_fail(err, ATN_INPUT,
                          "the samples hold no algorithm whose schedule is known here; measure "
                          "with attune bench --raw --variants native,all");
    return status;
}

/* ---- learning ---- */

static double predict(void *context, const double *knobs)
{
    school *s = context;
    double seconds = 0;
    *s->trial = *s->machine;
    atn_machine_turn(s->trial, knobs);
    const atn_model_case c = {.g = &s->now->g, .m = s->trial, .t = s->topo};
    return s->model->evaluate(&c, &seconds, NULL) == ATN_OK ? seconds : 0;
}

static double median_of(const double *v, int n)
{
    double copy[CHUNK];
    memcpy(copy, v, (size_t)n * sizeof *copy);
    return atn_median(copy, n).mid;
}

/* Mean of max(p, m) / min(p, m) over the lessons, at the knobs' present place. */
static double mean_error(school *s)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < s->lessons.n; i++) {
        const atn_times *t = s->lessons.v[i].seconds;
        double *copy = malloc((size_t)t->n * sizeof *copy);
        if (!copy)
            return 0;
        memcpy(copy, t->v, (size_t)t->n * sizeof *copy);
        s->now = &s->lessons.v[i];
        const double measured = atn_median(copy, t->n).mid, p = predict(s, s->refiner.knob);
        free(copy);
        if (p <= 0 || measured <= 0)
            continue;
        sum += fmax(p, measured) / fmin(p, measured);
        n++;
    }
    return n ? sum / n : 0;
}

/* In the order of the job: variants took turns. */
static void learn(school *s)
{
    bool more = true;
    for (int at = 0; more; at += CHUNK) {
        more = false;
        for (int i = 0; i < s->lessons.n; i++) {
            const atn_times *t = s->lessons.v[i].seconds;
            if (at >= t->n)
                continue;
            s->now = &s->lessons.v[i];
            atn_refiner_learn(&s->refiner, predict, s,
                              median_of(t->v + at, atn_min(CHUNK, t->n - at)));
            s->learnt++;
            more = true;
        }
    }
}

/* ---- the command ---- */

static atn_status open_school(const atn_args *a, school *s, atn_error *err)
{
    const char *topology = atn_arg_text(a, "topology");
    s->model = atn_model_find(atn_arg_text(a, "model"));
    s->trial = atn_machine_new();
    if (s->model == NULL)
        return atn_unknown_model("model", atn_arg_text(a, "model"), err);
    if (s->trial == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = atn_machine_read(a->operands[0], &s->machine, err);
    for (int i = 1; i < a->noperands && status == ATN_OK; i++)
        status = atn_samples_read(a->operands[i], &s->samples, err);
    if (status == ATN_OK && topology != NULL)
        status = atn_lookup_topology(topology, &s->topo, err);
    if (status == ATN_OK && s->topo && s->topo->p != s->samples.ranks)
        status = atn_fail(err, ATN_INPUT,
                          "%s has %d ranks, but the samples are of %d; add the order of ranks",
                          topology, s->topo->p, s->samples.ranks);
    return status;
}

static void close_school(school *s)
{
    for (int i = 0; i < s->lessons.n; i++)
        free_lesson(&s->lessons.v[i], s->samples.ranks);
    atn_vec_free(&s->lessons);
    atn_samples_free(&s->samples);
    atn_topo_free(s->topo);
    atn_machine_free(s->trial);
    atn_machine_free(s->machine);
}

static void report(const school *s, double before, double after)
{
    char name[64];
    fprintf(stderr, "%d lessons of %d calls; mean error of %s: %.3f before, %.3f after\n",
            s->learnt, s->lessons.n, s->model->name, before, after);
    if (s->left_out > 0)
        fprintf(stderr, "%d left out: no schedule of that name applies here\n", s->left_out);
    for (int i = 0; i < s->refiner.n; i++) {
        atn_machine_knob_name(s->machine, i, name, sizeof name);
        fprintf(stderr, "  %-20s times %.3f\n", name, exp(s->refiner.knob[i]));
    }
}

static atn_status write_machine(const atn_args *a, const school *s, double error, atn_error *err)
{
    char note[160], date[32];
    const time_t now = time(NULL);
    struct tm when;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &when));
    *s->trial = *s->machine;
    atn_machine_turn(s->trial, s->refiner.knob);
    snprintf(note, sizeof note, "%s, %d lessons, mean error %.3f of %s", date, s->learnt, error,
             s->model->name);
    char *text = atn_machine_note(s->trial, "refined", note) ? atn_machine_print(s->trial) : NULL;
    if (text == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    fputs(text, a->out);
    free(text);
    return ATN_OK;
}

static int refine(const atn_args *a, atn_error *err)
{
    school s = {.machine = NULL};
    atn_status status = open_school(a, &s, err);
    if (status == ATN_OK)
        status = prepare_lessons(&s, err);
    if (status == ATN_OK) {
        const double forget = (double)atn_arg_int(a, "remember");
        atn_refiner_begin(&s.refiner, atn_machine_knobs(s.machine), 1 - 1 / forget, 0.5);
        const double before = mean_error(&s);
        learn(&s);
        const double after = mean_error(&s);
        report(&s, before, after);
        status = write_machine(a, &s, after, err);
    }
    close_school(&s);
    return status;
}

static const atn_option options[] = {
    {.name = "topology",
     .argument = "FILE|STRING",
     .type = ATN_OPT_TEXT,
     .doc = "Where the ranks were; without it each had a host of its own on one switch"},
    {.name = "model",
     .argument = "NAME",
     .fallback = "taulop",
     .type = ATN_OPT_TEXT,
     .doc = "The model whose predictions are to fit (docs/models.md)"},
    {.name = "remember",
     .argument = "N",
     .fallback = "200",
     .type = ATN_OPT_INT,
     .min = 10,
     .max = 1000000,
     .doc = "Lessons after which an old one counts little"},
    {0},
};

const atn_command atn_cmd_model_refine = {
    .noun = "model",
    .verb = "refine",
    .operands = "MACHINE SAMPLES ...",
    .min_operands = 2,
    .max_operands = 64,
    .help = "Move the parameters of a machine to where measured calls show them",
    .detail =
        "SAMPLES are what attune bench --raw kept. Each five samples of an algorithm are one "
        "lesson: overheads and transfers of each channel and the cost of reducing are multiplied "
        "by factors that recursive least squares with forgetting finds, so that predictions fit "
        "and follow a machine that changes. The new machine goes to standard output or -o FILE, "
        "the factors to standard error.",
    .options = options,
    .flags = ATN_CMD_OUTPUT,
    .run = refine,
};
