/* survey.h - what `attune measure` says about what it observed. */
#ifndef ATN_CLI_SURVEY_H
#define ATN_CLI_SURVEY_H

#include "model/survey.h"

/* A row for each kind and channel: how much was observed, how certain it is. */
atn_status atn_survey_report(FILE *f, const atn_survey *s, const char *format, bool terminal,
                             atn_error *err);

#endif
