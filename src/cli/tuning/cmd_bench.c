/* cmd_bench.c - attune bench: times of variants of collectives with confidence intervals. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/sampling.h"
#include "cli/tuning/bench.h"
#include "report/bench.h"

/* ---- arguments of the program ---- */

/* The given seed, else a new one in each run, because equal orders would repeat the same bias. */
static void seed_of(const atn_args *a, char out[24])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t unique[] = {now.tv_sec, now.tv_nsec, getpid()};
    uint64_t state = atn_hash(unique, sizeof unique, 0);
    snprintf(out, 24, "%" PRIu64, atn_random(&state) % 1000000);
    if (atn_cli_arg_given(a, "seed"))
        snprintf(out, 24, "%" PRId64, atn_cli_arg_int(a, "seed"));
}

/* ---- form and overlap ---- */

static const char *const form_words[] = {"blocking", "nonblocking", "persistent", NULL};

static const char *form_of(const atn_args *a)
{
    const char *const form = atn_cli_arg_text(a, "form");
    return form != NULL ? form : atn_cli_arg_given(a, "overlap") ? "nonblocking" : "blocking";
}

/* "auto" is 0: as long as the call; else "200us", up to a minute. */
static bool read_computation(const char *text, double *seconds_p)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    char *end;
    const double number = strtod(text, &end);
    *seconds_p = 0;
    if (strcmp(text, "auto") == 0)
        return true;
    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0)
            *seconds_p = number * units[i].factor;
    return *seconds_p >= 1e-7 && *seconds_p <= 60;
}

static atn_status check_overlap(const atn_args *a, atn_error *err)
{
    const char *const text = atn_cli_arg_text(a, "overlap");
    double seconds;
    if (text == NULL)
        return !atn_cli_arg_given(a, "tests")
                   ? ATN_OK
                   : atn_fail(err, ATN_USAGE, "--tests requires --overlap");
    if (!read_computation(text, &seconds))
        return atn_fail(err, ATN_USAGE,
                        "--overlap %s: must be auto or a time from 0.1us to 60s, such as 200us",
                        text);
    if (strcmp(form_of(a), "blocking") == 0)
        return atn_fail(err, ATN_USAGE,
                        "--overlap: blocking calls overlap with nothing; use --form nonblocking or "
                        "persistent");
    if (atn_cli_arg_given(a, "imbalance"))
        return atn_fail(err, ATN_USAGE, "--overlap and --imbalance exclude each other");
    return ATN_OK;
}

static bool add_form(const atn_args *a, atn_words *words)
{
    char seconds[32];
    double compute;
    bool ok =
        strcmp(form_of(a), "blocking") == 0 || atn_cli_words_option(words, "form", form_of(a));
    if (!ok || !atn_cli_arg_given(a, "overlap"))
        return ok;
    read_computation(atn_cli_arg_text(a, "overlap"), &compute);
    snprintf(seconds, sizeof seconds, "%.9g", compute);
    return atn_cli_words_option(words, "overlap", seconds) &&
           atn_cli_words_option(words, "tests", atn_cli_arg_text(a, "tests"));
}

/* ---- all arguments ---- */

static atn_status collect_arguments(const atn_args *a, const atn_words *tasks, atn_words *words,
                                    atn_error *err)
{
    char seed[24];
    seed_of(a, seed);
    bool ok = atn_cli_words_option(words, "seconds", atn_cli_arg_text(a, "seconds")) &&
              atn_cli_words_option(words, "calls", atn_cli_arg_text(a, "calls")) &&
              atn_cli_words_option(words, "seed", seed);
    const atn_status status = atn_cli_words_topology(words, a, err);
    ok = ok && atn_cli_words_setting(words, a, "rules", "ATTUNE_RULES") &&
         atn_cli_words_setting(words, a, "algorithm", "ATTUNE_ALGORITHM") &&
         atn_cli_words_setting(words, a, "machine", "ATTUNE_MACHINE");
    if (ok && atn_cli_arg_given(a, "imbalance"))
        ok = atn_cli_words_option(words, "imbalance", atn_cli_arg_text(a, "imbalance"));
    if (ok && atn_cli_arg_given(a, "late"))
        ok = atn_cli_words_option(words, "late", atn_cli_arg_text(a, "late"));
    if (ok)
        ok = atn_cli_words_option(words, "since", atn_cli_arg_text(a, "since"));
    if (ok)
        ok = add_form(a, words);
    for (int i = 0; i < tasks->n && ok; i++)
        ok = atn_cli_words_add(words, tasks->v[i]);
    return status != ATN_OK || ok ? status : atn_fail(err, ATN_MEMORY, "out of memory");
}

