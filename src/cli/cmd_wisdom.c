/* cmd_rules.c - attune rules show: checks a rule file and prints it as Attune would write it. */
#include "cli/cli.h"
#include "plan/rules.h"

static int run(const atn_args *a, atn_error *err)
{
    atn_rules *rules;
    atn_status status = atn_rules_read(a->operands[0], &rules, err);
    if (status != ATN_OK)
        return status;
    if (!atn_rules_print(a->out, rules))
        status = atn_fail(err, ATN_MEMORY, "out of memory");
    atn_rules_free(rules);
    return status;
}

const atn_command atn_cmd_rules_show = {
    .noun = "rules",
    .verb = "show",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .help = "Check a file of rules (wisdom) and print it sorted and aligned",
    .detail = "Comments, provenance and measured fields are kept, and so is which rule matches "
              "first. With -o FILE the same file may be rewritten in place.",
    .flags = ATN_CMD_OUTPUT,
    .run = run,
};
