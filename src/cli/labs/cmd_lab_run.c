/* cmd_lab_run.c - attune lab run: runs an MPI job on the hosts of a lab. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/labs/lab.h"
#include "cli/launch/elf.h"
#include "cli/launch/launch.h"
#include "cli/run.h"
#include "lab/lab.h"

/* ---- the MPI ---- */

static const char *const map_words[] = {"block", "cyclic", NULL};

/* Names to try, most specific first; the MPI of a launcher is detected by running it. */
static const struct {
    const char *mpi, *title, *names[5];
} launchers[] = {
    {"openmpi", "Open MPI", {"mpirun.openmpi", "orterun", "mpirun", "mpiexec", NULL}},
    {"mpich", "MPICH", {"mpirun.mpich", "mpiexec.hydra", "mpiexec", "mpirun", NULL}},
};
enum { LAUNCHERS = sizeof launchers / sizeof launchers[0] };

static const char *find_launcher(int i)
{
    for (int k = 0; launchers[i].names[k] != NULL; k++) {
        const atn_launcher *l;
        const char *name = launchers[i].names[k];
        if (atn_cli_launcher_identify(name, NULL, &l, NULL) == ATN_OK && l != NULL &&
            l->flavour != NULL && strcmp(l->flavour, launchers[i].mpi) == 0)
            return name;
    }
    return NULL;
}

/* The MPI that the program is linked with; NULL: unknown (for example, a script). */
static const char *program_mpi(const char *word)
{
    char path[4096];
    atn_elf about;
    if (atn_cli_program_find(word, NULL, NULL, true, path) != 0 ||
        atn_cli_elf_examine(path, getenv("LD_LIBRARY_PATH"), &about, NULL) != ATN_OK)
        return NULL;
    return atn_cli_flavour_of(about.mpi);
}

static atn_status choose_mpi(const atn_args *a, atn_lab_job *job, atn_error *err)
{
    const char *given = atn_cli_arg_text(a, "mpi"), *linked = program_mpi(a->rest[0]);
    if (given != NULL && linked != NULL && strcmp(given, linked) != 0)
        return atn_fail(err, ATN_ENVIRONMENT, "program %s is linked with %s, but --mpi is %s",
                        a->rest[0], linked, given);
    job->mpi = given != NULL ? given : linked;
    job->launcher = atn_cli_arg_text(a, "mpirun");
    for (int i = 0; i < LAUNCHERS && (job->mpi == NULL || job->launcher == NULL); i++)
        if (job->mpi == NULL || strcmp(job->mpi, launchers[i].mpi) == 0) {
            const char *found = find_launcher(i);
            if (job->launcher == NULL)
                job->launcher = found;
            if (job->mpi == NULL && found != NULL)
                job->mpi = launchers[i].mpi;
        }
    if (job->mpi != NULL && job->launcher != NULL)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT,
                    "no launcher of %s is in PATH; install it, or name it with --mpirun",
                    job->mpi != NULL ? job->mpi : "an MPI");
}

/* ---- environment of the ranks ---- */

static bool is_variable(const char *text, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && (text[n] == '=' || text[n] == '\0');
}

__attribute__((format(printf, 2, 3))) static atn_status add(atn_words *list, const char *format,
                                                            ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    const int n = vasprintf(&text, format, args);
    va_end(args);
    if (n >= 0 && atn_push(list, text))
        return ATN_OK;
    free(n >= 0 ? text : NULL);
    return ATN_MEMORY;
}

/* "-x NAME=value", or "-x NAME" with the value of this environment. */
static atn_status add_given(const atn_args *a, atn_words *list)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < atn_cli_arg_count(a, "env") && status == ATN_OK; i++) {
        const char *text = atn_cli_arg_nth(a, "env", i);
        if (strchr(text, '=') != NULL)
            status = add(list, "%s", text);
        else if (getenv(text) != NULL)
            status = add(list, "%s=%s", text, getenv(text));
    }
    return status;
}

static char *find_given(const atn_words *list, const char *name)
{
    char *found = NULL;
    for (int i = 0; i < list->n; i++)
        if (is_variable(list->v[i], name))
            found = strchr(list->v[i], '=') + 1;
    return found;
}

/* After libraries that are preloaded already, so that Attune's entry points come first. */
static atn_status add_yield(const atn_args *a, const atn_lab_job *job, atn_words *list,
                            atn_error *err)
{
    char library[ATN_LAB_PATH];
    const char *old = find_given(list, "LD_PRELOAD");
    if (strcmp(job->mpi, "mpich") != 0 || atn_cli_arg_given(a, "no-yield"))
        return ATN_OK;
    const atn_status status = atn_lab_find("liblabyield.so", library, err);
    if (status != ATN_OK)
        return status;
    if (old == NULL)
        old = getenv("LD_PRELOAD");
    return add(list, "LD_PRELOAD=%s%s%s", old != NULL ? old : "",
               old != NULL && *old != '\0' ? ":" : "", library);
}

