/* edges.h - messages along the edges of a neighbourhood, shared by its algorithms. */
#ifndef ATN_ALGO_EDGES_H
#define ATN_ALGO_EDGES_H

#include "algo/algo.h"
#include "sched/neighbourhood.h"

/* A message to or from another rank: some blocks of this rank. */
typedef struct {
    int peer, round; /* round: of neighbourhood.h, the earliest of its edges */
    int first, count;
} atn_packet;

/* All messages of a rank in one direction, by round.  Blocks of a packet are in the order of the
 * sender's edges at both ends. */
typedef struct {
    int n;
    atn_packet *v;
    atn_range *blocks;
} atn_packets;

/* One message for each edge, or (joined) for each other rank.  `group`: the group of each rank, for
 * edges inside groups only; or NULL.  False: no memory. */
bool atn_algo_packets_begin(const atn_problem *q, int rank, atn_way way, const int *group,
                            bool joined, atn_packets *x);
void atn_algo_packets_end(atn_packets *x);

/* Copies the blocks of edges to the rank itself. */
void atn_algo_edges_own(atn_builder *b, const atn_problem *q);
/* All these messages, by round; `rounds`: as rounds of the schedule. */
void atn_algo_edges_exchange(atn_builder *b, const atn_problem *q, const int *group, bool joined,
                             bool rounds);
/* An allgather sends one block to all destinations. */
static inline bool atn_algo_edges_common(const atn_problem *q)
{
    return atn_sched_operation_get(q->op)->source == ATN_SIDE_COMMON;
}

/* Messages on the longest path in a full-duplex single-port network; `ordered`: every round waits
 * for the one before.  -1: no memory, or no neighbourhood. */
int atn_algo_edges_depth(const atn_problem *q, bool joined, bool ordered);
/* Blocks in the largest message. */
int atn_algo_edges_width(const atn_problem *q);

#endif
