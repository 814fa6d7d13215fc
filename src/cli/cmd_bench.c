/* cmd_bench.c - attune bench: collectives measured in several variants, judged with confidence. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/sampling.h"
#include "report/bench.h"
#include "report/table.h"

/* ---- arguments of the program ---- */

static atn_status collect_arguments(const atn_args *a, const atn_words *tasks, atn_words *words,
                                    atn_error *err)
{
    bool ok = atn_words_option(words, "seconds", atn_arg_text(a, "seconds")) &&
              atn_words_option(words, "calls", atn_arg_text(a, "calls")) &&
              atn_words_setting(words, a, "topology", "ATTUNE_TOPOLOGY") &&
              atn_words_setting(words, a, "rules", "ATTUNE_RULES") &&
              atn_words_setting(words, a, "algorithm", "ATTUNE_ALGORITHM") &&
              atn_words_setting(words, a, "machine", "ATTUNE_MACHINE");
    if (ok && atn_arg_given(a, "imbalance"))
        ok = atn_words_option(words, "imbalance", atn_arg_text(a, "imbalance"));
    if (ok && atn_arg_given(a, "late"))
        ok = atn_words_option(words, "late", atn_arg_text(a, "late"));
    if (ok)
        ok = atn_words_option(words, "since", atn_arg_text(a, "since"));
    for (int i = 0; i < tasks->n && ok; i++)
        ok = atn_words_add(words, tasks->v[i]);
    return ok ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

/* ---- measuring ---- */

static atn_status check_number(const atn_args *a, const char *name, double *value_p, atn_error *err)
{
    const char *text = atn_arg_text(a, name);
    char *end;
    if (text == NULL)
        return ATN_OK;
    *value_p = strtod(text, &end);
    if (end == text || *end != '\0' || !(*value_p > 0 && *value_p <= 86400))
        return atn_fail(err, ATN_USAGE, "--%s %s: must be a number above 0", name, text);
    return ATN_OK;
}

static atn_status measure(const atn_args *a, atn_samples *s, atn_error *err)
{
    const atn_bench_wish wish = {.ops = atn_arg_text(a, "ops"),
                                 .sizes = atn_arg_text(a, "sizes"),
                                 .variants = atn_arg_text(a, "variants"),
                                 .candidates = atn_arg_text(a, "candidates")};
    atn_words tasks = {0}, arguments = {0};
    atn_sampling w = {.program = "bench_exec"};
    double imbalance;
    atn_status status = check_number(a, "seconds", &w.seconds, err);
    if (status == ATN_OK)
        status = check_number(a, "imbalance", &imbalance, err);
    static const char *const about[] = {"late", "since"};
    for (int i = 0; i < 2 && status == ATN_OK; i++)
        if (atn_arg_given(a, about[i]) && !atn_arg_given(a, "imbalance"))
            status =
                atn_fail(err, ATN_USAGE, "--%s needs --imbalance, which says how late", about[i]);
    if (status == ATN_OK)
        status = atn_bench_tasks(&wish, &tasks, err);
    w.tasks = tasks.n;
    if (status == ATN_OK)
        status = collect_arguments(a, &tasks, &arguments, err);
    if (status == ATN_OK)
        status = atn_sampling_keep(&w, a, atn_arg_text(a, "raw"), false, err);
    if (status == ATN_OK)
        status = atn_sampling_run(&w, a, &arguments, err);
    const atn_status kept = atn_sampling_end(&w, atn_arg_text(a, "raw"), err);
    atn_words_free(&tasks);
    atn_words_free(&arguments);
    *s = w.samples;
    return status == ATN_OK ? kept : status;
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
    if (status == ATN_OK && atn_arg_given(a, "imbalance"))
        status = atn_bench_classes(a, &rows, err);
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

static const char *const since_words[] = {"own", "last", NULL};

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
     .type = ATN_OPT_PILE,
     .doc = "Algorithms forced in the variant 'attune': 'allreduce=ring,bcast=chain:segment=8K'"},
    {.name = "machine",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc =
         "What 'attune measure' found: where no rule says anything, the variant 'attune' is what "
         "the planner predicts to be fastest"},
    {.name = "imbalance",
     .argument = "F",
     .type = ATN_OPT_TEXT,
     .doc =
         "Ranks arrive apart: each waits before a call for a random number of message times below "
         "F, alike for all variants; classes of algorithms are compared"},
    {.name = "late",
     .argument = "LIST",
     .type = ATN_OPT_TEXT,
     .doc = "With --imbalance: the same ranks come late in every call, and algorithms know it: a "
            "list such as 3,7, all others come at once; or random"},
    {.name = "since",
     .argument = "WHOSE",
     .type = ATN_OPT_WORD,
     .fallback = "own",
     .words = since_words,
     .doc = "With --imbalance: times from each rank's own arrival, in the mean; or from the last "
            "one's, until the slowest leaves"},
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
    .flags = ATN_CMD_OUTPUT | ATN_CMD_REST | ATN_CMD_JOB,
    .run = bench,
};
