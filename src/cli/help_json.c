/* help_json.c - the tables of commands as JSON, for programs that offer them. */
#include <string.h>

#include "cli/cli.h"

static void put_words(atn_json *j, const char *key, const char *const *words)
{
    atn_report_json_open(j, key, '[');
    for (int i = 0; words && words[i]; i++)
        atn_report_json_text(j, NULL, words[i]);
    atn_report_json_close(j, ']');
}

static void put_option(atn_json *j, const atn_option *o)
{
    const char letter[2] = {o->letter, '\0'};
    atn_report_json_open(j, NULL, '{');
    atn_report_json_text(j, "name", o->name);
    atn_report_json_text(j, "letter", o->letter ? letter : NULL);
    atn_report_json_text(j, "argument", o->argument);
    put_words(j, "values", o->words);
    atn_report_json_text(j, "default", o->fallback);
    atn_report_json_text(j, "help", o->doc);
    atn_report_json_close(j, '}');
}

static void put_command(atn_json *j, int i)
{
    const atn_command *const c = atn_cli_command_at(i);
    char name[64];
    atn_option o;
    snprintf(name, sizeof name, "%s%s%s", c->noun, c->verb ? " " : "", c->verb ? c->verb : "");
    atn_report_json_open(j, NULL, '{');
    atn_report_json_text(j, "command", name);
    atn_report_json_text(j, "group", atn_cli_group_word(atn_cli_command_group(i)));
    atn_report_json_text(j, "help", c->help);
    atn_report_json_text(j, "operands", c->operands);
    atn_report_json_bool(j, "starts", c->flags & ATN_CMD_REST);
    put_words(j, "formats", c->formats);
    atn_report_json_open(j, "options", '[');
    for (int k = 0; atn_cli_command_option(c, k, &o); k++)
        put_option(j, &o);
    atn_report_json_close(j, ']');
    atn_report_json_close(j, '}');
}

/* `word`: a noun, else a group, "all" or NULL; `verb` may be NULL. */
static bool is_selected(int i, const char *word, const char *verb)
{
    const atn_command *const c = atn_cli_command_at(i);
    atn_noun noun;
    if (c->flags & ATN_CMD_HIDDEN)
        return false;
    if (word == NULL || strcmp(word, "all") == 0)
        return verb == NULL;
    if (atn_cli_noun_find(word, &noun))
        return strcmp(word, c->noun) == 0 && (!verb || (c->verb && strcmp(verb, c->verb) == 0));
    return !verb && strcmp(word, atn_cli_group_word(atn_cli_command_group(i))) == 0;
}

atn_status atn_cli_help_json(FILE *f, const char *word, const char *verb, atn_error *err)
{
    atn_json j = {.f = f};
    int n = 0;
    for (int i = 0; i < atn_cli_command_count(); i++)
        n += is_selected(i, word, verb);
    if (n == 0)
        return atn_fail(err, ATN_USAGE,
                        "'%s%s%s' is neither a command nor a group of commands, which --format "
                        "json describes; attune help all lists them",
                        word, verb ? " " : "", verb ? verb : "");
    atn_report_json_open(&j, NULL, '{');
    atn_report_json_int(&j, "version", 1); /* docs/schema/help.json */
    atn_report_json_text(&j, "attune", ATN_VERSION);
    atn_report_json_open(&j, "commands", '[');
    for (int i = 0; i < atn_cli_command_count(); i++)
        if (is_selected(i, word, verb))
            put_command(&j, i);
    atn_report_json_close(&j, ']');
    atn_report_json_close(&j, '}');
    return ATN_OK;
}
