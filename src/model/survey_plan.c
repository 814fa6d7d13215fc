/* survey_plan.c - see survey_plan.h. */
#include "model/survey_plan.h"

#include <stdlib.h>
#include <string.h>

static const int64_t sizes[] = {0,        1,         64,        256,       1 << 10,
                                2 << 10,  4 << 10,   8 << 10,   16 << 10,  32 << 10,
                                64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20};
static const int64_t few_sizes[] = {1, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};
static const int64_t large_sizes[] = {16 << 10, 64 << 10, 256 << 10, 1 << 20};
static const int64_t block_sizes[] = {64, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};
static const int64_t vector_sizes[] = {1 << 10, 64 << 10, 1 << 20};
/* Through shared memory; longer messages are pipelined. */
static const int64_t copied_sizes[] = {0, 8, 64, 256, 1 << 10, 2 << 10, 4 << 10, 8 << 10};
static const int64_t pipelined_sizes[] = {16 << 10, 64 << 10, 256 << 10, 1 << 20};
static const int64_t single_sizes[] = {256,      4 << 10,   16 << 10,  32 << 10,
                                       64 << 10, 128 << 10, 256 << 10, 1 << 20};
static const int64_t crossing_sizes[] = {8 << 10,   16 << 10,  32 << 10, 64 << 10,
                                         128 << 10, 256 << 10, 1 << 20};
static const int64_t few_copied_sizes[] = {8, 1 << 10, 8 << 10, 64 << 10};
static const int64_t few_single_sizes[] = {64 << 10, 1 << 20};
static const int64_t exposed_sizes[] = {0,        64,       1 << 10,   4 << 10, 8 << 10,
                                        16 << 10, 64 << 10, 256 << 10, 1 << 20};
static const int64_t few_exposed_sizes[] = {0, 1 << 10, 8 << 10, 64 << 10, 1 << 20};
static const int64_t nothing[] = {0};
static const int64_t something[] = {1, 64 << 10};
static const int64_t pair_sizes[] = {0, 16 << 10};
#define ALL(list) list, (int)(sizeof(list) / sizeof *(list))

static const char *const operands[] = {
    "sum.f64",  "sum.f32",  "sum.i32",  "sum.i64",  "max.f64", "max.f32",  "max.i32", "max.i64",
    "prod.f64", "prod.f32", "prod.i32", "prod.i64", "min.f64", "band.i32", "bor.i64",
};
enum { OPERANDS = sizeof operands / sizeof *operands, MAX_FAN = 16 };

typedef struct {
    const atn_topo *t;
    atn_survey_conditions conditions;
    int hosts;
    int *host_of; /* rank -> number of its host */
    int *first;   /* host -> its first rank */
    int *count;   /* host -> ranks */
    int channels;
    atn_experiments list;
    bool failed;
} planner;

int atn_model_survey_channel_of(const atn_topo *t, int u, int v)
{
    return (atn_topo_hops(t, u, v) + 1) / 2;
}

/* ---- hosts ---- */

static void find_hosts(planner *w)
{
    for (int r = 0; r < w->t->p; r++) {
        int h = 0;
        while (h < w->hosts && atn_topo_hops(w->t, w->first[h], r) != 0)
            h++;
        if (h == w->hosts)
            w->first[w->hosts++] = r;
        w->host_of[r] = h;
        w->count[h]++;
    }
}

static int fullest(const planner *w)
{
    int best = 0;
    for (int h = 1; h < w->hosts; h++)
        best = w->count[h] > w->count[best] ? h : best;
    return best;
}

/* The first n ranks of a host; returns their number. */
static int ranks_of(const planner *w, int host, int n, int *ranks)
{
    int found = 0;
    for (int r = 0; r < w->t->p && found < n; r++)
        if (w->host_of[r] == host)
            ranks[found++] = r;
    return found;
}

static int between(const planner *w, int a, int b)
{
    return atn_model_survey_channel_of(w->t, w->first[a], w->first[b]);
}

/* Two hosts connected by a channel, with as many ranks as possible; false: none. */
static bool find_pair(const planner *w, int channel, int *a_p, int *b_p)
{
    int most = 0;
    for (int a = 0; a < w->hosts; a++)
        for (int b = a + 1; b < w->hosts; b++) {
            const int ranks = atn_min(w->count[a], w->count[b]);
            if (ranks > most && between(w, a, b) == channel) {
                most = ranks;
                *a_p = a;
                *b_p = b;
            }
        }
    return most > 0;
}

