/* page_roff.c - pages as roff with the man macros. */
#include "cli/page.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A dot or quote at the start of a line and every backslash need protection; a plain '-' would be
 * set as a hyphen that cannot be pasted into a shell. */
static void escaped(FILE *f, const char *text)
{
    bool start = true, code = false;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", f);
        start = *text == '\n';
        if (*text == '\\')
            fputs("\\e", f);
        else if (*text == '-')
            fputs("\\-", f);
        else if (*text == '`')
            fputs((code = !code) ? "\\fB" : "\\fR", f);
        else if (start && text[1] == '\n')
            fputs("\n.PP", f);
        else
            fputc(*text, f);
    }
}

static void put(FILE *f, const char *before, const char *text, const char *after)
{
    fputs(before, f);
    escaped(f, text);
    fputs(after, f);
}

static void section(FILE *f, const char *title)
{
    fputs(".SH ", f);
    for (; *title; title++)
        fputc(toupper((unsigned char)*title), f);
    fputc('\n', f);
}

static void subsection(FILE *f, const char *title) { put(f, ".SS ", title, "\n"); }

static void paragraph(FILE *f, const char *text) { put(f, ".PP\n", text, "\n"); }

static void entry(FILE *f, const char *term, const char *argument, const char *text)
{
    put(f, ".TP\n\\fB", term + strspn(term, " "), "\\fR");
    if (argument)
        put(f, "\\fI", argument, "\\fR");
    put(f, "\n", text, ".\n");
}

/* Placeholders are in capital letters. */
static void usage(FILE *f, const char *line)
{
    fputs(".PP\n", f);
    while (*line) {
        const size_t blank = strspn(line, " []|.");
        fprintf(f, "%.*s", (int)blank, line);
        line += blank;
        char word[64];
        const size_t n = strcspn(line, " []|.");
        snprintf(word, sizeof word, "%.*s", (int)n, line);
        if (n > 0)
            put(f, isupper((unsigned char)*word) ? "\\fI" : "\\fB", word, "\\fR");
        line += n;
    }
    fputc('\n', f);
}

static void example(FILE *f, const char *line, const char *text)
{
    put(f, ".TP\n\\fB", line, "\\fR\n");
    put(f, "", text, ".\n");
}

atn_page atn_cli_page_roff(FILE *f)
{
    return (atn_page){.f = f,
                      .section = section,
                      .subsection = subsection,
                      .paragraph = paragraph,
                      .entry = entry,
                      .usage = usage,
                      .example = example};
}
