/* cmd_verify.c - attune schedule verify: proofs without MPI. */
#include <stdlib.h>
#include <string.h>

#include "algo/contention.h"
#include "cli/lookup.h"
#include "sched/verify.h"

static const atn_column columns[] = {
    {"ranks", ATN_CELL_NUMBER},      {"messages", ATN_CELL_NUMBER}, {"steps", ATN_CELL_NUMBER},
    {"reductions", ATN_CELL_NUMBER}, {"scratch", ATN_CELL_NUMBER},  {"verdict", ATN_CELL_TEXT},
};

/* With a topology. */
static const atn_column link_columns[] = {
    {"ranks", ATN_CELL_NUMBER},      {"messages", ATN_CELL_NUMBER}, {"steps", ATN_CELL_NUMBER},
    {"reductions", ATN_CELL_NUMBER}, {"scratch", ATN_CELL_NUMBER},  {"phases", ATN_CELL_NUMBER},
    {"bound", ATN_CELL_NUMBER},      {"verdict", ATN_CELL_TEXT},
};

static const char *const proven[] = {
    "every access is inside its buffer, and the input is never written",
    "the k-th send of each pair of ranks meets the k-th receive, of the same size",
    "run in order with synchronous sends every rank finishes: no deadlock",
    "dependencies order every two operations that touch the same block",
    "every result block holds the value that the operation defines, and nothing else is written",
    "scratch is bounded",
};
static const char reduced[] =
    "reductions combine each contribution exactly once, in rank order if the operator requires it";

static const char by_round[] = "no link carries more messages of a phase than its speed allows: no "
                               "contention inside phases";
static const char apart[] =
    "even if phases overlap, messages that share a link have their sender or "
    "their receiver in common: no contention at all";

static const char exposed[] =
    "every exposure is closed after all its reads, and nothing writes its blocks until then";

static void print_proven(FILE *f, bool reduces, bool shares, const atn_contention *links)
{
    fprintf(f, "\nproven for all ranks together:\n");
    for (size_t i = 0; i < sizeof proven / sizeof *proven; i++)
        fprintf(f, "- %s\n", proven[i]);
    if (reduces)
        fprintf(f, "- %s\n", reduced);
    if (shares)
        fprintf(f, "- %s\n", exposed);
    if (links && links->by_round)
        fprintf(f, "- %s\n", by_round);
    if (links && links->apart)
        fprintf(f, "- %s\n", apart);
}

/* ---- one number of ranks ---- */

typedef struct {
    atn_table table;
    int tried, found;     /* schedules examined, and findings */
    bool reduces, shares; /* shares: reads of shared memory */
    bool links;           /* a topology is given */
    atn_contention contention;
    int where; /* number of ranks of the first finding */
    char finding[ATN_ERROR_ROOM], refusal[ATN_ERROR_ROOM]; /* the first of each */
} outcome;

static void proof_row(outcome *out, int p, const atn_verify_counts *proof, const char *verdict)
{
    const int values[] = {p, proof->messages, proof->steps, proof->reductions, proof->max_scratch};
    for (int i = 0; i < 5; i++)
        atn_report_cell(&out->table, "%d", values[i]);
    if (out->links) {
        atn_report_cell(&out->table, "%d", out->contention.phases);
        atn_report_cell(&out->table, "%lld", (long long)out->contention.bound);
    }
    atn_report_cell(&out->table, "%s", verdict);
}

/* `first` keeps the first verdict of this class. */
static void bare_row(outcome *out, int p, const char *verdict, char first[ATN_ERROR_ROOM])
{
    atn_report_cell(&out->table, "%d", p);
    for (int i = 0; i < (out->links ? 6 : 4); i++)
        atn_report_cell(&out->table, "%s", "");
    atn_report_cell(&out->table, "%s", verdict);
    if (!first[0])
        snprintf(first, ATN_ERROR_ROOM, "%s", verdict);
}

/* A schedule passes if it has no contention inside phases, or none at all; else the finding names
 * the two messages. */
static atn_status verify_links(const atn_set *set, const atn_topo *t, atn_contention *found_p,
                               atn_error *err)
{
    char link[160];
    atn_status st = atn_algo_contention_find(set->v, set->p, t, true, found_p, err);
    if (st || found_p->by_round || found_p->apart)
        return st;
    const atn_collision *c = &found_p->round;
    atn_algo_edge_name(t, c->edge, link, sizeof link);
    return atn_fail(err, ATN_FINDING,
                    "contention in round %d: the messages from rank %d to %d and from %d to %d "
                    "share %s",
                    c->round, c->from[0], c->to[0], c->from[1], c->to[1], link);
}

