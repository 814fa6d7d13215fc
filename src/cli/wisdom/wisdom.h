/* wisdom.h - wisdom for programs. */
#ifndef ATN_CLI_WISDOM_WISDOM_H
#define ATN_CLI_WISDOM_WISDOM_H

#include "cli/cli.h"
#include "plan/rules.h"

enum { ATN_WISDOM_COLUMNS = 16 };
extern const atn_column atn_cli_wisdom_columns[ATN_WISDOM_COLUMNS];
/* The row of a rule. */
void atn_cli_wisdom_cells(atn_table *t, const atn_rule *rule);

/* A row for each rule, in the format of --format. */
atn_status atn_cli_wisdom_table(const atn_args *a, const atn_rules *rules, atn_error *err);

#endif
