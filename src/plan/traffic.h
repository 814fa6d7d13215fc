/* traffic.h - what links make of a choice: how its messages compare with those of a closed form,
 * which all go through the slowest channel without contention.
 *
 * Estimated from the schedules of a few ranks below one switch: if all of them send in a round, so
 * do all others, and as large a part of these as of the few crosses the links above them. */
#ifndef ATN_PLAN_TRAFFIC_H
#define ATN_PLAN_TRAFFIC_H

#include "model/alpha_beta.h"
#include "model/model.h"
#include "plan/choice.h"
#include "plan/trial.h"

enum { ATN_TRAFFIC_RANKS = 6 };

/* Ranks that are looked at, and the part of all that each stands for; one more leads others. */
typedef struct {
    int n, rank[ATN_TRAFFIC_RANKS + 1];
    double part[ATN_TRAFFIC_RANKS + 1];
} atn_traffic_group;

typedef struct {
    const atn_topo *topo;
    const atn_machine *m;
    atn_alpha_beta net; /* what the closed form assumes for each message */
    double *use;        /* of a node: seconds per byte that every rank below sends over its link */
    atn_links_message message[ATN_CHANNEL_SLOTS], slowest; /* of each channel; the longest */
    double byte[ATN_CHANNEL_SLOTS];
    double memory;               /* seconds per byte that every rank of a host sends inside */
    bool hosts;                  /* the ranks are those of a host */
    atn_traffic_group some, few; /* few: where all ranks do alike */
} atn_link_traffic;

/* Factors on the two terms of a closed form: what messages take without bytes, and the rest.
 * overlap: the part of the former that is due to messages of a rank that do not depend on each
 * other; 1 where it is not known exactly.  least: what the busiest rank or link takes for its
 * bytes. */
typedef struct {
    double latency, overlap, bytes, least;
    atn_trial_probe probe; /* the first schedule; ops 0: rounds were left out */
} atn_traffic_factors;

/* topo must outlive it.  False: no memory. */
bool atn_plan_traffic_begin(const atn_topo *topo, const atn_machine *m, const atn_alpha_beta *net,
                            atn_link_traffic *x);
void atn_plan_traffic_end(atn_link_traffic *x);
/* For a choice on q, whose topology is that of x.  steps: reduced by those that were
 * made (trial.h).  False: nothing is found out. */
bool atn_plan_traffic_factors(const atn_link_traffic *x, const atn_choice *c, const atn_problem *q,
                              int64_t *steps, atn_traffic_factors *factors_p);

#endif
