/* cmd_run.c - attune run: an unmodified MPI program with Attune preloaded through its launcher.
 *
 * The launcher replaces this process, so exit code, signals and standard streams are its own. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run.h"
#include "plan/rules.h"

extern char **environ;

/* ---- settings ---- */

static const char *const mpi_words[] = {"openmpi", "mpich", NULL};
static const char *const yield_words[] = {"auto", "always", "never", NULL};
static const char *const fp_words[] = {"stable", "free", NULL};
static const char *const report_words[] = {"text", "csv", "json", "html", NULL};
static const char *const gpu_words[] = {"native", "serve", NULL};

static const atn_option options[] = {
    {.name = "algorithm",
     .letter = 'a',
     .argument = "LIST",
     .type = ATN_OPT_PILE,
     .doc = "Force algorithms: 'allreduce=ring,bcast=chain:segment=8K,*=native'"},
    {.name = "rules",
     .letter = 'r',
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "Choose algorithms by the rules (wisdom) in FILE"},
    {.name = "select",
     .argument = "HOW",
     .type = ATN_OPT_TEXT,
     .doc =
         "'online' to learn what is fastest, the default unless --algorithm or --rules is given; "
         "'rules'; 'model' to plan what no rule covers by predicted time; 'star', 'star-grouped' "
         "to learn as STAR-MPI does; 'random:SEED' for an arbitrary algorithm at every call (for "
         "tests)"},
    {.name = "budget",
     .argument = "PERCENT",
     .type = ATN_OPT_INT,
     .min = 0,
     .max = 100000,
     .doc = "What learning may cost with '--select online'; 0: nothing is tried out"},
    {.name = "fp",
     .argument = "HOW",
     .type = ATN_OPT_WORD,
     .words = fp_words,
     .doc = "Whether learning may change the algorithm of floating-point reductions while it runs"},
    {.name = "wisdom",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "Wisdom of this job, which also gets what is learned; 'off': none at all"},
    {.name = "explain", .type = ATN_OPT_FLAG, .doc = "Tell every decision of learning"},
    {.name = "machine",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "Measured parameters for '--select model', as 'attune measure' writes them"},
    {.name = "report",
     .argument = "FILE",
     .type = ATN_OPT_MAYBE,
     .doc = "At the end tell which algorithm served what, how often and how long, what was saved "
            "and what would help more; to standard error, or into FILE (.html, .csv, .json, .txt)"},
    {.name = "format",
     .argument = "FORMAT",
     .type = ATN_OPT_WORD,
     .words = report_words,
     .doc = "Of the report, where the name of its file does not say it"},
    {.name = "reproducible",
     .type = ATN_OPT_FLAG,
     .doc = "Reductions give the same bits in every run, wherever the ranks are"},
    {.name = "check",
     .type = ATN_OPT_FLAG,
     .doc = "Compare the arguments of every collective call across ranks"},
    {.name = "watchdog",
     .argument = "SECONDS",
     .type = ATN_OPT_INT,
     .min = 0,
     .max = 86400,
     .doc = "Tell where a call is stuck that makes no progress for so long"},
    {.name = "first",
     .argument = "CALLS",
     .type = ATN_OPT_INT,
     .min = 0,
     .max = 1000000,
     .doc = "First calls on communicators other than MPI_COMM_WORLD that stay native"},
    {.name = "yield",
     .argument = "WHEN",
     .type = ATN_OPT_WORD,
     .words = yield_words,
     .doc = "Give the processor away while waiting"},
    {.name = "topology",
     .argument = "FILE|STRING",
     .type = ATN_OPT_TEXT,
     .doc = "Where the hosts are: a topology.conf, or a string such as 4x4@100M"},
    {.name = "gpu",
     .argument = "HOW",
     .type = ATN_OPT_WORD,
     .words = gpu_words,
     .doc = "What to do with a GPU-aware MPI"},
    {.name = "verbose",
     .letter = 'v',
     .argument = "LEVEL",
     .type = ATN_OPT_MAYBE,
     .doc = "Tell what is set up and what stays native (level 2: every choice)"},
    {.name = "trace",
     .argument = "FOLDER",
     .type = ATN_OPT_FILE,
     .doc = "Record every MPI call of every rank into FOLDER ('attune trace' reads it)"},
    {.name = "staging",
     .argument = "BYTES",
     .type = ATN_OPT_TEXT,
     .doc = "Receive foreseen messages ahead of time, into at most so much memory of each rank"},
    {.name = "warmup",
     .argument = "FILE",
     .type = ATN_OPT_FILE,
     .doc = "Make connections at the start that the last job with this FILE used, and write down "
            "those of this job"},
    {.name = "off", .type = ATN_OPT_FLAG, .doc = "Run the command as it is, without Attune"},
    {.name = "mpi",
     .argument = "MPI",
     .type = ATN_OPT_WORD,
     .words = mpi_words,
     .doc = "The MPI in use, where launcher and program do not tell"},
    {.name = "dry-run",
     .type = ATN_OPT_FLAG,
     .doc = "Print the command that would be run, and stop"},
    {0},
};

