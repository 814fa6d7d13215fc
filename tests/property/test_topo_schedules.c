/* test_topo_schedules.c - alltoall in phases: the published tables, the properties of phases on
 * thousands of random topologies, links of different rates, and every synchronisation of phases as
 * a schedule; test_topo_waits.c tests the dependencies. */
#include "algo/capacity.h"
#include "algo/contention.h"
#include "algo/phased.h"
#include "algo/phases.h"
#include "all_ranks.h"
#include "trees.h"

static bool quick; /* under sanitizers */
static char why[ATN_ERROR_ROOM + 512];

static bool complain(const char *what, const atn_topo *t, int extra)
{
    snprintf(why, sizeof why, "%s (p=%d nodes=%d, %d)", what, t->p, t->nnodes, extra);
    return false;
}

/* ---- published tables ---- */

/* Three switches in a row; the first has three hosts, one of them behind a switch of its own;
 * the middle one, the root of the schedule, has one, the last two. */
static atn_topo *published_tree(void)
{
    plan *x = calloc(1, sizeof *x);
    const int s1 = plan_node(x, ATN_TOPO_SWITCH, -1, 0), s0 = plan_node(x, ATN_TOPO_SWITCH, s1, 0);
    const int s2 = plan_node(x, ATN_TOPO_SWITCH, s0, 0), s3 = plan_node(x, ATN_TOPO_SWITCH, s1, 0);
    const int above[] = {s0, s0, s2, s3, s3, s1};

    for (int r = 0; r < 6; r++)
        x->node_of[x->p++] = plan_node(x, ATN_TOPO_HOST, above[r], 0);
    atn_topo *t = plan_make(x);
    free(x);
    return t;
}

static const char *const published_phases[] = {
    "0>4 1>0 3>5 5>1", "1>3 2>1 4>5 5>2", "0>2 2>4 5>0",     "0>3 2>0 3>2", "0>1 1>4 3>0 4>3",
    "1>2 2>3 3>1",     "0>5 4>0",         "1>5 3>4 4>1 5>3", "2>5 4>2 5>4",
};

static void print_phase(const atn_phases *x, int phase, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (int i = 0; i < x->n; i++)
        if (x->list[i].phase == phase)
            used += (size_t)snprintf(out + used, size - used, "%s%d>%d", used ? " " : "",
                                     x->list[i].from, x->list[i].to);
}

static void published_schedule(void)
{
    atn_topo *t = published_tree();
    atn_phases x;
    char text[200];
    bool ok = atn_algo_phases_tree(t, &x) && x.phases == 9;

    snprintf(why, sizeof why, "%d phases", x.phases);
    for (int phase = 0; ok && phase < 9; phase++) {
        print_phase(&x, phase, text, sizeof text);
        ok = strcmp(text, published_phases[phase]) == 0;
        if (!ok)
            snprintf(why, sizeof why, "phase %d: %s, not %s", phase, text, published_phases[phase]);
    }
    tap(ok, "six hosts on three switches: nine phases, as published", why);
    atn_algo_phases_end(&x);
    atn_topo_free(t);
}

static void published_rotation(void)
{
    static const char published[] = "00 11 22 33 40 51 02 13 20 31 42 53 "
                                    "10 21 32 43 50 01 12 23 30 41 52 03 ";
    char text[100] = "";

    for (int n = 0, used = 0; n < 24; n++) {
        int from, to;
        atn_algo_rotate(6, 4, n, &from, &to);
        used += snprintf(text + used, sizeof text - (size_t)used, "%d%d ", from, to);
    }
    tap(strcmp(text, published) == 0,
        "rotate pattern of six senders and four receivers, as published", text);
}

/* ---- phases ---- */

typedef struct {
    int used[2 * 4096], stamp[2 * 4096], capacity[2 * 4096], path[4096];
    bool seen[1100 * 1100];
} checker;

/* Every pair once; no link exceeds its capacity in a phase. */
static bool check_phases(checker *c, const atn_topo *t, const atn_phases *x)
{
    memset(c->seen, 0, (size_t)t->p * (size_t)t->p);
    memset(c->stamp, -1, sizeof c->stamp);
    for (int i = 0; i < x->n; i++) {
        const atn_phase_message *m = &x->list[i];
        bool *seen = &c->seen[m->from * t->p + m->to];
        if (*seen || m->from == m->to || (i > 0 && m->phase < m[-1].phase))
            return complain("a message is duplicated or out of order", t, i);
        *seen = true;
        const int length = atn_topo_path(t, m->from, m->to, c->path);
        for (int k = 0; k < length; k++) {
            const int e = c->path[k];
            c->used[e] = c->stamp[e] == m->phase ? c->used[e] + 1 : 1;
            c->stamp[e] = m->phase;
            if (c->used[e] > c->capacity[e])
                return complain("a link carries too many messages of a phase", t, m->phase);
        }
    }
    return x->n == t->p * (t->p - 1) || complain("messages are missing", t, x->n);
}

