/* gzip.h - streams that compress what is written to them. */
#ifndef ATN_CLI_TRACES_GZIP_H
#define ATN_CLI_TRACES_GZIP_H

#include "base/base.h"

/* Writes to `to`, compressed, until the stream is closed; `to` stays open. */
atn_status atn_cli_gzip_open(FILE *to, FILE **f_p, atn_error *err);

#endif
