/* cmd_tune.c - attune tune: the best algorithm for every problem of a machine, found by racing and
 * kept as wisdom. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/sampling.h"
#include "cli/tune.h"
#include "plan/settings.h"
#include "plan/wisdom.h"
#include "report/table.h"

typedef struct {
    const atn_args *a;
    atn_sizes sizes; /* ascending */
    atn_loads loads; /* what is asked for */
    char wisdom[PATH_MAX], raw[PATH_MAX];
    bool resume;
    double seconds; /* of --time; 0: no bound */
    atn_words arguments;
    int tasks;
} tuning;

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- what is to be tuned ---- */

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* ---- files ---- */

/* Where wisdom goes unless told: where jobs of this user look first. */
static atn_status find_wisdom(tuning *t, atn_error *err)
{
    const char *given = atn_arg_text(t->a, "wisdom");
    const char *job = getenv(atn_setting_get(ATN_SET_WISDOM)->name);
    atn_wisdom_files files;
    atn_wisdom_find(job != NULL ? job : "", getenv("HOME"), getenv("XDG_DATA_HOME"), &files);
    if (given == NULL && (files.n == 0 || strcmp(files.kind[0], "system") == 0))
        return atn_fail(err, ATN_USAGE, "no file for the wisdom; name one with --wisdom FILE");
    snprintf(t->wisdom, sizeof t->wisdom, "%s", given != NULL ? given : files.path[0]);
    const char *raw = atn_arg_text(t->a, "raw");
    const int n = raw != NULL ? snprintf(t->raw, sizeof t->raw, "%s", raw)
                              : snprintf(t->raw, sizeof t->raw, "%s.samples", t->wisdom);
    return n < PATH_MAX ? ATN_OK : atn_fail(err, ATN_USAGE, "the name of the wisdom is too long");
}

/* What an unfinished search left is never thrown away without a word. */
static atn_status check_raw(tuning *t, atn_error *err)
{
    bool unfinished = false;
    int tasks = 0;
    const bool wanted = atn_arg_given(t->a, "resume");
    if (access(t->raw, F_OK) != 0)
        return ATN_OK;
    const atn_status status = atn_tune_repair(t->raw, wanted, &tasks, &unfinished, err);
    t->resume = wanted && tasks > 0;
    if (status == ATN_OK && unfinished && !wanted)
        return atn_fail(err, ATN_USAGE,
                        "%s: holds an unfinished search; go on with --resume, or delete it",
                        t->raw);
    return status;
}

/* ---- the job ---- */

static atn_status check_time(tuning *t, atn_error *err)
{
    const char *text = atn_arg_text(t->a, "time");
    char *end;
    if (text == NULL)
        return ATN_OK;
    t->seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !(t->seconds > 0 && t->seconds <= 1e7))
        return atn_fail(err, ATN_USAGE, "--time %s: must be a number of seconds above 0", text);
    return ATN_OK;
}

/* A shared object shows by its name, and goes by its full path; all else are words. */
static bool add_timing(atn_words *words, const atn_args *a)
{
    const char *how = atn_arg_text(a, "timing");
    const bool object = strchr(how, '/') != NULL || strstr(how, ".so") != NULL;
    return object ? atn_words_setting(words, a, "timing", NULL)
                  : atn_words_option(words, "timing", how);
}

static atn_status collect_arguments(tuning *t, atn_error *err)
{
    const atn_args *a = t->a;
    atn_words tasks = {0}, *words = &t->arguments;
    const atn_status status = atn_tune_tasks(a, &t->sizes, &tasks, &t->loads, err);
    bool ok = atn_words_setting(words, a, "machine", "ATTUNE_MACHINE") &&
              atn_words_setting(words, a, "patterns", NULL) &&
              atn_words_setting(words, a, "topology", "ATTUNE_TOPOLOGY") && add_timing(words, a) &&
              (t->seconds == 0 || atn_words_option(words, "time", atn_arg_text(a, "time"))) &&
              (!atn_arg_given(a, "exhaustive") || atn_words_option(words, "exhaustive", "1")) &&
              (!atn_arg_given(a, "dry-run") || atn_words_option(words, "design", "1")) &&
              (!t->resume || atn_words_option(words, "resume", t->raw));
    for (int i = 0; i < tasks.n && ok; i++)
        ok = atn_words_add(words, tasks.v[i]);
    t->tasks = tasks.n;
    atn_words_free(&tasks);
    return status == ATN_OK && !ok ? no_memory(err) : status;
}

