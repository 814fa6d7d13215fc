/* cmd_calibrate.c - attune calibrate: measures the hosts of a launcher once, for all later jobs on
 * them; lists and removes what is stored. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/progress.h"
#include "cli/tuning/calibrate.h"
#include "plan/settings.h"
#include "topo/hostlist.h"

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- files ---- */

/* The files that jobs of this user would read, or the one that is named. */
static void find_files(const atn_args *a, atn_wisdom_files *files)
{
    const char *const given = atn_cli_arg_text(a, "store");
    const char *const job = getenv(atn_plan_setting_get(ATN_SET_CALIBRATION)->name);
    const bool named = job != NULL && strcmp(job, "off") != 0;
    atn_plan_store_find(given != NULL ? given
                        : named       ? job
                                      : "",
                        getenv("HOME"), getenv("XDG_DATA_HOME"), files);
}

/* The last file is that of the system, unless one was named. */
static atn_status file_to_write(const atn_args *a, char path[PATH_MAX], atn_error *err)
{
    const bool system = atn_cli_arg_given(a, "system");
    atn_wisdom_files files;
    if (system && atn_cli_arg_given(a, "store"))
        return atn_fail(err, ATN_USAGE, "--system and --store name different files; omit one");
    find_files(a, &files);
    const int i = system ? files.n - 1 : 0;
    if (files.n == 0 || (!system && strcmp(files.kind[i], "system") == 0))
        return atn_fail(err, ATN_USAGE, "HOME and XDG_DATA_HOME are not set; add --store FILE");
    snprintf(path, PATH_MAX, "%s", files.path[i]);
    return ATN_OK;
}

/* Rules go next to the calibrations of the system, else where `attune tune` writes them. */
static atn_status wisdom_to_write(const atn_args *a, char path[PATH_MAX], atn_error *err)
{
    const char *const given = atn_cli_arg_text(a, "wisdom");
    const char *const job = getenv(atn_plan_setting_get(ATN_SET_WISDOM)->name);
    const bool system = atn_cli_arg_given(a, "system");
    atn_wisdom_files files;
    atn_plan_wisdom_find(!system && job != NULL && strcmp(job, "off") != 0 ? job : "",
                         getenv("HOME"), getenv("XDG_DATA_HOME"), &files);
    const int i = system ? files.n - 1 : 0;
    if (given == NULL && !system && strcmp(files.kind[i], "system") == 0)
        return atn_fail(err, ATN_USAGE, "HOME and XDG_DATA_HOME are not set; add --wisdom FILE");
    snprintf(path, PATH_MAX, "%s", given != NULL ? given : files.path[i]);
    return ATN_OK;
}

/* The entries of several files. */
typedef struct {
    atn_wisdom_files files;
    atn_store s;
    int end[ATN_WISDOM_FILES]; /* of those of each file */
} stored;

static atn_status load(stored *x, atn_error *err)
{
    atn_status status = ATN_OK;
    for (int i = 0; i < x->files.n && status == ATN_OK; i++) {
        if (access(x->files.path[i], F_OK) == 0)
            status = atn_plan_store_read_of(x->files.path[i], atn_plan_files_provider(&x->files, i),
                                            &x->s, err);
        x->end[i] = x->s.list.n;
    }
    return status;
}

static const char *source_of(const stored *x, int entry)
{
    int i = 0;
    while (entry >= x->end[i])
        i++;
    return x->files.kind[i];
}

/* ---- the job that entries are looked up for ---- */

typedef struct {
    atn_calibrating c; /* with a launcher: its job */
    atn_name_list hosts;
    const char **names; /* of each rank, or each of the hosts that are named */
    int n;              /* 0: no job is given */
    const char *pattern;
} lookup;

static void free_lookup(lookup *l)
{
    atn_topo_discovery_free(&l->c.job);
    atn_topo_name_list_free(&l->hosts);
    free(l->names);
}