static bool check_tree(checker *c, const atn_topo *t)
{
    atn_phases x;
    bool ok = atn_algo_phases_tree(t, &x);

    atn_algo_capacities(t, false, c->capacity);
    ok = ok && check_phases(c, t, &x);
    if (ok && x.phases != atn_algo_phases_bound(t, c->capacity))
        ok = complain("more phases than the load", t, x.phases);
    atn_algo_phases_end(&x);
    return ok;
}

static void phases_are_optimal(void)
{
    const int trees = quick ? 300 : 5000;
    checker *c = malloc(sizeof *c);
    uint64_t seed = 20061;
    bool ok = true;

    for (int i = 0; ok && i < trees; i++) {
        const int p = 1 + draw_below(&seed, i % 10 == 0 ? 64 : 20);
        atn_topo *t = tree_random(p, 1 + draw_below(&seed, 20), 1 + draw_below(&seed, 4), &seed);
        ok = check_tree(c, t);
        atn_topo_free(t);
    }
    for (int i = 0; ok && i < (quick ? 1 : 4); i++) {
        static const int switches[] = {64, 200, 1, 600};
        atn_topo *t = tree_random(i == 0 ? 1024 : 300 + 100 * i, switches[i], 1 + i, &seed);
        ok = check_tree(c, t);
        atn_topo_free(t);
    }
    free(c);
    tap(ok,
        "random trees, equal links: each message once, no contention, as many phases as the load",
        why);
}

/* Random slow and fast links, fast trunks, slow trunks, memory domains inside hosts. */
static void set_rates(atn_topo *t, int kind, uint64_t *seed)
{
    const int times = 2 + draw_below(seed, 9);

    if (kind == 0)
        tree_rates(t, times, seed);
    for (int v = 1; kind > 0 && v < t->nnodes; v++) {
        const bool trunk = t->nodes[v].kind == ATN_TOPO_SWITCH;
        t->nodes[v].rate = INT64_C(100000000) * (trunk == (kind == 1) ? times : 1);
    }
}

static bool check_list(checker *c, const atn_topo *t, int64_t *phases, int64_t *bounds)
{
    atn_phases x;
    bool ok = atn_algo_phases_begin(t, true, &x);

    atn_algo_capacities(t, true, c->capacity);
    const int64_t bound = atn_algo_phases_bound(t, c->capacity);
    ok = ok && check_phases(c, t, &x);
    if (ok && x.phases * INT64_C(10) > bound * 12)
        ok = complain("more than 1.2 times the phases of the bound", t, x.phases);
    *phases += x.phases;
    *bounds += bound;
    atn_algo_phases_end(&x);
    return ok;
}

static void rated_phases_are_near_the_bound(void)
{
    const int trees = quick ? 150 : 3000;
    checker *c = malloc(sizeof *c);
    uint64_t seed = 5150;
    int64_t phases = 0, bounds = 0;
    bool ok = true;
    char name[120];

    for (int i = 0; ok && i < trees; i++) {
        const int p = 2 + draw_below(&seed, i % 20 == 0 ? 70 : 24);
        atn_topo *t = tree_random(p, 1 + draw_below(&seed, 12), 1 + draw_below(&seed, 5), &seed);
        set_rates(t, i % 3, &seed);
        ok = check_list(c, t, &phases, &bounds);
        atn_topo_free(t);
    }
    for (int i = 0; ok && i < (quick ? 1 : 3); i++) {
        atn_topo *t = tree_random(256, 20, 1 + 2 * i, &seed);
        set_rates(t, i, &seed);
        ok = check_list(c, t, &phases, &bounds);
        atn_topo_free(t);
    }
    free(c);
    snprintf(name, sizeof name, "random trees, links of different rates: %.3f times the bound",
             bounds > 0 ? (double)phases / (double)bounds : 0.0);
    tap(ok, name, why);
}

/* ---- greedy ---- */

