/* cmd_sim.c - attune sim: runs a program that was built with smpicc on simulated hosts. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/launch/elf.h"
#include "cli/run.h"
#include "cli/sim/sim.h"
#include "lab/lab.h"

static const char *const order_words[] = {"block", "cyclic", "random", NULL};
static const char *const native_words[] = {"ompi", "mpich", "mvapich2", "impi", NULL};

/* ---- the simulator ---- */

__attribute__((format(printf, 2, 3))) static bool add(atn_words *words, const char *format, ...)
{
    va_list args;
    char *word = NULL;
    va_start(args, format);
    const int n = vasprintf(&word, format, args);
    va_end(args);
    if (n >= 0 && atn_push(words, word))
        return true;
    free(n >= 0 ? word : NULL);
    return false;
}

static bool add_simulator(const atn_args *a, const atn_sim_files *f, int n, atn_words *words)
{
    bool ok = add(words, "%s", atn_cli_arg_text(a, "smpirun")) && add(words, "-quiet") &&
              add(words, "-n") && add(words, "%d", n) && add(words, "-platform") &&
              add(words, "%s", f->platform) && add(words, "-hostfile") &&
              add(words, "%s", f->hosts);
    ok = ok && add(words, "--log=root.thresh:warning");
    for (const atn_sim_option *o = atn_cli_sim_options; o->name != NULL; o++)
        ok = ok && add(words, "--cfg=%s:%s", o->name, o->value);
    ok = ok && add(words, "--cfg=smpi/coll-selector:%s", atn_cli_arg_text(a, "native"));
    for (int i = 0; i < atn_cli_arg_count(a, "cfg"); i++)
        ok = ok && add(words, "--cfg=%s", atn_cli_arg_nth(a, "cfg", i));
    return ok;
}

static atn_status write_command(const atn_args *a, const atn_sim_files *f, int n,
                                const char *program, atn_words *words, atn_error *err)
{
    bool ok = add_simulator(a, f, n, words) && add(words, "%s", program);
    for (int i = 1; i < a->nrest; i++)
        ok = ok && add(words, "%s", a->rest[i]);
    return ok && atn_push(words, NULL) ? (words->n--, ATN_OK)
                                       : atn_fail(err, ATN_MEMORY, "out of memory");
}

static atn_status check_simulator(const atn_args *a, atn_error *err)
{
    char path[4096];
    const char *const word = atn_cli_arg_text(a, "smpirun");
    const int why = atn_cli_program_find(word, NULL, NULL, false, path);
    if (why == 0)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT,
                    "%s: %s; install SimGrid (Debian: libsimgrid-dev), or name its smpirun with "
                    "--smpirun",
                    word, strerror(why));
}

/* smpirun joins all words and splits them at blanks again. */
static atn_status check_words(const atn_args *a, atn_error *err)
{
    for (int i = 0; i < a->nrest; i++)
        if (a->rest[i][strcspn(a->rest[i], " \t\n")] != '\0' || a->rest[i][0] == '\0')
            return atn_fail(err, ATN_USAGE,
                            "argument '%s' is empty or contains a blank, at which smpirun would "
                            "split it; write it without",
                            a->rest[i]);
    return ATN_OK;
}

/* ---- the program ---- */

static bool needs_simgrid(const atn_object *o)
{
    static const char library[] = "libsimgrid.so";
    for (int i = 0; i < o->needed.n; i++)
        if (strncmp(o->needed.v[i], library, sizeof library - 1) == 0)
            return true;
    return false;
}

static bool has_text(const atn_object *o, const char *text)
{
    return memmem(o->map, o->size, text, strlen(text)) != NULL;
}

/* Programs of Attune's own (libexec) call its executor instead of being served. */
static void note_native(const atn_object *o, const char *word)
{
    if (!has_text(o, "attune_active") && !has_text(o, "attune-samples"))
        fprintf(stderr,
                "attune: note: %s was linked without Attune, so all calls are native; link it "
                "with $(pkg-config --libs attune-smpi)\n",
                word);
}

