/* phased.h - emits one rank's part of an alltoall in phases, with more or less synchronisation. */
#ifndef ATN_PHASED_H
#define ATN_PHASED_H

#include "algo/phases.h"
#include "sched/builder.h"

typedef enum {
    ATN_PHASED_NONE,            /* each rank goes through its phases one after the other */
    ATN_PHASED_DUMMY,           /* the same; idle ranks exchange messages that mean nothing */
    ATN_PHASED_SENDER,          /* a message waits until those before it on its way are sent */
    ATN_PHASED_RECEIVER,        /* ... until they are received */
    ATN_PHASED_BARRIER,         /* all ranks wait for each other */
    ATN_PHASED_BARRIER_SENDER,  /* the same between blocks of phases, `sender` inside of them */
    ATN_PHASED_BARRIER_RECEIVER /* the same with `receiver` */
} atn_phased_sync;

typedef struct {
    atn_phased_sync sync;
    int block; /* phases that are not kept apart: 1 keeps all apart */
} atn_phased;

/* Every message travels in q->pieces pieces, all in its phase. */
void atn_phased_emit(atn_builder *b, const atn_problem *q, const atn_phases *x, const int *capacity,
                     const atn_phased *how);
/* A schedule from given phases. */
atn_status atn_phased_build(const atn_problem *q, const atn_phases *x, const int *capacity,
                            const atn_phased *how, const char *name, atn_schedule **schedule_p,
                            atn_error *err);

#endif
