/* cmd_model_map.c - attune model map: compares rank mappings and searches for better ones. */
#include <stdlib.h>
#include <string.h>

#include "cli/models/formula.h"
#include "research/taulop/compare.h"
#include "research/taulop/machine.h"
#include "research/taulop/map.h"
#include "topo/hostlist.h"

enum { MAX_ROWS = 4, TRIES = 20000, MESSAGES = 20 * 1000 * 1000 };

typedef struct {
    const char *name;
    atn_mapping mapping;
    atn_terms terms;
    double seconds;
} row;

typedef struct {
    const atn_args *a;
    atn_placed given; /* the traffic, and the requested mapping */
    atn_tau_view view;
    atn_tau_costs costs;
    double bytes;
    row rows[MAX_ROWS];
    int n;
} study;

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- rows ---- */

/* Takes ownership of the mapping. */
static atn_status add_row(study *s, const char *name, atn_mapping m, atn_error *err)
{
    row *x = &s->rows[s->n++];
    *x = (row){.name = name, .mapping = m};
    x->seconds = atn_tau_time(&s->given.traffic, &m, s->view.contention, &s->costs, s->bytes);
    if (x->seconds < 0)
        return no_memory(err);
    return atn_tau_derive(&s->given.traffic, &m, &s->view, &x->terms, err);
}

static atn_status copy_mapping(const atn_mapping *m, atn_mapping *to, atn_error *err)
{
    *to = *m;
    to->node_of = malloc(sizeof *to->node_of * ((size_t)m->p + 1));
    if (!to->node_of)
        return no_memory(err);
    memcpy(to->node_of, m->node_of, sizeof *to->node_of * (size_t)m->p);
    return ATN_OK;
}

static atn_status add_word(study *s, const char *word, atn_error *err)
{
    atn_mapping m;
    const atn_status st =
        atn_tau_mapping_read(word, s->given.mapping.p, s->given.mapping.nodes, &m, err);
    return st ? st : add_row(s, word, m, err);
}

static bool own_mapping(const atn_args *a)
{
    const char *word = atn_cli_arg_text(a, "map");
    return atn_cli_arg_given(a, "topology") ||
           (strcmp(word, "seq") != 0 && strcmp(word, "rr") != 0);
}

static atn_status add_given(study *s, atn_error *err)
{
    atn_mapping m;
    const atn_status st = copy_mapping(&s->given.mapping, &m, err);
    return st ? st : add_row(s, "given", m, err);
}

static int fastest(const study *s)
{
    int best = 0;
    for (int i = 1; i < s->n; i++)
        if (s->rows[i].seconds < s->rows[best].seconds * (1 - 1e-9))
            best = i;
    return best;
}

/* Bounded, so that the search takes a few seconds for any schedule. */
static int64_t tries(const study *s)
{
    const int64_t most = MESSAGES / (s->given.traffic.flows.n + 1);
    return most < TRIES ? most : TRIES;
}

/* The best result of searches that start from each mapping. */
static atn_status add_found(study *s, atn_error *err)
{
    atn_mapping best = {0};
    double least = 0;
    for (int i = 0; i < s->n; i++) {
        atn_mapping m;
        double seconds = 0;
        atn_status st = copy_mapping(&s->rows[i].mapping, &m, err);
        st = st ? st
                : atn_tau_mapping_improve(&s->given.traffic, &m, s->view.contention, &s->costs,
                                          s->bytes, tries(s), &seconds, err);
        if (st || (best.node_of && seconds >= least * (1 - 1e-9))) {
            atn_tau_mapping_free(&m);
            if (st)
                atn_tau_mapping_free(&best);
            if (st)
                return st;
            continue;
        }
        atn_tau_mapping_free(&best);
        best = m;
        least = seconds;
    }
    return add_row(s, "found", best, err);
}

static atn_status add_rows(study *s, atn_error *err)
{
    atn_status st = add_word(s, "seq", err);
    st = st ? st : add_word(s, "rr", err);
    if (!st && own_mapping(s->a))
        st = add_given(s, err);
    return st ? st : add_found(s, err);
}

/* ---- output ---- */

static const atn_column columns[] = {{"mapping", ATN_CELL_TEXT},
                                     {"time_us", ATN_CELL_NUMBER},
                                     {"against_seq", ATN_CELL_TEXT},
                                     {"nodes_of_ranks", ATN_CELL_TEXT},
                                     {"formula", ATN_CELL_TEXT}};