/* ---- experiments ---- */

/* Experiments with long messages take longer. */
static double weight_of(const atn_observation *o)
{
    if (o->channel < 0)
        return 0.15;
    if (atn_model_obs_is_shared(o->kind)) /* brief, whatever the size */
        return 1;
    return o->bytes > 256 << 10 ? 4 : o->bytes > 16 << 10 ? 2 : 1;
}

static void add(planner *w, const atn_observation *of, const int *actors, int n)
{
    atn_experiment e = {.of = *of, .nactors = atn_min(n, ATN_SURVEY_ACTORS)};
    e.weight = weight_of(of);
    if (e.of.what[0] == '\0')
        strcpy(e.of.what, "-");
    memcpy(e.actor, actors, (size_t)e.nactors * sizeof *actors);
    w->failed = !atn_push(&w->list, e) || w->failed;
}

static void add_sizes(planner *w, atn_obs_kind kind, int channel, int tau, const int *actors, int n,
                      const int64_t *list, int nlist)
{
    for (int i = 0; i < nlist; i++)
        add(w, &(atn_observation){.kind = kind, .channel = channel, .bytes = list[i], .tau = tau},
            actors, n);
}

/* Experiments of one pair of ranks on a channel. */
static void plan_pair(planner *w, int channel, const int pair[2])
{
    add_sizes(w, ATN_OBS_ROUND_TRIP, channel, 1, pair, 2, ALL(sizes));
    add_sizes(w, ATN_OBS_SYNCHRONOUS, channel, 1, pair, 2, ALL(nothing));
    add_sizes(w, ATN_OBS_EAGER, channel, 1, pair, 2, ALL(nothing));
    add_sizes(w, ATN_OBS_EXCHANGE, channel, 1, pair, 2, ALL(large_sizes));
    add_sizes(w, ATN_OBS_ONE_WAY, channel, 1, pair, 2, ALL(nothing));
    add_sizes(w, ATN_OBS_BOTH_WAYS, channel, 1, pair, 2, ALL(nothing));
    add_sizes(w, ATN_OBS_TRAIN, channel, 1, pair, 2, ALL(few_sizes));
    add_sizes(w, ATN_OBS_BURST, channel, 1, pair, 2, ALL(few_sizes));
    add_sizes(w, ATN_OBS_SEND, channel, 1, pair, 2, ALL(few_sizes));
    add_sizes(w, ATN_OBS_RECEIVE, channel, 1, pair, 2, ALL(few_sizes));
}

/* 2, 4, 8 ... and the maximum. */
static int next_tau(int tau, int most) { return tau < most ? atn_min(2 * tau, most) : most + 1; }

static void plan_memory(planner *w)
{
    const int host = fullest(w), most = atn_min(w->count[host], ATN_SURVEY_ACTORS);
    int ranks[ATN_SURVEY_ACTORS];
    ranks_of(w, host, most, ranks);
    if (most > 1)
        plan_pair(w, 0, ranks);
    for (int tau = 2; tau <= most; tau = next_tau(tau, most))
        add_sizes(w, ATN_OBS_RING, 0, tau, ranks, tau, ALL(few_sizes));
}

static void plan_shared_rings(planner *w, const int *ranks, int most)
{
    add_sizes(w, ATN_OBS_SHARED_RING_COPY, 0, 2, ranks, 2, few_copied_sizes, 2);
    add_sizes(w, ATN_OBS_SHARED_RING_COPY, 0, 2, ranks, 2, ALL(crossing_sizes));
    add_sizes(w, ATN_OBS_SHARED_RING_SINGLE, 0, 2, ranks, 2, ALL(crossing_sizes));
    for (int tau = next_tau(2, most); tau <= most; tau = next_tau(tau, most)) {
        add_sizes(w, ATN_OBS_SHARED_RING_COPY, 0, tau, ranks, tau, ALL(few_copied_sizes));
        add_sizes(w, ATN_OBS_SHARED_RING_SINGLE, 0, tau, ranks, tau, ALL(few_single_sizes));
    }
}

