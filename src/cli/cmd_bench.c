/* cmd_bench.c - attune bench: collectives measured in several variants, judged with confidence. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/measure.h"
#include "cli/progress.h"
#include "report/bench.h"
#include "report/table.h"

/* ---- the job, while it runs ---- */

typedef struct {
    atn_samples samples;
    atn_samples_reader reader;
    FILE *raw; /* NULL: not kept */
    atn_progress bar;
    int tasks;
    double seconds, task_began; /* budget of a task */
} watch;

static void show_progress(watch *w)
{
    char what[80] = "starting", size[32];
    double within = 0;
    if (w->reader.state == ATN_IN_TASK) {
        const atn_task *t = &w->samples.tasks.v[w->reader.task];
        snprintf(what, sizeof what, "%s %s", t->operation, atn_format_size(t->bytes, size));
        within = fmin(0.95, (atn_seconds() - w->task_began) / w->seconds);
    }
    atn_progress_show(&w->bar, (w->reader.done + within) / w->tasks, what);
}

static void make_room(void *context) { atn_progress_clear(&((watch *)context)->bar); }

/* "bcast 128K: lr2: why": the job goes on without it. */
static void tell_refused(watch *w)
{
    const atn_task *t = &w->samples.tasks.v[w->reader.task];
    char size[32];
    make_room(w);
    fprintf(stderr, "attune: note: %s %s is measured without %s\n", t->operation,
            atn_format_size(t->bytes, size), w->reader.refused);
    free(w->reader.refused);
    w->reader.refused = NULL;
}

static atn_status take_line(void *context, const char *text, atn_error *err)
{
    watch *w = context;
    const bool was_in_task = w->reader.state == ATN_IN_TASK;
    const atn_status status = atn_samples_line(&w->reader, text, false, err);
    if (w->raw != NULL && (w->reader.state != ATN_BEFORE_JOB || strcmp(text, "end") == 0)) {
        fprintf(w->raw, "%s\n", text);
        fflush(w->raw);
    }
    if (status != ATN_OK)
        return status;
    if (w->reader.state == ATN_IN_TASK && !was_in_task)
        w->task_began = atn_seconds();
    if (w->reader.refused != NULL)
        tell_refused(w);
    show_progress(w);
    return ATN_OK;
}

/* Where and how raw samples came about. */
static void write_provenance(FILE *f, const atn_args *a)
{
    char host[256] = "", date[64];
    const time_t now = time(NULL);
    struct tm when;
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &when));
    fprintf(f, "# attune bench %s on %s, %s\n# launcher:", ATN_VERSION, host, date);
    for (int i = 0; i < a->nrest; i++)
        fprintf(f, " %s", a->rest[i]);
    fputc('\n', f);
}

static atn_status open_raw(const atn_args *a, FILE **raw_p, atn_error *err)
{
    const char *path = atn_arg_text(a, "raw");
    if (path == NULL)
        return ATN_OK;
    *raw_p = fopen(path, "w");
    if (*raw_p == NULL)
        return atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be written: %m", path);
    write_provenance(*raw_p, a);
    return ATN_OK;
}

/* ---- arguments of the program ---- */

static bool add_word(atn_words *words, const char *text)
{
    char *copy = strdup(text);
    if (copy != NULL && atn_push(words, copy))
        return true;
    free(copy);
    return false;
}

/* Options whose setting may also be in the environment, which launchers do not always pass on;
 * files by their full path, because ranks may start elsewhere. */
