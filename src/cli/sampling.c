/* sampling.c - see sampling.h. */
#include "cli/sampling.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/measure.h"
#include "plan/settings.h"

extern char **environ;

/* ---- the running job ---- */

static double part_done(const atn_sampling *w)
{
    const double now = atn_cli_seconds();
    const bool in_task = w->reader.state == ATN_IN_TASK;
    const double usual = w->reader.done > 0 ? (w->task_began - w->began) / w->reader.done : 0;
    const double seconds = w->guess && usual > 0 ? usual : w->seconds;
    const double within = in_task ? fmin(0.95, (now - w->task_began) / seconds) : 0;
    if (w->whole)
        return fmin(0.99, (now - w->began) / w->seconds);
    return fmin(0.99, (w->reader.done + within) / atn_max(w->tasks, 1));
}

/* "bcast 64K" */
static void name_task(const atn_sampling *w, char out[80])
{
    const atn_task *t = &w->samples.tasks.v[w->reader.task];
    char size[32];
    snprintf(out, 80, "%s %s", t->operation, atn_format_size(t->bytes, size));
}

static void show_progress(atn_sampling *w)
{
    char what[80] = "starting";
    if (w->reader.state == ATN_IN_TASK)
        name_task(w, what);
    atn_cli_progress_show(&w->bar, part_done(w), what);
}

static void begin_task(atn_sampling *w)
{
    char what[80];
    w->task_began = atn_cli_seconds();
    name_task(w, what);
    if (w->lines)
        atn_cli_progress_line(&w->bar, part_done(w), what);
}

static void make_room(void *context) { atn_cli_progress_clear(&((atn_sampling *)context)->bar); }

/* "bcast 128K: lr2: why": the job continues without it. */
static void tell_refused(atn_sampling *w)
{
    char what[80];
    name_task(w, what);
    make_room(w);
    fprintf(stderr, "attune: note: %s is measured without %s\n", what, w->reader.refused);
    free(w->reader.refused);
    w->reader.refused = NULL;
}

/* Provenance of raw samples. */
static void write_provenance(FILE *f, const atn_args *a)
{
    char host[256] = "", date[64];
    const time_t now = time(NULL);
    struct tm when;
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &when));
    fprintf(f, "# attune %s %s on %s, %s\n# launcher:", a->command->noun, ATN_VERSION, host, date);
    for (int i = 0; i < a->nrest; i++)
        fprintf(f, " %s", a->rest[i]);
    fputc('\n', f);
}

/* Samples of an earlier job are kept until the first new line.  Pipes cannot be truncated. */
static atn_status open_raw(atn_sampling *w, atn_error *err)
{
    struct stat about;
    atn_make_folders(w->path);
    w->raw = fopen(w->path, "ae");
    if (w->raw == NULL || (!w->more && ftruncate(fileno(w->raw), 0) != 0 && errno != EINVAL))
        return atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be written: %m", w->path);
    w->kept = w->more && fstat(fileno(w->raw), &about) == 0 ? about.st_size : -1;
    write_provenance(w->raw, w->a);
    return ATN_OK;
}

static atn_status keep_line(atn_sampling *w, const char *text, atn_error *err)
{
    if (w->raw == NULL && open_raw(w, err) != ATN_OK)
        return err->status;
    fprintf(w->raw, "%s\n", text);
    fflush(w->raw);
    return ATN_OK;
}

static atn_status take_line(void *context, const char *text, atn_error *err)
{
    atn_sampling *w = context;
    const bool was_in_task = w->reader.state == ATN_IN_TASK;
    const int was_done = w->reader.done;
    atn_status status = atn_report_samples_line(&w->reader, text, false, err);
    if (w->path != NULL && (w->reader.state != ATN_BEFORE_JOB || strcmp(text, "end") == 0)) {
        const atn_status kept = keep_line(w, text, err);
        status = status == ATN_OK ? kept : status;
    }
    if (status != ATN_OK)
        return status;
    if (w->reader.state == ATN_IN_TASK && !was_in_task)
        begin_task(w);
    if (w->reader.refused != NULL)
        tell_refused(w);
    if (w->done != NULL && w->reader.done > was_done) {
        make_room(w);
        return w->done(w->context, &w->samples, w->reader.task, err);
    }
    show_progress(w);
    return ATN_OK;
}