static atn_status check_program(const char *word, char path[4096], atn_error *err)
{
    atn_object o = {0};
    const int why = atn_cli_program_find(word, NULL, NULL, true, path);
    if (why != 0 || !atn_cli_object_open(path, &o))
        return atn_fail(err, ATN_ENVIRONMENT,
                        "program %s: %s; name an existing program, with its path if it is not in "
                        "PATH",
                        word, strerror(why != 0 ? why : errno));
    const bool simulated = o.elf && !o.foreign && needs_simgrid(&o);
    if (simulated)
        note_native(&o, word);
    atn_cli_object_close(&o);
    if (simulated)
        return ATN_OK;
    return atn_fail(err, ATN_ENVIRONMENT,
                    "program %s was not built for SimGrid; build it with: smpicc SOURCES "
                    "$(pkg-config --cflags --libs attune-smpi)",
                    word);
}

/* ---- settings ---- */

/* A simulation does not learn for the user's real jobs unless a file is named. */
static atn_status complete_settings(atn_settings *s, const atn_sim_files *f, atn_error *err)
{
    atn_status status = ATN_OK;
    if (atn_plan_setting_given(s, ATN_SET_TOPOLOGY) == NULL)
        status = atn_plan_settings_set(s, ATN_SET_TOPOLOGY, f->topology, ATN_FROM_COMMAND, err);
    if (status == ATN_OK && atn_plan_setting_given(s, ATN_SET_MACHINE) == NULL)
        status = atn_plan_settings_set(s, ATN_SET_MACHINE, f->machine, ATN_FROM_COMMAND, err);
    if (status == ATN_OK && atn_plan_setting_given(s, ATN_SET_WISDOM) == NULL)
        status = atn_plan_settings_set(s, ATN_SET_WISDOM, "off", ATN_FROM_COMMAND, err);
    return status;
}

/* These need libraries that are preloaded. */
static atn_status check_available(const atn_settings *s, atn_error *err)
{
    static const atn_setting missing[] = {ATN_SET_TRACE, ATN_SET_STAGING, ATN_SET_WARMUP};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (atn_plan_setting_given(s, missing[i]) != NULL)
            return atn_fail(err, ATN_USAGE, "%s is not available in simulated jobs; omit it",
                            atn_plan_setting_get(missing[i])->name);
    return ATN_OK;
}

/* Without it, jobs of many ranks start slowly (src/smpi). */
static void preload_setup(void)
{
    const char *const given = getenv("LD_PRELOAD");
    char library[ATN_LAB_PATH], *all = NULL;
    if (atn_lab_find("libattune_smpi_setup.so", library, NULL) != ATN_OK ||
        library[strcspn(library, " :")] != '\0' || /* these would separate names */
        asprintf(&all, "%s%s%s", library, given != NULL ? ":" : "", given != NULL ? given : "") < 0)
        return;
    setenv("LD_PRELOAD", all, 1);
    free(all);
}

static void set_environment(const atn_settings *s, const atn_sim_files *f)
{
    atn_run_variables set;
    atn_cli_run_variables(s, &set);
    for (int i = 0; i < set.n; i++)
        setenv(set.names[i], set.values[i], 1);
    if (!f->kept) /* SimGrid copies the program for each rank */
        setenv("TMPDIR", f->folder, 1);
    preload_setup();
}

/* ---- the job ---- */

static atn_status run_job(const atn_args *a, atn_settings *s, const char *program,
                          const atn_sim_ranks *ranks, int *code_p, atn_error *err)
{
    atn_sim_files files;
    atn_words words = {0};
    atn_status status = atn_cli_sim_files_write(a, ranks, &files, err);
    if (status == ATN_OK)
        status = complete_settings(s, &files, err);
    if (status == ATN_OK)
        status = write_command(a, &files, ranks->n, program, &words, err);
    if (status == ATN_OK) {
        set_environment(s, &files);
        status = atn_cli_sim_run(words.v, code_p, err);
    }
    atn_cli_words_free(&words);
    atn_cli_sim_files_remove(&files);
    return status;
}

