/* generate_private.h - the source text of generated routines. */
#ifndef ATN_SCHED_GENERATE_PRIVATE_H
#define ATN_SCHED_GENERATE_PRIVATE_H

#include "sched/generate.h"

extern const char atn_sched_generate_runtime[], atn_generate_packed[], atn_generate_typed[];
extern const char atn_generate_find[], atn_generate_size[], atn_generate_sum[];

typedef struct {
    atn_operation op;
    const char *mpi;       /* "Alltoall" */
    const char *arguments; /* declared, and by name */
    const char *names;
    const char *body;
    const char *bytes; /* the size that ranks share, as an expression; NULL: none */
} atn_entry;

/* NULL: there is no routine for the operation. */
const atn_entry *atn_sched_generate_entry(atn_operation op);

/* The tables of all schedules, and the variants (generate_tables.c). */
void atn_sched_generate_tables(FILE *f, const atn_generation *g);

#endif
