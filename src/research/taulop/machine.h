/* tau_machine.h - the numbers of a machine file for tau-Lop formulas. */
#ifndef ATN_TAU_MACHINE_H
#define ATN_TAU_MACHINE_H

#include "research/taulop/expr.h"

/* NULL or "builtin": the machine that is assumed where nothing was measured. */
atn_status atn_tau_machine_load(const char *path, atn_tau_costs *costs_p, atn_error *err);
void atn_tau_machine_free(atn_tau_costs *costs);

#endif
