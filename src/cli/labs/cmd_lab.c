/* cmd_lab.c - attune lab up, down, status, exec, rate: emulated clusters on this machine. */
#include <stdlib.h>

#include "cli/labs/lab.h"
#include "cli/progress.h"
#include "lab/lab.h"
#include "topo/units.h"

/* ---- up ---- */

static int up(const atn_args *a, atn_error *err)
{
    atn_lab_summary s;
    const char *name = atn_cli_arg_text(a, "name");
    const double began = atn_cli_seconds();
    atn_status status = atn_lab_up(name, a->operands[0], (int)atn_cli_arg_int(a, "mtu"), err);
    if (status == ATN_OK)
        status = atn_lab_summarise(name, &s, err);
    if (status == ATN_OK)
        printf("lab '%s' is up: %d hosts, %d switches, network %s (%.1f s)\n", name, s.hosts,
               s.switches, s.network, atn_cli_seconds() - began);
    return status;
}

static const atn_option up_options[] = {
    ATN_TEXT("name", "NAME", ATN_LAB_DEFAULT,
             "Name of the new lab; several labs may exist at the same time"),
    ATN_INT("mtu", "BYTES", "1500", 576, 9000, "Maximum packet size on all links"),
    {0},
};

const atn_command atn_cmd_lab_up = {
    .noun = "lab",
    .verb = "up",
    ATN_OPERANDS("TOPOLOGY", 1, 1),
    .help = "Build a cluster of network namespaces on this machine",
    .detail = "TOPOLOGY is a file or a string such as '4x4@100M' (4 switches with 4 hosts each, "
              "all links 100 Mbit/s) or '2@50M+10ms x 4@100M'; see 'attune help topology'. Every "
              "host becomes a network namespace, every switch a bridge, every link a pair of "
              "interfaces with rate and delay. Requires root, or user namespaces as described in "
              "docs/lab.md.",
    .examples = ATN_NOTES({"attune lab up 4x4@100M", "Emulate 16 hosts on 4 switches"}),
    .options = up_options,
    .run = up,
};

/* ---- down ---- */

static atn_status take_down(const char *name, atn_error *err)
{
    int ended = 0;
    const atn_status status = atn_lab_down(name, &ended, err);
    if (status == ATN_OK && ended > 0)
        printf("lab '%s' is down; %d processes in it were terminated\n", name, ended);
    else if (status == ATN_OK)
        printf("lab '%s' is down\n", name);
    return status;
}

static int down(const atn_args *a, atn_error *err)
{
    atn_lab_names names = {0};
    const char *name = atn_cli_arg_text(a, "name");
    atn_status status = name == NULL ? atn_lab_list(&names, err) : take_down(name, err);
    if (name == NULL && names.n > 1 && !atn_cli_arg_given(a, "all"))
        status = atn_fail(err, ATN_USAGE, "there are %d labs; add --name NAME or --all", names.n);
    if (name == NULL && names.n == 0 && status == ATN_OK)
        printf("no lab is up\n");
    for (int i = 0; i < names.n && status == ATN_OK; i++)
        status = take_down(names.v[i], err);
    atn_lab_names_free(&names);
    return status;
}

static const atn_option down_options[] = {
    ATN_OPTION_LAB,
    ATN_FLAG("all", "Remove all labs"),
    {0},
};

const atn_command atn_cmd_lab_down = {
    .noun = "lab",
    .verb = "down",
    .help = "Remove a lab and terminate its processes",
    .detail =
        "Works also after a crash of 'attune lab up' or of a job. Only namespaces recorded at "
        "their creation are removed. Removing the last lab restores the settings of the "
        "kernel.",
    .examples = ATN_NOTES({"attune lab down", "Remove the only lab"}),
    .options = down_options,
    .run = down,
};

/* ---- status ---- */

static const atn_column lab_columns[] = {
    {"lab", ATN_CELL_TEXT},        {"state", ATN_CELL_TEXT},   {"hosts", ATN_CELL_NUMBER},
    {"switches", ATN_CELL_NUMBER}, {"network", ATN_CELL_TEXT}, {"processes", ATN_CELL_NUMBER},
};

static atn_status list_labs(atn_table *t, atn_error *err)
{
    atn_lab_names names = {0};
    atn_status status = atn_lab_list(&names, err);
    for (int i = 0; i < names.n && status == ATN_OK; i++) {
        atn_lab_summary s;
        status = atn_lab_summarise(names.v[i], &s, err);
        atn_report_cell(t, "%s", names.v[i]);
        atn_report_cell(t, "%s", s.state);
        atn_report_cell(t, "%d", s.hosts);
        atn_report_cell(t, "%d", s.switches);
        atn_report_cell(t, "%s", s.network);
        atn_report_cell(t, "%d", s.processes);
    }
    atn_lab_names_free(&names);
    return status;
}

static const atn_column link_columns[] = {
    {"node", ATN_CELL_TEXT},       {"kind", ATN_CELL_TEXT},         {"parent", ATN_CELL_TEXT},
    {"address", ATN_CELL_TEXT},    {"bits_per_s", ATN_CELL_NUMBER}, {"delay_us", ATN_CELL_NUMBER},
    {"bytes_up", ATN_CELL_NUMBER}, {"bytes_down", ATN_CELL_NUMBER},
};

