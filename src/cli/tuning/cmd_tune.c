/* cmd_tune.c - attune tune: offline tuning; finds the best algorithm of each problem by racing and
 * writes it to wisdom. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/sampling.h"
#include "cli/tuning/tune.h"
#include "plan/patterns.h"
#include "plan/settings.h"
#include "plan/wisdom.h"

static const char program_of_job[] = "tune_exec";

typedef struct {
    const atn_args *a;
    atn_sizes sizes; /* ascending */
    atn_loads loads; /* requested problems */
    char wisdom[PATH_MAX], raw[PATH_MAX];
    char patterns[PATH_MAX]; /* file of recorded calls; "": none */
    uint64_t program;        /* that makes them; 0: unknown */
    bool resume;
    double seconds; /* --time; 0: unlimited */
    atn_words arguments;
    int tasks;
} tuning;

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* ---- files ---- */

/* The default is the file that jobs of this user read first. */
static atn_status find_wisdom(tuning *t, atn_error *err)
{
    const char *given = atn_cli_arg_text(t->a, "wisdom");
    const char *job = getenv(atn_plan_setting_get(ATN_SET_WISDOM)->name);
    atn_wisdom_files files;
    atn_plan_wisdom_find(job != NULL ? job : "", getenv("HOME"), getenv("XDG_DATA_HOME"), &files);
    if (given == NULL && (files.n == 0 || strcmp(files.kind[0], "system") == 0))
        return atn_fail(err, ATN_USAGE, "no wisdom file; add --wisdom FILE");
    snprintf(t->wisdom, sizeof t->wisdom, "%s", given != NULL ? given : files.path[0]);
    const char *raw = atn_cli_arg_text(t->a, "raw");
    const int n = raw != NULL ? snprintf(t->raw, sizeof t->raw, "%s", raw)
                              : snprintf(t->raw, sizeof t->raw, "%s.samples", t->wisdom);
    return n < PATH_MAX ? ATN_OK
                        : atn_fail(err, ATN_USAGE, "the path of the wisdom file is too long");
}

/* Samples of an unfinished search are never discarded silently. */
static atn_status check_raw(tuning *t, atn_error *err)
{
    bool unfinished = false;
    int tasks = 0;
    const bool wanted = atn_cli_arg_given(t->a, "resume");
    if (access(t->raw, F_OK) != 0)
        return ATN_OK;
    const atn_status status = atn_cli_tune_repair(t->raw, wanted, &tasks, &unfinished, err);
    t->resume = wanted && tasks > 0;
    if (status == ATN_OK && unfinished && !wanted)
        return atn_fail(
            err, ATN_USAGE,
            "%s: contains an unfinished search; continue it with --resume, or delete it", t->raw);
    return status;
}

/* ---- recorded calls ---- */

/* Jobs recognise a program by the name of its executable. */
static void name_program(tuning *t, const char *path)
{
    const char *slash = strrchr(path, '/'), *given = atn_cli_arg_text(t->a, "program");
    if (given != NULL && path != given)
        return;
    slash = slash != NULL ? slash + 1 : path;
    t->program = *slash != '\0' ? atn_plan_program_hash(slash) : 0;
}

/* The job reads the calls of a trace from a file, too. */
static atn_status convert_trace(tuning *t, const char *folder, atn_error *err)
{
    char *text = NULL, *program = NULL;
    atn_status status = find_wisdom(t, err);
    if (status == ATN_OK && snprintf(t->patterns, PATH_MAX, "%s.calls", t->wisdom) >= PATH_MAX)
        status = atn_fail(err, ATN_USAGE, "the path of the wisdom file is too long");
    if (status == ATN_OK)
        status = atn_cli_tune_trace(folder, &text, &program, err);
    if (status == ATN_OK)
        status = atn_cli_sampling_check(&(atn_sampling){.program = program_of_job}, t->a, err);
    if (status == ATN_OK) {
        atn_make_folders(t->patterns);
        name_program(t, program);
        status = atn_write_file(t->patterns, text, strlen(text), err);
    }
    free(text);
    free(program);
    return status;
}

