/* levels_run.c - emits the parts of one rank, level by level. */
#include <stdlib.h>

#include "algo/levels.h"
#include "algo/shape.h"
#include "topo/topo.h"

/* ---- position of this rank ---- */

static bool inside(int place, int first, int count)
{
    return place >= first && place < first + count;
}

const atn_level_member *atn_algo_level_own(const atn_level_run *x, const atn_cluster *c)
{
    const atn_level_member *m = &x->plan->tree.members[c->member];

    while (!inside(x->q->r, m->first, m->count))
        m++;
    return m;
}

bool atn_algo_level_leads(const atn_level_run *x, const atn_cluster *c)
{
    return atn_algo_level_leader(x->plan, c->first, c->count) == x->q->r;
}

const atn_cluster *atn_algo_level_largest(const atn_level_run *x, bool inner)
{
    const atn_levels *tree = &x->plan->tree;

    for (int i = inner; i < tree->n; i++)
        if (atn_algo_level_leads(x, &tree->clusters[i]))
            return &tree->clusters[i];
    return NULL;
}

/* The cluster of a depth that contains this rank, if it leads a member of it or with `all`. */
static const atn_cluster *cluster_at(const atn_level_run *x, int depth, bool all)
{
    const atn_levels *tree = &x->plan->tree;

    for (int i = 0; i < tree->n; i++) {
        const atn_cluster *c = &tree->clusters[i];
        if (c->depth != depth || !inside(x->q->r, c->first, c->count))
            continue;
        const atn_level_member *m = atn_algo_level_own(x, c);
        return all || atn_algo_level_leader(x->plan, m->first, m->count) == x->q->r ? c : NULL;
    }
    return NULL;
}

/* ---- views ---- */

atn_view atn_algo_level_members(const atn_level_run *x, const atn_cluster *c, atn_ref at, int base,
                                int *room)
{
    const atn_level_member *m = &x->plan->tree.members[c->member];

    for (int i = 0; i < c->members; i++)
        room[i] = m[i].first - base;
    room[c->members] = c->first + c->count - base;
    return (atn_view){.at = at, .each = 1, .first = room};
}

atn_view atn_algo_level_range(atn_ref at, int first, int count, int room[2])
{
    room[0] = first;
    room[1] = first + count;
    return (atn_view){.at = at, .each = 1, .first = room};
}

atn_view atn_algo_level_share(atn_level_run *x, const atn_level_member *m)
{
    if (m->cluster < 0)
        return atn_algo_level_range(atn_dst(0, 1), 0, 1, x->range[1]);
    return atn_algo_level_range(x->store, m->first - x->base, m->count, x->range[1]);
}

/* ---- parts ---- */

/* Index of the member that contains the leader of the cluster. */
static int root_of(const atn_level_run *x, const atn_cluster *c)
{
    const atn_level_member *m = &x->plan->tree.members[c->member];
    const int leader = atn_algo_level_leader(x->plan, c->first, c->count);
    int i = 0;

    while (!inside(leader, m[i].first, m[i].count))
        i++;
    return i;
}

static atn_problem inner_problem(const atn_level_run *x, const atn_cluster *c,
                                 const atn_level_sides *s)
{
    const atn_row *row = atn_algo_level_use_of(x->plan, c, x->part)->part.row;
    const int own = (int)(atn_algo_level_own(x, c) - &x->plan->tree.members[c->member]);

    return (atn_problem){
        .op = row->op,
        .p = s->all ? c->count : c->members,
        .r = s->all ? x->q->r - c->first : own,
        .root = atn_sched_operation_get(row->op)->flags & ATN_ROOTED ? root_of(x, c) : 0,
        .in_place = s->in_place,
        .ordered = x->q->ordered,
        .shared = x->q->shared,
        .segments = 1,
    };
}

/* Places of the participating ranks. */
static int *takers(const atn_level_run *x, const atn_cluster *c, int n, bool all)
{
    const atn_level_member *m = &x->plan->tree.members[c->member];
    int *places = malloc(sizeof *places * (size_t)n);

    for (int i = 0; places && i < n; i++)
        places[i] = all ? c->first + i : atn_algo_level_leader(x->plan, m[i].first, m[i].count);
    return places;
}

