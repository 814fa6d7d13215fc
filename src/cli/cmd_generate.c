/* cmd_generate.c - attune schedule generate: C routines for a topology. */
#include <stdlib.h>
#include <string.h>

#include "algo/capacity.h"
#include "algo/pattern.h"
#include "algo/phased.h"
#include "cli/lookup.h"
#include "sched/generate.h"
#include "sched/verify.h"

enum { MOST_PROGRAMS = 1 << 14 }; /* over all ranks and roots */

/* Default algorithms, for large messages on a network of switches. */
static const struct {
    atn_operation op;
    const char *name;
} usual[] = {
    {ATN_ALLGATHER, "ring{order=lr1}"},
    {ATN_ALLREDUCE, "ring{order=lr1}"},
    {ATN_ALLTOALL, "aapc{sync=sender,block=4,segment=16K}"},
    {ATN_ALLTOALLV, "aapc{sync=sender,block=4,segment=16K}"},
    {ATN_BCAST, "chain{order=dfs,segment=8K}"},
    {ATN_REDUCE, "chain{order=dfs,segment=8K}"},
};
enum { USUAL = sizeof usual / sizeof *usual };

typedef struct {
    const atn_args *a;
    atn_operation op;
    atn_topo *topo;
    atn_choice choice;
    bool greedy;
    atn_patterns patterns; /* calls is 0 without --pattern */
    int *set_of_call;
    char about[300];
    atn_generation g;
} job;

/* ---- options ---- */

static atn_status read_operation(const char *name, atn_operation *op_p, atn_error *err)
{
    const atn_status st = atn_cli_lookup_operation(name, op_p, err);
    if (st || atn_sched_generates(*op_p))
        return st;
    const char *names[USUAL];
    char all[ATN_ERROR_ROOM];
    for (int i = 0; i < USUAL; i++)
        names[i] = atn_sched_operation_get(usual[i].op)->name;
    return atn_fail(err, ATN_INPUT, "%s: no generator; available for %s", name,
                    atn_enumerate(names, USUAL, ", ", all));
}

static atn_status read_patterns(job *j, atn_error *err)
{
    const char *file = atn_cli_arg_text(j->a, "pattern");
    char *text;
    atn_status st = atn_read_file(file, &text, NULL, err);
    if (st)
        return st;
    st = atn_algo_patterns_parse(text, file, &j->patterns, err);
    free(text);
    if (!st && j->patterns.p != j->topo->p)
        st = atn_fail(err, ATN_INPUT, "%s: %d ranks, but the topology has %d", file, j->patterns.p,
                      j->topo->p);
    for (int i = 0; !st && i < j->patterns.calls; i++)
        if (j->patterns.op[i] != ATN_ALLTOALLV)
            st =
                atn_fail(err, ATN_INPUT, "%s: call %d is not an alltoallv; remove it", file, i + 1);
    return st;
}

/* "ring", "ring{order=lr1}" or "allgather/ring"; "greedy" needs a pattern and has the parameters of
 * aapc. */
static atn_status read_algorithm(job *j, atn_error *err)
{
    const bool pattern = atn_cli_arg_given(j->a, "pattern");
    const char *name = atn_cli_arg_text(j->a, "algorithm");
    char full[256];
    for (int i = 0; !name && i < USUAL; i++)
        if (usual[i].op == j->op)
            name = usual[i].name;
    j->greedy = pattern && !atn_cli_arg_given(j->a, "algorithm");
    if (j->op == ATN_ALLTOALLV && strcmp(name, "greedy") == 0) {
        j->greedy = true;
        name = "aapc{sync=sender,block=4,segment=16K}";
    }
    if (j->greedy && !pattern)
        return atn_fail(err, ATN_USAGE, "greedy needs the message sizes; add --pattern FILE");
    snprintf(full, sizeof full, "%s%s%s",
             strchr(name, '/') ? "" : atn_sched_operation_get(j->op)->name,
             strchr(name, '/') ? "" : "/", name);
    atn_status st = atn_cli_lookup_choice(full, &j->choice, err);
    st = st ? st : atn_cli_lookup_params(j->a, &j->choice, err);
    if (!st && j->choice.row->op != j->op)
        st = atn_fail(err, ATN_USAGE, "--algorithm %s: not an algorithm of %s", name,
                      j->a->operands[0]);
    if (!st && pattern && strcmp(j->choice.row->algo->name, "aapc") != 0)
        st = atn_fail(err, ATN_USAGE, "--pattern applies to greedy and aapc only");
    return st;
}

