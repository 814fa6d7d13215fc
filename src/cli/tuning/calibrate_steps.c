/* calibrate_steps.c - the steps of `attune calibrate`: each is a command of its own, run with the
 * same launcher and within a share of the time.
 *
 * What a step has completed is kept in a folder until all are; a later run for the same hosts
 * continues there.  Topology and machine are stored before the tuning begins, because they are of
 * use without it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/launch/launch.h"
#include "cli/progress.h"
#include "cli/sampling.h"
#include "cli/tuning/calibrate.h"

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- files of completed steps ---- */

void atn_cli_calibrate_part(const atn_calibrating *c, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 64, c->parts, name);
}

bool atn_cli_calibrate_has(const atn_calibrating *c, const char *name)
{
    char path[PATH_MAX];
    atn_cli_calibrate_part(c, name, path);
    return access(path, F_OK) == 0;
}

static atn_status read_part(const atn_calibrating *c, const char *name, char **text_p,
                            atn_error *err)
{
    char path[PATH_MAX];
    atn_cli_calibrate_part(c, name, path);
    return atn_read_file(path, text_p, NULL, err);
}

static void remove_parts(const atn_calibrating *c)
{
    static const char *const names[] = {
        "topology",           "machine",       "machine.part",  "reduce.samples",
        "gather.samples",     "reduce.wisdom", "gather.wisdom", "reduce.wisdom.lock",
        "gather.wisdom.lock", "reduce.done",   "gather.done"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        atn_cli_calibrate_part(c, names[i], path);
        unlink(path);
    }
}

/* ---- commands ---- */

atn_status atn_cli_calibrate_command(const atn_calibrating *c, const atn_command *command,
                                     atn_words *options, char **text_p, atn_error *err)
{
    atn_args a = {0};
    char *text = NULL;
    size_t bytes = 0;
    bool ok = atn_cli_words_add(options, "--quiet");
    if (ok && atn_cli_arg_given(c->a, "mpi"))
        ok = atn_cli_words_option(options, "mpi", atn_cli_arg_text(c->a, "mpi"));
    ok = ok && atn_cli_words_add(options, "--");
    for (int i = 0; i < c->a->nrest && ok; i++)
        ok = atn_cli_words_add(options, c->a->rest[i]);
    if (!ok || !atn_push(options, NULL))
        return no_memory(err);
    options->n--;
    atn_status status = atn_cli_args_parse(command, options->n, options->v, &a, err);
    a.out = status == ATN_OK ? atn_open_text(&text, &bytes) : NULL;
    if (status == ATN_OK && a.out == NULL)
        status = no_memory(err);
    if (status == ATN_OK)
        status = (atn_status)command->run(&a, err);
    if (a.out != NULL && fclose(a.out) != 0 && status == ATN_OK)
        status = no_memory(err);
    atn_cli_args_free(&a);
    if (status == ATN_OK && text_p != NULL)
        *text_p = text;
    else
        free(text);
    return status;
}

/* The same, with its output in a file of the folder. */
static atn_status run_into(const atn_calibrating *c, const atn_command *command, atn_words *options,
                           const char *name, atn_error *err)
{
    char path[PATH_MAX], *text = NULL;
    atn_status status = atn_cli_calibrate_command(c, command, options, &text, err);
    atn_cli_calibrate_part(c, name, path);
    if (status == ATN_OK)
        status = atn_write_file(path, text, strlen(text), err);
    free(text);
    return status;
}

bool atn_cli_calibrate_seconds(atn_words *words, double seconds)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f", seconds < 1 ? 1 : seconds);
    return atn_cli_words_option(words, "time", text);
}

bool atn_cli_calibrate_file(const atn_calibrating *c, atn_words *words, const char *option,
                            const char *name)
{
    char path[PATH_MAX];
    atn_cli_calibrate_part(c, name, path);
    return atn_cli_words_option(words, option, path);
}

/* ---- topology ---- */

static bool has_network(const atn_calibrating *c) { return c->job.hosts > 1; }

