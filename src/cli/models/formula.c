/* formula.c - see formula.h. */
#include "cli/models/formula.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "research/taulop/published.h"
#include "sched/text.h"

static const char *const contentions[] = {"node", "network", NULL};
static const char *const transports[] = {"whole",     "segments", "stream",
                                         "zero-copy", "buffered", NULL};
static const char *const units[] = {"block", "whole", NULL};

const atn_option atn_cli_formula_options[] = {
    ATN_OPTION_RANKS(1),
    ATN_INT("nodes", "M", "1", 1, ATN_RANKS_MAX, "Number of nodes"),
    ATN_TEXT("map", "WORD", "seq",
             "Rank mapping: seq (block), rr (cyclic), or the node of each rank, as in 0*4,1*3,0"),
    ATN_WORD("contention", "RULE", "node", contentions,
             "Network transfers that are concurrent: those of the same node, or all"),
    ATN_WORD("transport", "HOW", NULL, transports, "Transfer of messages in memory"),
    ATN_WORD("unit", "WHAT", "block", units,
             "Meaning of m: the block of one rank, or the data of all ranks"),
    ATN_FLAG("overheads", "Include the overheads o0 and o1"),
    ATN_FLAG("copies", "Include the copies c inside ranks"),
    ATN_FLAG("no-axiom", "Do not assume that the network is slower than memory"),
    ATN_OPTION_MACHINE(
        "Also print times for m = --bytes on this machine ('builtin': built-in one)"),
    ATN_SIZE("segment", "N", "8K", "Segment size S for these times"),
    ATN_FLAG("ascii", "Write formulas in ASCII"),
    {0},
};

atn_tau_style atn_cli_formula_style(const atn_args *a)
{
    return atn_cli_arg_given(a, "ascii") ? ATN_TAU_ASCII : ATN_TAU_SIGNS;
}

/* ---- schedules ---- */

static atn_status build(const atn_args *a, const char *name, atn_set *set_p, atn_topo **topo_p,
                        atn_error *err)
{
    atn_request want = {0};
    int p = 0;
    atn_status st = atn_cli_lookup_choice(name, &want.choice, err);
    if (!st && !want.choice.row->algo->build)
        st = atn_fail(err, ATN_INPUT, "%s has no schedule", want.choice.row->name);
    st = st ? st : atn_cli_lookup_params(a, &want.choice, err);
    st = st ? st : atn_cli_request_topology(a, &want, err);
    st = st ? st : atn_cli_request_operation(a, want.choice.row->op, &want, err);
    if (!st)
        st = atn_cli_request_ranks(&want, (int)atn_cli_arg_int(a, "ranks"),
                                   atn_cli_arg_given(a, "ranks"), &p, err);
    st = st ? st : atn_cli_request_build(a, &want, p, set_p, err);
    if (st)
        atn_cli_request_end(&want);
    else
        *topo_p = want.topo;
    return st;
}

/* ---- mappings ---- */

static int host_of(const atn_topo *t, int rank)
{
    int v = t->node_of[rank];
    while (t->nodes[v].kind != ATN_TOPO_HOST && t->nodes[v].parent >= 0)
        v = t->nodes[v].parent;
    return v;
}

/* Hosts in the order of their first ranks. */
static atn_status map_hosts(const atn_topo *t, atn_mapping *m, atn_error *err)
{
    int *number = calloc((size_t)t->nnodes, sizeof *number);
    *m = (atn_mapping){.p = t->p, .node_of = malloc(sizeof *m->node_of * (size_t)t->p)};
    if (!number || !m->node_of) {
        free(number);
        atn_tau_mapping_free(m);
        return atn_fail(err, ATN_MEMORY, "out of memory");
    }
    for (int r = 0; r < t->p; r++) {
        int *mine = &number[host_of(t, r)];
        if (*mine == 0)
            *mine = ++m->nodes;
        m->node_of[r] = *mine - 1;
    }
    free(number);
    return ATN_OK;
}

static atn_status find_mapping(const atn_args *a, const char *word, const atn_topo *topo, int p,
                               atn_mapping *m, atn_error *err)
{
    if (topo && (word || atn_cli_arg_given(a, "map") || atn_cli_arg_given(a, "nodes")))
        return atn_fail(err, ATN_USAGE,
                        "--topology determines the rank mapping; omit --nodes and --map");
    if (topo)
        return map_hosts(topo, m, err);
    return atn_tau_mapping_read(word ? word : atn_cli_arg_text(a, "map"), p,
                                (int)atn_cli_arg_int(a, "nodes"), m, err);
}

void atn_cli_placed_free(atn_placed *x)
{
    atn_tau_traffic_free(&x->traffic);
    atn_tau_mapping_free(&x->mapping);
}

static atn_form block_form(const atn_args *a, const atn_set *set)
{
    const atn_operation_info *o = atn_sched_operation_get(set->v[0]->q.op);
    const bool whole = strcmp(atn_cli_arg_text(a, "unit"), "whole") == 0;
    const bool many =
        atn_sched_side_blocks(o->source, 2) > 1 || atn_sched_side_blocks(o->result, 2) > 1;
    return atn_tau_form_div(atn_tau_form_symbol("m"), atn_tau_form_int(whole && many ? set->p : 1));
}

