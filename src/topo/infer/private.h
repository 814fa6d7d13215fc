/* private.h - the steps of inference. */
#ifndef ATN_TOPO_INFER_PRIVATE_H
#define ATN_TOPO_INFER_PRIVATE_H

#include "base/stats.h"
#include "topo/infer.h"
#include "topo/infer/tree.h"

/* A delay that was measured. */
typedef struct {
    int a, b;
    double seconds, spread;
} atn_ping;

/* Hosts that are near each other and far from all others. */
typedef struct {
    bool *inside; /* by host */
    int n;
} atn_host_group;

typedef struct {
    const atn_prober *prober;
    int hosts;
    int max_flows;
    uint64_t random;
    bool broken; /* the prober gave up: no more measurements, run out */
    bool no_memory;
    atn_infer_tree tree;
    double *base;     /* from * hosts + to: rate of that transfer alone; 0: not measured yet */
    double *out, *in; /* best rate of each host so far, alone */
    double *speed;    /* of each host, the better of the two when it was first measured */
    /* Everything measured: set i is flows[ends[i - 1]] .. flows[ends[i] - 1]. */
    ATN_VEC(atn_infer_flow) flows;
    ATN_VEC(double) rates;
    ATN_VEC(int) ends;
    ATN_VEC(atn_ping) pings;
    ATN_VEC(atn_host_group) clusters;
    int *lanes;    /* by node: transfers that the link above it serves at the same time */
    double budget; /* sets of transfers that are expected, for progress */
    bool searched_fast;
    FILE *remarks;
} atn_infer_state;

/* ---- sample.c: measurements and what they mean ---- */

int atn_topo_infer_pick(atn_infer_state *s, int n); /* 0 .. n - 1 */
void atn_topo_infer_shuffle(atn_infer_state *s, int *v, int n);

/* One set of transfers.  After a failure all rates are 1. */
void atn_topo_infer_sample(atn_infer_state *s, const atn_infer_flow *flows, int n, double *rates);
/* Rate of a transfer alone; measured when it is not known yet. */
double atn_topo_infer_base(atn_infer_state *s, int from, int to);
/* What a transfer alone cannot exceed, as far as is known without measuring. */
double atn_topo_infer_limit(const atn_infer_state *s, int from, int to);
/* How fast transfers are for which no link is too slow, given the part of its separate rate that
 * each reached: when all are slow the machines are busy, not the links. */
double atn_topo_infer_level(const double *part, int n);
/* Below this share of their separate rates two transfers are taken to share a link. */
double atn_topo_infer_threshold(double a, double b);
/* Does a link separate {z, a} from {x, y}?  `yes`: the number of measurements so far that
 * confirm it. */
bool atn_topo_infer_share(atn_infer_state *s, int z, int a, int x, int y, int yes);

/* ---- units.c: the branches of a switch as senders and receivers ---- */

typedef struct {
    int node;       /* neighbour of the switch */
    int size;       /* hosts in the branch */
    int send, recv; /* hosts that stand for it, different ones when there are two */
    double out, in; /* rates of these two with other branches */
} atn_branch;

/* Returns how many branches v has (room for hosts).  `turn` chooses other hosts to stand for
 * them. */
int atn_topo_infer_units(const atn_infer_state *s, int v, int turn, atn_branch *units);
/* The same without those that are far away from all others. */
int atn_topo_infer_near_units(const atn_infer_state *s, int v, int turn, atn_branch *units);

/* Best rate seen of a host with hosts of other branches that could do more; 0: none of these has
 * been tried. */
double atn_topo_infer_seen(const atn_infer_state *s, const int *branch_of, int h, bool outwards);

/* The receiver of each of m >= 2 units of a batch, so that each receives from one other and fast
 * ones by fast ones: to[i] is the unit that batch[i] sends to. */
void atn_topo_infer_circle(const atn_branch *units, const int *batch, int m, int *to);

/* ---- hint.c: evidence from delays ---- */

/* Is one of the hosts in a cluster without the other? */
bool atn_topo_infer_apart(const atn_infer_state *s, int a, int b);
/* The unit of v that z belongs to, if clusters determine it, else ATN_NONE; skip: those it
 * cannot be in. */
int atn_topo_infer_hint(const atn_infer_state *s, int z, int v, const atn_branch *units, int d,
                        bool *skip);
/* Puts fast hosts first; those about equally fast stay in their order. */
void atn_topo_infer_by_speed(const atn_infer_state *s, int *hosts, int n);
/* The order in which hosts are best put in. */
void atn_topo_infer_order(atn_infer_state *s, int *order);

/* ---- locate.c ---- */

/* Puts a host that is outside into the tree. */
void atn_topo_infer_insert(atn_infer_state *s, int z);
/* Does a link part u and another neighbour of v from the rest?  Then at: that one, u, and two on
 * the other side. */
bool atn_topo_infer_beside(atn_infer_state *s, int v, int u, int at[4]);

/* ---- check.c ---- */

/* Tests the tree against new measurements and mends it; false when nothing had to change. */
bool atn_topo_infer_check(atn_infer_state *s);
/* A link parts the neighbours at[0], at[1] of v from at[2], at[3]: all that are on the side of the
 * first go behind it. */
void atn_topo_infer_put_link(atn_infer_state *s, int v, const int at[4]);
/* Hosts beyond u, seen from its neighbour v, in an order that takes from all branches there in
 * turn, fast ones and those that are not far away from host `here` first; returns how many. */
int atn_topo_infer_spread(atn_infer_state *s, int v, int u, int here, int *hosts);
/* Hosts of the smaller side of the link above w that send across it, and receivers; returns how
 * many pairs. */
int atn_topo_infer_across(atn_infer_state *s, int w, bool backwards, atn_infer_flow *flows);

/* ---- fast.c: links that only many transfers fill ---- */

void atn_topo_infer_fast(atn_infer_state *s);

/* ---- delay.c ---- */

void atn_topo_infer_pings(atn_infer_state *s);  /* measures, and finds clusters */
void atn_topo_infer_refine(atn_infer_state *s); /* puts them into the tree */
/* Is the link above w that of a cluster? */
bool atn_topo_infer_by_delay(const atn_infer_state *s, int w);
/* One-way delay of each link that parts a cluster; zero for others. */
void atn_topo_infer_delays(const atn_infer_state *s, double *delay);

#endif
