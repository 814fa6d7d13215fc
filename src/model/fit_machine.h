/* fit_machine.h - a machine file from a survey: parameters with their confidence intervals. */
#ifndef ATN_MODEL_FIT_MACHINE_H
#define ATN_MODEL_FIT_MACHINE_H

#include "model/machine.h"
#include "model/survey.h"

/* Fits, computes intervals and checks the machine.  The survey is unchanged on return. */
atn_status atn_model_fit_machine(atn_survey *s, atn_machine **machine_p, atn_error *err);

#endif
