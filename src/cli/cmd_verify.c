/* cmd_verify.c - attune schedule verify: proofs without MPI. */
#include <stdlib.h>
#include <string.h>

#include "cli/lookup.h"
#include "report/table.h"
#include "sched/verify.h"

static const atn_column columns[] = {
    {"ranks", ATN_CELL_NUMBER},      {"messages", ATN_CELL_NUMBER}, {"steps", ATN_CELL_NUMBER},
    {"reductions", ATN_CELL_NUMBER}, {"scratch", ATN_CELL_NUMBER},  {"verdict", ATN_CELL_TEXT},
};

static const char *const proven[] = {
    "every access is inside its buffer, and the input is never written",
    "the k-th send of each pair of ranks meets the k-th receive, of the same size",
    "run in order with synchronous sends every rank finishes: no deadlock",
    "dependencies order every two operations that touch the same block",
    "every result block holds exactly what the operation says, and nothing else is written",
    "scratch is bounded",
};
static const char reduced[] =
    "reductions combine each contribution exactly once, in rank order where that matters";

static void print_proven(FILE *f, bool reduces)
{
    fprintf(f, "\nproven for all ranks together:\n");
    for (size_t i = 0; i < sizeof proven / sizeof *proven; i++)
        fprintf(f, "- %s\n", proven[i]);
    if (reduces)
        fprintf(f, "- %s\n", reduced);
}

/* ---- one number of ranks ---- */

typedef struct {
    atn_table table;
    int tried, found; /* schedules looked at, findings among them */
    bool reduces;
    int where;                       /* ranks at which the first finding was made */
    char finding[480], refusal[480]; /* the first of each */
} outcome;

static void proof_row(outcome *out, int p, const atn_proof *proof, const char *verdict)
{
    const int values[] = {p, proof->messages, proof->steps, proof->reductions, proof->max_scratch};
    for (int i = 0; i < 5; i++)
        atn_cell(&out->table, "%d", values[i]);
    atn_cell(&out->table, "%s", verdict);
}

/* `first` keeps the first verdict of its kind. */
static void bare_row(outcome *out, int p, const char *verdict, char first[480])
{
    atn_cell(&out->table, "%d", p);
    for (int i = 0; i < 4; i++)
        atn_cell(&out->table, "%s", "");
    atn_cell(&out->table, "%s", verdict);
    if (!first[0])
        snprintf(first, 480, "%s", verdict);
}

static atn_status verify_one(const atn_args *a, const atn_request *want, int p, outcome *out,
                             atn_error *err)
{
    atn_error local = {0};
    atn_set set;
    atn_proof proof;
    atn_status st = atn_request_build(a, want, p, &set, &local);
    if (st == ATN_NOT_APPLICABLE) {
        bare_row(out, p, local.text, out->refusal);
        return ATN_OK;
    }
    if (st)
        return atn_fail(err, st, "%s", local.text);
    st = atn_verify(set.v, set.p, &proof, &local);
    out->tried++;
    out->reduces = out->reduces || (!st && proof.reductions > 0);
    if (!st) {
        proof_row(out, set.p, &proof, "proven");
    } else if (st == ATN_FINDING) {
        out->where = out->found++ ? out->where : set.p;
        bare_row(out, set.p, local.text, out->finding);
    }
    atn_set_free(&set);
    return st == ATN_OK || st == ATN_FINDING ? ATN_OK : atn_fail(err, st, "%s", local.text);
}

/* ---- a range ---- */

/* "8" or "1:33"; both ends are meant. */
static atn_status read_range(const char *text, int *lo_p, int *hi_p, atn_error *err)
{
    char *end;
    const long lo = strtol(text, &end, 10);
    const bool one = end != text && *end == '\0';
    const char *second = end + 1;
    const long hi = one ? lo : *end == ':' ? strtol(second, &end, 10) : 0;
    if (*end != '\0' || (!one && end == second) || lo < 1 || hi < lo || hi > ATN_RANKS_MAX)
        return atn_fail(err, ATN_USAGE,
                        "--ranks %s: must be a number from 1 to %d, or a range such as 1:33", text,
                        ATN_RANKS_MAX);
    *lo_p = (int)lo;
    *hi_p = (int)hi;
    return ATN_OK;
}

static atn_status verify_range(const atn_args *a, const atn_request *want, outcome *out,
                               atn_error *err)
{
    int lo = 0, hi = 0;
    if (want->file && !atn_arg_given(a, "ranks"))
        return verify_one(a, want, 0, out, err);
    atn_status st = read_range(atn_arg_text(a, "ranks"), &lo, &hi, err);
    if (!st && want->q.root >= lo && !want->file)
        lo = atn_min(want->q.root + 1, hi); /* smaller communicators do not have this root */
    for (int p = lo; !st && p <= hi; p++)
        st = verify_one(a, want, p, out, err);
    return st;
}

static atn_status conclude(const atn_args *a, const outcome *out, atn_error *err)
{
    const atn_status st = atn_table_write(a->out, &out->table, atn_arg_format(a), a->terminal, err);
    if (st)
        return st;
    if (out->found)
        return atn_fail(err, ATN_FINDING, "%s on %d ranks: %s", a->operands[0], out->where,
                        out->finding);
    if (!out->tried)
        return atn_fail(err, ATN_INPUT, "%s", out->refusal);
    if (strcmp(atn_arg_format(a), "table") == 0)
        print_proven(a->out, out->reduces);
    return ATN_OK;
}

static int verify(const atn_args *a, atn_error *err)
{
    outcome out = {.table = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns}};
    atn_request want;
    atn_status st = atn_request_read(a, &want, err);
    st = st ? st : verify_range(a, &want, &out, err);
    st = st ? st : conclude(a, &out, err);
    atn_table_free(&out.table);
    return st;
}

/* ---- descriptor ---- */

static const char *const formats[] = {"table", "csv", "json", NULL};
static const atn_option options[] = {
    {.name = "ranks",
     .letter = 'p',
     .argument = "N|LO:HI",
     .fallback = "8",
     .type = ATN_OPT_TEXT,
     .doc = "Number of ranks, or a range of them"},
    {0},
};

const atn_command atn_cmd_schedule_verify = {
    .noun = "schedule",
    .verb = "verify",
    .operands = "NAME",
    .min_operands = 1,
    .max_operands = 1,
    .help = "Prove a schedule correct for all ranks, without MPI",
    .detail = "NAME is an algorithm of 'attune algo list', also with parameters as in "
              "allreduce/ring{segment=8K}, or a file written by 'attune schedule show --format "
              "text'. Steps are those of the longest rank when it works strictly in order; "
              "scratch counts blocks of the worst rank. The exit status is 1 when a schedule is "
              "wrong; what and where is then said.",
    .options = options,
    .shared = atn_schedule_options,
    .formats = formats,
    .flags = ATN_CMD_OUTPUT,
    .run = verify,
};
