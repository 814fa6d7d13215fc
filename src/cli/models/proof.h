/* proof.h - compares two costs, and writes the steps of the proof and its verdict. */
#ifndef ATN_CLI_MODELS_PROOF_H
#define ATN_CLI_MODELS_PROOF_H

#include "cli/cli.h"
#include "research/taulop/compare.h"

typedef struct {
    FILE *text;  /* receives lines, unless `j` is given */
    atn_json *j; /* receives the members steps and verdict */
    atn_tau_style style;
    bool slower; /* the network is slower than memory */
} atn_proof_output;

atn_status atn_cli_proof_write(const atn_proof_output *to, const atn_terms *x, const atn_terms *y,
                               atn_error *err);

#endif
