/* machine.h - the parameters of a machine file for tau-Lop formulas. */
#ifndef ATN_RESEARCH_TAULOP_MACHINE_H
#define ATN_RESEARCH_TAULOP_MACHINE_H

#include "research/taulop/expr.h"

/* NULL or "builtin": the built-in machine. */
atn_status atn_tau_machine_load(const char *path, atn_tau_costs *costs_p, atn_error *err);
void atn_tau_machine_free(atn_tau_costs *costs);

#endif