static atn_status read_job(job *j, atn_error *err)
{
    const atn_args *a = j->a;
    atn_status st = read_operation(a->operands[0], &j->op, err);
    if (st)
        return st;
    const bool rooted = atn_sched_operation_get(j->op)->flags & ATN_ROOTED;
    if (atn_cli_arg_given(a, "pattern") && j->op != ATN_ALLTOALLV)
        return atn_fail(err, ATN_USAGE, "--pattern applies to alltoallv only");
    if (atn_cli_arg_given(a, "root") && !rooted)
        return atn_fail(err, ATN_USAGE, "%s has no root; omit --root", a->operands[0]);
    if (!atn_cli_arg_given(a, "topology"))
        return atn_fail(err, ATN_USAGE, "no topology; add --topology FILE|STRING");
    st = atn_cli_lookup_topology(atn_cli_arg_text(a, "topology"), &j->topo, err);
    st = st ? st : read_algorithm(j, err);
    return st || !atn_cli_arg_given(a, "pattern") ? st : read_patterns(j, err);
}

/* ---- schedules ---- */

static atn_problem problem(const job *j, int set, int r)
{
    const atn_operation_info *o = atn_sched_operation_get(j->op);
    atn_problem q = {.op = j->op, .p = j->topo->p, .r = r, .segments = 1, .topo = j->topo};
    if (o->flags & ATN_ROOTED)
        q.root = j->g.first_root + set;
    q.ordered = o->flags & ATN_TYPED;
    q.ordered = q.ordered && !atn_algo_refuses(j->choice.row, &q, &j->choice.params);
    return q;
}

/* The phases of one pattern for all ranks. */
static atn_status build_phased(job *j, int set, atn_error *err)
{
    const atn_params *prm = &j->choice.params;
    const atn_row *row = j->choice.row;
    const bool rated = atn_algo_params_get(row, prm, "links", 0) == 0;
    const atn_phased how = {(atn_phased_sync)atn_algo_params_get(row, prm, "sync", 0),
                            (int)atn_algo_params_get(row, prm, "block", 1)};
    int call = 0;
    while (j->set_of_call[call] != set)
        call++;
    const int64_t *bytes = atn_algo_pattern(&j->patterns, call);
    int *capacity = malloc(sizeof *capacity * (size_t)atn_topo_edges(j->topo));
    atn_phases x = {0};
    atn_status st = atn_fail(NULL, ATN_MEMORY, "out of memory");
    if (capacity) {
        atn_algo_capacities(j->topo, rated, capacity);
        st = (j->greedy ? atn_algo_phases_greedy(j->topo, capacity, bytes, &x)
                        : atn_algo_phases_cut(j->topo, rated, bytes, &x))
                 ? ATN_OK
                 : ATN_MEMORY;
    }
    for (int r = 0; !st && r < j->g.p; r++) {
        const atn_problem q = problem(j, set, r);
        st = atn_algo_phased_build(&q, &x, capacity, &how, j->about, &j->g.sets[set][r], err);
    }
    free(capacity);
    atn_algo_phases_end(&x);
    return st == ATN_MEMORY ? atn_fail(err, st, "out of memory") : st;
}

static atn_status build_set(job *j, int set, atn_error *err)
{
    atn_status st = ATN_OK;
    j->g.sets[set] = calloc((size_t)j->g.p, sizeof **j->g.sets);
    if (!j->g.sets[set])
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const atn_problem any = problem(j, set, 0);
    const char *why = atn_algo_refuses(j->choice.row, &any, &j->choice.params);
    if (j->patterns.calls > 0)
        st = why ? atn_fail(err, ATN_NOT_APPLICABLE, "%s is not applicable: %s", j->about, why)
                 : build_phased(j, set, err);
    for (int r = 0; !st && j->patterns.calls == 0 && r < j->g.p; r++) {
        const atn_problem q = problem(j, set, r);
        st = atn_algo_build(j->choice.row, &q, &j->choice.params, &j->g.sets[set][r], err);
    }
    return st ? st : atn_sched_verify(j->g.sets[set], j->g.p, NULL, err);
}

