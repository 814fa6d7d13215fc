/* cmd_measure.c - attune measure: measures the model parameters of a machine. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/measure.h"
#include "cli/progress.h"
#include "cli/survey.h"
#include "model/fit_machine.h"

/* ---- the job ---- */

typedef struct {
    atn_survey survey;
    atn_progress bar;
    const char *path; /* of the file for observations; NULL: they are not kept */
    bool resume;      /* it is extended */
    FILE *part;       /* NULL: none has arrived */
    bool open;        /* the head has arrived */
} watch;

static void make_room(void *context) { atn_cli_progress_clear(&((watch *)context)->bar); }

static void show_progress(watch *w)
{
    const atn_survey *s = &w->survey;
    char what[80] = "starting";
    if (s->seen.n > 0) {
        const atn_observation *o = &s->seen.v[s->seen.n - 1];
        snprintf(what, sizeof what, "%s%s%s", o->channel < 0 ? "" : s->channels.v[o->channel].name,
                 o->channel < 0 ? "" : " ", atn_model_obs_names[o->kind]);
    }
    atn_cli_progress_show(
        &w->bar, s->experiments ? (double)s->next / (s->experiments * s->rounds) : 0, what);
}

/* Observations of an interrupted measurement are kept until the first new line. */
static atn_status keep_line(watch *w, const char *text, atn_error *err)
{
    if (w->part == NULL)
        w->part = fopen(w->path, w->resume ? "ae" : "we");
    if (w->part == NULL)
        return atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be written: %m", w->path);
    fprintf(w->part, "%s\n", text);
    fflush(w->part);
    return ATN_OK;
}

static atn_status take_line(void *context, const char *text, atn_error *err)
{
    watch *w = context;
    atn_status status = atn_model_survey_line(&w->survey, text, err);
    w->open = w->open || strcmp(text, "attune-survey 1") == 0;
    if (status == ATN_OK && w->path != NULL && w->open)
        status = keep_line(w, text, err);
    show_progress(w);
    return status;
}

/* A file as an absolute path, because ranks may start in another folder. */
static const char *topology_of(const atn_args *a, char real[PATH_MAX])
{
    const char *text = atn_cli_arg_text(a, "topology");
    if (text == NULL)
        text = getenv("ATTUNE_TOPOLOGY");
    if (text == NULL || *text == '\0')
        return NULL;
    return realpath(text, real) != NULL ? real : text;
}

static atn_status run_job(const atn_args *a, watch *w, atn_error *err)
{
    char real[PATH_MAX], from[16];
    const char *topology = topology_of(a, real);
    char *arguments[] = {
        "--time",      (char *)atn_cli_arg_text(a, "time"),
        "--from",      from,
        "--off-cache", atn_cli_arg_given(a, "off-cache") ? "1" : "0",
        "--topology",  (char *)topology,
    };
    snprintf(from, sizeof from, "%d", w->survey.next);
    const atn_measure m = {
        .launcher = a->rest,
        .nlauncher = a->nrest,
        .mpi = atn_cli_arg_text(a, "mpi"),
        .program = "measure_exec",
        .arguments = arguments,
        .narguments = topology ? 8 : 6,
        .line = take_line,
        .make_room = make_room,
        .context = w,
    };
    w->survey.begun = false; /* no output of the job yet */
    atn_cli_progress_begin(&w->bar);
    show_progress(w);
    const atn_status status = atn_cli_measure_run(&m, err);
    atn_cli_progress_clear(&w->bar);
    return status == ATN_OK ? atn_model_survey_end(&w->survey, err) : status;
}

/* ---- partial results ---- */

/* Loads the observations so far; removes an incomplete last line. */
static atn_status load_part(const char *path, atn_survey *s, atn_error *err)
{
    char *text = NULL;
    size_t bytes;
    atn_status status = atn_model_survey_read(path, s, err);
    if (status == ATN_OK)
        status = atn_read_file(path, &text, &bytes, err);
    if (status == ATN_OK) {
        const char *last = strrchr(text, '\n');
        status = atn_write_file(path, text, last ? (size_t)(last + 1 - text) : 0, err);
    }
    free(text);
    return status;
}

static atn_status find_part(const atn_args *a, const char *path, watch *w, atn_error *err)
{
    w->resume = atn_cli_arg_given(a, "resume");
    w->path = path;
    if (path == NULL && w->resume)
        return atn_fail(err, ATN_USAGE, "--resume requires -o FILE; it continues FILE.part");
    if (w->resume)
        return load_part(path, &w->survey, err);
    return path != NULL ? atn_may_write(path, false, err) : ATN_OK;
}

/* ---- the machine ---- */

static bool note_launcher(const atn_args *a, atn_machine *m)
{
    char text[160] = "";
    for (int i = 0; i < a->nrest; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", a->rest[i]);
    return atn_model_machine_note(m, "launcher", text);
}

static bool note_origin(const atn_args *a, atn_machine *m)
{
    char host[160] = "", date[64];
    const time_t now = time(NULL);
    struct tm when;
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &when));
    return atn_model_machine_note(m, "date", date) && atn_model_machine_note(m, "host", host) &&
           atn_model_machine_note(m, "attune", ATN_VERSION) &&
           (!atn_cli_arg_given(a, "off-cache") ||
            atn_model_machine_note(m, "buffers", "off cache")) &&
           note_launcher(a, m);
}