/* The transport of ranks of one host that share memory. */
static void plan_shared(planner *w)
{
    const int host = fullest(w), most = atn_min(w->count[host], ATN_SURVEY_ACTORS);
    int ranks[ATN_SURVEY_ACTORS];
    if (!w->conditions.shared || ranks_of(w, host, most, ranks) < 2)
        return;
    add_sizes(w, ATN_OBS_SHARED_COPY, 0, 1, ranks, 2, ALL(copied_sizes));
    add_sizes(w, ATN_OBS_SHARED_COPY, 0, 1, ranks, 2, ALL(pipelined_sizes));
    add_sizes(w, ATN_OBS_SHARED_SINGLE, 0, 1, ranks, 2, ALL(single_sizes));
    plan_shared_rings(w, ranks, most);
    add_sizes(w, ATN_OBS_EXPOSE, 0, 1, ranks, 1, ALL(copied_sizes));
    add_sizes(w, ATN_OBS_EXPOSED, 0, 1, ranks, 2, ALL(exposed_sizes));
    for (int tau = 2; tau <= most; tau = next_tau(tau, most))
        add_sizes(w, ATN_OBS_EXPOSED_RING, 0, tau, ranks, tau, ALL(few_exposed_sizes));
    for (int tau = 2; tau < most; tau = next_tau(tau, most - 1))
        add_sizes(w, ATN_OBS_EXPOSED, 0, tau, ranks, tau + 1, ALL(few_exposed_sizes));
}

/* Ranks of two hosts, interleaved. */
static void plan_cross(planner *w, int channel, int a, int b, int most)
{
    int left[ATN_SURVEY_ACTORS], right[ATN_SURVEY_ACTORS], both[ATN_SURVEY_ACTORS];
    ranks_of(w, a, most, left);
    ranks_of(w, b, most, right);
    for (int i = 0; i < most; i++) {
        both[2 * i] = left[i];
        both[2 * i + 1] = right[i];
    }
    for (int tau = 2; tau <= most; tau = next_tau(tau, most))
        add_sizes(w, ATN_OBS_CROSS, channel, tau, both, 2 * tau, ALL(few_sizes));
}

/* Many hosts to one, if hosts have too few ranks for plan_cross. */
static void plan_fan(planner *w, int channel, int host, int from)
{
    int ranks[MAX_FAN + 1] = {w->first[host]}, most = 0;
    for (int h = 0; h < w->hosts && most < MAX_FAN; h++)
        if (h != host && between(w, host, h) == channel)
            ranks[++most] = w->first[h];
    for (int tau = 2; tau <= most; tau = next_tau(tau, most))
        if (tau > from)
            add_sizes(w, ATN_OBS_FAN, channel, tau, ranks, tau + 1, ALL(few_sizes));
}

static void plan_network(planner *w)
{
    for (int c = 1; c <= w->channels; c++) {
        int a = 0, b = 0;
        if (!find_pair(w, c, &a, &b))
            continue;
        const int pair[2] = {w->first[a], w->first[b]};
        const int most = atn_min(ATN_SURVEY_ACTORS / 2, atn_min(w->count[a], w->count[b]));
        plan_pair(w, c, pair);
        plan_cross(w, c, a, b, most);
        plan_fan(w, c, a, most);
    }
}

/* Each host with the next two: triangles separate host costs from link costs. */
static void plan_triangles(planner *w)
{
    const int n = atn_min(w->hosts, ATN_SURVEY_ACTORS / 2);
    for (int h = 0; h < n; h++)
        for (int far = 1; far <= 2; far++) {
            const int other = (h + far) % n;
            if (other == h || (n == 2 && h == 1) || (n == 3 && far == 2))
                continue;
            const int pair[2] = {w->first[h], w->first[other]};
            for (int i = 0; i < 2; i++) {
                atn_observation of = {.kind = ATN_OBS_PAIR,
                                      .channel = between(w, h, other),
                                      .bytes = pair_sizes[i],
                                      .tau = 1};
                snprintf(of.what, sizeof of.what, "%d-%d", h, other);
                add(w, &of, pair, 2);
            }
        }
}

