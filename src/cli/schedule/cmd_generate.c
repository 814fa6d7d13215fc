/* cmd_generate.c - attune schedule generate: C routines for a topology, or of tuned algorithms. */
#include <stdlib.h>
#include <string.h>

#include "algo/capacity.h"
#include "algo/pattern.h"
#include "algo/phased.h"
#include "cli/lookup.h"
#include "cli/schedule/generate.h"
#include "sched/verify.h"

/* Default algorithms, for large messages on a network of switches. */
static const struct {
    atn_operation op;
    const char *name;
} usual[] = {
    {ATN_ALLGATHER, "ring{order=lr1}"},
    {ATN_ALLGATHERV, "ring{order=lr1}"},
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
    atn_generate_ranks ranks;
    atn_choice choice;
    bool greedy;
    atn_patterns patterns; /* calls is 0 without --pattern */
    int *set_of_call;
    char about[300];
    atn_generated v;
} job;

/* ---- options ---- */

static atn_status read_operation(const char *name, atn_operation *op_p, atn_error *err)
{
    const atn_status st = atn_cli_lookup_operation(name, op_p, err);
    char all[ATN_ERROR_ROOM];
    if (st || atn_sched_generates(*op_p))
        return st;
    return atn_fail(err, ATN_INPUT, "%s: no generator; available for %s", name,
                    atn_cli_generate_names(all));
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
    if (!st && j->patterns.p != j->ranks.p)
        st = atn_fail(err, ATN_INPUT, "%s: %d ranks, but the topology has %d", file, j->patterns.p,
                      j->ranks.p);
    for (int i = 0; !st && i < j->patterns.calls; i++)
        if (j->patterns.op[i] != j->op)
            st = atn_fail(err, ATN_INPUT, "%s: call %d is %s, not %s; remove it", file, i + 1,
                          atn_sched_operation_get(j->patterns.op[i])->name, j->a->operands[0]);
    return st;
}

/* A pattern has the algorithms greedy, which is the default, and cut, whose phases are those of
 * aapc for messages of any size. */
static const char *name_algorithm(const job *j)
{
    static const char greedy[] = "greedy{sync=sender,block=4,segment=16K}";
    static const char cut[] = "cut{sync=sender,block=4,segment=16K}";
    const char *name = atn_cli_arg_text(j->a, "algorithm");
    const bool pattern = atn_cli_arg_given(j->a, "pattern");
    for (int i = 0; !name && !pattern && i < USUAL; i++)
        if (usual[i].op == j->op)
            return usual[i].name;
    if (!pattern)
        return name;
    if (!name || strcmp(name, "greedy") == 0)
        return greedy;
    return strcmp(name, "aapc") == 0 || strcmp(name, "cut") == 0 ? cut : name;
}

/* "ring", "ring{order=lr1}" or "allgather/ring". */
static atn_status read_algorithm(job *j, atn_error *err)
{
    const char *name = name_algorithm(j);
    const bool pattern = atn_cli_arg_given(j->a, "pattern");
    char full[256];
    snprintf(full, sizeof full, "%s%s%s",
             strchr(name, '/') ? "" : atn_sched_operation_get(j->op)->name,
             strchr(name, '/') ? "" : "/", name);
    atn_status st = atn_cli_lookup_choice(full, &j->choice, err);
    st = st ? st : atn_cli_lookup_params(j->a, &j->choice, err);
    if (!st && j->choice.row->op != j->op)
        st = atn_fail(err, ATN_USAGE, "--algorithm %s: not an algorithm of %s", name,
                      j->a->operands[0]);
    if (st)
        return st;
    const bool made = j->choice.row->algo->needs & ATN_NEEDS_PATTERN;
    j->greedy = made && strcmp(j->choice.row->algo->name, "greedy") == 0;
    if (made && !pattern)
        return atn_fail(err, ATN_USAGE, "%s needs the message sizes; add --pattern FILE",
                        j->choice.row->algo->name);
    if (pattern && !made)
        return atn_fail(err, ATN_USAGE, "--pattern applies to greedy and cut only");
    return ATN_OK;
}

static atn_status check_options(const job *j, atn_error *err)
{
    const atn_args *a = j->a;
    if (atn_cli_arg_given(a, "pattern") && j->op != ATN_ALLTOALLV && j->op != ATN_ALLGATHERV)
        return atn_fail(err, ATN_USAGE, "--pattern applies to allgatherv and alltoallv only");
    if (atn_cli_arg_given(a, "root") && !(atn_sched_operation_get(j->op)->flags & ATN_ROOTED))
        return atn_fail(err, ATN_USAGE, "%s has no root; omit --root", a->operands[0]);
    if (atn_cli_arg_given(a, "at"))
        return atn_fail(err, ATN_USAGE, "--at applies to --wisdom only");
    if (atn_cli_arg_given(a, "ranks"))
        return atn_fail(err, ATN_USAGE, "-p applies to --wisdom only; a topology has its ranks");
    if (!atn_cli_arg_given(a, "topology"))
        return atn_fail(err, ATN_USAGE, "no topology; add --topology FILE|STRING");
    return ATN_OK;
}

