/* tables.c - groups, nouns and commands of commands.def, and names that are in none of them. */
#include "cli/cli.h"
#include "cli/topics.h"

#include <string.h>

static const struct {
    const atn_command *command;
    atn_help_group group;
} commands[] = {
#define ATN_COMMAND(id, group) {&atn_cmd_##id, ATN_GROUP_##group},
#include "cli/commands.def"
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct {
    const char *word, *title;
} groups[] = {
#define ATN_GROUP(id, word, title) {word, title},
#include "cli/commands.def"
};

static const struct {
    const char *name, *help, *detail;
} nouns[] = {
#define ATN_NOUN(name, help, detail) {name, help, detail},
#include "cli/commands.def"
};

const char *const atn_cli_first_nouns[] = {
#define ATN_FIRST(noun) noun,
#include "cli/commands.def"
    NULL,
};

const char *const atn_cli_mpi_words[] = {"openmpi", "mpich", NULL};

int atn_cli_command_count(void) { return COMMANDS; }

const atn_command *atn_cli_command_at(int i) { return commands[i].command; }

atn_help_group atn_cli_command_group(int i) { return commands[i].group; }

const char *atn_cli_group_word(atn_help_group g) { return groups[g].word; }

const char *atn_cli_group_title(atn_help_group g) { return groups[g].title; }

static bool same_noun(int i, int k)
{
    return i < COMMANDS && strcmp(commands[i].command->noun, commands[k].command->noun) == 0;
}

static atn_noun noun_from(int first)
{
    const atn_command *const c = commands[first].command;
    atn_noun noun = {.name = c->noun,
                     .help = c->help,
                     .first = first,
                     .verbs = c->verb != NULL,
                     .hidden = c->flags & ATN_CMD_HIDDEN};
    while (same_noun(first + noun.n, first))
        noun.n++;
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (strcmp(nouns[i].name, c->noun) == 0) {
            noun.help = nouns[i].help;
            noun.detail = nouns[i].detail;
        }
    return noun;
}

bool atn_cli_noun_at(int i, atn_noun *noun_p)
{
    int first = 0;
    for (; first < COMMANDS; first += noun_p->n) {
        *noun_p = noun_from(first);
        if (i-- == 0)
            return true;
    }
    return false;
}

bool atn_cli_noun_find(const char *name, atn_noun *noun_p)
{
    for (int i = 0; atn_cli_noun_at(i, noun_p); i++)
        if (strcmp(noun_p->name, name) == 0)
            return true;
    return false;
}

const atn_command *atn_cli_command_find(const char *noun, const char *verb)
{
    for (int i = 0; i < COMMANDS; i++) {
        const atn_command *const c = commands[i].command;
        if (strcmp(c->noun, noun) == 0 && (!c->verb || (verb && strcmp(c->verb, verb) == 0)))
            return c;
    }
    return NULL;
}

/* ---- unknown names ---- */

enum { MAX_WORDS = 64 };

static int noun_names(const char *words[MAX_WORDS])
{
    atn_noun noun;
    int n = 0;
    for (int i = 0; n < MAX_WORDS && atn_cli_noun_at(i, &noun); i++)
        if (!noun.hidden)
            words[n++] = noun.name;
    return n;
}

/* `what`: "command", and `before`: the noun and a space, or "". */
static atn_status unknown(const char *what, const char *before, const char *word,
                          const char *const *words, int n, atn_error *err)
{
    char all[ATN_ERROR_ROOM], question[96] = "";
    const char *const near = atn_nearest(word, words, n);
    if (near)
        snprintf(question, sizeof question, "did you mean '%s%s'? ", before, near);
    return atn_fail(err, ATN_USAGE, "unknown %s '%s%s'; %s%cvailable: %s (try 'attune %s--help')",
                    what, before, word, question, near ? 'A' : 'a',
                    atn_enumerate(words, n, ", ", all), before);
}

atn_status atn_cli_command_unknown(const char *noun, const char *word, atn_error *err)
{
    const char *words[MAX_WORDS];
    char before[64] = "";
    atn_noun own;
    int n = 0;
    if (noun && atn_cli_noun_find(noun, &own)) {
        snprintf(before, sizeof before, "%s ", noun);
        for (; n < own.n && n < MAX_WORDS; n++)
            words[n] = commands[own.first + n].command->verb;
    } else {
        n = noun_names(words);
    }
    return unknown("command", before, word, words, n, err);
}

atn_status atn_cli_help_unknown(const char *word, atn_error *err)
{
    const char *words[MAX_WORDS];
    atn_noun noun;
    int n = noun_names(words);
    words[n++] = "all";
    for (int i = 0; i < ATN_GROUPS && n < MAX_WORDS; i++)
        if (!atn_cli_noun_find(groups[i].word, &noun))
            words[n++] = groups[i].word;
    for (int i = 0; atn_cli_topics[i].name && n < MAX_WORDS; i++)
        words[n++] = atn_cli_topics[i].name;
    return unknown("help topic", "", word, words, n, err);
}