static atn_status add_topology(const atn_args *a, const atn_lab *lab, atn_words *list)
{
    if (atn_cli_arg_given(a, "no-topology") || getenv("ATTUNE_TOPOLOGY") != NULL ||
        find_given(list, "ATTUNE_TOPOLOGY") != NULL)
        return ATN_OK;
    return add(list, "ATTUNE_TOPOLOGY=%s/topology.conf", lab->folder);
}

static atn_status collect_variables(const atn_args *a, const atn_lab *lab, const atn_lab_job *job,
                                    atn_words *list, atn_error *err)
{
    atn_status status = add_given(a, list);
    if (status == ATN_OK)
        status = add_yield(a, job, list, err);
    if (status == ATN_OK)
        status = add_topology(a, lab, list);
    return status == ATN_MEMORY ? atn_fail(err, ATN_MEMORY, "out of memory") : status;
}

/* ---- the job ---- */

static atn_status run_job(const atn_args *a, const atn_lab *lab, atn_words *variables,
                          atn_words *options, int *code_p, atn_error *err)
{
    int *host_of = NULL;
    atn_lab_job job = {.words = a->rest};
    atn_status status = choose_mpi(a, &job, err);
    if (status == ATN_OK)
        status = atn_lab_place(
            lab, (int)atn_cli_arg_int(a, "ranks"), (int)atn_cli_arg_int(a, "ranks-per-host"),
            strcmp(atn_cli_arg_text(a, "map"), "cyclic") == 0, &job.n, &host_of, err);
    if (status == ATN_OK)
        status = collect_variables(a, lab, &job, variables, err);
    for (int i = 0; i < atn_cli_arg_count(a, "launcher-option") && status == ATN_OK; i++)
        status = add(options, "%s", atn_cli_arg_nth(a, "launcher-option", i));
    job.host_of = host_of;
    job.variables = variables->v;
    job.nvariables = variables->n;
    job.options = options->v;
    job.noptions = options->n;
    if (status == ATN_OK)
        status = atn_lab_run(lab, &job, code_p, err);
    free(host_of);
    return status;
}

static int run(const atn_args *a, atn_error *err)
{
    atn_lab lab;
    int code = 0;
    atn_words variables = {0}, options = {0};
    if (a->nrest == 0)
        return atn_fail(err, ATN_USAGE,
                        "no program to run; write attune lab run [options] -- PROGRAM");
    atn_status status = atn_lab_open(atn_cli_arg_text(a, "name"), &lab, err);
    if (status == ATN_OK)
        status = run_job(a, &lab, &variables, &options, &code, err);
    atn_cli_words_free(&variables);
    atn_cli_words_free(&options);
    atn_lab_close(&lab);
    return status == ATN_OK ? code : (int)status;
}

static const atn_option run_options[] = {
    ATN_OPTION_LAB,
    ATN_OPTION_MPI("MPI library whose launcher is used; default: that of the program"),
    ATN_FILE("mpirun", "FILE", "Launcher of that MPI library, if it is not in PATH"),
    {.name = "ranks",
     .letter = 'n',
     .argument = "N",
     .type = ATN_OPT_INT,
     .min = 1,
     .max = 100000,
     .doc = "Number of ranks; default: one per host, or the ranks placed by the topology"},
    ATN_INT("ranks-per-host", "K", NULL, 1, 1000,
            "Ranks on each host; default: as many as required"),
    ATN_WORD("map", "HOW", "block", map_words, "Mapping of several ranks per host"),
    {.name = "env",
     .letter = 'x',
     .argument = "NAME[=VALUE]",
     .type = ATN_OPT_LIST,
     .doc = "Set a variable for the ranks only"},
    {.name = "launcher-option",
     .letter = 'L',
     .argument = "WORD",
     .type = ATN_OPT_LIST,
     .doc = "Additional argument of the launcher"},
    ATN_FLAG("no-topology", "Do not pass the topology of the lab to the ranks (ATTUNE_TOPOLOGY)"),
    ATN_FLAG("no-yield",
             "MPICH: do not preload the library that yields the processor while waiting"),
    {0},
};

const atn_command atn_cmd_lab_run = {
    .noun = "lab",
    .verb = "run",
    .help = "Run an MPI program on the hosts of a lab",
    .detail =
        "Ranks are placed in the order of the topology, and each sees the name of its host. The "
        "launcher runs on the front end of the lab. The exit code is that of the job; when the "
        "command ends or is killed, no process of the job remains.",
    .examples = ATN_NOTES({"attune lab run -n 16 -- ./program", "Run a job in the lab"}),
    .options = run_options,
    .flags = ATN_CMD_REST,
    .run = run,
};
