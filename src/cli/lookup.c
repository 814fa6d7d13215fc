/* lookup.c - see lookup.h. */
#include "cli/lookup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/patterns.h"
#include "sched/text.h"

atn_status atn_cli_lookup_operation(const char *name, atn_operation *op_p, atn_error *err)
{
    return atn_sched_operation_find(name, op_p) ? ATN_OK : atn_plan_unknown_operation(name, err);
}

atn_status atn_cli_lookup_choice(const char *name, atn_choice *choice_p, atn_error *err)
{
    char *text = strdup(name), *algo = text ? strchr(text, '/') : NULL;
    atn_operation op;
    atn_status st;
    if (!text) {
        st = atn_fail(err, ATN_MEMORY, "out of memory");
    } else if (!algo) {
        st = atn_fail(err, ATN_INPUT,
                      "'%.80s' is neither a file nor an algorithm such as allreduce/ring; 'attune "
                      "algo list' lists them",
                      name);
    } else {
        *algo++ = '\0';
        st = atn_cli_lookup_operation(text, &op, err);
        st = st ? st : atn_plan_choice_read(op, algo, choice_p, err);
        st = st ? st : atn_plan_pattern_supply(choice_p, NULL, err);
    }
    free(text);
    return st;
}

void atn_cli_set_free(atn_set *set)
{
    for (int r = 0; set->v && r < set->p; r++)
        atn_sched_schedule_free(set->v[r]);
    free(set->v);
    set->v = NULL;
}

/* ---- options ---- */

const atn_option atn_cli_schedule_options[] = {
    ATN_INT("root", "R", "0", 0, 0, "Root of a rooted operation"),
    ATN_LIST("param", "K=V", "Parameter of the algorithm, such as segment=8K"),
    ATN_SIZE("bytes", "N", "64K", "Message size, which determines the number of segments"),
    ATN_FLAG("in-place", "Use MPI_IN_PLACE"),
    ATN_FLAG("ordered", "Use an operator that is not commutative"),
    ATN_OPTION_TOPOLOGY("Topology, such as 4x4@100M; see 'attune help topology'"),
    ATN_OPTION_NEIGHBORS,
    {0},
};

atn_status atn_cli_lookup_params(const atn_args *a, atn_choice *choice, atn_error *err)
{
    for (int i = 0; i < atn_cli_arg_count(a, "param"); i++) {
        char word[ATN_NAME_ROOM];
        snprintf(word, sizeof word, "%s", atn_cli_arg_nth(a, "param", i));
        char *value = strchr(word, '=');
        if (!value)
            return atn_fail(err, ATN_USAGE, "--param %s: must have the form name=value", word);
        *value++ = '\0';
        const atn_status st = atn_algo_params_set(choice->row, &choice->params, word, value, err);
        if (st)
            return st;
    }
    return atn_plan_pattern_supply(choice, NULL, err);
}

static bool has_in_place(atn_operation op)
{
    const atn_place place = atn_sched_operation_place(op, true);
    return place != ATN_PLACE_NONE && place != ATN_PLACE_STAGED;
}

/* An option without effect is an error. */
static atn_status check_options(const atn_args *a, atn_operation op, atn_error *err)
{
    const atn_operation_info *info = atn_sched_operation_get(op);
    if (atn_cli_arg_given(a, "root") && !(info->flags & ATN_ROOTED))
        return atn_fail(err, ATN_USAGE, "%s has no root; omit --root", info->name);
    if (atn_cli_arg_given(a, "ordered") && !(info->flags & ATN_TYPED))
        return atn_fail(err, ATN_USAGE, "%s has no operator; omit --ordered", info->name);
    if (atn_cli_arg_given(a, "in-place") && !has_in_place(op))
        return atn_fail(err, ATN_USAGE,
                        "%s has no separate schedule for MPI_IN_PLACE; omit --in-place",
                        info->name);
    if (atn_cli_arg_given(a, "neighbors") && !(info->flags & ATN_ON_NEIGHBOURS))
        return atn_fail(err, ATN_USAGE, "%s has no neighbours; omit --neighbors", info->name);
    return ATN_OK;
}

static atn_status refuse_options(const atn_args *a, atn_error *err)
{
    for (const atn_option *o = atn_cli_schedule_options; o->name; o++)
        if (atn_cli_arg_given(a, o->name) && strcmp(o->name, "topology") != 0)
            return atn_fail(err, ATN_USAGE,
                            "%s is a schedule file, which --%s does not apply to; omit it",
                            a->operands[0], o->name);
    return ATN_OK;
}

