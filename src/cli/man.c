/* man.c - the manual page attune(1), from the tables. */
#include "cli/cli.h"

#include <string.h>

#include "plan/settings.h"

/* roff reads a backslash, and a dot or quote at the start of a line, as its own; a plain '-' would
 * be set as a hyphen that cannot be pasted into a shell. */
static void escaped(FILE *f, const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", f);
        start = *text == '\n';
        if (*text == '\\')
            fputs("\\e", f);
        else if (*text == '-')
            fputs("\\-", f);
        else if (start && text[1] == '\n')
            fputs("\n.PP", f);
        else
            fputc(*text, f);
    }
}

static void line(FILE *f, const char *before, const char *text, const char *after)
{
    fputs(before, f);
    escaped(f, text);
    fputs(after, f);
}

static void option_entry(FILE *f, const atn_option *o)
{
    fputs(".TP\n", f);
    if (o->letter)
        fprintf(f, "\\fB\\-%c\\fR, ", o->letter);
    line(f, "\\fB\\-\\-", o->name, "\\fR");
    if (o->type == ATN_OPT_MAYBE)
        line(f, "[=\\fI", o->argument, "\\fR]");
    else if (o->argument)
        line(f, " \\fI", o->argument, "\\fR");
    line(f, "\n", o->doc, o->words ? ": " : "");
    for (int i = 0; o->words && o->words[i]; i++)
        line(f, i ? ", " : "", o->words[i], "");
    if (atn_option_repeats(o))
        fputs("; may be repeated", f);
    fputs(".\n", f);
    if (o->fallback)
        line(f, "Default: ", o->fallback, ".\n");
}

static void command_entry(FILE *f, const atn_command *c)
{
    char usage[160];
    atn_option o;
    atn_usage_line(c, usage, sizeof usage);
    line(f, ".SS ", usage, "\n");
    line(f, "", c->help, ".\n");
    if (c->detail)
        line(f, ".PP\n", c->detail, "\n");
    for (int i = 0; atn_command_option(c, i, &o); i++)
        if (strcmp(o.name, "help") != 0)
            option_entry(f, &o);
}

static void environment(FILE *f)
{
    fputs(".SH ENVIRONMENT\n", f);
    for (int i = 0; i < ATN_SETTINGS; i++) {
        const atn_setting_info *s = atn_setting_get((atn_setting)i);
        line(f, ".TP\n\\fB", s->name, "\\fR");
        line(f, "=\\fI", s->argument, "\\fR\n");
        line(f, "", s->doc, ".\n");
        const char *const fallback = atn_setting_run_default((atn_setting)i);
        if (*fallback)
            line(f, "Default: ", fallback, ".\n");
    }
}

void atn_man_page(FILE *f)
{
    fprintf(f, ".TH ATTUNE 1 \"\" \"attune %s\" \"User Commands\"\n", ATN_VERSION);
    line(f, ".SH NAME\nattune \\- ", ATN_TAGLINE, "\n");
    fputs(".SH SYNOPSIS\n\\fBattune\\fR \\fInoun\\fR [\\fIverb\\fR] [\\fIoptions\\fR]\n", f);
    fputs(".SH OPTIONS\n", f);
    for (const atn_option *o = atn_top_options; o->name; o++)
        option_entry(f, o);
    fputs(".SH COMMANDS\n", f);
    for (int i = 0; i < atn_command_count(); i++)
        command_entry(f, atn_command_at(i));
    environment(f);
    fputs(".SH EXIT STATUS\n", f);
    for (int i = 0; i < atn_exit_count; i++) {
        fprintf(f, ".TP\n%d\n", i);
        line(f, "", atn_exit_docs[i], "\n");
    }
}
