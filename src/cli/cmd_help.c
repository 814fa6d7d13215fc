/* cmd_help.c - attune help: commands, groups and topics. */
#include <string.h>

#include "cli/cli.h"

static int help(const atn_args *a, atn_error *err)
{
    const char *const word = a->noperands > 0 ? a->operands[0] : NULL;
    const char *const verb = a->noperands > 1 ? a->operands[1] : NULL;
    const atn_command *const c = word ? atn_cli_command_find(word, verb) : NULL;
    atn_noun noun;
    if (strcmp(atn_cli_arg_format(a), "json") == 0)
        return atn_cli_help_json(a->out, word, verb, err);
    if (!word)
        atn_cli_help_first(a->out);
    else if (c && verb && !c->verb)
        return atn_fail(err, ATN_USAGE, "'%s' has no verbs; write attune help %s", word, word);
    else if (c)
        atn_cli_help_command(a->out, c);
    else if (atn_cli_noun_find(word, &noun) && verb)
        return atn_cli_command_unknown(word, verb, err);
    else if (atn_cli_noun_find(word, &noun))
        atn_cli_help_noun(a->out, &noun);
    else if (verb || !atn_cli_help_word(a->out, word))
        return atn_cli_help_unknown(word, err);
    return ATN_OK;
}

static const char *const formats[] = {"text", "json", NULL};

const atn_command atn_cmd_help = {
    .noun = "help",
    ATN_OPERANDS("[COMMAND [VERB] | GROUP | TOPIC | all]", 0, 2),
    .help = "Describe a command, a group of commands or a topic",
    .detail = "Without a word, 'attune help' is 'attune --help'. 'attune help algo list' is "
              "'attune algo list --help'. 'attune help all' lists all commands and topics. "
              "--format json describes commands for other programs: operands, formats, options.",
    .examples = ATN_NOTES({"attune help all", "List all commands by group"},
                          {"attune help tune", "Describe 'attune tune' and its options"},
                          {"attune help environment", "List the environment variables"},
                          {"attune help all --format json", "Describe all commands as JSON"}),
    .formats = formats,
    .flags = ATN_CMD_OUTPUT,
    .run = help,
};
