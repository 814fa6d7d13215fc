/* phased.h - emits one rank's part of a phased alltoall, with selectable synchronisation. */
#ifndef ATN_ALGO_PHASED_H
#define ATN_ALGO_PHASED_H

#include "algo/phases.h"
#include "sched/builder.h"

typedef enum {
    ATN_PHASED_NONE,            /* each rank executes its phases one after the other */
    ATN_PHASED_DUMMY,           /* the same; idle ranks exchange dummy messages */
    ATN_PHASED_SENDER,          /* a message waits until earlier ones on its links are sent */
    ATN_PHASED_RECEIVER,        /* ... until they are received */
    ATN_PHASED_BARRIER,         /* a barrier between phases */
    ATN_PHASED_BARRIER_SENDER,  /* a barrier between blocks of phases, `sender` inside a block */
    ATN_PHASED_BARRIER_RECEIVER /* the same with `receiver` */
} atn_phased_sync;
extern const char *const atn_algo_phased_words[]; /* their names */

typedef struct {
    atn_phased_sync sync;
    int block; /* consecutive phases that may overlap; 1: none */
} atn_phased;

/* Every message is sent in q->segments segments within its phase. */
void atn_algo_phased_emit(atn_builder *b, const atn_problem *q, const atn_phases *x,
                          const int *capacity, const atn_phased *how);
/* Builds a schedule from phases. */
atn_status atn_algo_phased_build(const atn_problem *q, const atn_phases *x, const int *capacity,
                                 const atn_phased *how, const char *name, atn_schedule **schedule_p,
                                 atn_error *err);

#endif
