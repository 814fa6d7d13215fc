/* communicators.h - overlapping communicators of all kinds, for random programs. */
#ifndef TEST_COMMUNICATORS_H
#define TEST_COMMUNICATORS_H

#include "harness.h"

enum { WORLD, RENEWED, HALVES, PARITY, REVERSED, ALL_BUT_ONE, GRID, GRAPH, COMMS };

typedef struct {
    const char *name;
    MPI_Comm comm;
    bool topology;
} t_member;

/* RENEWED may be replaced by the program; the first one is MPI_COMM_WORLD itself. */
extern t_member t_comms[COMMS];
/* `repeatable`: the neighbours of the graph have the same order in every run. */
void t_comms_make(bool repeatable);
void t_comms_free(void);
/* A kind of operation.h that the MPI library supports on the communicator. */
int t_kind_random(t_rng *rng, const t_member *m);

#endif