static atn_status find_patterns(tuning *t, atn_error *err)
{
    const char *given = atn_cli_arg_text(t->a, "patterns");
    const char *program = atn_cli_arg_text(t->a, "program");
    struct stat about;
    if (program != NULL && given == NULL)
        return atn_fail(err, ATN_USAGE, "--program applies to --patterns only");
    if (given == NULL)
        return ATN_OK;
    if (program != NULL)
        name_program(t, program);
    if (stat(given, &about) == 0 && S_ISDIR(about.st_mode))
        return convert_trace(t, given, err);
    return snprintf(t->patterns, PATH_MAX, "%s", given) < PATH_MAX
               ? ATN_OK
               : atn_fail(err, ATN_USAGE, "--patterns: the path is too long");
}

/* As an absolute path, because ranks may start in another folder. */
static bool add_patterns(const tuning *t, atn_words *words)
{
    char real[PATH_MAX];
    return t->patterns[0] == '\0' ||
           atn_cli_words_option(words, "patterns",
                                realpath(t->patterns, real) != NULL ? real : t->patterns);
}

/* ---- the job ---- */

/* A shared object is recognised by its name and passed as an absolute path. */
static bool add_timing(atn_words *words, const atn_args *a)
{
    const char *how = atn_cli_arg_text(a, "timing");
    const bool object = strchr(how, '/') != NULL || strstr(how, ".so") != NULL;
    return object ? atn_cli_words_setting(words, a, "timing", NULL)
                  : atn_cli_words_option(words, "timing", how);
}

static atn_status collect_arguments(tuning *t, atn_error *err)
{
    const atn_args *a = t->a;
    atn_words tasks = {0}, *words = &t->arguments;
    const char *patterns = t->patterns[0] != '\0' ? t->patterns : NULL;
    atn_status status = atn_cli_tune_tasks(a, patterns, &t->sizes, &tasks, &t->loads, err);
    if (status == ATN_OK)
        status = atn_cli_words_topology(words, a, err);
    bool ok =
        atn_cli_words_setting(words, a, "machine", "ATTUNE_MACHINE") && add_patterns(t, words) &&
        add_timing(words, a) &&
        (t->seconds == 0 || atn_cli_words_option(words, "time", atn_cli_arg_text(a, "time"))) &&
        (!atn_cli_arg_given(a, "exhaustive") || atn_cli_words_option(words, "exhaustive", "1")) &&
        (!atn_cli_arg_given(a, "dry-run") || atn_cli_words_option(words, "design", "1")) &&
        (!t->resume || atn_cli_words_option(words, "resume", t->raw));
    for (int i = 0; i < tasks.n && ok; i++)
        ok = atn_cli_words_add(words, tasks.v[i]);
    t->tasks = tasks.n;
    atn_cli_words_free(&tasks);
    return status == ATN_OK && !ok ? no_memory(err) : status;
}

static atn_status run_job(const tuning *t, atn_samples *s, atn_error *err)
{
    const bool design = atn_cli_arg_given(t->a, "dry-run");
    atn_sampling w = {.program = program_of_job,
                      .tasks = t->tasks,
                      .seconds = t->seconds > 0 ? t->seconds : 10,
                      .guess = true,
                      .whole = t->seconds > 0};
    atn_status status = design ? ATN_OK : atn_may_write(t->raw, true, err);
    if (status == ATN_OK)
        status =
            atn_cli_sampling_run(&w, t->a, &t->arguments, design ? NULL : t->raw, t->resume, err);
    const atn_status kept = atn_cli_sampling_end(&w, err);
    *s = w.samples;
    return status == ATN_OK ? kept : status;
}

/* ---- results ---- */

static bool describe(const tuning *t, atn_rules *rules, const atn_samples *s)
{
    char tool[64];
    snprintf(tool, sizeof tool, "attune tune %s, timing %s", ATN_VERSION,
             atn_cli_arg_text(t->a, "timing"));
    return atn_plan_rules_describe(rules, "mpi", s->mpi) &&
           atn_plan_rules_describe(rules, "tool", tool);
}

