/* cmd_discover.c - attune topo discover: measures the tree of switches. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/measure.h"
#include "cli/progress.h"
#include "topo/discovery.h"
#include "topo/hostlist.h"
#include "topo/units.h"

/* ---- the job ---- */

typedef struct {
    atn_discovery found;
    atn_progress bar;
} watch;

static void make_room(void *context) { atn_cli_progress_clear(&((watch *)context)->bar); }

static void show_progress(watch *w)
{
    char what[64] = "starting";
    if (w->found.hosts > 0)
        snprintf(what, sizeof what, "%d hosts", w->found.hosts);
    atn_cli_progress_show(&w->bar, w->found.progress, what);
}

static atn_status take_line(void *context, const char *text, atn_error *err)
{
    watch *w = context;
    const atn_status status = atn_topo_discovery_line(&w->found, text, err);
    show_progress(w);
    return status;
}

static atn_status run_job(const atn_args *a, watch *w, atn_error *err)
{
    char *arguments[] = {
        "--seed",  (char *)atn_cli_arg_text(a, "seed"),
        "--flows", (char *)atn_cli_arg_text(a, "flows"),
        "--time",  (char *)atn_cli_arg_text(a, "time"),
        "--trace",
    };
    const int n = sizeof arguments / sizeof *arguments - !atn_cli_arg_given(a, "trace");
    const atn_measure m = {
        .launcher = a->rest,
        .nlauncher = a->nrest,
        .mpi = atn_cli_arg_text(a, "mpi"),
        .program = "discover_exec",
        .arguments = arguments,
        .narguments = n,
        .line = take_line,
        .make_room = make_room,
        .context = w,
    };
    atn_cli_progress_begin(&w->bar);
    show_progress(w);
    const atn_status status = atn_cli_measure_run(&m, err);
    atn_cli_progress_clear(&w->bar);
    return status == ATN_OK ? atn_topo_discovery_end(&w->found, err) : status;
}

/* ---- the topology file ---- */

static void write_provenance(FILE *f, const atn_args *a, const atn_discovery *d)
{
    char host[256] = "", date[64];
    const time_t now = time(NULL);
    struct tm when;
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &when));
    fprintf(f, "# measured by attune topo discover %s on %s, %s\n# launcher:", ATN_VERSION, host,
            date);
    for (int i = 0; i < a->nrest; i++)
        fprintf(f, " %s", a->rest[i]);
    fprintf(f, "\n# %s; %d sets of transfers, %d round trips\n", d->mpi, d->result->probes,
            d->result->pings);
}