enum { WARNINGS = 5 };

typedef struct {
    const atn_machine *m;
    int n;
} warnings;

static void warn(void *to, int line, const char *text)
{
    warnings *const w = to;
    char place[16] = "";
    if (line > 0)
        snprintf(place, sizeof place, ":%d", line);
    if (w->n++ < WARNINGS)
        fprintf(stderr, "attune: warning: %s%s: %s\n", w->m->origin, place, text);
}

/* Limited, so that the report stays visible. */
static void print_warnings(const atn_machine *m)
{
    warnings w = {.m = m};
    atn_model_machine_warnings(m, warn, &w);
    if (w.n > WARNINGS)
        fprintf(stderr, "attune: warning: and %d more implausible values\n", w.n - WARNINGS);
}

static atn_status write_machine(const atn_args *a, atn_survey *s, atn_error *err)
{
    atn_machine *m = NULL;
    atn_status status = atn_model_fit_machine(s, &m, err);
    if (status != ATN_OK)
        return status;
    char *text = note_origin(a, m) ? atn_model_machine_print(m) : NULL;
    if (text == NULL)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    else
        fputs(text, a->out);
    snprintf(m->origin, sizeof m->origin, "%s",
             atn_cli_arg_text(a, "output") ? atn_cli_arg_text(a, "output") : "machine");
    if (status == ATN_OK && !atn_cli_arg_given(a, "quiet"))
        print_warnings(m);
    free(text);
    atn_model_machine_free(m);
    return status;
}

static atn_status print_report(const atn_args *a, const atn_survey *s, double seconds,
                               atn_error *err)
{
    int samples = 0;
    if (atn_cli_arg_given(a, "quiet"))
        return ATN_OK;
    for (int i = 0; i < s->seen.n; i++)
        samples += s->seen.v[i].samples;
    fprintf(stderr, "%d ranks on %d host%s, %s: %d of %d experiments, %d samples, %.0f s\n",
            s->ranks, s->hosts, s->hosts == 1 ? "" : "s", s->mpi, s->seen.n, s->experiments,
            samples, seconds);
    if (s->processors > 0)
        fprintf(stderr, "the hosts are one machine and share its %d processors\n", s->processors);
    return atn_cli_survey_report(stderr, s, atn_cli_arg_format(a), isatty(STDERR_FILENO), err);
}

static int measure(const atn_args *a, atn_error *err)
{
    char part[PATH_MAX] = "";
    watch w = {.survey = {0}};
    const char *output = atn_cli_arg_text(a, "output");
    const double began = atn_cli_seconds();
    if (output != NULL)
        snprintf(part, sizeof part, "%s.part", output);
    atn_status status = find_part(a, output ? part : NULL, &w, err);
    if (status == ATN_OK)
        status = run_job(a, &w, err);
    if (status == ATN_OK)
        status = write_machine(a, &w.survey, err);
    if (status == ATN_OK)
        status = print_report(a, &w.survey, atn_cli_seconds() - began, err);
    if (w.part != NULL) {
        fclose(w.part);
        if (status == ATN_OK || w.survey.seen.n == 0)
            unlink(part);
    }
    atn_model_survey_free(&w.survey);
    return status;
}

static const atn_option options[] = {
    ATN_OPTION_TOPOLOGY("Topology: each level of switches is measured separately"),
    ATN_INT("time", "S", "60", 1, 86400,
            "Seconds for all experiments; from 10 s on, they are repeated in several rounds"),
    ATN_FLAG("off-cache", "Use buffers that are not in the cache"),
    ATN_FLAG("resume", "Continue an interrupted measurement with the same -o FILE"),
    ATN_OPTION_MPI_LAUNCHER,
    ATN_OPTION_QUIET,
    {0},
};

const atn_command atn_cmd_measure = {
    .noun = "measure",
    .help = "Measure a machine: the parameters of performance models",
    .detail =
        "COMMAND is a launcher with its options and without a program. Attune adds its own "
        "program, in which a few ranks at a time exchange messages while the others sleep: through "
        "the MPI library and, inside a host, also through Attune's shared memory, unless "
        "ATTUNE_TRANSPORT is mpi. The "
        "result is a machine file (docs/machine-format.md). A report on standard error (--format) "
        "has half the 95 % confidence interval of the medians for each observation. At least two "
        "ranks are required, on one host or on several. Observations are kept in FILE.part until "
        "the measurement is complete, so that --resume can continue it. docs/calibration.md "
        "describes the experiments.",
    .examples = ATN_NOTES(
        {"attune measure -o cluster.machine -- mpirun -n 16", "Measure the hosts of a job"},
        {"attune measure -o cluster.machine --resume -- mpirun -n 16",
         "Continue an interrupted measurement"}),
    .files = ATN_NOTES({"FILE.part", "Observations of an unfinished 'attune measure -o FILE'"}),
    .options = options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT | ATN_CMD_REST | ATN_CMD_JOB,
    .run = measure,
};
