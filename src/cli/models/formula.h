/* formula.h - operands of `attune model`: algorithms on rank mappings, or tau-Lop expressions. */
#ifndef ATN_CLI_MODELS_FORMULA_H
#define ATN_CLI_MODELS_FORMULA_H

#include "cli/lookup.h"
#include "research/taulop/derive.h"

/* Rank mapping and cost model, in addition to atn_cli_schedule_options. */
extern const atn_option atn_cli_formula_options[];

/* The traffic of an algorithm or a schedule file, and its mapping: `word`, else that of the
 * options. `block`: the symbol of a natural block. */
typedef struct {
    atn_traffic traffic;
    atn_mapping mapping;
    atn_form block;
} atn_placed;
atn_status atn_cli_placed_read(const atn_args *a, const char *name, const char *word,
                               atn_placed *placed_p, atn_error *err);
void atn_cli_placed_free(atn_placed *x);
atn_tau_view atn_cli_formula_view(const atn_args *a, atn_form block);
atn_tau_style atn_cli_formula_style(const atn_args *a);

/* "OP/ALGORITHM[@MAPPING]", a schedule file, or an expression: its canonical form. */
atn_status atn_cli_formula_read(const atn_args *a, const char *operand, atn_terms *terms_p,
                                atn_error *err);

#endif