static atn_status list_names(lookup *l, atn_error *err)
{
    const atn_discovery *const d = &l->c.job;
    l->n = d->machine != NULL ? d->ranks : l->hosts.n;
    l->names = malloc((size_t)(l->n + 1) * sizeof *l->names);
    for (int i = 0; i < l->n && l->names != NULL; i++)
        l->names[i] = d->machine != NULL ? d->names.v[d->host_of.v[i]] : l->hosts.v[i];
    return l->names != NULL ? ATN_OK : no_memory(err);
}

static atn_status open_lookup(const atn_args *a, lookup *l, atn_error *err)
{
    const char *const hosts = atn_cli_arg_text(a, "hosts");
    atn_status status = ATN_OK;
    l->c.a = a;
    if (hosts != NULL && a->nrest > 0)
        return atn_fail(err, ATN_USAGE, "--hosts and a launcher both name hosts; omit one");
    if (hosts != NULL && strpbrk(hosts, "*?") != NULL)
        l->pattern = hosts;
    else if (hosts != NULL)
        status = atn_topo_hostlist_expand(hosts, &l->hosts, err);
    else if (a->nrest > 0)
        status = atn_cli_calibrate_identify(&l->c, err);
    return status == ATN_OK ? list_names(l, err) : status;
}

/* Whether a job there would use entry i.  Without a launcher, a job of the entry's own MPI library
 * and fabric is assumed. */
static bool is_used(const lookup *l, const atn_store *s, int i)
{
    const atn_store_entry *const e = &s->list.v[i];
    const bool known = l->c.job.machine != NULL;
    char why[ATN_STORE_WORDS];
    const atn_store_job job = {known ? l->c.job.machine : e->machine,
                               known ? l->c.job.fabric : e->fabric, l->names, l->n};
    return l->n > 0 && atn_plan_store_select(s, &job, why) == i;
}

/* ---- --report ---- */

/* The entry that the calibration has written. */
static bool is_written(const atn_calibrating *c, const atn_store_entry *e)
{
    return strcmp(e->hosts, c->hosts) == 0 && strcmp(e->machine, c->job.machine) == 0 &&
           strcmp(e->fabric, c->job.fabric) == 0 && e->ranks == atn_cli_calibrate_ranks(&c->job) &&
           e->parameters != NULL;
}

/* With a lookup the entries that its job would use, else all; with `c` the one it has written. */
static atn_status write_page(const atn_args *a, const atn_store *s, const lookup *l,
                             const atn_calibrating *c, const char *wisdom, atn_error *err)
{
    const char *const path = atn_cli_arg_text(a, "report");
    ATN_VEC(const atn_store_entry *) list = {0};
    bool ok = true;
    if (path == NULL)
        return ATN_OK;
    for (int i = 0; i < s->list.n && ok; i++) {
        const atn_store_entry *const e = &s->list.v[i];
        if (c != NULL ? is_written(c, e) : l->n == 0 || is_used(l, s, i))
            ok = atn_push(&list, e);
    }
    const atn_status status =
        ok ? atn_cli_calibrate_page(path, list.v, list.n, wisdom, err) : no_memory(err);
    atn_vec_free(&list);
    return status;
}

static atn_status report_written(const atn_calibrating *c, atn_error *err)
{
    atn_store s = {.list = {0}};
    if (!atn_cli_arg_given(c->a, "report"))
        return ATN_OK;
    atn_status status = atn_plan_store_read(c->store, &s, err);
    if (status == ATN_OK)
        status = write_page(c->a, &s, NULL, c, c->wisdom, err);
    atn_plan_store_free(&s);
    return status;
}

/* ---- --show ---- */

static const atn_column columns[] = {
    {"hosts", ATN_CELL_TEXT},  {"machine", ATN_CELL_TEXT}, {"fabric", ATN_CELL_TEXT},
    {"ranks", ATN_CELL_VALUE}, {"date", ATN_CELL_TEXT},    {"topology", ATN_CELL_TEXT},
    {"source", ATN_CELL_TEXT}, {"used", ATN_CELL_TEXT},
};

static const char *topology_word(const atn_store_entry *e)
{
    if (e->topology == NULL)
        return "hosts";
    return e->parameters != NULL ? "measured" : "sketched";
}

