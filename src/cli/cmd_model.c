/* cmd_model.c - attune model expr | compare: costs as tau-Lop formulas. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/formula.h"
#include "research/taulop/compare.h"
#include "research/taulop/machine.h"

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* The value of the formula on a machine; m is --bytes. */
static atn_status print_value(const atn_args *a, const atn_terms *t, atn_error *err)
{
    const double bytes = (double)atn_cli_arg_int(a, "bytes"),
                 cell = (double)atn_cli_arg_int(a, "segment");
    const atn_variable vars[] = {
        {"m", bytes}, {"S", cell}, {"k", cell > 0 ? bytes / cell : 1}, {"a", sizeof(void *)}};
    atn_tau_costs costs;
    double seconds = 0;
    atn_tau *x = atn_tau_terms_tau(t);
    if (!x)
        return no_memory(err);
    atn_status st = atn_tau_machine_load(atn_cli_arg_text(a, "machine"), &costs, err);
    if (!st) {
        st = atn_tau_value(x, &costs, vars, 4, &seconds, err);
        atn_tau_machine_free(&costs);
    }
    if (!st)
        fprintf(a->out, "= %.6g us for m = %" PRId64 "\n", seconds * 1e6,
                atn_cli_arg_int(a, "bytes"));
    atn_tau_free(x);
    return st;
}

static atn_status print_terms(const atn_args *a, const char *before, const atn_terms *t,
                              atn_error *err)
{
    char *text = atn_tau_terms_text(t, atn_cli_formula_style(a));
    if (!text)
        return no_memory(err);
    fprintf(a->out, "%s%s\n", before, text);
    free(text);
    return atn_cli_arg_given(a, "machine") ? print_value(a, t, err) : ATN_OK;
}

/* ---- expr ---- */

static int expr(const atn_args *a, atn_error *err)
{
    atn_terms t;
    atn_status st = atn_cli_formula_read(a, a->operands[0], &t, err);
    if (st)
        return st;
    st = print_terms(a, "", &t, err);
    atn_tau_terms_free(&t);
    return st;
}

/* ---- compare ---- */

static atn_status prove(const atn_args *a, const atn_terms *x, const atn_terms *y, atn_error *err)
{
    atn_tau_proof proof = {.style = atn_cli_formula_style(a)};
    const atn_tau_verdict v =
        atn_tau_terms_compare(x, y, !atn_cli_arg_given(a, "no-axiom"), &proof);
    for (int i = 0; i < proof.v.n; i++)
        fprintf(a->out, "  %s\n", proof.v.v[i]);
    fprintf(a->out, "%s\n", atn_tau_verdicts[v]);
    atn_tau_proof_free(&proof);
    return proof.failed ? no_memory(err) : ATN_OK;
}

static int compare(const atn_args *a, atn_error *err)
{
    atn_terms x = {0}, y = {0};
    atn_status st = atn_cli_formula_read(a, a->operands[0], &x, err);
    st = st ? st : atn_cli_formula_read(a, a->operands[1], &y, err);
    st = st ? st : print_terms(a, "first:  ", &x, err);
    st = st ? st : print_terms(a, "second: ", &y, err);
    st = st ? st : prove(a, &x, &y, err);
    atn_tau_terms_free(&x);
    atn_tau_terms_free(&y);
    return st;
}

/* ---- descriptors ---- */

#define OPERAND                                                                                    \
    "FORMULA is an algorithm of 'attune algo list', optionally with parameters and with a "        \
    "mapping, as in allgather/ring@rr; a file written by 'attune schedule show --format text'; "   \
    "a collective in shared memory, sm_bcast, sm_reduce or azequia_reduce; "                       \
    "or a tau-Lop expression such as '2||T1(m) + 3*L0(m,4)'. "

#define COUNTED                                                                                    \
    "Channel 0 is memory, channel 1 the network; L0(m,4) is one of 4 concurrent transfers of m "   \
    "bytes. m is the block of one rank, or the whole message if ranks have no blocks. "

const atn_command atn_cmd_model_expr = {
    .noun = "model",
    .verb = "expr",
    ATN_OPERANDS("FORMULA", 1, 1),
    .help = "Print the cost of an algorithm or expression as a tau-Lop formula",
    .detail = OPERAND "The result is in canonical form.\n\n" COUNTED
                      "The formula of an algorithm is derived from its schedule, with messages in "
                      "lock-step stages. Overheads and copies are omitted unless requested.",
    .examples = ATN_NOTES(
        {"attune model expr allgather/ring -p 8 --nodes 2", "Cost of a ring on two nodes"}),
    .options = atn_cli_formula_options,
    .shared = atn_cli_schedule_options,
    .flags = ATN_CMD_OUTPUT,
    .run = expr,
};

const atn_command atn_cmd_model_compare = {
    .noun = "model",
    .verb = "compare",
    ATN_OPERANDS("FORMULA FORMULA", 2, 2),
    .help = "Prove which of two costs is greater on every machine",
    .detail =
        OPERAND "Every term of the smaller cost is covered by terms of the larger one, by rules "
                "that hold on all machines: C1: equal terms cancel; C3: concurrent transfers "
                "cost no more than consecutive ones; C4: more concurrent transfers cost no "
                "less; C2, C5: the network is slower than memory (not with --no-axiom). "
                "'undecided' means that no such proof was found.",
    .examples =
        ATN_NOTES({"attune model compare allgather/ring@seq allgather/ring@rr -p 8 --nodes 2",
                   "Compare block and cyclic mapping"}),
    .options = atn_cli_formula_options,
    .shared = atn_cli_schedule_options,
    .flags = ATN_CMD_OUTPUT,
    .run = compare,
};