static atn_status verify_one(const atn_args *a, const atn_request *want, int p, outcome *out,
                             atn_error *err)
{
    atn_error local = {0};
    atn_set set;
    atn_verify_counts proof;
    atn_status st = atn_cli_request_build(a, want, p, &set, &local);
    if (st == ATN_NOT_APPLICABLE) {
        bare_row(out, p, local.text, out->refusal);
        return ATN_OK;
    }
    if (st)
        return atn_fail(err, st, "%s", local.text);
    st = atn_sched_verify(set.v, set.p, &proof, &local);
    if (!st && want->topo)
        st = verify_links(&set, want->topo, &out->contention, &local);
    out->tried++;
    out->reduces = out->reduces || (!st && proof.reductions > 0);
    for (int r = 0; r < set.p; r++)
        out->shares = out->shares || (!st && atn_sched_is_shared(set.v[r]));
    if (!st) {
        proof_row(out, set.p, &proof, "proven");
    } else if (st == ATN_FINDING) {
        out->where = out->found++ ? out->where : set.p;
        bare_row(out, set.p, local.text, out->finding);
    }
    atn_cli_set_free(&set);
    return st == ATN_OK || st == ATN_FINDING ? ATN_OK : atn_fail(err, st, "%s", local.text);
}

/* ---- a range ---- */

/* "8" or "1:33", inclusive. */
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
    const bool given = atn_cli_arg_given(a, "ranks");
    if (want->file && !given)
        return verify_one(a, want, 0, out, err);
    atn_status st = read_range(atn_cli_arg_text(a, "ranks"), &lo, &hi, err);
    if (!st && atn_cli_request_fixed(want)) {
        st = atn_cli_request_ranks(want, lo == hi ? lo : -1, given, &lo, err);
        hi = lo;
    }
    if (!st && want->q.root >= lo && !want->file)
        lo = atn_min(want->q.root + 1, hi); /* smaller communicators lack this root */
    for (int p = lo; !st && p <= hi; p++)
        st = verify_one(a, want, p, out, err);
    return st;
}

static atn_status conclude(const atn_args *a, const outcome *out, atn_error *err)
{
    const atn_status st =
        atn_report_table_write(a->out, &out->table, atn_cli_arg_format(a), a->terminal, err);
    if (st)
        return st;
    if (out->found)
        return atn_fail(err, ATN_FINDING, "%s on %d ranks: %s", a->operands[0], out->where,
                        out->finding);
    if (!out->tried)
        return atn_fail(err, ATN_INPUT, "%s", out->refusal);
    if (strcmp(atn_cli_arg_format(a), "table") == 0)
        print_proven(a->out, out->reduces, out->shares, out->links ? &out->contention : NULL);
    return ATN_OK;
}

static int verify(const atn_args *a, atn_error *err)
{
    outcome out = {.table = {.columns = columns, .ncolumns = sizeof columns / sizeof *columns}};
    atn_request want;
    atn_status st = atn_cli_request_read(a, &want, err);
    if (st)
        return st;
    if (want.topo) {
        out.links = true;
        out.table.columns = link_columns;
        out.table.ncolumns = sizeof link_columns / sizeof *link_columns;
    }
    st = verify_range(a, &want, &out, err);
    st = st ? st : conclude(a, &out, err);
    atn_report_table_free(&out.table);
    atn_cli_request_end(&want);
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
     .doc = "Number of ranks, or a range"},
    {0},
};

const atn_command atn_cmd_schedule_verify = {
    .noun = "schedule",
    .verb = "verify",
    ATN_OPERANDS("NAME", 1, 1),
    .help = "Prove a schedule correct for all ranks, without MPI",
    .detail =
        "NAME is an algorithm of 'attune algo list', optionally with parameters as in "
        "allreduce/ring{segment=8K}, or a file written by 'attune schedule show --format text'. "
        "'steps' is the length of the longest rank if executed strictly in order; 'scratch' is the "
        "number of scratch blocks of the worst rank. With a topology, the command also proves that "
        "messages do not contend for links, or names the first two that do; 'phases' counts the "
        "rounds that transfer data, 'bound' is the least number of phases that the busiest link "
        "allows. If a schedule is incorrect or has contention, the exit status is 1 and the "
        "finding is printed.",
    .examples = ATN_NOTES(
        {"attune schedule verify allreduce/ring -p 1:33", "Verify all communicator sizes up to 33"},
        {"attune schedule verify alltoall/aapc --topology 4x4@100M",
         "Prove that no two messages contend for a link"}),
    .options = options,
    .shared = atn_cli_schedule_options,
    .formats = formats,
    .flags = ATN_CMD_OUTPUT,
    .run = verify,
};