/* Options that stand for a setting, and the value when they are given without one. */
static const struct {
    const char *option;
    atn_setting setting;
    const char *alone;
} meanings[] = {
    {"algorithm", ATN_SET_ALGORITHM, NULL},
    {"rules", ATN_SET_RULES, NULL},
    {"select", ATN_SET_SELECT, NULL},
    {"topology", ATN_SET_TOPOLOGY, NULL},
    {"report", ATN_SET_REPORT, "1"},
    {"check", ATN_SET_CHECK, "on"},
    {"watchdog", ATN_SET_WATCHDOG, NULL},
    {"first", ATN_SET_FIRST, NULL},
    {"yield", ATN_SET_YIELD, NULL},
    {"gpu", ATN_SET_GPU, NULL},
    {"verbose", ATN_SET_VERBOSE, "1"},
    {"off", ATN_SET_ON, "off"},
    {"machine", ATN_SET_MACHINE, NULL},
    {"format", ATN_SET_REPORT_FORMAT, NULL},
    {"reproducible", ATN_SET_REPRODUCIBLE, "on"},
    {"trace", ATN_SET_TRACE, NULL},
    {"staging", ATN_SET_STAGING, NULL},
    {"warmup", ATN_SET_WARMUP, NULL},
    {"budget", ATN_SET_BUDGET, NULL},
    {"fp", ATN_SET_FP, NULL},
    {"wisdom", ATN_SET_WISDOM, NULL},
    {"explain", ATN_SET_EXPLAIN, "on"},
};
enum { MEANINGS = sizeof meanings / sizeof meanings[0] };

static atn_status read_settings(const atn_args *a, atn_settings *s, atn_error *err)
{
    char *warning = NULL;
    atn_status status = atn_settings_environ(s, environ, &warning, err);
    free(warning); /* the library tells it in the job */
    for (int i = 0; i < MEANINGS && status == ATN_OK; i++)
        if (atn_arg_given(a, meanings[i].option)) {
            const char *text = atn_arg_text(a, meanings[i].option);
            status =
                atn_settings_set(s, meanings[i].setting, text != NULL ? text : meanings[i].alone,
                                 ATN_FROM_COMMAND, err);
        }
    return status == ATN_OK ? atn_settings_run(s, err) : status;
}

static atn_status check_staging(const atn_settings *s, atn_error *err)
{
    const char *const text = atn_setting_given(s, ATN_SET_STAGING);
    int64_t bytes;
    if (text == NULL || (atn_parse_size(text, &bytes) && bytes <= INT32_MAX))
        return ATN_OK;
    return atn_fail(err, ATN_USAGE, "staging \"%s\": not a size up to 2G; write 4M, for example",
                    text);
}

/* Mistakes are told here, once, rather than by a job that has waited for hours. */
static atn_status check_settings(atn_settings *s, atn_error *err)
{
    atn_rules *rules = NULL;
    atn_status status =
        atn_rules_load(atn_setting_given(s, ATN_SET_RULES), atn_setting_given(s, ATN_SET_ALGORITHM),
                       atn_setting_given(s, ATN_SET_SELECT), &rules, err);
    atn_rules_free(rules);
    if (status == ATN_OK)
        status = atn_run_files(s, err);
    if (status == ATN_OK)
        status = check_staging(s, err);
    return status;
}

/* ---- the command ---- */

typedef struct {
    const char *names[ATN_SETTINGS], *values[ATN_SETTINGS];
    int n;
} variables;

static void collect(const atn_settings *s, variables *set)
{
    set->n = 0;
    for (int i = 0; i < ATN_SETTINGS; i++)
        if (s->v[i].text != NULL) {
            set->names[set->n] = atn_setting_get((atn_setting)i)->name;
            set->values[set->n++] = s->v[i].text;
        }
}

static void print_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word != '\0'; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stdout);
    putchar('\'');
}

static void print_variable(const char *name, const char *value)
{
    printf("%s=", name);
    print_word(value);
    putchar(' ');
}

/* As it could be typed into a shell. */
static int print_command(char *const *words, const variables *set, const char *environment)
{
    for (int i = 0; i < set->n; i++)
        print_variable(set->names[i], set->values[i]);
    if (environment != NULL)
        print_variable("LD_PRELOAD", strchr(environment, '=') + 1);
    for (int i = 0; words[i] != NULL; i++) {
        if (i > 0)
            putchar(' ');
        print_word(words[i]);
    }
    putchar('\n');
    return ATN_OK;
}

