/* generate_private.h - the source text of generated routines. */
#ifndef ATN_SCHED_GENERATE_PRIVATE_H
#define ATN_SCHED_GENERATE_PRIVATE_H

#include "sched/generate.h"

extern const char atn_sched_generate_runtime[], atn_generate_packed[], atn_generate_typed[];

typedef struct {
    atn_operation op;
    const char *mpi;       /* "Alltoall" */
    const char *arguments; /* declared, and by name */
    const char *names;
    const char *body;
    bool typed;
} atn_entry;

/* NULL: there is no routine for the operation. */
const atn_entry *atn_sched_generate_entry(atn_operation op);

#endif