atn_status atn_cli_lookup_topology(const char *name, atn_topo **topo_p, atn_error *err)
{
    atn_topo *t = NULL, *placed = NULL;
    const atn_status st = atn_topo_load(name, &t, err);
    if (st || t->p > 0) {
        *topo_p = t;
        return st;
    }
    const atn_status st2 = atn_topo_order(t, "sequential", &placed, err);
    atn_topo_free(t);
    *topo_p = placed;
    return st2;
}

void atn_cli_request_end(atn_request *want)
{
    atn_topo_free(want->topo);
    want->topo = NULL;
}

/* ---- neighbours ---- */

static const char from_file[] = "graph:";

static bool starts(const char *word, const char *with)
{
    return word && strncmp(word, with, strlen(with)) == 0;
}

static bool fixes_ranks(const char *word)
{
    return starts(word, "box:") || starts(word, "cart:") || starts(word, "lists:") ||
           starts(word, from_file);
}

bool atn_cli_request_fixed(const atn_request *want)
{
    return want->topo || fixes_ranks(want->neighbours);
}

static atn_status read_neighbours(const char *word, int p, atn_neighbourhood **n_p, atn_error *err)
{
    char *text;
    size_t bytes;
    if (!starts(word, from_file))
        return atn_sched_neighbourhood_parse(word, p, n_p, err);
    const char *path = word + strlen(from_file);
    atn_status st = atn_read_file(path, &text, &bytes, err);
    if (st)
        return st;
    st = atn_sched_neighbourhood_edges(text, path, p, n_p, err);
    free(text);
    return st;
}

atn_status atn_cli_request_neighbours(const atn_request *want, atn_operation op, int p,
                                      atn_neighbourhood **n_p, atn_error *err)
{
    *n_p = NULL;
    return want->neighbours && atn_sched_on_neighbours(op)
               ? read_neighbours(want->neighbours, p, n_p, err)
               : ATN_OK;
}

/* Of the neighbours, if they determine it; in a file of edges, ranks above `least` have none. */
static atn_status count_ranks(const atn_request *want, int least, int *p_p, atn_error *err)
{
    atn_neighbourhood *n = NULL;
    if (!fixes_ranks(want->neighbours))
        return ATN_OK;
    const atn_status st =
        read_neighbours(want->neighbours, starts(want->neighbours, from_file) ? least : 0, &n, err);
    if (!st)
        *p_p = n->p;
    atn_sched_neighbourhood_free(n);
    return st;
}

atn_status atn_cli_request_ranks(const atn_request *want, int requested, bool given, int *p_p,
                                 atn_error *err)
{
    int neighbours = 0;
    const int least = want->topo ? want->topo->p : given ? requested : 0;
    const atn_status st = count_ranks(want, least, &neighbours, err);
    if (st)
        return st;
    if (want->topo && given && requested != want->topo->p)
        return atn_fail(err, ATN_USAGE, "the topology has %d ranks; omit -p %d", want->topo->p,
                        requested);
    if (neighbours && given && requested != neighbours)
        return atn_fail(err, ATN_USAGE, "--neighbors %.80s has %d ranks; omit -p %d",
                        want->neighbours, neighbours, requested);
    if (neighbours && want->topo && neighbours != want->topo->p)
        return atn_fail(err, ATN_USAGE, "--neighbors %.80s has %d ranks, the topology %d",
                        want->neighbours, neighbours, want->topo->p);
    *p_p = want->topo             ? want->topo->p
           : neighbours           ? neighbours
           : want->file && !given ? 0
                                  : requested;
    return ATN_OK;
}

atn_status atn_cli_request_operation(const atn_args *a, atn_operation op, atn_request *want,
                                     atn_error *err)
{
    const atn_status st = check_options(a, op, err);
    if (st)
        return st;
    want->q = (atn_problem){
        .op = op,
        .root = (int)atn_cli_arg_int(a, "root"),
        .ordered = atn_cli_arg_given(a, "ordered"),
        .bytes = atn_plan_shares_bytes(op) ? atn_cli_arg_int(a, "bytes") : -1,
        .shared = want->topo ? ATN_SHARED_HOSTS : ATN_SHARED_ALL,
        .topo = want->topo,
    };
    want->in_place = atn_cli_arg_given(a, "in-place");
    return ATN_OK;
}