static void put_row(atn_table *t, const atn_store_entry *e, const char *source, const char *used)
{
    char name[ATN_STORE_WORDS];
    atn_plan_store_name(e, name);
    atn_report_cell(t, "%s", e->hosts);
    atn_report_cell(t, "%s", e->machine);
    atn_report_cell(t, "%s", e->fabric);
    if (e->ranks > 0)
        atn_report_cell(t, "%" PRId64, e->ranks);
    else
        atn_report_cell(t, "*");
    atn_report_cell(t, "%s", strrchr(name, ' ') + 1);
    atn_report_cell(t, "%s", topology_word(e));
    atn_report_cell(t, "%s", source);
    atn_report_cell(t, "%s", used);
}

/* Why a job of the launcher would use none. */
static void print_reason(const lookup *l, const atn_store *s)
{
    char why[ATN_STORE_WORDS];
    const atn_store_job job = {l->c.job.machine, l->c.job.fabric, l->names, l->n};
    if (job.machine != NULL && atn_plan_store_select(s, &job, why) < 0)
        fprintf(stderr, "attune: a job would use none of them: %s\n", why);
}

static const char *used_word(const lookup *l, const atn_store *s, int i)
{
    if (l->n == 0)
        return "";
    return is_used(l, s, i) ? "yes" : "no";
}

/* The rules of a page: --wisdom, else the file that a calibration writes, if there is one. */
static const char *wisdom_to_show(const atn_args *a, char path[PATH_MAX])
{
    atn_error ignored = {0};
    if (atn_cli_arg_given(a, "wisdom"))
        return atn_cli_arg_text(a, "wisdom");
    return wisdom_to_write(a, path, &ignored) == ATN_OK && access(path, R_OK) == 0 ? path : NULL;
}

static atn_status show(const atn_args *a, atn_error *err)
{
    char wisdom[PATH_MAX];
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    lookup l = {.n = 0};
    stored x = {.s = {{0}}};
    find_files(a, &x.files);
    atn_status status = load(&x, err);
    if (status == ATN_OK)
        status = open_lookup(a, &l, err);
    if (status == ATN_OK) {
        for (int i = 0; i < x.s.list.n; i++)
            put_row(&t, &x.s.list.v[i], source_of(&x, i), used_word(&l, &x.s, i));
        print_reason(&l, &x.s);
        status = atn_cli_arg_table(a, &t, err);
        if (status == ATN_OK)
            status = write_page(a, &x.s, &l, NULL, wisdom_to_show(a, wisdom), err);
    }
    atn_plan_store_free(&x.s);
    free_lookup(&l);
    return status;
}

/* ---- --forget ---- */

typedef struct {
    const lookup *l;
    const atn_store *s; /* the entries of the file, in its order */
    int i;              /* the next one */
} forgetting;

static bool is_forgotten(void *context, const atn_store_entry *e)
{
    forgetting *const f = context;
    const int i = f->i++;
    if (f->l->pattern != NULL)
        return fnmatch(f->l->pattern, e->hosts, 0) == 0 || strcmp(f->l->pattern, e->hosts) == 0;
    return i < f->s->list.n && is_used(f->l, f->s, i);
}

static atn_status forget_in(const atn_args *a, const lookup *l, const char *path, atn_error *err)
{
    stored x = {.files = {.n = 1, .kind = {"job"}}};
    int removed = 0;
    snprintf(x.files.path[0], sizeof x.files.path[0], "%s", path);
    atn_status status = load(&x, err);
    forgetting f = {l, &x.s, 0};
    if (status == ATN_OK)
        status = atn_plan_store_remove(path, is_forgotten, &f, &removed, err);
    atn_plan_store_free(&x.s);
    if (status == ATN_OK && !atn_cli_arg_given(a, "quiet"))
        fprintf(stderr, "%d entr%s removed from %s\n", removed, removed == 1 ? "y" : "ies", path);
    return status;
}

static atn_status forget(const atn_args *a, atn_error *err)
{
    char path[PATH_MAX];
    lookup l = {.n = 0};
    if (a->nrest == 0 && !atn_cli_arg_given(a, "hosts"))
        return atn_fail(err, ATN_USAGE,
                        "nothing to forget is named; add a launcher after --, --hosts n[0-15], or "
                        "--hosts '*' for all entries");
    atn_status status = file_to_write(a, path, err);
    if (status == ATN_OK)
        status = open_lookup(a, &l, err);
    if (status == ATN_OK)
        status = forget_in(a, &l, path, err);
    free_lookup(&l);
    return status;
}

