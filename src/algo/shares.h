/* shares.h - a message cut into equal parts, of which each rank of a group has a share. */
#ifndef ATN_SHARES_H
#define ATN_SHARES_H

#include "algo/algo.h"

/* Share i of a group are the parts first + i * each and following, `each` of them. */
typedef struct {
    int p, r;         /* ranks of the group, own number in it */
    const int *ranks; /* numbers to ranks; NULL: the same */
    int first, each;
    bool ordered; /* the operator is not commutative */
} atn_group;

/* All ranks, which have cut the message into one part each. */
atn_group atn_group_all(atn_builder *b, const atn_problem *q);

/* Reduce-scatter of the shares in `from`; the own one ends in `to`.  prm NULL: defaults. */
void atn_shares_scatter(atn_builder *b, const atn_group *g, atn_ref from, atn_ref to,
                        const atn_algo *algo, const atn_params *prm);
/* Allgather in DST, where the own share lies. */
void atn_shares_gather(atn_builder *b, const atn_group *g, const atn_algo *algo);
/* The one, then the other: allreduce. */
void atn_shares_allreduce(atn_builder *b, const atn_group *g, atn_ref from, const atn_algo *scatter,
                          const atn_algo *gather);
/* Allgathers that all ranks begin and end together: words of a parameter. */
extern const char *const atn_gather_words[];
enum { ATN_GATHER_LAST = 9 };
/* Where the own share lies in the result. */
atn_ref atn_own_share(const atn_group *g);

#endif
