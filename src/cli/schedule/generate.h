/* generate.h - the parts of attune schedule generate. */
#ifndef ATN_CLI_SCHEDULE_GENERATE_H
#define ATN_CLI_SCHEDULE_GENERATE_H

#include "cli/cli.h"
#include "plan/choice.h"
#include "sched/generate.h"
#include "topo/topo.h"

enum { ATN_MOST_PROGRAMS = 1 << 14 }; /* over all ranks and roots */

/* What all routines of a file share. */
typedef struct {
    atn_topo *topo; /* NULL: unknown */
    int p;
    int first_root, roots; /* of operations with a root */
} atn_generate_ranks;

/* Reads --root. */
atn_status atn_cli_generate_roots(const atn_args *a, atn_generate_ranks *ranks, atn_error *err);
/* Operations that can be generated: "allgather, allreduce, ...". */
const char *atn_cli_generate_names(char out[ATN_ERROR_ROOM]);

/* The problem of rank r in a set of schedules (root first_root + set). */
atn_problem atn_cli_generate_problem(const atn_generate_ranks *ranks, const atn_choice *choice,
                                     int set, int r);
/* Everything but schedules and `about`. */
void atn_cli_generate_describe(const atn_choice *choice, const atn_generate_ranks *ranks,
                               atn_generated *v);
/* Builds and verifies schedules for all roots.  ATN_NOT_APPLICABLE with a reason. */
atn_status atn_cli_generate_build(const atn_choice *choice, const atn_generate_ranks *ranks,
                                  atn_generated *v, atn_error *err);
void atn_cli_generate_free(atn_generated *v, int p);

/* The tuned routines of a wisdom file (--wisdom). */
atn_status atn_cli_generate_tuned(const atn_args *a, atn_error *err);

#endif