static atn_status run_job(const tuning *t, atn_samples *s, atn_error *err)
{
    const bool design = atn_arg_given(t->a, "dry-run");
    atn_sampling w = {.program = "tune_exec",
                      .tasks = t->tasks,
                      .seconds = t->seconds > 0 ? t->seconds : 10,
                      .guess = true,
                      .whole = t->seconds > 0};
    if (!design)
        atn_make_folders(t->raw);
    atn_status status = atn_sampling_keep(&w, t->a, design ? NULL : t->raw, t->resume, err);
    if (status == ATN_OK)
        status = atn_sampling_run(&w, t->a, &t->arguments, err);
    const atn_status kept = atn_sampling_end(&w, t->raw, err);
    *s = w.samples;
    return status == ATN_OK ? kept : status;
}

/* ---- results ---- */

static bool describe(const tuning *t, atn_rules *rules, const atn_samples *s)
{
    char tool[64];
    snprintf(tool, sizeof tool, "attune tune %s, timing %s", ATN_VERSION,
             atn_arg_text(t->a, "timing"));
    return atn_rules_describe(rules, "mpi", s->mpi) && atn_rules_describe(rules, "tool", tool);
}

static void tell(const tuning *t, const atn_solutions *list, double seconds)
{
    int faster = 0;
    for (int i = 0; i < list->n; i++)
        faster += strcmp(list->v[i].use, "native") != 0;
    fprintf(stderr,
            "%d problem%s in %.0f s: %d with an algorithm that beats native\nwisdom: %s\n"
            "samples: %s\n",
            list->n, list->n == 1 ? "" : "s", seconds, faster, t->wisdom, t->raw);
}

/* Where the rules hold; `here` is what the job says ("": it does not). */
static atn_status find_place(const tuning *t, const char *here, int64_t *place_p, atn_error *err)
{
    const char *given = atn_arg_text(t->a, "place");
    const char *text = strcmp(given, "here") != 0 ? given : *here != '\0' ? here : "*";
    if (atn_place_parse(text, place_p))
        return ATN_OK;
    return atn_fail(err, ATN_USAGE, "--place %s: must be here, '*' or MACHINE/LAYOUT", text);
}

/* The wisdom first: what goes wrong with the report must not cost it. */
static atn_status keep_results(const tuning *t, const atn_tune_result *r, atn_error *err)
{
    const char *report = atn_arg_text(t->a, "report");
    const atn_status merged = atn_solutions_merge(t->wisdom, r->rules, err);
    atn_status status = atn_tune_table(t->a, r->solutions, err);
    if (status == ATN_OK && report != NULL)
        status = atn_tune_report(t->a, report, r, err);
    return merged != ATN_OK ? merged : status;
}

static atn_status write_results(const tuning *t, double seconds, atn_error *err)
{
    atn_samples s = {0};
    atn_solutions list = {0};
    atn_rules *rules = NULL;
    int64_t place = 0;
    atn_status status = atn_samples_read(t->raw, &s, err);
    if (status == ATN_OK && !atn_solutions_find(&s, &list))
        status = no_memory(err);
    if (status == ATN_OK)
        status = find_place(t, s.place, &place, err);
    if (status == ATN_OK)
        status = atn_solutions_rules(&list, &t->loads, (int64_t)time(NULL), place, &rules, err);
    if (status == ATN_OK && !describe(t, rules, &s))
        status = no_memory(err);
    if (status == ATN_OK)
        status = keep_results(t, &(atn_tune_result){&s, &list, rules, seconds}, err);
    if (status == ATN_OK && !atn_arg_given(t->a, "quiet"))
        tell(t, &list, seconds);
    atn_rules_free(rules);
    atn_vec_free(&list);
    atn_samples_free(&s);
    return status;
}

static atn_status prepare(tuning *t, atn_error *err)
{
    int64_t place;
    atn_status status = atn_parse_sizes(atn_arg_text(t->a, "sizes"), &t->sizes, err);
    if (status == ATN_OK)
        status = find_place(t, "", &place, err);
    if (status == ATN_OK)
        qsort(t->sizes.v, (size_t)t->sizes.n, sizeof *t->sizes.v, ascending);
    if (status == ATN_OK)
        status = check_time(t, err);
    if (status == ATN_OK && !atn_arg_given(t->a, "dry-run"))
        status = find_wisdom(t, err);
    if (status == ATN_OK && !atn_arg_given(t->a, "dry-run"))
        status = check_raw(t, err);
    return status == ATN_OK ? collect_arguments(t, err) : status;
}