/* A given one is checked and copied. */
static atn_status copy_topology(const atn_calibrating *c, const char *name, atn_error *err)
{
    char path[PATH_MAX];
    atn_topo *t = NULL;
    if (atn_topo_load(name, &t, err) != ATN_OK)
        return err->status;
    char *const text = atn_topo_print(t);
    atn_topo_free(t);
    atn_cli_calibrate_part(c, ATN_PART_OF_TOPOLOGY, path);
    const atn_status status =
        text != NULL ? atn_write_file(path, text, strlen(text), err) : no_memory(err);
    free(text);
    return status;
}

static atn_status find_topology(atn_calibrating *c, double seconds, atn_error *err)
{
    const char *const given = atn_cli_arg_text(c->a, "topology");
    atn_words options = {0};
    (void)seconds; /* follows from the number of hosts */
    const atn_status status =
        given != NULL ? copy_topology(c, given, err)
                      : run_into(c, &atn_cmd_topo_discover, &options, ATN_PART_OF_TOPOLOGY, err);
    atn_cli_words_free(&options);
    return status;
}

/* ---- machine ---- */

static atn_status store_entry(const atn_calibrating *c, atn_error *err)
{
    char launcher[1024] = "", *topology = NULL, *machine = NULL;
    for (int i = 0; i < c->a->nrest; i++)
        snprintf(launcher + strlen(launcher), sizeof launcher - strlen(launcher), "%s%s",
                 i > 0 ? " " : "", c->a->rest[i]);
    atn_status status = atn_cli_calibrate_has(c, ATN_PART_OF_TOPOLOGY)
                            ? read_part(c, ATN_PART_OF_TOPOLOGY, &topology, err)
                            : ATN_OK;
    if (status == ATN_OK)
        status = read_part(c, ATN_PART_OF_MACHINE, &machine, err);
    if (status == ATN_OK) {
        const atn_store_entry e = {.hosts = c->hosts,
                                   .machine = c->job.machine,
                                   .fabric = c->job.fabric,
                                   .ranks = atn_cli_calibrate_ranks(&c->job),
                                   .date = (int64_t)time(NULL),
                                   .tool = "attune calibrate " ATN_VERSION,
                                   .launcher = launcher,
                                   .topology = topology,
                                   .parameters = machine};
        status = atn_plan_store_put(c->store, &e, err);
    }
    free(topology);
    free(machine);
    return status;
}

static atn_status measure_machine(atn_calibrating *c, double seconds, atn_error *err)
{
    atn_words options = {0};
    const bool ok =
        atn_cli_calibrate_seconds(&options, seconds) &&
        atn_cli_calibrate_file(c, &options, "output", ATN_PART_OF_MACHINE) &&
        (!atn_cli_calibrate_has(c, ATN_PART_OF_TOPOLOGY) ||
         atn_cli_calibrate_file(c, &options, "topology", ATN_PART_OF_TOPOLOGY)) &&
        (!atn_cli_calibrate_has(c, "machine.part") || atn_cli_words_add(&options, "--resume"));
    atn_status status =
        ok ? run_into(c, &atn_cmd_measure, &options, ATN_PART_OF_MACHINE, err) : no_memory(err);
    if (status == ATN_OK)
        status = store_entry(c, err);
    atn_cli_words_free(&options);
    return status;
}

/* ---- all steps ---- */

static const struct {
    const char *title, *what;
    const char *result; /* file that exists when the step is complete */
    double share;       /* of the time */
    bool network;       /* only for several hosts */
    atn_status (*run)(atn_calibrating *c, double seconds, atn_error *err);
} steps[ATN_CALIBRATE_STEPS] = {
    {"topology", "which hosts share which links", ATN_PART_OF_TOPOLOGY, 0.18, true, find_topology},
    {"machine", "parameters of the models", ATN_PART_OF_MACHINE, 0.36, false, measure_machine},
    {"tuning", "allreduce, bcast, reduce where predictions are close", "reduce.done", 0.24, false,
     atn_cli_calibrate_messages},
    {"tuning", "allgather, alltoall where predictions are close", "gather.done", 0.22, false,
     atn_cli_calibrate_blocks},
};

static bool is_needed(const atn_calibrating *c, int i)
{
    return (!steps[i].network || has_network(c)) && !atn_cli_calibrate_has(c, steps[i].result);
}

static double share_from(const atn_calibrating *c, int first)
{
    double sum = 0;
    for (int i = first; i < ATN_CALIBRATE_STEPS; i++)
        sum += is_needed(c, i) ? steps[i].share : 0;
    return sum;
}