/* ---- measuring ---- */

/* Reports requested variants without samples. */
static void report_missing(const atn_task *t)
{
    char size[32];
    for (int i = 0; i < t->variants.n; i++) {
        const atn_variant *const v = &t->variants.v[i];
        if (v->seconds.n == 0 && v->role != ATN_ROLE_CANDIDATE)
            fprintf(stderr, "attune: note: %s %s: no time for %s; increase --seconds\n",
                    t->operation, atn_format_size(t->bytes, size),
                    v->role == ATN_ROLE_NAMED ? v->algorithm : atn_report_role_names[v->role]);
    }
}

/* Writes the rows of a completed task. */
static atn_status write_task(void *context, const atn_samples *s, int task, atn_error *err)
{
    atn_bench_writer *const w = context;
    atn_bench_rows rows = {0};
    report_missing(&s->tasks.v[task]);
    atn_status status = atn_report_bench_task(&s->tasks.v[task], &rows, err);
    if (status == ATN_OK)
        status = atn_report_bench_stream(w, s, &rows, err);
    fflush(w->f);
    atn_vec_free(&rows);
    return status;
}

/* Later rows are unknown when the first is printed; these widths fit almost all. */
static void set_widths(atn_bench_writer *w, bool overlap, const atn_words *tasks)
{
    static const int usual[][ATN_BENCH_COLUMNS] = {
        {0, 5, 8, 8, 14, 9, 12, 8, 5, 7, 0},
        {0, 5, 8, 8, 8, 8, 9, 13, 9, 15, 12, 5, 7, 0},
    };
    memcpy(w->widths, usual[overlap], sizeof usual[overlap]);
    for (int i = 0; i < tasks->n; i++)
        w->widths[0] = atn_max(w->widths[0], (int)strcspn(tasks->v[i], "/"));
}

static atn_status measure(const atn_args *a, atn_samples *s, atn_bench_writer *writer,
                          atn_error *err)
{
    const atn_bench_request request = {.ops = atn_cli_arg_text(a, "ops"),
                                       .sizes = atn_cli_arg_text(a, "sizes"),
                                       .variants = atn_cli_arg_text(a, "variants"),
                                       .candidates = atn_cli_arg_text(a, "candidates")};
    const char *const raw = atn_cli_arg_text(a, "raw");
    atn_words tasks = {0}, arguments = {0};
    atn_sampling w = {.program = "bench_exec",
                      .seconds = atn_cli_arg_number(a, "seconds"),
                      .lines = true,
                      .done = write_task,
                      .context = writer};
    atn_status status = ATN_OK;
    static const char *const about[] = {"late", "since"};
    for (int i = 0; i < 2 && status == ATN_OK; i++)
        if (atn_cli_arg_given(a, about[i]) && !atn_cli_arg_given(a, "imbalance"))
            status = atn_fail(err, ATN_USAGE, "--%s requires --imbalance", about[i]);
    if (status == ATN_OK)
        status = check_overlap(a, err);
    if (status == ATN_OK)
        status = atn_cli_bench_tasks(&request, &tasks, err);
    w.tasks = tasks.n;
    set_widths(writer, atn_cli_arg_given(a, "overlap"), &tasks);
    if (status == ATN_OK)
        status = collect_arguments(a, &tasks, &arguments, err);
    if (status == ATN_OK && raw != NULL)
        status = atn_may_write(raw, false, err);
    if (status == ATN_OK)
        status = atn_cli_sampling_run(&w, a, &arguments, raw, false, err);
    const atn_status kept = atn_cli_sampling_end(&w, err);
    atn_cli_words_free(&tasks);
    atn_cli_words_free(&arguments);
    *s = w.samples;
    return status == ATN_OK ? kept : status;
}

