/* lookup.h - resolves names on the command line to rows of the catalogue and to schedules. */
#ifndef ATN_CLI_LOOKUP_H
#define ATN_CLI_LOOKUP_H

#include "cli/cli.h"
#include "plan/choice.h"
#include "sched/neighbourhood.h"
#include "topo/topo.h"

/* "allreduce/ring", "allreduce/ring{segment=8K}" or "allreduce/ring:segment=8K". */
atn_status atn_cli_lookup_choice(const char *name, atn_choice *choice_p, atn_error *err);
atn_status atn_cli_lookup_operation(const char *name, atn_operation *op_p, atn_error *err);

/* Applies --param. */
atn_status atn_cli_lookup_params(const atn_args *a, atn_choice *choice, atn_error *err);

/* The schedules of all ranks. */
typedef struct {
    int p;
    atn_schedule **v;
} atn_set;
void atn_cli_set_free(atn_set *set);
/* Reads a schedule file; p is 0 or its number of ranks. */
atn_status atn_cli_set_read(const char *path, int p, atn_set *set_p, atn_error *err);

/* Options of every command that takes a schedule; operand 0 is a name or a file. */
extern const atn_option atn_cli_schedule_options[];
enum { ATN_RANKS_MAX = 4096 };
/* The option -p; `least`: minimum number of ranks. */
#define ATN_OPTION_RANKS(least)                                                                    \
    {                                                                                              \
        .name = "ranks", .letter = 'p', .argument = "N", .fallback = "8",                          \
        .doc = "Number of ranks", .type = ATN_OPT_INT, .min = (least), .max = ATN_RANKS_MAX        \
    }

#define ATN_OPTION_NEIGHBORS                                                                       \
    ATN_TEXT("neighbors", "GRAPH", NULL,                                                           \
             "Neighbours of a neighbourhood collective: cart:4x4, cart:4px4p (periodic), "         \
             "box:4x4p (with diagonals), ring, random:DEGREE:SEED or graph:FILE (edges FROM TO)")

/* What the options request, on p ranks. */
typedef struct {
    bool file; /* operand 0 is a file; of the options only --topology applies */
    atn_choice choice;
    atn_problem q; /* for rank 0 */
    bool in_place;
    atn_topo *topo;         /* NULL: none given */
    const char *neighbours; /* the option --neighbors; NULL: not given */
} atn_request;
/* Reads the topology, or the problem of an operation on it, or both. */
atn_status atn_cli_request_topology(const atn_args *a, atn_request *want, atn_error *err);
atn_status atn_cli_request_operation(const atn_args *a, atn_operation op, atn_request *want,
                                     atn_error *err);
atn_status atn_cli_request_read(const atn_args *a, atn_request *q_p, atn_error *err);
void atn_cli_request_end(atn_request *want);
/* The number of ranks: of the topology if there is one, else `requested`; `given`: by the user. */
atn_status atn_cli_request_ranks(const atn_request *want, int requested, bool given, int *p_p,
                                 atn_error *err);
/* The neighbours of p ranks; NULL if the operation has none.  The caller frees them. */
atn_status atn_cli_request_neighbours(const atn_request *want, atn_operation op, int p,
                                      atn_neighbourhood **n_p, atn_error *err);
/* Whether topology or neighbours determine the number of ranks. */
bool atn_cli_request_fixed(const atn_request *want);
/* Loads a topology; if it places no ranks, each host gets one. */
atn_status atn_cli_lookup_topology(const char *name, atn_topo **topo_p, atn_error *err);
/* Builds the schedules of all p ranks; for a file, p is 0 or equal to its number of ranks. */
atn_status atn_cli_request_build(const atn_args *a, const atn_request *want, int p, atn_set *set_p,
                                 atn_error *err);

/* Algorithms that operands name: individually, or all of an operation that are applicable. */
typedef struct {
    const atn_args *a;
    const atn_request *want; /* common to all */
    int p;
    void (*fit)(const void *context, atn_choice *c); /* sets parameters of algorithms not named
                                                        individually; NULL: defaults */
    atn_status (*visit)(void *context, const atn_request *want, const char *name, atn_error *err);
    void *context;
} atn_visit;
atn_status atn_cli_visit_operand(const atn_visit *v, const char *name, atn_error *err);

#endif