/* ---- run and end ---- */

/* The job uses the same variables as a program under `attune run`. */
static atn_status check_environment(atn_error *err)
{
    atn_settings s;
    char *warning = NULL;
    atn_plan_settings_default(&s);
    const atn_status status = atn_plan_settings_environ(&s, environ, &warning, err);
    free(warning);
    atn_plan_settings_free(&s);
    return status;
}

static atn_measure job_of(const atn_sampling *w, const atn_args *a)
{
    return (atn_measure){.launcher = a->rest,
                         .nlauncher = a->nrest,
                         .mpi = atn_cli_arg_text(a, "mpi"),
                         .program = w->program};
}

atn_status atn_cli_sampling_check(const atn_sampling *w, const atn_args *a, atn_error *err)
{
    const atn_measure m = job_of(w, a);
    atn_words words = {0};
    const atn_status status = atn_cli_measure_command(&m, &words, err);
    atn_cli_words_free(&words);
    return status;
}

atn_status atn_cli_sampling_run(atn_sampling *w, const atn_args *a, const atn_words *arguments,
                                const char *path, bool more, atn_error *err)
{
    atn_measure m = job_of(w, a);
    m.arguments = arguments->v;
    m.narguments = arguments->n;
    m.line = take_line;
    m.make_room = make_room;
    m.context = w;
    if (check_environment(err) != ATN_OK)
        return err->status;
    w->a = a;
    w->path = path;
    w->more = more;
    w->reader.s = &w->samples;
    w->reader.origin = "samples of the job";
    w->began = atn_cli_seconds();
    atn_cli_progress_begin(&w->bar);
    show_progress(w);
    const atn_status status = atn_cli_measure_run(&m, err);
    atn_cli_progress_clear(&w->bar);
    return status == ATN_OK ? atn_report_samples_end(&w->reader, err) : status;
}

atn_status atn_cli_sampling_end(atn_sampling *w, atn_error *err)
{
    bool bad = w->raw != NULL && fclose(w->raw) != 0;
    /* A job without samples may not match the existing file. */
    if (w->raw != NULL && w->kept >= 0 && w->samples.tasks.n == 0)
        bad = truncate(w->path, w->kept) != 0 || bad;
    w->raw = NULL;
    atn_report_samples_reader_free(&w->reader);
    return bad ? atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be written: %m", w->path) : ATN_OK;
}

/* ---- arguments of the program ---- */

bool atn_cli_words_add(atn_words *words, const char *text)
{
    char *copy = strdup(text);
    if (copy != NULL && atn_push(words, copy))
        return true;
    free(copy);
    return false;
}

bool atn_cli_words_option(atn_words *words, const char *name, const char *value)
{
    char option[32];
    snprintf(option, sizeof option, "--%s", name);
    return atn_cli_words_add(words, option) && atn_cli_words_add(words, value);
}

bool atn_cli_words_setting(atn_words *words, const atn_args *a, const char *option,
                           const char *variable)
{
    char real[PATH_MAX];
    const char *text = atn_cli_arg_text(a, option);
    if (text == NULL && variable != NULL)
        text = getenv(variable);
    if (text == NULL || *text == '\0')
        return true;
    return atn_cli_words_option(words, option, realpath(text, real) != NULL ? real : text);
}

atn_status atn_cli_words_topology(atn_words *words, const atn_args *a, atn_error *err)
{
    char real[PATH_MAX], *job = NULL;
    const char *name = atn_cli_arg_text(a, "topology");
    if (name == NULL)
        name = getenv("ATTUNE_TOPOLOGY");
    if (name == NULL || *name == '\0')
        return ATN_OK;
    atn_status status = atn_cli_job_topology(name, &job, err);
    if (status == ATN_OK &&
        !atn_cli_words_option(words, "topology", realpath(job, real) != NULL ? real : job))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    free(job);
    return status;
}
