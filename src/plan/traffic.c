/* traffic.c - see traffic.h. */
#include "plan/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/derived.h"
#include "sched/partition.h"

enum { SAMPLES = ATN_TRAFFIC_RANKS + 1 };
/* Ranks of a switch are alike more often than those of a host: fewer are looked at; of a host even
 * fewer where no rank leads others. */
enum { BELOW_SWITCH = 4, ALIKE = 3 };

/* ---- the network ---- */

static void set_channels(atn_link_traffic *x)
{
    x->slowest = (atn_links_message){.empty = 0};
    for (int c = -1; (c = atn_model_machine_next(x->m, c)) >= 0;) {
        x->message[c] = atn_model_links_message(x->m, c);
        x->byte[c] = 1 / atn_model_channel_rate(x->m, c);
        if (x->message[c].empty > x->slowest.empty)
            x->slowest = x->message[c];
    }
}

/* A rank in the middle of the tree. */
static int middle_of(const atn_topo *t, const int *below)
{
    int v = 0, left = t->p / 2, r = 0;

    for (int c = 1; c < t->nnodes; c++) {
        if (t->nodes[c].parent != v)
            continue;
        if (left < below[c])
            v = c; /* its children follow */
        else
            left -= below[c];
    }
    while (r < t->p - 1 && t->node_of[r] != v)
        r++;
    return r;
}

/* The host that has a rank in the middle, or the node above it if its ranks are few. */
static int group_of(const atn_topo *t, const int *below, bool *hosts_p)
{
    const int host = atn_model_host_node(t, middle_of(t, below));
    *hosts_p = host == 0 || below[host] >= ATN_TRAFFIC_RANKS;
    return *hosts_p ? host : t->nodes[host].parent;
}

static bool is_below(const atn_topo *t, int rank, int v)
{
    int a = t->node_of[rank];
    while (t->nodes[a].depth > t->nodes[v].depth)
        a = t->nodes[a].parent;
    return a == v;
}

/* The k-th of n ranks of a group, and how many ranks it stands for.  Ends stand for themselves: of
 * messages between neighbours only theirs leave the group. */
static int chosen(int below, int n, int k, double *part_p)
{
    const bool end = k == 0 || k == n - 1;
    *part_p = end || below == n ? 1 : (double)(below - 2) / (n - 2);
    return k * (below - 1) / atn_max(n - 1, 1);
}

/* In a host, so do those in its middle, the uppermost of a binary tree over its ranks. */
static int chosen_in_host(int below, int n, int k, double *part_p)
{
    const int quarter = atn_max(1, below / 4 - 1);
    const int at[ATN_TRAFFIC_RANKS] = {0,         quarter,       below / 2 - 1,
                                       below / 2, below * 3 / 4, below - 1};
    if (n < ATN_TRAFFIC_RANKS || below == n)
        return chosen(below, n, k, part_p);
    *part_p = k == 1 || k == 4 ? (below - 4) / 2.0 : 1;
    return at[k];
}

/* In rank order, at most n of those below a node. */
static void choose_ranks(const atn_link_traffic *x, int v, int n, atn_traffic_group *g)
{
    int below = 0, at = 0;
    double part = 0;

    for (int r = 0; r < x->topo->p; r++)
        below += is_below(x->topo, r, v);
    g->n = atn_min(below, n);
    for (int r = 0, k = 0; r < x->topo->p && k < g->n; r++)
        if (is_below(x->topo, r, v) && at++ == chosen_in_host(below, g->n, k, &part)) {
            g->part[k] = part / below;
            g->rank[k++] = r;
        }
}