static void report(const tuning *t, const atn_solutions *list, double seconds)
{
    int faster = 0;
    for (int i = 0; i < list->n; i++)
        faster += strcmp(list->v[i].use, "native") != 0;
    fprintf(stderr,
            "%d problem%s in %.0f s: %d with an algorithm faster than native\nwisdom: %s\n"
            "samples: %s\n",
            list->n, list->n == 1 ? "" : "s", seconds, faster, t->wisdom, t->raw);
}

/* Where the rules apply; `here` is the place of the job ("": unknown). */
static atn_status find_place(const tuning *t, const char *here, int64_t *place_p, atn_error *err)
{
    const char *given = atn_cli_arg_text(t->a, "place");
    const char *text = strcmp(given, "here") != 0 ? given : *here != '\0' ? here : "*";
    if (atn_plan_place_parse(text, place_p))
        return ATN_OK;
    return atn_fail(err, ATN_USAGE, "--place %s: must be here, '*' or MACHINE/LAYOUT", text);
}

/* Wisdom first, so that a failure to write the report does not lose it. */
static atn_status keep_results(const tuning *t, const atn_tune_result *r, atn_error *err)
{
    const char *report = atn_cli_arg_text(t->a, "report");
    const atn_status merged = atn_tune_solutions_merge(t->wisdom, r->rules, err);
    atn_status status = atn_cli_tune_table(t->a, r->solutions, err);
    if (status == ATN_OK && report != NULL)
        status = atn_cli_tune_report(t->a, report, r, err);
    return merged != ATN_OK ? merged : status;
}

static atn_status write_results(const tuning *t, double seconds, atn_error *err)
{
    atn_samples s = {0};
    atn_solutions list = {0};
    atn_rules *rules = NULL;
    atn_tune_scope scope = {.program = t->program};
    atn_status status = atn_report_samples_read(t->raw, &s, err);
    if (status == ATN_OK && !atn_tune_solutions_find(&s, &list))
        status = no_memory(err);
    if (status == ATN_OK)
        status = find_place(t, s.place, &scope.place, err);
    if (status == ATN_OK)
        status =
            atn_tune_solutions_rules(&list, &t->loads, (int64_t)time(NULL), &scope, &rules, err);
    if (status == ATN_OK && !describe(t, rules, &s))
        status = no_memory(err);
    if (status == ATN_OK)
        status = keep_results(t, &(atn_tune_result){&s, &list, rules, seconds}, err);
    if (status == ATN_OK && !atn_cli_arg_given(t->a, "quiet"))
        report(t, &list, seconds);
    atn_plan_rules_free(rules);
    atn_vec_free(&list);
    atn_report_samples_free(&s);
    return status;
}

static atn_status prepare(tuning *t, atn_error *err)
{
    int64_t place;
    atn_status status = atn_parse_sizes(atn_cli_arg_text(t->a, "sizes"), &t->sizes, err);
    if (status == ATN_OK)
        status = find_place(t, "", &place, err);
    if (status == ATN_OK)
        qsort(t->sizes.v, (size_t)t->sizes.n, sizeof *t->sizes.v, ascending);
    t->seconds = atn_cli_arg_number(t->a, "time");
    if (status == ATN_OK)
        status = find_patterns(t, err);
    if (status == ATN_OK && !atn_cli_arg_given(t->a, "dry-run"))
        status = find_wisdom(t, err);
    if (status == ATN_OK && !atn_cli_arg_given(t->a, "dry-run"))
        status = check_raw(t, err);
    return status == ATN_OK ? collect_arguments(t, err) : status;
}

static int tune(const atn_args *a, atn_error *err)
{
    tuning t = {.a = a};
    atn_samples s = {0};
    const double began = atn_cli_seconds();
    atn_status status = prepare(&t, err);
    if (status == ATN_OK)
        status = run_job(&t, &s, err);
    if (status == ATN_OK && atn_cli_arg_given(a, "dry-run"))
        status = atn_cli_tune_design(a, &s, err);
    else if (status == ATN_OK)
        status = write_results(&t, atn_cli_seconds() - began, err);
    atn_report_samples_free(&s);
    atn_cli_words_free(&t.arguments);
    atn_vec_free(&t.sizes);
    atn_vec_free(&t.loads);
    return status;
}