/* The version line remains the first line. */
static atn_status write_topology(const atn_args *a, const atn_discovery *d, const atn_topo *t,
                                 atn_error *err)
{
    char *text = atn_topo_print(t);
    if (text == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const int first = (int)strcspn(text, "\n") + 1;
    fprintf(a->out, "%.*s", first, text);
    write_provenance(a->out, a, d);
    fputs(text + first, a->out);
    free(text);
    return ATN_OK;
}

/* ---- the report ---- */

static const atn_column columns[] = {
    {"switch", ATN_CELL_TEXT},    {"hosts", ATN_CELL_NUMBER}, {"host_links", ATN_CELL_TEXT},
    {"link_up", ATN_CELL_TEXT},   {"to", ATN_CELL_TEXT},      {"delay", ATN_CELL_TEXT},
    {"seen_full", ATN_CELL_TEXT}, {"names", ATN_CELL_TEXT},
};

/* "100M", or "10M-100M". */
static void put_rates(atn_table *table, const atn_topo *t, const int *hosts, int n)
{
    int64_t least = 0, most = 0;
    char low[32], high[32];
    for (int i = 0; i < n; i++) {
        const int64_t rate = t->nodes[hosts[i]].rate;
        least = i == 0 || rate < least ? rate : least;
        most = rate > most ? rate : most;
    }
    if (n == 0 || least == 0)
        atn_report_cell(table, "%s", "");
    else if (least == most)
        atn_report_cell(table, "%s", atn_topo_format_rate(least, low));
    else
        atn_report_cell(table, "%s-%s", atn_topo_format_rate(least, low),
                        atn_topo_format_rate(most, high));
}

/* The measured link above a switch. */
static const atn_inferred_link *measured(const atn_discovery *d, const char *name)
{
    int number;
    if (sscanf(name, "s%d", &number) != 1)
        return NULL;
    return &d->result->links[d->hosts + number];
}

static void put_link(atn_table *table, const atn_discovery *d, const atn_topo *t, int v)
{
    const atn_topo_node *node = &t->nodes[v];
    const atn_inferred_link *l = measured(d, node->name);
    char text[32];
    if (l == NULL) {
        for (int i = 0; i < 4; i++)
            atn_report_cell(table, "%s", "");
        return;
    }
    if (l->full)
        atn_report_cell(table, "%s", atn_topo_format_rate(node->rate, text));
    else
        atn_report_cell(table, "> %s", atn_topo_format_rate(atn_topo_link_rate(l->up), text));
    atn_report_cell(table, "%s", t->nodes[node->parent].name);
    atn_report_cell(table, "%s",
                    node->delay_ns > 0 ? atn_topo_format_delay(node->delay_ns, text) : "");
    if (l->full)
        atn_report_cell(table, "%.0f %%", 100 * l->trust);
    else
        atn_report_cell(table, "never");
}

static atn_status put_switch(atn_table *table, const atn_discovery *d, const atn_topo *t, int v,
                             atn_error *err)
{
    int hosts[t->nnodes], n = 0;
    const char *names[t->nnodes];
    char *list = NULL;
    size_t bytes;
    for (int u = 0; u < t->nnodes; u++)
        if (t->nodes[u].kind == ATN_TOPO_HOST && t->nodes[u].parent == v) {
            names[n] = t->nodes[u].name;
            hosts[n++] = u;
        }
    FILE *f = atn_open_text(&list, &bytes);
    if (f == NULL)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_topo_hostlist_print(f, names, n);
    if (fclose(f) != 0)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_report_cell(table, "%s", t->nodes[v].name);
    atn_report_cell(table, "%d", n);
    put_rates(table, t, hosts, n);
    put_link(table, d, t, v);
    atn_report_cell(table, "%s", list);
    free(list);
    return ATN_OK;
}

/* Limits of the measurement. */
static void print_notes(const atn_discovery *d, const atn_topo *t)
{
    int switches = 0;
    for (int v = 0; v < t->nnodes; v++)
        switches += t->nodes[v].kind == ATN_TOPO_SWITCH;
    if (switches == 1 && d->hosts > 1)
        fprintf(stderr,
                "note: these hosts cannot saturate any shared link; the topology is a single "
                "switch\n");
    for (const char *at = d->result->remarks; *at != '\0';) {
        const int length = (int)strcspn(at, "\n");
        fprintf(stderr, "note: %.*s\n", length, at);
        at += length + (at[length] == '\n');
    }
}

static atn_status print_report(const atn_discovery *d, const atn_topo *t, double seconds,
                               atn_error *err)
{
    atn_table table = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    atn_status st = ATN_OK;
    int groups = 0;
    for (int v = 0; v < t->nnodes && st == ATN_OK; v++) {
        if (t->nodes[v].kind == ATN_TOPO_SWITCH)
            st = put_switch(&table, d, t, v, err);
        groups +=
            t->nodes[v].kind == ATN_TOPO_HOST && (v == 0 || t->nodes[v - 1].kind != ATN_TOPO_HOST ||
                                                  t->nodes[v - 1].parent != t->nodes[v].parent);
    }
    fprintf(
        stderr,
        "%d host%s with %d rank%s in %d group%s: %d sets of transfers, %d round trips, %.0f s\n",
        d->hosts, d->hosts == 1 ? "" : "s", d->ranks, d->ranks == 1 ? "" : "s", groups,
        groups == 1 ? "" : "s", d->result->probes, d->result->pings, seconds);
    if (st == ATN_OK)
        st = atn_report_table_write(stderr, &table, "table", isatty(STDERR_FILENO), err);
    print_notes(d, t);
    atn_report_table_free(&table);
    return st;
}

/* ---- the command ---- */

static int discover(const atn_args *a, atn_error *err)
{
    watch w = {.found = {0}};
    atn_topo *t = NULL;
    const double began = atn_cli_seconds();
    atn_status st = run_job(a, &w, err);
    if (st == ATN_OK)
        st = atn_topo_inferred_topo(w.found.result, (const char *const *)w.found.names.v,
                                    w.found.host_of.v, w.found.ranks, &t, err);
    if (st == ATN_OK && !atn_cli_arg_given(a, "quiet"))
        st = print_report(&w.found, t, atn_cli_seconds() - began, err);
    if (st == ATN_OK)
        st = write_topology(a, &w.found, t, err);
    atn_topo_free(t);
    atn_topo_discovery_free(&w.found);
    return st;
}

static const atn_option options[] = {
    ATN_OPTION_MPI_LAUNCHER,
    ATN_INT("time", "MS", "40", 5, 10000,
            "Duration of an undisturbed transfer in milliseconds; longer transfers reduce noise"),
    ATN_INT("flows", "N", "8", 4, 1024,
            "Usual number of concurrent transfers; the search for fast links uses up to four times "
            "this number"),
    ATN_INT("seed", "N", "1", 0, 0, "Seed of the random order of hosts"),
    ATN_OPTION_QUIET,
    ATN_FLAG("trace", "Print every measurement on standard error"),
    {0},
};

const atn_command atn_cmd_topo_discover = {
    .noun = "topo",
    .verb = "discover",
    .help = "Measure which hosts share which links",
    .detail =
        "COMMAND is a launcher with its options and without a program. Attune adds its own "
        "program, which sends messages between one rank of each host and infers switches from "
        "contention and delays. The result is a topology file; a report is printed on standard "
        "error. The network should be idle otherwise. docs/topology-discovery.md describes the "
        "method and its limits.",
    .examples = ATN_NOTES({"attune topo discover -o cluster.conf -- mpirun -n 16",
                           "Measure the topology of the hosts of a job"}),
    .options = options,
    .flags = ATN_CMD_OUTPUT | ATN_CMD_REST,
    .run = discover,
};
