/* sim_machine.c - the machine that SimGrid simulates, as the input of the planner.
 *
 * A message takes an overhead on both sides, the delays of its links and its bytes at their rate.
 * Large messages wait for their receiver, but without the delay of a handshake.  Messages inside of
 * a host do not slow each other down, and computation takes no time. */
#include <math.h>
#include <stdlib.h>

#include "cli/sim/sim.h"
#include "model/machine.h"

enum { MOST_RANKS = 1024 };                /* of a host, in tables of concurrent messages */
static const double unlimited = 100e9 / 8; /* of links without a rate, in the platform */
static const double handshake = 1e-9;      /* 0 would mean that it is not known */
static const int64_t small = 1024, large = 1048576;

/* The delays and the slowest link from the hosts up to a number of levels. */
typedef struct {
    double delay, rate;
} route;

static route climb(const atn_topo *t, int host, int levels)
{
    route way = {0, INFINITY};
    for (int v = host; levels > 0 && t->nodes[v].parent >= 0; v = t->nodes[v].parent, levels--) {
        const int64_t rate = t->nodes[v].rate;
        way.delay += (double)t->nodes[v].delay_ns * 1e-9;
        way.rate = fmin(way.rate, rate > 0 ? (double)rate / 8 : unlimited);
    }
    return way;
}

/* The longest delay and the slowest link of all hosts. */
static route farthest(const atn_topo *t, int levels)
{
    route all = {0, INFINITY};
    for (int v = 0; v < t->nnodes; v++)
        if (t->nodes[v].kind == ATN_TOPO_HOST) {
            const route one = climb(t, v, levels);
            all.delay = fmax(all.delay, one.delay);
            all.rate = fmin(all.rate, one.rate);
        }
    return all;
}

static int levels_of(const atn_topo *t)
{
    int most = 0;
    for (int v = 0; v < t->nnodes; v++)
        if (t->nodes[v].kind == ATN_TOPO_HOST)
            most = atn_max(most, t->nodes[v].depth);
    return atn_min(most, ATN_MACHINE_CHANNELS - 1);
}

static void describe(const atn_args *a, double delay, double rate, atn_channel *c)
{
    const double o =
        fmax(atn_cli_sim_option(a, "smpi/ois"), atn_cli_sim_option(a, "smpi/or")) + 1e-9;
    c->latency = delay;
    c->o_below = 2 * o + delay;
    c->o_from = c->o_below + handshake;
    c->eager = (int64_t)atn_cli_sim_option(a, "smpi/send-is-detached-thresh");
    c->cpu_message = c->cpu_more = o;
    c->hockney = (atn_hockney){c->o_below, 1 / rate};
    c->loggp = (atn_loggp){.latency = delay, .o = o, .gap = o, .gap_byte = 1 / rate};
}

/* Any number of messages of a host has the same time. */
static bool describe_memory(const atn_args *a, double payload, atn_channel *c)
{
    const double rate = payload * atn_cli_sim_option(a, "network/loopback-bw");
    describe(a, atn_cli_sim_option(a, "network/loopback-lat"), rate, c);
    c->hops = 1;
    c->rate = rate;
    return atn_model_table_put(&c->transfer, small, 1, (double)small / rate) &&
           atn_model_table_put(&c->transfer, small, MOST_RANKS, (double)small / rate) &&
           atn_model_table_put(&c->transfer, large, 1, (double)large / rate) &&
           atn_model_table_put(&c->transfer, large, MOST_RANKS, (double)large / rate);
}

static bool fill(const atn_args *a, const atn_topo *t, atn_machine *m)
{
    char name[24];
    m->simulated = 1;
    m->framing = atn_cli_sim_option(a, "smpi/bw-factor");
    atn_channel *c = atn_model_machine_add_channel(m, "memory");
    bool ok = c != NULL && describe_memory(a, m->framing, c) &&
              atn_model_machine_note(m, "origin", "attune sim");
    for (int level = 1; ok && level <= levels_of(t); level++) {
        const route way = farthest(t, level);
        snprintf(name, sizeof name, level == 1 ? "switch" : "level%d", level);
        ok = (c = atn_model_machine_add_channel(m, name)) != NULL;
        if (ok)
            describe(a, 2 * way.delay, way.rate * m->framing, c);
    }
    return ok;
}

atn_status atn_cli_sim_machine(const atn_args *a, const atn_topo *t, char **text_p, atn_error *err)
{
    atn_machine *const m = atn_model_machine_new();
    atn_status status = ATN_MEMORY;
    if (m != NULL && fill(a, t, m))
        status = atn_model_machine_check(m, err);
    if (status == ATN_OK && (*text_p = atn_model_machine_print(m)) == NULL)
        status = ATN_MEMORY;
    atn_model_machine_free(m);
    return status == ATN_MEMORY ? atn_fail(err, ATN_MEMORY, "out of memory") : status;
}
