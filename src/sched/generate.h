/* generate.h - writes a schedule as a C file of its own: a routine with the arguments of the MPI
 * function, tables for every rank, and a short loop that carries them out.  It needs nothing but
 * MPI and serves every communicator of that many ranks, every size and every datatype. */
#ifndef ATN_GENERATE_H
#define ATN_GENERATE_H

#include "sched/schedule.h"

typedef struct {
    const char *about;      /* one line: which algorithm for which topology */
    int p;                  /* ranks */
    int nsets;              /* programs: one per root, or one per pattern of calls */
    atn_schedule ***sets;   /* set, rank -> schedule, made for one piece and without MPI_IN_PLACE */
    int first_root;         /* rooted operations: set i is for root first_root + i */
    int ncalls;             /* alltoallv: call number i, again and again, runs set_of_call[i]; */
    const int *set_of_call; /* 0: all calls run set 0 */
    int64_t segment;  /* bytes: natural blocks travel in pieces, one behind the other; 0: whole */
    bool shares;      /* `segment` bounds one rank's share of a block */
    int64_t chunk;    /* bytes: each message is sent in chunks of that size; 0: whole */
    bool commutative; /* only operators that commute */
} atn_generation;

bool atn_generates(atn_operation op);
atn_status atn_generate(FILE *f, const atn_generation *g, atn_error *err);

#endif