bool atn_plan_traffic_begin(const atn_topo *topo, const atn_machine *m, const atn_alpha_beta *net,
                            atn_link_traffic *x)
{
    const int n = topo->nnodes;
    int *const below = malloc(sizeof *below * (size_t)n);

    *x = (atn_link_traffic){.topo = topo, .m = m, .net = *net};
    x->use = calloc((size_t)n, sizeof *x->use);
    if (below && x->use)
        atn_topo_below(topo, below);
    for (int v = 1; below && x->use && v < n; v++) {
        const double rate = atn_model_edge_rate(m, topo, 2 * (topo->p + v));
        x->use[v] = rate > 0 ? below[v] / rate : 0;
    }
    const bool ok = below && x->use;
    if (ok) {
        const int host = atn_model_host_node(topo, topo->p / 2);
        x->memory = below[host] / atn_model_machine_memory(m);
        set_channels(x);
        const int v = group_of(topo, below, &x->hosts);
        choose_ranks(x, v, x->hosts ? ATN_TRAFFIC_RANKS : BELOW_SWITCH, &x->some);
        choose_ranks(x, v, x->hosts ? ALIKE : BELOW_SWITCH, &x->few);
    } else {
        atn_plan_traffic_end(x);
    }
    free(below);
    return ok;
}

void atn_plan_traffic_end(atn_link_traffic *x)
{
    free(x->use);
    *x = (atn_link_traffic){.m = NULL};
}

/* ---- rounds of a rank ---- */

/* Seconds of a rank in a round: its messages alone, and as the closed form has them; likewise its
 * work in memory. */
typedef struct {
    double port, form, work, form_work;
} round_time;

typedef struct {
    const atn_link_traffic *of;
    const atn_traffic_group *group;
    int n, rounds, depth; /* depth: levels of links */
    int segments;         /* that do the same as the one in the schedules */
    atn_schedule *s[SAMPLES];
    round_time *v; /* [sample * rounds + round] */
    double *link; /* [(round * 2 + direction) * depth + level]: seconds of a link above the samples,
                      if the ranks below it do as they do */
    double start[2]; /* seconds of messages without bytes: by channel, as the form has them */
    double overlap;  /* part of these that is left if messages overlap */
    double most;     /* seconds of the rank with most messages */
    atn_round_window window; /* rounds that are looked at; end 0: all */
} samples;

/* Seconds of all rounds of a segment, and as the form has them. */
typedef struct {
    int segments;
    double real, form, start[2], overlap;
    bool tree;
    atn_trial_probe probe; /* of the first rank */
} totals;

/* The links between a rank and the switch that joins it with a peer. */
static void load_links(const atn_link_traffic *x, int r, int peer, double bytes, double *level)
{
    const atn_topo_node *const nodes = x->topo->nodes;
    int a = x->topo->node_of[r], b = x->topo->node_of[peer];

    while (a != b) {
        if (nodes[a].depth >= nodes[b].depth) {
            level[nodes[a].depth] += bytes * x->use[a];
            a = nodes[a].parent;
        } else {
            b = nodes[b].parent;
        }
    }
}

/* What sample k does in one round.  Directions count by themselves, work in memory with both. */
typedef struct {
    int k, round;
    round_time way[2];
    double work[2];  /* and as the form has it */
    double start[2]; /* of all rounds */
} counting;

static void count_local(const samples *x, counting *n, const atn_op *o, double bytes)
{
    const atn_machine *const m = x->of->m;
    if (atn_sched_reduces(o)) {
        n->work[0] += bytes * x->of->net.g;
        n->work[1] += bytes * x->of->net.g;
    } else if (o->kind == ATN_OP_COPY) {
        n->work[0] += bytes * atn_model_table_rate(&m->copy, bytes, 1);
    }
    if (atn_sched_is_message(o) && atn_sched_moved(o)->n > 1) /* not contiguous */
        n->work[0] += bytes * atn_model_table_rate(&m->pack, bytes, 1);
}