static atn_status read_files(const atn_args *a, atn_samples *s, atn_error *err)
{
    atn_status status = ATN_OK;
    if (a->nrest > 0)
        return atn_fail(err, ATN_USAGE, "--from reads samples and starts no job; omit '%s'",
                        a->rest[0]);
    for (int i = 0; i < atn_cli_arg_count(a, "from") && status == ATN_OK; i++)
        status = atn_report_samples_read(atn_cli_arg_nth(a, "from", i), s, err);
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
    const char *path = atn_cli_arg_text(a, "plot");
    if (path == NULL || ends_with(path, ".svg") || ends_with(path, ".html"))
        return ATN_OK;
    return atn_fail(err, ATN_USAGE, "--plot %s: must end with .svg or .html", path);
}

static atn_status write_plot(const char *path, const atn_samples *s, const atn_bench_rows *rows,
                             atn_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = atn_open_text(&text, &bytes);
    if (f == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status status = atn_report_bench_plot(f, s, rows, ends_with(path, ".html"), err);
    if (fclose(f) != 0 && status == ATN_OK)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK)
        status = atn_write_file(path, text, bytes, err);
    free(text);
    return status;
}

/* For formats without room for it; samples from files were reported when measured. */
static void report_noise(const atn_args *a, const atn_bench_rows *rows)
{
    const char *const format = atn_cli_arg_format(a);
    if (atn_cli_arg_given(a, "from"))
        return;
    if (strcmp(format, "csv") == 0 || strcmp(format, "json") == 0)
        atn_report_bench_put_noise(stderr, "attune: note: ", rows);
}

static atn_status write_results(const atn_args *a, const atn_samples *s, atn_bench_writer *writer,
                                atn_error *err)
{
    atn_bench_rows rows = {0};
    const char *plot = atn_cli_arg_text(a, "plot");
    atn_status status = atn_report_bench_summarise(s, &rows, err);
    if (status == ATN_OK)
        status = atn_report_bench_finish(writer, s, &rows, err);
    if (status == ATN_OK)
        report_noise(a, &rows);
    if (status == ATN_OK && atn_cli_arg_given(a, "imbalance"))
        status = atn_cli_bench_classes(a, &rows, err);
    if (status == ATN_OK && plot != NULL)
        status = write_plot(plot, s, &rows, err);
    atn_vec_free(&rows);
    return status;
}

static int bench(const atn_args *a, atn_error *err)
{
    atn_samples s = {0};
    atn_bench_writer writer = {
        .f = a->out, .format = atn_cli_arg_format(a), .terminal = a->terminal};
    atn_status status = check_plot(a, err);
    if (status == ATN_OK)
        status =
            atn_cli_arg_given(a, "from") ? read_files(a, &s, err) : measure(a, &s, &writer, err);
    if (status == ATN_OK)
        status = write_results(a, &s, &writer, err);
    atn_report_samples_free(&s);
    return status;
}

/* ---- descriptor ---- */

static const char *const since_words[] = {"own", "last", NULL};