static atn_status read_job(job *j, atn_error *err)
{
    const atn_args *a = j->a;
    if (a->noperands != 1)
        return atn_fail(err, ATN_USAGE, "name one operation, or add --wisdom FILE");
    atn_status st = read_operation(a->operands[0], &j->op, err);
    st = st ? st : check_options(j, err);
    st = st ? st : atn_cli_lookup_topology(atn_cli_arg_text(a, "topology"), &j->ranks.topo, err);
    if (st)
        return st;
    j->ranks.p = j->ranks.topo->p;
    st = atn_cli_generate_roots(a, &j->ranks, err);
    st = st ? st : read_algorithm(j, err);
    return st || !atn_cli_arg_given(a, "pattern") ? st : read_patterns(j, err);
}

/* ---- schedules of patterns ---- */

/* bytes[from * p + to] of a call; one size per rank goes to all others. */
static void find_sizes(const job *j, int call, int64_t *bytes)
{
    const int64_t *from = atn_algo_pattern(&j->patterns, call);
    const int p = j->ranks.p;
    const bool line = atn_algo_pattern_is_line(j->op);
    for (int i = 0; i < p * p; i++)
        bytes[i] = i / p == i % p ? 0 : from[line ? i / p : i];
}

static bool find_phases(const job *j, const int *capacity, bool rated, int64_t *bytes, int call,
                        atn_phases *x)
{
    if (!bytes || !capacity)
        return false;
    find_sizes(j, call, bytes);
    return j->greedy ? atn_algo_phases_greedy(j->ranks.topo, capacity, bytes, x)
                     : atn_algo_phases_cut(j->ranks.topo, rated, bytes, x);
}

/* The phases of one pattern for all ranks. */
static atn_status build_phased(job *j, int set, atn_error *err)
{
    const atn_params *prm = &j->choice.params;
    const atn_row *row = j->choice.row;
    const size_t p = (size_t)j->ranks.p;
    const bool rated = atn_algo_params_get(row, prm, "links", 0) == 0;
    const atn_phased how = {(atn_phased_sync)atn_algo_params_get(row, prm, "sync", 0),
                            (int)atn_algo_params_get(row, prm, "block", 1)};
    int call = 0, *capacity = malloc(sizeof *capacity * (size_t)atn_topo_edges(j->ranks.topo));
    int64_t *bytes = malloc(sizeof *bytes * p * p);
    atn_phases x = {0};
    while (j->set_of_call[call] != set)
        call++;
    if (capacity)
        atn_algo_capacities(j->ranks.topo, rated, capacity);
    atn_status st = find_phases(j, capacity, rated, bytes, call, &x)
                        ? ATN_OK
                        : atn_fail(err, ATN_MEMORY, "out of memory");
    for (int r = 0; !st && r < j->ranks.p; r++) {
        const atn_problem q = atn_cli_generate_problem(&j->ranks, &j->choice, set, r);
        st = atn_algo_phased_build(&q, &x, capacity, &how, j->about, &j->v.sets[set][r], err);
    }
    free(bytes);
    free(capacity);
    atn_algo_phases_end(&x);
    return st ? st : atn_sched_verify(j->v.sets[set], j->ranks.p, NULL, err);
}

/* One set of schedules per class of similar patterns. */
static atn_status count_patterns(job *j, int *sets_p, atn_error *err)
{
    int sets = 0;
    j->set_of_call = malloc(sizeof *j->set_of_call * (size_t)j->patterns.calls);
    if (!j->set_of_call)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_algo_patterns_group(&j->patterns, (int)atn_cli_arg_int(j->a, "threshold"), j->set_of_call);
    for (int i = 0; i < j->patterns.calls; i++)
        j->set_of_call[i] = j->set_of_call[i] == i ? sets++ : j->set_of_call[j->set_of_call[i]];
    *sets_p = sets;
    return ATN_OK;
}

