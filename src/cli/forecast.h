/* forecast.h - what commands that predict share: machine, placement, problem, times for people. */
#ifndef ATN_FORECAST_H
#define ATN_FORECAST_H

#include "cli/lookup.h"
#include "model/machine.h"

/* What --machine names, else the built-in one; refused when it was measured on another cluster. */
atn_status atn_forecast_load(const atn_args *a, const atn_topo *t, atn_machine **machine_p,
                             atn_error *err);
/* Puts the ranks of a topology where --map says; *topo_p is replaced. */
atn_status atn_forecast_place(const atn_args *a, atn_topo **topo_p, atn_error *err);

/* "allreduce:32:64K:f64:sum": operation, ranks (may be empty with a topology), bytes, and for
 * reductions type and operator, for rooted operations the root. */
typedef struct {
    atn_problem q;
    char type[16], op[16]; /* empty: any */
} atn_forecast;
atn_status atn_forecast_parse(const char *text, const atn_topo *t, atn_forecast *f_p,
                              atn_error *err);

/* "3.21 ms" */
const char *atn_forecast_time(double seconds, char out[32]);

#endif
