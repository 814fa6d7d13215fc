/* fakenet.h - a simulated network: transfers share its links fairly, with
 * noise. */
#ifndef ATN_FAKENET_H
#define ATN_FAKENET_H

#include "topo/infer.h"

enum { FAKE_NODES = 256, FAKE_HOSTS = 64 };

typedef struct {
    int hosts, nnodes;      /* hosts first, then switches; the last one is the root */
    int parent[FAKE_NODES]; /* -1: the root */
    double rate[FAKE_NODES], delay[FAKE_NODES];
    double noise;     /* relative, of every rate */
    double mishaps;   /* fraction of the rates that are far too low */
    double unfair;    /* inequality of transfers that share a link: 0 .. 1 */
    double jitter;    /* seconds, of round trips */
    int breaks_after; /* sets of transfers until measurement fails; 0: never */
    uint64_t random;
    int sets, pings;
} fakenet;

double fake_uniform(fakenet *net); /* 0 .. 1 */
int fake_pick(fakenet *net, int n);

/* A topology as attune reads it; hosts are numbered by their first rank.  Links carry 94.9 %
 * payload; those without a rate get 1e12, without a delay 5e-6. */
void fake_topo(fakenet *net, const char *name);

/* Shapes.  All links get rate 100e6, and hosts are in random order. */
void fake_stars(fakenet *net, int groups, int each, int at_the_top);
void fake_chain(fakenet *net, int switches, int each);
void fake_random(fakenet *net, int hosts, int switches);

atn_prober fake_prober(fakenet *net);

/* Links as the set of hosts on the side without host 0, sorted, without duplicates; only those with
 * two hosts on either side.  Returns their number. */
int fake_splits(const int *parent, int hosts, int nnodes, uint64_t *splits);

#endif