/* ---- calibrating ---- */

/* The folder for partial results depends on everything that they depend on. */
static void name_parts(atn_calibrating *c)
{
    const uint64_t ranks = (uint64_t)c->job.ranks;
    uint64_t hash = atn_hash(&ranks, sizeof ranks, 0);
    const char *const keys[] = {c->hosts, c->job.machine, c->job.fabric};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        hash = atn_hash(keys[i], strlen(keys[i]), hash);
    snprintf(c->parts, sizeof c->parts, "%.*s.part-%08" PRIx32, PATH_MAX - 32, c->store,
             (uint32_t)(hash ^ hash >> 32));
}

/* --hosts replaces the names of the job, which it must cover. */
static atn_status name_hosts(atn_calibrating *c, atn_error *err)
{
    const char *const given = atn_cli_arg_text(c->a, "hosts");
    c->hosts = given != NULL ? strdup(given) : atn_cli_calibrate_fold(&c->job);
    if (c->hosts == NULL)
        return no_memory(err);
    const atn_store_entry e = {.hosts = c->hosts};
    for (int i = 0; i < c->job.names.n; i++)
        if (!atn_plan_store_has_host(&e, c->job.names.v[i]))
            return atn_fail(err, ATN_USAGE, "--hosts %s: does not include host %s of the job",
                            c->hosts, c->job.names.v[i]);
    return ATN_OK;
}

static atn_status prepare(atn_calibrating *c, atn_error *err)
{
    const char *const topology = atn_cli_arg_text(c->a, "topology");
    c->seconds = atn_cli_arg_number(c->a, "seconds");
    atn_status status = file_to_write(c->a, c->store, err);
    if (status == ATN_OK)
        status = wisdom_to_write(c->a, c->wisdom, err);
    if (status == ATN_OK && topology != NULL)
        status = atn_cli_check_topology(topology, err);
    if (status == ATN_OK && access(c->store, F_OK) == 0)
        status = atn_cli_check_calibration(c->store, err);
    if (status == ATN_OK)
        status = atn_may_write(c->store, true, err);
    if (status == ATN_OK)
        status = atn_may_write(c->wisdom, true, err);
    if (status == ATN_OK)
        status = atn_cli_calibrate_identify(c, err);
    if (status == ATN_OK && c->job.ranks < 2)
        status = atn_fail(err, ATN_USAGE,
                          "a calibration needs at least two ranks; add -n 2 to the "
                          "launcher");
    if (status == ATN_OK)
        status = name_hosts(c, err);
    if (status == ATN_OK)
        name_parts(c);
    return status;
}

static void describe(const atn_calibrating *c)
{
    if (atn_cli_arg_given(c->a, "quiet"))
        return;
    fprintf(stderr, "%d rank%s on %d host%s (%s), %s, %s\n", c->job.ranks,
            c->job.ranks == 1 ? "" : "s", c->job.hosts, c->job.hosts == 1 ? "" : "s", c->hosts,
            c->job.mpi, c->job.fabric);
}

static void report(const atn_calibrating *c)
{
    if (atn_cli_arg_given(c->a, "quiet"))
        return;
    fprintf(stderr,
            "calibrated in %.0f s; jobs on these hosts use it from now on\n"
            "calibration: %s\nwisdom: %s\n",
            atn_cli_seconds() - c->began, c->store, c->wisdom);
}

static atn_status calibrate(const atn_args *a, atn_error *err)
{
    atn_calibrating c = {.a = a, .began = atn_cli_seconds()};
    /* A machine or topology of the environment must not take the place of what is measured. */
    unsetenv("ATTUNE_TOPOLOGY");
    unsetenv("ATTUNE_MACHINE");
    atn_status status = prepare(&c, err);
    if (status == ATN_OK)
        describe(&c);
    if (status == ATN_OK && atn_cli_arg_given(a, "dry-run"))
        status = atn_cli_calibrate_plan(&c, err);
    else if (status == ATN_OK) {
        status = atn_cli_calibrate_run(&c, err);
        if (status == ATN_OK)
            status = report_written(&c, err);
        if (status == ATN_OK)
            report(&c);
    }
    atn_topo_discovery_free(&c.job);
    free(c.hosts);
    return status;
}