/* No message fits into an earlier phase, given the messages before it. */
static bool check_greedy(checker *c, const atn_topo *t, const atn_phases *x, const int64_t *bytes)
{
    int positive = 0;

    if (!check_phases(c, t, x))
        return false;
    for (int i = 0; i < x->n; i++)
        if (bytes[x->list[i].from * t->p + x->list[i].to] > 0)
            positive = x->list[i].phase + 1;
    for (int i = 0; i < x->n; i++)
        if (bytes[x->list[i].from * t->p + x->list[i].to] == 0 && x->list[i].phase < positive)
            return complain("an empty message is not last", t, i);
    return true;
}

static void greedy_puts_long_messages_first(void)
{
    checker *c = malloc(sizeof *c);
    uint64_t seed = 91;
    bool ok = true;

    for (int i = 0; ok && i < (quick ? 40 : 400); i++) {
        const int p = 2 + draw_below(&seed, 20);
        atn_topo *t = tree_random(p, 1 + draw_below(&seed, 8), 1 + i % 3, &seed);
        int64_t bytes[24 * 24], most = 0;
        int longest = 0;
        atn_phases x;
        for (int k = 0; k < p * p; k++) {
            bytes[k] = draw_below(&seed, 3) == 0 ? 0 : draw_below(&seed, 1000000);
            bytes[k] = k / p == k % p ? 0 : bytes[k];
            longest = bytes[k] > most ? k : longest;
            most = bytes[k] > most ? bytes[k] : most;
        }
        atn_algo_capacities(t, true, c->capacity);
        ok = atn_algo_phases_greedy(t, c->capacity, bytes, &x) && check_greedy(c, t, &x, bytes);
        for (int k = 0; ok && most > 0 && k < x.n; k++)
            if (x.list[k].from * p + x.list[k].to == longest && x.list[k].phase != 0)
                ok = complain("the longest message is not in the first phase", t, x.list[k].phase);
        atn_algo_phases_end(&x);
        atn_topo_free(t);
    }
    free(c);
    tap(ok, "greedy phases: long messages first, empty ones last, no contention", why);
}

/* ---- messages of different size, split ---- */

/* Every part of every message once; no contention; verified as an alltoallv. */
static bool check_cut(checker *c, const atn_topo *t, const int64_t *bytes, atn_phased_sync sync)
{
    const atn_phased how = {sync, 1};
    atn_schedule **s = calloc((size_t)t->p, sizeof *s);
    atn_contention found;
    atn_error err = {0};
    atn_phases x;
    bool ok = atn_algo_phases_cut(t, true, bytes, &x);

    atn_algo_capacities(t, true, c->capacity);
    for (int r = 0; ok && r < t->p; r++) {
        const atn_problem q = {.op = ATN_ALLTOALLV, .p = t->p, .r = r, .segments = 1, .topo = t};
        ok = atn_algo_phased_build(&q, &x, c->capacity, &how, "cut", &s[r], &err) == ATN_OK;
    }
    ok = ok && atn_sched_verify(s, t->p, NULL, &err) == ATN_OK &&
         atn_algo_contention_find(s, t->p, t, true, &found, &err) == ATN_OK;
    if (!ok)
        snprintf(why, sizeof why, "p=%d: %s", t->p, err.text);
    else if (!found.by_round)
        ok = complain("two messages of a phase share a link", t, found.round.edge);
    atn_algo_phases_end(&x);
    free_all(s, t->p);
    return ok;
}

static void long_messages_are_cut(void)
{
    static const atn_phased_sync syncs[] = {ATN_PHASED_NONE, ATN_PHASED_SENDER,
                                            ATN_PHASED_RECEIVER};
    checker *c = malloc(sizeof *c);
    uint64_t seed = 815;
    bool ok = true;

    for (int i = 0; ok && i < (quick ? 20 : 200); i++) {
        const int p = 1 + draw_below(&seed, 14);
        atn_topo *t = tree_random(p, 1 + draw_below(&seed, 6), 1 + i % 3, &seed);
        int64_t bytes[16 * 16];
        if (i % 2)
            tree_rates(t, 4, &seed);
        for (int k = 0; k < p * p; k++)
            bytes[k] = k / p == k % p || draw_below(&seed, 3) == 0
                           ? 0
                           : INT64_C(1) << draw_below(&seed, 24);
        ok = check_cut(c, t, bytes, syncs[i % 3]);
        atn_topo_free(t);
    }
    free(c);
    tap(ok, "messages of different size in phases of alltoall: verified, no contention", why);
}

