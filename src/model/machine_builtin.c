/* machine_builtin.c - the default machine: hosts with Gigabit Ethernet and TCP, or with the links
 * of a topology.  Latency and overheads are high, so that plans prefer few large messages unless a
 * machine was measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/machine.h"

static const char text[] = "attune-machine 1\n"
                           "origin: built in, conservative\n"
                           "table copy 1\n"
                           "  1K 0.1\n"
                           "  1M 0.3\n"
                           "table pack 1\n"
                           "  1K 1\n"
                           "table gamma sum f64 1\n"
                           "  1K 0.3\n"
                           "  1M 0.5\n"
                           "channel memory\n"
                           "  path segment=32K latency=0.2 rate=4000\n"
                           "  overhead eager=4K below=0.5 from=1\n"
                           "  processor message=0.5 byte=0.25\n"
                           "  table transfer 1 2 4 8 16\n"
                           "    0   0.1 0.15 0.25 0.5 1\n"
                           "    1K  0.3 0.4 0.6 1.0 1.8\n"
                           "    32K 5 7 12 22 44\n"
                           "channel network\n"
                           "  path latency=25 rate=117\n"
                           "  overhead eager=64K below=10 from=60\n"
                           "  processor message=5 byte=0.5\n"
                           "  table transfer 1 2 4 8 16\n"
                           "    0   20 21 23 27 35\n"
                           "    1K  30 39 57 93 165\n"
                           "    64K 600 1180 2340 4660 9300\n"
                           "    1M  9000 18000 36000 72000 144000\n"
                           "end\n";

atn_machine *atn_model_machine_builtin(void)
{
    atn_machine *m = NULL;
    return atn_model_machine_parse(text, strlen(text), "built-in machine", &m, NULL) == ATN_OK
               ? m
               : NULL;
}

/* ---- with the links of a topology ---- */

/* Bits per second of the slowest link of a host; 0: no rate is known. */
static double slowest_host(const atn_topo *t)
{
    double least = 0;
    for (int r = 0; t != NULL && r < t->p; r++) {
        const double rate = (double)t->nodes[atn_model_host_node(t, r)].rate;
        if (rate > 0 && (least <= 0 || rate < least))
            least = rate;
    }
    return least;
}

/* Only what bytes cost depends on the rate. */
static void set_rate(atn_channel *c, double rate)
{
    atn_cost_table *const x = &c->transfer;
    for (int i = x->nsizes - 1; i > 0; i--)
        for (int k = 0; k < x->ntaus; k++)
            x->v[i][k] = x->v[0][k] + (x->v[i][k] - x->v[0][k]) * c->rate / rate;
    c->rate = rate;
}

atn_machine *atn_model_machine_assumed(const atn_topo *t)
{
    atn_machine *const m = atn_model_machine_builtin();
    if (m == NULL)
        return NULL;
    const double wanted = slowest_host(t) / 8 * m->framing;
    const double rate = fmin(wanted, m->channel[0].rate); /* memory is not slower */
    if (rate > 1.1 * m->channel[1].rate)
        set_rate(&m->channel[1], rate);
    return m;
}