atn_status atn_cli_placed_read(const atn_args *a, const char *name, const char *word,
                               atn_placed *placed_p, atn_error *err)
{
    atn_set set = {0};
    atn_topo *topo = NULL;
    atn_placed x = {.traffic = {0}};
    atn_status st = access(name, F_OK) == 0 ? atn_cli_set_read(name, 0, &set, err)
                                            : build(a, name, &set, &topo, err);
    if (st)
        return st;
    x.block = block_form(a, &set);
    st = atn_tau_traffic_of(set.v, set.p, &x.traffic, err);
    st = st ? st : find_mapping(a, word, topo, set.p, &x.mapping, err);
    if (st)
        atn_cli_placed_free(&x);
    else
        *placed_p = x;
    atn_cli_set_free(&set);
    atn_topo_free(topo);
    return st;
}

/* ---- terms ---- */

static int word_index(const char *const *words, const char *word)
{
    int i = 0;
    while (word && words[i] && strcmp(words[i], word) != 0)
        i++;
    return i;
}

static atn_tau_transport transport(const atn_args *a, atn_tau_transport otherwise)
{
    static const atn_tau_transport by_word[] = {ATN_TAU_WHOLE, ATN_TAU_SEGMENTS, ATN_TAU_STREAM,
                                                ATN_TAU_DIRECT, ATN_TAU_BUFFERED};
    return atn_cli_arg_given(a, "transport")
               ? by_word[word_index(transports, atn_cli_arg_text(a, "transport"))]
               : otherwise;
}

atn_tau_view atn_cli_formula_view(const atn_args *a, atn_form block)
{
    const int rule = word_index(contentions, atn_cli_arg_text(a, "contention"));
    return (atn_tau_view){.contention = rule ? ATN_TAU_NETWORK : ATN_TAU_TO_NODE,
                          .transport = transport(a, ATN_TAU_WHOLE),
                          .overheads = atn_cli_arg_given(a, "overheads"),
                          .copies = atn_cli_arg_given(a, "copies"),
                          .slower = !atn_cli_arg_given(a, "no-axiom"),
                          .block = block};
}

static atn_status read_expression(const atn_args *a, const char *text, atn_tau_transport otherwise,
                                  atn_terms *terms_p, atn_error *err)
{
    const atn_tau_transport how = transport(a, otherwise);
    const atn_tau_rules rules = {.transport = how,
                                 .slower = !atn_cli_arg_given(a, "no-axiom"),
                                 .drop_overheads =
                                     how != ATN_TAU_KEEP && !atn_cli_arg_given(a, "overheads")};
    atn_tau *x;
    atn_status st = atn_tau_parse(text, &x, err);
    if (st)
        return st;
    st = atn_tau_terms(x, &rules, terms_p, err);
    atn_tau_free(x);
    return st;
}

/* Published costs of collectives that have no schedule. */
static atn_status read_published(const atn_args *a, const char *operand, atn_terms *terms_p,
                                 atn_error *err)
{
    const atn_tau_published *of = atn_tau_published_find(operand);
    atn_tau_instance x = {.p = (int)atn_cli_arg_int(a, "ranks"), .degree = 2};
    atn_status st = atn_tau_published_parse(operand, &x, err);
    if (!st && x.p < 2)
        st = atn_fail(err, ATN_USAGE, "%s: at least two ranks are necessary; set -p", operand);
    char *text = st ? NULL : atn_tau_published_text(of, &x);
    if (!st && !text)
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    if (!st)
        st = read_expression(a, text, of->direct ? ATN_TAU_DIRECT : ATN_TAU_KEEP, terms_p, err);
    free(text);
    return st;
}

/* Expressions do not start with an operation and a slash. */
static bool is_algorithm(const char *text)
{
    char word[40];
    atn_operation op;
    const size_t n = strcspn(text, "/");
    if (access(text, F_OK) == 0)
        return true;
    if (!text[n] || n >= sizeof word)
        return false;
    memcpy(word, text, n);
    word[n] = '\0';
    return atn_sched_operation_find(word, &op);
}

static atn_status read_algorithm(const atn_args *a, const char *operand, atn_terms *terms_p,
                                 atn_error *err)
{
    char *name = strdup(operand), *word = name ? strrchr(name, '@') : NULL;
    atn_placed x;
    if (!name)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    if (word && access(name, F_OK) != 0)
        *word++ = '\0';
    else
        word = NULL;
    atn_status st = atn_cli_placed_read(a, name, word, &x, err);
    if (!st) {
        const atn_tau_view view = atn_cli_formula_view(a, x.block);
        st = atn_tau_derive(&x.traffic, &x.mapping, &view, terms_p, err);
        atn_cli_placed_free(&x);
    }
    free(name);
    return st;
}

atn_status atn_cli_formula_read(const atn_args *a, const char *operand, atn_terms *terms_p,
                                atn_error *err)
{
    if (is_algorithm(operand))
        return read_algorithm(a, operand, terms_p, err);
    if (atn_tau_published_find(operand))
        return read_published(a, operand, terms_p, err);
    return read_expression(a, operand, ATN_TAU_KEEP, terms_p, err);
}
