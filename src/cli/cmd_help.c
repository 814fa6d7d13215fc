/* cmd_help.c - attune help: what --help prints, by the names of commands. */
#include "cli/cli.h"

static int help(const atn_args *a, atn_error *err)
{
    const char *const noun = a->noperands > 0 ? a->operands[0] : NULL;
    const char *const verb = a->noperands > 1 ? a->operands[1] : NULL;
    const atn_command *const c = noun ? atn_command_find(noun, verb) : NULL;
    if (!noun)
        atn_help_all(a->out);
    else if (c && verb && !c->verb)
        return atn_fail(err, ATN_USAGE, "'%s' has no commands of its own; write attune help %s",
                        noun, noun);
    else if (c)
        atn_help_command(a->out, c);
    else if (atn_command_is_noun(noun) && !verb)
        atn_help_noun(a->out, noun);
    else
        return atn_command_unknown(atn_command_is_noun(noun) ? noun : NULL,
                                   atn_command_is_noun(noun) ? verb : noun, err);
    return ATN_OK;
}

const atn_command atn_cmd_help = {
    .noun = "help",
    .operands = "[COMMAND [VERB]]",
    .max_operands = 2,
    .help = "Show what a command does and its options",
    .detail = "'attune help' is 'attune --help', 'attune help algo' is 'attune algo --help', and "
              "'attune help algo list' is 'attune algo list --help'.",
    .flags = ATN_CMD_OUTPUT,
    .run = help,
};