void atn_algo_level_embed(atn_level_run *x, const atn_cluster *c, const atn_level_sides *s)
{
    const atn_level_use *u = atn_algo_level_use_of(x->plan, c, x->part);
    const bool placed = atn_algo_part_is_placed(&u->part);
    atn_problem q = inner_problem(x, c, s);
    int *places = takers(x, c, q.p, s->all);
    atn_topo *topo = placed ? atn_algo_level_topo(x->plan, c, s->all) : NULL;
    const atn_embed e = {.q = &q,
                         .ranks = places,
                         .src = s->src,
                         .dst = s->dst,
                         .vec = s->vec,
                         .domain = c->depth + 1, /* a rank is in one cluster of each depth */
                         .signals = u->signals};

    q.topo = topo;
    if (places && (topo || !placed))
        atn_algo_embed_part(x->b, &e, &u->part);
    else
        atn_builder_fail(x->b, ATN_MEMORY, "out of memory");
    atn_topo_free(topo);
    free(places);
}

/* Clusters of a depth begin in the same round; the next phase begins after the longest of them. */
void atn_algo_level_phase(atn_level_run *x, atn_level_part part, int depth, bool all,
                          atn_level_step step)
{
    const atn_cluster *c = cluster_at(x, depth, all);
    const int begin = atn_max(x->due, atn_round_now(x->b));
    const bool mine = c && atn_algo_level_use_of(x->plan, c, part)->part.row;

    x->part = part;
    x->due = begin + x->plan->rounds[depth * ATN_LEVEL_PARTS + (int)part];
    if (!mine)
        return;
    atn_algo_rounds(x->b, begin - atn_round_now(x->b));
    step(x, c);
    x->due = atn_max(x->due, atn_round_now(x->b) + 1);
}

void atn_algo_level_phases(atn_level_run *x, atn_level_step up, atn_level_step across,
                           atn_level_step down)
{
    const atn_levels *tree = &x->plan->tree;

    for (int d = tree->depth - 1; up && d >= 0; d--)
        atn_algo_level_phase(x, ATN_LEVEL_UP, d, false, up);
    if (across && tree->depth > 0)
        atn_algo_level_phase(x, ATN_LEVEL_ACROSS, 0, false, across);
    for (int d = 0; down && d < tree->depth; d++)
        atn_algo_level_phase(x, ATN_LEVEL_DOWN, d, false, down);
}

/* ---- schedule ---- */

typedef struct {
    const atn_level_plan *plan;
    atn_level_emit emit;
} job;

static void run_segment(atn_builder *b, const atn_problem *q, const void *context)
{
    const job *j = context;
    atn_level_run x = {.b = b, .q = q, .plan = j->plan, .held = atn_src(0, 1)};

    x.bounds = malloc(sizeof *x.bounds * 2 * ((size_t)q->p + 1));
    if (x.bounds) {
        x.shape = x.bounds + q->p + 1;
        atn_scope_begin(b);
        j->emit(&x);
    } else {
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    }
    free(x.bounds);
}

static void run_segments(atn_builder *b, const atn_problem *q, const void *context)
{
    atn_pass_segment(b, q, q->segments, run_segment, context);
}

void atn_algo_levels_build(atn_builder *b, const atn_problem *q, const atn_params *prm,
                           atn_level_emit emit)
{
    atn_level_plan *plan = atn_algo_level_plan_new(q, prm);
    const job j = {plan, emit};

    if (!plan || plan->why == atn_algo_no_memory)
        atn_builder_fail(b, ATN_MEMORY, "out of memory");
    else if (plan->why)
        atn_builder_refuse(b, plan->why);
    else if (atn_algo_levels_sorted(&plan->tree))
        run_segments(b, q, &j);
    else
        atn_pass_permute(b, q, plan->tree.rank, run_segments, &j);
    atn_pass_pair(b); /* a part may end with half an exchange before a whole one */
    atn_algo_level_plan_free(plan);
}