/* One set of schedules per root, or per class of similar patterns. */
static atn_status count_sets(job *j, atn_error *err)
{
    atn_generation *g = &j->g;
    const int p = j->topo->p, root = (int)atn_cli_arg_int(j->a, "root");
    const bool rooted = atn_sched_operation_get(j->op)->flags & ATN_ROOTED;
    const bool one = atn_cli_arg_given(j->a, "root");
    if (one && root >= p)
        return atn_fail(err, ATN_USAGE, "--root %d: the ranks are 0 to %d", root, p - 1);
    g->p = p;
    g->first_root = one ? root : 0;
    g->nsets = rooted && !one ? p : 1;
    if ((int64_t)g->nsets * p > MOST_PROGRAMS)
        return atn_fail(err, ATN_USAGE,
                        "a routine for all %d roots would be too large; choose one with --root", p);
    if (j->patterns.calls == 0)
        return ATN_OK;
    j->set_of_call = malloc(sizeof *j->set_of_call * (size_t)j->patterns.calls);
    if (!j->set_of_call)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_algo_patterns_group(&j->patterns, (int)atn_cli_arg_int(j->a, "threshold"), j->set_of_call);
    g->nsets = 0;
    for (int i = 0; i < j->patterns.calls; i++)
        j->set_of_call[i] = j->set_of_call[i] == i ? g->nsets++ : j->set_of_call[j->set_of_call[i]];
    g->ncalls = j->patterns.calls;
    g->set_of_call = j->set_of_call;
    return ATN_OK;
}

static void describe(job *j)
{
    char name[ATN_NAME_ROOM];
    atn_algo_params_print(j->choice.row, &j->choice.params, name, sizeof name);
    snprintf(j->about, sizeof j->about, "%s%.160s on %.100s", j->greedy ? "greedy phases, " : "",
             name, atn_cli_arg_text(j->a, "topology"));
    const int64_t segment = atn_algo_params_get(j->choice.row, &j->choice.params, "segment", 0);
    const bool inside = j->choice.row->algo->segments_inside;
    j->g.about = j->about;
    j->g.segment = inside ? 0 : segment;
    j->g.chunk = inside ? segment : 0;
    j->g.shares = j->choice.row->algo->shares;
    j->g.commutative = !problem(j, 0, 0).ordered;
}

static atn_status build_sets(job *j, atn_error *err)
{
    atn_status st = count_sets(j, err);
    if (st)
        return st;
    describe(j);
    j->g.sets = calloc((size_t)j->g.nsets, sizeof *j->g.sets);
    if (!j->g.sets)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (int i = 0; !st && i < j->g.nsets; i++)
        st = build_set(j, i, err);
    return st == ATN_NOT_APPLICABLE ? ATN_INPUT : st;
}

static void job_end(job *j)
{
    for (int i = 0; j->g.sets && i < j->g.nsets; i++) {
        for (int r = 0; j->g.sets[i] && r < j->g.p; r++)
            atn_sched_schedule_free(j->g.sets[i][r]);
        free(j->g.sets[i]);
    }
    free(j->g.sets);
    free(j->set_of_call);
    atn_algo_patterns_free(&j->patterns);
    atn_topo_free(j->topo);
}

static int generate(const atn_args *a, atn_error *err)
{
    job j = {.a = a};
    atn_status st = read_job(&j, err);
    st = st ? st : build_sets(&j, err);
    st = st ? st : atn_sched_generate(a->out, &j.g, err);
    job_end(&j);
    return st;
}

/* ---- descriptor ---- */

static const atn_option options[] = {
    ATN_OPTION_TOPOLOGY("Topology, such as 4x4@100M; see 'attune help topology'"),
    ATN_TEXT("algorithm", "NAME", NULL,
             "Algorithm of 'attune algo list', or greedy; default: one for large messages"),
    ATN_LIST("param", "K=V", "Parameter of the algorithm, such as segment=8K"),
    ATN_INT("root", "R", NULL, 0, 0, "Generate for this root only; default: for all roots"),
    ATN_FILE("pattern", "FILE",
             "For alltoallv: sizes of the messages between all ranks, call by call"),
    ATN_INT("threshold", "PERCENT", "10", 0, 100,
            "Patterns that differ by less than this share a schedule"),
    {0},
};

const atn_command atn_cmd_schedule_generate = {
    .noun = "schedule",
    .verb = "generate",
    ATN_OPERANDS("OPERATION", 1, 1),
    .help = "Generate a C routine for a topology",
    .detail =
        "OPERATION is allgather, allreduce, alltoall, alltoallv, bcast or reduce. The file "
        "defines attune_OPERATION, which has the arguments of the MPI function. It depends on "
        "MPI only and works on communicators with the number of ranks of the topology. "
        "Schedules are verified before they are written.",
    .examples = ATN_NOTES({"attune schedule generate alltoall --topology 4x4@100M -o alltoall.c",
                           "Generate an alltoall without contention"}),
    .options = options,
    .flags = ATN_CMD_OUTPUT,
    .run = generate,
};
