/* neighbourhood.h - the virtual topology of neighbourhood collectives: for every rank its sources
 * and its destinations, in the order of its blocks.
 *
 * A Cartesian grid is computed in closed form: 2 * ndims neighbours, for each dimension the one in
 * negative, then in positive direction.  A graph is stored as lists of all ranks.  A neighbour may
 * be missing (MPI_PROC_NULL): its block exists and is neither sent nor written.
 *
 * Edges match as in MPI 4: a block that a grid sends in one direction arrives from the opposite
 * one, even if both neighbours are the same rank; in a graph, the k-th edge from u to v in the
 * list of u is the k-th occurrence of u in the list of v. */
#ifndef ATN_SCHED_NEIGHBOURHOOD_H
#define ATN_SCHED_NEIGHBOURHOOD_H

#include "base/base.h"
#include "sched/box.h"

typedef enum { ATN_INWARD, ATN_OUTWARD, ATN_WAYS_OF_EDGES } atn_way;

/* The lists of one direction: those of rank r are ranks[first[r] .. first[r + 1]). */
typedef struct {
    const int *first, *ranks;
    const int *mate;  /* of each edge: its index in the list of the other end */
    const int *round; /* see atn_sched_neighbourhood_round */
} atn_adjacency;

typedef struct atn_neighbourhood {
    int p;
    int most;     /* the largest number of neighbours of a rank in one direction */
    int rounds;   /* see atn_sched_neighbourhood_round */
    bool repeats; /* some rank sends several blocks to the same other rank */
    bool lonely;  /* some rank has no neighbours at all */
    /* Some rank has several edges to the same rank, or to itself: MPI libraries differ in the
     * blocks that match (docs/neighbours.md). */
    bool doubtful;
    bool grid;
    int ndims; /* grid only, row-major: the last dimension varies fastest */
    const int *dims, *periods;
    atn_adjacency list[ATN_WAYS_OF_EDGES]; /* graph only */
    atn_box box;                           /* graph only */
    _Atomic int holders;                   /* besides the first */
} atn_neighbourhood;

/* Arguments are copied. */
atn_status atn_sched_neighbourhood_grid(int ndims, const int *dims, const int *periods,
                                        atn_neighbourhood **n_p, atn_error *err);
/* first[way] has p + 1 entries.  Both directions must have the same edges. */
atn_status atn_sched_neighbourhood_graph(int p, const int *const first[ATN_WAYS_OF_EDGES],
                                         const int *const ranks[ATN_WAYS_OF_EDGES],
                                         atn_neighbourhood **n_p, atn_error *err);
/* For another holder: each of them frees it.  NULL is fine. */
const atn_neighbourhood *atn_sched_neighbourhood_share(const atn_neighbourhood *n);
void atn_sched_neighbourhood_free(const atn_neighbourhood *n);

/* Neighbours of a rank, with those that are missing. */
int atn_sched_neighbourhood_count(const atn_neighbourhood *n, int r, atn_way way);
/* Neighbour i of a rank; -1: missing. */
int atn_sched_neighbourhood_rank(const atn_neighbourhood *n, int r, atn_way way, int i);
/* The index of the edge at its other end; -1: missing. */
int atn_sched_neighbourhood_mate(const atn_neighbourhood *n, int r, atn_way way, int i);
/* A round from 0 on for every edge, the same at both ends: in each round, a rank sends at most once
 * and receives at most once.  -1: missing, or an edge to the rank itself. */
int atn_sched_neighbourhood_round(const atn_neighbourhood *n, int r, atn_way way, int i);
bool atn_sched_neighbourhood_equal(const atn_neighbourhood *a, const atn_neighbourhood *b);

/* ---- text (neighbourhood_text.c) ---- */

/* Words for p ranks: "cart:4x4", "cart:4px4p" (p: periodic), "ring" (cart, periodic),
 * "box:4x4p" (a graph: the grid with all 3^d - 1 neighbours of a rank, in row-major order),
 * "random:DEGREE:SEED" (DEGREE edges from every rank to random ones),
 * "lists:SOURCES/DESTINATIONS;..." with the lists of every rank separated by commas.  p 0: any
 * number of ranks that the word determines. */
atn_status atn_sched_neighbourhood_parse(const char *word, int p, atn_neighbourhood **n_p,
                                         atn_error *err);
/* A file with one edge "FROM TO" per line; lists are in the order of lines. */
atn_status atn_sched_neighbourhood_edges(const char *text, const char *file, int p,
                                         atn_neighbourhood **n_p, atn_error *err);
/* A word that atn_sched_neighbourhood_parse reads. */
void atn_sched_neighbourhood_print(FILE *f, const atn_neighbourhood *n);

#endif