static const atn_option options[] = {
    ATN_TEXT("ops", "LIST", "bcast,reduce,allgather,allreduce,alltoall", "Operations to measure"),
    ATN_TEXT("sizes", "LIST", "1K:1M:x4",
             "Message sizes, or block sizes per rank or pair of ranks: 16K,1M or ranges such as "
             "1K:1M:x4; see 'attune help sizes'"),
    ATN_TEXT(
        "variants", "LIST", "native,attune",
        "Variants to compare: native (always measured), attune (as configured), best, all, and "
        "algorithms such as chain{segment=8K} or bcast/binomial; see 'attune help variants'"),
    ATN_TEXT("candidates", "LIST", NULL,
             "Candidates for 'best', in addition to native; default: all promising algorithms"),
    ATN_NUMBER("seconds", "S", "5", 1, 86400,
               "Time limit for each operation and size, including the search for 'best'"),
    ATN_INT("calls", "N", "1000", 1, 1000000, "Maximum number of calls of each variant"),
    ATN_INT("seed", "N", NULL, 0, INT32_MAX,
            "Seed of the random order of variants; default: a new one in each run"),
    ATN_OPTION_TOPOLOGY("Topology, for topology-aware algorithms and for the lower bound"),
    {.name = "rules",
     .letter = 'r',
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "Rules (wisdom) of the variant 'attune'"},
    {.name = "algorithm",
     .letter = 'a',
     .argument = "LIST",
     .type = ATN_OPT_PILE,
     .doc = "Forced algorithms of the variant 'attune': 'allreduce=ring,bcast=chain{segment=8K}'"},
    ATN_OPTION_MACHINE("Machine file of 'attune measure': for problems without a rule, the variant "
                       "'attune' is the algorithm with the least predicted time"),
    ATN_NUMBER("imbalance", "F", NULL, 1, 86400,
               "Arrival skew: before each call, every rank waits for a random time below F message "
               "times, the same for all variants; also compares classes of algorithms"),
    ATN_TEXT("late", "LIST", NULL,
             "With --imbalance: fixed arrival pattern, available to algorithms: a list of late "
             "ranks such as 3,7, or random"),
    ATN_WORD("since", "own|last", "own", since_words,
             "With --imbalance: mean time from the arrival of each rank, or time from the last "
             "arrival until the slowest rank leaves"),
    ATN_WORD("form", "FORM", NULL, form_words,
             "Form of the calls: blocking, nonblocking or persistent (start and wait are timed); "
             "default: blocking, with --overlap nonblocking"),
    ATN_TEXT("overlap", "COMPUTE", NULL,
             "Overlap calls with computation: auto (as long as the call), or a time such as 200us; "
             "reports overlap and interference"),
    ATN_INT("tests", "N", "0", 0, 1000000,
            "With --overlap: number of MPI_Test calls during the computation"),
    ATN_FILE("raw", "FILE", "Write every sample to FILE (docs/benchmarking.md)"),
    ATN_LIST("from", "FILE",
             "Read samples written with --raw instead of measuring; samples of equal jobs are "
             "pooled"),
    ATN_FILE("plot", "FILE", "Plot time over size: FILE.svg, or FILE.html with the table"),
    ATN_OPTION_MPI_LAUNCHER,
    {0},
};

const atn_command atn_cmd_bench = {
    .noun = "bench",
    .help = "Compare native and Attune collectives, with confidence intervals",
    .detail =
        "COMMAND is a launcher with its options and without a program: mpirun -n 4, srun, attune "
        "lab run --mpi mpich -n 16. Attune adds its own program, which runs all variants "
        "interleaved in one job; the time of a call is that of its slowest rank. The table has "
        "medians with 95 % confidence intervals, the ratio to native, and the ratio to the lower "
        "bound of the links. 'control' is native again: if the interval of its ratio excludes 1, "
        "the rows of that operation and size are not trustworthy. 'best' is selected on half of "
        "the samples and reported on the other half.",
    .examples =
        ATN_NOTES({"attune bench --ops bcast,allreduce --sizes 1K:1M:x4 -- mpirun -n 4",
                   "Compare native with the configured selection"},
                  {"attune bench --variants native,best --plot bench.html -- mpirun -n 16",
                   "Find the best algorithm for each size and plot the result"},
                  {"attune bench --overlap auto --ops allreduce --sizes 64K -- mpirun -n 4",
                   "Overlap of nonblocking calls with computation"},
                  {"attune bench --raw bench.samples -- mpirun -n 4", "Keep the samples"},
                  {"attune bench --from bench.samples --format csv", "Evaluate samples again"}),
    .options = options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT | ATN_CMD_REST | ATN_CMD_JOB | ATN_CMD_STREAM,
    .run = bench,
};