static atn_status run_checked(const atn_args *a, atn_settings *s, int *code_p, atn_error *err)
{
    char program[4096];
    atn_sim_ranks ranks = {NULL, 0};
    atn_status status = atn_cli_run_settings(a, s, err);
    if (status == ATN_OK)
        status = atn_cli_run_settings_check(s, err);
    if (status == ATN_OK)
        status = check_available(s, err);
    if (status == ATN_OK)
        status = atn_cli_sim_place(a, &ranks, err);
    if (status == ATN_OK)
        status = check_words(a, err);
    if (status == ATN_OK)
        status = check_simulator(a, err);
    if (status == ATN_OK)
        status = check_program(a->rest[0], program, err);
    if (status == ATN_OK)
        status = run_job(a, s, program, &ranks, code_p, err);
    atn_topo_free(ranks.topo);
    return status;
}

static int run(const atn_args *a, atn_error *err)
{
    atn_settings s;
    int code = 0;
    if (a->nrest == 0)
        return atn_fail(err, ATN_USAGE,
                        "no program to run; write attune sim --platform 4x4@10G -- PROGRAM");
    atn_plan_settings_default(&s);
    const atn_status status = run_checked(a, &s, &code, err);
    atn_plan_settings_free(&s);
    return status == ATN_OK ? code : (int)status;
}

static const atn_option sim_options[] = {
    ATN_TEXT("platform", "FILE|STRING", NULL, "Topology of the simulated cluster"),
    {.name = "ranks",
     .letter = 'n',
     .argument = "N",
     .type = ATN_OPT_INT,
     .min = 1,
     .max = 1000000,
     .doc = "Number of ranks; default: all that the platform has places for"},
    ATN_INT("ranks-per-host", "K", NULL, 1, 1024,
            "Places for ranks on each host; default: those of the platform, or one"),
    ATN_WORD("hosts-order", "HOW", NULL, order_words,
             "Mapping: block, cyclic (over switches, then hosts) or random; default: that of the "
             "platform, or block"),
    ATN_INT("seed", "N", "1", 0, INT32_MAX, "Seed of the random mapping"),
    ATN_WORD("native", "SELECTOR", "ompi", native_words,
             "The MPI library whose selection of algorithms is native"),
    ATN_LIST("cfg", "NAME:VALUE", "Option of SimGrid, for example smpi/os:0:0:0"),
    {.name = "smpirun",
     .argument = "FILE",
     .fallback = "smpirun",
     .type = ATN_OPT_FILE,
     .doc = "Launcher of SimGrid, if it is not in PATH"},
    ATN_FILE("folder", "FOLDER", "Keep platform, hosts, topology and machine in this folder"),
    {0},
};

const atn_command atn_cmd_sim = {
    .noun = "sim",
    .help = "Run an MPI program on a simulated cluster, with SimGrid",
    .detail =
        "PROGRAM was compiled with smpicc and linked with $(pkg-config --libs attune-smpi). All "
        "ranks run in one process, and time is simulated: computation takes none, messages take "
        "what the links of the platform allow. Attune gets the same topology and a machine file of "
        "the simulation; wisdom is neither read nor written unless --wisdom names a file. The "
        "other options are those of 'attune "
        "run'. The exit code is that of the job. docs/sim.md describes the simulation.",
    .examples = ATN_NOTES(
        {"attune sim --platform 16x16@10G+1us -n 256 --report -- ./program",
         "Run 256 ranks on 16 switches of 16 hosts, and print a report"},
        {"attune sim --platform '64@10G+1us;ranks=16' --hosts-order cyclic --select model -- "
         "./program",
         "1024 ranks on 64 hosts, mapped cyclically; algorithms are selected by predicted time"},
        {"attune sim --platform 8x8@10G+1us --native mpich --off -- ./program",
         "Run with the native collectives of an MPI library, for comparison"}),
    .options = sim_options,
    .flags = ATN_CMD_REST | ATN_CMD_SETTINGS,
    .run = run,
};