static atn_status build_patterns(job *j, atn_error *err)
{
    const atn_problem any = atn_cli_generate_problem(&j->ranks, &j->choice, 0, 0);
    const char *why = atn_algo_refuses(j->choice.row, &any, &j->choice.params);
    int sets = 0;
    if (why)
        return atn_fail(err, ATN_NOT_APPLICABLE, "%s is not applicable: %s", j->about, why);
    atn_status st = count_patterns(j, &sets, err);
    if (st)
        return st;
    atn_cli_generate_describe(&j->choice, &j->ranks, &j->v);
    j->v.sets = calloc((size_t)sets, sizeof *j->v.sets);
    if (!j->v.sets)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    for (; j->v.nsets < sets && !st; j->v.nsets++) {
        j->v.sets[j->v.nsets] = calloc((size_t)j->ranks.p, sizeof **j->v.sets);
        st = j->v.sets[j->v.nsets] ? build_phased(j, j->v.nsets, err)
                                   : atn_fail(err, ATN_MEMORY, "out of memory");
    }
    return st;
}

/* ---- one routine ---- */

static void describe(job *j)
{
    char name[ATN_NAME_ROOM];
    atn_algo_params_print(j->choice.row, &j->choice.params, name, sizeof name);
    snprintf(j->about, sizeof j->about, "%s%.160s on %.100s", j->greedy ? "greedy phases, " : "",
             name, atn_cli_arg_text(j->a, "topology"));
}

static atn_status write_routine(job *j, atn_error *err)
{
    const atn_generation g = {.about = j->about,
                              .p = j->ranks.p,
                              .first_root = j->ranks.first_root,
                              .roots = j->ranks.roots,
                              .ncalls = j->patterns.calls,
                              .set_of_call = j->set_of_call,
                              .n = 1,
                              .routines = &(atn_generated_routine){j->op, 1, &j->v}};
    return atn_sched_generate(j->a->out, &g, err);
}

static int generate(const atn_args *a, atn_error *err)
{
    job j = {.a = a};
    if (atn_cli_arg_given(a, "wisdom"))
        return atn_cli_generate_tuned(a, err);
    atn_status st = read_job(&j, err);
    if (!st) {
        describe(&j);
        st = j.patterns.calls > 0 ? build_patterns(&j, err)
                                  : atn_cli_generate_build(&j.choice, &j.ranks, &j.v, err);
    }
    st = st ? st : write_routine(&j, err);
    atn_cli_generate_free(&j.v, j.ranks.p);
    free(j.set_of_call);
    atn_algo_patterns_free(&j.patterns);
    atn_topo_free(j.ranks.topo);
    return st == ATN_NOT_APPLICABLE ? ATN_INPUT : st;
}

/* ---- descriptor ---- */

static const atn_option options[] = {
    ATN_OPTION_TOPOLOGY("Topology, such as 4x4@100M; see 'attune help topology'"),
    ATN_TEXT("algorithm", "NAME", NULL,
             "Algorithm of 'attune algo list', or greedy; default: one for large messages"),
    ATN_LIST("param", "K=V", "Parameter of the algorithm, such as segment=8K"),
    ATN_INT("root", "R", NULL, 0, 0, "Generate for this root only; default: for all roots"),
    ATN_FILE("pattern", "FILE",
             "For allgatherv and alltoallv: sizes of the blocks of all ranks, call by call"),
    ATN_INT("threshold", "PERCENT", "10", 0, 100,
            "Patterns that differ by less than this share a schedule"),
    ATN_FILE("wisdom", "FILE",
             "Generate the algorithms that a wisdom file has for -p ranks, by size, for the "
             "operations named, or all of its operations; other calls are native"),
    {.name = "ranks",
     .letter = 'p',
     .argument = "N",
     .type = ATN_OPT_INT,
     .min = 2,
     .max = ATN_RANKS_MAX,
     .doc = "With --wisdom: number of ranks; default: that of the topology"},
    ATN_TEXT("at", "PLACE", NULL,
             "With --wisdom: place of use (MACHINE/LAYOUT), if the file has several"),
    {0},
};

const atn_command atn_cmd_schedule_generate = {
    .noun = "schedule",
    .verb = "generate",
    ATN_OPERANDS("[OPERATION...]", 0, ATN_OPERATIONS),
    .help = "Generate C routines for a topology, or from wisdom",
    .detail =
        "OPERATION is allgather, allgatherv, allreduce, alltoall, alltoallv, bcast or reduce. The "
        "file defines attune_OPERATION, which has the arguments of the MPI function. It depends on "
        "MPI only and works on communicators with the number of ranks of the topology. "
        "Schedules are verified before they are written.\n\n"
        "With --wisdom the file has a routine for each operation, which executes the algorithm "
        "that the rules select for the size of the call, and passes calls without a rule, of "
        "rules for native, and on other numbers of ranks to the MPI library.",
    .examples = ATN_NOTES({"attune schedule generate alltoall --topology 4x4@100M -o alltoall.c",
                           "Generate an alltoall without contention"},
                          {"attune schedule generate --wisdom cluster.wisdom -p 4 -o tuned.c",
                           "Generate routines with the results of 'attune tune'"}),
    .options = options,
    .flags = ATN_CMD_OUTPUT,
    .run = generate,
};