static const struct {
    const char *option, *variable;
} settings[] = {
    {"topology", "ATTUNE_TOPOLOGY"},
    {"rules", "ATTUNE_RULES"},
    {"algorithm", "ATTUNE_ALGORITHM"},
    {"machine", "ATTUNE_MACHINE"},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static bool add_settings(const atn_args *a, atn_words *words)
{
    bool ok = true;
    for (int i = 0; i < SETTINGS && ok; i++) {
        char option[32], real[PATH_MAX];
        const char *text = atn_arg_text(a, settings[i].option);
        if (text == NULL)
            text = getenv(settings[i].variable);
        if (text == NULL || *text == '\0')
            continue;
        snprintf(option, sizeof option, "--%s", settings[i].option);
        ok = add_word(words, option) && add_word(words, realpath(text, real) != NULL ? real : text);
    }
    return ok;
}

static atn_status collect_arguments(const atn_args *a, const atn_words *tasks, atn_words *words,
                                    atn_error *err)
{
    bool ok = add_word(words, "--seconds") && add_word(words, atn_arg_text(a, "seconds")) &&
              add_word(words, "--calls") && add_word(words, atn_arg_text(a, "calls")) &&
              add_settings(a, words);
    for (int i = 0; i < tasks->n && ok; i++)
        ok = add_word(words, tasks->v[i]);
    return ok ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

/* ---- measuring ---- */

static atn_status run_job(const atn_args *a, watch *w, const atn_words *arguments, atn_error *err)
{
    const atn_measure m = {
        .launcher = a->rest,
        .nlauncher = a->nrest,
        .mpi = atn_arg_text(a, "mpi"),
        .program = "bench_exec",
        .arguments = arguments->v,
        .narguments = arguments->n,
        .line = take_line,
        .make_room = make_room,
        .context = w,
    };
    atn_progress_begin(&w->bar);
    show_progress(w);
    const atn_status status = atn_measure_run(&m, err);
    atn_progress_clear(&w->bar);
    return status == ATN_OK ? atn_samples_end(&w->reader, err) : status;
}

static atn_status check_seconds(const atn_args *a, double *seconds_p, atn_error *err)
{
    const char *text = atn_arg_text(a, "seconds");
    char *end;
    *seconds_p = strtod(text, &end);
    if (end == text || *end != '\0' || !(*seconds_p > 0 && *seconds_p <= 86400))
        return atn_fail(err, ATN_USAGE, "--seconds %s: must be a number above 0", text);
    return ATN_OK;
}

static atn_status measure(const atn_args *a, atn_samples *s, atn_error *err)
{
    const atn_bench_wish wish = {.ops = atn_arg_text(a, "ops"),
                                 .sizes = atn_arg_text(a, "sizes"),
                                 .variants = atn_arg_text(a, "variants"),
                                 .candidates = atn_arg_text(a, "candidates")};
    atn_words tasks = {0}, arguments = {0};
    watch w = {.reader = {.origin = "samples of the job"}};
    w.reader.s = &w.samples;
    atn_status status = check_seconds(a, &w.seconds, err);
    if (status == ATN_OK)
        status = atn_bench_tasks(&wish, &tasks, err);
    w.tasks = tasks.n;
    if (status == ATN_OK)
        status = collect_arguments(a, &tasks, &arguments, err);
    if (status == ATN_OK)
        status = open_raw(a, &w.raw, err);
    if (status == ATN_OK)
        status = run_job(a, &w, &arguments, err);
    if (w.raw != NULL && fclose(w.raw) != 0 && status == ATN_OK)
        status =
            atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be written: %m", atn_arg_text(a, "raw"));
    atn_words_free(&tasks);
    atn_words_free(&arguments);
    atn_samples_reader_free(&w.reader);
    *s = w.samples;
    return status;
}

static atn_status read_files(const atn_args *a, atn_samples *s, atn_error *err)
{
    atn_status status = ATN_OK;
    if (a->nrest > 0)
        return atn_fail(err, ATN_USAGE, "--from reads samples and runs nothing; leave '%s' out",
                        a->rest[0]);
    for (int i = 0; i < atn_arg_count(a, "from") && status == ATN_OK; i++)
        status = atn_samples_read(atn_arg_nth(a, "from", i), s, err);
    return status;
}

/* ---- results ---- */

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

static atn_status check_plot(const atn_args *a, atn_error *err)
{
    const char *path = atn_arg_text(a, "plot");
    if (path == NULL || ends_with(path, ".svg") || ends_with(path, ".html"))
        return ATN_OK;
    return atn_fail(err, ATN_USAGE, "--plot %s: must end with .svg or .html", path);
}

static atn_status write_plot(const char *path, const atn_samples *s, const atn_bench_rows *rows,
                             atn_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (f == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = atn_bench_plot(f, s, rows, ends_with(path, ".html"), err);
    if (fclose(f) != 0 && status == ATN_OK)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        status = atn_write_file(path, text, bytes, err);
    free(text);
    return status;
}

static atn_status write_results(const atn_args *a, const atn_samples *s, atn_error *err)
{
    atn_bench_rows rows = {0};
    const char *plot = atn_arg_text(a, "plot");
    atn_status status = atn_bench_summarise(s, &rows, err);
    if (status == ATN_OK)
        status = atn_bench_write(a->out, s, &rows, atn_arg_format(a), a->terminal, err);
    if (status == ATN_OK && plot != NULL)
        status = write_plot(plot, s, &rows, err);
    atn_vec_free(&rows);
    return status;
}

static int bench(const atn_args *a, atn_error *err)
{
    atn_samples s = {0};
    atn_status status = check_plot(a, err);
    if (status == ATN_OK)
        status = atn_arg_given(a, "from") ? read_files(a, &s, err) : measure(a, &s, err);
    if (status == ATN_OK)
        status = write_results(a, &s, err);
    atn_samples_free(&s);
    return status;
}

/* ---- descriptor ---- */

static const char *const mpi_words[] = {"openmpi", "mpich", NULL};

static const atn_option options[] = {
    {.name = "ops",
     .argument = "LIST",
     .type = ATN_OPT_TEXT,
     .fallback = "bcast,reduce,allgather,allreduce,alltoall",
     .doc = "Operations to measure"},
    {.name = "sizes",
     .argument = "LIST",
     .type = ATN_OPT_TEXT,
     .fallback = "1K:1M:x4",
     .doc = "Sizes of the message, or of the block of each rank or pair of ranks: 16K,1M or ranges "
            "such as 1K:1M:x4"},
    {.name = "variants",
     .argument = "LIST",
     .type = ATN_OPT_TEXT,
     .fallback = "native,attune",
     .doc = "What to compare: native (always measured), attune (as it is configured), best, all, "
            "and names of algorithms: chain{segment=8K}, bcast/binomial"},
    {.name = "candidates",
     .argument = "LIST",
     .type = ATN_OPT_TEXT,
     .doc = "Algorithms among which 'best' is sought, besides native; by default all that are "
            "worth trying"},
    {.name = "seconds",
     .argument = "S",
     .type = ATN_OPT_TEXT,
     .fallback = "5",
     .doc = "Time for each operation and size; four rounds are always made"},
    {.name = "calls",
     .argument = "N",
     .type = ATN_OPT_INT,
     .fallback = "1000",
     .min = 1,
     .max = 1000000,
     .doc = "At most so many calls of each variant"},
    {.name = "topology",
     .argument = "FILE|STRING",
     .type = ATN_OPT_TEXT,
     .doc = "Where the hosts are, for algorithms that use it and for the physical bound"},
    {.name = "rules",
     .letter = 'r',
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "Rules (wisdom) by which the variant 'attune' chooses"},
    {.name = "algorithm",
     .letter = 'a',
     .argument = "LIST",
     .type = ATN_OPT_TEXT,
     .doc = "Algorithms forced in the variant 'attune': 'allreduce=ring,bcast=chain:segment=8K'"},
    {.name = "machine",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc =
         "What 'attune measure' found: where no rule says anything, the variant 'attune' is what "
         "the planner predicts to be fastest"},
    {.name = "raw",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "Keep every sample in FILE, as it comes (docs/measuring.md)"},
    {.name = "from",
     .argument = "FILE",
     .type = ATN_OPT_LIST,
     .doc =
         "Run nothing: read samples kept with --raw; given several times, equal jobs are pooled"},
    {.name = "plot",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "Also draw time against size: FILE.svg, or FILE.html with the table"},
    {.name = "mpi",
     .argument = "MPI",
     .type = ATN_OPT_WORD,
     .words = mpi_words,
     .doc = "The MPI of the launcher, where it does not tell"},
    {0},
};

const atn_command atn_cmd_bench = {
    .noun = "bench",
    .help = "Measure collectives: the MPI library's own against Attune's, with confidence",
    .detail =
        "The command behind -- is a launcher with its options and no program: mpirun -n 4, srun, "
        "attune lab run --mpi mpich -n 16. Attune adds a program of its own, which runs all "
        "variants in turns in one job; a call takes as long as its slowest rank. Reported are "
        "medians with 95 % confidence intervals, the ratio to native, and the ratio to what the "
        "wires allow at best. 'control' is native again: its ratio shows the noise. 'best' is "
        "chosen on half of the samples and reported on the other half.",
    .options = options,
    .formats = atn_table_formats,
    .flags = ATN_CMD_OUTPUT | ATN_CMD_REST,
    .run = bench,
};