static void count_message(samples *x, counting *n, const atn_op *o, double bytes)
{
    const int r = x->s[n->k]->q.r, way = o->kind == ATN_OP_SEND;
    const int channel = atn_model_machine_channel_of(x->of->m, x->of->topo, r, o->peer);

    const atn_links_message *const m = &x->of->message[channel];
    const bool waits =
        m->eager > 0 && bytes >= m->eager && x->segments == 1 && x->s[n->k]->q.segments == 1;

    n->start[0] += (m->empty + (waits ? m->handshake : 0)) / 2; /* half at the other end */
    n->start[1] += x->of->net.a / 2;
    n->way[way].port += bytes * x->of->byte[channel];
    n->way[way].form += bytes * x->of->net.b;
    double *const level = x->link + (n->round * 2 + way) * x->depth;
    if (!atn_model_channel_inside(channel))
        load_links(x->of, r, o->peer, bytes * x->group->part[n->k], level);
    else if (way == 1)
        level[0] += bytes * x->group->part[n->k] * x->of->memory; /* the root has no link */
}

/* ---- messages that depend on each other ---- */

/* When an operation may begin, as if messages had no bytes, and by how many messages before. */
typedef struct {
    double seconds;
    int messages;
} atn_chain_link;

static void extend_chain(atn_chain_link *to, const atn_chain_link *from)
{
    if (from->seconds > to->seconds)
        *to = *from;
}

/* The peer of a receive sends in the same round, and what it sends depends on as many messages as
 * what this rank sends then: exchanges are like this, trees are not. */
static atn_chain_link end_of(const samples *x, const atn_schedule *s, int i,
                             const atn_chain_link *ends, atn_chain_link *sent)
{
    const atn_op *const o = &s->ops[i];
    const atn_link_traffic *const of = x->of;
    atn_chain_link end = {0, 0};

    for (int k = 0; k < o->ndeps; k++)
        extend_chain(&end, &ends[s->deps[o->dep + k]]);
    if (o->kind == ATN_OP_SEND)
        extend_chain(&sent[o->round], &end);
    if (atn_sched_receives(o) || atn_sched_is_read(o)) {
        extend_chain(&end, &sent[o->round]);
        end.seconds +=
            of->message[atn_model_machine_channel_of(of->m, of->topo, s->q.r, o->peer)].empty;
        end.messages++;
    }
    return end;
}

/* The longest chain of the rank with most messages.  Those beside it, and those of all segments but
 * one, overlap but for the work of sending them. */
static void count_overlap(samples *x, const atn_schedule *s)
{
    const atn_link_traffic *const of = x->of;
    atn_chain_link *const ends = calloc((size_t)(s->nops + s->nrounds) + 1, sizeof *ends);
    atn_chain_link last = {of->slowest.empty, 1}; /* a message at least */
    int messages[2] = {0};

    for (int i = 0; ends && i < s->nops; i++) {
        ends[i] = end_of(x, s, i, ends, ends + s->nops);
        extend_chain(&last, &ends[i]);
        if (atn_sched_is_message(&s->ops[i]) || atn_sched_is_read(&s->ops[i]))
            messages[s->ops[i].kind == ATN_OP_SEND]++;
    }
    free(ends);
    const int most = x->segments * atn_max(messages[0], messages[1]);
    const double all = most * of->slowest.empty;
    if (all <= x->most)
        return;
    x->most = all;
    x->overlap =
        fmin(1, (last.seconds + of->slowest.forward * atn_max(0, most - last.messages)) / all);
}

/* Operations are emitted round by round. */
static void count_rank(samples *x, int k, int64_t bytes)
{
    const atn_schedule *const s = x->s[k];
    const atn_partition t = atn_sched_partition_uniform(&s->q, s->split, bytes);
    counting n = {.k = k};

    for (int i = 0, end; i < s->nops; i = end) {
        memset(n.way, 0, sizeof n.way);
        n.work[0] = n.work[1] = 0;
        n.round = s->ops[i].round;
        for (end = i; end < s->nops && s->ops[end].round == n.round; end++) {
            const atn_op *const o = &s->ops[end];
            const double moved = (double)atn_sched_slot_units(&t, s, atn_sched_moved(o));
            count_local(x, &n, o, moved);
            if (atn_sched_is_message(o) || atn_sched_is_read(o))
                count_message(x, &n, o, moved);
        }
        round_time *const all = &x->v[k * x->rounds + n.round];
        all->port += fmax(n.way[0].port, n.way[1].port);
        all->form += fmax(n.way[0].form, n.way[1].form);
        all->work += n.work[0];
        all->form_work += n.work[1];
    }
    for (int i = 0; i < 2; i++)
        x->start[i] = fmax(x->start[i], n.start[i]);
    count_overlap(x, s);
}