static void plan_local(planner *w)
{
    const int host = fullest(w), most = atn_min(w->count[host], ATN_SURVEY_ACTORS);
    int ranks[ATN_SURVEY_ACTORS];
    ranks_of(w, host, most, ranks);
    for (int tau = 1; tau <= most; tau = next_tau(tau, most)) {
        add_sizes(w, ATN_OBS_COPY, -1, tau, ranks, tau, ALL(block_sizes));
        for (int k = 0; k < (tau == 1 ? OPERANDS : 1); k++)
            for (int i = 0; i < 3; i++) {
                atn_observation of = {
                    .kind = ATN_OBS_REDUCE, .channel = -1, .bytes = vector_sizes[i], .tau = tau};
                snprintf(of.what, sizeof of.what, "%s", operands[k]);
                add(w, &of, ranks, tau);
            }
    }
    add_sizes(w, ATN_OBS_PACK, -1, 1, ranks, 1, ALL(block_sizes));
}

/* All ranks concurrently: mutual disturbance. */
static void plan_all_ranks(planner *w)
{
    int ranks[ATN_SURVEY_ACTORS];
    const int n = atn_min(w->t->p, ATN_SURVEY_ACTORS);
    for (int i = 0; i < n; i++)
        ranks[i] = i;
    const int channel = w->hosts > 1 ? w->channels : 0;
    add_sizes(w, ATN_OBS_TOKEN, channel, n, ranks, n, something, 1);
    add_sizes(w, ATN_OBS_ALL_RANKS, channel, n, ranks, n, something, 1);
    add_sizes(w, ATN_OBS_BUSY, channel, n, ranks, n, ALL(something));
}

/* ---- the head ---- */

static bool name_channels(const planner *w, atn_survey *s)
{
    bool ok = true;
    for (int c = 0; c <= w->channels; c++) {
        atn_survey_channel channel;
        if (c > 1 && c < w->channels)
            snprintf(channel.name, sizeof channel.name, "switch%d", c);
        else
            snprintf(channel.name, sizeof channel.name, "%s",
                     c == 0   ? "memory"
                     : c == 1 ? "switch"
                              : "core");
        ok = ok && atn_push(&s->channels, channel);
    }
    return ok;
}

static uint64_t identity_of(const atn_experiments *list, bool off_cache)
{
    uint64_t id = atn_hash(&off_cache, sizeof off_cache, 0);
    for (int i = 0; i < list->n; i++) {
        const atn_experiment *e = &list->v[i];
        const int64_t key[] = {e->of.kind, e->of.channel, e->of.bytes, e->of.tau, e->nactors};
        id = atn_hash(key, sizeof key, id);
        id = atn_hash(e->of.what, strlen(e->of.what), id);
        id = atn_hash(e->actor, (size_t)e->nactors * sizeof *e->actor, id);
    }
    return id;
}

static void make_plan(planner *w)
{
    find_hosts(w);
    for (int h = 1; h < w->hosts; h++)
        for (int g = 0; g < h; g++)
            w->channels = atn_max(w->channels, between(w, g, h));
    plan_memory(w);
    plan_shared(w);
    plan_network(w);
    plan_local(w);
    plan_all_ranks(w);
    plan_triangles(w);
}

atn_status atn_model_survey_plan(const atn_topo *t, atn_survey_conditions conditions,
                                 atn_experiments *list_p, atn_survey *head_p, atn_error *err)
{
    const size_t p = (size_t)t->p;
    planner w = {.t = t,
                 .conditions = conditions,
                 .host_of = calloc(p, sizeof(int)),
                 .first = calloc(p, sizeof(int)),
                 .count = calloc(p, sizeof(int))};
    atn_status status = ATN_OK;
    if (t->p < 2)
        status =
            atn_fail(err, ATN_USAGE,
                     "a measurement needs at least two ranks; start it with more (mpirun -n 2)");
    else if (!w.host_of || !w.first || !w.count)
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    if (status == ATN_OK) {
        make_plan(&w);
        head_p->ranks = t->p;
        head_p->hosts = w.hosts;
        head_p->topology = atn_topo_wires(t);
        head_p->experiments = w.list.n;
        head_p->plan = identity_of(&w.list, conditions.off_cache);
        if (w.failed || !name_channels(&w, head_p))
            status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    if (status == ATN_OK)
        *list_p = w.list;
    else
        atn_vec_free(&w.list);
    free(w.host_of);
    free(w.first);
    free(w.count);
    return status;
}
