/* infer.h - the switch tree from measurements alone.
 *
 * Two transfers that run at the same time slow each other down when they cross a link in the same
 * direction that cannot carry both.  So the pair (z -> x, a -> y) shows whether some link separates
 * {z, a} from {x, y}; answers of that kind determine the tree, as far as its links can be
 * bottlenecks at all.  Hosts are put into the tree one after the other: at a node, transfers that
 * leave all its branches at once show in one measurement to which branch a host belongs, and the
 * search proceeds from centroid to centroid, so that a host costs O(log hosts) measurements.
 * Links that need more than two transfers to fill up are looked for with many at once; links that
 * no traffic can saturate are detected only by their delay.  Nothing here uses MPI: the caller
 * passes in a prober; tests pass in a simulated network. */
#ifndef ATN_TOPO_INFER_H
#define ATN_TOPO_INFER_H

#include "topo/topo.h"

typedef struct {
    int from, to; /* hosts */
} atn_infer_flow;

typedef struct {
    void *context;
    /* Runs the transfers at the same time and gives the payload rate of each in bits per second.
     * In one set a host sends at most once and receives at most once.  false: measuring has failed,
     * something is broken. */
    bool (*rates)(void *context, const atn_infer_flow *flows, int n, double *rates);
    /* Time of a small message there and back, in seconds: the best of several, and how far apart
     * the best ones of repeated series were.  NULL: delays are not measured. */
    bool (*round_trip)(void *context, int a, int b, double *best, double *spread);
    /* How much is done, 0 .. 1; or NULL. */
    void (*progress)(void *context, double done);
} atn_prober;

typedef struct {
    uint64_t seed;
    int max_flows; /* maximum number of concurrent transfers (at least 4); 0: automatic */
} atn_infer_options;

typedef struct {
    double up, down; /* bits per second of payload; 0: not known */
    bool full;       /* it was seen full; otherwise the rates are what it carried at most */
    double delay;    /* one way, in seconds; 0: below the noise */
    double trust;    /* share of the measurements about this link that agree with it, 0 .. 1 */
} atn_inferred_link;

typedef struct {
    int hosts;
    int nnodes;  /* 0 .. hosts - 1 are the hosts, then come switches; the last one is the root */
    int *parent; /* -1: the root */
    atn_inferred_link *links; /* of each node to its parent */
    int probes;               /* sets of transfers that were measured */
    int pings;                /* pairs whose delay was measured */
    bool searched_fast;       /* also with many transfers at once */
    char *remarks;            /* lines about what could not be decided; may be empty */
} atn_inferred;

atn_status atn_topo_infer(const atn_prober *prober, int hosts, const atn_infer_options *options,
                          atn_inferred **inferred_p, atn_error *err);
void atn_topo_inferred_free(atn_inferred *r); /* NULL is fine */

/* The topology: host i has names[i], rank r runs on host_of[r].  Payload rates become rates of
 * links: headers are added, and what is within a few percent of a usual rate, or of the rate of
 * many others, is taken for it. */
atn_status atn_topo_inferred_topo(const atn_inferred *r, const char *const *names,
                                  const int *host_of, int p, atn_topo **topo_p, atn_error *err);
/* 0 stays 0. */
int64_t atn_topo_link_rate(double payload_rate);

#endif