/* ---- rounds of all ranks ---- */

static double most_of(const double *v, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, v[i]);
    return most;
}

/* The busiest rank of a round; false: not all take part in it. */
static bool busiest(const samples *x, int round, round_time *most_p)
{
    bool all = true;

    *most_p = (round_time){0};
    for (int k = 0; k < x->n; k++) {
        const round_time *const t = &x->v[k * x->rounds + round];
        *most_p = (round_time){fmax(most_p->port, t->port), fmax(most_p->form, t->form),
                               fmax(most_p->work, t->work), fmax(most_p->form_work, t->form_work)};
        all = all && (t->form > 0 || k >= x->group->n);
    }
    return all;
}

/* Rounds of all ranks are concurrent; in others ranks take turns, and links carry all of these:
 * `turns`, initially 0. */
static void add_up(const samples *x, double *turns, double *real_p, double *form_p)
{
    const int links = 2 * x->depth;
    double port[SAMPLES] = {0}, form[SAMPLES] = {0};

    for (int i = 0; i < x->rounds; i++) {
        const double *const link = x->link + i * links;
        round_time most;
        if (busiest(x, i, &most)) {
            *real_p += fmax(most.port, most_of(link, links)) + most.work;
            *form_p += most.form + most.form_work;
            continue;
        }
        for (int k = 0; k < x->n; k++) {
            const round_time *const t = &x->v[k * x->rounds + i];
            port[k] += t->port + t->work;
            form[k] += t->form + t->form_work;
        }
        for (int k = 0; k < links; k++)
            turns[k] += link[k];
    }
    *real_p += fmax(most_of(port, x->n), most_of(turns, links));
    *form_p += most_of(form, x->n);
}

/* Below some roots and leaders there are ranks with less to do. */
static bool has_leaders(const atn_choice *c, const atn_problem *q)
{
    return (atn_sched_operation_get(q->op)->flags & ATN_ROOTED) != 0 ||
           (c->row->algo->needs & ATN_NEEDS_TOPOLOGY) != 0;
}

static atn_status build_rank(const atn_choice *c, const atn_problem *q, int r,
                             const atn_round_window *w, int64_t *steps, atn_schedule **s)
{
    atn_problem mine = *q;
    mine.r = r;
    mine.in_place = false;
    const atn_status status = w->end > 0
                                  ? atn_algo_build_rounds(c->row, &mine, &c->params, *w, s, NULL)
                                  : atn_algo_build_unchecked(c->row, &mine, &c->params, s, NULL);
    *steps -= ATN_STEPS_RANK + (status == ATN_OK ? (int64_t)(*s)->nops * ATN_STEPS_OP : 0);
    return status;
}

/* The first one may be given. */
static bool build(const atn_choice *c, const atn_problem *q, int64_t *steps, samples *x)
{
    const bool leaders = has_leaders(c, q);
    const int n = x->group->n + leaders;
    bool ok = true;

    for (x->n = 0; x->n < n && ok; x->n++) {
        const int r = x->n < x->group->n ? x->group->rank[x->n] : q->root;
        atn_schedule **const s = &x->s[x->n];
        ok = *s != NULL || (*steps > 0 && build_rank(c, q, r, &x->window, steps, s) == ATN_OK);
        x->rounds = ok ? atn_max(x->rounds, (*s)->nrounds) : 0;
    }
    return ok;
}

