/* test_scale.c - every row at 1024 ranks: some ranks are built, and their messages have both ends.
 * All ranks together would take minutes. */
#include "algo/derived.h"
#include "all_ranks.h"
#include "trees.h"

enum { P = 1024, SWITCHES = 32, RANKS = 4, PEERS = 3 };

static char why[ATN_ERROR_ROOM + 200];

/* Messages from one rank to another and their blocks, as one end has them. */
typedef struct {
    int messages, blocks;
} traffic;

static traffic traffic_of(const atn_schedule *s, int peer, bool sends)
{
    traffic t = {0, 0};

    for (int i = 0; i < s->nops; i++) {
        const atn_op *o = &s->ops[i];
        if (o->peer != peer || !atn_sched_is_message(o) || atn_sched_receives(o) == sends)
            continue;
        t.messages++;
        t.blocks += atn_sched_slot_blocks(s, &o->a);
    }
    return t;
}

static atn_schedule *build_rank(const atn_row *row, const atn_problem *q, const atn_params *prm,
                                int r)
{
    atn_problem mine = *q;
    atn_schedule *s = NULL;
    atn_error err = {0};

    mine.r = r;
    if (atn_algo_build(row, &mine, prm, &s, &err) != ATN_OK)
        snprintf(why, sizeof why, "rank %d: %s", r, err.text);
    return s;
}

static bool compare(const atn_schedule *mine, int r, const atn_schedule *other, int peer)
{
    for (int sends = 0; sends < 2; sends++) {
        const traffic a = traffic_of(mine, peer, sends), b = traffic_of(other, r, !sends);
        if (a.messages == b.messages && a.blocks * other->split == b.blocks * mine->split)
            continue;
        snprintf(why, sizeof why, "%d messages of %d blocks between %d and %d have %d of %d as end",
                 a.messages, a.blocks, r, peer, b.messages, b.blocks);
        return false;
    }
    return true;
}

/* The peers of its first, middle and last operation. */
static bool check_rank(const atn_row *row, const atn_problem *q, const atn_params *prm, int r)
{
    atn_schedule *mine = build_rank(row, q, prm, r);
    bool ok = mine != NULL;

    for (int i = 0; ok && i < PEERS && mine->nops > 0; i++) {
        const atn_op *o = &mine->ops[i * (mine->nops - 1) / (PEERS - 1)];
        if (!atn_sched_is_message(o))
            continue;
        atn_schedule *other = build_rank(row, q, prm, o->peer);
        ok = other && compare(mine, r, other, o->peer);
        atn_sched_schedule_free(other);
    }
    atn_sched_schedule_free(mine);
    return ok;
}

static void check_row(const atn_row *row, const atn_topo *topo)
{
    static const int ranks[RANKS] = {0, 1, P / 2, P - 1};
    atn_neighbourhood *near = neighbours_of(row, P);
    const atn_problem q = {.op = row->op,
                           .p = P,
                           .segments = row->algo->passes & ATN_PASS_SEGMENT ? 2 : 1,
                           .topo = topo,
                           .neighbourhood = near,
                           .shared = row->algo->needs & ATN_NEEDS_SHARED ? ATN_SHARED_ALL
                                                                         : ATN_SHARED_NONE};
    char name[120];
    atn_params prm;
    bool ok = true;

    atn_algo_params_default(row, &prm);
    atn_algo_derived_open(topo);
    for (int i = 0; ok && i < RANKS; i++)
        ok = check_rank(row, &q, &prm, ranks[i]);
    atn_algo_derived_close();
    atn_sched_neighbourhood_free(near);
    snprintf(name, sizeof name, "%s: messages of %d ranks of %d have both ends", row->name, RANKS,
             P);
    tap(ok, name, why);
}

/* More ranks than a row allows are refused with a reason, before anything is derived. */
static void check_limit(const atn_row *row)
{
    const atn_problem q = {.op = row->op, .p = row->algo->most_ranks + 1, .segments = 1};
    atn_params prm;
    char name[120];

    atn_algo_params_default(row, &prm);
    const char *reason = atn_algo_refuses(row, &q, &prm);
    snprintf(name, sizeof name, "%s: refused for %d ranks", row->name, q.p);
    tap(reason && (strstr(reason, "square") || strstr(reason, "topology")), name,
        reason ? reason : "it is not refused");
}

/* Hosts of one switch have consecutive ranks, so that prefix operations follow the hierarchy. */
static atn_topo *make_tree(void)
{
    plan *x = calloc(1, sizeof *x);
    const int top = plan_node(x, ATN_TOPO_SWITCH, -1, 0);
    int at = top;

    for (int r = 0; r < P; r++) {
        if (r % (P / SWITCHES) == 0)
            at = plan_node(x, ATN_TOPO_SWITCH, top, 0);
        x->node_of[x->p++] = plan_node(x, ATN_TOPO_HOST, at, 0);
    }
    atn_topo *t = plan_make(x);
    free(x);
    return t;
}

int main(int argc, char **argv)
{
    atn_topo *topo = make_tree();

    (void)argc;
    for (int i = 0; i < atn_algo_catalog_rows(); i++) {
        const atn_row *row = atn_algo_catalog_row(i);
        if (!wanted(row, argv))
            continue;
        check_row(row, topo);
        if (row->algo->most_ranks > 0)
            check_limit(row);
    }
    atn_topo_free(topo);
    return tap_end();
}
