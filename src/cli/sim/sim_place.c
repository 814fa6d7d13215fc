/* sim_place.c - the ranks of a simulated job on the hosts of a topology. */
#include <stdlib.h>
#include <string.h>

#include "cli/sim/sim.h"
#include "topo/draft.h"

/* ---- hosts ---- */

/* The ranks of the host that has most; 1 if the topology places none; 0: out of memory. */
static int most_ranks(const atn_topo *t)
{
    int most = 1, *const ranks = calloc((size_t)t->nnodes, sizeof *ranks);
    if (ranks == NULL)
        return 0;
    for (int r = 0; r < t->p; r++) {
        const int n = ++ranks[atn_topo_host_of(t, r)];
        most = n > most ? n : most;
    }
    free(ranks);
    return most;
}

/* ---- orders ---- */

static atn_status place_in_order(const atn_topo *t, const char *word, int each, atn_topo **placed_p,
                                 atn_error *err)
{
    char order[64];
    snprintf(order, sizeof order, "%s*%d", word, each);
    return atn_topo_order(t, order, placed_p, err);
}

static void shuffle(const char **names, int n, uint64_t seed)
{
    for (int i = n - 1; i > 0; i--) {
        const int j = (int)(atn_random(&seed) % (uint64_t)(i + 1));
        const char *const other = names[j];
        names[j] = names[i];
        names[i] = other;
    }
}

static atn_status place_at_random(const atn_topo *t, int each, uint64_t seed, atn_topo **placed_p,
                                  atn_error *err)
{
    atn_topo *block = NULL;
    atn_status status = place_in_order(t, "sequential", each, &block, err);
    if (status != ATN_OK)
        return status;
    const char **const names = malloc((size_t)block->p * sizeof *names);
    for (int r = 0; names != NULL && r < block->p; r++)
        names[r] = block->nodes[atn_topo_host_of(block, r)].name;
    if (names != NULL) {
        shuffle(names, block->p, seed);
        status = atn_topo_place(block, names, block->p, placed_p, err);
    } else {
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    }
    free(names);
    atn_topo_free(block);
    return status;
}

/* Without --hosts-order and --ranks-per-host, the order of a topology that places ranks. */
static atn_status place(const atn_args *a, atn_topo *t, int each, atn_topo **placed_p,
                        atn_error *err)
{
    const char *const order = atn_cli_arg_text(a, "hosts-order");
    const uint64_t seed = (uint64_t)atn_cli_arg_int(a, "seed");
    if (order != NULL && strcmp(order, "random") == 0)
        return place_at_random(t, each, seed, placed_p, err);
    if (order != NULL && strcmp(order, "cyclic") == 0)
        return place_in_order(t, "roundrobin", each, placed_p, err);
    if (order != NULL || t->p == 0 || atn_cli_arg_given(a, "ranks-per-host"))
        return place_in_order(t, "sequential", each, placed_p, err);
    *placed_p = atn_topo_like(t, t->nodes, t->nnodes, t->node_of, t->p);
    return *placed_p != NULL ? ATN_OK : atn_fail(err, ATN_MEMORY, "out of memory");
}

static atn_status place_on(const atn_args *a, atn_topo *t, atn_sim_ranks *ranks_p, atn_error *err)
{
    const int given = (int)atn_cli_arg_int(a, "ranks-per-host"),
              each = given > 0 ? given : most_ranks(t), hosts = atn_topo_hosts(t),
              wanted = (int)atn_cli_arg_int(a, "ranks");
    if (each == 0)
        return atn_fail(err, ATN_MEMORY, "out of memory");
    const atn_status status = place(a, t, each, &ranks_p->topo, err);
    if (status != ATN_OK)
        return status;
    ranks_p->n = wanted > 0 ? wanted : ranks_p->topo->p;
    if (ranks_p->n <= ranks_p->topo->p)
        return ATN_OK;
    return atn_fail(err, ATN_USAGE,
                    "%d ranks do not fit: %s has %d hosts with %d ranks each; use a larger "
                    "platform, or --ranks-per-host %d",
                    wanted, t->origin, hosts, each, (wanted + hosts - 1) / hosts);
}

atn_status atn_cli_sim_place(const atn_args *a, atn_sim_ranks *ranks_p, atn_error *err)
{
    atn_topo *t = NULL;
    const char *const name = atn_cli_arg_text(a, "platform");
    *ranks_p = (atn_sim_ranks){NULL, 0};
    if (name == NULL)
        return atn_fail(err, ATN_USAGE,
                        "no platform; add --platform FILE, or a string such as --platform 4x4@10G");
    atn_status status = atn_topo_load(name, &t, err);
    if (status == ATN_OK)
        status = place_on(a, t, ranks_p, err);
    atn_topo_free(t);
    return status;
}
