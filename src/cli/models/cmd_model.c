/* cmd_model.c - attune model expr | compare: costs as tau-Lop formulas. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/models/formula.h"
#include "cli/models/proof.h"
#include "research/taulop/machine.h"

static atn_status no_memory(atn_error *err) { return atn_fail(err, ATN_MEMORY, "out of memory"); }

/* ---- a cost ---- */

typedef struct {
    const atn_args *a;
    atn_json *j; /* NULL: lines of text */
} output;

/* The value of the formula on a machine; m is --bytes. */
static atn_status find_seconds(const atn_args *a, const atn_terms *t, double *seconds_p,
                               atn_error *err)
{
    const double bytes = (double)atn_cli_arg_int(a, "bytes"),
                 cell = (double)atn_cli_arg_int(a, "segment");
    const atn_variable vars[] = {
        {"m", bytes}, {"S", cell}, {"k", cell > 0 ? bytes / cell : 1}, {"a", sizeof(void *)}};
    atn_tau_costs costs;
    atn_tau *x = atn_tau_terms_tau(t);
    if (!x)
        return no_memory(err);
    atn_status st = atn_tau_machine_load(atn_cli_arg_text(a, "machine"), &costs, err);
    if (!st) {
        st = atn_tau_value(x, &costs, vars, 4, seconds_p, err);
        atn_tau_machine_free(&costs);
    }
    atn_tau_free(x);
    return st;
}

/* Without a machine there is neither a size nor a time. */
static void put_json(atn_json *j, const char *key, const char *formula, const char *bytes,
                     const char *time_us)
{
    atn_report_json_open(j, key, '{');
    atn_report_json_text(j, "formula", formula);
    atn_report_json_number(j, "bytes", bytes);
    atn_report_json_number(j, "time_us", time_us);
    atn_report_json_close(j, '}');
}

static atn_status put_cost(const output *to, const char *key, const char *before,
                           const atn_terms *t, atn_error *err)
{
    const atn_args *const a = to->a;
    const bool timed = atn_cli_arg_given(a, "machine");
    char bytes[32] = "", time_us[32] = "";
    double seconds = 0;
    const atn_status st = timed ? find_seconds(a, t, &seconds, err) : ATN_OK;
    char *text = st ? NULL : atn_tau_terms_text(t, atn_cli_formula_style(a));
    if (!text)
        return st ? st : no_memory(err);
    if (timed) {
        snprintf(bytes, sizeof bytes, "%" PRId64, atn_cli_arg_int(a, "bytes"));
        snprintf(time_us, sizeof time_us, "%.6g", seconds * 1e6);
    }
    if (to->j)
        put_json(to->j, key, text, bytes, time_us);
    else
        fprintf(a->out, "%s%s\n", before, text);
    if (!to->j && timed)
        fprintf(a->out, "= %s us for m = %s\n", time_us, bytes);
    free(text);
    return ATN_OK;
}

/* `j` has the storage. */
static output begin(const atn_args *a, atn_json *j)
{
    if (strcmp(atn_cli_arg_format(a), "json") != 0)
        return (output){.a = a};
    *j = (atn_json){.f = a->out};
    atn_report_json_open(j, NULL, '{');
    atn_report_json_int(j, "version", 1); /* docs/schema */
    return (output){.a = a, .j = j};
}

static void end(const output *to)
{
    if (to->j)
        atn_report_json_close(to->j, '}');
}

/* ---- expr ---- */

static int expr(const atn_args *a, atn_error *err)
{
    atn_terms t;
    atn_json j;
    atn_status st = atn_cli_formula_read(a, a->operands[0], &t, err);
    if (st)
        return st;
    const output to = begin(a, &j);
    st = put_cost(&to, "cost", "", &t, err);
    end(&to);
    atn_tau_terms_free(&t);
    return st;
}

/* ---- compare ---- */

static atn_status put_comparison(const output *to, const atn_terms *x, const atn_terms *y,
                                 atn_error *err)
{
    const atn_proof_output proof = {.text = to->a->out,
                                    .j = to->j,
                                    .style = atn_cli_formula_style(to->a),
                                    .slower = !atn_cli_arg_given(to->a, "no-axiom")};
    atn_status st = put_cost(to, "first", "first:  ", x, err);
    st = st ? st : put_cost(to, "second", "second: ", y, err);
    return st ? st : atn_cli_proof_write(&proof, x, y, err);
}

static int compare(const atn_args *a, atn_error *err)
{
    atn_terms x = {0}, y = {0};
    atn_json j;
    atn_status st = atn_cli_formula_read(a, a->operands[0], &x, err);
    st = st ? st : atn_cli_formula_read(a, a->operands[1], &y, err);
    if (!st) {
        const output to = begin(a, &j);
        st = put_comparison(&to, &x, &y, err);
        end(&to);
    }
    atn_tau_terms_free(&x);
    atn_tau_terms_free(&y);
    return st;
}

/* ---- descriptors ---- */

static const char *const formats[] = {"text", "json", NULL};

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
    .formats = formats,
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
    .formats = formats,
    .flags = ATN_CMD_OUTPUT,
    .run = compare,
};