static bool count(samples *x, int64_t bytes, double *real_p, double *form_p)
{
    x->depth = atn_topo_depth(x->of->topo) + 1;
    const size_t links = 2 * (size_t)x->depth;
    x->v = calloc((size_t)(x->n * x->rounds) + 1, sizeof *x->v);
    x->link = calloc(((size_t)x->rounds + 1) * links, sizeof *x->link); /* the last: turns */
    if (!x->v || !x->link)
        return false;
    for (int k = 0; k < x->n; k++)
        count_rank(x, k, bytes);
    add_up(x, x->link + (size_t)x->rounds * links, real_p, form_p);
    return true;
}

/* Rounds that stand for `times` as many; first NULL, or the schedule of the first rank. */
static bool add_rounds(const atn_link_traffic *x, const atn_choice *c, const atn_problem *q,
                       atn_round_window window, double times, atn_schedule *first, int64_t *steps,
                       totals *to)
{
    samples all = {.of = x, .segments = to->segments, .overlap = 1, .window = window, .s = {first}};
    double real = 0, form = 0;

    all.group = has_leaders(c, q) ? &x->some : &x->few;
    const bool ok = build(c, q, steps, &all) && count(&all, q->bytes, &real, &form);
    to->real += times * real;
    to->form += times * form;
    for (int i = 0; i < 2; i++)
        to->start[i] += times * all.start[i];
    to->overlap = fmax(to->overlap, all.overlap);
    to->tree = all.n > all.group->n;
    if (all.s[0] != NULL)
        to->probe = atn_plan_trial_probe(all.s[0]);
    for (int k = 0; k < all.n; k++)
        atn_sched_schedule_free(all.s[k]);
    free(all.v);
    free(all.link);
    return ok;
}

/* Few of the rounds that are alike. */
static bool add_all(const atn_link_traffic *x, const atn_choice *c, const atn_problem *q,
                    int64_t *steps, totals *to)
{
    enum { ROUNDS = 4 };
    const atn_round_window all = {0, 0};
    const int rank = (has_leaders(c, q) ? &x->some : &x->few)->rank[0];
    atn_round_run runs[ATN_REPEAT_RUNS];
    atn_schedule *first = NULL;
    bool ok = true;

    if (*steps <= 0 || atn_algo_refuses(c->row, q, &c->params) != NULL ||
        build_rank(c, q, rank, &all, steps, &first) != ATN_OK)
        return false;
    const int n = atn_plan_repeats_find(c, first, runs);
    if (n == 0)
        return add_rounds(x, c, q, all, 1, first, steps, to);
    atn_sched_schedule_free(first);
    for (int i = 0; i < n && ok; i++) {
        const atn_round_window few = {runs[i].first, runs[i].first + ROUNDS};
        const double times = (double)(runs[i].end - runs[i].first) / ROUNDS;
        ok = add_rounds(x, c, q, few, times, NULL, steps, to);
    }
    to->probe.ops = 0;
    return ok;
}

/* Below roots and leaders, chains of messages go through several ranks: these overlap less. */
static atn_traffic_factors factors_of(const totals *x)
{
    const double latency = x->start[1] > 0 ? x->start[0] / x->start[1] : 1;
    return (atn_traffic_factors){
        .latency = latency * (x->tree ? sqrt(x->overlap) : x->overlap),
        .overlap = x->tree ? 1 : x->overlap,
        .bytes = x->form > 0 ? x->real / x->form : 1,
        .least = x->real * x->segments,
        .probe = x->probe,
    };
}

bool atn_plan_traffic_factors(const atn_link_traffic *x, const atn_choice *c, const atn_problem *q,
                              int64_t *steps, atn_traffic_factors *factors_p)
{
    atn_problem one = *q;
    totals all = {.segments = 1};

    if (!c->row->algo->segments_inside && q->segments > 1) {
        all.segments = q->segments;
        one.segments = 1;
        one.bytes = q->bytes / q->segments;
    }
    atn_algo_derived_open(q->topo);
    const bool ok = add_all(x, c, &one, steps, &all);
    atn_algo_derived_close();
    if (ok)
        *factors_p = factors_of(&all);
    return ok;
}
