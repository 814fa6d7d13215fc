/* cmd_topo.c - attune topo show | convert | check | draw. */
#include <stdlib.h>
#include <string.h>

#include "cli/findings.h"
#include "report/table.h"
#include "report/topo_report.h"
#include "topo/inside.h"
#include "topo/read.h"
#include "topo/write.h"

/* ---- options ---- */

/* "@FILE": the hosts of a file, in the order in which a launcher uses them. */
static atn_status order_from_file(const atn_topo *t, const char *file, atn_topo **topo_p,
                                  atn_error *err)
{
    atn_topo *list = NULL;
    char *text = NULL;
    atn_status st = atn_read_file(file, &text, NULL, err);
    st = st ? st : atn_topo_read_text(atn_topo_read_hostfile, text, file, &list, err);
    const char **hosts = st ? NULL : malloc(sizeof *hosts * ((size_t)list->p + 1));
    for (int r = 0; hosts && r < list->p; r++)
        hosts[r] = list->nodes[list->node_of[r]].name;
    if (hosts)
        st = atn_topo_place(t, hosts, list->p, topo_p, err);
    else if (!st)
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    free(hosts);
    free(text);
    atn_topo_free(list);
    return st;
}

/* Frees the old topology and replaces it by the new one, if there is one. */
static atn_status replace(atn_topo **topo_p, atn_topo **made_p, atn_status st)
{
    atn_topo_free(*topo_p);
    *topo_p = st ? NULL : *made_p;
    return st;
}

static atn_status apply_options(const atn_args *a, atn_topo **topo_p, atn_error *err)
{
    const char *ranks = atn_cli_arg_text(a, "ranks"), *inside = atn_cli_arg_text(a, "inside");
    atn_topo *made;
    atn_status st = ATN_OK;
    if (ranks && ranks[0] == '@')
        st = replace(topo_p, &made, order_from_file(*topo_p, ranks + 1, &made, err));
    else if (ranks)
        st = replace(topo_p, &made, atn_topo_order(*topo_p, ranks, &made, err));
    if (!st && inside)
        st = replace(topo_p, &made, atn_topo_inside(*topo_p, inside, &made, err));
    return st;
}

static atn_status load(const atn_args *a, atn_topo **topo_p, atn_error *err)
{
    const atn_status st = atn_topo_load(a->operands[0], topo_p, err);
    return st ? st : apply_options(a, topo_p, err);
}

/* ---- show ---- */

static int show(const atn_args *a, atn_error *err)
{
    atn_topo *t;
    atn_status st = load(a, &t, err);
    if (st)
        return st;
    st = atn_report_topo_show(a->out, t, atn_cli_arg_format(a), atn_cli_arg_given(a, "all"),
                              a->terminal, err);
    atn_topo_free(t);
    return st;
}

/* ---- convert ---- */

