/* shares.h - a message divided into equal parts, with one share per rank of a group. */
#ifndef ATN_ALGO_SHARES_H
#define ATN_ALGO_SHARES_H

#include "algo/algo.h"

/* Share i of a group consists of the `each` parts from first + i * each on. */
typedef struct {
    int p, r;         /* ranks of the group, own index in it */
    const int *ranks; /* index -> rank; NULL: identity */
    int first, each;
    bool ordered; /* the operator is not commutative */
} atn_group;

/* The group of all ranks; divides the message into one part per rank. */
atn_group atn_algo_group_all(atn_builder *b, const atn_problem *q);

/* Reduce-scatter of the shares in `from`; the rank's own share ends in `to`. */
void atn_algo_shares_scatter(atn_builder *b, const atn_group *g, atn_ref from, atn_ref to,
                             const atn_algo_use *part);
/* Allgather in DST, which holds the rank's own share. */
void atn_algo_shares_gather(atn_builder *b, const atn_group *g, const atn_algo_use *part);
/* Both in sequence: allreduce. */
void atn_algo_shares_allreduce(atn_builder *b, const atn_group *g, atn_ref from,
                               const atn_algo_use *scatter, const atn_algo_use *gather);
/* Names of allgathers that all ranks begin and end at the same time: words of a parameter. */
extern const char *const atn_algo_gather_words[];
enum { ATN_GATHER_LAST = 9 };
/* The rank's own share in the result. */
atn_ref atn_algo_own_share(const atn_group *g);

#endif
