/* survey.h - the report of `attune measure`. */
#ifndef ATN_CLI_SURVEY_H
#define ATN_CLI_SURVEY_H

#include "model/survey.h"

/* A row for each channel and class of observation: number of samples and spread. */
atn_status atn_cli_survey_report(FILE *f, const atn_survey *s, const char *format, bool terminal,
                                 atn_error *err);

#endif