static int run(const atn_args *a, atn_error *err)
{
    static const struct {
        const char *option;
        atn_status (*run)(const atn_args *a, atn_error *err);
    } modes[] = {{"show", show}, {"forget", forget}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (atn_cli_arg_given(a, modes[i].option))
            return modes[i].run(a, err);
    return calibrate(a, err);
}

/* ---- descriptor ---- */

static const atn_option options[] = {
    ATN_FLAG("show", "List what is stored, and which entry the launcher or --hosts would use"),
    ATN_FLAG("forget", "Remove the entry that the launcher or --hosts would use"),
    ATN_FLAG("dry-run", "Print the steps and how long they take; start no measurement"),
    ATN_NUMBER("seconds", "S", "130", 1, 86400,
               "Approximate time for all steps; the topology of many hosts may take longer"),
    ATN_FLAG("restart", "Discard what an interrupted calibration of these hosts has completed"),
    ATN_OPTION_TOPOLOGY("Topology, such as Slurm's topology.conf; it is not measured then"),
    ATN_TEXT(
        "hosts", "LIST|PATTERN", NULL,
        "Hosts that the entry is for: n[0-63], or a pattern such as 'node*' if others are like "
        "those of the job; default: the hosts of the job. With --show and --forget: the hosts "
        "of a job, or a pattern of entries to forget"),
    ATN_FLAG("system", "Write to /etc/attune, for all users"),
    ATN_FILE("store", "FILE",
             "File of calibrations; default: ATTUNE_CALIBRATION, else that of the user"),
    ATN_FILE("wisdom", "FILE",
             "Wisdom file that receives rules; default: ATTUNE_WISDOM, else that of the user"),
    ATN_FILE("report", "FILE.html",
             "Write a page: topology, times of messages, rules; with --show of the entries that it "
             "lists as used, or all"),
    ATN_OPTION_MPI_LAUNCHER,
    ATN_OPTION_QUIET,
    {0},
};

const atn_command atn_cmd_calibrate = {
    .noun = "calibrate",
    .help = "Measure the hosts of a launcher once, for all later jobs",
    .detail =
        "COMMAND is a launcher with its options and without a program. Attune measures the "
        "topology of its hosts ('attune topo discover'), the parameters of performance models "
        "('attune measure'), and with 'attune tune' the algorithms whose predicted times are "
        "close. Topology and parameters are stored in a file that 'attune run' reads, rules in "
        "the wisdom file. Later jobs use the entry if it is for their MPI library, processors and "
        "network and covers all their hosts - also some of them, with other numbers of ranks and "
        "other mappings - unless they name a machine or topology. An interrupted calibration "
        "continues when the command is repeated. The hosts should be idle otherwise. "
        "docs/calibrate.md describes the file and the selection.",
    .examples = ATN_NOTES(
        {"attune calibrate -- mpirun -n 16", "Calibrate the hosts of a job"},
        {"attune calibrate --system --hosts 'node*' -- mpirun -n 16 --map-by node",
         "Calibrate a cluster of equal hosts for all users"},
        {"attune calibrate --show -- mpirun -n 16", "Show the entry that such a job would use"},
        {"attune calibrate --show --report cluster.html", "Write all entries as a page"},
        {"attune calibrate --forget --hosts n[0-15]", "Remove the entry of these hosts"}),
    .files = ATN_NOTES(
        {"$XDG_DATA_HOME/attune/calibration",
         "Calibrations of the user (default of XDG_DATA_HOME: ~/.local/share)"},
        {"/etc/attune/calibration", "Calibrations of the system"},
        {"calibration.part-*", "Completed steps of an interrupted calibration, next to its file"}),
    .options = options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT | ATN_CMD_REST | ATN_CMD_JOB,
    .run = run,
};
