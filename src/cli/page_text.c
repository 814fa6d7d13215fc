/* page_text.c - pages as plain text for a terminal of 80 columns. */
#include "cli/page.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 80, DOC_COLUMN = 26 };

static int put_word(FILE *f, const char *word, int length)
{
    for (int i = 0; i < length; i++)
        fputc(word[i] == '`' ? '\'' : word[i], f);
    return length;
}

/* Prints words from `column` on, breaks lines before WIDTH and indents the next ones; a newline in
 * the text starts a new line. */
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
        column += fprintf(f, "%s", first ? "" : " ");
        column += put_word(f, text, length);
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

static void section(FILE *f, const char *title) { fprintf(f, "\n%s:\n", title); }

static void paragraph(FILE *f, const char *text)
{
    fputc('\n', f);
    wrap(f, text, 0, 0);
}

static void entry(FILE *f, const char *term, const char *argument, const char *text)
{
    const int used = fprintf(f, "  %s%s", term, argument ? argument : "");
    if (used + 2 > DOC_COLUMN)
        fprintf(f, "\n%*s", DOC_COLUMN, "");
    else
        fprintf(f, "%*s", DOC_COLUMN - used, "");
    wrap(f, text, DOC_COLUMN, DOC_COLUMN);
}

static void usage(FILE *f, const char *line) { fprintf(f, "Usage: %s\n", line); }

static void example(FILE *f, const char *line, const char *text)
{
    fprintf(f, "  %s\n      ", line);
    wrap(f, text, 6, 6);
}

atn_page atn_cli_page_text(FILE *f)
{
    return (atn_page){.f = f,
                      .section = section,
                      .subsection = section,
                      .paragraph = paragraph,
                      .entry = entry,
                      .usage = usage,
                      .example = example};
}