atn_status atn_cli_request_topology(const atn_args *a, atn_request *want, atn_error *err)
{
    want->neighbours = atn_cli_arg_text(a, "neighbors");
    return atn_cli_arg_given(a, "topology")
               ? atn_cli_lookup_topology(atn_cli_arg_text(a, "topology"), &want->topo, err)
               : ATN_OK;
}

atn_status atn_cli_request_read(const atn_args *a, atn_request *q_p, atn_error *err)
{
    atn_request want = {.file = access(a->operands[0], F_OK) == 0};
    atn_status st;
    if (want.file) {
        st = refuse_options(a, err);
        st = st ? st : atn_cli_request_topology(a, &want, err);
    } else {
        st = atn_cli_lookup_choice(a->operands[0], &want.choice, err);
        st = st ? st : atn_cli_lookup_params(a, &want.choice, err);
        st = st ? st : check_options(a, want.choice.row->op, err);
        st = st ? st : atn_cli_request_topology(a, &want, err);
        st = st ? st : atn_cli_request_operation(a, want.choice.row->op, &want, err);
    }
    if (!st)
        *q_p = want;
    return st;
}

/* ---- building ---- */

enum { MAX_OPERATIONS = 10 * 1000 * 1000 }; /* about a gigabyte */

/* Estimated from the first rank, before memory is exhausted. */
static atn_status check_size(const atn_schedule *first, atn_error *err)
{
    const int64_t operations = (int64_t)first->nops * first->q.p;
    if (operations <= MAX_OPERATIONS)
        return ATN_OK;
    return atn_fail(err, ATN_INPUT,
                    "%s: %" PRId64
                    " million operations on %d ranks exceed the limit; use fewer ranks "
                    "or larger segments",
                    first->name, operations / 1000000, first->q.p);
}

static atn_status build_all(const atn_request *want, const atn_neighbourhood *n, atn_set *set,
                            atn_error *err)
{
    atn_problem q = want->q;
    q.p = set->p;
    q.neighbourhood = n;
    if (atn_sched_on_neighbours(q.op) && !n)
        return atn_fail(err, ATN_USAGE, "%s needs its neighbours; add --neighbors cart:4x4 or ring",
                        atn_sched_operation_get(q.op)->name);
    if (q.root >= q.p)
        return atn_fail(err, ATN_USAGE, "--root %d: the ranks are 0 to %d", q.root, q.p - 1);
    q.segments = atn_algo_segments(want->choice.row, &q, &want->choice.params);
    for (q.r = 0; q.r < q.p; q.r++) {
        q.in_place =
            want->in_place && atn_sched_operation_place(q.op, q.r == q.root) != ATN_PLACE_NONE;
        atn_status st =
            atn_algo_build(want->choice.row, &q, &want->choice.params, &set->v[q.r], err);
        if (!st && q.r == 0)
            st = check_size(set->v[0], err);
        if (st)
            return st;
    }
    return ATN_OK;
}

static atn_status build_row(const atn_request *want, int p, atn_set *set_p, atn_error *err)
{
    atn_set set = {.p = p, .v = calloc((size_t)p, sizeof *set.v)};
    atn_neighbourhood *n = NULL;
    if (!set.v)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    atn_status st = atn_cli_request_neighbours(want, want->q.op, p, &n, err);
    st = st ? st : build_all(want, n, &set, err);
    atn_sched_neighbourhood_free(n); /* the schedules hold it */
    if (st)
        atn_cli_set_free(&set);
    else
        *set_p = set;
    return st;
}

atn_status atn_cli_set_read(const char *path, int p, atn_set *set_p, atn_error *err)
{
    char *text;
    size_t bytes;
    atn_set set = {0};
    atn_status st = atn_read_file(path, &text, &bytes, err);
    if (st)
        return st;
    st = atn_sched_schedule_parse(text, path, &set.v, &set.p, err);
    free(text);
    if (!st && p && p != set.p) {
        st = atn_fail(err, ATN_USAGE, "%s: %d ranks; omit -p %d", path, set.p, p);
        atn_cli_set_free(&set);
    }
    if (!st)
        *set_p = set;
    return st;
}

atn_status atn_cli_request_build(const atn_args *a, const atn_request *want, int p, atn_set *set_p,
                                 atn_error *err)
{
    return want->file ? atn_cli_set_read(a->operands[0], p, set_p, err)
                      : build_row(want, p, set_p, err);
}