/* Of the time that is left, as the shares of the steps that are left. */
static double seconds_of(const atn_calibrating *c, int i)
{
    const double left = c->seconds - (atn_cli_seconds() - c->began);
    return (left > 0 ? left : 0) * steps[i].share / share_from(c, i);
}

static atn_status run_step(atn_calibrating *c, int i, double all, atn_error *err)
{
    const double from = 1 - share_from(c, i) / all, to = from + steps[i].share / all;
    atn_progress bar;
    atn_cli_progress_within(steps[i].title, from, to, c->began);
    atn_cli_progress_begin(&bar);
    if (!atn_cli_arg_given(c->a, "quiet"))
        atn_cli_progress_line(&bar, 0, steps[i].what);
    const atn_status status = steps[i].run(c, seconds_of(c, i), err);
    atn_cli_progress_within(NULL, 0, 1, 0);
    return status;
}

static bool has_parts(const atn_calibrating *c)
{
    return atn_cli_calibrate_has(c, ATN_PART_OF_TOPOLOGY) ||
           atn_cli_calibrate_has(c, "machine.part") ||
           atn_cli_calibrate_has(c, ATN_PART_OF_MACHINE);
}

/* The hosts may have changed since yesterday. */
static bool is_old(const atn_calibrating *c)
{
    enum { DAY_S = 86400 };
    struct stat about;
    return stat(c->parts, &about) == 0 && time(NULL) - about.st_mtime > DAY_S;
}

/* The folder belongs to one calibration at a time, until its process ends.  Between opening and
 * locking another one may have completed and removed it. */
static atn_status lock_parts(const atn_calibrating *c, atn_error *err)
{
    char inside[PATH_MAX];
    struct stat locked, present;
    atn_cli_calibrate_part(c, ATN_PART_OF_MACHINE, inside);
    for (;;) {
        atn_make_folders(inside);
        const int folder = open(c->parts, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0)
            return atn_fail(err, ATN_ENVIRONMENT, "%s: %s; use --store in another folder", c->parts,
                            strerror(errno));
        if (flock(folder, LOCK_EX | LOCK_NB) != 0)
            return atn_fail(err, ATN_ENVIRONMENT,
                            "%s: another calibration of these hosts is running; wait for its end",
                            c->parts);
        if (fstat(folder, &locked) == 0 && stat(c->parts, &present) == 0 &&
            locked.st_ino == present.st_ino)
            return ATN_OK;
        close(folder);
    }
}

static void open_parts(const atn_calibrating *c)
{
    if (atn_cli_arg_given(c->a, "restart") || is_old(c))
        remove_parts(c);
    else if (has_parts(c) && !atn_cli_arg_given(c->a, "quiet"))
        fprintf(stderr,
                "attune: continuing an interrupted calibration of %s; --restart begins again\n",
                c->hosts);
}

atn_status atn_cli_calibrate_run(atn_calibrating *c, atn_error *err)
{
    atn_status status = lock_parts(c, err);
    if (status != ATN_OK)
        return status;
    open_parts(c);
    const double all = share_from(c, 0);
    for (int i = 0; i < ATN_CALIBRATE_STEPS && status == ATN_OK; i++)
        if (is_needed(c, i))
            status = run_step(c, i, all, err);
    if (status == ATN_OK) {
        remove_parts(c);
        rmdir(c->parts);
    }
    return status;
}

/* ---- the plan ---- */

static const atn_column columns[] = {
    {"step", ATN_CELL_TEXT}, {"seconds", ATN_CELL_NUMBER}, {"what", ATN_CELL_TEXT}};

atn_status atn_cli_calibrate_plan(atn_calibrating *c, atn_error *err)
{
    atn_table t = {.columns = columns, .ncolumns = 3};
    const double all = share_from(c, 0);
    for (int i = 0; i < ATN_CALIBRATE_STEPS; i++) {
        if (!is_needed(c, i))
            continue;
        atn_report_cell(&t, "%s", steps[i].title);
        atn_report_cell(&t, "%.0f", c->seconds * steps[i].share / all);
        atn_report_cell(&t, "%s", steps[i].what);
    }
    return atn_cli_arg_table(c->a, &t, err);
}
