/* html.h - the frame of all HTML pages: head, header with navigation, sections, tables, bars.
 *
 * Pages need no other file: page.css and page.js are embedded.  `attune report` reads title, kind,
 * date and key number of a page from its head. */
#ifndef ATN_REPORT_HTML_H
#define ATN_REPORT_HTML_H

#include "report/table.h"

typedef struct {
    const char *kind;  /* "trace", "job", "bench", "tune", "calibration", "index" */
    const char *title; /* of the browser and of the header */
    const char *about; /* a line below the title */
    const char *key;   /* the number that sums the page up: "1.52 s saved"; "": none */
    int64_t date;      /* of what it shows, in seconds since 1970; 0: unknown */
    const char *style; /* CSS of this kind of page; NULL: none */
} atn_html_page;

void atn_report_html_begin(FILE *f, const atn_html_page *p);
/* `script`: JavaScript of this kind of page, which runs last; NULL: none. */
void atn_report_html_end(FILE *f, const char *script);

/* A heading, which the navigation lists. */
void atn_report_html_section(FILE *f, const char *id, const char *title);

/* Escaped text; with words between ` and ` as commands. */
void atn_report_html_text(FILE *f, const char *text);
void atn_report_html_sentence(FILE *f, const char *text);

/* Binary data, for a script or the URL of an image. */
void atn_report_html_base64(FILE *f, const uint8_t *v, int n);

/* The first `most` rows (0: all), and a note if there are more.  A heading sorts them. */
void atn_report_html_table(FILE *f, const char *id, const atn_table *t, int most);
/* The same, closed until the reader opens it. */
void atn_report_html_folded(FILE *f, const char *id, const char *title, const atn_table *t,
                            int most);

/* A figure of the summary: a short value, and what it is. */
void atn_report_html_tile(FILE *f, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Horizontal bars of parts.  `most`: the value of a full bar; parts of 0 are omitted. */
typedef struct {
    const char *class; /* of page.css: b0 .. b9, rest, idle, attune, native */
    double value;
    char title[200]; /* shown when the reader points at it; may be empty */
} atn_html_part;
void atn_report_html_bars_begin(FILE *f);
void atn_report_html_bar(FILE *f, const char *name, const char *value, const atn_html_part *parts,
                         int nparts, double most);
/* A bar of one number, or of the sum of two. */
void atn_report_html_count(FILE *f, const char *name, int64_t count, int64_t second, int64_t most);
void atn_report_html_bars_end(FILE *f);
/* The legend of bars. */
typedef struct {
    const char *class, *name;
} atn_html_key;
void atn_report_html_keys(FILE *f, const atn_html_key *keys, int n);

/* "2026-11-17 20:01 UTC" */
const char *atn_report_html_date(int64_t seconds, char out[32]);

#endif
