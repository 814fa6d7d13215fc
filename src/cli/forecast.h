/* forecast.h - shared by commands that predict: machine, rank mapping, problem, printed times. */
#ifndef ATN_CLI_FORECAST_H
#define ATN_CLI_FORECAST_H

#include "cli/lookup.h"
#include "model/machine.h"

#define ATN_DOC_MACHINE                                                                            \
    "Machine file of 'attune measure'; default: 'builtin', a machine with Gigabit Ethernet"
#define ATN_OPTION_MAP                                                                             \
    ATN_TEXT("map", "ORDER", NULL,                                                                 \
             "Rank mapping on the topology: sequential, roundrobin, or a list of hosts")

/* Loads --machine, else the built-in machine; rejects one that was measured on another cluster.
 * With ATTUNE_TRANSPORT=mpi its shared channel is not used. */
atn_status atn_cli_forecast_load(const atn_args *a, const atn_topo *t, atn_machine **machine_p,
                                 atn_error *err);
/* Places the ranks of a topology by --map; replaces *topo_p. */
atn_status atn_cli_forecast_place(const atn_args *a, atn_topo **topo_p, atn_error *err);

/* The ranks that share memory unless ATTUNE_TRANSPORT is mpi: those of each host; all of a machine
 * that has only one. */
atn_status atn_cli_forecast_sharing(const atn_machine *m, const atn_topo *t, atn_sharing *sharing_p,
                                    atn_error *err);

/* "allreduce:32:64K:f64:sum": operation, ranks (may be empty with a topology), bytes, and for
 * reductions type and operator, for rooted operations the root. */
typedef struct {
    atn_problem q;
    char type[16], op[16]; /* empty: any */
} atn_forecast;
atn_status atn_cli_forecast_parse(const char *text, const atn_topo *t, atn_forecast *f_p,
                                  atn_error *err);

/* "3.21 ms" */
const char *atn_cli_forecast_time(double seconds, char out[32]);

#endif