static int execute(const atn_args *a, char *const *words, const variables *set, char *environment,
                   atn_error *err)
{
    if (atn_arg_given(a, "dry-run"))
        return print_command(words, set, environment);
    for (int i = 0; i < set->n; i++)
        setenv(set->names[i], set->values[i], 1);
    if (environment != NULL)
        putenv(environment);
    fflush(NULL);
    execvp(words[0], words);
    return atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be run: %s; install it or give its full path",
                    words[0], strerror(errno));
}

static int run_preloaded(const atn_args *a, const variables *set, const char *library,
                         const atn_launch *l, atn_error *err)
{
    const atn_handout handout = {.library = library,
                                 .preload = getenv("LD_PRELOAD"),
                                 .names = set->names,
                                 .values = set->values,
                                 .n = set->n};
    atn_words words = {0};
    char *environment = NULL;
    atn_status status = atn_launch_command(l, &handout, &words, &environment, err);
    if (status == ATN_OK)
        status = (atn_status)execute(a, words.v, set, environment, err);
    atn_words_free(&words);
    free(environment);
    return status;
}

/* One more library before those that are there; the last one is Attune's own. */
static atn_status add_library(char **library_p, const char *what, atn_error *err)
{
    static const char before[] = "libattune-";
    const char *const colon = strrchr(*library_p, ':'), *const own =
                                                            colon != NULL ? colon + 1 : *library_p;
    const char *const name = strrchr(own, '/') + 1;
    char path[PATH_MAX], *both = NULL;
    snprintf(path, sizeof path, "%.*slibattune_%s-%s", (int)(name - own), own, what,
             name + sizeof before - 1);
    if (access(path, R_OK) != 0)
        return atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be read: %s; build Attune anew", path,
                        strerror(errno));
    if (asprintf(&both, "%s:%s", path, *library_p) < 0)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    free(*library_p);
    *library_p = both;
    return ATN_OK;
}

/* The tracer comes first: it records what the program calls, not what Attune makes of it. */
static atn_status add_libraries(const atn_settings *s, char **library_p, atn_error *err)
{
    atn_status status = ATN_OK;
    if (atn_setting_given(s, ATN_SET_STAGING) != NULL ||
        atn_setting_given(s, ATN_SET_WARMUP) != NULL)
        status = add_library(library_p, "messages", err);
    if (status == ATN_OK && atn_setting_given(s, ATN_SET_TRACE) != NULL)
        status = add_library(library_p, "trace", err);
    return status;
}

static int run_examined(const atn_args *a, atn_settings *s, atn_error *err)
{
    variables set;
    atn_launch l = {0};
    char *library = NULL;
    const char *flavour = atn_arg_text(a, "mpi");
    atn_status status = check_settings(s, err);
    collect(s, &set);
    if (status == ATN_OK)
        status = atn_launch_parse(a->rest, a->nrest, flavour, &l, err);
    if (status == ATN_OK)
        status = atn_run_check(&l, flavour, &library, err);
    if (status == ATN_OK && library != NULL)
        status = add_libraries(s, &library, err);
    if (status == ATN_OK && library != NULL)
        status = (atn_status)run_preloaded(a, &set, library, &l, err);
    else if (status == ATN_OK)
        status = (atn_status)execute(a, a->rest, &set, NULL, err);
    free(library);
    atn_launch_free(&l);
    return status;
}

static int run(const atn_args *a, atn_error *err)
{
    atn_settings s;
    if (a->nrest == 0)
        return atn_fail(err, ATN_USAGE,
                        "no command to run; write attune run [options] -- mpirun -n 4 ./program");
    atn_settings_default(&s);
    int status = read_settings(a, &s, err);
    if (status == ATN_OK && atn_setting_number(&s, ATN_SET_ON) == 0) {
        variables set;
        collect(&s, &set);
        status = execute(a, a->rest, &set, NULL, err);
    } else if (status == ATN_OK) {
        status = run_examined(a, &s, err);
    }
    atn_settings_free(&s);
    return status;
}

const atn_command atn_cmd_run = {
    .noun = "run",
    .help = "Run an MPI program with its collectives carried out by Attune",
    .detail =
        "COMMAND is what you would type without Attune: mpirun, mpiexec or srun with their "
        "options, or a program alone. Attune finds out which MPI it uses, refuses what it cannot "
        "preload, has the launcher preload the right library into every process, and then becomes "
        "the launcher: exit code and signals are the program's own. Options override the "
        "environment variables that 'attune settings' lists; without rules or forced algorithms "
        "the job learns while it runs what is fastest.",
    .options = options,
    .flags = ATN_CMD_REST,
    .run = run,
};
