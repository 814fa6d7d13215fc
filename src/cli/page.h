/* page.h - documentation as a sequence of calls; plain text and roff are two writers of it.
 *
 * In texts, `code` is marked by backticks and an empty line separates paragraphs. */
#ifndef ATN_CLI_PAGE_H
#define ATN_CLI_PAGE_H

#include <stdio.h>

typedef struct {
    FILE *f;
    void (*section)(FILE *f, const char *title); /* "Options" */
    void (*subsection)(FILE *f, const char *title);
    void (*paragraph)(FILE *f, const char *text);
    /* A term with its meaning: "-o, --output", "FILE" (or NULL). */
    void (*entry)(FILE *f, const char *term, const char *argument, const char *text);
    void (*usage)(FILE *f, const char *line);
    void (*example)(FILE *f, const char *line, const char *text);
} atn_page;

atn_page atn_cli_page_text(FILE *f);
atn_page atn_cli_page_roff(FILE *f);

#endif