static atn_status print_table(const study *s, atn_error *err)
{
    atn_table t = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns};
    for (int i = 0; i < s->n; i++) {
        const row *x = &s->rows[i];
        char *word = atn_tau_mapping_word(&x->mapping);
        char *formula = atn_tau_terms_text(&x->terms, atn_cli_formula_style(s->a));
        atn_report_cell(&t, "%s", x->name);
        atn_report_cell(&t, "%.3f", x->seconds * 1e6);
        const atn_tau_verdict v =
            atn_tau_terms_compare(&x->terms, &s->rows[0].terms, s->view.slower, NULL);
        atn_report_cell(&t, "%s", atn_tau_verdict_words[v]);
        atn_report_cell(&t, "%s", word ? word : "");
        atn_report_cell(&t, "%s", formula ? formula : "");
        t.failed = t.failed || !word || !formula;
        free(word);
        free(formula);
    }
    return atn_cli_arg_table(s->a, &t, err);
}

/* Operand 1, as in n[0-3], else node0, node1 ...; one host per node. */
static atn_status read_hosts(const study *s, atn_name_list *hosts, atn_error *err)
{
    const int nodes = s->given.mapping.nodes;
    char word[40];
    snprintf(word, sizeof word, "node[0-%d]", nodes - 1);
    const char *text = s->a->noperands > 1 ? s->a->operands[1] : word;
    const atn_status st = atn_topo_hostlist_expand(text, hosts, err);
    if (!st && hosts->n != nodes)
        return atn_fail(err, ATN_USAGE, "'%.60s': %d hosts, but there are %d nodes", text, hosts->n,
                        nodes);
    return st;
}

static atn_status print_files(const study *s, bool ranks, atn_error *err)
{
    const atn_mapping *m = &s->rows[fastest(s)].mapping;
    atn_name_list hosts = {0};
    const atn_status st = read_hosts(s, &hosts, err);
    if (!st && ranks)
        atn_tau_mapping_rankfile(s->a->out, m, (const char *const *)hosts.v);
    else if (!st)
        atn_tau_mapping_hostfile(s->a->out, m, (const char *const *)hosts.v);
    atn_topo_name_list_free(&hosts);
    return st;
}

static atn_status print(const study *s, atn_error *err)
{
    const char *format = atn_cli_arg_format(s->a);
    const bool ranks = strcmp(format, "rankfile") == 0;
    if (ranks || strcmp(format, "hostfile") == 0)
        return print_files(s, ranks, err);
    if (s->a->noperands > 1)
        return atn_fail(err, ATN_USAGE, "HOSTS applies to --format rankfile and hostfile only");
    return print_table(s, err);
}

/* ---- command ---- */

static int map(const atn_args *a, atn_error *err)
{
    study s = {.a = a, .bytes = (double)atn_cli_arg_int(a, "bytes")};
    atn_status st = atn_cli_placed_read(a, a->operands[0], NULL, &s.given, err);
    if (st)
        return st;
    s.view = atn_cli_formula_view(a, s.given.block);
    st = atn_tau_machine_load(atn_cli_arg_text(a, "machine"), &s.costs, err);
    if (!st) {
        st = add_rows(&s, err);
        st = st ? st : print(&s, err);
        atn_tau_machine_free(&s.costs);
    }
    for (int i = 0; i < s.n; i++) {
        atn_tau_mapping_free(&s.rows[i].mapping);
        atn_tau_terms_free(&s.rows[i].terms);
    }
    atn_cli_placed_free(&s.given);
    return st;
}

static const char *const formats[] = {"table",    "csv",      "json", "markdown",
                                      "rankfile", "hostfile", NULL};

const atn_command atn_cmd_model_map = {
    .noun = "model",
    .verb = "map",
    ATN_OPERANDS("NAME [HOSTS]", 1, 2),
    .help = "Compare rank mappings and search for better ones",
    .detail =
        "NAME is an algorithm or a schedule file. The formulas of block (seq) and cyclic (rr) "
        "mapping, and of the mapping given by --map or --topology, are compared with the first by "
        "proof; times are predicted for --machine, by default a built-in machine. 'found' is the "
        "best result of a deterministic search that exchanges pairs of ranks, starting from each "
        "of these mappings.\n\n--format rankfile and hostfile write the fastest mapping for Open "
        "MPI; HOSTS, as in n[0-3], names the nodes.",
    .examples = ATN_NOTES({"attune model map allgather/ring -p 8 --nodes 2", "Compare mappings"},
                          {"attune model map alltoall/pairwise 'n[0-3]' -p 8 --nodes 4 --format "
                           "rankfile",
                           "Write the fastest mapping as a rankfile"}),
    .options = atn_cli_formula_options,
    .shared = atn_cli_schedule_options,
    .formats = formats,
    .flags = ATN_CMD_OUTPUT,
    .run = map,
};