/* ---- schedules ---- */

static const char *const variants[] = {
    "sync=none",
    "sync=dummy",
    "sync=sender",
    "sync=sender,block=4",
    "sync=receiver",
    "sync=receiver,block=3",
    "sync=barrier",
    "sync=barrier,block=5",
    "sync=barrier_sender,block=4",
    "sync=barrier_receiver,block=8",
    "sync=sender,links=equal",
    "sync=none,links=equal",
};

static bool check_variant(const atn_row *row, const char *text, const atn_topo *t, int segments)
{
    const atn_problem q = {.op = row->op, .p = t->p, .segments = segments, .topo = t};
    const bool equal = strstr(text, "equal") != NULL, dummy = strstr(text, "dummy") != NULL;
    atn_params prm;
    atn_error err = {0};
    atn_status status = atn_algo_params_parse(row, text, &prm, &err);
    atn_contention found;
    atn_schedule **s =
        status == ATN_OK ? build_all(row, &q, &prm, IN_PLACE_NONE, &status, &err) : NULL;
    bool ok = s && atn_sched_verify(s, t->p, NULL, &err) == ATN_OK &&
              atn_algo_contention_find(s, t->p, t, !equal, &found, &err) == ATN_OK;

    if (!ok)
        snprintf(why, sizeof why, "%s{%s} p=%d segments=%d: %s", row->name, text, t->p, segments,
                 err.text);
    else if (segments == 1 && !found.by_round)
        ok = complain("two messages of a phase share a link", t, found.round.edge);
    else if (segments == 1 && !dummy && found.phases * INT64_C(10) > found.bound * 12)
        ok = complain("too many phases", t, found.phases);
    free_all(s, t->p);
    return ok;
}

static void variants_are_proved(const char *name)
{
    const atn_row *row = atn_algo_catalog_by_name(name);
    const bool varying = atn_sched_operation_get(row->op)->flags & ATN_VARYING;
    const int trees = quick ? 6 : 60;

    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        uint64_t seed = 4242 + k;
        bool ok = true;
        char line[160];
        if (varying && strstr(variants[k], "dummy"))
            continue;
        for (int i = 0; ok && i < trees; i++) {
            const int p = 1 + draw_below(&seed, 22);
            atn_topo *t = tree_random(p, 1 + draw_below(&seed, 7), 1 + i % 3, &seed);
            if (i % 2)
                set_rates(t, i / 2 % 3, &seed);
            ok = check_variant(row, variants[k], t, i % 5 == 4 ? 3 : 1);
            atn_topo_free(t);
        }
        snprintf(line, sizeof line, "%s{%s}: verified on %d trees, no contention in a phase", name,
                 variants[k], trees);
        tap(ok, line, why);
    }
}

/* ---- detection of contention ---- */

static void faults_are_seen(void)
{
    atn_topo *t = published_tree();
    const atn_row *row = atn_algo_catalog_by_name("alltoall/aapc");
    const atn_problem q = {.op = row->op, .p = t->p, .segments = 1, .topo = t};
    atn_params prm;
    atn_status status;
    atn_error err = {0};
    atn_contention found;
    int tried = 0, seen = 0;

    atn_algo_params_default(row, &prm);
    for (int r = 0; r < t->p; r++)
        for (int i = 0; i < 2 * t->p; i++) {
            atn_schedule **s = build_all(row, &q, &prm, IN_PLACE_NONE, &status, &err);
            if (i < s[r]->nops && s[r]->ops[i].kind == ATN_OP_SEND) {
                s[r]->ops[i].round += s[r]->ops[i].round == 0 ? 1 : -1;
                atn_algo_contention_find(s, t->p, t, true, &found, &err);
                tried++;
                seen += !found.by_round;
            }
            free_all(s, t->p);
        }
    snprintf(why, sizeof why, "%d of %d", seen, tried);
    tap(tried == 30 && seen >= 24, "messages moved to another phase collide and are reported", why);
    atn_topo_free(t);
}

int main(void)
{
    quick = getenv("ATN_TEST_QUICK") != NULL;
    published_schedule();
    published_rotation();
    phases_are_optimal();
    rated_phases_are_near_the_bound();
    greedy_puts_long_messages_first();
    long_messages_are_cut();
    variants_are_proved("alltoall/aapc");
    variants_are_proved("alltoallv/aapc");
    faults_are_seen();
    return tap_end();
}
