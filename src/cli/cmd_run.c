/* cmd_run.c - attune run: runs an unmodified MPI program with Attune preloaded by its launcher.
 *
 * The launcher replaces this process, so exit code, signals and standard streams are those of the
 * job. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run.h"

/* ---- the command ---- */

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

/* Quoted for a shell. */
static int print_command(char *const *words, const atn_run_variables *set, const char *environment)
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

static int execute(const atn_args *a, char *const *words, const atn_run_variables *set,
                   char *environment, atn_error *err)
{
    if (atn_cli_arg_given(a, "dry-run"))
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

static int run_preloaded(const atn_args *a, const atn_run_variables *set, const char *library,
                         const atn_launch *l, atn_error *err)
{
    const atn_job_env env = {.library = library,
                             .preload = getenv("LD_PRELOAD"),
                             .names = set->names,
                             .values = set->values,
                             .n = set->n};
    atn_words words = {0};
    char *environment = NULL;
    atn_status status = atn_cli_launch_command(l, &env, &words, &environment, err);
    if (status == ATN_OK)
        status = (atn_status)execute(a, words.v, set, environment, err);
    atn_cli_words_free(&words);
    free(environment);
    return status;
}

/* Adds a library in front of the list, whose last element is libattune. */
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
        return atn_fail(err, ATN_ENVIRONMENT, "%s: cannot be read: %s; rebuild Attune", path,
                        strerror(errno));
    if (asprintf(&both, "%s:%s", path, *library_p) < 0)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    free(*library_p);
    *library_p = both;
    return ATN_OK;
}

/* The tracer is first: it records the calls of the program, not those of Attune. */
static atn_status add_libraries(const atn_settings *s, char **library_p, atn_error *err)
{
    atn_status status = ATN_OK;
    if (atn_plan_setting_given(s, ATN_SET_STAGING) != NULL ||
        atn_plan_setting_given(s, ATN_SET_WARMUP) != NULL)
        status = add_library(library_p, "messages", err);
    if (status == ATN_OK && atn_plan_setting_given(s, ATN_SET_TRACE) != NULL)
        status = add_library(library_p, "trace", err);
    return status;
}

static int run_examined(const atn_args *a, atn_settings *s, atn_error *err)
{
    atn_run_variables set;
    atn_launch l = {0};
    char *library = NULL;
    const char *flavour = atn_cli_arg_text(a, "mpi");
    atn_status status = atn_cli_run_settings_check(s, err);
    atn_cli_run_variables(s, &set);
    if (status == ATN_OK)
        status = atn_cli_launch_parse(a->rest, a->nrest, flavour, &l, err);
    if (status == ATN_OK)
        status = atn_cli_run_check(&l, flavour, &library, err);
    if (status == ATN_OK && library != NULL)
        status = add_libraries(s, &library, err);
    if (status == ATN_OK && library != NULL)
        status = (atn_status)run_preloaded(a, &set, library, &l, err);
    else if (status == ATN_OK)
        status = (atn_status)execute(a, a->rest, &set, NULL, err);
    free(library);
    atn_cli_launch_free(&l);
    return status;
}

static int run(const atn_args *a, atn_error *err)
{
    atn_settings s;
    if (a->nrest == 0)
        return atn_fail(err, ATN_USAGE,
                        "no command to run; write attune run [options] -- mpirun -n 4 ./program");
    atn_plan_settings_default(&s);
    int status = atn_cli_run_settings(a, &s, err);
    if (status == ATN_OK && atn_plan_setting_number(&s, ATN_SET_ON) == 0) {
        atn_run_variables set;
        atn_cli_run_variables(&s, &set);
        status = execute(a, a->rest, &set, NULL, err);
    } else if (status == ATN_OK) {
        status = run_examined(a, &s, err);
    }
    atn_plan_settings_free(&s);
    return status;
}

const atn_option atn_cli_launch_options[] = {
    ATN_OPTION_MPI_JOB,
    ATN_FLAG("dry-run", "Print the resulting command and stop"),
    {0},
};

const atn_command atn_cmd_run = {
    .noun = "run",
    .help = "Run an MPI program with Attune's collectives",
    .detail =
        "COMMAND is the command without Attune: mpirun, mpiexec or srun with their options, or a "
        "program alone. Attune detects the MPI library, rejects programs that it cannot be "
        "preloaded into, makes the launcher preload the matching library into every process, and "
        "is then replaced by the launcher: exit code and signals are those of the job. Options "
        "override environment variables; 'attune settings' lists both. Without rules or forced "
        "algorithms, online tuning selects algorithms while the job runs.",
    .examples = ATN_NOTES(
        {"attune run -- mpirun -n 4 ./program", "Run with online tuning"},
        {"attune run --report=job.html -- mpirun -n 4 ./program",
         "Write a report about calls, selected algorithms and time saved"},
        {"attune run -a 'allreduce=ring,bcast=chain{segment=8K}' -- mpirun -n 4 ./program",
         "Force algorithms"},
        {"attune run --dry-run -- srun -n 64 ./program", "Print the command that would be run"},
        {"attune run --report -- attune lab run -n 16 -- ./program", "Run in an emulated cluster"}),
    .files = ATN_NOTES(
        {"$XDG_DATA_HOME/attune/wisdom",
         "Wisdom of the user, read by every job and extended by online tuning (default of "
         "XDG_DATA_HOME: ~/.local/share)"},
        {"/etc/attune/wisdom", "Wisdom of the system, read by every job"},
        {"$XDG_DATA_HOME/attune/calibration",
         "Calibrations of the user, read by jobs that name neither machine nor topology"},
        {"/etc/attune/calibration", "Calibrations of the system, likewise"}),
    .shared = atn_cli_launch_options,
    .flags = ATN_CMD_REST | ATN_CMD_SETTINGS,
    .run = run,
};