static void put_link(atn_table *t, const atn_lab *lab, int node, atn_lab_bytes bytes)
{
    const atn_topo_node *n = &lab->topo->nodes[node];
    const int host = atn_lab_host(lab, n->name);
    char address[16];
    atn_report_cell(t, "%s", n->name);
    atn_report_cell(t, "%s", n->kind == ATN_TOPO_HOST ? "host" : "switch");
    atn_report_cell(t, "%s", n->parent >= 0 ? lab->topo->nodes[n->parent].name : "");
    atn_report_cell(t, "%s", n->kind == ATN_TOPO_HOST ? atn_lab_address(lab, host, address) : "");
    atn_report_cell(t, "%lld", (long long)n->rate);
    atn_report_cell(t, "%g", (double)n->delay_ns / 1000);
    atn_report_cell(t, "%llu", (unsigned long long)bytes.up);
    atn_report_cell(t, "%llu", (unsigned long long)bytes.down);
}

static atn_status list_links(const char *name, atn_table *t, atn_error *err)
{
    atn_lab lab;
    atn_lab_bytes *bytes = NULL;
    atn_status status = atn_lab_open(name, &lab, err);
    if (status != ATN_OK)
        return status;
    status = atn_lab_count(&lab, &bytes, err);
    for (int v = 0; v < lab.topo->nnodes && status == ATN_OK; v++)
        if (atn_lab_has_link(&lab, v))
            put_link(t, &lab, v, bytes[v]);
    free(bytes);
    atn_lab_close(&lab);
    return status;
}

static int status_of(const atn_args *a, atn_error *err)
{
    const bool links = atn_cli_arg_given(a, "links") || atn_cli_arg_given(a, "name");
    atn_table t = {.columns = links ? link_columns : lab_columns,
                   .ncolumns = links ? (int)(sizeof link_columns / sizeof *link_columns)
                                     : (int)(sizeof lab_columns / sizeof *lab_columns)};
    atn_status status =
        links ? list_links(atn_cli_arg_text(a, "name"), &t, err) : list_labs(&t, err);
    if (status == ATN_OK)
        status = atn_cli_arg_table(a, &t, err);
    atn_report_table_free(&t);
    return status;
}

static const atn_option status_options[] = {
    ATN_OPTION_LAB,
    ATN_FLAG("links", "List the links of one lab, with the bytes transferred in each direction"),
    {0},
};

const atn_command atn_cmd_lab_status = {
    .noun = "lab",
    .verb = "status",
    .help = "List labs, or the links of a lab with byte counters",
    .examples = ATN_NOTES({"attune lab status --links", "List the links of the only lab"}),
    .options = status_options,
    .formats = atn_report_table_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = status_of,
};

/* ---- exec ---- */

static int exec(const atn_args *a, atn_error *err)
{
    atn_lab lab;
    if (a->nrest == 0)
        return atn_fail(err, ATN_USAGE, "no command to run; write attune lab exec HOST -- COMMAND");
    atn_status status = atn_lab_open(atn_cli_arg_text(a, "name"), &lab, err);
    if (status == ATN_OK)
        status = atn_lab_exec(&lab, a->operands[0], a->rest, err);
    atn_lab_close(&lab);
    return status;
}

static const atn_option exec_options[] = {ATN_OPTION_LAB, {0}};

const atn_command atn_cmd_lab_exec = {
    .noun = "lab",
    .verb = "exec",
    ATN_OPERANDS("HOST", 1, 1),
    .help = "Run a command on a host of a lab",
    .detail = "HOST is a host of the topology, or 'frontend', where launchers run.",
    .examples = ATN_NOTES({"attune lab exec n0 -- ip addr", "Run a command on host n0"}),
    .options = exec_options,
    .flags = ATN_CMD_REST,
    .run = exec,
};

/* ---- rate ---- */

static int set_rate(const atn_args *a, atn_error *err)
{
    atn_lab lab;
    int64_t rate;
    if (!atn_topo_parse_rate(a->operands[1], &rate) || rate <= 0)
        return atn_fail(err, ATN_USAGE, "'%s' is not a rate; write bits per second such as 10M",
                        a->operands[1]);
    atn_status status = atn_lab_open(atn_cli_arg_text(a, "name"), &lab, err);
    if (status != ATN_OK)
        return status;
    status = atn_lab_set_rate(&lab, a->operands[0], rate, err);
    atn_lab_close(&lab);
    return status;
}

const atn_command atn_cmd_lab_rate = {
    .noun = "lab",
    .verb = "rate",
    ATN_OPERANDS("NODE RATE", 2, 2),
    .help = "Change the rate of a link while the lab is up",
    .detail = "The link is the one above NODE, a host or a switch. Both directions change at once, "
              "also while a job runs. 'attune lab status' shows the rate of the topology.",
    .examples = ATN_NOTES({"attune lab rate s0 10M", "Slow down the uplink of switch s0"}),
    .options = exec_options,
    .run = set_rate,
};
