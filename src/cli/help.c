/* help.c - `--help` at every level, from the tables. */
#include "cli/cli.h"

#include <string.h>

enum { WIDTH = 80, DOC_COLUMN = 26 };

/* Prints words from the present column on, breaking lines before WIDTH and indenting the next;
 * a newline in the text starts a paragraph line of its own. */
static void wrap(FILE *f, const char *text, int indent, int column)
{
    bool first = true;
    while (*text) {
        const int length = (int)strcspn(text, " \n");
        if (!first && column + 1 + length > WIDTH) {
            fprintf(f, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        column += fprintf(f, "%s%.*s", first ? "" : " ", length, text);
        first = false;
        text += length;
        for (; *text == '\n'; text++) {
            fprintf(f, "\n%*s", text[1] == '\n' ? 0 : indent, "");
            column = indent;
            first = true;
        }
        text += *text == ' ';
    }
    fputc('\n', f);
}

static void row(FILE *f, const char *left, const char *doc)
{
    const int used = fprintf(f, "  %s", left);
    if (used + 2 > DOC_COLUMN)
        fprintf(f, "\n%*s", DOC_COLUMN, "");
    else
        fprintf(f, "%*s", DOC_COLUMN - used, "");
    wrap(f, doc, DOC_COLUMN, DOC_COLUMN);
}

static void option_row(FILE *f, const atn_option *o)
{
    char left[96], letter[8] = "    ", doc[640];
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    const bool maybe = o->type == ATN_OPT_MAYBE;
    snprintf(left, sizeof left, "%s--%s%s%s%s", letter, o->name,
             maybe         ? "[="
             : o->argument ? " "
                           : "",
             o->argument ? o->argument : "", maybe ? "]" : "");
    snprintf(doc, sizeof doc, "%s", o->doc);
    for (int i = 0; o->words && o->words[i]; i++) {
        const size_t used = strlen(doc);
        snprintf(doc + used, sizeof doc - used, "%s%s", i ? ", " : ": ", o->words[i]);
    }
    if (atn_option_repeats(o))
        strncat(doc, "; may be repeated", sizeof doc - strlen(doc) - 1);
    if (o->fallback) {
        const size_t used = strlen(doc);
        snprintf(doc + used, sizeof doc - used, " [%s]", o->fallback);
    }
    row(f, left, doc);
}

void atn_usage_line(const atn_command *c, char *out, size_t size)
{
    snprintf(out, size, "attune %s%s%s%s%s [options]%s", c->noun, c->verb ? " " : "",
             c->verb ? c->verb : "", c->operands ? " " : "", c->operands ? c->operands : "",
             c->flags & ATN_CMD_REST ? " -- COMMAND..." : "");
}

void atn_help_command(FILE *f, const atn_command *c)
{
    char line[160];
    atn_option o;
    atn_usage_line(c, line, sizeof line);
    fprintf(f, "Usage: %s\n\n", line);
    wrap(f, c->help, 0, 0);
    if (c->detail) {
        fputc('\n', f);
        wrap(f, c->detail, 0, 0);
    }
    fprintf(f, "\nOptions:\n");
    for (int i = 0; atn_command_option(c, i, &o); i++)
        option_row(f, &o);
}

static void command_rows(FILE *f, const char *noun)
{
    for (int i = 0; i < atn_command_count(); i++) {
        const atn_command *c = atn_command_at(i);
        char left[96];
        if (noun && strcmp(c->noun, noun) != 0)
            continue;
        snprintf(left, sizeof left, "%s%s%s", c->noun, c->verb ? " " : "", c->verb ? c->verb : "");
        row(f, left, c->help);
    }
}

void atn_help_noun(FILE *f, const char *noun)
{
    fprintf(f, "Usage: attune %s <verb> [options]\n\nCommands:\n", noun);
    command_rows(f, noun);
    fprintf(f, "\n'attune %s <verb> --help' shows the options of one.\n", noun);
}

void atn_help_all(FILE *f)
{
    fprintf(f, "Usage: attune <noun> [verb] [options]\n\nattune - %s\n\nCommands:\n", ATN_TAGLINE);
    command_rows(f, NULL);
    fprintf(f, "\nOptions:\n");
    for (const atn_option *o = atn_top_options; o->name; o++)
        option_row(f, o);
    fprintf(f, "\nExit status:\n");
    for (int i = 0; i < atn_exit_count; i++) {
        char code[16];
        snprintf(code, sizeof code, "%d", i);
        row(f, code, atn_exit_docs[i]);
    }
    fprintf(f, "\n'attune <noun> [verb] --help' shows the options of one command.\n");
}