static int tune(const atn_args *a, atn_error *err)
{
    tuning t = {.a = a};
    atn_samples s = {0};
    const double began = atn_seconds();
    atn_status status = prepare(&t, err);
    if (status == ATN_OK)
        status = run_job(&t, &s, err);
    if (status == ATN_OK && atn_arg_given(a, "dry-run"))
        status = atn_tune_design(a, &s, err);
    else if (status == ATN_OK)
        status = write_results(&t, atn_seconds() - began, err);
    atn_samples_free(&s);
    atn_words_free(&t.arguments);
    atn_vec_free(&t.sizes);
    atn_vec_free(&t.loads);
    return status;
}

/* ---- descriptor ---- */

static const char *const mpi_words[] = {"openmpi", "mpich", NULL};

static const atn_option options[] = {
    {.name = "ops",
     .argument = "LIST",
     .type = ATN_OPT_TEXT,
     .fallback = "bcast,reduce,allgather,allreduce,alltoall",
     .doc = "Operations to tune"},
    {.name = "sizes",
     .argument = "LIST",
     .type = ATN_OPT_TEXT,
     .fallback = "1K:1M:x4",
     .doc = "Sizes of the message, or of the block of each rank or pair of ranks: 16K,1M or ranges "
            "such as 1K:1M:x4; the winner of the largest serves all larger ones"},
    {.name = "candidates",
     .argument = "LIST|FILE",
     .type = ATN_OPT_TEXT,
     .fallback = "all",
     .doc = "Algorithms to choose from, besides native: names such as bcast/chain{segment=8K}, "
            "all (that are worth trying), file{schedule=FILE}; or a file with one name in a line"},
    {.name = "patterns",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "Instead of operations and sizes: the calls of a program whose sizes differ between "
            "ranks (docs/offline-tuning.md)"},
    {.name = "machine",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "What attune measure wrote: predictions say where to begin and what is hopeless"},
    {.name = "topology",
     .argument = "FILE|STRING",
     .type = ATN_OPT_TEXT,
     .doc = "Where the hosts are, for algorithms that use it"},
    {.name = "exhaustive",
     .type = ATN_OPT_FLAG,
     .doc = "Drop nothing: every candidate is measured as often as the best"},
    {.name = "time",
     .argument = "SECONDS",
     .type = ATN_OPT_TEXT,
     .doc = "At most about so long; without it, until every problem is decided"},
    {.name = "timing",
     .argument = "HOW",
     .type = ATN_OPT_TEXT,
     .fallback = "barrier",
     .doc = "plain (calls in a row), barrier (before each call), compute (between calls), "
            "imbalance:F (ranks arrive within F times the length of a call), or a shared object "
            "of your own (docs/offline-tuning.md)"},
    {.name = "wisdom",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "Where the rules are merged; by default ATTUNE_WISDOM, else the user's own file"},
    {.name = "place",
     .argument = "PLACE",
     .type = ATN_OPT_TEXT,
     .fallback = "here",
     .doc = "Where the rules hold: here (this machine, ranks placed like these), '*' (everywhere) "
            "or MACHINE/LAYOUT"},
    {.name = "raw",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "Where every sample is kept; by default beside the wisdom, with .samples behind it"},
    {.name = "resume",
     .type = ATN_OPT_FLAG,
     .doc = "Go on where a search with the same --raw FILE was stopped"},
    {.name = "report",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "What won where and by how much, what was dropped and why: text, or FILE.html"},
    {.name = "dry-run",
     .type = ATN_OPT_FLAG,
     .doc = "Measure nothing: show the candidates, their predicted times and who would begin"},
    {.name = "mpi",
     .argument = "MPI",
     .type = ATN_OPT_WORD,
     .words = mpi_words,
     .doc = "The MPI of the launcher, where it does not tell"},
    {.name = "quiet", .letter = 'q', .type = ATN_OPT_FLAG, .doc = "No words on standard error"},
    {0},
};

const atn_command atn_cmd_tune = {
    .noun = "tune",
    .help = "Find the best algorithm for every operation and size, and remember it",
    .detail =
        "The command behind -- is a launcher with its options and no program: attune tune -- "
        "mpirun -n 16. One job does everything. For each operation and size, candidates that the "
        "model does not find hopeless race against each other in turns; the best gets its "
        "parameters refined and must then beat native by 3 % with confidence on fresh samples, "
        "else native is the answer. Between sizes with different winners the crossing point is "
        "sought. The rules are merged into the wisdom, which jobs use. The search may be killed "
        "at any moment and resumed.",
    .options = options,
    .formats = atn_table_formats,
    .flags = ATN_CMD_OUTPUT | ATN_CMD_REST | ATN_CMD_JOB,
    .run = tune,
};