static atn_status to_slurm(const atn_topo *t, char **text_p, atn_error *err)
{
    *text_p = atn_topo_print(t);
    return *text_p ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

static const struct {
    const char *name;
    atn_status (*write)(const atn_topo *t, char **text_p, atn_error *err);
    const char *end;
} writers[] = {
    {"slurm", to_slurm, ""},
    {"synthetic", atn_topo_to_synthetic, "\n"},
    {"simgrid", atn_topo_to_simgrid, ""},
    {"hostfile", atn_topo_to_hostfile, ""},
};

static const char *const targets[] = {"slurm", "synthetic", "simgrid", "hostfile", "json", NULL};

static atn_status write_as(const atn_args *a, const atn_topo *t, const char *target, atn_error *err)
{
    char *text;
    int i = 0;
    if (strcmp(target, "json") == 0)
        return atn_report_topo_json(a->out, t, err);
    while (strcmp(target, writers[i].name) != 0)
        i++;
    const atn_status st = writers[i].write(t, &text, err);
    if (st)
        return st;
    fprintf(a->out, "%s%s", text, writers[i].end);
    free(text);
    return ATN_OK;
}

static int convert(const atn_args *a, atn_error *err)
{
    atn_topo *t;
    atn_status st = load(a, &t, err);
    if (st)
        return st;
    st = write_as(a, t, atn_cli_arg_text(a, "to"), err);
    atn_topo_free(t);
    return st;
}

/* ---- check ---- */

static void print_fine(FILE *f, const char *name, const atn_topo *t, int remarks)
{
    const int hosts = atn_topo_hosts(t);
    fprintf(f, "%s: a %s of %d host%s", name, t->routes ? "network" : "tree", hosts,
            hosts == 1 ? "" : "s");
    if (t->p > 0)
        fprintf(f, " with %d rank%s", t->p, t->p == 1 ? "" : "s");
    if (remarks > 0)
        fprintf(f, "; %d note%s", remarks, remarks == 1 ? "" : "s");
    fputc('\n', f);
}

/* A valid topology that does not match the options is a finding as well. */
static atn_status check_options(const atn_args *a, atn_topo **topo_p, atn_findings *found,
                                atn_error *err)
{
    atn_error why = {0};
    const atn_status st = apply_options(a, topo_p, &why);
    if (st == ATN_INPUT) {
        if (strcmp(atn_cli_arg_format(a), "text") == 0)
            fprintf(a->out, "%s\n", why.text);
        atn_topo_found(found, 0, "%s", why.text);
        return ATN_OK;
    }
    return st ? atn_fail(err, st, "%s", why.text) : ATN_OK;
}

static atn_status write_findings(const atn_args *a, const atn_findings *found, atn_error *err)
{
    atn_reported r = atn_cli_findings_begin(a);
    for (int i = 0; i < found->list.n; i++) {
        const atn_finding *const one = &found->list.v[i];
        atn_cli_findings_add(&r, found->file, one->line, one->remark ? "note" : "error", "%s",
                             one->text);
    }
    return atn_cli_findings_end(&r, err);
}

static atn_status report_findings(const atn_args *a, atn_findings *found, atn_topo **topo_p,
                                  atn_error *err)
{
    if (strcmp(atn_cli_arg_format(a), "text") == 0)
        atn_topo_findings_print(a->out, found);
    atn_status st = *topo_p ? check_options(a, topo_p, found, err) : ATN_OK;
    if (!st && strcmp(atn_cli_arg_format(a), "text") != 0)
        return write_findings(a, found, err);
    if (*topo_p && !st && found->wrong == 0)
        print_fine(a->out, found->file, *topo_p, found->list.n);
    return st;
}

static int check(const atn_args *a, atn_error *err)
{
    const char *name = a->operands[0];
    atn_findings found = {0};
    atn_topo *t = NULL;
    atn_status st = atn_topo_examine(name, &found, &t, err);
    if (!st)
        st = report_findings(a, &found, &t, err);
    if (!st && found.wrong > 0)
        st = atn_fail(err, ATN_FINDING, "%s: %d finding%s", name, found.wrong,
                      found.wrong == 1 ? "" : "s");
    atn_topo_free(t);
    atn_topo_findings_free(&found);
    return st;
}

/* ---- draw ---- */

static int draw(const atn_args *a, atn_error *err)
{
    atn_topo *t;
    atn_status st = load(a, &t, err);
    if (st)
        return st;
    st = atn_report_topo_draw(a->out, t, err);
    atn_topo_free(t);
    return st;
}

/* ---- descriptors ---- */

static const char what_detail[] =
    "WHAT is a file (topology.conf of Slurm, a graph, a list of hosts, XML of hwloc) or a string: "
    "4x8@100M (4 switches with 8 hosts each, links of 100 Mbit/s), chain:4x8@100M (switches in a "
    "row), fattree:8x8x16@100G, torus:8x8x8@40G, dragonfly:9x8x4@25G, hosts:n[0-7] (one switch), "
    "hwloc:this (inside this machine). Files of other tools are recognised by their content: "
    "topology.yaml, ibnetdiscover, iblinkinfo, forwarding tables of OpenSM, lldpctl -f json, "
    "netloc, "
    "platforms of SimGrid, tables such as site,rack,host.";

static const atn_option shared_options[] = {
    ATN_TEXT("ranks", "ORDER", NULL,
             "Rank mapping: sequential or roundrobin (over switches), either with *N for N ranks "
             "per host; the host of each rank, as n[0-3]*2,n7; or @FILE with a host per line"),
    ATN_TEXT("inside", "MACHINE", NULL,
             "Structure of every host: this (machine), XML of lstopo, or a synthetic description "
             "of hwloc such as 'package:2 l3:2 core:4 pu:1'"),
    {0},
};

static const char *const show_formats[] = {"table", "csv", "json", NULL};
static const atn_option show_options[] = {
    {.name = "all",
     .letter = 'a',
     .type = ATN_OPT_FLAG,
     .doc = "Print a line for every host, even if hosts are equal"},
    {0},
};

const atn_command atn_cmd_topo_show = {
    .noun = "topo",
    .verb = "show",
    ATN_OPERANDS("WHAT", 1, 1),
    .help = "Print a topology as a tree with rates, ranks, loads and bottlenecks",
    .examples = ATN_NOTES({"attune topo show 4x4@100M", "Show a synthetic topology"},
                          {"attune topo show /etc/slurm/topology.conf --ranks 'sequential*4'",
                           "Show the topology of a Slurm cluster with 4 ranks per host"}),
    .detail = what_detail,
    .options = show_options,
    .shared = shared_options,
    .formats = show_formats,
    .flags = ATN_CMD_OUTPUT,
    .run = show,
};

static const atn_option convert_options[] = {
    ATN_WORD("to", "FORMAT", "slurm", targets,
             "slurm (also the format of Attune), synthetic (one line), simgrid (platform XML), "
             "hostfile (the host of each rank) or json"),
    {0},
};

const atn_command atn_cmd_topo_convert = {
    .noun = "topo",
    .verb = "convert",
    ATN_OPERANDS("WHAT", 1, 1),
    .help = "Convert a topology to another format",
    .examples = ATN_NOTES({"attune topo convert 4x4@100M -o cluster.conf", "Write a file"}),
    .detail = what_detail,
    .options = convert_options,
    .shared = shared_options,
    .flags = ATN_CMD_OUTPUT,
    .run = convert,
};

const atn_command atn_cmd_topo_check = {
    .noun = "topo",
    .verb = "check",
    ATN_OPERANDS("WHAT", 1, 1),
    .help = "Check a topology and list all errors",
    .examples = ATN_NOTES({"attune topo check cluster.conf", "Check a file"}),
    .detail = what_detail,
    .formats = atn_cli_findings_formats,
    .shared = shared_options,
    .flags = ATN_CMD_OUTPUT,
    .run = check,
};

const atn_command atn_cmd_topo_draw = {
    .noun = "topo",
    .verb = "draw",
    ATN_OPERANDS("WHAT", 1, 1),
    .help = "Draw a topology as a tree (SVG)",
    .examples = ATN_NOTES({"attune topo draw cluster.conf -o cluster.svg", "Draw a file"}),
    .detail = what_detail,
    .shared = shared_options,
    .flags = ATN_CMD_OUTPUT,
    .run = draw,
};