/* ---- descriptor ---- */

static const atn_option options[] = {
    ATN_TEXT("ops", "LIST", "bcast,reduce,allgather,allreduce,alltoall", "Operations to tune"),
    ATN_TEXT("sizes", "LIST", "1K:1M:x4",
             "Message sizes, or block sizes per rank or pair of ranks: 16K,1M or ranges such as "
             "1K:1M:x4; the winner of the largest size is used for all larger ones"),
    ATN_TEXT("candidates", "LIST|FILE", "all",
             "Candidates in addition to native: names such as bcast/chain{segment=8K}, all "
             "(promising ones), file{schedule=FILE}; or a file with one name per line"),
    ATN_FILE("patterns", "FILE|TRACE",
             "Instead of operations and sizes: the irregular calls of a program, recorded with "
             "ATTUNE_RECORD or 'attune trace record' (docs/offline-tuning.md)"),
    ATN_TEXT("program", "NAME", NULL,
             "With --patterns: executable that makes these calls; its jobs begin with the rules in "
             "their first call; default: that of a TRACE"),
    ATN_OPTION_MACHINE("Machine file of 'attune measure': predictions order and prune candidates"),
    ATN_OPTION_TOPOLOGY("Topology, for topology-aware algorithms"),
    ATN_FLAG("exhaustive", "Keep all candidates: each is measured as often as the best"),
    ATN_NUMBER("time", "SECONDS", NULL, 1, 10000000,
               "Approximate time limit; default: until every problem is decided"),
    ATN_TEXT("timing", "HOW", "barrier",
             "plain (consecutive calls), barrier (before each call), compute (between calls), "
             "imbalance:F (arrival skew up to F times the duration of a call), or a shared object "
             "(docs/offline-tuning.md)"),
    ATN_FILE("wisdom", "FILE",
             "Wisdom file that receives the rules; default: ATTUNE_WISDOM, else that of the user"),
    ATN_TEXT("place", "PLACE", "here",
             "Where the rules apply: here (this machine and rank mapping), '*' (everywhere) or "
             "MACHINE/LAYOUT"),
    ATN_FILE("raw", "FILE",
             "File for all samples; default: the wisdom file with .samples appended"),
    ATN_FLAG("resume", "Continue an interrupted search with the same --raw FILE"),
    ATN_FILE("report", "FILE",
             "Write a report on winners, margins and dropped candidates: text, or FILE.html"),
    ATN_FLAG("dry-run",
             "Measure nothing; show the candidates, their predicted times and the first round"),
    ATN_OPTION_MPI_LAUNCHER,
    ATN_OPTION_QUIET,
    {0},
};

const atn_command atn_cmd_tune = {
    .noun = "tune",
    .help = "Find the best algorithm for every operation and size (offline)",
    .detail =
        "COMMAND is a launcher with its options and without a program. One job performs the whole "
        "search. For each operation and size, promising candidates race, interleaved; the "
        "parameters of the best are refined, and it must then be at least 3 % faster than native "
        "on new samples with 95 % confidence, else the result is native. Between sizes with "
        "different winners, the crossover is located. The rules are merged into the wisdom file, "
        "which jobs read. The search may be killed at any time and resumed.\n\n"
        "With --patterns, each recorded pattern of sizes is a problem, for which algorithms made "
        "for it are candidates, too; its rule serves where jobs recognise the pattern.",
    .examples = ATN_NOTES(
        {"attune tune -- mpirun -n 16", "Tune the default operations and sizes"},
        {"attune tune --ops allreduce --sizes 4K:4M:x4 --time 600 --report tune.html -- srun -n 64",
         "Tune one operation in about ten minutes and write a report"},
        {"attune tune --resume -- mpirun -n 16", "Continue an interrupted search"}),
    .files = ATN_NOTES({"WISDOM.samples", "Samples of 'attune tune', next to its wisdom file"},
                       {"WISDOM.calls", "The calls of --patterns TRACE"}),
    .options = options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT | ATN_CMD_REST | ATN_CMD_JOB,
    .run = tune,
};
